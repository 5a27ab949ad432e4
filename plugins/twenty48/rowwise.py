"""4 × 4 boards of 2048 with goals up to 32768: one 64-bit word, four bits per cell, and tables of whole rows.

Bits 0 … 15 are the first row, with the first cell in the lowest bits. A cell holds the exponent of its tile, or 0 for a
blank.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab_plugins.twenty48.slides import exponents_after_slides

if TYPE_CHECKING:
    from numpy.typing import NDArray

U: Any = np.uint64
VALUES = 16
"""The number of exponents that a cell has room for."""
ROW = U(0xFFFF)
CORNER_CELL = U(0xF000)
"""The upper-right cell: the last four bits of the first row."""
TWO_IN_CORNER = U(0x1000)


def expand(words: Any, out: Any, terminal: Any, slid: Any, spawn: str) -> int:
    """Write the packed boards after each swipe (up, down, left, right) that is a move."""
    board = words[0]
    columns = transpose(board)
    count = 0
    for direction in range(4):
        lines = columns if direction < 2 else board
        after = slide_rows(slid, direction % 2, lines)
        if after == lines:
            continue
        if direction < 2:
            after = transpose(after)
        spawned = after | spawned_two(after, spawn == "corner")
        terminal[count] = spawned == after
        if spawned != after or spawn == "corner":
            out[count, 0] = spawned
            count += 1
    return count


def slide_rows(slid: Any, towards_end: int, board: Any) -> Any:
    """Return a packed board with all four rows slid, by looking them up in a table."""
    return (
        U(slid[towards_end, board & ROW])
        | U(slid[towards_end, (board >> U(16)) & ROW]) << U(16)
        | U(slid[towards_end, (board >> U(32)) & ROW]) << U(32)
        | U(slid[towards_end, board >> U(48)]) << U(48)
    )


def spawned_two(board: Any, only_corner: bool) -> Any:
    """Return the packed 2 that appears, or 0 if there is no room."""
    if not board & CORNER_CELL:
        return TWO_IN_CORNER
    for row in range(1, 1 if only_corner else 4):
        if not board & (CORNER_CELL << U(16 * row)):
            return TWO_IN_CORNER << U(16 * row)
    return U(0)


def transpose(board: Any) -> Any:
    """Return a packed board with rows and columns exchanged: first within 2 × 2 blocks, then the blocks."""
    differing = (board ^ (board >> U(12))) & U(0x0000F0F00000F0F0)
    board = board ^ differing ^ (differing << U(12))
    differing = (board ^ (board >> U(24))) & U(0x00000000FF00FF00)
    return board ^ differing ^ (differing << U(24))


def is_packed_goal(words: Any, goal_exponent: int) -> bool:
    """Return whether the exponent of any cell has reached that of the goal: then adding 16 − goal carries."""
    missing = U(0x0101010101010101) * U(16 - goal_exponent)
    even = (words[0] & U(0x0F0F0F0F0F0F0F0F)) + missing
    odd = ((words[0] >> U(4)) & U(0x0F0F0F0F0F0F0F0F)) + missing
    carries: bool = ((even | odd) & U(0x1010101010101010)) != U(0)
    return carries


@cache
def slid_rows() -> NDArray[np.uint16]:
    """Return each packed row slid towards its first cell, and towards its last, shape (2, 65536)."""
    table = np.zeros((2, 1 << 16), np.uint16)
    for towards_end in (0, 1):
        for cell, exponents in enumerate(exponents_after_slides(bool(towards_end))):
            # Two 32768s never meet in this form; the exponent of their sum would not fit into four bits.
            table[towards_end] |= np.minimum(exponents, VALUES - 1).astype(np.uint16) << np.uint16(4 * cell)
    return table
