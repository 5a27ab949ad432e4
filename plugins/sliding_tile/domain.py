"""The rules of the sliding-tile puzzle (n-puzzle): a tile beside the blank slides into it.

Actions name the direction in which the blank moves. With `goal=blank-last` the goal is 1, 2, … row by row and the blank
last, with `goal=blank-first` the blank comes first (the convention of Korf's positions).

A move costs 1. With `cost=heavy` it costs the number of the tile that slides, with `cost=inverse` 1 over this number
(Thayer and Ruml 2011).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Domain, Parameter
from searchlab_plugins.sliding_tile.packed import packed_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from searchlab import PackedForm

BLANK_LAST, BLANK_FIRST = "blank-last", "blank-first"
UNIT, HEAVY, INVERSE = "unit", "heavy", "inverse"
MOVES = (("up", -1, 0), ("left", 0, -1), ("right", 0, 1), ("down", 1, 0))
SMALLEST_SIDE = 2
LARGEST_WITH_DISTANCES = 8


def successors(board: Board, cost: str = UNIT) -> Iterator[tuple[str, Board, float]]:
    """Yield (action, board, cost) for the moves of the blank: up, left, right, down."""
    n = board.n
    row, column = _blank(board)
    for action, down, right in MOVES:
        if 0 <= row + down < n and 0 <= column + right < n:
            tiles = board.tiles.copy()
            tile = tiles.item(row + down, column + right)
            tiles[row, column], tiles[row + down, column + right] = tile, 0
            yield action, Board(tiles), cost_of(tile, cost)


def cost_of(tile: int, cost: str) -> float:
    """Return what it costs to slide a tile by one cell."""
    return 1 if cost == UNIT else tile if cost == HEAVY else 1 / tile


def motions(board: Board, action: str, after: Board) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield from where to where the tile slides that changes places with the blank, as (row, column)."""
    yield _blank(after), _blank(board)


def _blank(board: Board) -> tuple[int, int]:
    """Return the row and column of the blank."""
    tiles = board.tiles.ravel().tolist()
    return divmod(tiles.index(min(tiles)), board.shape[1])


def is_goal(board: Board, goal: str) -> bool:
    """Return whether every tile is at its goal cell."""
    return board.tiles.tobytes() == goal_tiles(board.n, goal).tobytes()


def goals(board: Board, goal: str) -> Iterator[Board]:
    """Yield the one goal that boards of this size have."""
    yield Board(goal_tiles(board.n, goal).reshape(board.shape))


@lru_cache(maxsize=64)
def goal_tiles(n: int, goal: str) -> NDArray[np.int64]:
    """Return the tiles of the goal, shape (n²,), not to be written to."""
    tiles = np.roll(np.arange(n * n), -1) if goal == BLANK_LAST else np.arange(n * n)
    tiles.setflags(write=False)
    return tiles


@lru_cache(maxsize=64)
def goal_cells(n: int, goal: str) -> NDArray[np.int64]:
    """Return the goal cell of each tile, by tile, shape (n²,), not to be written to."""
    cells = np.roll(np.arange(n * n), 1) if goal == BLANK_LAST else np.arange(n * n)
    cells.setflags(write=False)
    return cells


def goal_row(board: Board, goal: str) -> NDArray[np.int64]:
    """Return the goal row of each tile, by tile."""
    return goal_cells(board.n, goal) // board.n


def goal_col(board: Board, goal: str) -> NDArray[np.int64]:
    """Return the goal column of each tile, by tile."""
    return goal_cells(board.n, goal) % board.n


def goal_distance(board: Board, goal: str) -> NDArray[np.int64] | None:
    """Return the distance of each tile at each cell from its goal cell, shape (n², n²); 0 for the blank.

    Beyond 8 × 8 the table would be too large, and there is none.
    """
    n = board.n
    if n > LARGEST_WITH_DISTANCES:
        return None
    row, column = np.divmod(np.arange(n * n), n)
    belongs = goal_cells(n, goal)
    distance: NDArray[np.int64] = np.abs(row[belongs, None] - row) + np.abs(column[belongs, None] - column)
    distance[0] = 0
    return distance


def goal_cost(board: Board, goal: str, cost: str) -> NDArray[np.int64] | None:
    """Return what it costs each tile at each cell at least to get to its goal cell, shape (n², n²); 0 for the blank.

    Where a move costs 1 it is `goal_distance`. Beyond 8 × 8 there is none, nor where costs are fractions: the last
    digits of their sum depend on the order in which they are added, so that no move can update it.
    """
    distance = goal_distance(board, goal)
    return None if distance is None or cost == INVERSE else distance * tile_cost(board, cost).astype(np.int64)[:, None]


