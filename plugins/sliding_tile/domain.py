"""The rules of the sliding-tile puzzle (n-puzzle): a tile beside the blank slides into it.

Boards are rectangles of at least two rows and columns. Actions name the direction in which the blank moves. The goal
is 1, 2, … row by row, with the blank last (`goal=blank-last`) or first (`goal=blank-first`). With `goal=snail` the
tiles run round the border and inwards: 1 2 3 / 8 0 4 / 7 6 5. Any other goal is given as a list of tiles.

A move costs 1. With `cost=heavy` it costs the number of the tile that slides, with `cost=inverse` 1 over this number
(Thayer and Ruml 2011).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Defaults, Domain, FileFormat, Parameter, Views
from searchlab_plugins.sliding_tile.goals import (
    BLANK_FIRST,
    BLANK_LAST,
    NAMES,
    SMALLEST_SIDE,
    check_goal,
    goal_cells,
    goal_text,
    goal_tiles,
    listed,
    own_shape,
    why_unfit,
)
from searchlab_plugins.sliding_tile.packed import packed_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from searchlab import PackedForm, Turn

UNIT, HEAVY, INVERSE = "unit", "heavy", "inverse"
MOVES = (("up", -1, 0), ("left", 0, -1), ("right", 0, 1), ("down", 1, 0))
MOST_CELLS_WITH_DISTANCES = 64
CHECKED = (BLANK_LAST, BLANK_FIRST)
"""The goals with which `plugins check` checks heuristics by default."""
MOST_CELLS_LISTED = 16
LONGEST_EXAMPLE = 100
"""The most characters of a goal in an error message."""


def successors(board: Board, cost: str = UNIT) -> Iterator[tuple[str, Board, float]]:
    """Yield (action, board, cost) for the moves of the blank: up, left, right, down."""
    rows, columns = board.shape
    row, column = _blank(board)
    for action, down, right in MOVES:
        if 0 <= row + down < rows and 0 <= column + right < columns:
            tiles = board.tiles.copy()
            tile = tiles.item(row + down, column + right)
            tiles[row, column], tiles[row + down, column + right] = tile, 0
            yield action, Board(tiles), cost_of(tile, cost)


def cost_of(tile: int, cost: str) -> float:
    """Return the cost of sliding a tile by one cell."""
    return 1 if cost == UNIT else tile if cost == HEAVY else 1 / tile


def motions(board: Board, action: str, after: Board) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the motion of the tile that changes places with the blank: source and target as (row, column)."""
    yield _blank(after), _blank(board)


def _blank(board: Board) -> tuple[int, int]:
    """Return the row and column of the blank."""
    tiles = board.tiles.ravel().tolist()
    return divmod(tiles.index(min(tiles)), board.shape[1])


def is_goal(board: Board, goal: str) -> bool:
    """Return whether every tile is at its goal cell."""
    return board.tiles.tobytes() == goal_tiles(board.shape, goal).tobytes()


def goals(board: Board, goal: str) -> Iterator[Board]:
    """Yield the only goal for boards of this shape."""
    yield Board(goal_tiles(board.shape, goal).reshape(board.shape))


def goal_row(board: Board, goal: str) -> NDArray[np.int64]:
    """Return the goal row of each tile, by tile."""
    return goal_cells(board.shape, goal) // board.shape[1]


def goal_col(board: Board, goal: str) -> NDArray[np.int64]:
    """Return the goal column of each tile, by tile."""
    return goal_cells(board.shape, goal) % board.shape[1]


def goal_distance(board: Board, goal: str) -> NDArray[np.int64] | None:
    """Return the distance of each tile from its goal cell, by tile and by cell, shape (cells, cells); 0 for the blank.

    Boards of more than 64 cells have no such table, because it would be too large.
    """
    cells = board.tiles.size
    if cells > MOST_CELLS_WITH_DISTANCES:
        return None
    row, column = np.divmod(np.arange(cells), board.shape[1])
    belongs = goal_cells(board.shape, goal)
    distance: NDArray[np.int64] = np.abs(row[belongs, None] - row) + np.abs(column[belongs, None] - column)
    distance[0] = 0
    return distance


def goal_cost(board: Board, goal: str, cost: str) -> NDArray[np.int64] | None:
    """Return the smallest cost from each cell to the goal cell of each tile, (cells, cells); 0 for the blank.

    With unit costs this is `goal_distance`. Boards of more than 64 cells have no such table. Nor have fractional costs:
    the last digits of a sum depend on the order of summation, so a move could not update the sum.
    """
    distance = goal_distance(board, goal)
    return None if distance is None or cost == INVERSE else distance * tile_cost(board, cost).astype(np.int64)[:, None]


def tile_cost(board: Board, cost: str) -> NDArray[np.float64] | NDArray[np.int64]:
    """Return the cost of sliding each tile by one cell, by tile, shape (cells,); 0 for the blank."""
    return np.array([0, *(cost_of(tile, cost) for tile in range(1, board.tiles.size))])


def has_unit_cost(cost: str) -> bool:
    """Return whether every move costs 1."""
    return cost == UNIT


def follows_costs() -> bool:
    """Return True: the heuristic takes the costs of moves into account, so it is a lower bound for any costs."""
    return True


def counts_no_more_than_it_costs(cost: str) -> bool:
    """Return whether a number of moves is a lower bound on the cost, that is, whether every move costs at least 1."""
    return cost != INVERSE


