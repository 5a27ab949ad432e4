"""Boards judged line by line: the table of all lines, and the rows and columns it is asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab.games import lines

SHAPES = [(2, 4), (2, 8), (3, 4), (3, 5), (4, 4)]


def packing_of(side, bits):
    return Packing(side, side, 1 << bits, bits, powers_of_two=False)


@pytest.mark.parametrize(("side", "bits"), SHAPES)
@given(data=st.data())
def test_rows_and_columns_change_places(side, bits, data):
    """By exchanging blocks where the side is a power of two, else cell by cell."""
    rows = data.draw(
        st.lists(st.lists(st.integers(0, (1 << bits) - 1), min_size=side, max_size=side), min_size=side, max_size=side)
    )
    packing = packing_of(side, bits)
    names = {"words": packing.pack(sl.Board(rows)), "U": np.uint64}
    source = lines.transpose_source(packing, "words[0]")
    exec("\n".join(line.strip() for line in source.splitlines()), names)
    assert packing.unpack(np.array([[names["reflected"]]]))[0] == sl.Board(np.array(rows).T)


def weighed(line, weight=2.0):
    """Tell the ends of a line apart."""
    return line[0] + weight * line[-1]


def test_the_table_holds_the_value_of_every_line():
    """By its bits, the first cell lowest; times the sign."""
    packing = Packing(2, 2, 5, 3, powers_of_two=True)
    table = lines.table(weighed, {"weight": 3.0}, packing, -1.0)
    assert table.shape == (64,)
    for first in range(5):
        for last in range(5):
            tiles = [2**code if code else 0 for code in (first, last)]
            assert table[first + 8 * last] == -(tiles[0] + 3.0 * tiles[1])
    assert table[5] == 0


def choosy(line):
    """Fail on a line that a board may never have."""
    if line[0] == 4 and line[1] == 4:
        raise ValueError("never two fours")
    return line[0]


def test_a_function_that_fails_on_some_line_has_no_table():
    """It may be a line that no board has; the heuristic's function is called in its place."""
    assert lines.table(choosy, {}, Packing(2, 2, 5, 3, powers_of_two=True), 1.0) is None
    assert lines.table(weighed, {}, Packing(2, 2, 5, 3, powers_of_two=True), 1.0) is not None


@pytest.mark.parametrize(
    ("packing", "has_table"),
    [
        (packing_of(4, 4), True),
        (packing_of(3, 5), True),
        (packing_of(4, 5), False),
        (packing_of(5, 3), False),
        (Packing(2, 3, 16, 4, powers_of_two=True), False),
    ],
)
def test_tables_are_for_small_square_boards(packing, has_table):
    """Of one word, and lines of 16 bits at the most."""
    assert lines.has_line_table(packing) is has_table
