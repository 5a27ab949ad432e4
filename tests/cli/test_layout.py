"""Lines, blocks and tables fit a page of any width."""

from searchlab.cli.layout import shown_width, side_by_side, table_in_parts
from searchlab.cli.output import styled


def test_blocks_are_placed_side_by_side_if_they_fit():
    """Other blocks go below."""
    blocks = [["a", "1"], ["b"], ["c", "3"]]
    assert side_by_side(blocks, 5) == ["a   b", "1", "", "c", "3"]
    assert side_by_side(blocks, 80) == ["a   b   c", "1       3"]


def test_a_wide_table_continues_below():
    """Every part begins with the first column."""
    lines = table_in_parts([["x", "first", "second"], ["row", "1", "2"]], 12)
    assert lines == ["x    first", "row      1", "", "x    second", "row       2"]


def test_a_wide_first_column_is_shortened():
    """Numbers are shortened last."""
    rows = [["board", "left-weighted"], ["sliding-tile/example", "1234"]]
    assert table_in_parts(rows, 20) == ["board  left-weighted", "sl…le           1234"]
    assert all(len(line) <= 20 for line in table_in_parts([["board", "wide" * 9], *rows[1:]], 20))


def test_different_names_and_numbers_are_never_shortened():
    """Even if they do not fit the page."""
    rows = [["board", "nodes"], ["sliding-tile/puzzle8-20", "1"], ["sliding-tile/puzzle15-20", "123456789012345678"]]
    _, first, second = table_in_parts(rows, 20)
    assert first.split()[0] != second.split()[0]
    assert second.endswith("123456789012345678")


def test_blocks_are_aligned_by_the_width_of_characters():
    """Wide characters take two columns; escape sequences and joiners take none."""
    lines = side_by_side([["🟥🟦", "ab"], [styled("c", bold=True), "d"], ["e"]], 80)
    assert lines == ["🟥🟦   \x1b[1mc\x1b[0m   e", "ab     d"]
    assert [shown_width(text) for text in ("", "é", "e\u0301", "漢", "…")] == [0, 1, 1, 2, 1]