def why_invalid(board: Board, goal: str) -> str:
    """Return an error message for an illegal board, or for a board that does not fit the goal, or `""`."""
    rows, columns = board.shape
    if min(rows, columns) < SMALLEST_SIDE:
        return f"it is {rows} × {columns}, and the puzzle has {SMALLEST_SIDE} rows and {SMALLEST_SIDE} columns or more"
    cells = rows * columns
    tiles = board.tiles.ravel()
    if sorted(tiles.tolist()) == list(range(cells)):
        return why_unfit(goal, board.shape)
    if tiles.max() >= cells:
        return f"the tile {tiles.max()} is too large: {rows} × {columns} holds 0 … {cells - 1} once each"
    counts = np.bincount(tiles, minlength=cells)
    twice, absent = int(counts.argmax()), int(counts.argmin())
    return f"the tile {twice} is there {counts[twice]} times and {absent} is missing: 0 … {cells - 1} once each"


def smaller(board: Board) -> Iterator[Board]:
    """Yield the boards without a row or a column, except those with the blank; the tiles keep their order."""
    blank = _blank(board)
    for axis, side in enumerate(board.shape):
        for line in range(side if side > SMALLEST_SIDE else 0):
            if line != blank[axis]:
                kept = np.delete(board.tiles, line, axis)
                yield Board(np.searchsorted(np.sort(kept, axis=None), kept))


def why_unsolvable(board: Board, listed_goals: NDArray[np.int64], goal: str) -> str:
    """Return the reason why a board cannot be solved, or `""`: half of all boards have the wrong parity.

    Source: Johnson and Story 1879.
    """
    wanted = listed_goals[0]
    if solvable(board, wanted):
        return ""
    if (wanted.ravel() != goal_tiles(board.shape, goal)).any():  # the search is to another board
        tiles = f" {listed(wanted)}" if wanted.size <= MOST_CELLS_LISTED else ""
        return f"from this board the other one{tiles} cannot be reached: their parities differ"
    other = next((name for name in NAMES if solvable(board, goal_tiles(board.shape, name))), None)
    if other is None:
        such = f"goal=[{listed(swapped(board.shape, goal), '/')}]"
    else:
        such = f"goal={other} ({goal_text(board.shape, other)})".replace(f" (goal={other})", "")
    said = f"from this board {goal_text(board.shape, goal)} cannot be reached; goal= sets another goal"
    return f"{said}, such as {such}" if len(such) <= LONGEST_EXAMPLE else said


def swapped(shape: tuple[int, int], goal: str) -> NDArray[np.int64]:
    """Return a goal with two exchanged tiles, which is reachable from all boards that cannot reach the goal itself."""
    tiles = goal_tiles(shape, goal).copy()
    first, second = np.flatnonzero(tiles)[:2]
    tiles[[first, second]] = tiles[[second, first]]
    return tiles.reshape(shape)


def solvable(board: Board, goal: NDArray[np.int64]) -> bool:
    """Return whether the permutation and the blank's distance from its goal cell have the same parity."""
    columns = board.shape[1]
    tiles = board.tiles.ravel().tolist()
    cell_of = {tile: cell for cell, tile in enumerate(goal.ravel().tolist())}
    belongs = [cell_of[tile] for tile in tiles]
    row, column = divmod(tiles.index(0), columns)
    goal_row, goal_column = divmod(cell_of[0], columns)
    transpositions = len(belongs) - cycles(belongs)
    moves = abs(row - goal_row) + abs(column - goal_column)
    return bool((transpositions + moves) % 2 == 0)


def cycles(permutation: list[int]) -> int:
    """Return the number of cycles of a permutation; the list is overwritten."""
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


def transcript(start: Board, turns: tuple[Turn, ...], proved: bool, text: Callable[[Board], str]) -> Iterator[str]:
    """Yield the number of moves, and the boards of a solution."""
    yield f"{'Minimum number' if proved else 'Number'} of moves = {len(turns)}\n"
    for board in (start, *(turn.board for turn in turns)):
        yield f"{text(board)}\n"


def packed(board: Board, goal: str, cost: str) -> PackedForm:
    """Return the compiled rules for boards of this size."""
    return packed_form(board, goal_tiles(board.shape, goal), has_unit_cost(cost))


def samples(goal: str) -> Iterator[tuple[Mapping[str, Any], Board]]:
    """Yield the solved boards of the 8-puzzle and the 15-puzzle, from which every solvable board is reached.

    If the goal is a list of tiles, yield only this goal.
    """
    own = own_shape(goal)
    for shape in [own] if own else [(3, 3), (4, 4)]:
        yield {}, Board(goal_tiles(shape, goal).reshape(shape))


DOMAIN = Domain(
    "sliding-tile",
    successors,
    is_goal,
    summary="slide tiles into the blank until all are in order (8-puzzle, 15-puzzle, …)",
    parameters=(
        Parameter("goal", BLANK_LAST, "the goal; also snail, or tiles as [1 2 3/8 0 4/7 6 5]", CHECKED, check_goal),
        Parameter("cost", UNIT, "what a move costs: 1, the tile's number, or 1 over it", (UNIT, HEAVY, INVERSE)),
    ),
    why_invalid=why_invalid,
    why_unsolvable=why_unsolvable,
    values={
        "goal_row": goal_row,
        "goal_col": goal_col,
        "goal_distance": goal_distance,
        "goal_cost": goal_cost,
        "tile_cost": tile_cost,
    },
    unit_cost=has_unit_cost,
    packed=packed,
    smaller=smaller,
    samples=samples,
    inverse="same",
    goals=goals,
    files=FileFormat(format=text_form),
    views=Views(
        motions=motions, transcript=transcript, layer_columns={"dead ends": "", "game over": "", "largest": ""}
    ),
    defaults=Defaults(heuristic="searchlab/taxicab", frontier="searchlab/astar", duplicates="late"),
)
