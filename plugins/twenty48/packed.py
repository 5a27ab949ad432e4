"""2048 for the compiled engine: 4 × 4 boards by tables of whole rows, any other size cell by cell.

A board with the goal is not expanded, so only a start board can have a tile above the goal, and it is a goal then.
Therefore log2 of the largest such tile + 1 values per cell are enough.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from searchlab import PackedForm, Words
from searchlab_plugins.twenty48 import bytewise, rowwise
from searchlab_plugins.twenty48.slides import slide_all

if TYPE_CHECKING:
    from typing import Any

    from searchlab import Board


def packed_form(board: Board, goal: int) -> PackedForm:
    """Return the compiled rules for boards of this size; tiles above the goal may merge once more."""
    return form_of(board.n, goal, max(goal, 2 * board.largest_tile()).bit_length())


@cache
def form_of(n: int, goal: int, values: int) -> PackedForm:
    """Return the compiled rules for boards of a size, with `values` values per cell, the same object each time."""
    form = PackedForm(values=values, powers_of_two=True, max_successors=4, successors=successors, is_goal=is_goal)
    if n == 4 and values <= rowwise.VALUES:
        tables = {"slid": rowwise.slid_rows(), "goal_exponent": goal.bit_length() - 1}
        words = Words(successors=rowwise.expand, is_goal=rowwise.is_packed_goal)
        return replace(form, bits=4, words=words, tables=tables)
    if n == 4 and values == goal.bit_length() == bytewise.VALUES:
        tables = {"slid_bytes": bytewise.slid_bytes()}
        words = Words(successors=bytewise.expand, is_goal=bytewise.is_goal)
        return replace(form, bits=8, words=words, tables=tables)
    return form


def successors(tiles: Any, out: Any, terminal: Any, spawn: str) -> int:
    """Write the boards after each swipe (up, down, left, right) that is a move."""
    count = 0
    for direction in range(4):
        changed = slide_all(tiles, out[count], direction)
        if changed:
            room = spawn_two(out[count], spawn == "corner")
            terminal[count] = not room
            if room or spawn == "corner":
                count += 1
    return count


def spawn_two(tiles: Any, only_corner: bool) -> bool:
    """Put a 2 into its cell; return False if there is no room."""
    n = len(tiles)
    for row in range(1 if only_corner else n):
        if tiles[row, n - 1] == 0:
            tiles[row, n - 1] = 2
            return True
    return False


def is_goal(tiles: Any, goal: int) -> bool:
    """Return whether any tile has reached the goal."""
    reached = False
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            reached |= tiles[row, column] >= goal
    return reached
