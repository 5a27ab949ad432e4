"""Tables fit a page of any width; in a notebook they are HTML."""

import html5lib
import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.experiments.page import Table, TextColumn, fits, fitted_table, shortened

NAMES = TextColumn("name", ["boards/first/board-001.txt", "boards/first/board-002.txt"], is_text=True)
EXPANDED = TextColumn("expanded", ["1,234", "5"], is_text=False)
REASON = TextColumn("reason", ["it took longer than it was allowed to take", "–"], is_text=True)


def test_fitting_cells_are_shown_in_full():
    """Texts to the left, numbers to the right, nothing behind the last cell."""
    table, left_out = fitted_table([NAMES, EXPANDED], 80)
    lines = list(table)
    assert lines == [
        "name                        expanded",
        "boards/first/board-001.txt     1,234",
        "boards/first/board-002.txt         5",
    ]
    assert left_out == []


def test_long_texts_are_shortened_first():
    """As much as is needed, and only while they stay different."""
    table, left_out = fitted_table([NAMES, EXPANDED], 30)
    lines = list(table)
    assert lines[1:] == ["boards/fir…d-001.txt     1,234", "boards/fir…d-002.txt         5"]
    assert left_out == []


@pytest.mark.parametrize(
    ("importance", "kept"), [((), ["name", "expanded"]), (["reason", "expanded", "name"], ["expanded", "reason"])]
)
def test_the_least_important_columns_are_omitted_next(importance, kept):
    """By default the last ones."""
    table, left_out = fitted_table([NAMES, EXPANDED, REASON], 43, importance)
    lines = list(table)
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
    made = [TextColumn(*column) for column in columns]
    table, left_out = fitted_table(made, width)
    lines = list(table)
    assert all(len(line) <= width for line in lines)
    assert len(lines) == 3
    assert len(left_out) < len(made)
    assert bool(left_out) != fits(made, width) or len(made) == 1


@pytest.mark.parametrize(
    ("width", "text"), [(30, "weighted-astar"), (14, "weighted-astar"), (9, "weig…star"), (2, "w…"), (1, "…")]
)
def test_a_long_text_is_shortened_in_the_middle(width, text):
    """Both ends stay."""
    assert shortened("weighted-astar", width) == text


def test_a_table_has_notes_below():
    """Notes are folded at the width; further columns stand in it if there is room for them."""
    table = Table([NAMES], ["two boards, and no more"], further=[[EXPANDED], [REASON]])
    assert table.lines(40) == [
        "name                        expanded",
        "boards/first/board-001.txt     1,234",
        "boards/first/board-002.txt         5",
        "two boards, and no more",
    ]
    assert table.lines(26)[-1] == "two boards, and no more"
    assert max(map(len, table.lines(12))) <= 12


def test_a_table_in_html_is_escaped():
    """All columns are shown, texts to the left and numbers to the right."""
    evil = "<script>alert(1)</script>\x1b"
    table = Table([TextColumn(evil, [evil], is_text=True), TextColumn("n", ["1"], is_text=False)], [evil])
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(table.html())
    cells = list(tree.iter("td"))
    assert [cell.text for cell in cells] == ["<script>alert(1)</script>\\x1b", "1"]
    assert ["text-align:right" in cell.get("style") for cell in cells] == [False, True]
    assert list(tree.iter("script")) == []


def test_names_are_never_cut_at_their_differences():
    """Not even in the middle of long ones."""
    names = [f"expectimax:heuristic=[smooth:empty={n},growth=3.5,merges=700,sums=11],depth=2" for n in (11, 12)]
    names.append(names[0].replace("depth=2", "depth=3"))
    column = TextColumn("player", names, is_text=True)
    for width in range(column.least, column.width + 1):
        assert len({*column.lines(width)}) == 4
        assert max(map(len, column.lines(width))) <= width
    assert "empty=12" in [*column.lines(column.least)][2]
