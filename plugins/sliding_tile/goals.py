"""Goals of the sliding-tile puzzle: named goals, and any other goal, listed row by row.

With `blank-last` the goal is 1, 2, … row by row and the blank last. With `blank-first` the blank comes first (the
convention of Korf's positions). With `snail`, or `spiral`, the tiles go clockwise round the border and on to the blank
in the middle, as in textbooks: 1 2 3 / 8 0 4 / 7 6 5. Any other goal is a list of tiles of this form, with or without
slashes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from searchlab import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Shape = tuple[int, int]

BLANK_LAST, BLANK_FIRST, SNAIL, SPIRAL = "blank-last", "blank-first", "snail", "spiral"
NAMES = (BLANK_LAST, BLANK_FIRST, SNAIL)
ALIASES = {SPIRAL: SNAIL}
SMALLEST_SIDE = 2
EXAMPLE = "1 2 3/8 0 4/7 6 5"


def check_goal(goal: str) -> str:
    """Return an error message for a goal that is invalid for every board, or `""`."""
    if not is_listed(goal):
        return ""
    lines = [line.split() for line in goal.split("/")]
    listed = [tile for line in lines for tile in line]
    if not all(tile.isascii() and tile.isdecimal() and len(tile) < 10 for tile in listed):
        return f"a goal is {', '.join(NAMES)} or spiral, or lists its tiles as [{EXAMPLE}]"
    tiles = sorted(map(int, listed))
    wrong = next((place for place, tile in enumerate(tiles) if tile != place), None)
    if wrong is not None:
        known = tiles[wrong] < wrong
        what = f"{tiles[wrong]} is there twice" if known else f"{wrong} is missing"
        return f"{what}: a goal of {len(tiles)} cells has 0 … {len(tiles) - 1} once each"
    if len({len(line) for line in lines}) > 1:
        return "its rows are not all of one length"
    shape = (len(lines), len(lines[0])) if len(lines) > 1 else usual_shape(len(tiles))
    if min(shape) < SMALLEST_SIDE:
        return f"{len(tiles)} cells are no board of {SMALLEST_SIDE} rows and {SMALLEST_SIDE} columns or more"
    return ""


def is_listed(goal: str) -> bool:
    """Return whether a goal lists its tiles."""
    return goal not in (*NAMES, *ALIASES)


def usual_shape(cells: int) -> Shape:
    """Return the rows and columns of the most square board with this number of cells.

    >>> usual_shape(9), usual_shape(6), usual_shape(7)
    ((3, 3), (2, 3), (1, 7))
    """
    rows = next((rows for rows in range(int(cells**0.5), 0, -1) if cells % rows == 0), 1)
    return rows, cells // rows


def own_shape(goal: str) -> Shape | None:
    """Return the shape of the boards that a goal fits, or None if it fits any shape."""
    if not is_listed(goal):
        return None
    lines = goal.split("/")
    return (len(lines), len(lines[0].split())) if len(lines) > 1 else usual_shape(len(goal.split()))


def why_unfit(goal: str, shape: Shape) -> str:
    """Return an error message for a goal that does not fit boards of a shape, or `""`."""
    rows, columns = shape
    if not is_listed(goal):
        return ""
    lines = goal.split("/")
    if len(lines) == 1:
        cells = len(goal.split())
        return "" if cells == rows * columns else f"the goal has {cells} cells, and the board {rows} × {columns}"
    of_goal = len(lines), len(lines[0].split())
    return "" if of_goal == shape else f"the goal is {of_goal[0]} × {of_goal[1]}, and the board {rows} × {columns}"


@lru_cache(maxsize=64)
def goal_tiles(shape: Shape, goal: str) -> NDArray[np.int64]:
    """Return the tiles of the goal row by row as a read-only array, shape (cells,).

    Raises:
        UsageError: the goal does not fit boards of this shape.
    """
    unfit = why_unfit(goal, shape)
    if unfit:
        raise UsageError(unfit)
    cells = shape[0] * shape[1]
    tiles = np.arange(cells)
    if goal == BLANK_LAST:
        tiles = np.roll(tiles, -1)
    elif ALIASES.get(goal, goal) == SNAIL:
        tiles[list(inwards(shape))] = np.roll(np.arange(cells), -1)
    elif goal != BLANK_FIRST:
        tiles = np.array(goal.replace("/", " ").split(), np.int64)
    tiles.setflags(write=False)
    return tiles


def inwards(shape: Shape) -> Iterator[int]:
    """Yield the cells of a board clockwise round the border, from the first cell on, and then inwards.

    >>> list(inwards((3, 3)))
    [0, 1, 2, 5, 8, 7, 6, 3, 4]
    """
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    while cells.size:
        yield from cells[0].tolist()
        cells = np.rot90(cells[1:])


@lru_cache(maxsize=64)
def goal_cells(shape: Shape, goal: str) -> NDArray[np.int64]:
    """Return the goal cell of each tile as a read-only array, by tile, shape (cells,).

    Raises:
        UsageError: the goal does not fit boards of this shape.
    """
    cells = np.argsort(goal_tiles(shape, goal))
    cells.setflags(write=False)
    return cells


def goal_text(shape: Shape, goal: str) -> str:
    """Return the goal as a list of tiles, or its name for a board of more than 16 cells.

    >>> goal_text((3, 3), "snail")
    '1 2 3 / 8 0 4 / 7 6 5'
    """
    if shape[0] * shape[1] > 16 and not is_listed(goal):
        return f"goal={goal}"
    return listed(goal_tiles(shape, goal).reshape(shape))


def listed(tiles: NDArray[np.int64], between: str = " / ") -> str:
    """Return the tiles of a goal as text, row by row."""
    return between.join(" ".join(map(str, row)) for row in tiles.tolist())
