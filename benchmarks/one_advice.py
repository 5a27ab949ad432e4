"""Ask a player about boards in this process: through the lines of `searchlab advise`, or in a loop on the boards alone.

How long all answers took, after a first one that is not counted, is printed as JSON.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from itertools import chain, count, islice
from typing import TYPE_CHECKING, TypeVar

from cpu_time import cpu_seconds

import searchlab as sl
from searchlab.cli.advise import answer_lines
from searchlab.games.advice import PositionAdviser

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.player import BoundPlayer

T = TypeVar("T")


def main() -> None:
    """Ask as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("player")
    parser.add_argument("boards", type=int, help="how many, of random games")
    parser.add_argument("--in-a-loop", action="store_true", help="not by lines")
    asked = parser.parse_args()
    games = (sl.play(player="random", seed=seed).boards[:-1] for seed in count())
    boards = list(islice(chain.from_iterable(games), asked.boards))
    player = sl.player(asked.player)
    in_a_loop(player, boards[:1])
    took, moves = (in_a_loop if asked.in_a_loop else by_lines)(player, boards)
    print(json.dumps({**took, "boards": len(moves), "left": moves.count("left")}))


def in_a_loop(player: BoundPlayer, boards: list[sl.Board]) -> tuple[dict[str, float], list[str]]:
    """Return the CPU seconds the answers took, user and system, and the moves."""
    choose = player.begin(0)
    return timed(
        lambda: [choose(board, tuple(map(sl.Move._make, player.domain.successors(board)))) for board in boards]
    )


def by_lines(player: BoundPlayer, boards: list[sl.Board]) -> tuple[dict[str, float], list[str]]:
    """Return the same of boards that are written and read, a line each, and flushed answers."""
    given = "".join(" ".join(map(str, board.tiles.ravel().tolist())) + "\n" for board in boards)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as answers:
        streams = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(given.encode())), answers
        try:
            took, _ = timed(lambda: answer_lines(PositionAdviser(player, 0), player.domain, json=False))
        finally:
            sys.stdin, sys.stdout = streams
        answers.seek(0)
        return took, [line.partition("\t")[0] for line in answers]


def timed(work: Callable[[], T]) -> tuple[dict[str, float], T]:
    """Return the CPU seconds that some work took, user and system, and what it returns."""
    with cpu_seconds() as took:
        done = work()
    return took, done


if __name__ == "__main__":
    main()
