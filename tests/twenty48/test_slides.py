"""Tiles slide and merge by the rules, one line at a time and many at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab_plugins.twenty48 import bytewise, rowwise, slides
from searchlab_plugins.twenty48.slides import ACTIONS, SHORT, slide, slide_lines, slide_targets, swipes

TILES = st.sampled_from([0, 0, 2, 2, 4, 4, 8, 2**62])


def line_of(length):
    return st.lists(TILES, min_size=length, max_size=length)


def grids(smallest, largest):
    return st.integers(smallest, largest).flatmap(lambda n: st.lists(line_of(n), min_size=n, max_size=n))


@pytest.mark.parametrize(
    ("line", "left", "right"),
    [
        ((0, 2, 2, 2), (4, 2, 0, 0), (0, 0, 2, 4)),
        ((4, 4, 0, 4), (8, 4, 0, 0), (0, 0, 4, 8)),
        ((2, 2, 2, 2), (4, 4, 0, 0), (0, 0, 4, 4)),
        ((4, 2, 2, 0), (4, 4, 0, 0), (0, 0, 4, 4)),
        ((2, 4, 8, 16), (2, 4, 8, 16), (2, 4, 8, 16)),
        ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0)),
    ],
)
def test_lines_of_the_rules_slide_as_printed(line, left, right):
    """The examples of the rules come out in both directions."""
    assert slide(line) == left
    assert slide(line[::-1])[::-1] == right


@given(st.integers(1, 40).flatmap(line_of))
def test_a_line_slides_like_by_the_naive_implementation(naive_slide, line):
    """A line of any length slides as the reference says."""
    assert list(slide(tuple(line))) == naive_slide(line)


@given(st.integers(1, 9), st.integers(1, 30), st.data())
def test_many_lines_slide_like_single_ones(naive_slide, count, length, data):
    """Column k of the result is line k slid."""
    lines = [data.draw(line_of(length)) for _ in range(count)]
    with np.errstate(over="ignore"):
        slid = slide_lines(np.array(lines).T)
    expected = np.array([naive_slide(line) for line in lines], np.uint64).astype(np.int64)
    assert (expected == slid.T).all()


@given(grids(2, 20))
def test_both_ways_to_swipe_a_board_agree_with_the_rules(naive_swipe, rows):
    """Line by line and as arrays, all four swipes give what the reference gives, None where nothing changes."""
    rows = [[tile % 2**62 for tile in row] for row in rows]
    tiles = np.array(rows)
    for ways in (slides._swipes_of_lines(tiles), slides._swipes_of_arrays(tiles)):
        for action, after in zip(ACTIONS, ways, strict=True):
            expected = naive_swipe(rows, action)
            assert (rows if after is None else after.tolist()) == expected
            assert (after is None) == (expected == rows)


@pytest.mark.parametrize("n", [SHORT, SHORT + 1])
def test_a_board_changes_its_way_of_swiping_unnoticed(naive_swipe, n):
    """On both sides of the size at which arrays take over the result is the same."""
    rows = [[(0, 2, 2, 4)[(row * column + row) % 4] for column in range(n)] for row in range(n)]
    for action, after in zip(ACTIONS, swipes(np.array(rows)), strict=True):
        assert after.tolist() == naive_swipe(rows, action)


def test_swiping_does_not_change_the_board():
    """The tiles given are not written to, and no result shares memory with another."""
    tiles = np.tile([[2, 2, 0], [0, 2, 0], [2, 0, 2]], (SHORT, SHORT))
    before = tiles.copy()
    results = [after for after in swipes(tiles) if after is not None]
    assert len(results) == 4
    assert (tiles == before).all()
    assert not any(np.shares_memory(a, b) for a in results for b in (*results, tiles) if a is not b)


def by_targets(tiles, direction):
    """A board whose tiles are moved one by one to where `motions` says."""
    lines = [*tiles.T] if direction < 2 else [*tiles]
    after = np.zeros_like(tiles)
    for number, line in enumerate(lines):
        ahead = line[::-1] if direction % 2 else line
        slid = np.zeros_like(line)
        np.add.at(slid, list(slide_targets(tuple(ahead.tolist()))), ahead)
        (after.T if direction < 2 else after)[number] = slid[::-1] if direction % 2 else slid
    return after


def by_lines(tiles, direction):
    """All lines at once, as the readable rules slide large boards."""
    return [*slides._swipes_of_arrays(tiles)][direction]


def by_cells(tiles, direction):
    """The compiled rules of boards of any size."""
    out = np.full_like(tiles, 77)
    changed = slides.slide_all(tiles, out, direction)
    assert changed == (out != tiles).any()
    return out


def by_rows_of_nibbles(tiles, direction):
    """The compiled rules of 4 × 4 boards in four bits a cell, by a table of rows."""
    words = BYTES.pack(sl.Board(tiles))
    board = bytewise.nibbles(words[0]) | bytewise.nibbles(words[1]) << np.uint64(32)
    board = rowwise.transpose(board) if direction < 2 else board
    after = rowwise.slide_rows(rowwise.slid_rows(), direction % 2, board)
    after = rowwise.transpose(after) if direction < 2 else after
    exponents = [int(after) >> (4 * cell) & 15 for cell in range(16)]
    return np.array([2**exponent if exponent else 0 for exponent in exponents]).reshape(4, 4)


def by_rows_of_bytes(tiles, direction):
    """The compiled rules of 4 × 4 boards in a byte a cell, by a table of rows."""
    words = BYTES.pack(sl.Board(tiles))
    board = bytewise.nibbles(words[0]) | bytewise.nibbles(words[1]) << np.uint64(32)
    lines = rowwise.transpose(board) if direction < 2 else board
    return unpacked(bytewise.slide(lines, direction, bytewise.slid_bytes()))


def by_cells_of_bytes(tiles, direction):
    """The compiled rules of 4 × 4 boards with tiles that are in no table."""
    return unpacked(slides.slide_cells(BYTES.pack(sl.Board(tiles)), direction))


def unpacked(words):
    (board,) = BYTES.unpack(np.array([words], np.uint64))
    return board.tiles


START = sl.Board([[0, 0, 0, 2], *[[0, 0, 0, 0]] * 3])
BYTES = Packing.of(sl.domain("2048", goal=65536).packed(START), START)
"""A byte a cell."""
SMALL = st.sampled_from([0, 0, 2, 2, 4, 8, 16384])
"""Tiles that have room to merge in each form."""
FORMS = (by_targets, by_lines, by_cells, by_rows_of_nibbles, by_rows_of_bytes, by_cells_of_bytes)


@pytest.mark.parametrize("form", FORMS)
@given(
    rows=st.lists(st.lists(st.sampled_from([0, 0, 2, 2, 4, 8, 16384]), min_size=4, max_size=4), min_size=4, max_size=4)
)
def test_every_form_slides_by_the_rule_for_a_line(form, rows):
    """In all four directions."""
    tiles = np.array(rows)
    for direction in range(4):
        lines = tiles.T if direction < 2 else tiles
        turned = lines[:, ::-1] if direction % 2 else lines
        slid = np.array([slide(tuple(line)) for line in turned.tolist()])
        slid = slid[:, ::-1] if direction % 2 else slid
        expected = slid.T if direction < 2 else slid
        after = form(tiles, direction)
        assert (tiles if after is None else after).tolist() == expected.tolist()
