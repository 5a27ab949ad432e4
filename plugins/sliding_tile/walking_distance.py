"""Walking distance: how many moves the tiles need to get into their rows, and how many to get into their columns.

For the vertical moves a board is seen as a count: how many tiles of each row belong to each row. A vertical move takes
some tile of a row beside the blank's into the blank's row, and the blank goes where it was. The shortest way from a
count to the goal's is a lower bound on the vertical moves that takes into account where the blank is; likewise for
columns and horizontal moves (Takahashi 2002). The 15-puzzle has 24,964 counts.

With `conflicts` each half is the larger one of its walking distance and its half of the taxicab distance with linear
conflicts: both are bounds of the same moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError
from searchlab_plugins.sliding_tile.domain import counts_no_more_than_it_costs, goal_cells
from searchlab_plugins.sliding_tile.line_conflicts import COLUMNS, ROWS, TABLES, contents, in_conflicts, slid
from searchlab_plugins.sliding_tile.sums import is_bound_by_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_SIDE = 4
"""For 5 × 5 there are more than fifty million counts."""
BITS = 3
"""Bits of a number of tiles; the numbers of all pairs of lines make the code of a count."""


def walking_distance(
    tiles: Any,
    goal_row: Any,
    goal_col: Any,
    codes: Any,
    steps: Any,
    digits: Any,
    homes: Any,
    penalties: Any,
    conflicts: bool = False,
) -> int:
    """Sum of the vertical and of the horizontal moves that the tiles need at least."""
    up_down, across, vertical, horizontal, _, _ = start(
        tiles, goal_row, goal_col, codes, digits, homes, penalties, conflicts
    )
    distance: int = max(steps[up_down], vertical) + max(steps[across], horizontal)
    return distance


def start(
    tiles: Any, goal_row: Any, goal_col: Any, codes: Any, digits: Any, homes: Any, penalties: Any, conflicts: bool
) -> tuple[int, int, int, int, int, int]:
    """Return what moves update.

    The number of the board's count for vertical moves and for horizontal ones; with `conflicts` each half of the
    taxicab distance with linear conflicts; and the digits of all rows and of all columns.
    """
    n = len(tiles)
    rows_code, columns_code, vertical, horizontal = 0, 0, 0, 0
    for row in range(n):
        for column in range(n):
            tile = tiles[row, column]
            if tile:
                rows_code += 1 << BITS * (row * n + goal_row[tile])
                columns_code += 1 << BITS * (column * n + goal_col[tile])
                vertical += abs(goal_row[tile] - row)
                horizontal += abs(goal_col[tile] - column)
    rows, columns = 0, 0
    if conflicts:
        rows, _, columns, _ = contents(tiles, digits, homes)
        vertical += in_conflicts(rows, penalties)
        horizontal += in_conflicts(columns, penalties)
    else:
        vertical, horizontal = 0, 0
    return numbered(rows_code, codes), numbered(columns_code, codes), vertical, horizontal, rows, columns


def numbered(code: int, codes: Any) -> int:
    """Return the place of a code in the sorted list of all."""
    first, last = 0, len(codes) - 1
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return first


def moved(
    h: int,
    carried: Any,
    tile: int,
    source: int,
    target: int,
    goal_row: Any,
    goal_col: Any,
    goal_distance: Any,
    steps: Any,
    walks: Any,
    digits: Any,
    homes: Any,
    penalties: Any,
    conflicts: bool,
) -> tuple[int, tuple[int, int, int, int, int, int]]:
    """Return the value after a move, and what moves update."""
    up_down, across, vertical, horizontal, rows, columns = carried
    back = 0 if source < target else 1  # whether the blank goes to a later line
    is_horizontal = abs(target - source) == 1
    if is_horizontal:
        across = walks[across, back, goal_col[tile]]
    else:
        up_down = walks[up_down, back, goal_row[tile]]
    if conflicts:
        nearer = goal_distance[tile, target] - goal_distance[tile, source]
        rows, _, by_rows = slid(rows, 0, ROWS, tile, source, target, digits, homes, penalties)
        columns, _, by_columns = slid(columns, 0, COLUMNS, tile, source, target, digits, homes, penalties)
        if is_horizontal:
            horizontal += nearer + by_columns
        else:
            vertical += nearer + by_rows
    value = max(steps[up_down], vertical) + max(steps[across], horizontal)
    return value, (up_down, across, vertical, horizontal, rows, columns)


def codes(progress: object, rows: int, goal: str) -> NDArray[np.int64]:
    """Return the codes of all counts, in increasing order: those that moves lead to from the goal's."""
    n = rows
    if n > LARGEST_SIDE:
        raise UsageError(
            f"walking-distance is for boards of up to {LARGEST_SIDE} × {LARGEST_SIDE}, not {n} × {n}:"
            " linear-conflict is for larger ones, too"
        )
    found = wave = goal_code(n, goal)
    while len(wave):
        after = np.unique(successors(wave, n))
        wave = np.setdiff1d(after[after >= 0], found)
        found = np.union1d(found, wave)
    return found


def walks(progress: object, rows: int, codes: Any) -> NDArray[np.int16]:
    """Return the number of the count after each move, shape (counts, 2, n); -1 where there is no such move.

    The blank goes to the line before (0) or after (1), where a tile was that belongs to a line.
    """
    after = successors(codes, rows)
    return np.where(after < 0, -1, np.searchsorted(codes, after)).astype(np.int16)


def steps(progress: object, rows: int, goal: str, codes: Any, walks: Any) -> NDArray[np.int64]:
    """Return the distance of each count from the goal's."""
    wave = np.searchsorted(codes, goal_code(rows, goal))
    distances = np.full(len(codes), -1)
    depth = 0
    while len(wave):
        distances[wave] = depth
        after = np.unique(walks[wave])
        wave = after[(after >= 0) & (distances[after] < 0)]
        depth += 1
    return distances


def goal_code(n: int, goal: str) -> NDArray[np.int64]:
    """Return the code of the goal's count, shape (1,)."""
    blank = int(goal_cells(n, goal)[0]) // n
    tiles_at_home = [n - (line == blank) for line in range(n)]
    return np.array([sum(tiles << BITS * (line * n + line) for line, tiles in enumerate(tiles_at_home))])


def successors(codes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return the codes after each move, shape (counts, 2, n), as `walks` has them; -1 where there is no such move."""
    pairs = BITS * np.arange(n * n).reshape(n, n)
    numbers = codes[:, None, None] >> pairs & (1 << BITS) - 1
    blank = numbers.sum(axis=2).argmin(axis=1)
    after = np.full((len(codes), 2, n), -1)
    for back, step in enumerate((-1, 1)):
        beside = blank + step
        there = np.flatnonzero((beside >= 0) & (beside < n))
        one = np.int64(1)
        moved_codes = codes[there, None] + (one << pairs[blank[there]]) - (one << pairs[beside[there]])
        after[there, back] = np.where(numbers[there, beside[there]] > 0, moved_codes, -1)
    return after


WALKING_DISTANCE = Heuristic(
    "walking-distance",
    walking_distance,
    domains=frozenset({"sliding-tile"}),
    admissible=is_bound_by_moves,
    consistent=counts_no_more_than_it_costs,
    carry=start,
    incremental=moved,
    tables={**TABLES, "codes": codes, "walks": walks, "steps": steps},
    parameters=(Parameter("conflicts", False, "count linear conflicts as well"),),
    summary="moves into rows, and into columns, that the tiles need at least",
)
