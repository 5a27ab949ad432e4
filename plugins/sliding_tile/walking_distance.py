"""Walking distance: the number of moves that tiles need to get into their rows, plus the number for their columns.

For vertical moves, a board is abstracted to a count: how many tiles of each row belong to each row. A vertical move
takes a tile from a row next to the blank's row into the blank's row, and the blank goes to the row of the tile. The
shortest path from a count to the count of the goal is a lower bound on the vertical moves that takes the blank into
account; likewise for columns and horizontal moves (Takahashi 2002). The 15-puzzle has 24,964 counts, the same for rows
and for columns. If the board is not square, or the blank of the goal is not on the main diagonal, columns have other
counts, which follow the counts of rows.

Between two boards, tiles belong to the rows and columns in which they are on the other board. These counts have their
own tables, for all rows and columns in which the blank of the other board may be.

With `conflicts` each half is the maximum of the walking distance and the taxicab distance with linear conflicts in this
direction: both are lower bounds on the same moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError
from searchlab_plugins.sliding_tile.domain import counts_no_more_than_it_costs
from searchlab_plugins.sliding_tile.goals import Shape, goal_cells
from searchlab_plugins.sliding_tile.heuristics import cells_in
from searchlab_plugins.sliding_tile.line_conflicts import (
    COLUMNS,
    ROWS,
    TABLES,
    conflicts_between,
    contents,
    halves_between,
    in_conflicts,
    slid,
)
from searchlab_plugins.sliding_tile.sums import is_bound_by_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_SIDE = 4
"""The longest side: 5 × 5 boards have more than fifty million counts."""
BITS = 3
"""The bits of a number of tiles; the numbers for all pairs of lines make up the code of a count."""


def walking_distance(
    tiles: Any,
    goal_row: Any,
    goal_col: Any,
    codes: Any,
    ranges: Any,
    steps: Any,
    digits: Any,
    homes: Any,
    penalties: Any,
    conflicts: bool = False,
) -> int:
    """Sum of the fewest vertical and the fewest horizontal moves that the tiles need."""
    up_down, across, vertical, horizontal, _, _ = start(
        tiles, goal_row, goal_col, codes, ranges, digits, homes, penalties, conflicts
    )
    distance: int = max(steps[up_down], vertical) + max(steps[across], horizontal)
    return distance


def walking_distance_between(
    tiles: Any,
    other: Any,
    all_codes: Any,
    all_ranges: Any,
    all_steps: Any,
    penalties: Any,
    conflicts: bool = False,
) -> int:
    """Sum of the fewest vertical and the fewest horizontal moves to the cells of the tiles on another board."""
    n, m = tiles.shape
    cell = cells_in(other)
    rows_code, columns_code = 0, 0
    for row in range(n):
        for column in range(m):
            tile = tiles[row, column]
            if tile:
                rows_code += 1 << BITS * (row * n + cell[tile] // m)
                columns_code += 1 << BITS * (column * m + cell[tile] % m)
    of_rows, of_columns = all_ranges[0, cell[0] // m], all_ranges[1, cell[0] % m]
    vertical = all_steps[numbered(rows_code, all_codes, of_rows[0], of_rows[1])]
    horizontal = all_steps[numbered(columns_code, all_codes, of_columns[0], of_columns[1])]
    if conflicts:
        up_down, across = halves_between(tiles, cell)
        by_rows, by_columns = conflicts_between(tiles, cell, penalties)
        vertical, horizontal = max(vertical, up_down + by_rows), max(horizontal, across + by_columns)
    distance: int = vertical + horizontal
    return distance


def start(
    tiles: Any,
    goal_row: Any,
    goal_col: Any,
    codes: Any,
    ranges: Any,
    digits: Any,
    homes: Any,
    penalties: Any,
    conflicts: bool,
) -> tuple[int, int, int, int, int, int]:
    """Return the numbers that moves update.

    These are the numbers of the board's counts for vertical and for horizontal moves; with `conflicts` also both halves
    of the taxicab distance with linear conflicts, and the digits of all rows and of all columns.
    """
    n, m = tiles.shape
    rows_code, columns_code, vertical, horizontal = 0, 0, 0, 0
    for row in range(n):
        for column in range(m):
            tile = tiles[row, column]
            if tile:
                rows_code += 1 << BITS * (row * n + goal_row[tile])
                columns_code += 1 << BITS * (column * m + goal_col[tile])
                vertical += abs(goal_row[tile] - row)
                horizontal += abs(goal_col[tile] - column)
    rows, columns = 0, 0
    if conflicts:
        rows, _, columns, _ = contents(tiles, digits, homes)
        vertical += in_conflicts(rows, penalties)
        horizontal += in_conflicts(columns, penalties)
    else:
        vertical, horizontal = 0, 0
    up_down = numbered(rows_code, codes, ranges[0, 0], ranges[0, 1])
    across = numbered(columns_code, codes, ranges[1, 0], ranges[1, 1])
    return up_down, across, vertical, horizontal, rows, columns


def numbered(code: int, codes: Any, first: int, last: int) -> int:
    """Return the position of a code in the list of all codes, which is sorted from `first` to `last`."""
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
    """Return the value after a move, and the updated numbers."""
    up_down, across, vertical, horizontal, rows, columns = carried
    later = 0 if source < target else 1  # whether the blank goes to a later line
    is_horizontal = abs(target - source) == 1
    if is_horizontal:
        across = walks[across, later, goal_col[tile]]
    else:
        up_down = walks[up_down, later, goal_row[tile]]
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


def codes(progress: object, rows: int, columns: int, goal: str) -> NDArray[np.int64]:
    """Return the codes of all counts that are reachable from the count of the goal, in increasing order.

    If columns have other codes than rows, they follow the codes of rows.
    """
    check_sides(rows, columns)
    return np.concatenate([axis.codes() for axis in axes((rows, columns), goal)])


def ranges(progress: object, rows: int, columns: int, goal: str, codes: Any) -> NDArray[np.int64]:
    """Return the positions of the first and the last code of rows, and of columns, in `codes`, shape (2, 2)."""
    of_rows, *of_columns = axes((rows, columns), goal)
    last = len(codes) - 1
    if not of_columns:
        return np.array([[0, last], [0, last]])
    end = len(of_rows.codes())
    return np.array([[0, end - 1], [end, last]])


def walks(progress: object, rows: int, columns: int, goal: str, codes: Any, ranges: Any) -> NDArray[np.signedinteger]:
    """Return the number of the count after each move, shape (counts, 2, lines), or -1 if there is no such move.

    A move is given by the direction of the blank, to the line before (0) or after (1), and by the goal line of the tile
    that comes from there.
    """
    narrow = np.int16 if len(codes) < 2**15 else np.int32
    table = np.full((len(codes), 2, max(rows, columns)), -1, narrow)
    for axis, (first, last) in zip(axes((rows, columns), goal), ranges.tolist(), strict=False):
        listed = codes[first : last + 1]
        after = axis.successors(listed)
        numbers = np.where(after < 0, -1, first + np.searchsorted(listed, after))
        table[first : last + 1, :, : axis.lines] = numbers
    return table


def steps(progress: object, rows: int, columns: int, goal: str) -> NDArray[np.int64]:
    """Return the distance of each count from the count of the goal, shape (counts,)."""
    return np.concatenate([axis.steps() for axis in axes((rows, columns), goal)])


def all_codes(progress: object, rows: int, columns: int) -> NDArray[np.int64]:
    """Return the codes of all counts for each row, then for each column, in which the blank of a goal may be."""
    check_sides(rows, columns)
    return np.concatenate([axis.codes() for axis in all_axes((rows, columns))])


def all_ranges(progress: object, rows: int, columns: int) -> NDArray[np.int64]:
    """Return the first and last position in `all_codes`, by row and by column of the blank, shape (2, lines, 2)."""
    check_sides(rows, columns)
    places = np.zeros((2, max(rows, columns), 2), np.int64)
    end = 0
    for axis in all_axes((rows, columns)):
        first, end = end, end + len(axis.codes())
        for side, lines in enumerate((rows, columns)):
            if (axis.lines, axis.length) == (lines, rows * columns // lines):
                places[side, axis.blank] = first, end - 1
    return places


def all_steps(progress: object, rows: int, columns: int) -> NDArray[np.int64]:
    """Return the distance of each count of `all_codes` from the count of the goal."""
    return np.concatenate([axis.steps() for axis in all_axes((rows, columns))])


def check_sides(rows: int, columns: int) -> None:
    """Raise a UsageError for a board with too many counts."""
    if max(rows, columns) > LARGEST_SIDE:
        raise UsageError(
            f"walking-distance is for boards of up to {LARGEST_SIDE} × {LARGEST_SIDE}, not {rows} × {columns}:"
            " linear-conflict is for larger ones, too"
        )


@dataclass(frozen=True)
class LineCounts:
    """The counts of rows, or of columns.

    Attributes:
        lines: the number of lines.
        length: the number of cells per line.
        blank: the line of the blank in the goal.
    """

    lines: int
    length: int
    blank: int

    def codes(self) -> NDArray[np.int64]:
        """Return the codes that moves lead to from the code of the goal, in increasing order."""
        return np.sort(np.concatenate(self.waves))

    def steps(self) -> NDArray[np.int64]:
        """Return the distance of each of these codes from the code of the goal."""
        depths = np.repeat(np.arange(len(self.waves)), [len(wave) for wave in self.waves])
        return depths[np.argsort(np.concatenate(self.waves))]

    @cached_property
    def waves(self) -> list[NDArray[np.int64]]:
        """The codes at each distance from the code of the goal."""
        waves = [self.goal_code()]
        before = np.array([], np.int64)
        while len(waves[-1]):
            after = np.unique(self.successors(waves[-1]))
            # Every move can be undone, so it leads to the last wave, to the same wave, or to a new wave.
            known = np.concatenate([before, waves[-1], [-1]])
            before = waves[-1]
            waves.append(np.setdiff1d(after, known))
        return waves[:-1]

    def goal_code(self) -> NDArray[np.int64]:
        """Return the code of the count of the goal, shape (1,)."""
        at_home = [self.length - (line == self.blank) for line in range(self.lines)]
        return np.array([sum(tiles << BITS * (line * self.lines + line) for line, tiles in enumerate(at_home))])

    def successors(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the code after each move, shape (counts, 2, lines), in the order of `walks`; -1 for no such move."""
        pairs = BITS * np.arange(self.lines**2).reshape(self.lines, self.lines)
        numbers = codes[:, None, None] >> pairs & (1 << BITS) - 1
        blank = numbers.sum(axis=2).argmin(axis=1)
        after = np.full((len(codes), 2, self.lines), -1)
        one = np.int64(1)
        for later, step in enumerate((-1, 1)):
            beside = blank + step
            there = np.flatnonzero((beside >= 0) & (beside < self.lines))
            moved_codes = codes[there, None] + (one << pairs[blank[there]]) - (one << pairs[beside[there]])
            after[there, later] = np.where(numbers[there, beside[there]] > 0, moved_codes, -1)
        return after


