"""Board: an immutable grid of tiles, and its text forms.

The text form is that of a board file: the number of rows and columns (`4`, or `2 3` if they differ), then the rows.
`str(board)` returns it, and `Board.parse` reads it, also with n and the tiles on one line. `parse_board_line` reads
boards in one line, a form for programs that ask for move after move.
"""

from __future__ import annotations

import operator
import re
import sys
from array import array
from hashlib import blake2b
from math import isqrt
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from searchlab.board.display import FOLDED_SIDE, board_html, board_panel, longest_tile
from searchlab.errors import BoardError, TileIndexError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

MAX_SIDE = 32_768
"""The longest side of a board."""
FEW_TILES = 256
"""The most tiles for which Python's own operations on a board take less time than it takes to start NumPy's."""
TILE = np.dtype(np.int64)
ARRAY = np.ndarray
SHAPES: dict[tuple[int, ...], tuple[int, ...]] = {}
"""The shapes of boards of few tiles: all boards of a shape share one tuple, which saves memory and comparisons."""
HIGHEST_BYTES = slice(TILE.itemsize - 1 if sys.byteorder == "little" else 0, None, TILE.itemsize)
"""The position of the highest byte of each tile in the bytes of tiles."""
COMMENT_MARKS = ("//", "#")
LONGEST_SHOWN = 40
"""The characters of a wrong number that an error shows."""
PLAIN_ROWS = frozenset({list, tuple})
WHOLE_NUMBERS = frozenset({int})
TRUTH_VALUES = frozenset({bool, np.bool_})
MIN_COLUMN_WIDTH = 5
ROW_ENDS = "/;"
LINE_CHARACTERS = re.compile(r"[0-9 \t\r\n\f\v,/;]*")
SIGNED_CHARACTERS = re.compile(r"(?:-?[0-9]+|[ \t\r\n\f\v,/;])*")
BETWEEN_ROWS = re.compile(f"[{ROW_ENDS}]")
WANTED = "n × n tiles row by row (n may precede them)"


