"""Heuristics that each break the contract in one way."""

import time

from searchlab import Heuristic, hookimpl

SETTINGS = {"scale": 3}
CALLS = []


def manhattan(tiles, goal_row, goal_col):
    distance = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            if tile != 0:
                distance += abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
    return distance


def one_too_high(tiles, goal_row, goal_col):
    """Exact on the board below, four moves from the goal, but for the one that is added."""
    distance = manhattan(tiles, goal_row, goal_col)
    is_that = tiles[0, 0] == 1 and tiles[1, 0] == 0 and tiles[1, 1] == 4 and tiles[1, 2] == 6 and tiles[2, 0] == 7
    if is_that and tiles[2, 1] == 5 and tiles[0, 1] == 2 and tiles[0, 2] == 3:
        distance += 1
    return distance


def jumping(tiles, goal_row, goal_col):
    """Manhattan distance where the blank is in a corner, else 0: admissible, but it drops by leaps."""
    if tiles[0, 0] == 0 or tiles[0, 2] == 0 or tiles[2, 0] == 0 or tiles[2, 2] == 0:
        return manhattan(tiles, goal_row, goal_col)
    return 0


def reads_the_clock(tiles):
    return time.time() % 1000 + tiles[0, 0]


def reads_the_clock_of_the_day(tiles):
    return int(time.time() / 86_400)


def writes(tiles):
    total = tiles.sum()
    tiles[0, 0] = 0
    return total


def needs_a_two(tiles):
    cells = [int(tile) for tile in tiles.ravel()]
    return cells.index(2)


def of_a_dict(tiles):
    scale = 1
    scale += SETTINGS["scale"]
    return scale * tiles[0, 0]


def counts_its_calls(tiles):
    CALLS.append(1)
    return len(CALLS)


def no_number(tiles):
    return "many" if tiles[0, 0] == 0 else 1


def not_a_number(tiles):
    return float("nan") if tiles[0, 0] == 8 else 1.0


def hangs(tiles):
    while tiles[0, 0] == 8:
        pass
    return 0


def overflows(tiles):
    big = 1
    for _ in range(50):
        big *= 3
    return big


def upper_left(tiles):
    return tiles[0, 0]


def off_after_a_move(h, tile, source, target):
    return h + 1


@hookimpl
def searchlab_heuristics():
    proved = {"domains": {"sliding-tile"}, "admissible": True, "consistent": True}
    yield Heuristic("one-too-high", one_too_high, **proved)
    yield Heuristic("jumping", jumping, **proved)
    yield Heuristic("jumping-undeclared", jumping, domains={"sliding-tile"})
    yield Heuristic("needs-a-two", needs_a_two, domains={"2048"}, prefer="high")
    yield Heuristic("admissible-score", upper_left, domains={"2048"}, prefer="high", admissible=True)
    yield Heuristic("badly-updated", manhattan, incremental=off_after_a_move, domains={"sliding-tile"})
    yield Heuristic("well-declared", manhattan, **proved)
