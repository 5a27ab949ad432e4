"""Heuristics that each break the contract in one way."""

import random
import time

import numpy as np

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
    scale += SETTINGS.get("scale")
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


def corner(tiles):
    return (tiles[0, 0],)


def corner_stays(h, carried, tile, source, target, goal_distance):
    """The right value, but what is carried is not updated."""
    return h + goal_distance[tile, target] - goal_distance[tile, source], carried


def draws(tiles):
    return tiles[0, 0] + random.random()


def beyond_the_border(tiles):
    """Neighbours that fall; one column too many is looked at where the first tile of a row is an 8."""
    count = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1] - (tiles[row, 0] != 8)):
            count += tiles[row, column] > tiles[row, column + 1]
    return count


def around_the_border(tiles, goal_row, goal_col):
    """Manhattan distance, but the first row looks at the row above it: index -1 is the last one."""
    distance = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row - 1, column]
            if tile != 0:
                distance += abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
    return distance


def blank_near_the_end(tiles):
    """Rows and columns between the blank and the lower right."""
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            if tiles[row, column] == 0:
                return tiles.shape[0] - row + tiles.shape[1] - column - 2
    return 0


def blanks_to_the_end(boards):
    n = boards.shape[1]
    blanks = (boards.reshape(len(boards), -1) == 0).argmax(axis=1)
    return 2 * n - 2 - blanks // n - blanks % n


def one_off_in_a_corner(boards):
    return blanks_to_the_end(boards) + (boards[:, 0, 0] == 0)


def off_on_few_boards(boards):
    """One too much on a few of all boards: those that begin with 8 7 6 5."""
    rare = (boards[:, 0, 0] == 8) & (boards[:, 0, 1] == 7) & (boards[:, 0, 2] == 6) & (boards[:, 1, 0] == 5)
    return blanks_to_the_end(boards) + rare


def relative_to_the_others(boards):
    values = blanks_to_the_end(boards)
    return values - values.min()


def depends_on_the_first(boards):
    return blanks_to_the_end(boards) + boards[0, 0, 0]


def cleared_when_done(boards):
    values = blanks_to_the_end(boards)
    boards[:] = 0
    return values


def one_value_short(boards):
    return blanks_to_the_end(boards)[:-1]


def packed_blank(words, rows, columns, bits):
    """The same on packed states of sliding tiles, in one word."""
    for cell in range(rows * columns):
        if (words[0] >> np.uint64(cell * bits)) & np.uint64(15) == np.uint64(0):
            return rows - cell // columns + columns - cell % columns - 2
    return 0


def packed_one_off(words, rows, columns, bits):
    value = packed_blank(words, rows, columns, bits)
    return value + (words[0] & np.uint64(0xFFFF) == np.uint64(0x5678))


def packed_by_a_hair(words, rows, columns, bits):
    value = packed_blank(words, rows, columns, bits)
    return value * 1.0000000000000002


def packed_of_a_dict(words):
    return SETTINGS.get("scale") * words[0]


def packed_with_wishes(words, wish):
    return wish


@hookimpl
def searchlab_heuristics():
    for batch in (
        blanks_to_the_end,
        one_off_in_a_corner,
        off_on_few_boards,
        relative_to_the_others,
        depends_on_the_first,
        cleared_when_done,
        one_value_short,
    ):
        name = batch.__name__.replace("_", "-")
        yield Heuristic(name, blank_near_the_end, batch=batch, domains={"sliding-tile"})
        yield Heuristic(f"only-{name}", batch=batch, domains={"sliding-tile"})
    for packed in (packed_blank, packed_one_off, packed_by_a_hair, packed_of_a_dict, packed_with_wishes):
        name = packed.__name__.replace("_", "-")
        yield Heuristic(name, blank_near_the_end, packed=packed, domains={"sliding-tile"})
    yield Heuristic("around-the-border", around_the_border, domains={"sliding-tile"}, admissible=True, consistent=True)
    proved = {"domains": {"sliding-tile"}, "admissible": True, "consistent": True}
    yield Heuristic("one-too-high", one_too_high, **proved)
    yield Heuristic("jumping", jumping, **proved)
    yield Heuristic("jumping-undeclared", jumping, domains={"sliding-tile"})
    yield Heuristic("needs-a-two", needs_a_two, domains={"2048"}, prefer="high")
    yield Heuristic("admissible-score", upper_left, domains={"2048"}, prefer="high", admissible=True)
    yield Heuristic("badly-carried", manhattan, carry=corner, incremental=corner_stays, domains={"sliding-tile"})
    yield Heuristic("badly-updated", manhattan, incremental=off_after_a_move, domains={"sliding-tile"})
    yield Heuristic("well-declared", manhattan, **proved)
