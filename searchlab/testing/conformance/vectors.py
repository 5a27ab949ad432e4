"""Test vectors of 2048: rows and boards with their outcomes, in a file that programs can use without searchlab."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

from searchlab.games.game import GameState, random_source
from searchlab.model.randomness import Randomness
from searchlab.testing.conformance.environment import MOVES
from searchlab.testing.conformance.rules import SlidingRules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.testing.conformance.environment import Rows

EXACT_MEANS = {"2": 66.9641494571, "3": 5468.486797}
"""The expected scores of best play with 90 % 2s, by the side of the board; see docs/exact.md."""
GAMES = 20
EVERY = 7
"""The moves between two boards of a game that become vectors; the last board becomes a vector, too."""
ABOUT = (
    "Test vectors of the game 2048, made by searchlab. Cells are tiles, 0 is empty. rows: each row of four tiles up to "
    "32768, after a move to the left and to the right, with the points. boards: the board after each move and before a "
    "tile appears, with the points; an illegal move is null, and the game is over if all are. After a legal move one "
    "tile appears, in each empty cell with the same probability; p2 is the probability that it is a 2, else it is a 4. "
    "exact_means: the expected score of best play on boards with this side, from two tiles."
)


def vectors(domain: BoundDomain) -> Iterator[str]:
    """Yield the parts of the file of vectors.

    Args:
        domain: a game of 2048 with random tiles on 4 × 4.
    """
    rules = SlidingRules(domain, 4)
    p2 = float(domain.values["p2"])
    head = {"about": ABOUT, "game": "2048", "version": 1, "p2": p2, "tiles": domain.opening()}
    is_classic = (p2, domain.opening()) == (0.9, 2)
    yield json.dumps({**head, "exact_means": EXACT_MEANS if is_classic else {}}, ensure_ascii=False)[:-1]
    yield ',\n"columns": ["row", "left", "points left", "right", "points right"],\n"rows": [\n'
    yield ",\n".join(map(json.dumps, _rows(rules)))
    yield '\n],\n"boards": [\n'
    yield ",\n".join(map(json.dumps, _boards(domain, rules)))
    yield "\n]}\n"


def _rows(rules: SlidingRules) -> Iterator[list[Any]]:
    tiles = [0, *(2**power for power in range(1, 16))]
    for row in product(tiles, repeat=4):
        left, points = rules.line(row)
        right, points_right = rules.line(row[::-1])
        yield [row, left, points, right[::-1], points_right]


def _boards(domain: BoundDomain, rules: SlidingRules) -> Iterator[dict[str, Any]]:
    """Yield boards of games of random moves, including the last boards."""
    for seed in range(1, GAMES + 1):
        chance = Randomness(seed)
        game = GameState(domain, random_source(domain, chance))
        while game.edges:
            if game.moves % EVERY == 0:
                yield _board(rules, _tuples(game))
            game.move(game.edges[chance.raw() % len(game.edges)].action)
        yield _board(rules, _tuples(game))


def _tuples(game: GameState) -> Rows:
    return tuple(map(tuple, game.board.tiles.tolist()))


def _board(rules: SlidingRules, board: Rows) -> dict[str, Any]:
    outcomes: dict[str, Any] = {}
    for move in MOVES:
        slid = rules.slid(board, move)
        outcomes[move] = None if slid.board == board else {"board": slid.board, "points": slid.points}
    return {"board": board, **outcomes}
