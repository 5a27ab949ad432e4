"""The kernels with buckets and in order against the heap, each on what it is for: time and memory as a Markdown table.

    python benchmarks/families.py [--pairs N] [--only TEXT]

Each search is run by the kernels that it gets and by those of a heap, in turn, in one process; they expand the same
nodes. A family that is neither 1.3 times as fast nor holds at most 0.7 of the bytes is not worth its code.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any, NamedTuple
from unittest import mock

from one_search import time_the_search

import searchlab as sl
from searchlab.search.compiled import families

FAMILIES = ("late-buckets", "early-buckets", "class-buckets", "in-order")
TILES = "sliding-tile:goal=blank-first"
FIFTEEN, TWENTY_FOUR = "sliding-tile/korf100/088", "sliding-tile/korf24/01"


class Case(NamedTuple):
    """A search, up to a number of expansions."""

    frontier: str
    domain: str
    board: str | None
    heuristic: str | None
    expansions: int = 1_000_000

    def __str__(self) -> str:
        domain = self.domain.replace(":goal=blank-first,", ":").removesuffix(":goal=blank-first")
        return ", ".join(filter(None, [f"`{self.frontier}`", self.heuristic, f"`{domain}`"]))


CASES = (
    Case("astar", TILES, FIFTEEN, "taxicab"),
    Case("astar", f"{TILES},cost=heavy", FIFTEEN, "taxicab"),
    Case("uniform-cost", TILES, FIFTEEN, None),
    Case("weighted-astar:weight=1.5", TILES, TWENTY_FOUR, "taxicab"),
    Case("astar:order=oldest", TILES, TWENTY_FOUR, "taxicab"),
    Case("astar:order=random", TILES, TWENTY_FOUR, "taxicab"),
    Case("astar:duplicates=early", TILES, FIFTEEN, "taxicab"),
    Case("uniform-cost:duplicates=early", TILES, FIFTEEN, None),
    Case("weighted-astar:weight=1.5,duplicates=early", TILES, TWENTY_FOUR, "taxicab"),
    Case("astar", "2048", None, "moves-to-go", 500_000),
    Case("weighted-astar:weight=2", "2048", None, "penalty", 500_000),
    Case("uniform-cost", "topspin", "topspin/ring-16-1", None, 200_000),
    Case("greedy", "2048:goal=32768", None, "left-weighted", 300_000),
    Case("greedy", "2048:goal=32768", None, "distance-weighted", 300_000),
    Case("greedy:order=oldest", TILES, "sliding-tile/korf24/04", "misplaced", 300_000),
    Case("breadth-first", TILES, FIFTEEN, None),
    Case("breadth-first", "2048", None, None),
)


class Measured(NamedTuple):
    """What a search took: CPU nanoseconds a node expanded, bytes a node stored, nodes, and the family that it gets."""

    nanoseconds: float
    bytes_a_node: float
    nodes: tuple[int, int]
    family: str


def measured(case: Case, spent: dict[str, float], *, by_heap: bool) -> Measured:
    """Return what a search took."""
    own = families.family_name
    found = []

    def chosen(*problem: Any, **options: Any) -> str:
        found.append(own(*problem, **options))
        if not by_heap or found[-1] not in FAMILIES:
            return found[-1]
        return "late-heap" if found[-1] == "late-buckets" else "heap"

    with mock.patch.object(families, "family_name", chosen):
        result = sl.solve(
            case.board and sl.read_board(case.board),
            domain=sl.domain(case.domain),  # of its own: a searcher that is kept would go on with its family
            heuristic=case.heuristic,
            frontier=case.frontier,
            limits=sl.Limits(expansions=case.expansions, seconds=100),
            engine="compiled",
        )
    taken = 1e9 * (spent["user"] + spent["system"]) / result.expanded
    stored = result.peak_bytes / result.stored
    return Measured(taken, stored, (result.expanded, result.generated), found[-1])


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", default="", help="only searches whose description contains this text")
    asked = parser.parse_args()
    spent = time_the_search()
    print("| search | family | ns | heap | faster | bytes | heap | ratio |\n" + "| --- " * 8 + "|")
    for case in CASES:
        if asked.only not in str(case):
            continue
        runs = [
            (measured(case, spent, by_heap=False), measured(case, spent, by_heap=True)) for _ in range(asked.pairs + 1)
        ][1:]  # the first may compile
        family, heap = (min(side) for side in zip(*runs, strict=True))
        if family.nodes != heap.nodes:
            sys.exit(f"{case}: {family.nodes} nodes, by a heap {heap.nodes}")
        faster, ratio = heap.nanoseconds / family.nanoseconds, family.bytes_a_node / heap.bytes_a_node
        print(
            f"| {case} | {family.family} | {family.nanoseconds:.0f} | {heap.nanoseconds:.0f} | {faster:.2f} "
            f"| {family.bytes_a_node:.0f} | {heap.bytes_a_node:.0f} | {ratio:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
