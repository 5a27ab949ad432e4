"""Boards are packed into words and come back unchanged."""

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing, RangedPacking


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


@pytest.mark.parametrize("powers_of_two", [False, True])
@pytest.mark.parametrize("bits", [3, 4, 5, 7])
def test_a_few_states_are_unpacked_as_many_are(bits, powers_of_two):
    """Cell by cell or by NumPy, whatever the bits are."""
    packing = Packing(3, 3, 1 << bits, bits, powers_of_two=powers_of_two)
    states = np.arange(40, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15)
    states &= np.uint64((1 << 9 * bits) - 1)
    if powers_of_two and bits > 5:  # no tile is larger than 2^62
        states &= np.uint64(sum(31 << bits * cell for cell in range(9)))
    together = packing.unpack(states)
    assert [packing.unpack(state[None])[0] for state in states] == together
    assert [board.tiles.tolist() for board in together] == packing.unpack_tiles(states).tolist()


def test_cells_follow_one_another_from_the_lowest_bits():
    """The layout is what the packed rules of the domains rely on."""
    packing = Packing(4, 4, 16, 4, powers_of_two=False)
    words = packing.pack(sl.Board(np.arange(16).reshape(4, 4)))
    assert [hex(word) for word in words.tolist()] == ["0xfedcba9876543210"]


@pytest.mark.parametrize(("n", "values", "words"), [(4, 16, 1), (5, 25, 3), (5, 12, 2), (3, 9, 1)])
def test_no_cell_lies_across_two_words(n, values, words):
    """The number of words follows from the cells that fit into one."""
    assert Packing(n, n, values, (values - 1).bit_length(), powers_of_two=False).words == words


@st.composite
def ranged_boards(draw):
    """A board and the ranges of its cells, of one value, a few, or nearly all there are."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    ends = st.integers(-3, 3) | st.integers(-(2**63) + 1, 2**63 - 1) | st.sampled_from([0, 1, 2**20])
    ranges = [tuple(sorted((draw(ends), draw(ends)))) for _ in range(rows * columns)]
    tiles = [draw(st.integers(low, high) | st.sampled_from([low, high])) for low, high in ranges]
    return sl.Board(np.array(tiles).reshape(rows, columns), signed=True), ranges


@given(ranged_boards())
def test_cells_of_several_widths_round_trip(case):
    """Each cell takes the bits of its own range, in NumPy and in the source that is compiled, with the same words."""
    board, ranges = case
    packing = RangedPacking.of_ranges(*board.shape, ranges)
    words = packing.pack(board)
    assert packing.unpack(words[None]) == [board]
    assert [at.bits for at in packing.packed_cells] == [(high - low).bit_length() for low, high in ranges]
    tiles, out = np.zeros(packing.cells, np.int64), np.zeros(packing.words, np.uint64)
    scope = {"I": np.int64, "U": np.uint64, "words": words, "tiles": tiles, "out": out, "count": 1}
    with np.errstate(over="ignore"):  # as in compiled code, whole numbers wrap around
        exec(dedent(packing.unpacking_source()), scope)
        exec(dedent(packing.packing_source()), {**scope, "out_tiles": tiles})
    assert tiles.tolist() == board.tiles.ravel().tolist()
    assert out.tolist() == words.tolist()


@pytest.mark.parametrize("tile", [-4, 3])
def test_what_is_beyond_its_range_is_refused_in_compiled_code(tile):
    """And takes the nearest value in NumPy, as in a packing of cells all alike."""
    packing = RangedPacking.of_ranges(1, 2, [(-3, 2), (0, 1)])
    out = np.zeros(1, np.uint64)
    scope = {"I": np.int64, "U": np.uint64, "out_tiles": np.array([tile, 0]), "out": out, "count": 1}
    with pytest.raises(ValueError, match="no room"):
        exec(dedent(packing.packing_source()), scope)
    packed = packing.pack(sl.Board([[tile, 0]], signed=True))
    assert packing.unpack(packed[None])[0].tile_at(0, 0) == max(-3, min(2, tile))
