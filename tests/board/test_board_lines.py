"""Boards in one line: what is read, and what is said of what is none."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.board.board import parse_board_line

BOARD = sl.Board([[2, 0], [16, 4]])


@pytest.mark.parametrize(
    "line",
    [
        "2 0 16 4",
        "2,0,16,4",
        " 2\t0 , 16 4 \r\n",
        "2 2 0 16 4",
        "2 0/16 4",
        "2 0 ; 16 4 ;",
        "2,0,/16,4/",
        "2 2 0/16 4",
        "2/2 0/16 4",
        "02 00 016 4",
    ],
)
def test_a_line_is_read(line):
    """With n before the tiles or not, whatever stands between them, rows ended or not."""
    assert parse_board_line(line) == BOARD


@pytest.mark.parametrize(
    ("line", "rows"),
    [("3 1 2/", [[3, 1, 2]]), ("1 2 3/4 5 6", [[1, 2, 3], [4, 5, 6]]), ("3;1;2", [[3], [1], [2]]), ("1", [[1]])],
)
def test_boards_that_are_not_square_have_their_rows_ended(line, rows):
    assert parse_board_line(line) == sl.Board(rows)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "there is no board: n × n tiles row by row, n before them if you like"),
        (" , ", "there is no board"),
        ("2 0 16", "3 numbers are no board"),
        ("3 2 0 16 4", "5 numbers are no board"),
        ("2 0/16", "row 1 has 1 tiles, row 0 has 2: every row must be as long as it"),
        ("3 2 0/16 4", "row 1 has 2 tiles, row 0 has 3"),
        ("2 0//16 4", "row 1 has 0 tiles"),
        ("/", "the board is empty"),
        ("2 0 16 x4", "'x4' is no tile: a tile is a whole number, 0 for blank"),
        ("2 0 16 -4", "'-4' is no tile"),
        ("2 0 16 4.0", "'4.0' is no tile"),
        ("2 0 1_6 4", "'1_6' is no tile"),
        ("2 0 16 ٤", "'٤' is no tile"),
        ("2 0 16\xa04", "is no tile"),
        ("[2,0,16,4]", "'[2' is no tile"),
        ("2 0 16 4\0", r"'4\x00' is no tile"),
        (f"2 0 16 {2**63}", f"the tile at row 1, column 1 is {2**63}: a tile is between 0 and 2^63 - 1"),
        (f"2 0 16 {'9' * 5000}", "a tile is between 0 and 2^63 - 1"),
    ],
)
def test_what_is_no_board_is_told(line, said):
    """In one line, whatever it is."""
    with pytest.raises(sl.BoardError) as raised:
        parse_board_line(line)
    assert said in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@given(n=st.integers(1, 5), data=st.data(), sized=st.booleans(), between=st.sampled_from([" ", ",", ", "]))
def test_whatever_is_written_is_read_again(n, data, sized, between):
    """Tiles of any board up to 5 × 5, with rows ended and without."""
    tiles = st.integers(0, 2**62)
    rows = data.draw(st.lists(st.lists(tiles, min_size=n, max_size=n), min_size=n, max_size=n))
    lines = [between.join(map(str, row)) for row in rows]
    size = f"{n}{between}" if sized else ""
    assert parse_board_line(f"{size}{between.join(lines)}") == sl.Board(rows)
    if n > 1 or not sized:
        assert parse_board_line(f"{size}{'/'.join(lines)}/") == sl.Board(rows)


@given(st.text(max_size=20))
def test_any_text_is_a_board_or_told_to_be_none(line):
    """Nothing else comes of it."""
    with contextlib.suppress(sl.BoardError):
        assert parse_board_line(line).size() >= 0
