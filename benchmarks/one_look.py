"""Look ahead from boards of 2048 in this process; what it took and how many moves were tried are printed as JSON."""

from __future__ import annotations

import argparse
import json
import time

from cpu_time import cpu_seconds

import searchlab as sl

DIGITS = 16


def main() -> None:
    """Look ahead as the command line says, so many times from each board."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("depth", type=int)
    parser.add_argument("times", type=int)
    parser.add_argument("boards", nargs="+", help="16 hexadecimal digits: exponents, the upper-left cell last")
    parser.add_argument("--heuristic", default="smooth")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    domain = sl.domain("2048-random")
    heuristic = sl.heuristic(asked.heuristic, domain=domain)
    boards = [board_of(digits) for digits in asked.boards]
    ahead = sl.Expectimax(sl.LookAhead(domain, heuristic), depth=asked.depth, threads=asked.threads)
    ahead.values(boards[0])
    tried, began = ahead.tries, time.perf_counter()
    with cpu_seconds() as took:
        for _ in range(asked.times):
            ahead.forget()
            best = sum(max(ahead.values(board).values()) for board in boards)
    found = {"wall": time.perf_counter() - began, "best": round(best), "tried": ahead.tries - tried}
    print(json.dumps({**took, **found}))


def board_of(digits: str) -> sl.Board:
    """Return the board of 16 hexadecimal digits."""
    tiles = [(1 << int(digit, DIGITS)) & ~1 for digit in reversed(digits)]
    return sl.Board([tiles[k : k + 4] for k in range(0, DIGITS, 4)])


if __name__ == "__main__":
    main()
