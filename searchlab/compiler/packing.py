"""Packing of a board's cells into 64-bit words: in NumPy for whole boards, as source text for compiled code.

The cells follow one another from the lowest bits of the first word; no cell lies across two words. A cell's code is its
value, or for powers of two the exponent (0 for a blank); of cells with a range each, what it is above the lowest value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from searchlab.board.board import boards_of
from searchlab.errors.cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.packed import PackedForm

FEW_CELLS = 100
"""Boards with no more cells in all are packed, and unpacked, cell by cell: NumPy would take longer."""
MOST_KEPT = 1000
"""Tiles whose code is kept."""
WORD_BITS = 64
NO_ROOM = '        raise ValueError("a successor has a tile that the packed form has no room for")\n'
"""The source that refuses what cannot be packed."""


class PackedCell(NamedTuple):
    """Where a cell lies in a packed state.

    Attributes:
        word: the number of the word.
        shift: the bits below it.
        bits: its own bits.
        low: the value whose code is 0.
    """

    word: int
    shift: int
    bits: int
    low: int = 0


class _Codes(dict[int, int]):
    """The codes of tiles, each found when it is first asked for."""

    def __init__(self, values: int, powers_of_two: bool) -> None:
        self._largest, self._powers_of_two = values - 1, powers_of_two

    def __missing__(self, tile: int) -> int:
        code = tile.bit_length() - 1 if self._powers_of_two else tile
        code = max(0, min(code, self._largest))
        if len(self) < MOST_KEPT:
            self[tile] = code
        return code


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
        if form.cells:
            return RangedPacking.of_ranges(rows, columns, form.cells)
        bits = form.bits or max(1, (form.values - 1).bit_length())
        return cls(rows, columns, form.values, bits, form.powers_of_two)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def is_uniform(self) -> bool:
        """Whether all cells have the same values and bits."""
        return True

    @property
    def is_signed(self) -> bool:
        """Whether a cell may hold a value below 0."""
        return False

    def cell(self, number: int) -> PackedCell:
        """Return where a cell lies."""
        word, cell_in_word = divmod(number, self.cells_per_word)
        return PackedCell(word, self.bits * cell_in_word, self.bits)

    @cached_property
    def _shifts(self) -> NDArray[np.uint64]:
        """The offset of each cell of a word from its lowest bit, shape (cells_per_word,)."""
        return np.arange(self.cells_per_word, dtype=np.uint64) * np.uint64(self.bits)

    def pack(self, board: Board) -> NDArray[np.uint64]:
        """Return the words of a board, shape (words,); a tile above the largest code gets the largest."""
        if self.words == 1 and self.is_uniform and self.cells <= FEW_CELLS:
            return np.array([self._word(board)], np.uint64)
        packed: NDArray[np.uint64] = self.pack_all([board])[0]
        return packed

    def pack_exactly(self, board: Board) -> NDArray[np.uint64] | int | None:
        """Return the words of a board, the only one as a number; None where a tile has no code of its own."""
        if self.words > 1 or not self._tile_codes:
            words = self.pack(board)
            return words if np.array_equal(self.unpack_tiles(words[None])[0], board.tiles) else None
        word, bits, codes = 0, self.bits, self._tile_codes
        try:
            for tile in reversed(board.tiles.ravel().tolist()):
                word = word << bits | codes[tile]
        except KeyError:
            return None
        return word

    @cached_property
    def _tile_codes(self) -> dict[int, int]:
        """The code of each tile, where all cells are alike and there are few tiles; else none."""
        if not self.is_uniform or self.values > MOST_KEPT:
            return {}
        return {1 << code & ~1 if self.powers_of_two else code: code for code in range(self.values)}

    def pack_all(self, boards: Sequence[Board]) -> NDArray[np.uint64]:
        """Return the words of boards, shape (boards, words)."""
        if self.words == 1 and self.is_uniform and len(boards) * self.cells <= FEW_CELLS:
            return np.array([[self._word(board)] for board in boards], np.uint64).reshape(-1, 1)
        tiles = np.array([board.tiles for board in boards], np.int64)
        return self.pack_tiles(tiles.reshape(len(boards), self.rows, self.columns))

    def _word(self, board: Board) -> int:
        """Return the only word of a board."""
        word, bits, codes = 0, self.bits, self._codes
        for tile in reversed(board.tiles.ravel().tolist()):
            word = word << bits | codes[tile]
        return word

    @cached_property
    def _codes(self) -> _Codes:
        """The code of each tile that has occurred."""
        return _Codes(self.values, self.powers_of_two)

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
        return np.minimum(np.maximum(codes, 0), self.values - 1).astype(np.int64)  # np.clip takes four times as long

    def unpack(self, states: NDArray[np.uint64]) -> list[Board]:
        """Return the boards of states, shape (states, words)."""
        if self._has_small_codes and len(states) * self.cells <= FEW_CELLS:
            shifts, mask = range(0, self.cells * self.bits, self.bits), (1 << self.bits) - 1
            codes = [word >> shift & mask for word in states.ravel().tolist() for shift in shifts]
            tiles = [1 << code & ~1 for code in codes] if self.powers_of_two else codes
            return boards_of(np.array(tiles, np.int64).reshape(-1, self.rows, self.columns), signed=True)
        # No code stands for a tile below 0 unless the domain has such tiles: there is nothing to check.
        return boards_of(self.unpack_tiles(states), signed=True)

    @cached_property
    def _has_small_codes(self) -> bool:
        """Whether all cells are alike, lie in one word, and no bits of one stand for a tile beyond 2^32."""
        return self.words == 1 and self.is_uniform and self.bits <= (5 if self.powers_of_two else 32)

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

    def masking_source(self) -> str:
        """Return source that copies the tiles at the pointer `cells` to `tiles`, masked.

        The compiler then sees that none is negative or large: a look into a table takes no check, dividing it none
        for signs. A heuristic that does so for each cell takes half the time.
        """
        if self.powers_of_two:
            return "\n    tiles = cells\n"
        mask = (1 << (self.values - 1).bit_length()) - 1
        copies = "".join(f"    tiles[{cell}] = cells[{cell}] & {mask}\n" for cell in range(self.cells))
        return f"\n    tiles = local_words({self.cells})\n{copies}"

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
{NO_ROOM}"""


