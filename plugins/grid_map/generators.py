"""Generators of maps, each with a start and a goal in the same part of the map: noise, rooms and mazes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Generator, Instance, Parameter, UsageError
from searchlab_plugins.grid_map.files import LONGEST_SIDE

if TYPE_CHECKING:
    from random import Random

    from numpy.typing import NDArray

SHORTEST_SIDE = 3


def noise_map(random: Random, columns: int, rows: int, walls: float) -> NDArray[np.uint8]:
    """Return a map on which each cell is a wall with the same probability."""
    return np.array([[random.random() >= walls for _ in range(columns)] for _ in range(rows)], np.uint8)


def rooms_map(random: Random, columns: int, rows: int, room: int, doors: float) -> NDArray[np.uint8]:
    """Return a map of square rooms: each wall between two rooms has a door of one cell with the same probability."""
    grid = np.ones((rows, columns), np.uint8)
    grid[room :: room + 1] = 0
    grid[:, room :: room + 1] = 0
    for across in (grid, grid.T):  # walls from left to right, then walls from top to bottom
        for wall in range(room, len(across) - 1, room + 1):
            for first in range(0, across.shape[1], room + 1):
                width = min(room, across.shape[1] - first)
                is_open, place = random.random() < doors, int(random.random() * width)
                if is_open:
                    across[wall, first + place] = 1
    return grid


def maze_map(random: Random, columns: int, rows: int, loops: float) -> NDArray[np.uint8]:
    """Return a maze: a random depth-first walk digs passages; then each wall between two passages may be opened."""
    grid = np.zeros((rows, columns), np.uint8)
    path = [(1, 1)]
    grid[1, 1] = 1
    while path:
        x, y = path[-1]
        steps = [(x + 2, y), (x - 2, y), (x, y + 2), (x, y - 2)]
        fresh = [(a, b) for a, b in steps if 0 < a < columns - 1 and 0 < b < rows - 1 and not grid[b, a]]
        if not fresh:
            path.pop()
            continue
        a, b = fresh[int(random.random() * len(fresh))]
        grid[(y + b) // 2, (x + a) // 2] = grid[b, a] = 1
        path.append((a, b))
    for y in range(1, rows - 1):
        for x in range(1 + y % 2, columns - 1, 2):  # the cells between two passages side by side or one above the other
            ends = (grid[y, x - 1], grid[y, x + 1]) if y % 2 else (grid[y - 1, x], grid[y + 1, x])
            if not grid[y, x] and all(ends) and random.random() < loops:
                grid[y, x] = 1
    return grid


def largest_part(grid: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Return x and y of the cells of the largest part of a map that straight steps connect, row by row."""
    rows, columns = grid.shape
    left = {(x, y) for y in range(rows) for x in range(columns) if grid[y, x]}
    largest: set[tuple[int, int]] = set()
    while len(left) > len(largest):
        first = min(left, key=lambda cell: (cell[1], cell[0]))
        part, front = {first}, [first]
        while front:
            x, y = front.pop()
            near = ({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & left) - part
            part |= near
            front += near
        left -= part
        largest = max(largest, part, key=len)
    return sorted(largest, key=lambda cell: (cell[1], cell[0]))


def start_and_goal(random: Random, cells: list[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return two different cells; all pairs are equally likely."""
    if len(cells) < 2:
        raise UsageError("this map has no two free cells side by side; another seed or fewer walls may give one")
    start = int(random.random() * len(cells))
    goal = (start + 1 + int(random.random() * (len(cells) - 1))) % len(cells)
    return cells[start], cells[goal]


def on_map(random: Random, grid: NDArray[np.uint8]) -> Instance:
    """Return an instance with a random start and goal in the largest connected part of a map."""
    start, goal = start_and_goal(random, largest_part(grid))
    return Instance("", Board([start]), {"grid": grid, "goal": goal})


def noise(random: Random, columns: int = 64, rows: int = 64, walls: float = 0.35) -> Instance:
    """Return an instance on a map of random walls."""
    return on_map(random, noise_map(random, columns, rows, walls))


def rooms(random: Random, columns: int = 63, rows: int = 63, room: int = 7, doors: float = 0.7) -> Instance:
    """Return an instance on a map of rooms."""
    return on_map(random, rooms_map(random, columns, rows, room, doors))


def maze(random: Random, columns: int = 63, rows: int = 63, loops: float = 0.05) -> Instance:
    """Return an instance in a maze."""
    return on_map(random, maze_map(random, columns, rows, loops))


def check_side(side: int) -> str:
    """Return an error message for an invalid side of a map, or `""`."""
    return "" if SHORTEST_SIDE <= side <= LONGEST_SIDE else f"it is from {SHORTEST_SIDE} to {LONGEST_SIDE} cells"


def check_share(share: float) -> str:
    """Return an error message for an invalid probability, or `""`."""
    return "" if 0 <= share <= 1 else "it is a probability, from 0 to 1"


def check_room(room: int) -> str:
    """Return an error message for an invalid side of a room, or `""`."""
    return "" if 1 <= room <= LONGEST_SIDE else f"it is from 1 to {LONGEST_SIDE} cells"


def sides(default: int) -> tuple[Parameter, Parameter]:
    """Return the parameters for the size of a map."""
    return (
        Parameter("columns", default, "the width of the map", check=check_side),
        Parameter("rows", default, "the height of the map", check=check_side),
    )


DOMAINS = frozenset({"grid-map"})
GENERATORS = (
    Generator(
        "noise",
        noise,
        domains=DOMAINS,
        parameters=(*sides(64), Parameter("walls", 0.35, "the probability of a wall", check=check_share)),
        summary="a path on a map of random walls",
    ),
    Generator(
        "rooms",
        rooms,
        domains=DOMAINS,
        parameters=(
            *sides(63),
            Parameter("room", 7, "the side of a room", check=check_room),
            Parameter("doors", 0.7, "the probability of a door between two rooms", check=check_share),
        ),
        summary="a path through rooms with doors",
    ),
    Generator(
        "maze",
        maze,
        domains=DOMAINS,
        parameters=(
            *sides(63),
            Parameter("loops", 0.05, "the probability that a wall of the finished maze is opened", check=check_share),
        ),
        summary="a path through a maze",
    ),
)
