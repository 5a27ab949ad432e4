"""Boards are packed into words and come back unchanged."""

from functools import partial
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing, RangedPacking
from searchlab.model.packed import trailing_zeros


@pytest.mark.slow
@given(st.integers(1, 7), st.integers(1, 7), st.integers(2, 300), st.randoms())
def test_linear_codes_round_trip(rows, columns, values, random):
    """A board of any shape with values 0 … v − 1 survives packing."""
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
def test_few_and_many_states_are_unpacked_alike(bits, powers_of_two):
    """Cell by cell or by NumPy, for any number of bits."""
    packing = Packing(3, 3, 1 << bits, bits, powers_of_two=powers_of_two)
    states = np.arange(40, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15)
    states &= np.uint64((1 << 9 * bits) - 1)
    if powers_of_two and bits > 5:  # no tile is larger than 2^62
        states &= np.uint64(sum(31 << bits * cell for cell in range(9)))
    together = packing.unpack(states)
    assert [packing.unpack(state[None])[0] for state in states] == together
    assert [board.tiles.tolist() for board in together] == packing.unpack_tiles(states).tolist()


def test_cells_are_packed_from_the_lowest_bits():
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


@st.composite
def forms(draw):
    """A packed form: values of cells all alike, with bits to spare or none, powers of two, or a range a cell."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["values", "powers", "ranges"]))
    needed = {"max_successors": 1, "successors": lambda tiles, out: 0, "is_goal": lambda tiles: False}
    if kind == "ranges":
        ends = st.integers(-3, 9) | st.integers(-(2**63) + 1, 2**63 - 1) | st.sampled_from([0, 2**20])
        cells = [tuple(sorted((draw(ends), draw(ends)))) for _ in range(rows * columns)]
        return sl.PackedForm(cells=cells, **needed), rows, columns
    powers = kind == "powers"
    values = draw(st.integers(1, 20) | st.sampled_from([32, 63] if powers else [2**16, 2**40 + 1, 2**63]))
    bits = draw(st.sampled_from([0, 0, 1, 3])) + max(1, (values - 1).bit_length())
    bits = min(bits, 6 if powers else 63)  # no more bits than tiles have
    return sl.PackedForm(values, bits=bits, powers_of_two=powers, **needed), rows, columns


def boards_near(form, count):
    """Tiles that a form has room for, and such as lie at the ends of what it has room for."""
    values = form.values - 1
    most = 1 << values if form.powers_of_two else values
    beside = [-1, 0, 1, 2, 3, 6, most - 1, most, most + 1, 2 * most, -most, -(2**63), 2**63 - 1]
    beside_ranges = [[low - 1, low, high, high + 1] for low, high in form.cells]
    near = [st.sampled_from([*filter(_is_whole, tiles)]) for tiles in beside_ranges or [beside] * count]
    is_odd = st.sampled_from([False, False, False, True])
    return st.tuples(*(is_odd.flatmap(partial(_mostly, form, cell, near[cell])) for cell in range(count)))


def _mostly(form, cell, near, odd):
    if odd:
        return near
    if form.cells:
        return st.integers(*form.cells[cell])
    return st.integers(0, form.values - 1).map(lambda code: 1 << code & ~1 if form.powers_of_two else code)


def _is_whole(tile):
    return -(2**63) <= tile < 2**63


def has_room(form, tiles):
    """Return whether a form has room for tiles, computed from its declaration."""
    if form.cells:
        return all(low <= tile <= high for tile, (low, high) in zip(tiles, form.cells, strict=True))
    if form.powers_of_two:
        return all(tile == 0 or tile in [1 << code for code in range(1, form.values)] for tile in tiles)
    return all(0 <= tile < form.values for tile in tiles)


def run(source, packing, **names):
    """Run the source of compiled code in NumPy, whose whole numbers wrap around as there."""
    scope = {"I": np.int64, "U": np.uint64, "trailing_zeros": trailing_zeros, "count": 1, **names}
    with np.errstate(over="ignore"):
        exec(dedent(source), scope)


@given(forms(), st.data())
def test_a_tile_without_room_is_refused(case, data):
    """In Python and in compiled code, and by the form itself; any other board comes back as it was."""
    form, rows, columns = case
    tiles = data.draw(boards_near(form, rows * columns))
    grid = np.array(tiles, np.int64).reshape(rows, columns)
    board = sl.Board(grid, signed=True)
    packing = Packing.of(form, board)
    out = np.zeros(packing.words, np.uint64)
    fits = has_room(form, tiles)
    assert packing.fits(grid[None]).tolist() == [fits]
    assert (form.why_no_room(grid) == "") == fits
    if fits:
        words = packing.pack(board)
        assert packing.unpack_tiles(words[None])[0].tolist() == grid.tolist()
        run(packing.packing_source(), packing, out_tiles=grid.ravel(), out=out)
        run(packing.checking_source(1), packing, out=out)
        assert out.tolist() == words.tolist() == np.ravel(packing.pack_exactly(board)).tolist()
        return
    assert packing.pack_exactly(board) is None
    with pytest.raises(sl.PluginError, match=r"no room for the tile .* at row .*, column") as error:
        packing.pack(board)
    assert str(error.value).partition("\n")[2] == str(board)
    with pytest.raises(ValueError, match="no room"):
        run(packing.packing_source(), packing, out_tiles=grid.ravel(), out=out)


@given(forms(), st.data())
def test_an_invalid_word_is_refused(case, data):
    """Where rules write packed words: a code beyond the values of a cell, or a bit that belongs to none.

    The rest of the room for successors, which were not written, may hold anything.
    """
    form, rows, columns = case
    packing = Packing.of(form, sl.Board(np.zeros((rows, columns), np.int64)))
    tiles = [data.draw(_mostly(form, cell, None, odd=False)) for cell in range(packing.cells)]
    words = packing.pack_tiles(np.array(tiles, np.int64).reshape(1, rows, columns))[0]
    words[data.draw(st.integers(0, packing.words - 1))] ^= np.uint64(1 << data.draw(st.integers(0, 63)))
    there = packing.unpack_tiles(words[None])
    is_board = has_room(form, there.ravel().tolist()) and (packing.pack_tiles(there) == words).all()
    room = data.draw(st.sampled_from([1, 3, 8, 9]))
    rest = np.full((room - 1) * packing.words, data.draw(st.sampled_from([0, 2**64 - 1])), np.uint64)
    out = np.concatenate([words, rest])
    if is_board:
        run(packing.checking_source(room), packing, out=out)
    else:
        with pytest.raises(ValueError, match="no room"):
            run(packing.checking_source(room), packing, out=out)


@pytest.mark.parametrize(("values", "bits", "cells"), [(16, 4, 16), (256, 8, 8), (2, 1, 64), (2**16, 16, 8)])
def test_full_words_are_not_checked(values, bits, cells):
    """All that they may hold stands for a board."""
    assert Packing(1, cells, values, bits, powers_of_two=False).checking_source(4) == ""


def test_a_board_of_another_shape_is_refused():
    """It once was packed into a word that stands for other tiles, or into none."""
    packing = Packing(2, 2, 4, 2, powers_of_two=False)
    with pytest.raises(sl.PluginError, match="for boards of 2 × 2, not of 1 × 4"):
        packing.pack(sl.Board([[0, 1, 2, 3]]))
    assert packing.pack_exactly(sl.Board([[0, 1, 2, 3]])) is None
