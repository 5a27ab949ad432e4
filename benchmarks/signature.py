"""The bench signature: one number over what a fixed set of searches, games and learners do.

    python benchmarks/signature.py              # the number
    python benchmarks/signature.py --cases      # a line each, to see which of them changed
    python benchmarks/signature.py --check      # exit code 1 unless it is the number in signature.txt

As long as the number stays the same, a change of the code changed no node a search expands, no move a game makes and
no bit of a weight that is learned, in either engine. It does not depend on the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import searchlab as sl
from searchlab.games.learning.td import learned_games
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

RECORDED = Path(__file__).with_name("signature.txt")
DIGITS = 16
OF_THE_MACHINE = {"seconds", "cpu_seconds", "peak_bytes", "versions"}
GIVEN = {"labels", "direction", "instance"}
"""What a search was given, and does not do; there were none when the number was recorded."""
CLAIMS = {"lower_bound", "bound", "bound_by", "ended_by", "solutions", "layers"}
"""What is said of the cost, which follows from what a search does; not part of the number."""
BOTH_ENDS = {"met_at", "met_cost", "expanded_backward"}
"""What searches from both ends say besides; there were none when the number was recorded."""
ENGINES = {"compiled": 20_000, "readable": 400}
"""The expansions of a search, by engine."""
FRONTIERS = (
    *("greedy", "astar:duplicates=early", "astar:duplicates=late", "weighted-astar:weight=1.5", "uniform-cost"),
    *("breadth-first", "depth-first", "beam:width=20", "iterative-deepening"),
)
PROBLEMS = (
    *(("sliding-tile/puzzle8-31", "sliding-tile", h) for h in ("taxicab", "misplaced", "euclidean")),
    ("sliding-tile/korf100/002", "sliding-tile:goal=blank-first", "taxicab"),
    *(("2048/board10", "2048:goal=2048", h) for h in ("left-weighted", "distance-weighted", "snake", "moves-to-go")),
    ("2048/start", "2048:goal=256,spawn=corner", "penalty"),
)
ESTIMATES = ("taxicab", "misplaced", "euclidean", "moves-to-go", "penalty")
"""Heuristics that iterative deepening A* takes."""
LAYERS = (("sliding-tile/puzzle8-31", "sliding-tile", 4_000), ("2048/board10", "2048:goal=2048", 4_000))
PLAYERS = ("random", "greedy", "expectimax:depth=1,heuristic=smooth", "expectimax:depth=2,heuristic=smooth", "tutorial")
GAMES = (("2048-random", 60), ("2048-random:n=3", 200), ("2048", 60))
"""Domains, and the moves of a game at most."""
SEEDS = (1, 2)
TUPLES = ((0, 1, 2, 3), (3, 4, 5))
LEARNED = 40
"""Games a network learns from."""


def main() -> int:
    """Compute the signature, as the command line asks for it; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", action="store_true", help="print a line for each case, too")
    parser.add_argument("--check", action="store_true", help="compare with signature.txt")
    asked = parser.parse_args()
    signature = signature_of(cases(), tell=print if asked.cases else lambda line: None)
    print(signature)
    if not asked.check:
        return 0
    recorded = RECORDED.read_text(encoding="utf-8").strip()
    if signature == recorded:
        return 0
    print(f"it was {recorded}: what searches do has changed", file=sys.stderr)
    return 1


def signature_of(cases: Iterator[tuple[str, Any]], tell: Any) -> str:
    """Return one number, in hexadecimal digits, over all cases; tell of each by a number of its own."""
    whole = hashlib.sha256()
    for name, facts in cases:
        line = f"{name} {digest(json.dumps(facts, default=str).encode())}"
        tell(line)
        whole.update(f"{line}\n".encode())
    return whole.hexdigest()[:DIGITS]


def digest(content: bytes) -> str:
    """Return a number over some bytes."""
    return hashlib.sha256(content).hexdigest()[:DIGITS]


def cases() -> Iterator[tuple[str, Any]]:
    """Yield the name of each case, and what came of it as plain values."""
    yield from searches()
    yield from enumerations()
    yield from games()
    yield from learners()


def searches() -> Iterator[tuple[str, Any]]:
    """Yield all that is said of a search but what it took of the machine."""
    for (board, domain, heuristic), frontier in product(PROBLEMS, (*FRONTIERS, "ida-star")):
        if frontier == "ida-star" and heuristic not in ESTIMATES:
            continue
        for engine, expansions in ENGINES.items():
            result = sl.solve(
                sl.read_board(board),
                domain=domain,
                heuristic=heuristic,
                frontier=frontier,
                limits=sl.Limits(expansions=expansions),
                engine=engine,
            )
            facts = {
                {"states": "boards"}.get(name, name): getattr(result, name)
                for name in result.__dataclass_fields__
                if name not in OF_THE_MACHINE | GIVEN | CLAIMS | BOTH_ENDS
            }
            facts["heuristic"] = heuristic  # a result has none if its frontier uses none
            facts["boards"] = digest("\n".join(map(str, facts["boards"])).encode())
            yield f"{board} {domain} {heuristic} {frontier} {engine}", facts


def enumerations() -> Iterator[tuple[str, Any]]:
    """Yield the layers of state spaces."""
    for (board, domain, expansions), engine in product(LAYERS, ENGINES):
        watch = Watch(sl.Limits(expansions=expansions))
        layers = enumerate_states(sl.read_board(board), sl.domain(domain), watch, engine=engine)
        facts = [[layer.depth, layer.states, layer.dead_ends, layer.goals, layer.ended] for layer in layers]
        yield f"layers {board} {domain} {engine}", facts


def games() -> Iterator[tuple[str, Any]]:
    """Yield the moves and the points of games."""
    for (domain, moves), player, seed in product(GAMES, PLAYERS, SEEDS):
        if domain == "2048" and player.startswith(("expectimax", "tutorial")):
            continue
        game = sl.play(domain=domain, player=player, seed=seed, most_moves=moves)
        facts = [game.status, game.score, "".join(action[0] for action in game.actions)]
        yield f"game {domain} {player} {seed}", facts


def learners() -> Iterator[tuple[str, Any]]:
    """Yield digests of the weights that networks learn, compiled and by definition."""
    game = sl.domain("2048-random", n=3)
    for coherent in (True, False):
        network = sl.NTupleNetwork(3, 3, TUPLES)
        sl.AfterstateLearning(network, game, seed=5, rate=0.5, coherent=coherent).learn(2**40, LEARNED)
        yield f"learned compiled {coherent}", digest(network.weights.tobytes())
        network = sl.NTupleNetwork(3, 3, TUPLES)
        errors = np.zeros(2 * network.entries, np.float32) if coherent else None
        list(islice(learned_games(network, errors, game, 0.5, sl.Randomness(5)), LEARNED))
        yield f"learned readable {coherent}", digest(network.weights.tobytes())


if __name__ == "__main__":
    warnings.simplefilter("error", sl.SearchlabWarning)
    sys.exit(main())
