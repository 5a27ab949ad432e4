"""2048 with random tiles for the compiled engine: the boards after a swipe, and the boards after a random tile.

4 × 4 boards are slid by tables of whole rows. A cell has four bits as long as the sum of the tiles is too small for two
32768s to meet soon, and a byte otherwise. Boards of any other size are slid cell by cell.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import PackedForm, Words, next_raw, trailing_zeros
from searchlab_plugins.twenty48 import bytewise, packed, rowwise
from searchlab_plugins.twenty48.slides import ACTIONS, exponents_after_slides, slide_all, slide_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab import Board

U: Any = np.uint64
ANY = "any"
"""The value of `offers` with which tiles are drawn for all cells, and refused on occupied cells."""
ALL_VALUES = 63
"""The number of exponents: 0 for a blank, and 1 … 62 for the tiles up to 2^62."""
LARGEST_SUM_IN_NIBBLES = 65_000
"""The limit for four bits per cell: 536 less than two 32768s, so a hundred tiles appear before two can meet."""
LARGEST_NIBBLE_TILE = 2 ** (rowwise.VALUES - 1)
NIBBLE = U(0x1111111111111111)
"""The lowest bit of each cell of four bits."""
NOT_LAST_ROW = U(0x0000111111111111)
NOT_LAST_COLUMN = U(0x0111011101110111)
"""The same bits, without the cells of the last row, or of the last column."""
BYTE = U(0x0101010101010101)
"""The lowest bit of each cell of a byte."""
TALL = U(0xF0F0F0F0F0F0F0F0)
"""The high bits of each byte, which only exponents above 15 have; such exponents are in no table."""


def packed_form(board: Board, stop_at: int) -> PackedForm:
    """Return the compiled rules for boards like this one, the same object each time."""
    return _form(board.n, stop_at, in_nibbles=sum(board.tiles.ravel().tolist()) < LARGEST_SUM_IN_NIBBLES)


@cache
def _form(n: int, stop_at: int, *, in_nibbles: bool) -> PackedForm:
    common: dict[str, Any] = {
        "max_successors": 4,
        "successors": successors,
        "is_goal": is_goal,
        "powers_of_two": True,
        "chances": chances,
        "most_chances": 2 * n * n,
        "draws": draws,
        "actions": ACTIONS,
        "legal": legal,
    }
    if n == 4 and in_nibbles:
        stops = 0 < stop_at <= LARGEST_NIBBLE_TILE
        return PackedForm(
            values=rowwise.VALUES,
            bits=4,
            words=Words(
                successors=expand_nibbles,
                is_goal=rowwise.is_packed_goal if stops else never,
                chances=chances_of_nibbles,
                draws=draws_in_nibbles,
                legal=legal_nibbles,
                outgrown=has_two_largest,
            ),
            tables={
                "slid": rowwise.slid_rows(),
                "earned": earned_by_rows(),
                "goal_exponent": stop_at.bit_length() - 1,
            },
            **common,
        )
    if n == 4:
        return PackedForm(
            values=ALL_VALUES,
            bits=8,
            words=Words(successors=expand_bytes, is_goal=None if stop_at else never, chances=chances_of_bytes),
            tables={"slid_bytes": bytewise.slid_bytes()},
            **common,
        )
    if in_nibbles:
        return PackedForm(values=rowwise.VALUES, words=Words(outgrown=has_two_largest), **common)
    return PackedForm(values=ALL_VALUES, **common)


def successors(tiles: Any, out: Any, points: Any, idle: bool) -> int:
    """Write the boards after each swipe (up, down, left, right) that is a move."""
    if idle and not has_blank(tiles):
        return 0
    before = np.int64(0) if points is None else worth(tiles)
    count = 0
    for direction in range(4):
        if slide_all(tiles, out[count], direction) or idle:
            if points is not None:
                points[count] = worth(out[count]) - before
            count += 1
    return count


def legal(tiles: Any, idle: bool) -> Any:
    """Return which swipes up, down, left and right are moves, computed by NumPy, shape (boards, 4)."""
    if idle:
        return np.repeat((tiles == 0).any(axis=(1, 2))[:, None], 4, axis=1)
    if len(tiles) == 1:
        return np.array([legal_of_rows(tiles[0].tolist())])
    cells = np.ascontiguousarray(np.moveaxis(tiles, 0, -1))  # boards on the last axis: NumPy is slow along short axes
    found = np.empty((4, len(tiles)), bool)
    for axis, (first, second) in enumerate(((cells[:-1], cells[1:]), (cells[:, :-1], cells[:, 1:]))):
        filled, alike = (first != 0, second != 0), first == second
        for direction in range(2):
            of, to = filled[1 - direction], filled[direction]
            (of & (alike | ~to)).any(axis=(0, 1), out=found[2 * axis + direction])
    return found.T


def legal_of_rows(rows: list[list[int]]) -> tuple[bool, bool, bool, bool]:
    """Return which swipes are moves of a single board; NumPy would take longer."""
    found = []
    for lines in (zip(*rows, strict=True), rows):
        towards_start = towards_end = False
        for line in lines:
            for first, second in pairwise(line):
                if first == second:
                    towards_start |= second != 0
                    towards_end |= second != 0
                else:
                    towards_start |= first == 0
                    towards_end |= second == 0
        found += [towards_start, towards_end]
    up, down, left, right = found
    return up, down, left, right


def worth(tiles: Any) -> Any:
    """Return the points for making the tiles of a board from 2s, modulo 2^64; differences are exact."""
    total = np.int64(0)
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            if tile:
                total += np.int64(trailing_zeros(tile) - 1) * tile
    return total


def has_blank(tiles: Any) -> bool:
    """Return whether any cell is blank."""
    found = False
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            found |= tiles[row, column] == 0
    return found


def is_goal(tiles: Any, stop_at: int) -> bool:
    """Return whether the tile that ends the game is on the board."""
    return stop_at > 0 and packed.is_goal(tiles, stop_at)


def has_two_largest(words: Any) -> bool:
    """Return whether a board has two tiles of the largest size that fits into four bits, so that these could merge."""
    seen = 0
    for word in words:
        largest = word & word >> U(1)
        largest &= largest >> U(2) & NIBBLE
        seen += count_bits(largest)
    return seen > 1


def never(words: Any) -> bool:
    """Return False: no tile ends the game."""
    return False


def chances(tiles: Any, out: Any, probabilities: Any, p2: float) -> int:
    """Write the boards with a 2 and with a 4 in each blank cell, row by row."""
    n = len(tiles)
    blanks = 0
    for row in range(n):
        for column in range(n):
            blanks += tiles[row, column] == 0
    count = 0
    for row in range(n):
        for column in range(n):
            if tiles[row, column] != 0:
                continue
            if p2 > 0:
                put(tiles, out[count], row, column, 2)
                probabilities[count] = p2 / blanks
                count += 1
            if p2 < 1:
                put(tiles, out[count], row, column, 4)
                probabilities[count] = (1 - p2) / blanks
                count += 1
    return count


def draws(tiles: Any, out: Any, random: Any, p2: float, offers: str) -> int:
    """Write the board with a randomly drawn tile."""
    n = len(tiles)
    blanks = 0
    for row in range(n):
        for column in range(n):
            blanks += tiles[row, column] == 0
    while blanks:
        drawn = next_raw(random)
        value = 2 if is_two(drawn, p2) else 4
        wanted = numbered(drawn, n * n if offers == ANY else blanks)
        for row in range(n):
            for column in range(n):
                is_blank = tiles[row, column] == 0
                if wanted == 0 and is_blank:
                    put(tiles, out[0], row, column, value)
                    return 1
                wanted -= is_blank or offers == ANY
    return 0


def is_two(drawn: Any, p2: float) -> bool:
    """Return whether a raw random number makes a 2 instead of a 4."""
    return float(drawn & U(0xFFFFFFFF)) < p2 * 4294967296.0


def numbered(drawn: Any, cells: int) -> Any:
    """Return the index of the cell, of `cells` cells, that a raw random number selects."""
    return np.int64((drawn >> U(32)) * U(cells) >> U(32))


def put(tiles: Any, out: Any, at_row: int, at_column: int, value: int) -> None:
    """Write a board with one more tile, cell by cell: this compiles seconds faster than `out[:] = tiles`."""
    n = len(tiles)
    for row in range(n):
        for column in range(n):
            out[row, column] = tiles[row, column]
    out[at_row, at_column] = value


def expand_nibbles(words: Any, out: Any, points: Any, slid: Any, earned: Any, idle: bool) -> int:
    """Write the packed boards after each swipe (up, down, left, right) that is a move."""
    board = words[0]
    if idle and blank_nibbles(board) == U(0):
        return 0
    columns = rowwise.transpose(board)
    count = 0
    for direction in range(4):
        lines = columns if direction < 2 else board
        after = rowwise.slide_rows(slid, direction % 2, lines)
        # Written even if the swipe is not a move: a branch would be unpredictable, and there is room for four boards.
        out[count, 0] = rowwise.transpose(after) if direction < 2 else after
        if points is not None:
            points[count] = sum_of_rows(earned, lines)
        count += after != lines or idle
    return count


def sum_of_rows(of_rows: Any, board: Any) -> Any:
    """Return the sum of a table's values for the four packed rows."""
    return (
        of_rows[board & rowwise.ROW]
        + of_rows[(board >> U(16)) & rowwise.ROW]
        + of_rows[(board >> U(32)) & rowwise.ROW]
        + of_rows[board >> U(48)]
    )


