"""A naive implementation of deterministic 2048, with which the real rules are compared."""

import pytest


def slid(line):
    """A list slid towards its first cell."""
    tiles = [tile for tile in line if tile]
    result = []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
        result.append(tile)
    return result + [0] * (len(line) - len(result))


def turned(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def mirrored(rows):
    return [row[::-1] for row in rows]


def swiped(rows, action):
    """A list of lists after a swipe, before anything appears."""
    if action == "left":
        return [slid(row) for row in rows]
    if action == "right":
        return mirrored(swiped(mirrored(rows), "left"))
    return turned(swiped(turned(rows), "left" if action == "up" else "right"))


def moves(rows, spawn):
    """Every move from a board as (action, rows after it, whether the game is over with it)."""
    found = []
    for action in ("up", "down", "left", "right"):
        after = swiped(rows, action)
        if after == rows:
            continue
        rows_that_may_get_it = [0] if spawn == "corner" else range(len(rows))
        free = [row for row in rows_that_may_get_it if after[row][-1] == 0]
        if free:
            after[free[0]][-1] = 2
        if free or spawn == "corner":
            found.append((action, after, not free))
    return found


@pytest.fixture(scope="session")
def naive_slide():
    return slid


@pytest.fixture(scope="session")
def naive_swipe():
    return swiped


@pytest.fixture(scope="session")
def naive_moves():
    return moves
