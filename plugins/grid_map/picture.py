"""Maps as lines of text: walls, the current position, and the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab import Board

WIDTH, HEIGHT = 76, 32
"""The most characters per line, and the most lines, inside the frame."""
MARGIN = 4
"""The number of cells to show around start and goal, if the map is not shown as a whole."""
HALVES = np.array([*" ▀▄█"])
"""The characters for two cells, one above the other: no wall, the upper cell, the lower cell, both."""
HERE, GOAL, START, STEP = "●", "G", "S", "•"
LARGEST_IMAGE = 512
"""The longest side of a map that an image shows cell by cell; a larger map is drawn in squares of cells."""
FLOOR, WALL, PATH, HERE_COLOR, GOAL_COLOR = "#f6f3ec", "#4d535b", "#2f7fd0", "#d9480f", "#1f9a4d"


def picture(board: Board, grid: NDArray[np.uint8], listed_goals: NDArray[np.int64], path: NDArray[np.int64]) -> str:
    """Return the map with the current position (●), the goal (G), and the path so far (•) from its start (S).

    A small map has two characters per cell. For a larger map, a character stands for two cells, one above the other, or
    for two squares of cells; a square is a wall if at least half of its cells are. Only the part of the map around
    start and goal is shown if the map would not fit otherwise.

    >>> import numpy as np, searchlab as sl
    >>> path = np.array([[[0, 0]]])
    >>> print(picture(sl.Board([[0, 1]]), np.array([[1, 0, 1], [1, 1, 1]], np.uint8), np.array([[[2, 0]]]), path))
    ┌──────┐
    │S ██G │
    │●     │
    └──────┘
    """
    rows, columns = grid.shape
    here = board.tiles[0]
    marks = [
        *((cell, STEP) for cell in path[1:, 0]),
        *((cell, START) for cell in path[:1, 0]),
        (listed_goals[0, 0], GOAL),
        (here, HERE),
    ]
    if 2 * columns <= WIDTH and rows <= HEIGHT:
        cells = np.where(grid, "  ", "██").astype(object)
        for (x, y), mark in marks:
            cells[y, x] = f"{mark} "
        return framed(cells)
    side, window = part_shown(np.stack([cell for cell, _ in marks]), columns, rows)
    (left, right), (top, bottom) = window
    walls = squares(grid[top:bottom, left:right] == 0, side)
    walls = np.pad(walls, ((0, len(walls) % 2), (0, 0)))
    cells = HALVES[walls[0::2] + 2 * walls[1::2]].astype(object)
    for (x, y), mark in marks:
        cells[(y - top) // side // 2, (x - left) // side] = mark
    text = framed(cells)
    if (right - left, bottom - top) != (columns, rows):
        text += f"\nx {left} … {right - 1}, y {top} … {bottom - 1} of {columns} × {rows}"
    elif side > 1:
        text += f"\n{columns} × {rows}"
    return text


def part_shown(cells: NDArray[np.int64], columns: int, rows: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the side of the squares that are drawn as one cell, and the ranges of columns and of rows to show.

    Args:
        cells: x and y of the cells that must be visible, shape (cells, 2).
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
    """Return 1 for each square of cells of which at least half are walls, and 0 for any other square."""
    count = walls.astype(np.int64)
    cells = np.ones_like(count)
    for axis in (0, 1):
        starts = np.arange(0, walls.shape[axis], side)
        count, cells = (np.add.reduceat(array, starts, axis) for array in (count, cells))
    return (2 * count >= cells).astype(np.int64)


def framed(cells: NDArray[np.object_]) -> str:
    """Return a frame around the texts of cells."""
    lines = ["".join(row) for row in cells]
    edge = "─" * len(lines[0])
    return "\n".join([f"┌{edge}┐", *(f"│{line}│" for line in lines), f"└{edge}┘"])


def svg(board: Board, grid: NDArray[np.uint8], listed_goals: NDArray[np.int64], path: NDArray[np.int64]) -> str:
    """Return the map as an image: walls, the goal (a green ring), the path so far, and the current position."""
    rows, columns = grid.shape
    side = -(-max(rows, columns) // LARGEST_IMAGE)
    unit = max(1, side, max(rows, columns) // 40)  # so that marks are visible on a large map
    cells = [*path[:, 0].tolist(), board.tiles[0].tolist()]
    x, y = cells[-1]
    goal_x, goal_y = listed_goals[0, 0].tolist()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns} {rows}">'
        f'<rect width="{columns}" height="{rows}" fill="{FLOOR}"/>'
        f'<path shape-rendering="crispEdges" fill="{WALL}" d="{outlines(squares(grid == 0, side), side)}"/>'
        f'<circle cx="{goal_x + 0.5}" cy="{goal_y + 0.5}" r="{0.7 * unit:g}" fill="none" stroke="{GOAL_COLOR}" '
        f'stroke-width="{0.35 * unit:g}"/>'
        f'<path d="{line(cells)}" fill="none" stroke="{PATH}" stroke-width="{0.45 * unit:g}" stroke-linecap="round" '
        f'stroke-linejoin="round"/><circle cx="{x + 0.5}" cy="{y + 0.5}" r="{0.6 * unit:g}" fill="{HERE_COLOR}"/></svg>'
    )


def outlines(walls: NDArray[np.int64], side: int) -> str:
    """Return an SVG path around each run of walls in a row of squares of this side."""
    edges = np.diff(walls, axis=1, prepend=0, append=0)
    starts, ends = np.argwhere(edges == 1).tolist(), np.argwhere(edges == -1)[:, 1].tolist()
    return "".join(
        f"M{first * side} {row * side}h{(end - first) * side}v{side}h{(first - end) * side}z"
        for (row, first), end in zip(starts, ends, strict=True)
    )


def line(cells: list[list[int]]) -> str:
    """Return an SVG path through cells; of cells in a straight line it lists only both ends."""
    bends = [
        cell
        for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False)
        if (cell[0] - before[0], cell[1] - before[1]) != (after[0] - cell[0], after[1] - cell[1])
    ]
    ends = [cells[0], *bends, *cells[-1:]]
    return "M" + "L".join(f"{x + 0.5} {y + 0.5}" for x, y in ends)
