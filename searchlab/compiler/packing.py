"""Pack a board's cells into 64-bit words: in NumPy for whole boards, as source text for compiled code.

The cells follow one another from the lowest bits of the first word; no cell crosses a word boundary. A cell's code is
its value or, for powers of two, the exponent (0 for a blank); for cells with a range it is the value minus the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from searchlab.board.board import Board, boards_of
from searchlab.errors import PluginError
from searchlab.errors.cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab.model.packed import PackedForm

FEW_CELLS = 100
"""Boards with no more cells in all are packed, and unpacked, cell by cell: NumPy would take longer."""
FEW_STATES = 8
"""Room for no more states is checked as a whole, not only the states that were written."""
MOST_KEPT = 1000
"""The number of tiles whose codes are kept."""
WORD_BITS = 64
NO_ROOM = "a successor has a tile that the packed form has no room for"
"""The error of compiled code if a function wrote a state that does not fit its form; Python looks for the board."""
REFUSED = f"        raise ValueError({NO_ROOM!r})\n"


class NoRoom(PluginError):
    """A packed form has no room for a board: for a tile of it, or it is for boards of another shape."""


class PackedCell(NamedTuple):
    """The position of a cell in a packed state.

    Attributes:
        word: the number of the word.
        shift: the bits below it.
        bits: the number of its bits.
        low: the value with code 0.
    """

    word: int
    shift: int
    bits: int
    low: int = 0


class _Codes(dict[int, int]):
    """The codes of tiles, computed on demand.

    Raises:
        KeyError: a tile has no code.
    """

    def __init__(self, values: int, powers_of_two: bool) -> None:
        self._values, self._powers_of_two = values, powers_of_two

    def __missing__(self, tile: int) -> int:
        code = max(0, tile.bit_length() - 1) if self._powers_of_two else tile
        if not 0 <= code < self._values or (self._powers_of_two and tile != 1 << code & ~1):
            raise KeyError(tile)
        if len(self) < MOST_KEPT:
            self[tile] = code
        return code


class _SpareCodes(NamedTuple):
    """The invalid contents of a word, as four masks.

    A cell of b bits with v < 2^b values holds an invalid code if its highest bit is set and the bits below it plus 2^b
    - v carry into that bit. The sums stay within their cells.

    Attributes:
        unused: the bits that no cell, or no code of a cell, uses.
        low: for cells with invalid codes, the bits below the highest.
        added: 2^b - v for each such cell.
        high: the highest bit of each such cell.
    """

    unused: int
    low: int
    added: int
    high: int

    def source(self, word: str) -> str:
        """Return source that is nonzero if a word has an invalid content; `""` if every content is valid."""
        parts = [f"({word} & U({self.unused}))"] if self.unused else []
        if self.high:
            parts.append(f"((({word} & U({self.low})) + U({self.added})) & {word} & U({self.high}))")
        return " | ".join(parts)


@dataclass(frozen=True)
class Packing:
    """The packing of boards of one shape.

    Attributes:
        rows, columns: the shape of the boards.
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
        """Return the position of a cell."""
        word, cell_in_word = divmod(number, self.cells_per_word)
        return PackedCell(word, self.bits * cell_in_word, self.bits)

    @cached_property
    def _shifts(self) -> NDArray[np.uint64]:
        """The offset of each cell of a word from its lowest bit, shape (cells_per_word,)."""
        return np.arange(self.cells_per_word, dtype=np.uint64) * np.uint64(self.bits)

    def pack(self, board: Board) -> NDArray[np.uint64]:
        """Return the words of a board, shape (words,).

        Raises:
            NoRoom: a tile has no code, or the board has another shape.
        """
        word = self._word(board) if self._is_packed_by_cell and board.shape == self.shape else None
        packed: NDArray[np.uint64] = self.pack_all([board])[0] if word is None else np.array([word], np.uint64)
        return packed

    def pack_exactly(self, board: Board) -> NDArray[np.uint64] | int | None:
        """Return the words of a board (a single word as a number), or None if it does not fit."""
        if board.shape != self.shape:
            return None
        if self._is_packed_by_cell:
            return self._word(board)
        tiles = board.tiles[None]
        words = self._packed(tiles)
        return words[0] if np.array_equal(self.unpack_tiles(words), tiles) else None

    def pack_all(self, boards: Sequence[Board]) -> NDArray[np.uint64]:
        """Return the words of boards, shape (boards, words).

        Raises:
            NoRoom: a tile has no code, or a board has another shape.
        """
        for board in boards:
            if board.shape != self.shape:
                ours, theirs = (f"{rows} × {columns}" for rows, columns in (self.shape, board.shape))
                raise NoRoom(f"the packed form is for boards of {ours}, not of {theirs}\n{board}")
        if self._is_packed_by_cell and len(boards) * self.cells <= FEW_CELLS:
            words = [self._word(board) for board in boards]
            if None not in words:
                return np.array(words, np.uint64).reshape(-1, 1)
        tiles = np.array([board.tiles for board in boards], np.int64)
        return self.pack_tiles(tiles.reshape(len(boards), self.rows, self.columns))

    @cached_property
    def _is_packed_by_cell(self) -> bool:
        return self.words == 1 and self.is_uniform and self.cells <= FEW_CELLS

    def _word(self, board: Board) -> int | None:
        """Return the only word of a board, or None if a tile has no code."""
        word, bits, codes = 0, self.bits, self._codes
        try:
            for tile in reversed(board.tiles.ravel().tolist()):
                word = word << bits | codes[tile]
        except KeyError:
            return None
        return word

    @cached_property
    def _codes(self) -> _Codes:
        """The codes of tiles that have occurred."""
        return _Codes(self.values, self.powers_of_two)

    def pack_tiles(self, tiles: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words, shape (boards, words), of tiles of shape (boards, rows, columns).

        Raises:
            NoRoom: a tile has no code.
        """
        packed = self._packed(tiles)
        kept = self.unpack_tiles(packed)
        if not np.array_equal(kept, tiles):
            cut = int((kept != tiles).any(axis=(1, 2)).argmax())
            row, column = np.argwhere(tiles[cut] != kept[cut])[0].tolist()
            tile = f"the tile {tiles[cut, row, column]} at row {row + 1}, column {column + 1}"
            raise NoRoom(f"the packed form has no room for {tile}\n{Board(tiles[cut], signed=True)}")
        return packed

    def fits(self, tiles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether all tiles have codes, shape (boards,), of tiles of shape (boards, rows, columns)."""
        fits: NDArray[np.bool_] = (self.unpack_tiles(self._packed(tiles)) == tiles).all(axis=(1, 2))
        return fits

    def _packed(self, tiles: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of `tiles`, with some other code for tiles that have none."""
        count = len(tiles)
        padded = np.zeros((count, self.words * self.cells_per_word), np.uint64)
        padded[:, : self.cells] = self.codes(tiles)
        packed: NDArray[np.uint64] = np.bitwise_or.reduce(
            padded.reshape(count, self.words, self.cells_per_word) << self._shifts, axis=2
        )
        return packed

    def codes(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of boards, shape (boards, cells), from their tiles, shape (boards, rows, columns).

        A tile without a code gets the nearest code: a network treats all tiles beyond its largest as that one.
        """
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
        """Whether all cells are alike and in one word, and no bits of a cell stand for a tile beyond 2^32."""
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

        The compiler then sees that no tile is negative or large, so that indexing a table needs no check, and a
        division no test of signs. This halves the time of a heuristic that does so for each cell.
        """
        if self.powers_of_two:
            return "\n    tiles = cells\n"
        mask = (1 << (self.values - 1).bit_length()) - 1
        copies = "".join(
            f"    tile = cells[{cell}]\n    wrong |= tile\n    tiles[{cell}] = tile & {mask}\n"
            for cell in range(self.cells)
        )
        cut = f"    if wrong & {~mask} != 0:\n{REFUSED}"
        return f"\n    tiles = local_words({self.cells})\n    wrong = I(0)\n{copies}{cut}"

    def packing_source(self, skips: str = "") -> str:
        """Return source that packs `count` states from the pointer `out_tiles` to the pointer `out`.

        Args:
            skips: the source of the condition under which the k-th is left out; by default none is.
        """
        skipped = f"        if {skips}:\n            continue\n" if skips else ""
        code, tile, refused = "tile", "U(tile)", "wrong"
        if self.powers_of_two:
            # Two bits of the tile are set, or the lowest, or one beyond the largest tile's.
            code = "trailing_zeros(tile) & 63"
            noted = f"{tile} & (({tile} - U(1)) | U({(1 << WORD_BITS) - (1 << self.values) + 1}))"
        elif self.values & (self.values - 1) == 0:
            noted = f"{tile} & U({(1 << WORD_BITS) - self.values})"
        else:  # below 0, or above the largest value: the highest bit of one of the two is set
            noted, refused = f"{tile} | (U({self.values - 1}) - {tile})", "(wrong >> U(63))"
        return f"""
    wrong = U(0)
    for k in range(count):
{skipped}        for word in range({self.words}):
            packed = U(0)
            first = word * {self.cells_per_word}
            for cell in range(first, min(first + {self.cells_per_word}, {self.cells})):
                tile = out_tiles[k * {self.cells} + cell]
                code = {code}
                wrong |= {noted}
                packed |= U(code) << U((cell - first) * {self.bits})
            out[k * {self.words} + word] = packed
    if {refused} != U(0):
{REFUSED}"""

    def _values_at(self, cell: int) -> int:
        return self.values

    @cached_property
    def _spare_codes(self) -> list[_SpareCodes]:
        """The invalid contents of each word."""
        unused, low, added, high = ([0] * self.words for _ in range(4))
        unused[:] = [(1 << WORD_BITS) - 1] * self.words
        for number in range(self.cells):
            cell, values = self.cell(number), self._values_at(number)
            bits = (values - 1).bit_length()  # a form may give a cell more
            unused[cell.word] &= ~(((1 << bits) - 1) << cell.shift)
            spare = (1 << bits) - values
            if spare:
                high[cell.word] |= 1 << (cell.shift + bits - 1)
                low[cell.word] |= ((1 << (bits - 1)) - 1) << cell.shift
                added[cell.word] |= spare << cell.shift
        return [_SpareCodes(*masks) for masks in zip(unused, low, added, high, strict=True)]

    def noting_source(self) -> str:
        """Return source for a loop over states at `out` that makes `wrong` nonzero if the k-th has an invalid code.

        If every bit pattern of every word is valid, the source is empty.
        """
        lines = []
        for spare, words in groupby(range(self.words), self._spare_codes.__getitem__):
            source = spare.source("state")
            if source:
                first, *rest = words
                last = rest[-1] if rest else first
                lines += [
                    f"        for word in range({first}, {last + 1}):",
                    f"            state = out[k * {self.words} + word]",
                    f"            wrong |= {source}",
                ]
        return "".join(f"{line}\n" for line in lines)

    def checking_source(self, most: int) -> str:
        """Return source that refuses invalid codes in any of `count` states at the pointer `out`.

        Args:
            most: the number of states that `out` has room for. If it is small, all of them are checked first: a loop of
                fixed length has no branch to mispredict, and states left by an earlier call are valid.
        """
        noted = self.noting_source()
        if not noted:
            return ""
        counted = f"    wrong = U(0)\n    for k in range(count):\n{noted}    if wrong != U(0):\n{REFUSED}"
        if most > FEW_STATES:
            return f"\n{counted}"
        nested = "".join(f"    {line}\n" for line in counted.splitlines())
        return f"\n    wrong = U(0)\n    for k in range({most}):\n{noted}    if wrong != U(0):\n{nested}"


@dataclass(frozen=True)
class RangedPacking(Packing):
    """The packing of boards with a range for each cell; `values` is 0, and `bits` is the width of the widest cell.

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
        """Return the position of a cell."""
        return self.packed_cells[number]

    def _values_at(self, cell: int) -> int:
        low, high = self.ranges[cell]
        return high - low + 1

    @cached_property
    def packed_cells(self) -> tuple[PackedCell, ...]:
        """The position of each cell."""
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

    def _packed(self, tiles: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the words of `tiles`, with tiles out of range replaced by the end of the range."""
        _, firsts = np.unique([cell.word for cell in self.packed_cells], return_index=True)
        shifted = self.codes(tiles).view(np.uint64) << self._shifts
        packed: NDArray[np.uint64] = np.bitwise_or.reduceat(shifted, firsts, axis=1)
        return packed

    def codes(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of boards, shape (boards, cells); a tile out of range gets the code of the range's end."""
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
        """The first cell of each run of cells with equal ranges in one word, and the cell after the last."""
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
            lines += [f"for cell in range({first}, {end}):", f"    tiles[cell] = I(({code}) + U({low % 2**WORD_BITS}))"]
        return "\n" + "".join(f"    {line}\n" for line in lines)

    def packing_source(self, skips: str = "") -> str:
        """Return source that packs `count` states from the pointer `out_tiles` to the pointer `out`.

        Args:
            skips: the source of the condition under which the k-th is left out; by default none is.
        """
        skipped = f"        if {skips}:\n            continue\n" if skips else ""
        lines = ["packed = U(0)"]
        for first, end in self._runs:
            word, shift, bits, low = self.packed_cells[first]
            lines += [
                f"for cell in range({first}, {end}):",
                f"    tile = out_tiles[k * {self.cells} + cell]",
                f"    is_beyond |= tile < I({low}) or tile > I({self.ranges[first][1]})",
                f"    packed |= (U(tile) - U({low % 2**WORD_BITS})) << U({shift} + {bits} * (cell - {first}))",
            ]
            if end == self.cells or self.packed_cells[end].word != word:
                lines += [f"out[k * {self.words} + {word}] = packed", "packed = U(0)"]
        body = "".join(f"        {line}\n" for line in lines)
        return f"\n    is_beyond = False\n    for k in range(count):\n{skipped}{body}    if is_beyond:\n{REFUSED}"
