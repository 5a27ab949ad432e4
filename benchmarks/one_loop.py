"""Many small searches in this process, one call of `sl.solve` after another; what they took and found, as JSON.

`--textbook` calls the plain Python program instead, as whoever has no framework would.
"""

from __future__ import annotations

import argparse
import json

import textbook
from cpu_time import cpu_seconds

import searchlab as sl

START = (2, 3, 5, 1, 0, 8, 7, 6, 4)
WARM = 20
"""Calls after which all is compiled and loaded."""


def main() -> None:
    """Search as often as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("calls", type=int)
    parser.add_argument("--textbook", action="store_true", help="the program in plain Python")
    asked = parser.parse_args()
    search = in_plain_python if asked.textbook else by_searchlab
    for _ in range(WARM):
        search()
    with cpu_seconds() as took:
        moves = sum(search() for _ in range(asked.calls))
    print(json.dumps({**took, "calls": asked.calls, "moves": moves}))


def by_searchlab() -> int:
    """Return the length of a solution, from what a user would write."""
    board = sl.Board([START[:3], START[3:6], START[6:]])
    result = sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier="astar")
    assert result.moves is not None
    return result.moves


def in_plain_python() -> int:
    """Return the same by the textbook program."""
    found = textbook.astar(START)
    assert found is not None
    return found[0]


if __name__ == "__main__":
    main()
