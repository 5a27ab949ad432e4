"""Linear conflicts: tiles in their goal line that block one another.

If two tiles are in their goal row in the wrong order, one of them must leave the row and come back: two moves that the
taxicab distance does not count (Hansson, Mayer and Yung 1992). A line needs two moves for each tile that must step
aside until the other tiles are in order. The smallest number of such tiles is the number of tiles outside a longest
increasing subsequence. Moves that leave a row are vertical, and moves that leave a column are horizontal, so the moves
of all lines may be added.

The numbers carried along the moves are the contents of the lines. Each cell has a digit: the goal position of its tile
in the line, counted from 1, or 0 if the tile does not belong to the line. The digits of rows take two words, and the
digits of columns two more. A move changes one or two digits, and a table gives the conflicts of a line by its digits.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, UsageError, one_bits
from searchlab_plugins.sliding_tile.domain import counts_no_more_than_it_costs
from searchlab_plugins.sliding_tile.goals import goal_cells
from searchlab_plugins.sliding_tile.heuristics import cells_in
from searchlab_plugins.sliding_tile.sums import is_bound_by_moves

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LARGEST_SIDE = 6
"""The lines of larger boards do not fit into two words."""
WORD_BITS = 62
WORD, SHIFT = 0, 1
"""The columns of the table `homes`."""
ROWS, COLUMNS = 0, 1


def linear_conflict(tiles: Any, goal_distance: Any, digits: Any, homes: Any, penalties: Any) -> int:
    """Sum of the tiles' Manhattan distances, and of two moves for each tile that has to step aside in its line."""
    rows, columns = tiles.shape
    moves = 0
    for word in contents(tiles, digits, homes):
        moves += in_conflicts(word, penalties)
    for row in range(rows):
        for column in range(columns):
            moves += goal_distance[tiles[row, column], row * columns + column]
    return moves


def linear_conflict_between(tiles: Any, other: Any, penalties: Any) -> int:
    """Sum of the Manhattan distances to the cells of another board, and of two moves for each tile that steps aside."""
    cell = cells_in(other)
    vertical, horizontal = halves_between(tiles, cell)
    by_rows, by_columns = conflicts_between(tiles, cell, penalties)
    distance: int = vertical + horizontal + by_rows + by_columns
    return distance


