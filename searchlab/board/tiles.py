"""From rows or a text to the array of a board's tiles, or to one line on what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import BoardError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_SIDE = 32_768
"""The longest side of a board."""
FOLDED_SIDE = 16
"""Displays (not `str`) of boards with longer sides leave out the middle."""
COMMENT_MARKS = ("//", "#")
LONGEST_SHOWN = 40
"""Characters of a wrong number in a file that an error repeats."""
_TRUTH_VALUES = frozenset({bool, np.bool_})


def as_tiles(rows: Any) -> NDArray[np.int64]:
    """Return a fresh C-ordered int64 array of the rows, shape (rows, columns).

    Raises:
        BoardError: they make no board; the one line says what is wrong with them.
    """
    if rows is None:
        msg = "None is not a board: give the rows, for example [[0, 2], [2, 0]]"
        raise BoardError(msg)
    try:
        given = np.asarray(rows)
    except (ValueError, TypeError, OverflowError):
        raise BoardError(_what_is_wrong(rows)) from None
    if given.ndim != 2 or given.size == 0 or given.dtype.kind not in "iu":
        raise BoardError(_what_is_wrong(rows))
    if isinstance(rows, list | tuple) and any(not _TRUTH_VALUES.isdisjoint(map(type, row)) for row in rows):
        # Among whole numbers NumPy would take True for 1.
        raise BoardError(_what_is_wrong(rows))
    if max(given.shape) > MAX_SIDE:
        msg = f"a board of {given.shape[0]} × {given.shape[1]}: at most {MAX_SIDE} × {MAX_SIDE} is possible"
        raise BoardError(msg)
    if given.dtype.kind == "u" and given.dtype.itemsize == 8 and given.max() > np.iinfo(np.int64).max:
        raise BoardError(_what_is_wrong(rows))
    tiles = np.array(given, dtype=np.int64, order="C")
    if tiles.min() < 0:
        raise BoardError(_what_is_wrong(rows))
    return tiles


def _what_is_wrong(rows: Any) -> str:
    """Return one line on why these rows are no board; called only when something is wrong."""
    kind = type(rows).__name__
    if isinstance(rows, np.ndarray) and rows.ndim != 2:
        return f"a board is a grid of rows of tiles, not an array of {rows.ndim} dimensions"
    try:
        grid = [list(row) for row in rows]
    except TypeError:
        return f"a board is a grid of rows of tiles, not {kind}"
    if not grid or not grid[0]:
        return "the board is empty: it needs at least one row with one tile"
    for r, row in enumerate(grid):
        if len(row) != len(grid[0]):
            return f"row {r} has {len(row)} tiles, row 0 has {len(grid[0])}: every row must be as long as it"
        for c, tile in enumerate(row):
            at = f"the tile at row {r}, column {c}"
            if isinstance(tile, bool | np.bool_) or not isinstance(tile, int | np.integer):
                return f"{at} is {tile!r:.40}: a tile is a whole number, 0 for blank"
            if not 0 <= tile < 2**63:
                # A number of thousands of digits has no text to show.
                shown = f"is {tile}" if abs(int(tile)) <= 2**64 else "is huge"
                return f"{at} {shown}: a tile is between 0 and 2^63 - 1"
    return f"a board is made of a sequence of rows of whole numbers, or an array of integers, not of this {kind}"


def parse_tiles(text: str, source: str) -> NDArray[np.int64]:
    """Return the tiles of a board's text form, shape (rows, columns).

    The first line gives the size, n or rows and columns. Where it goes on with tiles, the first number is n: 1 + n × n
    numbers are never rows, columns and their tiles, nor the n × n tiles of a board whose size was forgotten.

    Args:
        text: the board; see `Board.parse`.
        source: what to call the text in an error, usually a file's name.

    Raises:
        BoardError: with the line that is wrong.
    """
    where = f"{source}: " if source else ""
    rows: list[tuple[int, NDArray[np.int64]]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        content = line.strip()
        if not content or content.startswith(COMMENT_MARKS):
            continue
        try:
            if "_" in content:  # NumPy, like Python, would read 1_0 as 10
                raise ValueError
            row = np.array(content.split(), dtype=np.int64)
        except (ValueError, OverflowError):
            raise BoardError(f"{where}line {number}: {_bad_token(content)}") from None
        if rows and row.min() < 0:
            raise BoardError(f"{where}line {number}: {row.min()} is negative: a tile is 0 (blank) or more")
        rows.append((number, row))
    if not rows:
        msg = f"{where}there is no board: the first line gives its size n, then n rows of n tiles follow"
        raise BoardError(msg)
    (number, first), numbers = rows[0], sum(len(row) for _, row in rows)
    if len(first) > 1 and int(first[0]) ** 2 == numbers - 1 and first.min() >= 0:
        size, rows[0] = _size(first[:1], f"{where}line {number}"), (number, first[1:])
    else:
        size = _size(first, f"{where}line {number}")
        del rows[0]
    found = sum(len(row) for _, row in rows)
    if found != size[0] * size[1]:
        raise BoardError(where + _miscounted(size, found, [(number, len(row)) for number, row in rows]))
    return np.concatenate([row for _, row in rows]).reshape(size)


def _size(row: NDArray[np.int64], where: str) -> tuple[int, int]:
    """Return (rows, columns) from the first line of a board's text form."""
    if len(row) > 2:
        msg = f"{where}: the first line gives the size (n, or rows and columns), not {len(row)} numbers, "
        msg += "unless all are n and then n × n tiles"
        raise BoardError(msg)
    rows, columns = int(row[0]), int(row[-1])
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        msg = f"{where}: a board of {rows} × {columns}: each side must be between 1 and {MAX_SIDE}"
        raise BoardError(msg)
    return rows, columns


def _bad_token(content: str) -> str:
    """Return what is wrong with a line that is not all int64 numbers."""
    for token in content.split():
        shown = token if len(token) <= LONGEST_SHOWN else f"{token[:LONGEST_SHOWN]}…"
        digits = token.removeprefix("-").removeprefix("+")
        if not digits.isdecimal():
            return f"{shown!r} is not a whole number"
        if len(digits) > LONGEST_SHOWN or int(digits) >= 2**63:
            what = "negative" if token[0] == "-" else "too large"
            return f"{shown} is {what}: numbers here are between 0 and 2^63 - 1"
    return "this is no line of whole numbers"


def _miscounted(size: tuple[int, int], found: int, counts: list[tuple[int, int]]) -> str:
    """Return one line on too few or too many tiles, with the first line that has another number of them."""
    rows, columns = size
    what = f"a {rows} × {columns} board has {rows * columns} tiles, here are {found}"
    for number, count in counts:
        if count != columns:
            return f"line {number}: {count} tiles where the row has {columns}; {what}"
    return f"{what} ({len(counts)} rows instead of {rows})"
