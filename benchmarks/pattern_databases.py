"""Pattern databases on Korf's positions: what IDA* generates, and the processor time it takes.

    python benchmarks/pattern_databases.py 6-6-3                                  # Korf's hundred 15-puzzles
    python benchmarks/pattern_databases.py 6-6-6-6 --set korf24 --boards 38,40    # the easiest 24-puzzles
    python benchmarks/pattern_databases.py 6-6-3 --textbook 80                    # the other count, on one position

Each length is held to the published one; the tables are built where they are not kept. `--textbook` searches one
position in plain Python as textbooks do: all children but the one straight back are generated, and the goal is tested
when a child is generated. The search goes down into a child as soon as it is generated, and a goal is within the bound,
so that both counts of generated nodes are the same.
"""

from __future__ import annotations

import argparse
import json
import resource
from math import inf
from pathlib import Path

import numpy as np
from cpu_time import cpu_seconds

import searchlab as sl

BOARDS = Path(__file__).parents[1] / "boards" / "sliding-tile"
DOMAIN = "sliding-tile:goal=blank-first"


def main() -> None:
    """Solve the positions and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("groups", help="the partition")
    parser.add_argument("--mirror", default="yes", choices=("yes", "no"))
    parser.add_argument("--dual", default="no", choices=("yes", "no"))
    parser.add_argument("--set", default="korf100", help="the set of boards")
    parser.add_argument("--boards", default="", help="some of them, separated by commas")
    parser.add_argument("--textbook", metavar="BOARD", help="count one position the other way")
    asked = parser.parse_args()
    name = f"pattern-database:groups=[{asked.groups}],mirror={asked.mirror},dual={asked.dual}"
    heuristic = sl.heuristic(name, domain=DOMAIN)
    if asked.textbook:
        board = sl.read_board(f"sliding-tile/{asked.set}/{asked.textbook:0>3}")
        print(json.dumps({"textbook": textbook(board, heuristic), "searchlab": solved(board, heuristic).generated}))
        return
    optimal = published(BOARDS / asked.set / "published.csv")
    names = asked.boards.split(",") if asked.boards else sorted(optimal)
    boards = {name: sl.read_board(f"sliding-tile/{asked.set}/{name}") for name in names}
    with cpu_seconds() as before:
        heuristic(boards[names[0]])
        sl.solve(goal(boards[names[0]].n), domain=DOMAIN, heuristic=heuristic, frontier="ida-star")
    values = [heuristic(board) for board in boards.values()]
    with cpu_seconds() as took:
        results = {name: solved(board, heuristic) for name, board in boards.items()}
    for name, result in results.items():
        if result.moves != optimal[name]:
            raise SystemExit(f"{name}: {result.moves} moves, and {optimal[name]} are optimal")
    print(
        json.dumps(
            {
                "positions": len(results),
                "mean_h": float(np.mean(values)),
                "generated": sum(result.generated for result in results.values()),
                "expanded": sum(result.expanded for result in results.values()),
                "cpu_seconds": sum(took.values()),
                "cpu_seconds_before": sum(before.values()),
                "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            }
        )
    )


def published(file: Path) -> dict[str, int]:
    """Return the optimal lengths of a set, by board."""
    rows = [line.split(",") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    return {row[0]: int(row[1]) for row in rows}


def goal(n: int) -> sl.Board:
    """Return the solved board."""
    return sl.Board(np.arange(n * n).reshape(n, n))


def solved(board: sl.Board, heuristic: sl.BoundHeuristic) -> sl.Result:
    """Return what searchlab's IDA* finds."""
    return sl.solve(board, domain=DOMAIN, heuristic=heuristic, frontier="ida-star")


def textbook(board: sl.Board, heuristic: sl.BoundHeuristic) -> int:
    """Return how many nodes IDA* generates in plain Python, the goal tested on generation."""
    domain, target, generated = sl.domain(DOMAIN), goal(board.n), 0

    def search(node: sl.Board, parent: sl.Board | None, g: int, bound: float) -> float:
        """Return the smallest f beyond the bound; 0 if the goal was generated."""
        nonlocal generated
        least = inf
        for child in domain.neighbors(node):
            if child == parent:
                continue
            generated += 1
            if child == target:
                return 0
            f = g + 1 + heuristic(child)
            if f <= bound:
                f = search(child, node, g + 1, bound)
                if f == 0:
                    return 0
            least = min(least, f)
        return least

    bound = heuristic(board)
    while bound:
        bound = search(board, None, 0, bound)
    return generated


if __name__ == "__main__":
    main()
