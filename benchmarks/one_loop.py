"""Searches from 200 boards of the 8-puzzle in this process, one after another; what they took and found, as JSON.

`solve` calls `sl.solve` for each board, `searcher` calls one searcher, and `textbook` calls the plain Python program,
as people without a framework would.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import textbook
from cpu_time import cpu_seconds

import searchlab as sl

if TYPE_CHECKING:
    from collections.abc import Callable

BOARDS = 200
WARM = 20
"""Boards after which all is compiled and loaded."""
CHOSEN = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}


def main() -> None:
    """Search as often as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("way", choices=("solve", "searcher", "textbook"))
    parser.add_argument("rounds", type=int, help="how often all boards are searched")
    asked = parser.parse_args()
    generator = sl.generator("shuffled:n=3")
    boards = [generator(seed).tiles.tolist() for seed in range(BOARDS)]
    search = way(asked.way)
    for rows in boards[:WARM]:
        search(rows)
    with cpu_seconds() as took:
        moves = sum(search(rows) for _ in range(asked.rounds) for rows in boards)
    print(json.dumps({**took, "calls": asked.rounds * BOARDS, "moves": moves}))


def way(name: str) -> Callable[[list[list[int]]], int]:
    """Return a function from the rows of a board to the length of its solution, as a user would write it."""
    if name == "textbook":
        return in_plain_python
    if name == "solve":
        return lambda rows: moves_of(sl.solve(sl.Board(rows), **CHOSEN))
    searcher = sl.searcher(**CHOSEN)
    return lambda rows: moves_of(searcher(sl.Board(rows)))


def moves_of(result: sl.Result) -> int:
    """Return the length of a solution."""
    assert result.moves is not None
    return result.moves


def in_plain_python(rows: list[list[int]]) -> int:
    """Return the length of a solution by the textbook program."""
    found = textbook.astar(tuple(tile for row in rows for tile in row))
    assert found is not None
    return found[0]


if __name__ == "__main__":
    main()
