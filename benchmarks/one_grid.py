"""A* on a generated grid map, one search after another; what they took and found is printed as JSON.

`--check` compares each cost with the one that SciPy's Dijkstra finds on a graph that is made by other code. The first
cost that differs is an error, with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import inf
from pathlib import Path

import numpy as np
from cpu_time import cpu_seconds
from one_search import time_the_search

import searchlab as sl

DOMAIN = Path(__file__).parents[1] / "docs" / "examples" / "grid.py"
MASK = 2**64 - 1
MOST_APART = 1e-6
"""The most by which two sums of the same steps may differ."""


class Numbers:
    """The numbers of splitmix64, as in yardstick/grid.cpp."""

    def __init__(self) -> None:
        self._state = 1

    def next(self) -> int:
        """Return the next number, of 64 bits."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & MASK
        z = self._state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)


def instances(side: int, walls: int, searches: int) -> list[sl.Instance]:
    """Return starts and goals on a square map with this percentage of walls."""
    numbers = Numbers()
    grid = np.array([numbers.next() % 100 >= walls for _ in range(side * side)], np.uint8).reshape(side, side)
    ends: list[tuple[int, int]] = []
    while len(ends) < 2 * searches:
        cell = divmod(numbers.next() % (side * side), side)
        if grid[cell]:
            ends.append(cell)
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return [
        sl.Instance(str(number), sl.Board([start]), {"grid": grid, "goal": list(goal)})
        for number, (start, goal) in enumerate(pairs, 1)
    ]


def searched(given: list[sl.Instance]) -> tuple[dict[str, float], list[float]]:
    """Return what the searches took and expanded, and the cost of each solution, infinite where there is none."""
    plugins = sl.Plugins(files=[str(DOMAIN)])
    sl.solve(given[0], domain="grid", plugins=plugins, engine="compiled")
    spent = time_the_search()
    took, whole, expanded, costs = {"user": 0.0, "system": 0.0}, 0.0, 0, []
    for instance in given:
        with cpu_seconds() as of_call:
            result = sl.solve(instance, domain="grid", plugins=plugins, engine="compiled")
        whole += sum(of_call.values())
        took = {name: took[name] + spent[name] for name in took}
        expanded += result.expanded
        costs.append(inf if result.cost is None else result.cost)
    cost = round(sum(cost for cost in costs if cost < inf), 6)
    return {**took, "whole": whole, "expanded": expanded, "cost": cost}, costs


def dijkstra(given: list[sl.Instance]) -> list[float]:
    """Return the costs of cheapest ways, infinite where there is none, by SciPy."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra as all_costs

    free = np.pad(given[0].static["grid"] != 0, 1)
    cells = np.arange(free.size, dtype=np.int32).reshape(free.shape)  # older versions of SciPy take no other
    inside = (slice(1, -1), slice(1, -1))
    sources, targets, costs = [], [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):

        def moved(array: np.ndarray, rows: int, columns: int) -> np.ndarray:
            return np.roll(array, (-rows, -columns), (0, 1))[inside]

        open_ = free[inside] & moved(free, down, right) & moved(free, down, 0) & moved(free, 0, right)
        sources.append(cells[inside][open_])
        targets.append(moved(cells, down, right)[open_])
        costs.append(np.full(int(open_.sum()), np.hypot(down, right)))
    edges = np.concatenate(costs), (np.concatenate(sources), np.concatenate(targets))
    graph = csr_array(edges, shape=(free.size, free.size))
    found = []
    for instance in given:
        start, goal = (cells[row + 1, column + 1] for row, column in (instance.start.tiles[0], instance.static["goal"]))
        found.append(float(all_costs(graph, directed=False, indices=start)[goal]))
    return found


def difference(given: list[sl.Instance], costs: list[float]) -> str:
    """Return the first of the costs that is not the one Dijkstra finds, '' if all are."""
    for instance, cost, cheapest in zip(given, costs, dijkstra(given), strict=True):
        if cost != cheapest and not abs(cost - cheapest) <= MOST_APART:
            return f"way {instance.name} costs {cost!r}, by Dijkstra {cheapest!r}"
    return ""


def main() -> None:
    """Do what the command line says, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("side", "walls", "searches"):
        parser.add_argument(name, type=int)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    given = instances(asked.side, asked.walls, asked.searches)
    figures, costs = searched(given)
    wrong = difference(given, costs) if asked.check else ""
    if wrong:
        sys.exit(wrong)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