def all_axes(shape: Shape) -> list[LineCounts]:
    """Return the counts of rows and of columns for each line of the blank, without repetition."""
    rows, columns = shape
    of_rows = [LineCounts(rows, columns, row) for row in range(rows)]
    return list(dict.fromkeys([*of_rows, *(LineCounts(columns, rows, column) for column in range(columns))]))


def axes(shape: Shape, goal: str) -> list[LineCounts]:
    """Return the counts of rows and of columns, or a single item if they are the same."""
    rows, columns = shape
    row, column = divmod(int(goal_cells(shape, goal)[0]), columns)
    return list(dict.fromkeys([LineCounts(rows, columns, row), LineCounts(columns, rows, column)]))


WALKING_DISTANCE = Heuristic(
    "walking-distance",
    walking_distance,
    domains=frozenset({"sliding-tile"}),
    admissible=is_bound_by_moves,
    consistent=counts_no_more_than_it_costs,
    carry=start,
    incremental=moved,
    between=walking_distance_between,
    tables={
        **{**TABLES, "codes": codes, "ranges": ranges, "walks": walks, "steps": steps},
        **{"all_codes": all_codes, "all_ranges": all_ranges, "all_steps": all_steps},
    },
    parameters=(Parameter("conflicts", False, "count linear conflicts as well"),),
    summary="the fewest moves into the right rows plus those into the right columns",
)
