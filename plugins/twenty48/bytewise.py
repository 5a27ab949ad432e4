"""4 × 4 boards of 2048 with goal 65536: a byte per cell, two rows per word, and tables of whole rows.

A board that is expanded does not contain the goal, so its exponents fit into four bits and index the tables. A slid row
may contain the exponent of the goal, 16, which does not fit.

    word 0: row 0 in the low half, row 1 in the high half; word 1: rows 2 and 3; the first cell lowest
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab_plugins.twenty48.rowwise import transpose
from searchlab_plugins.twenty48.slides import exponents_after_slides

if TYPE_CHECKING:
    from numpy.typing import NDArray

U: Any = np.uint64
VALUES = 17
"""The number of exponents of a cell: 0 … 16."""
NIBBLES = 0xFFFF
LAST_CELL = 0xFF000000
"""The last cell of a row of four bytes."""
TWO = 0x01000000
"""A 2 in that cell."""


def expand(words: Any, out: Any, terminal: Any, slid_bytes: Any, spawn: str) -> int:
    """Write the packed boards after each swipe (up, down, left, right) that is a move."""
    board = nibbles(words[0]) | nibbles(words[1]) << U(32)
    columns = transpose(board)
    count = 0
    for direction in range(4):
        first, second = slide(columns if direction < 2 else board, direction, slid_bytes)
        if first == words[0] and second == words[1]:
            continue
        room = True
        if not first & U(LAST_CELL):
            first |= U(TWO)
        elif spawn == "corner":
            room = False
        elif not first >> U(32) & U(LAST_CELL):
            first |= U(TWO) << U(32)
        elif not second & U(LAST_CELL):
            second |= U(TWO)
        elif not second >> U(32) & U(LAST_CELL):
            second |= U(TWO) << U(32)
        else:
            room = False
        if room or spawn == "corner":
            out[count, 0] = first
            out[count, 1] = second
            terminal[count] = not room
            count += 1
    return count


def slide(lines: Any, direction: int, slid_bytes: Any) -> tuple[Any, Any]:
    """Return both words after a swipe; `lines` are the rows, or columns, with four bits per cell."""
    first = U(0)
    second = U(0)
    for line in range(4):
        after = U(slid_bytes[direction % 2, (lines >> U(16 * line)) & U(NIBBLES)])
        if direction < 2:
            # The bytes of a column go to the same position in each row.
            first |= ((after & U(0xFF)) | (after & U(0xFF00)) << U(24)) << U(8 * line)
            second |= ((after >> U(16)) & U(0xFF) | (after >> U(24)) << U(32)) << U(8 * line)
        elif line < 2:
            first |= after << U(32 * line)
        else:
            second |= after << U(32 * line - 64)
    return first, second


def nibbles(word: Any) -> Any:
    """Convert eight cells of a byte each to cells of four bits, in the low half of a word."""
    word = (word | word >> U(4)) & U(0x00FF00FF00FF00FF)
    word = (word | word >> U(8)) & U(0x0000FFFF0000FFFF)
    return (word | word >> U(16)) & U(0x00000000FFFFFFFF)


def is_goal(words: Any) -> bool:
    """Return whether a cell holds the exponent 16, the only exponent with this bit."""
    found: bool = ((words[0] | words[1]) & U(0x1010101010101010)) != U(0)
    return found


@cache
def slid_bytes() -> NDArray[np.uint32]:
    """Return each row slid towards its first cell, and towards its last, with a byte per cell: shape (2, 65536)."""
    table = np.empty((2, 1 << 16), np.uint32)
    for towards_end in (0, 1):
        after = exponents_after_slides(bool(towards_end)).astype(np.uint32)
        table[towards_end] = np.bitwise_or.reduce(after << np.array([[0], [8], [16], [24]], np.uint32))
    return table