def blank_nibbles(board: Any) -> Any:
    """Return the lowest bit of each blank cell of four bits."""
    filled = board | board >> U(2)
    return ~(filled | filled >> U(1)) & NIBBLE


def chances_of_nibbles(words: Any, out: Any, probabilities: Any, p2: float) -> int:
    """Write the packed boards with a 2 and with a 4 in each blank cell, row by row."""
    board = words[0]
    free = blank_nibbles(board)
    blanks = count_bits(free)
    count = 0
    while free != U(0):
        rest = free & (free - U(1))
        two = free ^ rest
        if p2 > 0:
            out[count, 0] = board | two
            probabilities[count] = p2 / blanks
            count += 1
        if p2 < 1:
            out[count, 0] = board | two << U(1)
            probabilities[count] = (1 - p2) / blanks
            count += 1
        free = rest
    return count


def legal_nibbles(words: Any, idle: bool) -> int:
    """Return which swipes up, down, left and right are moves, as bits."""
    board = words[0]
    blank = blank_nibbles(board)
    if idle:
        return 15 if blank != U(0) else 0
    legal = 0
    for axis in range(2):
        apart, inside = (U(16), NOT_LAST_ROW) if axis == 0 else (U(4), NOT_LAST_COLUMN)
        first, second = blank & inside, blank >> apart & inside
        alike = blank_nibbles(board ^ board >> apart) & inside & ~first
        legal |= int(((first & ~second) | alike) != U(0)) << 2 * axis
        legal |= int(((second & ~first) | alike) != U(0)) << 2 * axis + 1
    return legal


