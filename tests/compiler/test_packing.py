"""Boards are packed into words and come back unchanged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing


@given(st.integers(1, 7), st.integers(1, 7), st.integers(2, 300), st.randoms())
def test_linear_codes_round_trip(rows, columns, values, random):
    """A board whose cells take the values 0 … v − 1 survives packing, whatever its shape."""
    packing = Packing(rows, columns, values, (values - 1).bit_length(), powers_of_two=False)
    board = sl.Board([[random.randrange(values) for _ in range(columns)] for _ in range(rows)])
    assert packing.unpack(packing.pack(board).reshape(1, -1)) == [board]


@given(st.integers(1, 6), st.integers(2, 63), st.randoms())
def test_powers_of_two_round_trip(n, values, random):
    """A board of blanks and powers of two survives packing, up to 2^62."""
    packing = Packing(n, n, values, (values - 1).bit_length(), powers_of_two=True)
    tiles = [[(1 << random.randrange(values)) & ~1 for _ in range(n)] for _ in range(n)]
    assert packing.unpack(packing.pack(sl.Board(tiles)).reshape(1, -1)) == [sl.Board(tiles)]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 5), st.booleans(), st.randoms())
def test_many_states_are_unpacked_into_one_array(rows, columns, count, powers_of_two, random):
    """The array is fresh, of shape (states, rows, columns), and has the tiles of each board."""
    packing = Packing(rows, columns, 12, 4, powers_of_two)
    codes = np.array([random.randrange(12) for _ in range(count * rows * columns)], np.int64)
    tiles = ((1 << codes) & ~1 if powers_of_two else codes).reshape(count, rows, columns)
    states = np.array([packing.pack(sl.Board(grid)) for grid in tiles], np.uint64).reshape(count, packing.words)
    unpacked = packing.unpack_tiles(states)
    assert (unpacked.dtype, unpacked.shape, unpacked.tolist()) == (np.int64, tiles.shape, tiles.tolist())
    assert not np.shares_memory(unpacked, states)


def test_cells_follow_one_another_from_the_lowest_bits():
    """The layout is what the packed rules of the domains rely on."""
    packing = Packing(4, 4, 16, 4, powers_of_two=False)
    words = packing.pack(sl.Board(np.arange(16).reshape(4, 4)))
    assert [hex(word) for word in words.tolist()] == ["0xfedcba9876543210"]


@pytest.mark.parametrize(("n", "values", "words"), [(4, 16, 1), (5, 25, 3), (5, 12, 2), (3, 9, 1)])
def test_no_cell_lies_across_two_words(n, values, words):
    """The number of words follows from the cells that fit into one."""
    assert Packing(n, n, values, (values - 1).bit_length(), powers_of_two=False).words == words
