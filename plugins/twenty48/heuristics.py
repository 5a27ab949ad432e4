"""Heuristics for 2048: scores of a board, and the admissible `moves-to-go` and `merges-to-go`.

Sources: `distance-weighted`, `left-weighted`, `snake`, `penalty` and `column-snake` are from university assignments on
deterministic 2048 (2018, 2023). `moves-to-go` follows from counting 2s, `merges-to-go` also from the order of the tiles
in the first column.

Sums are floating-point numbers, because tiles may be up to 2^62 and a 64-bit integer would overflow. They are exact up
to 2^53, and keep their sign and order beyond.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab import Heuristic, one_bits

DOMAINS = frozenset({"2048"})


def distance_weighted(tiles: Any) -> float:
    """Sum of tile × Manhattan distance from the upper-right cell."""
    rows, columns = tiles.shape
    score = 0.0
    for row in range(rows):
        of_row = 0.0
        for column in range(columns):
            of_row += float(tiles[row, column]) * (row + columns - 1 - column)
        score += of_row
    return score


def left_weighted(tiles: Any, corner: float = -1.0) -> float:
    """Sum of the weighted first column, the tiles of the second column about to merge into it, and the corner.

    Row r of the first column has the weight Σ (n − 2 + k) over k = 0 … r. A tile of the second column counts once if it
    equals its left neighbour or half of it. `corner` is the weight of the lower-right tile.
    """
    n = tiles.shape[0]
    score: float = 0.0
    weight = 0
    for row in range(n):
        weight += n - 2 + row
        first = tiles[row, 0]
        second = tiles[row, 1]
        score += float(first) * weight
        score += float(second) * ((second == first) | (2 * second == first))
    score += corner * float(tiles[n - 1, n - 1])
    return score


def snake(tiles: Any) -> float:
    """Sum of the smaller tiles in the row and the column of the largest tile."""
    rows, columns = tiles.shape
    largest = 0
    at_row = 0
    at_column = 0
    for row in range(rows):
        for column in range(columns):
            if tiles[row, column] > largest:
                largest = tiles[row, column]
                at_row = row
                at_column = column
    score = 0.0
    for column in range(columns):
        score += float(tiles[at_row, column]) * (tiles[at_row, column] < largest)
    for row in range(rows):
        score += float(tiles[row, at_column]) * (tiles[row, at_column] < largest)
    return score


def penalty(tiles: Any) -> float:
    """Sum of the absolute differences of orthogonal neighbours, each pair counted in both directions."""
    rows, columns = tiles.shape
    total = 0.0
    for row in range(rows):
        for column in range(columns):
            if row + 1 < rows:
                total += float(abs(tiles[row, column] - tiles[row + 1, column]))
            if column + 1 < columns:
                total += float(abs(tiles[row, column] - tiles[row, column + 1]))
    return 2 * total


def column_snake(tiles: Any) -> float:
    """Sum of tile × 0.5^position, with positions that run up the first column, down the second, and so on."""
    rows, columns = tiles.shape
    score = 0.0
    weight = 1.0
    for column in range(columns):
        for step in range(rows):
            row = rows - 1 - step if column % 2 == 0 else step
            score += tiles[row, column] * weight
            weight *= 0.5
    return score


def empty(tiles: Any) -> int:
    """Count the blank cells."""
    rows, columns = tiles.shape
    blanks = 0
    for row in range(rows):
        for column in range(columns):
            blanks += tiles[row, column] == 0
    return blanks


def moves_to_go(tiles: Any, goal: int = 2048) -> int:
    """Return a lower bound on the moves to a tile T = 2^k, from the number of 2s that must still appear and merge.

    If the tiles add up to less than T, each missing 2 takes a move, and the last 2 takes k − 1 merges in as many
    further moves. Otherwise T is made up greedily of the largest tiles; the smallest tile used, v, must be doubled
    log2(T / v) times.
    """
    rows, columns = tiles.shape
    # Sums are capped at the goal, because the sum of all tiles may exceed 64 bits.
    total = 0
    largest = 0
    for row in range(rows):
        for column in range(columns):
            total += min(tiles[row, column], goal - total)
            largest = max(largest, tiles[row, column])
    if largest >= goal:
        return 0
    moves = 0
    smallest = goal
    if total < goal:
        moves = (goal - total) // 2 - 1
        smallest = 1
    used = 0
    while used < goal and smallest > 1:
        smallest //= 2
        for row in range(rows):
            for column in range(columns):
                used += min(tiles[row, column] * (tiles[row, column] == smallest), goal - used)
    while smallest < goal:
        smallest *= 2
        moves += 1
    return moves


def merges_to_go(tiles: Any, goal: int = 2048) -> int:
    """Return `moves-to-go`, or more if the first column is full and its tiles hinder one another.

    While the first column is full no row is blank, and with both values of `spawn` a swipe to the right is not a move
    or ends the game. The other swipes change the column in two ways only: two equal neighbours merge, or a tile is
    doubled by an equal tile from its row. Before neighbours x and y merge, both have been doubled to the same z >=
    max(x, y), by tiles below z from outside the column or yet to appear, which add up to 2z - x - y. So on the way to a
    tile T = 2^k there are three cases:

    - No two tiles of the column merge, and T contains at most one of these tiles. The bound is the bound of a board
      without the other tiles of the column.
    - The first two tiles that merge are not part of T. The bound is the bound of a board without them.
    - The first two tiles that merge are part of T. The tiles for z are counted by `supply`, and the smaller of x and y
      takes log2(T / x) merges, too.

    The least of these is a lower bound. It is consistent: a move that merges no tiles of the column lowers each of the
    three bounds by at most 1. A move that merges two makes the second or the third bound at most 1 larger than
    `moves-to-go` of the board after the move.
    """
    bound = moves_to_go(tiles, goal)
    rows, columns = tiles.shape
    smallest = goal
    for row in range(rows):
        smallest = min(smallest, tiles[row, 0])
    if bound == 0 or smallest == 0:
        return bound
    # The sum of the tiles outside the column, by exponent; capped at the goal, because sums may exceed 64 bits.
    sums = np.zeros(64, np.int64)
    for row in range(rows):
        for column in range(1, columns):
            tile = tiles[row, column]
            if tile > 0:
                exponent = exponent_of(tile)
                sums[exponent] += min(tile, goal - sums[exponent])
    largest = 0
    for row in range(rows):
        largest = max(largest, tiles[row, 0])
    sums[exponent_of(largest)] += largest
    least = supply(sums, goal, goal, goal)
    sums[exponent_of(largest)] -= largest
    for row in range(rows - 1):
        for other in range(rows):
            sums[exponent_of(tiles[other, 0])] += tiles[other, 0] * (other != row and other != row + 1)
        least = min(least, supply(sums, goal, goal, goal))
        for other in range(rows):
            sums[exponent_of(tiles[other, 0])] -= tiles[other, 0] * (other != row and other != row + 1)
        upper = tiles[row, 0]
        lower = tiles[row + 1, 0]
        doubled = max(upper, lower)
        while doubled < goal:
            added = supply(sums, 2 * doubled - upper - lower, doubled, goal)
            least = min(least, max(added, exponent_of(goal) - exponent_of(min(upper, lower))))
            doubled *= 2
    return max(bound, least)


def supply(sums: Any, amount: int, below: int, goal: int) -> int:
    """Return a lower bound on the moves to a goal that needs smaller tiles with a given sum.

    A missing amount appears as 2s, one per move, and the last 2 takes log2(goal) - 1 further merges. If nothing is
    missing, the largest tiles are taken first, and the smallest tile that is needed is doubled up to the goal.

    Args:
        sums: the sum of the existing tiles, by exponent.
        amount: the sum of the tiles that are needed.
        below: the size that these tiles must be below.
        goal: the tile to reach.
    """
    exponent = exponent_of(below)
    missing = amount
    while missing > 0 and exponent > 1:
        exponent -= 1
        missing -= min(missing, sums[exponent])
    if missing > 0:
        return missing // 2 + exponent_of(goal) - 1
    return exponent_of(goal) - exponent if amount > 0 else 0


def exponent_of(tile: int) -> int:
    """Return log2 of a tile."""
    return one_bits(tile - 1)


HEURISTICS = (
    Heuristic(
        "distance-weighted",
        distance_weighted,
        domains=DOMAINS,
        prefer="high",
        aliases=("weighted",),
        summary="the sum of tile × distance from the upper-right corner",
    ),
    Heuristic(
        "left-weighted",
        left_weighted,
        domains=DOMAINS,
        prefer="high",
        summary="large tiles in the first column, lower rows first",
    ),
    Heuristic(
        "snake",
        snake,
        domains=DOMAINS,
        prefer="high",
        summary="the sum of the tiles in line with the largest one",
    ),
    Heuristic(
        "penalty",
        penalty,
        domains=DOMAINS,
        summary="differences between neighbours; lower is better",
    ),
    Heuristic(
        "column-snake",
        column_snake,
        domains=DOMAINS,
        prefer="high",
        summary="descending tiles along a path up and down the columns",
    ),
    Heuristic("empty", empty, domains=DOMAINS, prefer="high", summary="the number of blank cells"),
    Heuristic(
        "moves-to-go",
        moves_to_go,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        summary="a lower bound on the remaining moves, from the 2s still to appear and merge",
    ),
    Heuristic(
        "merges-to-go",
        merges_to_go,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        summary="moves-to-go, raised if a full first column cannot merge",
    ),
)
