"""The rule by which the tiles of 2048 slide and merge, in one form for each layout of the tiles.

When a line slides towards its first cell, the blanks vanish and two equal neighbours become one tile of twice the
value. A merged tile does not merge again, and pairs are formed from the border inwards.

`slide` is the rule for a line. The other functions apply the same rule: `slide_targets` finds the target of each tile,
`slide_lines` slides many long lines at once, and `exponents_after_slides` slides all rows of four, for the tables of
the compiled rules. `slide_all` and `slide_cells` are compiled; they slide a board, and a board that is packed into
words. To change the rule, change this module: tests/twenty48/test_slides.py compares each of these forms with `slide`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from searchlab import Board

U: Any = np.uint64
ACTIONS = ("up", "down", "left", "right")
SHORT = 32
"""The largest side of boards that are slid line by line: up to it Python is faster than array operations."""
STRIP = 16
"""The number of rows transposed at a time."""


@lru_cache(maxsize=1 << 16)
def slide(line: tuple[int, ...]) -> tuple[int, ...]:
    """Return a line slid towards its first cell.

    >>> slide((0, 2, 2, 2))
    (4, 2, 0, 0)
    >>> slide((2, 2, 2, 2))
    (4, 4, 0, 0)
    """
    slid: list[int] = []
    last = 0
    for tile in filter(None, line):
        if tile == last:
            slid[-1] *= 2
            last = 0
        else:
            slid.append(tile)
            last = tile
    return (*slid, *[0] * (len(line) - len(slid)))


def slide_targets(line: tuple[int, ...]) -> tuple[int, ...]:
    """Return the cell that each tile of a line slides to, by cell; the value for a blank cell is meaningless.

    >>> slide_targets((0, 2, 2, 2))
    (0, 0, 0, 1)
    """
    targets: list[int] = []
    at, last = -1, 0
    for tile in line:
        if tile and tile == last:
            last = 0
        elif tile:
            at, last = at + 1, tile
        targets.append(max(at, 0))
    return tuple(targets)


def motions(board: Board, action: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the motion of each tile that a swipe moves: source and target as (row, column)."""
    is_upright, is_backwards = action in ("up", "down"), action in ("down", "right")
    lines = (board.tiles.T if is_upright else board.tiles).tolist()
    for number, line in enumerate(lines):
        last = len(line) - 1
        for at, to in enumerate(slide_targets(tuple(line[::-1] if is_backwards else line))):
            source, target = (last - at, last - to) if is_backwards else (at, to)
            if line[source] and source != target:
                yield ((source, number), (target, number)) if is_upright else ((number, source), (number, target))