def halves_between(tiles: Any, cell: Any) -> tuple[int, int]:
    """Return the sums of the vertical and of the horizontal distances of all tiles; `cell` is the goal cell by tile."""
    rows, columns = tiles.shape
    vertical, horizontal = 0, 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if tile:
                vertical += abs(cell[tile] // columns - row)
                horizontal += abs(cell[tile] % columns - column)
    return vertical, horizontal


def conflicts_between(tiles: Any, cell: Any, penalties: Any) -> tuple[int, int]:
    """Return the moves that conflicts in rows, and in columns, cost; `cell` is the goal cell by tile."""
    rows, columns = tiles.shape
    bits = one_bits(len(penalties) - 1) // max(rows, columns)
    by_rows, by_columns = 0, 0
    for row in range(rows):
        digits = 0
        for column in range(columns):
            tile = tiles[row, column]
            if tile and cell[tile] // columns == row:
                digits |= (cell[tile] % columns + 1) << bits * column
        by_rows += penalties[digits]
    for column in range(columns):
        digits = 0
        for row in range(rows):
            tile = tiles[row, column]
            if tile and cell[tile] % columns == column:
                digits |= (cell[tile] // columns + 1) << bits * row
        by_columns += penalties[digits]
    return by_rows, by_columns


def contents(tiles: Any, digits: Any, homes: Any) -> tuple[int, int, int, int]:
    """Return the digits of all rows, in two words, and of all columns, in two words."""
    rows, columns = tiles.shape
    low, high, low_columns, high_columns = 0, 0, 0, 0
    for row in range(rows):
        for column in range(columns):
            tile, cell = tiles[row, column], row * columns + column
            low, high = with_digit(low, high, digits[ROWS, tile, cell], homes[ROWS, tile, WORD])
            low_columns, high_columns = with_digit(
                low_columns, high_columns, digits[COLUMNS, tile, cell], homes[COLUMNS, tile, WORD]
            )
    return low, high, low_columns, high_columns


def with_digit(low: int, high: int, digit: int, word: int) -> tuple[int, int]:
    """Return two words after adding a shifted digit to one of them."""
    return (low, high + digit) if word else (low + digit, high)


def in_conflicts(word: int, penalties: Any) -> int:
    """Return the moves that the conflicts of all lines of a word cost."""
    line = len(penalties) - 1
    moves = 0
    while word:
        moves += penalties[word & line]
        word >>= one_bits(line)
    return moves


def moved(
    h: int,
    carried: Any,
    tile: int,
    source: int,
    target: int,
    goal_distance: Any,
    digits: Any,
    homes: Any,
    penalties: Any,
) -> tuple[int, tuple[int, int, int, int]]:
    """Return the value after a move, and the digits of all lines."""
    low, high, by_rows = slid(carried[0], carried[1], ROWS, tile, source, target, digits, homes, penalties)
    low_columns, high_columns, by_columns = slid(
        carried[2], carried[3], COLUMNS, tile, source, target, digits, homes, penalties
    )
    after: int = h + goal_distance[tile, target] - goal_distance[tile, source] + by_rows + by_columns
    return after, (low, high, low_columns, high_columns)


def slid(
    low: int, high: int, side: int, tile: int, source: int, target: int, digits: Any, homes: Any, penalties: Any
) -> tuple[int, int, int]:
    """Return the digits of all rows or columns after a move, and the change of the cost of conflicts.

    Only the goal line of the tile can change.
    """
    change = digits[side, tile, target] - digits[side, tile, source]
    word, shift, line = homes[side, tile, WORD], homes[side, tile, SHIFT], len(penalties) - 1
    before = high if word else low
    after = before + change
    grown: int = penalties[after >> shift & line] - penalties[before >> shift & line]
    return (low, after, grown) if word else (after, high, grown)


def digits(progress: object, rows: int, columns: int, goal: str, homes: Any) -> NDArray[np.int64]:
    """Return the digit of each tile on each cell, shifted to its position in the words, shape (2, cells, cells).

    The first half is for rows, the second for columns.
    """
    cells = rows * columns
    line_of = np.array(np.divmod(np.arange(cells), columns))
    home = line_of[:, goal_cells((rows, columns), goal)]
    table = np.zeros((2, cells, cells), np.int64)
    for side in (ROWS, COLUMNS):
        for tile in range(1, cells):
            within = np.flatnonzero(line_of[side] == home[side, tile])
            shift = homes[side, tile, SHIFT] + bits_of(longest_line(rows, columns)) * line_of[1 - side, within]
            table[side, tile, within] = (home[1 - side, tile] + 1) << shift
    return table


def homes(progress: object, rows: int, columns: int, goal: str) -> NDArray[np.int64]:
    """Return the position of the digits of each tile's goal row and goal column: word and first bit, (2, cells, 2)."""
    longest = longest_line(rows, columns)
    wide = bits_of(longest) * longest
    lines = np.array(np.divmod(goal_cells((rows, columns), goal), columns))
    word, place = np.divmod(lines, WORD_BITS // wide)
    return np.stack([word, place * wide], axis=-1)


def penalties(progress: object, rows: int, columns: int) -> NDArray[np.int16]:
    """Return the moves that conflicts cost by the digits of a line: two moves for each tile that has to step aside.

    Shorter lines have zeros at their end.
    """
    longest = longest_line(rows, columns)
    bits = bits_of(longest)
    table = np.zeros(1 << bits * longest, np.int16)
    for count in range(2, longest + 1):
        for cells in combinations(range(longest), count):
            for order in permutations(range(1, longest + 1), count):
                number = sum(digit << bits * cell for cell, digit in zip(cells, order, strict=True))
                table[number] = 2 * (count - longest_increasing(order))
    return table


def longest_line(rows: int, columns: int) -> int:
    """Return the number of cells of the longest line.

    Raises:
        UsageError: the line is too long.
    """
    longest = max(rows, columns)
    if longest > LARGEST_SIDE:
        raise UsageError(
            f"linear-conflict is for boards of up to {LARGEST_SIDE} × {LARGEST_SIDE}, not {rows} × {columns}"
        )
    return longest


def longest_increasing(order: tuple[int, ...]) -> int:
    """Return the length of a longest increasing subsequence (patience sorting).

    >>> longest_increasing((3, 1, 2))
    2
    """
    piles: list[int] = []
    for one in order:
        place = bisect_left(piles, one)
        piles[place : place + 1] = [one]
    return len(piles)


def bits_of(n: int) -> int:
    """Return the bits of a digit from 0 to n."""
    return n.bit_length()


TABLES: dict[str, Callable[..., Any]] = {"digits": digits, "homes": homes, "penalties": penalties}

LINEAR_CONFLICT = Heuristic(
    "linear-conflict",
    linear_conflict,
    domains=frozenset({"sliding-tile"}),
    admissible=is_bound_by_moves,
    consistent=counts_no_more_than_it_costs,
    carry=contents,
    incremental=moved,
    between=linear_conflict_between,
    tables=TABLES,
    summary="taxicab plus two moves for each tile that has to leave its line",
)
