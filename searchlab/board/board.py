"""Board: an immutable grid of tiles, and its text form.

The text form is the board file: the number of rows and columns (`4`, or `2 3` where they differ), then the
rows. It is what `str(board)` prints and what `Board.parse` reads, where n and its tiles may also stand on one
line. Reading files and folders of them is the business of `searchlab.board.files`.
"""

from __future__ import annotations

import operator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from searchlab.board.tiles import FOLDED_SIDE, as_tiles, parse_tiles
from searchlab.errors import BoardError, TileIndexError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

MIN_COLUMN_WIDTH = 5


class Board:
    """An immutable grid of non-negative integers, 0 meaning blank.

    Args:
        rows: a sequence of equally long rows, or a two-dimensional integer array. It is copied.

    Attributes:
        tiles: the values, a read-only int64 array of shape (rows, columns).
        shape: (rows, columns).
        n: the side of a square board.

    Raises:
        BoardError: no tiles at all, ragged rows, or a tile that is no whole number from 0 to 2^63 - 1.

    >>> board = Board([[1, 2], [3, 0]])
    >>> board.size(), board.largest_tile(), board.tile_at(1, 0)
    (3, 3, 3)
    >>> Board.parse(str(board)) == board
    True
    """

    __slots__ = ("__weakref__", "_kept", "tiles")

    tiles: NDArray[np.int64]
    _kept: dict[Hashable, Any]

    def __init_subclass__(cls) -> None:
        """Refuse a subclass that changes what searches rely on; it may add to a Board.

        Raises:
            TypeError: it does.
        """
        super().__init_subclass__()
        changed = [name for name in FIXED if _defined(cls, name) is not _defined(Board, name)]
        if changed:
            msg = f"{cls.__name__} changes {', '.join(changed)} of Board: a subclass adds methods, it changes none"
            raise TypeError(msg)

    def __init__(self, rows: Sequence[Sequence[int]] | ArrayLike) -> None:
        tiles = as_tiles(rows)
        tiles.setflags(write=False)
        object.__setattr__(self, "tiles", tiles.view())  # a view of what is read-only cannot be made writable
        object.__setattr__(self, "_kept", {})

    @classmethod
    def parse(cls, text: str, source: str = "") -> Self:
        """Read a board from its text form.

        Args:
            text: the size, then the tiles row by row. White space between tiles is free, and so it is after n:
                `2 0 2 2 0` is a board. Rows and columns stand on a line of their own. Blank lines and lines that
                start with `//` or `#` are comments.
            source: what to call the text in an error, usually a file's name.

        Raises:
            BoardError: with the line that is wrong.
        """
        return cls(parse_tiles(text, source))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.tiles.shape
        return rows, columns

    @property
    def n(self) -> int:
        """The side of a square board; a `BoardError` for any other."""
        rows, columns = self.shape
        if rows != columns:
            msg = f"a board of {rows} rows and {columns} columns has no single side n; use shape"
            raise BoardError(msg)
        return rows

    def tile_at(self, row: int, column: int) -> int:
        """Return one tile; rows and columns count from 0 at the upper left.

        Raises:
            TileIndexError: outside the board; negative indices do not count from the end.
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
        return self.keep("largest tile", lambda: int(self.tiles.max()))

    def keep(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` said the first time it was asked under this key.

        A board never changes, so whatever follows from its tiles alone is computed once.
        """
        if key not in self._kept:
            self._kept[key] = compute()
        value: T = self._kept[key]
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self is other or (self.tiles.shape == other.tiles.shape and bool((self.tiles == other.tiles).all()))

    def __hash__(self) -> int:
        return self.keep("hash", self._digest)

    def _digest(self) -> int:
        columns = self.tiles.shape[1].to_bytes(8, "little")
        digest = blake2b(self.tiles.data.cast("B"), digest_size=8, salt=columns)
        return hash(int.from_bytes(digest.digest(), "little"))

    def __str__(self) -> str:
        return self.text(max(MIN_COLUMN_WIDTH, len(str(self.largest_tile())) + 1))

    def text(self, width: int = 0) -> str:
        """Return the text form, tiles right-aligned in `width` characters; 0 puts one blank between them."""
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

    def __reduce__(self) -> tuple[type[Board], tuple[NDArray[np.int64]]]:
        return Board, (self.tiles,)

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
        from searchlab.board.display import board_panel

        return board_panel(self)

    def _repr_html_(self) -> str:
        """Display for Jupyter."""
        from searchlab.board.display import board_html

        return board_html(self)


def _defined(kind: type, name: str) -> Any:
    """Return what a class or the first of its bases defines under a name, None if none does."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


FIXED = (
    *(name for name, value in vars(Board).items() if callable(value) or isinstance(value, property) or name == "tiles"),
    *("__getattribute__", "__class__", "__bool__", "__len__"),
)
"""What a subclass of Board leaves as it is."""
