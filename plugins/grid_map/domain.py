"""The rules of paths on grid maps: step from free cell to free cell until the goal is reached.

A board is one row with the column x and the row y of a cell, counted from 0 in the upper left corner. The map and the
goal are static data. A step to one of the four neighbours costs 1. With `ways=8` there are also diagonal steps. They
cost √2 and never cut a corner: both cells beside the step must be free.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, FileFormat, Instance, PackedForm, Parameter, Views
from searchlab_plugins.grid_map.files import LONGEST_SIDE, format_instance, parse
from searchlab_plugins.grid_map.heuristics import manhattan, octile
from searchlab_plugins.grid_map.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

NAMES = ("north", "east", "south", "west", "north-east", "south-east", "south-west", "north-west")
STEPS = tuple((name, ("east" in name) - ("west" in name), ("south" in name) - ("north" in name)) for name in NAMES)
"""The steps: name, cells to the right, cells down."""
RIGHT = np.array([0, 1, 0, -1, 1, 1, -1, -1])
DOWN = np.array([-1, 0, 1, 0, -1, 1, 1, -1])
STRAIGHT, DIAGONAL = 1.0, sqrt(2)


def goals(board: Board, goal: NDArray[np.int64]) -> Iterator[Board]:
    """Yield the goal."""
    yield Board([goal])


def successors(board: Board, grid: NDArray[np.uint8], ways: int) -> Iterator[tuple[str, Board, float]]:
    """Yield (action, board, cost) for each step, clockwise from north, then clockwise from north-east."""
    x, y = board.tiles[0].tolist()
    for name, right, down in STEPS[:ways]:
        after = x + right, y + down
        if is_free(grid, *after) and is_free(grid, x + right, y) and is_free(grid, x, y + down):
            yield name, Board([after]), DIAGONAL if right and down else STRAIGHT


def is_free(grid: NDArray[np.uint8], x: int, y: int) -> bool:
    """Return whether a cell is on the map and can be entered."""
    rows, columns = grid.shape
    return 0 <= x < columns and 0 <= y < rows and bool(grid[y, x])


def write_successors(tiles: Any, out: Any, costs: Any, moves: Any, grid: Any, ways: int) -> int:
    """Write the cells after the same steps, the costs, and the numbers of the steps in `NAMES`."""
    rows, columns = grid.shape
    x, y = tiles[0, 0], tiles[0, 1]
    count = 0
    for way in range(ways):
        right, down = x + RIGHT[way], y + DOWN[way]
        if 0 <= right < columns and 0 <= down < rows and grid[down, right] and grid[y, right] and grid[down, x]:
            out[count, 0, 0] = right
            out[count, 0, 1] = down
            costs[count] = STRAIGHT if way < 4 else DIAGONAL
            moves[count, 0] = way
            count += 1
    return count


FORM = PackedForm(values=LONGEST_SIDE, max_successors=8, successors=write_successors, move=("action",), actions=NAMES)


def packed(board: Board) -> PackedForm:
    """Return the compiled rules, which are the same object for all maps, so that they are compiled once."""
    return FORM


def has_unit_cost(ways: int) -> bool:
    """Return whether every step costs 1."""
    return ways == 4


def lower_bound(board: Board, listed_goals: NDArray[np.int64], ways: int) -> float:
    """Return the cost of a cheapest path on a map without walls."""
    cheapest = manhattan if ways == 4 else octile
    return float(cheapest(board.tiles, listed_goals[0]))


def why_invalid(board: Board, grid: NDArray[np.uint8], goal: NDArray[np.int64]) -> str:
    """Return an error message if the board or the goal is not a free cell of the map, or `""`."""
    if board.shape != (1, 2) or goal.shape != (2,):
        return "a cell is one row with its column and its row, x and y"
    for what, (x, y) in (("({}, {})", board.tiles[0].tolist()), ("the goal, ({}, {}),", goal.tolist())):
        if not is_free(grid, x, y):
            return f"{what.format(x, y)} is no free cell of the map of {grid.shape[1]} × {grid.shape[0]}"
    return ""


def smaller(board: Board, grid: NDArray[np.uint8], goal: NDArray[np.int64]) -> Iterator[Instance]:
    """Yield the map without some rows or columns at a side, at first half of them; start and goal stay on the map."""
    cells = np.array([board.tiles[0], goal])
    for axis in (0, 1):
        side = grid.shape[1 - axis]
        nearest, farthest = cells[:, axis].min(), cells[:, axis].max()
        cut = side // 2
        while cut:
            for first, last in ((cut, side), (0, side - cut)):
                if first <= nearest and farthest < last:
                    moved = cells - (np.array([1, 0]) * first if axis == 0 else np.array([0, 1]) * first)
                    part = grid[:, first:last] if axis == 0 else grid[first:last]
                    yield Instance("", Board(moved[:1]), {"grid": part, "goal": moved[1]})
            cut //= 2


def samples() -> Iterator[Instance]:
    """Yield a map of 18 free cells, with corners that cannot be cut and diagonal steps that can be made."""
    rows = ("......", ".@@@..", "...@..", "@..@..")
    grid = np.array([[letter == "." for letter in row] for row in rows], np.uint8)
    yield Instance("", Board([[2, 2]]), {"grid": grid, "goal": [5, 3]})


DOMAIN = Domain(
    "grid-map",
    successors,
    summary="paths on grid maps, in 4 or 8 directions",
    parameters=(Parameter("ways", 8, "directions of a step: 4, or 8 with diagonal steps", (4, 8)),),
    static=("grid", "goal"),
    goals=goals,
    packed=packed,
    why_invalid=why_invalid,
    lower_bound=lower_bound,
    smaller=smaller,
    samples=samples,
    unit_cost=has_unit_cost,
    inverse="same",
    files=FileFormat(parse, format=format_instance, suffixes=(".scen",)),
    views=Views(picture=picture, svg=svg, layer_columns={"goals": "goal", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/octile"),
)
