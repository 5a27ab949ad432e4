"""2048 for the compiled engine: 4 × 4 by tables of whole rows, any other size cell by cell.

No board is expanded that holds the goal, so no tile above the goal ever appears, and log2(goal) + 1 values a
cell are enough. A 4 × 4 board with a goal up to 32768 is one 64-bit word, four bits a cell, row by row.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from searchlab import PackedForm
from searchlab_plugins.twenty48.slides import slide_lines

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from searchlab import Board

U = np.uint64
ROW = U(0xFFFF)
CORNER_CELL = U(0xF000)
"""The upper-right cell of a packed 4 × 4 board: the last four bits of the first row."""
TWO_IN_CORNER = U(0x1000)


def packed_form(board: Board, goal: int) -> PackedForm:
    """Return the compiled rules for boards of this size."""
    values = goal.bit_length()
    rows_fit = board.n == 4 and values <= 16
    return PackedForm(
        values=values,
        powers_of_two=True,
        max_successors=4,
        successors=successors,
        is_goal=is_goal,
        bits=4 if rows_fit else 0,
        expand=expand if rows_fit else None,
        is_packed_goal=is_packed_goal if rows_fit else None,
        tables={"slid": slid_rows(), "goal_exponent": values - 1} if rows_fit else {},
    )


def successors(tiles: Any, out: Any, terminal: Any, spawn: str) -> int:
    """Write the boards after a swipe up, down, left and right that are moves."""
    count = 0
    for direction in range(4):
        changed = slide_all(tiles, out[count], direction)
        if changed:
            room = spawn_two(out[count], spawn == "corner")
            terminal[count] = not room
            if room or spawn == "corner":
                count += 1
    return count


def slide_all(tiles: Any, out: Any, direction: int) -> bool:
    """Write the board after a swipe (0 up, 1 down, 2 left, 3 right); return whether it changed anything."""
    n = len(tiles)
    changed = False
    for line in range(n):
        filled = 0
        last = 0
        for step in range(n):
            position = n - 1 - step if direction % 2 else step
            tile = tiles[position, line] if direction < 2 else tiles[line, position]
            if tile == 0:
                continue
            merges = tile == last
            filled += not merges
            target = n - filled if direction % 2 else filled - 1
            value = 2 * tile if merges else tile
            last = 0 if merges else tile
            changed |= merges or target != position
            if direction < 2:
                out[target, line] = value
            else:
                out[line, target] = value
        for rest in range(filled, n):
            target = n - 1 - rest if direction % 2 else rest
            if direction < 2:
                out[target, line] = 0
            else:
                out[line, target] = 0
    return changed


def spawn_two(tiles: Any, only_corner: bool) -> bool:
    """Put a 2 where the rule wants it; return False if there is no room."""
    n = len(tiles)
    for row in range(1 if only_corner else n):
        if tiles[row, n - 1] == 0:
            tiles[row, n - 1] = 2
            return True
    return False


def is_goal(tiles: Any, goal: int) -> bool:
    """Return whether some tile has reached the goal."""
    reached = False
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            reached |= tiles[row, column] >= goal
    return reached


def expand(words: Any, out: Any, terminal: Any, slid: Any, spawn: str) -> int:
    """Write the packed boards after a swipe up, down, left and right that are moves."""
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
    """Return a packed board with its four rows slid by table."""
    return (
        U(slid[towards_end, board & ROW])
        | U(slid[towards_end, (board >> U(16)) & ROW]) << U(16)
        | U(slid[towards_end, (board >> U(32)) & ROW]) << U(32)
        | U(slid[towards_end, board >> U(48)]) << U(48)
    )


def spawned_two(board: Any, only_corner: bool) -> Any:
    """Return the packed 2 that appears, 0 if there is no room."""
    if not board & CORNER_CELL:
        return TWO_IN_CORNER
    for row in range(1, 1 if only_corner else 4):
        if not board & (CORNER_CELL << U(16 * row)):
            return TWO_IN_CORNER << U(16 * row)
    return U(0)


def transpose(board: Any) -> Any:
    """Return a packed board with rows and columns exchanged: first within 2 × 2 blocks, then the blocks."""
    inner = (
        (board & U(0xF0F00F0FF0F00F0F))
        | ((board & U(0x0000F0F00000F0F0)) << U(12))
        | ((board & U(0x0F0F00000F0F0000)) >> U(12))
    )
    return (
        (inner & U(0xFF00FF0000FF00FF))
        | ((inner & U(0x00FF00FF00000000)) >> U(24))
        | ((inner & U(0x00000000FF00FF00)) << U(24))
    )


def is_packed_goal(words: Any, goal_exponent: int) -> bool:
    """Return whether some cell's exponent has reached the goal's: then adding 16 − goal makes it carry."""
    missing = U(0x0101010101010101) * U(16 - goal_exponent)
    even = (words[0] & U(0x0F0F0F0F0F0F0F0F)) + missing
    odd = ((words[0] >> U(4)) & U(0x0F0F0F0F0F0F0F0F)) + missing
    carries: bool = ((even | odd) & U(0x1010101010101010)) != U(0)
    return carries


@cache
def slid_rows() -> NDArray[np.uint16]:
    """Return a (2, 65536) table: each packed row slid towards its first cell, and towards its last."""
    rows = np.arange(1 << 16)
    exponents = np.stack([(rows >> shift) & 15 for shift in (0, 4, 8, 12)])
    faces = (1 << exponents) & ~1
    table = np.empty((2, 1 << 16), np.uint16)
    for towards_end in (0, 1):
        order = slice(None, None, -1) if towards_end else slice(None)
        after = slide_lines(faces[order])[order]
        # Two 32768s cannot meet where this form is used; their sum would not fit into four bits.
        packed = [np.minimum(np.frexp(tiles)[1] - (tiles != 0), 15) << (4 * k) for k, tiles in enumerate(after)]
        table[towards_end] = np.bitwise_or.reduce(packed)
    return table
