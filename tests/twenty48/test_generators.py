"""2048 boards by chance."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

SEEDS = st.integers(0, 2**64)


@given(SEEDS, st.integers(2, 6), st.data())
def test_scattered_boards_have_their_tiles(seed, n, data):
    """As many tiles as asked for, all powers of two up to the largest; a board of the domain's size."""
    tiles = data.draw(st.integers(0, n * n))
    most = 2 ** data.draw(st.integers(1, 62))
    board = sl.generator("scattered", domain=sl.domain("2048", n=n), tiles=tiles, most=most)(seed)
    assert (board.n, board.size()) == (n, tiles)
    assert board.largest_tile() <= most


def test_scattered_tiles_are_of_every_size():
    """And fall into every cell."""
    scattered = sl.generator("scattered:tiles=4,most=16")
    boards = [scattered(seed) for seed in range(100)]
    assert {int(tile) for board in boards for tile in board.tiles.ravel()} == {0, 2, 4, 8, 16}
    assert (sum(board.tiles != 0 for board in boards) > 0).all()


@pytest.mark.parametrize("spawn", ["right-column", "corner"])
@pytest.mark.parametrize("seed", range(5))
def test_a_played_board_is_reached_by_play(seed, spawn):
    """The sum grows by 2 with each move, and each board is a successor of the one a move before."""
    domain = sl.domain("2048", spawn=spawn, n=3)
    boards = [sl.generator("played", domain=domain, moves=moves)(seed) for moves in range(12)]
    assert boards[0] == domain.start()
    for before, after in pairwise(boards):
        live = [edge.board for edge in domain.edges(before) if not edge.terminal]
        assert after in live if live else after == before
    assert boards[5].tiles.sum() == 2 + 2 * 5


def test_play_ends_if_there_is_no_move():
    domain = sl.domain("2048", n=2)
    board = sl.generator("played", domain=domain, moves=1000)(1)
    assert domain.is_dead(board)


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("scattered", [[0, 2, 64, 0], [0, 0, 0, 8], [0, 0, 32, 0], [4, 0, 8, 0]]),
        ("played", [[2, 0, 0, 2], [16, 0, 0, 0], [4, 8, 0, 0], [2, 4, 2, 2]]),
    ],
)
def test_boards_of_a_seed_never_change(name, tiles):
    assert sl.generator(name)(1) == sl.Board(tiles)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scattered:tiles=17", "generator scattered:tiles=17: 17 tiles do not fit on 4 × 4"),
        ("scattered:tiles=-1", "tiles=-1: there are 0 or more"),
        ("scattered:most=6", r"most=6: a tile is a power of two from 2 to 2\^62"),
        ("played:moves=-1", "moves=-1: there are 0 or more"),
        ("played:n=3", "n is filled from the domain; set it there"),
    ],
)
def test_invalid_parameters_are_refused(name, said):
    with pytest.raises(sl.UsageError, match=said):
        sl.generator(name)(1)
