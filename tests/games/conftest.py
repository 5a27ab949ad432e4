"""A small game of chance that is not symmetric, on two cells."""

import pytest

import searchlab as sl


def swap(board, gain, last):
    """The tiles change places; swapped back to front, the game may be over."""
    left, right = board.tiles[0].tolist()
    if left + right < last:
        yield "swap", sl.Board([[right + gain, left]])
        yield "end", sl.Board([[left, right]]), 1, True


def packed_swap(tiles, out, points, terminal, gain, last):
    if tiles[0, 0] + tiles[0, 1] >= last:
        return 0
    out[0, 0, 0] = tiles[0, 1] + gain
    out[0, 0, 1] = tiles[0, 0]
    out[1, 0, 0] = tiles[0, 0]
    out[1, 0, 1] = tiles[0, 1]
    terminal[0], terminal[1] = 0, 1
    for move in range(2):
        if points is not None:
            points[move] = 3 * out[move, 0, 0] - 2 * tiles[0, 0]
    return 2


def grow(board, step):
    """One of the tiles grows."""
    left, right = board.tiles[0].tolist()
    yield "left", sl.Board([[left + 1, right]]), 0.25
    yield "right", sl.Board([[left, right + step]]), 0.75


def packed_grow(tiles, out, probabilities, step):
    for k in range(2):
        out[k, 0, 0] = tiles[0, 0] + (k == 0)
        out[k, 0, 1] = tiles[0, 1] + step * (k == 1)
        probabilities[k] = 0.25 + 0.5 * k
    return 2


def never(board):
    return False


PACKED = sl.PackedForm(
    values=512,
    max_successors=2,
    successors=packed_swap,
    is_goal=never,
    chances=packed_grow,
    most_chances=2,
)


@pytest.fixture(scope="module")
def pairs():
    """A game on two cells."""
    return sl.domain(
        sl.Domain(
            "pairs",
            swap,
            never,
            parameters=(sl.Parameter("gain", 0), sl.Parameter("last", 7), sl.Parameter("step", 1)),
            start=lambda: sl.Board([[0, 0]]),
            packed=lambda board: PACKED,
            chance=sl.Chance(
                grow, opening=lambda: 1, points=lambda board, after: 3 * after.tile_at(0, 0) - 2 * board.tile_at(0, 0)
            ),
        )
    )
