"""The sliding-tile puzzle for the compiled engine.

The state of a board of up to 16 cells is one word, and a move changes two cells of the word. Larger boards are handled
tile by tile. For incremental heuristics, a move is described by the tile that moves and the cells it leaves and enters.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import InPlace, PackedForm, Words, trailing_zeros

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab import Board

MOVE = ("tile", "source", "target")
DIRECTIONS = ((-1, 0), (0, -1), (0, 1), (1, 0))
"""The moves of the blank: up, left, right, down."""
MOST_CELLS_IN_A_WORD = 16
MOST_CELLS_IN_PLACE = 64
BITS = 4
LOWEST_BITS = 0x1111111111111111
U: Any = np.uint64
I: Any = np.int64  # noqa: E741 - the twin of U


def packed_form(board: Board, goal_tiles: NDArray[np.int64], has_unit_cost: bool) -> PackedForm:
    """Return the compiled rules for boards of this shape; `goal_tiles` are the tiles of the goal, shape (cells,)."""
    return form_of(board.shape, tuple(goal_tiles.tolist()), has_unit_cost)


@lru_cache(maxsize=64)
def form_of(shape: tuple[int, int], goal: tuple[int, ...], has_unit_cost: bool) -> PackedForm:
    """Return the compiled rules for boards of a shape with a goal, the same object each time."""
    cells = len(goal)
    one_word = cells <= MOST_CELLS_IN_A_WORD
    on_tiles, on_words = (successors, expand) if has_unit_cost else (successors_with_costs, expand_with_costs)
    reached, goal_tiles = neighbors(shape), np.array(goal, I)
    tables: dict[str, Any] = {"neighbors": reached, "goal_tiles": goal_tiles}
    if one_word:
        tables["goal_word"] = int(np.bitwise_or.reduce(goal_tiles.astype(U) << U(BITS) * np.arange(cells, dtype=U)))
    return PackedForm(
        values=cells,
        max_successors=4,
        successors=on_tiles,
        is_goal=is_goal,
        bits=BITS if one_word else 0,
        words=Words(successors=on_words, is_goal=is_packed_goal) if one_word else Words(),
        move=MOVE,
        in_place=InPlace(blank, reached[:, :4], slide, is_goal_in_place, describe, slides=True)
        if cells <= MOST_CELLS_IN_PLACE and has_unit_cost
        else None,
        tables=tables,
    )


@lru_cache(maxsize=64)
def neighbors(shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return the cells that the blank can move to from each cell, padded with -1, and their number: (cells, 5)."""
    rows, columns = shape
    table = np.full((rows * columns, 5), -1, np.int64)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        reached = [
            (row + down) * columns + column + right
            for down, right in DIRECTIONS
            if 0 <= row + down < rows and 0 <= column + right < columns
        ]
        table[cell, : len(reached)] = reached
        table[cell, 4] = len(reached)
    table.setflags(write=False)
    return table


def expand(words: Any, out: Any, moves: Any, chosen: Any, neighbors: Any) -> int:
    """Write the packed states after all moves of the blank, or only after the chosen moves."""
    state = words[0]
    blank = trailing_zeros(I(filled_cells(state) ^ U(LOWEST_BITS))) >> 2
    count: int = neighbors[blank, 4]
    for k in range(count):
        cell = neighbors[blank, k]
        shift = U(BITS * cell)
        tile = (state >> shift) & U(15)
        if chosen is None or chosen[k]:
            out[k, 0] = (state ^ (tile << shift)) | (tile << U(BITS * blank))
        moves[k, 0] = I(tile)
        moves[k, 1] = cell
        moves[k, 2] = blank
    return count


def expand_with_costs(words: Any, out: Any, moves: Any, costs: Any, chosen: Any, neighbors: Any, tile_cost: Any) -> int:
    """Write the packed states as `expand` does, and the cost of each move."""
    count = expand(words, out, moves, chosen, neighbors)
    for k in range(count):
        costs[k] = tile_cost[moves[k, 0]]
    return count


def misplaced(words: Any, goal_word: int) -> int:
    """Count the misplaced tiles in one step: a multiplication adds up the marks of all cells in the top bits."""
    off = words[0] ^ U(goal_word)
    wrong = filled_cells(words[0]) & filled_cells(off)
    count: int = I((wrong * U(LOWEST_BITS)) >> U(60))
    return count


def filled_cells(state: Any) -> Any:
    """Return the lowest bit of each cell that is not 0."""
    return (state | state >> U(1) | state >> U(2) | state >> U(3)) & U(LOWEST_BITS)


def is_packed_goal(words: Any, goal_word: int) -> bool:
    """Return whether a state equals the word of the goal."""
    same: bool = words[0] == U(goal_word)
    return same


def successors(tiles: Any, out: Any, moves: Any, chosen: Any, neighbors: Any) -> int:
    """Write the boards after all moves of the blank, or only after the chosen moves."""
    rows, columns = tiles.shape
    blank = 0
    for row in range(rows):
        for column in range(columns):
            blank += (row * columns + column) * (tiles[row, column] == 0)
    count: int = neighbors[blank, 4]
    for k in range(count):
        cell = neighbors[blank, k]
        tile = tiles[cell // columns, cell % columns]
        if chosen is None or chosen[k]:
            for row in range(rows):
                for column in range(columns):
                    out[k, row, column] = tiles[row, column]
            out[k, blank // columns, blank % columns] = tile
            out[k, cell // columns, cell % columns] = 0
        moves[k, 0] = tile
        moves[k, 1] = cell
        moves[k, 2] = blank
    return count


def successors_with_costs(
    tiles: Any, out: Any, moves: Any, costs: Any, chosen: Any, neighbors: Any, tile_cost: Any
) -> int:
    """Write the boards as `successors` does, and the cost of each move."""
    count = successors(tiles, out, moves, chosen, neighbors)
    for k in range(count):
        costs[k] = tile_cost[moves[k, 0]]
    return count


def is_goal(tiles: Any, goal_row: Any, goal_col: Any) -> bool:
    """Return whether every tile is at its goal cell."""
    rows, columns = tiles.shape
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if goal_row[tile] != row or goal_col[tile] != column:
                return False
    return True


def blank(cells: Any) -> int:
    """Return the blank's cell."""
    cell = 0
    while cells[cell] != 0:
        cell += 1
    return cell


def slide(cells: Any, place: int, to: int) -> None:
    """Move the blank from one cell to a neighbouring one."""
    cells[place] = cells[to]
    cells[to] = 0


def describe(cells: Any, place: int, to: int) -> tuple[int, int, int]:
    """Return the tile that a move of the blank moves, and the cells it leaves and enters."""
    return cells[to] & (MOST_CELLS_IN_PLACE - 1), to, place  # tells the compiler that no tile is negative


def is_goal_in_place(cells: Any, place: int, goal_tiles: Any) -> bool:
    """Return whether every tile is at its goal cell; the blank is tested first."""
    cell = 0
    if goal_tiles[place] == 0:
        while cell < len(cells) and cells[cell] == goal_tiles[cell]:
            cell += 1
    return cell == len(cells)