def draws_in_nibbles(words: Any, out: Any, random: Any, p2: float, offers: str) -> int:
    """Write the packed board with a randomly drawn tile."""
    board = words[0]
    free = blank_nibbles(board)
    while free != U(0):
        drawn = next_raw(random)
        if offers == ANY:
            two = U(1) << U(4 * numbered(drawn, 16))
        else:
            left = free
            for _ in range(numbered(drawn, count_bits(free))):
                left &= left - U(1)
            two = left & ~(left - U(1))
        if free & two != U(0):
            out[0, 0] = board | (two if is_two(drawn, p2) else two << U(1))
            return 1
    return 0


def count_bits(word: Any) -> int:
    """Return the number of set bits."""
    count = 0
    while word != U(0):
        word &= word - U(1)
        count += 1
    return count


def expand_bytes(words: Any, out: Any, points: Any, slid_bytes: Any, idle: bool) -> int:
    """Write the packed boards after each swipe (up, down, left, right) that is a move."""
    if idle and (blank_bytes(words[0]) | blank_bytes(words[1])) == U(0):
        return 0
    tall = ((words[0] | words[1]) & TALL) != U(0)
    board = bytewise.nibbles(words[0]) | bytewise.nibbles(words[1]) << U(32)
    columns = rowwise.transpose(board)
    before = np.int64(0) if points is None else worth_of_bytes(words)
    count = 0
    for direction in range(4):
        if tall:
            first, second = slide_cells(words, direction)
        else:
            first, second = bytewise.slide(columns if direction < 2 else board, direction, slid_bytes)
        if first != words[0] or second != words[1] or idle:
            out[count, 0] = first
            out[count, 1] = second
            if points is not None:
                points[count] = worth_of_bytes(out[count]) - before
            count += 1
    return count


def worth_of_bytes(words: Any) -> Any:
    """Return the points for making the tiles of a board, as `worth` does."""
    total = np.int64(0)
    for word in words:
        rest = word
        while rest != U(0):
            exponent = np.int64(rest & U(0xFF))
            total += (exponent - 1) * ((np.int64(1) << exponent) & np.int64(-2))
            rest >>= U(8)
    return total


def blank_bytes(word: Any) -> Any:
    """Return the lowest bit of each blank cell of a byte."""
    filled = word | word >> U(4)
    filled |= filled >> U(2)
    return ~(filled | filled >> U(1)) & BYTE


def chances_of_bytes(words: Any, out: Any, probabilities: Any, p2: float) -> int:
    """Write the packed boards with a 2 and with a 4 in each blank cell, row by row."""
    blanks = count_bits(blank_bytes(words[0])) + count_bits(blank_bytes(words[1]))
    count = 0
    for half in range(2):
        free = blank_bytes(words[half])
        while free != U(0):
            rest = free & (free - U(1))
            two = free ^ rest
            if p2 > 0:
                out[count, 1 - half] = words[1 - half]
                out[count, half] = words[half] | two
                probabilities[count] = p2 / blanks
                count += 1
            if p2 < 1:
                out[count, 1 - half] = words[1 - half]
                out[count, half] = words[half] | two << U(1)
                probabilities[count] = (1 - p2) / blanks
                count += 1
            free = rest
    return count


@cache
def earned_by_rows() -> NDArray[np.int32]:
    """Return the points of sliding each packed row, shape (65536,); both directions earn the same."""
    rows = np.arange(1 << 16)
    before = np.stack([(rows >> shift) & 15 for shift in (0, 4, 8, 12)])
    of_tiles = np.array([0, *((exponent - 1) << exponent for exponent in range(1, rowwise.VALUES + 1))])
    earned: NDArray[np.int64] = (of_tiles[exponents_after_slides(False)] - of_tiles[before]).sum(axis=0)
    return earned.astype(np.int32)
