"""Textbook A* in plain Python: what a good program for the 8-puzzle looks like without any framework."""

from __future__ import annotations

import json
import time
from heapq import heappop, heappush

Tiles = tuple[int, ...]

SIDE = 3
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)
FARTHEST = (6, 4, 7, 8, 5, 0, 3, 2, 1)
NEIGHBORS = [
    [at for at in range(SIDE * SIDE) if abs(at // SIDE - blank // SIDE) + abs(at % SIDE - blank % SIDE) == 1]
    for blank in range(SIDE * SIDE)
]
DISTANCE = [
    [abs((tile - 1) // SIDE - at // SIDE) + abs((tile - 1) % SIDE - at % SIDE) if tile else 0 for at in range(9)]
    for tile in range(SIDE * SIDE)
]


def manhattan(tiles: Tiles) -> int:
    """Return the sum of the tiles' distances from where they belong."""
    return sum(DISTANCE[tile][at] for at, tile in enumerate(tiles))


def astar(start: Tiles) -> tuple[int, int] | None:
    """Return the length of a shortest solution and the nodes expanded; None without a solution."""
    cost = {start: 0}
    h = manhattan(start)
    heap = [(h, h, start)]
    expanded = 0
    while heap:
        f, h, tiles = heappop(heap)
        g = f - h
        if tiles == GOAL:
            return g, expanded
        if g > cost[tiles]:
            continue
        expanded += 1
        blank = tiles.index(0)
        for at in NEIGHBORS[blank]:
            after = list(tiles)
            after[blank], after[at] = tiles[at], 0
            successor = tuple(after)
            if g + 1 < cost.get(successor, g + 2):
                cost[successor] = g + 1
                h = manhattan(successor)
                heappush(heap, (g + 1 + h, h, successor))
    return None


def main() -> None:
    """Solve a board of 31 moves and print what it took as JSON."""
    began = time.process_time()
    solution = astar(FARTHEST)
    seconds = time.process_time() - began
    assert solution is not None
    moves, expanded = solution
    print(json.dumps({"user": seconds, "system": 0.0, "moves": moves, "expanded": expanded}))


if __name__ == "__main__":
    main()
