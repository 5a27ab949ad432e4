"""Heuristics for the sliding-tile puzzle; all admissible and consistent, unless they count moves that cost less than 1.

The domain provides the goal cell of each tile, as `goal_row` and `goal_col`, and the cost to slide each tile.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from searchlab import Heuristic
from searchlab_plugins.sliding_tile import packed
from searchlab_plugins.sliding_tile.domain import counts_no_more_than_it_costs, follows_costs
from searchlab_plugins.sliding_tile.sums import is_bound_by_moves, is_bound_with_costs

DOMAINS = frozenset({"sliding-tile"})


def taxicab(tiles: Any, goal_row: Any, goal_col: Any, tile_cost: Any) -> int:
    """Sum of the tiles' Manhattan distances from their goal cells, each times the cost of sliding the tile."""
    rows, columns = tiles.shape
    distance = 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            apart = abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
            distance += apart * tile_cost[tile]
    return distance


def taxicab_between(tiles: Any, other: Any, tile_cost: Any) -> int:
    """Sum of the tiles' Manhattan distances from their cells on another board, each times the cost of the tile."""
    rows, columns = tiles.shape
    cell = cells_in(other)
    distance = 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            apart = abs(cell[tile] // columns - row) + abs(cell[tile] % columns - column)
            distance += apart * tile_cost[tile]
    return distance


def cells_in(tiles: Any) -> Any:
    """Return the cell of each tile of a board, by tile, shape (cells,)."""
    rows, columns = tiles.shape
    cells = np.zeros(rows * columns, np.int64)
    for cell in range(rows * columns):
        cells[tiles[cell // columns, cell % columns]] = cell
    return cells


def taxicab_after(h: int, tile: int, source: int, target: int, goal_cost: Any) -> int:
    """Return the distance after a tile has moved from one cell to another."""
    after: int = h + goal_cost[tile, target] - goal_cost[tile, source]
    return after


def misplaced(tiles: Any, goal_row: Any, goal_col: Any) -> int:
    """Count the tiles that are not on their goal cells (Hamming distance)."""
    rows, columns = tiles.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            count += (tile != 0) & ((goal_row[tile] != row) | (goal_col[tile] != column))
    return count


def misplaced_between(tiles: Any, other: Any) -> int:
    """Count the tiles that are on a different cell of another board."""
    rows, columns = tiles.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            count += (tile != 0) & (tile != other[row, column])
    return count


def misplaced_after(h: int, tile: int, source: int, target: int, goal_distance: Any) -> int:
    """Return the number of misplaced tiles after a tile has moved from one cell to another."""
    after: int = h + (goal_distance[tile, target] != 0) - (goal_distance[tile, source] != 0)
    return after


def euclidean(tiles: Any, goal_row: Any, goal_col: Any) -> float:
    """Sum of the tiles' straight-line distances from their goal cells."""
    rows, columns = tiles.shape
    distance = 0.0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if tile != 0:
                distance += sqrt((goal_row[tile] - row) ** 2 + (goal_col[tile] - column) ** 2)
    return distance


def euclidean_between(tiles: Any, other: Any) -> float:
    """Sum of the tiles' straight-line distances from their cells on another board."""
    rows, columns = tiles.shape
    cell = cells_in(other)
    distance = 0.0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if tile != 0:
                distance += sqrt((cell[tile] // columns - row) ** 2 + (cell[tile] % columns - column) ** 2)
    return distance


HEURISTICS = (
    Heuristic(
        "taxicab",
        taxicab,
        domains=DOMAINS,
        admissible=is_bound_with_costs,
        consistent=follows_costs,
        aliases=("manhattan",),
        incremental=taxicab_after,
        between=taxicab_between,
        summary="the sum of the tiles' Manhattan distances",
    ),
    Heuristic(
        "misplaced",
        misplaced,
        domains=DOMAINS,
        admissible=is_bound_by_moves,
        consistent=counts_no_more_than_it_costs,
        aliases=("hamming",),
        packed=packed.misplaced,
        incremental=misplaced_after,
        between=misplaced_between,
        summary="the number of misplaced tiles",
    ),
    Heuristic(
        "euclidean",
        euclidean,
        domains=DOMAINS,
        admissible=is_bound_by_moves,
        consistent=counts_no_more_than_it_costs,
        between=euclidean_between,
        summary="the sum of the tiles' straight-line distances",
    ),
)
