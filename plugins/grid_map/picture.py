"""Maps as lines of text: walls, where one is, and the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab import Board

WIDTH, HEIGHT = 76, 32
"""The most characters in a line, and lines, inside the frame."""
MARGIN = 4
"""The cells around start and goal that are to be seen, where not the whole map is."""
HALVES = np.array([*" ▀▄█"])
"""A character for two cells, one above the other: the upper is a wall, the lower one, both."""
HERE, GOAL = "●", "G"


def picture(board: Board, grid: NDArray[np.uint8], goal: NDArray[np.int64]) -> str:
    """Return the map with the cell where one is (●) and the goal (G).

    A small map has two characters a cell. Of a larger one a character is two cells, one above the other, or two squares
    of cells that are walls if most of their cells are; and if it still has no room, only the part around both cells is
    shown.

    >>> import numpy as np, searchlab as sl
    >>> print(picture(sl.Board([[0, 1]]), np.array([[1, 0, 1], [1, 1, 1]], np.uint8), np.array([2, 0])))
    ┌──────┐
    │  ██G │
    │●     │
    └──────┘
    """
    rows, columns = grid.shape
    here = board.tiles[0]
    if 2 * columns <= WIDTH and rows <= HEIGHT:
        cells = np.where(grid, "  ", "██").astype(object)
        for (x, y), mark in ((goal, GOAL), (here, HERE)):
            cells[y, x] = f"{mark} "
        return framed(cells)
    side, window = part_shown(np.stack([here, goal]), columns, rows)
    (left, right), (top, bottom) = window
    walls = squares(grid[top:bottom, left:right] == 0, side)
    walls = np.pad(walls, ((0, len(walls) % 2), (0, 0)))
    cells = HALVES[walls[0::2] + 2 * walls[1::2]].astype(object)
    for (x, y), mark in ((goal, GOAL), (here, HERE)):
        cells[(y - top) // side // 2, (x - left) // side] = mark
    text = framed(cells)
    if (right - left, bottom - top) != (columns, rows):
        text += f"\nx {left} … {right - 1}, y {top} … {bottom - 1} of {columns} × {rows}"
    elif side > 1:
        text += f"\n{columns} × {rows}"
    return text


def part_shown(cells: NDArray[np.int64], columns: int, rows: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the side of the squares that are drawn as one, and the columns and rows that are shown.

    Args:
        cells: x and y of the cells that are to be seen, shape (cells, 2).
    """
    sides, room = (columns, rows), (WIDTH, 2 * HEIGHT)
    low = np.maximum(cells.min(axis=0) - MARGIN, 0)
    high = np.minimum(cells.max(axis=0) + MARGIN + 1, sides)
    side = max(1, *(-(-int(span) // most) for span, most in zip(high - low, room, strict=True)))
    window = []
    for axis in (0, 1):
        length = min(sides[axis], room[axis] * side)
        first = int(low[axis] + high[axis] - length) // 2
        first = min(max(0, first), sides[axis] - length)
        window.append((first, first + length))
    return side, window


def squares(walls: NDArray[np.bool_], side: int) -> NDArray[np.int64]:
    """Return for each square of cells whether at least half of it is wall."""
    count = walls.astype(np.int64)
    cells = np.ones_like(count)
    for axis in (0, 1):
        starts = np.arange(0, walls.shape[axis], side)
        count, cells = (np.add.reduceat(array, starts, axis) for array in (count, cells))
    return (2 * count >= cells).astype(np.int64)


def framed(cells: NDArray[np.object_]) -> str:
    """Return the texts of cells in a frame."""
    lines = ["".join(row) for row in cells]
    edge = "─" * len(lines[0])
    return "\n".join([f"┌{edge}┐", *(f"│{line}│" for line in lines), f"└{edge}┘"])
