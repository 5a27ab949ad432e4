"""Numbers, tables and boards as people read them."""

from __future__ import annotations

import pytest

import searchlab as sl
from searchlab.cli.drawing import board_blocks
from searchlab.cli.formatting import counted, duration, memory, rounded, value
from searchlab.cli.layout import folded, side_by_side, table
from searchlab.cli.output import as_json


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 ms"), (0.00075, "0.75 ms"), (0.4, "400 ms"), (5.16, "5.16 s"), (75, "1 min 15 s"), (7260, "2 h 1 min")],
)
def test_durations(seconds, said):
    """Three digits below a minute, then minutes and hours."""
    assert duration(seconds) == said


def test_numbers_are_short():
    """Amounts have three digits and a unit, counts their thousands apart."""
    assert [memory(size) for size in (0, 1023, 1024, 12_390, 2**31)] == [
        "0 bytes",
        "1023 bytes",
        "1 KiB",
        "12.1 KiB",
        "2 GiB",
    ]
    assert [rounded(number) for number in (7, 999, 1000, 14_200, 3_100_000)] == ["7", "999", "1 k", "14.2 k", "3.1 M"]
    assert [counted(n, "move") for n in (0, 1, 1041)] == ["0 moves", "1 move", "1,041 moves"]
    assert [value(n) for n in (216.0, -0.5, float("inf"), 2**62)] == ["216", "-0.5", "infinite", str(2**62)]


def test_pieces_are_folded_at_the_width():
    """Lines are as long as they may be."""
    assert folded(["aa", "bb", "cc"], 5) == ["aa bb", "cc"]


def test_blocks_stand_side_by_side_as_far_as_they_fit():
    """What does not fit goes below."""
    blocks = [["a", "1"], ["b"], ["c", "3"]]
    assert side_by_side(blocks, 5) == ["a   b", "1", "", "c", "3"]
    assert side_by_side(blocks, 80) == ["a   b   c", "1       3"]


def test_a_table_too_wide_is_continued_below():
    """Every part begins with the first column."""
    lines = table(["x", "first", "second"], [["row", "1", "2"]], 12)
    assert lines == ["x    first", "row      1", "", "x    second", "row       2"]


def test_large_boards_are_folded():
    """A board wider than the page shows its corners and its size."""
    domain = sl.domain("2048")
    block = board_blocks([sl.domain("2048", n=100).start()], domain, 40)[0]
    assert all(len(line) <= 40 for line in block)
    assert block[-1] == "(100 × 100)"
    assert len(block) == 18


def test_columns_of_all_boards_are_equally_wide():
    """The rows are aligned, whatever the domain's own format is."""
    domain = sl.domain("sliding-tile")
    board = sl.Board([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 0]])
    assert board_blocks([board], domain, 80)[0][:2] == [" 1  2  3  4", " 5  6  7  8"]


def test_json_has_no_nan_and_no_infinity():
    """Numbers JSON does not know become null, NumPy's become Python's."""
    import numpy as np

    assert as_json({"a": float("nan"), "b": (float("inf"), np.int64(3))}) == '{"a": null, "b": [null, 3]}\n'
