"""Heuristics of a third party: plain Python and NumPy as anybody would write it, nothing of it known to searchlab."""

from math import floor

import numpy as np

from searchlab import Heuristic, hookimpl
from searchlab_plugins.sliding_tile.heuristics import euclidean

SIDE = 4
TILES = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
ROWS, COLUMNS = np.indices((SIDE, SIDE))

# Where the blank belongs first, tile t belongs in row t // 4 and column t % 4. DISTANCE[row, column, tile]:
DISTANCE = abs(ROWS[:, :, None] - TILES.ravel() // SIDE) + abs(COLUMNS[:, :, None] - TILES.ravel() % SIDE)
DISTANCE[:, :, 0] = 0
DISTANCE_BY_PLACE = DISTANCE.ravel().astype(np.int8)
GOAL = {tile: divmod(tile, SIDE) for tile in range(SIDE * SIDE)}
FIRST_OF_CELL = SIDE * SIDE * np.arange(SIDE * SIDE)


def manhattan_by_goal(tiles, goal_row, goal_col):
    """Sum of the tiles' distances from where they belong, for any goal and size."""
    rows, columns = tiles.shape
    distance = 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if tile != 0:
                distance += abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
    return distance


def manhattan_by_table(tiles):
    """Sum of the tiles' distances from where they belong, for 4×4 with the blank first."""
    distance = 0
    for row in range(SIDE):
        for column in range(SIDE):
            distance += DISTANCE[row, column, tiles[row, column]]
    return distance


def manhattan_by_numpy(boards):
    """The same of many boards at once."""
    return DISTANCE_BY_PLACE[boards.reshape(-1, SIDE * SIDE) + FIRST_OF_CELL].sum(axis=1)


def manhattan_by_arithmetic(tiles):
    """The same with loops and arithmetic."""
    distance = 0
    for row in range(SIDE):
        for column in range(SIDE):
            tile = tiles[row, column]
            if tile != 0:
                distance += abs(row - tile // SIDE) + abs(column - tile % SIDE)
    return distance


def manhattan_by_dict(tiles):
    """The same by a dict."""
    distance = 0
    for row in range(SIDE):
        for column in range(SIDE):
            tile = tiles[row, column]
            if tile != 0:
                goal_row, goal_column = GOAL[tile]
                distance += abs(row - goal_row) + abs(column - goal_column)
    return distance


def manhattan_by_generator(tiles):
    """The same in one expression."""
    return sum(
        abs(row - tiles[row, column] // SIDE) + abs(column - tiles[row, column] % SIDE)
        for row in range(SIDE)
        for column in range(SIDE)
        if tiles[row, column] != 0
    )


def manhattan_shortened(tiles):
    """The same, 0.999 times: no whole number, and hardly another order."""
    return 0.999 * manhattan_by_arithmetic(tiles)


def euclidean_rounded_down(tiles, goal_row, goal_col):
    """Return the shipped `euclidean`, rounded down to a whole number."""
    return floor(euclidean(tiles, goal_row, goal_col))


def farthest_by_loop(tiles):
    """The distance of the tile that is farthest from where it belongs."""
    farthest = 0
    for row in range(SIDE):
        for column in range(SIDE):
            tile = tiles[row, column]
            if tile != 0:
                distance = abs(row - tile // SIDE) + abs(column - tile % SIDE)
                if distance > farthest:
                    farthest = distance
    return farthest


def farthest_by_max(tiles):
    """The same in one expression."""
    return max(
        abs(row - tiles[row, column] // SIDE) + abs(column - tiles[row, column] % SIDE)
        for row in range(SIDE)
        for column in range(SIDE)
        if tiles[row, column] != 0
    )


@hookimpl
def searchlab_heuristics():
    """Return the heuristics."""
    proved = {"domains": {"sliding-tile"}, "admissible": True, "consistent": True}
    yield Heuristic("manhattan-by-goal", manhattan_by_goal, summary="Manhattan distance, any goal", **proved)
    yield Heuristic("manhattan-by-table", manhattan_by_table, summary="Manhattan distance, Korf's goal", **proved)
    yield Heuristic("manhattan-by-numpy", batch=manhattan_by_numpy, summary="Manhattan distance, in batches", **proved)
    yield Heuristic("manhattan-by-arithmetic", manhattan_by_arithmetic, summary="Manhattan, by loops", **proved)
    yield Heuristic("manhattan-by-dict", manhattan_by_dict, summary="Manhattan, by a dict", **proved)
    yield Heuristic("manhattan-by-generator", manhattan_by_generator, summary="Manhattan, in one expression", **proved)
    yield Heuristic("manhattan-shortened", manhattan_shortened, summary="Manhattan, 0.999 times", **proved)
    rounded = {**proved, "consistent": False}
    yield Heuristic("euclidean-rounded-down", euclidean_rounded_down, summary="euclidean, a whole number", **rounded)
    yield Heuristic("farthest-by-loop", farthest_by_loop, summary="farthest tile, by loops", **proved)
    yield Heuristic("farthest-by-max", farthest_by_max, summary="farthest tile, in one expression", **proved)
