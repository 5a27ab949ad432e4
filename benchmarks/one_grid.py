"""A* on a generated grid map, one search after another; what they took and found is printed as JSON.

`--dijkstra` prints the costs that SciPy's Dijkstra finds instead, on a graph that is made by other code.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from one_search import time_the_search

import searchlab as sl

DOMAIN = Path(__file__).parents[1] / "docs" / "examples" / "grid.py"
MASK = 2**64 - 1


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
        sl.Instance(str(number), sl.Board([start]), {"grid": grid, "file": "", "goal": list(goal)})
        for number, (start, goal) in enumerate(pairs, 1)
    ]


def searched(given: list[sl.Instance]) -> dict[str, float]:
    """Return what the searches took, how many nodes they expanded, and the sum of the costs of their solutions."""
    plugins = sl.Plugins(files=[str(DOMAIN)])
    sl.solve(given[0], domain="grid", plugins=plugins, engine="compiled")
    spent = time_the_search()
    took, expanded, cost = {"user": 0.0, "system": 0.0}, 0, 0.0
    for instance in given:
        result = sl.solve(instance, domain="grid", plugins=plugins, engine="compiled")
        took = {name: took[name] + spent[name] for name in took}
        expanded += result.expanded
        cost += result.cost or 0.0
    return {**took, "expanded": expanded, "cost": round(cost, 6)}


def dijkstra(given: list[sl.Instance]) -> list[float]:
    """Return the costs of cheapest ways, infinite where there is none, by SciPy."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra as all_costs

    free = np.pad(given[0].static["grid"] != 0, 1)
    cells = np.arange(free.size).reshape(free.shape)
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


def main() -> None:
    """Do what the command line says, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name in ("side", "walls", "searches"):
        parser.add_argument(name, type=int)
    parser.add_argument("--dijkstra", action="store_true")
    asked = parser.parse_args()
    given = instances(asked.side, asked.walls, asked.searches)
    print(json.dumps(dijkstra(given) if asked.dijkstra else searched(given)))


if __name__ == "__main__":
    main()
