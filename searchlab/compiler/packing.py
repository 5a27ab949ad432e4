"""Packing of a board's cells into 64-bit words: in NumPy for whole boards, as source text for compiled code.

The cells follow one another from the lowest bits of the first word; no cell lies across two words. A cell's code is its
value, or for powers of two the exponent (0 for a blank).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from searchlab.board.board import Board

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab.model.packed import PackedForm

WORD_BITS = 64


@dataclass(frozen=True)
class Packing:
    """The packing of boards of one shape.

    Attributes:
        rows, columns: the boards' shape.
        values: the number of codes.
        bits: bits per cell.
        powers_of_two: whether a code is an exponent.
        cells: cells per board.
        cells_per_word: cells per word.
        words: words per state.
    """

    rows: int
    columns: int
    values: int
    bits: int
    powers_of_two: bool
    cells: int = field(init=False, repr=False, compare=False)
    cells_per_word: int = field(init=False, repr=False, compare=False)
    words: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        cells, cells_per_word = self.rows * self.columns, WORD_BITS // self.bits
        vars(self).update(cells=cells, cells_per_word=cells_per_word, words=-(-cells // cells_per_word))

    @classmethod
    def of(cls, form: PackedForm, board: Board) -> Packing:
        """Return the packing that a form declares, for boards of this shape."""
        rows, columns = board.shape
        bits = form.bits or max(1, (form.values - 1).bit_length())
        return cls(rows, columns, form.values, bits, form.powers_of_two)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @cached_property
    def _shifts(self) -> NDArray[np.uint64]:
        """The offset of each cell of a word from its lowest bit, shape (cells_per_word,)."""
        return np.arange(self.cells_per_word, dtype=np.uint64) * np.uint64(self.bits)

    def pack(self, board: Board) -> NDArray[np.uint64]:
        """Return the words of a board, shape (words,); a tile above the largest code gets the largest."""
        packed: NDArray[np.uint64] = self.pack_all([board])[0]
        return packed

    def pack_all(self, boards: Sequence[Board]) -> NDArray[np.uint64]:
        """Return the words of boards, shape (boards, words)."""
        tiles = np.array([board.tiles for board in boards], np.int64)
        return self.pack_tiles(tiles.reshape(len(boards), self.rows, self.columns))

    def pack_tiles(self, tiles: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words, shape (boards, words), of tiles of shape (boards, rows, columns)."""
        count = len(tiles)
        padded = np.zeros((count, self.words * self.cells_per_word), np.uint64)
        padded[:, : self.cells] = self.codes(tiles)
        packed: NDArray[np.uint64] = np.bitwise_or.reduce(
            padded.reshape(count, self.words, self.cells_per_word) << self._shifts, axis=2
        )
        return packed

    def codes(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of boards, shape (boards, cells), of tiles of shape (boards, rows, columns)."""
        flat = tiles.reshape(len(tiles), self.cells)
        codes = np.frexp(flat.astype(float))[1] - (flat != 0) if self.powers_of_two else flat
        return np.minimum(codes, self.values - 1).astype(np.int64)

    def unpack(self, states: NDArray[np.uint64]) -> list[Board]:
        """Return the boards of states, shape (states, words)."""
        return [Board(grid) for grid in self.unpack_tiles(states)]

    def unpack_tiles(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the tiles of states, shape (states, words), as a new array of shape (states, rows, columns)."""
        codes = states[:, :, None] >> self._shifts
        codes &= np.uint64((1 << self.bits) - 1)
        tiles = codes.view(np.int64).reshape(len(states), self.words * self.cells_per_word)[:, : self.cells]
        if self.powers_of_two:
            tiles = (1 << tiles) & ~1
        return np.ascontiguousarray(tiles).reshape(len(states), self.rows, self.columns)

    def unpacking_source(self, packed: str = "words[word]") -> str:
        """Return source that writes the tiles of a state to the pointer `tiles`; `packed` is the source of one word."""
        decoded = "(I(1) << I(code)) & I(-2)" if self.powers_of_two else "I(code)"
        return f"""
    for word in range({self.words}):
        packed = {packed}
        for cell in range(word * {self.cells_per_word}, min((word + 1) * {self.cells_per_word}, {self.cells})):
            code = packed & U({(1 << self.bits) - 1})
            tiles[cell] = {decoded}
            packed >>= U({self.bits})
"""

    def packing_source(self) -> str:
        """Return source that packs `count` states from the pointer `out_tiles` to the pointer `out`."""
        code = "trailing_zeros(tile) & 63" if self.powers_of_two else "tile"
        return f"""
    beyond = I(0)
    for k in range(count):
        for word in range({self.words}):
            packed = U(0)
            first = word * {self.cells_per_word}
            for cell in range(first, min(first + {self.cells_per_word}, {self.cells})):
                tile = out_tiles[k * {self.cells} + cell]
                code = {code}
                beyond |= code | ({self.values - 1} - code)
                packed |= U(code) << U((cell - first) * {self.bits})
            out[k * {self.words} + word] = packed
    if beyond < 0:
        raise ValueError("a successor has a tile that the packed form has no room for")
"""
