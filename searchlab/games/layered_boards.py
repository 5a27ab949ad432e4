"""The numbered boards after moves of a small game of chance, in layers with equal sums of tiles.

All boards form one array of integers, which can be kept as a prepared table:

    head     [ layers boards states rows columns bits powers symmetric ]
    sums     [ s s s … ]        the sum of the tiles of each layer, in order
    firsts   [ f f f … ]        the position of the first board of each layer, and the end of the last layer
    keys     [ k k k … ]        the keys of the boards, layer by layer in order; the index is the board's number

A key is a board packed into one word, without the first cell, which follows from the sum of the layer. The array has
the type uint32 if all keys fit into 32 bits, else uint64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import reserve
from searchlab.compiler.packing import Packing
from searchlab.errors.cached import cached_property
from searchlab.model.packed import trailing_zeros

if TYPE_CHECKING:
    from numpy.typing import NDArray

LAYERS_AT, BOARDS_AT, STATES_AT, ROWS_AT, COLUMNS_AT, BITS_AT, POWERS_AT, SYMMETRIC_AT = range(8)
"""The positions in the head. No kernel may have a constant with any of these names, because it would replace the global
here in compiled code.
"""
SUMS_AT = 8
MOST_LAYERS = 1 << 14
FIRSTS_AT = SUMS_AT + MOST_LAYERS
KEYS_AT = FIRSTS_AT + MOST_LAYERS + 1


@dataclass(frozen=True)
class Symmetry:
    """The equivalence of boards of one word: by rotations and reflections, or none.

    Attributes:
        packing: the packing of boards.
        is_symmetric: whether rotations and reflections count.
    """

    packing: Packing
    is_symmetric: bool

    @cached_property
    def _steps(self) -> list[list[tuple[int, int]]]:
        """The steps that take a board through all equivalent forms: masks of bits, and distances to shift them left."""
        rows, columns = self.packing.shape
        if not self.is_symmetric:
            return []
        grid = np.arange(self.packing.cells).reshape(rows, columns)
        upside_down, mirrored = self._step(grid[::-1]), self._step(grid[:, ::-1])
        around = [upside_down, mirrored, upside_down]
        return [*around, self._step(grid.T), *around] if rows == columns else around

    def _step(self, grid: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the masks and distances of a step, given the source of each cell."""
        bits, masks = self.packing.bits, dict[int, int]()
        for to, of in enumerate(grid.ravel().tolist()):
            masks[bits * (to - of)] = masks.get(bits * (to - of), 0) | ((1 << bits) - 1) << (bits * of)
        return [(mask, distance) for distance, mask in masks.items()]

    def source(self) -> str:
        """Return source code that replaces the packed board `word` by the smallest equivalent board."""
        lines = ["    form = word"]
        for step in self._steps:
            moved = (f"(form & U({mask})) {'<<' if far >= 0 else '>>'} U({abs(far)})" for mask, far in step)
            lines += [f"    form = {' | '.join(f'({part})' for part in moved)}", "    word = min(word, form)"]
        return "\n".join(lines) + "\n"

    def smallest(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the smallest equivalent board of each packed board."""
        found, form = words, words
        for step in self._steps:
            form = np.bitwise_or.reduce([_shifted(form & np.uint64(mask), far) for mask, far in step])
            found = np.minimum(found, form)
        return found


def _shifted(words: NDArray[np.uint64], far: int) -> NDArray[np.uint64]:
    return words << np.uint64(far) if far >= 0 else words >> np.uint64(-far)


class LayeredBoards:
    """The numbered boards after moves of a game.

    Args:
        array: the array to load.

    Attributes:
        array: the array.
        packing: the packing of boards.
        symmetry: the symmetry that makes boards equivalent.
        states: the number of states that lead to these boards, on which the player moves or the game is over.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        head = [int(number) for number in array[:SUMS_AT]]
        self.packing = Packing(
            head[ROWS_AT], head[COLUMNS_AT], 1 << head[BITS_AT], head[BITS_AT], bool(head[POWERS_AT])
        )
        self.symmetry = Symmetry(self.packing, bool(head[SYMMETRIC_AT]))
        self.layers, self._boards, self.states = head[LAYERS_AT], head[BOARDS_AT], head[STATES_AT]
        self._dropped = self.packing.bits if array.dtype == np.uint32 else 0

    @classmethod
    def reserved(cls, symmetry: Symmetry, most_bytes: int) -> LayeredBoards:
        """Return a collection without boards that takes memory only as it grows."""
        packing = symmetry.packing
        kind: type[np.unsignedinteger[Any]] = np.uint32 if packing.bits * (packing.cells - 1) <= 32 else np.uint64
        array = reserve(KEYS_AT + most_bytes // np.dtype(kind).itemsize, kind)
        array[ROWS_AT:SUMS_AT] = _described(symmetry)
        return cls(array)

    def is_of(self, symmetry: Symmetry) -> bool:
        """Return whether the boards have this shape, packing and symmetry."""
        return bool((self.array[ROWS_AT:SUMS_AT] == _described(symmetry)).all())

    def __len__(self) -> int:
        """Return the number of boards."""
        return self._boards

    @property
    def bytes(self) -> int:
        """The number of bytes in use."""
        return self.array.itemsize * (KEYS_AT + self._boards)

    @property
    def sums(self) -> NDArray[Any]:
        """The sums of the tiles of the layers, in order."""
        return self.array[SUMS_AT : SUMS_AT + self.layers]

    def range(self, layer: int) -> tuple[int, int]:
        """Return the numbers of the first board of a layer and of the first board after it; layers count from 0."""
        return int(self.array[FIRSTS_AT + layer]), int(self.array[FIRSTS_AT + layer + 1])

    def append(self, total: int, words: NDArray[np.uint64], states: int) -> None:
        """Add a layer: the sum of the tiles, the packed boards in order, and the number of states that lead to them.

        Raises:
            MemoryError: there is no room for the layer.
        """
        first, last = self._boards, self._boards + len(words)
        if self.layers == MOST_LAYERS or KEYS_AT + last > len(self.array):
            raise MemoryError
        self.array[SUMS_AT + self.layers] = total
        self.array[FIRSTS_AT + self.layers : FIRSTS_AT + self.layers + 2] = first, last
        self.array[KEYS_AT + first : KEYS_AT + last] = words >> np.uint64(self._dropped)
        self.layers, self._boards, self.states = self.layers + 1, last, self.states + states

    def finished(self) -> NDArray[Any]:
        """Return the array without the unused end."""
        self.array[[LAYERS_AT, BOARDS_AT, STATES_AT]] = self.layers, self._boards, self.states
        return self.array[: KEYS_AT + self._boards]

    def words(self, layer: int) -> NDArray[np.uint64]:
        """Return the packed boards of a layer; layers count from 0."""
        first, last = self.range(layer)
        words = self.array[KEYS_AT + first : KEYS_AT + last].astype(np.uint64) << np.uint64(self._dropped)
        if self._dropped:
            missing = int(self.sums[layer]) - self.packing.unpack_tiles(words[:, None]).sum(axis=(1, 2))
            words |= (
                np.frexp(missing.astype(float))[1].astype(np.uint64) - (missing != 0).astype(np.uint64)
                if (self.packing.powers_of_two)
                else missing.view(np.uint64)
            )
        return words

    def numbers(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of boards, -1 for unknown boards; `tiles` has the shape (boards, rows, columns)."""
        found = np.full(len(tiles), -1)
        if tiles.shape[1:] != self.packing.shape:
            return found
        fits = np.flatnonzero(self.packing.fits(tiles))
        packed = self.packing.pack_tiles(tiles[fits])
        wanted = (self.symmetry.smallest(packed[:, 0]) >> np.uint64(self._dropped)).astype(self.array.dtype)
        sums = tiles[fits].sum(axis=(1, 2))
        for total in np.unique(sums).tolist():
            layer = int(np.searchsorted(self.sums, total))
            if layer < self.layers and self.sums[layer] == total:
                first, last = self.range(layer)
                if first == last:
                    continue
                keys, chosen = self.array[KEYS_AT + first : KEYS_AT + last], np.flatnonzero(sums == total)
                at = np.minimum(np.searchsorted(keys, wanted[chosen]), len(keys) - 1)
                found[fits[chosen]] = np.where(keys[at] == wanted[chosen], first + at, -1)
        return found


def _described(symmetry: Symmetry) -> tuple[int, ...]:
    """Return the numbers that describe boards in the head of the array, from ROWS_AT on."""
    packing = symmetry.packing
    return packing.rows, packing.columns, packing.bits, packing.powers_of_two, symmetry.is_symmetric


def exact_value(tiles: Any, boards: Any, values: Any) -> float:
    """Return the exact value of a board after a move, or NaN if it cannot be reached; for use in compiled functions.

    Args:
        tiles: the tiles of the board, shape (rows, columns).
        boards, values: `boards` and `array` of an ExactValues.

    >>> import searchlab as sl
    >>> solved = sl.exact_values("2048-random:n=2")
    >>> round(sl.exact_value(sl.Board([[4, 2], [0, 0]]).tiles, solved.boards, solved.array), 2)
    64.01
    """
    number = board_number(tiles, boards)
    return np.nan if number < 0 else float(values[number])


def board_number(tiles: Any, boards: Any) -> Any:
    """Return the number of a board after a move, or -1 if it cannot be reached; for use in compiled functions.

    Args:
        tiles: the tiles of the board, shape (rows, columns).
        boards: the array of `LayeredBoards`.
    """
    rows, columns = tiles.shape
    total = np.int64(0)
    for row in range(rows):
        for column in range(columns):
            total += tiles[row, column]
    layers = np.int64(boards[LAYERS_AT])
    layer = place_of(boards, SUMS_AT, SUMS_AT + layers, total) - SUMS_AT
    if layer == layers or np.int64(boards[SUMS_AT + layer]) != total:
        return -1
    first, last = np.int64(boards[FIRSTS_AT + layer]), np.int64(boards[FIRSTS_AT + layer + 1])
    key = key_of(tiles, boards)
    place = place_of(boards, KEYS_AT + first, KEYS_AT + last, key)
    return place - KEYS_AT if place < KEYS_AT + last and np.int64(boards[place]) == key else -1


def key_of(tiles: Any, boards: Any) -> Any:
    """Return the key of a board: the smallest equivalent packed board, without its first cell."""
    rows, columns = tiles.shape
    bits = np.int64(boards[BITS_AT])
    forms = 1 if boards[SYMMETRIC_AT] == 0 else 8 if rows == columns else 4
    smallest = np.int64(0)
    for form in range(forms):
        word = np.int64(0)
        for row in range(rows):
            for column in range(columns):
                from_row = rows - 1 - row if form & 1 else row
                from_column = columns - 1 - column if form & 2 else column
                tile = tiles[from_column, from_row] if form & 4 else tiles[from_row, from_column]
                code = trailing_zeros(tile) & 63 if boards[POWERS_AT] != 0 else tile
                word |= code << ((row * columns + column) * bits)
        smallest = word if form == 0 or word < smallest else smallest
    return smallest >> bits if boards.itemsize == 4 else smallest


def place_of(numbers: Any, first: Any, last: Any, wanted: Any) -> Any:
    """Return the first index from `first` to `last` - 1 with a number >= `wanted`, else `last`; numbers ascend."""
    while first < last:
        middle = (first + last) // 2
        if np.int64(numbers[middle]) < wanted:
            first = middle + 1
        else:
            last = middle
    return first