def slide_lines(lines: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return many lines slid towards their first cells.

    Args:
        lines: shape (length, count): `lines[:, k]` is the k-th line, its first cell in row 0.
    """
    length, count = lines.shape
    slid = np.empty((length, count), np.int64)
    slid[:] = 0
    cells = slid.reshape(-1)
    free = np.arange(count)  # the position in `cells` of the next tile of each line
    last = np.full(count, -1)  # the tile before it, -1 if there is none or if it has merged
    for tiles in lines:
        merges = tiles == last
        free -= count * merges
        cells[free] = tiles << merges
        free += count * (tiles != 0)
        last = last * (tiles == 0) + tiles | -merges.astype(np.int64)
    return slid


def exponents_after_slides(towards_end: bool) -> NDArray[np.uint8]:
    """Return the exponents of every row of four after a slide, shape (4, 65536)."""
    rows = np.arange(1 << 16, dtype=np.uint16)
    cells = np.stack([(rows >> np.uint16(shift)).astype(np.uint8) & np.uint8(15) for shift in (0, 4, 8, 12)])
    line = cells[::-1] if towards_end else cells
    _close_gaps(line)
    for first, second in pairwise(line):
        merges = (first == second) & (first != 0)
        first += merges
        second *= ~merges
    _close_gaps(line)
    return cells


def _close_gaps(line: NDArray[np.uint8]) -> None:
    """Move the blanks of many lines to their ends, in place."""
    for last in range(len(line), 1, -1):
        for first, second in pairwise(line[:last]):
            is_blank = first == 0
            first += second * is_blank
            second *= ~is_blank


def slide_all(tiles: Any, out: Any, direction: int) -> bool:
    """Write the board after a swipe (0 up, 1 down, 2 left, 3 right); return whether it changed anything."""
    n = len(tiles)
    changed = False
    for line in range(n):
        filled = 0
        last = 0
        for step in range(n):
            position = n - 1 - step if direction % 2 else step
            tile = tiles[position, line] if direction < 2 else tiles[line, position]
            if tile == 0:
                continue
            merges = tile == last
            filled += not merges
            target = n - filled if direction % 2 else filled - 1
            value = 2 * tile if merges else tile
            last = 0 if merges else tile
            changed |= merges or target != position
            if direction < 2:
                out[target, line] = value
            else:
                out[line, target] = value
        for rest in range(filled, n):
            target = n - 1 - rest if direction % 2 else rest
            if direction < 2:
                out[target, line] = 0
            else:
                out[line, target] = 0
    return changed


def slide_cells(words: Any, direction: int) -> tuple[Any, Any]:
    """Return both words after a swipe, computed cell by cell for exponents of any size."""
    first = U(0)
    second = U(0)
    for line in range(4):
        filled = 0
        last = U(0)
        for step in range(4):
            position = 3 - step if direction % 2 else step
            cell = 4 * position + line if direction < 2 else 4 * line + position
            code = (words[cell >> 3] >> U(8 * (cell & 7))) & U(0xFF)
            if code == U(0):
                continue
            merges = code == last
            filled += not merges
            last = U(0) if merges else code
            target = 4 - filled if direction % 2 else filled - 1
            to = 4 * target + line if direction < 2 else 4 * line + target
            added = U(1) if merges else code  # a tile of twice the size has an exponent larger by one
            if to < 8:
                first += added << U(8 * to)
            else:
                second += added << U(8 * to - 64)
    return first, second


def swipes(tiles: NDArray[np.int64]) -> Iterator[NDArray[np.int64] | None]:
    """Yield the tiles after a swipe up, down, left and right, or None for a swipe that changes nothing."""
    return _swipes_of_lines(tiles) if len(tiles) <= SHORT else _swipes_of_arrays(tiles)


def _swipes_of_lines(tiles: NDArray[np.int64]) -> Iterator[NDArray[np.int64] | None]:
    rows = [tuple(row) for row in tiles.tolist()]
    columns = list(zip(*rows, strict=True))
    up = [slide(column) for column in columns]
    yield None if up == columns else np.array(up, np.int64).T
    down = [slide(column[::-1])[::-1] for column in columns]
    yield None if down == columns else np.array(down, np.int64).T
    left = [slide(row) for row in rows]
    yield None if left == rows else np.array(left, np.int64)
    right = [slide(row[::-1])[::-1] for row in rows]
    yield None if right == rows else np.array(right, np.int64)


def _swipes_of_arrays(tiles: NDArray[np.int64]) -> Iterator[NDArray[np.int64] | None]:
    yield _unless_equal(tiles, slide_lines(tiles))
    yield _unless_equal(tiles, slide_lines(tiles[::-1])[::-1])
    columns = _transposed(tiles)
    yield _unless_equal(tiles, _transposed(slide_lines(columns)))
    yield _unless_equal(tiles, _transposed(slide_lines(columns[::-1])[::-1]))


def _unless_equal(tiles: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64] | None:
    return None if np.array_equal(after, tiles) else after


def _transposed(tiles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a transposed copy, made strip by strip: cells of a column of a large board are far apart in memory."""
    columns = np.empty(tiles.shape[::-1], np.int64)
    for first in range(0, len(tiles), STRIP):
        columns[:, first : first + STRIP] = tiles[first : first + STRIP].T
    return columns