def tile_cost(board: Board, cost: str) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return what it costs to slide each tile by one cell, by tile, shape (n²,); 0 for the blank."""
    return np.array([0, *(cost_of(tile, cost) for tile in range(1, board.tiles.size))])


def has_unit_cost(cost: str) -> bool:
    """Return whether every move costs 1."""
    return cost == UNIT


def follows_costs() -> bool:
    """Return that a heuristic takes into account what moves cost, so that it is a bound with any costs."""
    return True


def counts_no_more_than_it_costs(cost: str) -> bool:
    """Return whether a number of moves is a bound: whether every move costs 1 or more."""
    return cost != INVERSE


def why_invalid(board: Board) -> str:
    """Return why a board is not one of the puzzle, `''` if it is."""
    rows, columns = board.shape
    if rows != columns or rows < SMALLEST_SIDE:
        return f"it is {rows} × {columns}, and the puzzle is n × n with n >= {SMALLEST_SIDE}"
    cells = rows * columns
    tiles = board.tiles.ravel()
    if sorted(tiles.tolist()) == list(range(cells)):
        return ""
    if tiles.max() >= cells:
        return f"the tile {tiles.max()} is too large: {rows} × {columns} holds 0 … {cells - 1} once each"
    counts = np.bincount(tiles, minlength=cells)
    twice, absent = int(counts.argmax()), int(counts.argmin())
    return f"the tile {twice} is there {counts[twice]} times and {absent} is missing: 0 … {cells - 1} once each"


def why_unsolvable(board: Board, goal: str) -> str:
    """Return why a board cannot be solved: half of all boards have the wrong parity (Johnson and Story 1879)."""
    if solvable(board, goal):
        return ""
    other = BLANK_FIRST if goal == BLANK_LAST else BLANK_LAST
    hint = f"; it is solvable with goal={other}" if solvable(board, other) else ""
    return f"the permutation has the wrong parity for goal={goal}{hint}"


def solvable(board: Board, goal: str) -> bool:
    """Return whether the permutation and the blank's distance from its goal cell have the same parity."""
    belongs = goal_cells(board.n, goal)[board.tiles.ravel()].tolist()
    row, column = _blank(board)
    goal_row, goal_column = divmod(belongs[row * board.n + column], board.n)
    transpositions = len(belongs) - cycles(belongs)
    moves = abs(row - goal_row) + abs(column - goal_column)
    return bool((transpositions + moves) % 2 == 0)


def cycles(permutation: list[int]) -> int:
    """Return the number of cycles of a permutation; uses up the list."""
    count = 0
    for start in range(len(permutation)):
        if permutation[start] < 0:
            continue
        count += 1
        at = start
        while permutation[at] >= 0:
            permutation[at], at = -1, permutation[at]
    return count


def text_form(board: Board) -> str:
    """Return the text form with one blank between tiles."""
    return board.text()


def solution_headline(moves: int, proved: bool) -> str:
    """Return the first line of a transcript."""
    return f"{'Minimum number' if proved else 'Number'} of moves = {moves}"


def packed(board: Board, goal: str, cost: str) -> PackedForm:
    """Return the compiled rules for boards of this size."""
    return packed_form(board, goal_tiles(board.n, goal), has_unit_cost(cost))


def samples(goal: str) -> Iterator[tuple[Mapping[str, Any], Board]]:
    """Yield the solved boards of the 8- and the 15-puzzle: every solvable board is reached from them."""
    for n in (3, 4):
        yield {}, Board(goal_tiles(n, goal).reshape(n, n))


DOMAIN = Domain(
    "sliding-tile",
    successors,
    is_goal,
    summary="slide tiles into the blank until all are in order (8-puzzle, 15-puzzle, …)",
    parameters=(
        Parameter("goal", BLANK_LAST, "where the blank belongs", (BLANK_LAST, BLANK_FIRST)),
        Parameter("cost", UNIT, "what a move costs: 1, the tile's number, or 1 over it", (UNIT, HEAVY, INVERSE)),
    ),
    why_invalid=why_invalid,
    why_unsolvable=why_unsolvable,
    format=text_form,
    solution_headline=solution_headline,
    motions=motions,
    offers={
        "goal_row": goal_row,
        "goal_col": goal_col,
        "goal_distance": goal_distance,
        "goal_cost": goal_cost,
        "tile_cost": tile_cost,
    },
    unit_cost=has_unit_cost,
    packed=packed,
    samples=samples,
    duplicates="late",
    revisited_layers="last-two",
    layer_columns={"dead ends": "", "game over": "", "largest": ""},
    inverse="same",
    goals=goals,
    heuristic="searchlab/taxicab",
    frontier="searchlab/astar",
)
