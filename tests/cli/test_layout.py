"""Lines, blocks and tables fit the page, whatever its width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.cli.layout import (
    Column,
    fits,
    fitted_table,
    shortened,
    shown_width,
    side_by_side,
    table_in_parts,
)
from searchlab.cli.output import styled

NAMES = Column("name", ["boards/first/board-001.txt", "boards/first/board-002.txt"], is_text=True)
EXPANDED = Column("expanded", ["1,234", "5"], is_text=False)
REASON = Column("reason", ["it took longer than it was allowed to take", "–"], is_text=True)


def test_blocks_stand_side_by_side_as_far_as_they_fit():
    """What does not fit goes below."""
    blocks = [["a", "1"], ["b"], ["c", "3"]]
    assert side_by_side(blocks, 5) == ["a   b", "1", "", "c", "3"]
    assert side_by_side(blocks, 80) == ["a   b   c", "1       3"]


def test_a_table_too_wide_is_continued_below():
    """Every part begins with the first column."""
    lines = table_in_parts([["x", "first", "second"], ["row", "1", "2"]], 12)
    assert lines == ["x    first", "row      1", "", "x    second", "row       2"]


def test_the_first_column_is_shortened_where_it_leaves_no_room():
    """On the narrowest page, too, no line is too long, and numbers are whole as long as there is room for them."""
    rows = [["board", "left-weighted"], ["sliding-tile/example", "1234"]]
    assert table_in_parts(rows, 20) == ["board  left-weighted", "sl…le           1234"]
    assert all(len(line) <= 20 for line in table_in_parts([["board", "wide" * 9], *rows[1:]], 20))


def test_names_that_differ_and_numbers_are_told_rather_than_shortened():
    """Even where they do not fit the page."""
    rows = [["board", "nodes"], ["sliding-tile/puzzle8-20", "1"], ["sliding-tile/puzzle15-20", "123456789012345678"]]
    _, first, second = table_in_parts(rows, 20)
    assert first.split()[0] != second.split()[0]
    assert second.endswith("123456789012345678")


def test_blocks_stand_side_by_side_however_wide_their_characters_are():
    """Wide ones take two columns, escape sequences and what joins characters none."""
    lines = side_by_side([["🟥🟦", "ab"], [styled("c", bold=True), "d"], ["e"]], 80)
    assert lines == ["🟥🟦   \x1b[1mc\x1b[0m   e", "ab     d"]
    assert [shown_width(text) for text in ("", "é", "e\u0301", "漢", "…")] == [0, 1, 1, 2, 1]


def test_what_fits_is_shown_in_full():
    """Texts to the left, numbers to the right, nothing behind the last cell."""
    lines, left_out = fitted_table([NAMES, EXPANDED], 80)
    assert lines == [
        "name                        expanded",
        "boards/first/board-001.txt     1,234",
        "boards/first/board-002.txt         5",
    ]
    assert left_out == []


def test_texts_lose_their_middle_first():
    """As much as is needed, and only while they stay different."""
    lines, left_out = fitted_table([NAMES, EXPANDED], 30)
    assert lines[1:] == ["boards/fir…d-001.txt     1,234", "boards/fir…d-002.txt         5"]
    assert left_out == []


@pytest.mark.parametrize(
    ("importance", "kept"), [((), ["name", "expanded"]), (["reason", "expanded", "name"], ["expanded", "reason"])]
)
def test_then_the_least_important_columns_go(importance, kept):
    """By default the last ones."""
    lines, left_out = fitted_table([NAMES, EXPANDED, REASON], 43, importance)
    assert lines[0].split() == kept
    assert left_out == [name for name in ("name", "expanded", "reason") if name not in kept]


@given(
    st.lists(
        st.tuples(
            st.text("abc", min_size=1, max_size=20),
            st.lists(st.text("xyz/", max_size=60), min_size=2, max_size=2),
            st.booleans(),
        ),
        min_size=1,
        max_size=8,
        unique_by=lambda column: column[0],
    ),
    st.integers(1, 120),
)
def test_no_line_is_longer_than_the_page(columns, width):
    """One column at least is shown, and those that are not are reported."""
    made = [Column(*column) for column in columns]
    lines, left_out = fitted_table(made, width)
    assert all(len(line) <= width for line in lines)
    assert len(lines) == 3
    assert len(left_out) < len(made)
    assert bool(left_out) != fits(made, width) or len(made) == 1


@pytest.mark.parametrize(
    ("width", "text"), [(30, "weighted-astar"), (14, "weighted-astar"), (9, "weig…star"), (2, "w…"), (1, "…")]
)
def test_a_text_without_its_middle(width, text):
    """Both ends stay."""
    assert shortened("weighted-astar", width) == text
