"""What players of 2048 lose by looking less far: points a move, judged by one that looks further.

    python benchmarks/points_lost.py --judge ntuple:file=network.npz,depth=5,cutoff=0.003 PLAYER …

A player loses the difference between the judge's values of the judge's move and of the player's move. All players are
asked about the same boards, so a few hundred boards show what takes thousands of games. The values are points only
where the judge's heuristic is one of points; and the judge should look further than every player, by the same one.
"""

from __future__ import annotations

import argparse
import random
import time
from math import sqrt
from statistics import mean, stdev

import searchlab as sl

DOMAIN = "2048-random"
FIRST_SEED = 5001
"""Seeds that no table of scores plays."""
EVERY = 83
"""One of this many boards of a game is taken."""


def main() -> None:
    """Ask the players, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="the others are compared with the first")
    parser.add_argument("--judge", required=True, metavar="PLAYER")
    parser.add_argument(
        "--games", metavar="PLAYER", help="of whose games the boards are, by default the first player's"
    )
    parser.add_argument("--boards", type=int, default=900, metavar="N")
    asked = parser.parse_args()
    boards = boards_of(asked.games or asked.players[0], asked.boards)
    judged = [values for values, _ in looks(asked.judge, boards)]
    print("| player | points lost a move | against the first | ms a move |\n" + "| --- " * 4 + "|")
    first: list[float] = []
    for player in asked.players:
        asked_about = looks(player, boards)
        lost = [
            max(values.values()) - values[max(own, key=own.__getitem__)]
            for values, (own, _) in zip(judged, asked_about, strict=True)
        ]
        first = first or lost
        less = [mine - theirs for mine, theirs in zip(lost, first, strict=True)]
        milliseconds = 1000 * mean(seconds for _, seconds in asked_about)
        compared = spread(less) if player != asked.players[0] else ""
        print(f"| `{player}` | {spread(lost)} | {compared} | {milliseconds:.2f} |", flush=True)


def spread(numbers: list[float]) -> str:
    """Return a mean and its 95 % interval."""
    return f"{mean(numbers):.1f} ± {1.96 * stdev(numbers) / sqrt(len(numbers)):.1f}"


def boards_of(player: str, count: int) -> list[sl.Board]:
    """Return boards of a player's games on which there is a choice."""
    domain = sl.domain(DOMAIN)
    bound, boards, seed = sl.player(player, domain=domain), [], FIRST_SEED
    while len(boards) < count:
        turns = sl.play(domain=domain, player=bound, seed=seed).turns
        first = random.Random(seed).randrange(EVERY)
        boards += [turn.board for turn in turns[first::EVERY] if len(list(domain.edges(turn.board))) > 1]
        seed += 1
    return boards[:count]


def looks(player: str, boards: list[sl.Board]) -> list[tuple[dict[str, float], float]]:
    """Return of each board a player's values of the moves, and the processor time that it took to find them."""
    ahead = sl.player(player, domain=DOMAIN).looks_ahead(boards[0])
    assert isinstance(ahead, sl.Expectimax), f"{player} does not look ahead"
    ahead.values(boards[0])  # compiles
    found = []
    for board in boards:
        ahead.forget()
        begun = time.process_time()
        values = ahead.values(board)
        found.append((values, time.process_time() - begun))
    return found


if __name__ == "__main__":
    main()