@dataclass(frozen=True)
class RangedPacking(Packing):
    """The packing of boards whose cells have a range each; `values` is 0, and `bits` is that of the widest cell.

    Attributes:
        ranges: the lowest and the highest value of each cell, row by row.
    """

    ranges: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        vars(self).update(cells=self.rows * self.columns, cells_per_word=0, words=1 + self.packed_cells[-1].word)

    @classmethod
    def of_ranges(cls, rows: int, columns: int, ranges: Sequence[tuple[int, int]]) -> RangedPacking:
        """Return the packing of boards of a shape with these ranges of cells."""
        widest = max((high - low).bit_length() for low, high in ranges)
        return cls(rows, columns, 0, max(1, widest), powers_of_two=False, ranges=tuple(ranges))

    @property
    def is_uniform(self) -> bool:
        """Whether all cells have the same values and bits."""
        return False

    @property
    def is_signed(self) -> bool:
        """Whether a cell may hold a value below 0."""
        return bool(self._lows.min() < 0)

    def cell(self, number: int) -> PackedCell:
        """Return where a cell lies."""
        return self.packed_cells[number]

    @cached_property
    def packed_cells(self) -> tuple[PackedCell, ...]:
        """Where each cell lies."""
        found, word, used = [], 0, 0
        for low, high in self.ranges:
            bits = (high - low).bit_length()
            if used + bits > WORD_BITS:
                word, used = word + 1, 0
            # A cell without bits lies nowhere; shifting a word by 64 bits is undefined.
            found.append(PackedCell(word, used if bits else 0, bits, low))
            used += bits
        return tuple(found)

    @cached_property
    def _lows(self) -> NDArray[np.int64]:
        return np.array([low for low, _ in self.ranges], np.int64)

    @cached_property
    def _shifts(self) -> NDArray[np.uint64]:
        """The bits below each cell in its word, shape (cells,)."""
        return np.array([cell.shift for cell in self.packed_cells], np.uint64)

    def pack_tiles(self, tiles: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words, shape (boards, words), of tiles of shape (boards, rows, columns)."""
        _, firsts = np.unique([cell.word for cell in self.packed_cells], return_index=True)
        shifted = self.codes(tiles).view(np.uint64) << self._shifts
        packed: NDArray[np.uint64] = np.bitwise_or.reduceat(shifted, firsts, axis=1)
        return packed

    def codes(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of boards, shape (boards, cells); a tile beyond its range gets the code of its end."""
        highs = np.array([high for _, high in self.ranges], np.int64)
        # Where a range has more than 2^63 values this wraps around, to what is right as an unsigned number.
        codes: NDArray[np.int64] = np.clip(tiles.reshape(len(tiles), self.cells), self._lows, highs) - self._lows
        return codes

    def unpack_tiles(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the tiles of states, shape (states, words), as a new array of shape (states, rows, columns)."""
        masks = np.array([(1 << cell.bits) - 1 for cell in self.packed_cells], np.uint64)
        codes = (states[:, [cell.word for cell in self.packed_cells]] >> self._shifts) & masks
        return (codes.view(np.int64) + self._lows).reshape(len(states), self.rows, self.columns)

    @cached_property
    def _runs(self) -> list[tuple[int, int]]:
        """The first cell of each run of cells that have one range and lie in one word, and the cell after the last."""
        kinds = [(cell.word, *span) for cell, span in zip(self.packed_cells, self.ranges, strict=True)]
        starts = [cell for cell in range(self.cells) if cell == 0 or kinds[cell] != kinds[cell - 1]]
        return list(pairwise([*starts, self.cells]))

    def masking_source(self) -> str:
        """Return source after which the tiles are at `tiles`; below 0 they cannot be masked."""
        return "\n    tiles = cells\n"

    def unpacking_source(self, packed: str = "words[word]") -> str:
        """Return source that writes the tiles of a state to the pointer `tiles`; `packed` is the source of one word."""
        lines = []
        for first, end in self._runs:
            word, shift, bits, low = self.packed_cells[first]
            if first == 0 or self.packed_cells[first - 1].word != word:
                lines += [f"word = {word}", f"packed = {packed}"]
            code = f"(packed >> U({shift} + {bits} * (cell - {first}))) & U({(1 << bits) - 1})"
            lines += [f"for cell in range({first}, {end}):", f"    tiles[cell] = I({code}) + I({low})"]
        return "\n" + "".join(f"    {line}\n" for line in lines)

    def packing_source(self) -> str:
        """Return source that packs `count` states from the pointer `out_tiles` to the pointer `out`."""
        lines = ["packed = U(0)"]
        for first, end in self._runs:
            word, shift, bits, low = self.packed_cells[first]
            lines += [
                f"for cell in range({first}, {end}):",
                f"    tile = out_tiles[k * {self.cells} + cell]",
                f"    is_beyond |= tile < I({low}) or tile > I({self.ranges[first][1]})",
                f"    packed |= U(tile - I({low})) << U({shift} + {bits} * (cell - {first}))",
            ]
            if end == self.cells or self.packed_cells[end].word != word:
                lines += [f"out[k * {self.words} + {word}] = packed", "packed = U(0)"]
        body = "".join(f"        {line}\n" for line in lines)
        return f"\n    is_beyond = False\n    for k in range(count):\n{body}    if is_beyond:\n{NO_ROOM}"
