"""A search by plain rules in Python, or the same by a heapq program that calls the same functions.

    python benchmarks/one_rules.py roads|puzzle searchlab|heapq
    python benchmarks/one_rules.py graph searchlab
    python benchmarks/one_rules.py networkx searchlab|networkx

`roads` is a graph of 20,000 places, a dict of dicts, with straight lines as estimates; `graph` makes the same an
instance of the domain `graph` and searches that, and `networkx` does so with a graph of networkx, which has its own A*.
`puzzle` is the 8-puzzle with Manhattan distances: on boards here, on tuples in the heapq program. Prints one line
of JSON: CPU seconds, the result, and the bytes held, measured in a second run.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from heapq import heappop, heappush
from importlib import import_module
from itertools import count
from math import hypot, inf
from random import Random
from typing import Any

PLACES, ROADS = 20_000, 3
WARM = 5
"""Searches in `graph` after which all is compiled and loaded, and solutions are replayed by the compiled rules."""
HARD = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""31 moves from the goal, as no other position is further away."""
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)
MOVES = (("up", -1, 0), ("left", 0, -1), ("right", 0, 1), ("down", 1, 0))
DISTANCE = [
    [0 if tile == 0 else abs((tile - 1) // 3 - cell // 3) + abs((tile - 1) % 3 - cell % 3) for tile in range(9)]
    for cell in range(9)
]


def a_star(start: Any, successors: Any, is_goal: Any, estimate: Any) -> tuple[float, int, int]:
    """Return the cost of a cheapest path, and how many states were expanded and stored: A* as it is usually written."""
    newest = count(0, -1)
    costs: dict[Any, float] = {start: 0}
    parents: dict[Any, Any] = {start: None}
    h = estimate(start)
    waiting = [(h, h, next(newest), start)]
    closed = set()
    while waiting:
        _, _, _, state = heappop(waiting)
        if state in closed:
            continue
        if is_goal(state):
            return costs[state], len(closed), len(costs)
        closed.add(state)
        for _, after, cost in successors(state):
            g = costs[state] + cost
            if g < costs.get(after, inf):
                costs[after], parents[after] = g, state
                h = estimate(after)
                heappush(waiting, (g + h, h, next(newest), after))
    return inf, len(closed), len(costs)


def road_map() -> tuple[dict[str, dict[str, float]], dict[str, tuple[float, float]]]:
    """Return roads between places that lie near each other, and where the places lie."""
    random, side = Random(1), 141
    places = {f"p{k}": (random.random() * side, random.random() * side) for k in range(PLACES)}
    cells: dict[tuple[int, int], list[str]] = {}
    for name, (x, y) in places.items():
        cells.setdefault((int(x), int(y)), []).append(name)
    roads: dict[str, dict[str, float]] = {name: {} for name in places}
    for name, (x, y) in places.items():
        around = ((int(x) + i, int(y) + j) for i in range(-2, 3) for j in range(-2, 3))
        near = [other for cell in around for other in cells.get(cell, ()) if other != name]
        for other in sorted(near, key=lambda o: hypot(places[o][0] - x, places[o][1] - y))[:ROADS]:
            length = hypot(places[other][0] - x, places[other][1] - y) * (1 + random.random())
            roads[name][other] = roads[other][name] = length
    return roads, places


def of_roads() -> tuple[Any, ...]:
    """Return start, successors, goal test and estimate of the road map."""
    roads, places = road_map()
    corner = {"p0"}
    reached = ["p0"]
    for place in reached:
        reached += [other for other in roads[place] if other not in corner]
        corner.update(roads[place])
    middle = sorted(corner, key=lambda p: sum(places[p]))
    start, goal = middle[0], middle[-1]
    end_x, end_y = places[goal]

    def successors(state: str) -> Any:
        for other, length in roads[state].items():
            yield other, other, length

    def estimate(state: str) -> float:
        x, y = places[state]
        return hypot(x - end_x, y - end_y)

    return start, successors, lambda state: state == goal, estimate


def puzzle_on_tuples() -> tuple[Any, ...]:
    """Return start, successors, goal test and estimate of the 8-puzzle on tuples."""

    def successors(state: tuple[int, ...]) -> Any:
        blank = state.index(0)
        row, column = divmod(blank, 3)
        for action, down, right in MOVES:
            if 0 <= row + down < 3 and 0 <= column + right < 3:
                tiles = list(state)
                other = blank + 3 * down + right
                tiles[blank], tiles[other] = tiles[other], 0
                yield action, tuple(tiles), 1

    def estimate(state: tuple[int, ...]) -> int:
        return sum(distances[tile] for distances, tile in zip(DISTANCE, state, strict=True))

    return HARD, successors, lambda state: state == GOAL, estimate


def puzzle_on_boards() -> tuple[Any, ...]:
    """Return the same on boards."""
    from searchlab import Board

    def rows(tiles: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [tiles[0:3], tiles[3:6], tiles[6:9]]

    def successors(board: Any) -> Any:
        row, column = divmod(board.tiles.ravel().tolist().index(0), 3)
        for action, down, right in MOVES:
            if 0 <= row + down < 3 and 0 <= column + right < 3:
                tiles = board.tiles.copy()
                tiles[row, column], tiles[row + down, column + right] = tiles[row + down, column + right], 0
                yield action, Board(tiles), 1

    goal = Board(rows(GOAL))

    def estimate(tiles: Any) -> int:
        return sum(distances[tile] for distances, tile in zip(DISTANCE, tiles.ravel().tolist(), strict=True))

    return Board(rows(HARD)), successors, lambda board: board == goal, estimate


def searchlab_search(task: str) -> Any:
    """Return a function that searches and returns (cost, expanded, stored, CPU seconds)."""
    import searchlab as sl

    start, successors, is_goal, estimate = of_roads() if task == "roads" else puzzle_on_boards()
    domain = sl.Domain(task, successors, is_goal, unit_cost=task == "puzzle")
    heuristic = sl.Heuristic("estimate", estimate, admissible=True)
    searcher = sl.searcher(domain=domain, heuristic=heuristic, frontier="astar", engine="readable")

    def search() -> tuple[float, int, int, float]:
        result = searcher(start)
        assert result.optimal, result
        return result.cost, result.expanded, result.stored, result.cpu_seconds

    return search


def networkx_graph(roads: dict[str, dict[str, float]]) -> Any:
    """Return roads as a graph of networkx."""
    graph = import_module("networkx").Graph()
    graph.add_weighted_edges_from((a, b, length) for a, others in roads.items() for b, length in others.items())
    return graph


def networkx_search() -> Any:
    """Return the same function of networkx's own A*."""
    networkx, (roads, places), (start, _, is_goal, _) = import_module("networkx"), road_map(), of_roads()
    graph, goal = networkx_graph(roads), next(filter(is_goal, places))

    def estimate(place: str, _: str) -> float:
        return hypot(places[place][0] - places[goal][0], places[place][1] - places[goal][1])

    def search() -> tuple[float, int, int, float]:
        began = time.process_time()
        path = networkx.astar_path(graph, start, goal, estimate)
        took = time.process_time() - began
        return networkx.path_weight(graph, path, "weight"), 0, len(places), took

    return search


def converted_search(*, of_networkx: bool) -> Any:
    """Return the same function of the search in the graph as arrays, whose making counts."""
    import searchlab as sl
    from searchlab_plugins.graph import instance

    given, places = road_map()
    roads = networkx_graph(given) if of_networkx else given
    start, _, is_goal, _ = of_roads()
    goal = next(filter(is_goal, places))
    searcher = sl.searcher(domain="graph", heuristic="straight-line", frontier="astar")
    for _ in range(WARM):
        searcher(instance(roads, start, goal, positions=places))

    def search() -> tuple[float, int, int, float]:
        began = time.process_time()
        result = searcher(instance(roads, start, goal, positions=places))
        assert result.cost is not None
        return result.cost, result.expanded, result.stored, time.process_time() - began

    return search


def heapq_search(task: str) -> Any:
    """Return the same function of the heapq program."""
    problem = of_roads() if task == "roads" else puzzle_on_tuples()

    def search() -> tuple[float, int, int, float]:
        began = time.process_time()
        found = a_star(*problem)
        return *found, time.process_time() - began

    return search


def main() -> None:
    """Search twice: for the time, and for the memory."""
    task, program = sys.argv[1:]
    if program == "heapq":
        search = heapq_search(task)
    elif program == "networkx":
        search = networkx_search()
    elif task in ("graph", "networkx"):
        search = converted_search(of_networkx=task == "networkx")
    else:
        search = searchlab_search(task)
    cost, expanded, stored, seconds = search()
    tracemalloc.start()
    search()
    held = tracemalloc.get_traced_memory()[1]
    figures = {"cost": round(cost, 3), "expanded": expanded, "stored": stored, "user": seconds, "system": 0.0}
    figures["bytes_a_node"] = held / stored
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
