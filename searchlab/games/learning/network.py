"""n-tuple networks: value functions that look parts of a board up in tables.

A network has a few tuples of cells, and for each a table with a weight for every content these cells may have. The
value of a board is the sum of the weights its tuples look up, in each of the eight positions into which a square board
can be turned and mirrored, all of which share the tables. (Bledsoe and Browning 1959; for 2048 Szubert and Jaśkowski
2014, from whom the symmetric sampling is, too.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.memory import reserve
from searchlab.compiler.packing import Packing
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from searchlab.board.board import Board

MOST_ENTRIES = 2**31
MOST_TUPLES = 1024


@dataclass(frozen=True, eq=False)
class NTupleNetwork:
    """A value function of boards of one shape.

    Attributes:
        rows, columns: the boards' shape.
        tuples: of each its cells, which are numbered row by row.
        bits: bits of a cell's code: of a board with powers of two the exponent (0 for a blank), else the value. A
            code that is larger than fits counts as the largest one.
        powers_of_two: which of both it is.
        symmetric: whether a board is looked at in all eight positions.
        base: the value of every board while all weights are 0.
        weights: shape (entries,), float32: one table after another. In a table the code of the first cell counts 1,
            that of the second 2^bits, …
        about: how it came to be: whatever can be written as JSON.
    """

    rows: int
    columns: int
    tuples: tuple[tuple[int, ...], ...]
    bits: int = 4
    powers_of_two: bool = True
    symmetric: bool = True
    base: float = 0.0
    weights: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wrong = self._what_is_wrong()
        if wrong:
            raise UsageError(f"that is no n-tuple network: {wrong}")
        if not len(self.weights):
            object.__setattr__(self, "weights", reserve(self.entries, np.float32))
        if self.weights.dtype != np.float32 or self.weights.shape != (self.entries,):
            raise UsageError(f"that is no n-tuple network: {self.entries:,} weights are needed")

    def _what_is_wrong(self) -> str:
        cells = self.rows * self.columns
        if self.rows < 1 or self.columns < 1 or not 1 <= self.bits <= 16:
            return "boards have rows and columns, and a cell takes 1 to 16 bits"
        if self.symmetric and self.rows != self.columns:
            return "only a square board can be turned"
        if not 1 <= len(self.tuples) <= MOST_TUPLES or not all(self.tuples):
            return f"it has 1 to {MOST_TUPLES} tuples, each of a cell or more"
        for listed in self.tuples:
            if len(set(listed)) < len(listed) or not all(0 <= cell < cells for cell in listed):
                shown = " ".join(map(str, listed))
                return f"the tuple {shown} does not have cells from 0 to {cells - 1}, each once"
        return "" if self.entries <= MOST_ENTRIES else f"its tables would have {self.entries:,} entries"

    @property
    def entries(self) -> int:
        """How many weights there are."""
        return self.firsts[-1]

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """Where the table of each tuple begins in the weights, and where the last one ends."""
        sizes = [1 << (self.bits * len(cells)) for cells in self.tuples]
        return tuple(sum(sizes[:k]) for k in range(len(sizes) + 1))

    @property
    def packing(self) -> Packing:
        """How boards are packed from whose bits the tables are indexed."""
        return Packing(self.rows, self.columns, 1 << self.bits, self.bits, self.powers_of_two)

    @cached_property
    def positions(self) -> tuple[NDArray[np.int64], ...]:
        """The positions of a board: of each cell, row by row, the cell that comes to lie there.

        Each follows from the one before it: first rows and columns are exchanged, then the rows are mirrored, in turn.
        """
        grid = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)
        turned = [grid]
        for step in range(7 if self.symmetric else 0):
            turned.append(turned[-1][:, ::-1] if step % 2 else turned[-1].T)
        return tuple(position.ravel() for position in turned)

    @property
    def lookups(self) -> int:
        """How many weights make the value of a board."""
        return len(self.positions) * len(self.tuples)

    def entries_of(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where the weights of boards stand.

        Args:
            tiles: shape (boards, rows, columns).

        Returns:
            shape (boards, lookups): position by position, of each the tuples in order.
        """
        codes = self.packing.codes(tiles)
        found = np.empty((len(tiles), self.lookups), np.int64)
        places = ((position, k) for position in self.positions for k in range(len(self.tuples)))
        for lookup, (position, k) in enumerate(places):
            cells = position[list(self.tuples[k])]
            shifts = self.bits * np.arange(len(cells))
            found[:, lookup] = self.firsts[k] + (codes[:, cells] << shifts).sum(axis=1)
        return found

    def values(self, tiles: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of boards, tiles of shape (boards, rows, columns): for each tuple the sum over positions.

        Raises:
            UsageError: boards of another shape.
        """
        self.check_shape(tiles.shape[1:])
        looked_up = self.weights[self.entries_of(tiles)].astype(np.float64)
        looked_up = looked_up.reshape(len(tiles), len(self.positions), len(self.tuples))
        total = np.full(len(tiles), self.base)
        for k in range(len(self.tuples)):
            of_tuple = np.zeros(len(tiles))
            for position in range(len(self.positions)):
                of_tuple += looked_up[:, position, k]
            total += of_tuple
        return total

    def value(self, board: Board) -> float:
        """Return the value of a board."""
        return float(self.values(board.tiles[None])[0])

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Refuse boards of another shape.

        Raises:
            UsageError: they are.
        """
        if shape != (self.rows, self.columns):
            wanted = f"{self.rows} × {self.columns}"
            raise UsageError(f"the network is for boards of {wanted}, not of {' × '.join(map(str, shape))}")