class Board:
    """An immutable grid of non-negative integers; 0 means blank.

    Args:
        rows: a sequence of equally long rows, or a two-dimensional integer array. It is copied.
        signed: whether tiles may be negative, for games that allow this by `PackedForm.cells`.

    Attributes:
        tiles: the values, a read-only int64 array (rows, columns).
        shape: (rows, columns).
        n: the side of a square board.

    Raises:
        BoardError: there are no tiles, rows differ in length, or a tile is not an integer from 0 to 2^63 - 1.

    >>> board = Board([[1, 2], [3, 0]])
    >>> board.size(), board.largest_tile(), board.tile_at(1, 0)
    (3, 3, 3)
    >>> Board.parse(str(board)) == board
    True
    """

    __slots__ = ("__weakref__", "_array", "_kept", "key", "shape")

    shape: tuple[int, int]
    key: bytes
    """The bytes of a few tiles, which identify it among boards of its shape; empty for many tiles."""
    _kept: dict[Hashable, Any]
    _array: NDArray[np.int64] | None
    """The tiles; None for a few until they are asked for: most boards are compared and forgotten."""

    def __init_subclass__(cls) -> None:
        """Refuse a subclass that overrides members that searches rely on; it may add methods.

        Raises:
            TypeError: a member is overridden.
        """
        super().__init_subclass__()
        changed = [name for name in FIXED if _defined(cls, name) is not _defined(Board, name)]
        if changed:
            msg = (
                f"{cls.__name__} changes {', '.join(changed)} of Board: a subclass may add methods, but not change any"
            )
            raise TypeError(msg)

    def __init__(self, rows: Sequence[Sequence[int]] | ArrayLike, signed: bool = False) -> None:
        # Replays and plugins make boards by the thousand: a copy of few tiles takes a fraction of `as_tiles`'s time.
        if type(rows) is ARRAY and rows.dtype is TILE and (shape := SHAPES.get(rows.shape)) is not None:
            content = rows.tobytes()
            if signed or content[HIGHEST_BYTES].isascii():
                _set_shape(self, shape)
                _set_key(self, content)
                _set_array(self, None)
                return
        few = _few_plain_tiles(rows)
        if few is not None:
            _set_shape(self, SHAPES.setdefault(few[0], few[0]))
            _set_key(self, few[1])
            _set_array(self, None)
            return
        own = as_tiles(rows, signed=signed)
        _set_shape(self, own.shape)
        if own.size <= FEW_TILES:
            _set_shape(self, SHAPES.setdefault(own.shape, own.shape))
            _set_key(self, own.tobytes())
            _set_array(self, None)
        else:
            own.setflags(write=False)
            _set_key(self, b"")
            _set_array(self, own.view())  # a view of what is read-only cannot be made writable

    @property
    def tiles(self) -> NDArray[np.int64]:
        """The values, a read-only int64 array (rows, columns)."""
        array = self._array
        if array is None:
            array = ARRAY(self.shape, TILE, self.key)  # bytes cannot be written to, whatever flags are set
            _set_array(self, array)
        return array

    @classmethod
    def parse(cls, text: str, source: str = "", *, signed: bool = False) -> Self:
        """Read a board from its text form.

        Args:
            text: the size, then the tiles row by row. White space between tiles and after n is arbitrary: `2 0 2 2 0`
                is a board. If rows and columns differ, they must be on a line of their own. Blank lines and lines that
                start with `//` or `#` are ignored.
            source: the name of the text in error messages, usually a file name.
            signed: whether tiles may be negative.

        Raises:
            BoardError: the text is not a board; the message shows the invalid line.
        """
        return cls(parse_tiles(text, source, signed=signed), signed)

    @property
    def n(self) -> int:
        """The side of a square board.

        Raises:
            BoardError: the board is not square.
        """
        rows, columns = self.shape
        if rows != columns:
            msg = f"a board of {rows} rows and {columns} columns has no single side n; use shape"
            raise BoardError(msg)
        return rows

    def tile_at(self, row: int, column: int) -> int:
        """Return the tile in a cell; rows and columns count from 0 at the upper left.

        Raises:
            TileIndexError: the cell is outside the board; negative indices do not count from the end.
        """
        row, column = operator.index(row), operator.index(column)
        rows, columns = self.tiles.shape
        if not (0 <= row < rows and 0 <= column < columns):
            inside = f"rows go from 0 to {rows - 1}, columns to {columns - 1}"
            msg = f"no tile at row {row}, column {column}: {inside}"
            raise TileIndexError(msg)
        return int(self.tiles[row, column])

    def size(self) -> int:
        """Return the number of tiles that are not blank."""
        return self.keep("size", lambda: int(np.count_nonzero(self.tiles)))

    def largest_tile(self) -> int:
        """Return the largest tile, 0 for a blank board."""
        return self.keep("largest tile", self._largest)

    def _largest(self) -> int:
        return max(self.tiles.ravel().tolist()) if self.key else int(self.tiles.max())

    def keep(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the value that `compute` returned on the first call for this key.

        A board never changes, so values that depend only on its tiles are computed once.
        """
        try:
            kept = self._kept
        except AttributeError:  # most boards are made, compared and forgotten
            kept = {}
            _set_kept(self, kept)
        if key not in kept:
            kept[key] = compute()
        value: T = kept[key]
        return value

    @property
    def keeps(self) -> bool:
        """Whether anything is kept on the board. Most boards are met once, and keeping something takes time."""
        return hasattr(self, "_kept")

    def view(self) -> NDArray[np.int64]:
        """Return `tiles` without keeping the array, for a board that is used once."""
        return ARRAY(self.shape, TILE, self.key) if self.key else self.tiles

    def forget_tiles(self) -> None:
        """Release the array of a small board; it is made again on demand."""
        if self.key:
            _set_array(self, None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        if self is other:
            return True
        if self.key or other.key:
            return self.key == other.key and self.shape == other.shape
        return self.shape == other.shape and bool((self.tiles == other.tiles).all())

    def __hash__(self) -> int:
        return self.keep("hash", self._digest)

    def _digest(self) -> int:
        columns = self.tiles.shape[1].to_bytes(8, "little")
        digest = blake2b(self.tiles.data.cast("B"), digest_size=8, salt=columns)
        return hash(int.from_bytes(digest.digest(), "little"))

    def __str__(self) -> str:
        return self.text(max(MIN_COLUMN_WIDTH, longest_tile(self) + 1))

    def text(self, width: int = 0) -> str:
        """Return the text form, with tiles right-aligned in `width` characters; 0 puts single blanks between them."""
        rows, columns = self.tiles.shape
        head = f"{rows}" if rows == columns else f"{rows} {columns}"
        if width:
            lines = ["".join([f"{tile:{width}d}" for tile in row.tolist()]) for row in self.tiles]
        else:
            lines = [" ".join(map(str, row.tolist())) for row in self.tiles]
        return "\n".join((head, *lines))

    def __repr__(self) -> str:
        if max(self.tiles.shape) > FOLDED_SIDE:
            rows, columns = self.tiles.shape
            return f"<Board of {rows} × {columns}, largest tile {self.largest_tile()}>"
        return f"Board({self.tiles.tolist()})"

    def is_signed(self) -> bool:
        """Return whether a tile is below 0."""
        return self.keep("signed", lambda: _has_negative(self.tiles))

    def __reduce__(self) -> tuple[type[Board], tuple[Any, ...]]:
        tiles = (
            self.tiles.tolist() if self.tiles.size <= FEW_TILES else self.tiles
        )  # a fifth of the bytes, and the time
        return Board, (tiles, True) if self.is_signed() else (tiles,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"a Board never changes: cannot set {name}"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"a Board never changes: cannot delete {name}"
        raise AttributeError(msg)

    def __rich__(self) -> Any:
        """Display for rich: a grid with a colour for each power of two."""
        return board_panel(self)

    def _repr_html_(self) -> str:
        """Display for Jupyter."""
        return board_html(self)


_set_array: Callable[[Board, NDArray[np.int64] | None], None] = vars(Board)["_array"].__set__
_set_key: Callable[[Board, bytes], None] = vars(Board)["key"].__set__
_set_shape: Callable[[Board, tuple[int, ...]], None] = vars(Board)["shape"].__set__
_set_kept: Callable[[Board, dict[Hashable, Any]], None] = vars(Board)["_kept"].__set__
"""Set the kept values of a board, bypassing its `__setattr__`; twice as fast as `object.__setattr__`."""


def _defined(kind: type, name: str) -> Any:
    """Return the attribute of this name of a class or its first base that defines it, else None."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


FIXED = (
    *(name for name, value in vars(Board).items() if callable(value) or isinstance(value, property)),
    *("key", "shape"),
    *("__getattribute__", "__class__", "__bool__", "__len__"),
)
"""The attributes that a subclass of Board must not override."""


def boards_of(tiles: NDArray[np.int64], *, signed: bool = False) -> list[Board]:
    """Return boards of one shape, given their tiles, shape (boards, rows, columns).

    Args:
        tiles: the tiles, which are copied.
        signed: whether tiles may be negative.

    Raises:
        BoardError: a tile is negative.
    """
    _, rows, columns = tiles.shape
    if not 0 < rows * columns <= FEW_TILES or (not signed and _has_negative(tiles)):
        return [Board(grid, signed) for grid in tiles]
    shape = SHAPES.setdefault((rows, columns), (rows, columns))
    size, content = TILE.itemsize * rows * columns, tiles.astype(TILE, copy=False).tobytes()
    boards = []
    # A view of all tiles takes a tenth of the time of an array that is made of one board's bytes later.
    for at, view in enumerate(np.frombuffer(content, TILE).reshape(tiles.shape)):
        board = Board.__new__(Board)
        _set_shape(board, shape)
        _set_key(board, content[at * size : (at + 1) * size])
        _set_array(board, view)
        boards.append(board)
    return boards


def _few_plain_tiles(rows: Any) -> tuple[tuple[int, int], bytes] | None:
    """Return shape and content of a few equally long rows of plain non-negative integers, None for anything else.

    It takes half the time of `as_tiles`, which returns the error message.
    """
    if type(rows) not in PLAIN_ROWS or not rows or type(rows[0]) not in PLAIN_ROWS:
        return None
    count, columns = len(rows), len(rows[0])
    if not 0 < count * columns <= FEW_TILES:
        return None
    tiles: list[Any] = []
    for row in rows:
        if type(row) not in PLAIN_ROWS or len(row) != columns:
            return None
        tiles += row
    if {*map(type, tiles)} != WHOLE_NUMBERS:
        return None
    try:
        content = array("q", tiles).tobytes()
    except OverflowError:
        return None
    return None if _is_negative(content) else ((count, columns), content)


def as_tiles(rows: Any, *, signed: bool = False) -> NDArray[np.int64]:
    """Return a new C-ordered int64 array of the rows, shape (rows, columns).

    Args:
        rows: the candidate for a board.
        signed: whether tiles may be negative.

    Raises:
        BoardError: the rows are not a board; one line with the reason.
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
    if isinstance(rows, list | tuple) and any(not TRUTH_VALUES.isdisjoint(map(type, row)) for row in rows):
        # Among whole numbers NumPy would take True for 1.
        raise BoardError(_what_is_wrong(rows))
    if max(given.shape) > MAX_SIDE:
        msg = f"a board of {given.shape[0]} × {given.shape[1]}: at most {MAX_SIDE} × {MAX_SIDE} is possible"
        raise BoardError(msg)
    if given.dtype.kind == "u" and given.dtype.itemsize == 8 and given.max() > np.iinfo(np.int64).max:
        raise BoardError(_what_is_wrong(rows))
    tiles = np.array(given, dtype=np.int64, order="C")
    if not signed and _has_negative(tiles):
        raise BoardError(_what_is_wrong(rows))
    return tiles


def _has_negative(tiles: NDArray[np.int64]) -> bool:
    if tiles.size > FEW_TILES:
        return bool(tiles.min() < 0)
    return _is_negative(tiles.tobytes())


def _is_negative(content: bytes) -> bool:
    """Return whether one of a few tiles is negative: the highest bit of its highest byte is set."""
    return not content[HIGHEST_BYTES].isascii()


def _what_is_wrong(rows: Any) -> str:
    """Return an error message for rows that are known not to be a board."""
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
            return f"row {r + 1} has {len(row)} tiles, row 1 has {len(grid[0])}: every row must be as long as it"
        for c, tile in enumerate(row):
            at = f"the tile at row {r + 1}, column {c + 1}"
            if isinstance(tile, bool | np.bool_) or not isinstance(tile, int | np.integer):
                return f"{at} is {tile!r:.40}: a tile is a whole number, 0 for blank"
            if not 0 <= tile < 2**63:
                # A number of thousands of digits has no text to show.
                size = f"is {tile}" if abs(int(tile)) <= 2**64 else "is huge"
                return f"{at} {size}: a tile is between 0 and 2^63 - 1"
    return f"a board is made of a sequence of rows of whole numbers, or an array of integers, not of this {kind}"


def parse_tiles(text: str, source: str, *, signed: bool = False) -> NDArray[np.int64]:
    """Return the tiles of a board's text form, shape (rows, columns).

    The first line gives the size: n, or rows and columns. If tiles follow on the same line, the first number is n: 1 +
    n × n numbers are never rows, columns and tiles, nor the n × n tiles of a board without a size.

    Args:
        text: the board; see `Board.parse`.
        source: the name of the text in error messages, usually a file name.
        signed: whether tiles may be negative.

    Raises:
        BoardError: with the invalid line.
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
        if rows and row.min() < 0 and not signed:
            raise BoardError(f"{where}line {number}: {row.min()} is negative: a tile is 0 (blank) or more")
        rows.append((number, row))
    if not rows:
        msg = f"{where}there is no board: the first line gives its size n, then n rows of n tiles follow"
        raise BoardError(msg)
    (number, first), numbers = rows[0], sum(len(row) for _, row in rows)
    if len(first) > 1 and int(first[0]) ** 2 == numbers - 1 and (signed or first.min() >= 0):
        size, rows[0] = _size(first[:1], f"{where}line {number}"), (number, first[1:])
    else:
        if len(rows) > 1 and len(first) > 2 and all(len(row) == len(first) for _, row in rows):
            missing = f"{len(rows)} {len(first)}" if len(rows) != len(first) else f"{len(first)}"
            raise BoardError(f"{where}line {number}: the size is missing: put a line with {missing} before the rows")
        size = _size(first, f"{where}line {number}")
        del rows[0]
    found = sum(len(row) for _, row in rows)
    if found != size[0] * size[1]:
        raise BoardError(where + _miscounted(size, found, [(number, len(row)) for number, row in rows]))
    return np.concatenate([row for _, row in rows]).reshape(size)


def _size(row: NDArray[np.int64], where: str) -> tuple[int, int]:
    """Return (rows, columns) from the first line of a board's text form."""
    if len(row) > 2:
        msg = f"{where}: the first line gives the size (n, or rows and columns), or n and then all n × n tiles; "
        msg += f"here it has {len(row)} numbers"
        raise BoardError(msg)
    rows, columns = int(row[0]), int(row[-1])
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        msg = f"{where}: a board of {rows} × {columns}: each side must be between 1 and {MAX_SIDE}"
        raise BoardError(msg)
    return rows, columns


def _bad_token(content: str) -> str:
    """Return an error message for a line that does not consist of int64 numbers."""
    for token in content.split():
        start = token if len(token) <= LONGEST_SHOWN else f"{token[:LONGEST_SHOWN]}…"
        digits = token.removeprefix("-").removeprefix("+")
        if not digits.isdecimal():
            return f"{start!r} is not a whole number"
        if len(digits) > LONGEST_SHOWN or int(digits) >= 2**63:
            what = "negative" if token[0] == "-" else "too large"
            return f"{start} is {what}: numbers here are between 0 and 2^63 - 1"
    return "this line does not consist of whole numbers"


def _miscounted(size: tuple[int, int], found: int, counts: list[tuple[int, int]]) -> str:
    """Return an error message for too few or too many tiles, with the first line that has another number of them."""
    rows, columns = size
    what = f"a {rows} × {columns} board has {rows * columns} tiles, here are {found}"
    for number, count in counts:
        if count != columns:
            return f"line {number}: {count} tiles where the row has {columns}; {what}"
    return f"{what} ({len(counts)} rows instead of {rows})"


def parse_board_line(line: str, *, signed: bool = False) -> Board:
    """Return the board of a line with tiles row by row, separated by blanks, tabs or commas.

    `n` may stand before the n × n tiles. A `/` or a `;` may end each row, and must if the board is not square. `signed`
    allows negative tiles.

    Raises:
        BoardError: the line is not a board.

    >>> parse_board_line("2 0 4 8") == parse_board_line("2  2,0, 4,8") == parse_board_line("2 0/4 8")
    True
    >>> parse_board_line("3 1 2 /").shape
    (1, 3)
    """
    if not (SIGNED_CHARACTERS if signed else LINE_CHARACTERS).fullmatch(line):
        raise BoardError(_not_a_tile(line))
    try:
        rows = [list(map(int, row.split())) for row in BETWEEN_ROWS.split(line.replace(",", " "))]
    except ValueError:  # Python refuses numbers of thousands of digits
        raise BoardError("a tile is between 0 and 2^63 - 1") from None
    if len(rows) > 1:
        return Board(_without_size(rows if rows[-1] else rows[:-1]), signed)
    tiles = _without_count(rows[0])
    n = isqrt(len(tiles))
    return Board([tiles[k : k + n] for k in range(0, len(tiles), n)], signed)


def _without_count(numbers: list[int]) -> list[int]:
    """Return the tiles of a square board, without a leading n."""
    count = len(numbers)
    if not numbers:
        raise BoardError(f"there is no board: {WANTED}")
    if isqrt(count) ** 2 == count:
        return numbers
    if numbers[0] > 0 and numbers[0] ** 2 == count - 1:
        return numbers[1:]
    raise BoardError(f"expected {WANTED}, got {count} numbers")


def _without_size(rows: list[list[int]]) -> list[list[int]]:
    """Return rows without a leading n, which may be a row of its own or part of the first."""
    first, others = rows[0], rows[1:]
    n = len(others[-1]) if others else 0
    if n > 0 and first[:1] == [n]:
        if len(first) == n + 1:
            return [first[1:], *others]
        if len(first) == 1 < n:
            return others
    return rows


def _not_a_tile(line: str) -> str:
    words = re.split(f"[{ROW_ENDS},\\s]+", line)
    wrong = next((word for word in words if not (word.isascii() and word.isdigit()) and word), line)
    return f"{shown(wrong, 40)} is not a tile: a tile is a whole number, 0 for blank"
