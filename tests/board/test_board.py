"""Board: valid and invalid input; a board never changes."""

import contextlib
import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
import searchlab.board.board
from searchlab import Board, BoardError, TileIndexError, read_board
from searchlab.board.board import MAX_SIDE, boards_of, parse_board_line

BOARD10 = [[256, 8, 0, 2], [256, 8, 16, 2], [512, 4, 0, 0], [1024, 0, 0, 0]]

tiles = st.one_of(st.integers(0, 20), st.integers(0, 2**63 - 1))
grids = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(st.lists(tiles, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
)


def test_tiles_are_at_their_rows_and_columns():
    """A board holds each tile where it stood in the rows."""
    board = Board(BOARD10)
    for row, column in product(range(4), range(4)):
        assert board.tile_at(row, column) == BOARD10[row][column]
    assert (board.n, board.shape) == (4, (4, 4))
    assert board.tiles.dtype == np.int64


def test_size_and_largest_tile():
    """Size counts the tiles that are not blank; the largest tile of a blank board is 0."""
    assert (Board(BOARD10).size(), Board(BOARD10).largest_tile()) == (10, 1024)
    assert (Board([[0, 0]]).size(), Board([[0, 0]]).largest_tile()) == (0, 0)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint64, ">i8"])
def test_integer_arrays_of_any_type_are_accepted(kind):
    """The type, byte order and memory layout of an integer array do not matter."""
    array = np.array([[1, 2], [3, 0]], dtype=kind)
    assert Board(array) == Board([[1, 2], [3, 0]])
    assert Board(array.T) == Board([[1, 3], [2, 0]])


def test_tuples_and_rows_of_arrays_are_accepted():
    """Rows may be tuples or arrays, tiles may be NumPy integers."""
    assert Board(((1, 2), (3, 0))) == Board([np.array([1, 2]), np.array([3, 0])])
    assert Board([[np.int64(1), 2], [3, np.uint8(0)]]) == Board([[1, 2], [3, 0]])


def test_rows_are_copied():
    """Changing the rows or the array afterwards leaves the board as it is."""
    rows, array = [[1, 2], [3, 0]], np.array([[1, 2], [3, 0]], dtype=np.int64)
    from_rows, from_array = Board(rows), Board(array)
    rows[0][0] = 9
    array[0, 0] = 9
    assert from_rows == from_array == Board([[1, 2], [3, 0]])


def test_few_tiles_of_one_shape_share_the_shape_however_they_are_made():
    """Searches rely on it to compare shapes by identity."""
    array = np.arange(14).reshape(2, 7)
    read = Board.parse("2 7\n" + str(array).translate({ord("["): "", ord("]"): ""}))
    boards = (Board(array), Board(array), Board(array.tolist()), boards_of(array[None])[0], read)
    assert {id(board.shape) for board in (*boards, *pickle.loads(pickle.dumps(boards)))} == {id(boards[0].shape)}
    assert Board(array.T).shape == (7, 2)


def test_tiles_are_read_only():
    """The array of tiles cannot be written to."""
    with pytest.raises(ValueError, match="read-only"):
        Board(BOARD10).tiles[0, 0] = 2


def test_tiles_are_always_the_same_array():
    """It is made on first use; unknown attributes are errors."""
    for rows in ([[1, 2], [3, 0]], np.arange(400).reshape(20, 20)):
        board = Board(rows)
        assert board.tiles is board.tiles
        assert board.tiles.tolist() == np.array(rows).tolist()
        assert board.shape == board.tiles.shape
        assert not board.tiles.flags.writeable
        with pytest.raises(AttributeError, match="tyles"):
            _ = board.tyles


@pytest.mark.parametrize("side", [2, 16, 17])
@pytest.mark.parametrize("least", [-3, 0, 200])
def test_boards_made_together_equal_boards_made_one_by_one(side, least):
    """Invalid boards are refused either way."""
    tiles = np.arange(least, least + 3 * side * side).reshape(3, side, side)
    assert boards_of(tiles, signed=True) == [Board(grid, signed=True) for grid in tiles]
    if least < 0:
        with pytest.raises(BoardError, match="-3"):
            boards_of(tiles)
    tiles[0] = 1
    assert boards_of(tiles[1:])[0] != Board(tiles[0])
    assert boards_of(tiles[:0]) == []


def test_attributes_cannot_be_set_or_deleted():
    """A board refuses to have anything set or deleted, and says why."""
    board = Board(BOARD10)
    with pytest.raises(AttributeError, match="a Board never changes: cannot set tiles"):
        board.tiles = np.zeros((2, 2))
    with pytest.raises(AttributeError, match="cannot set colour"):
        board.colour = "red"
    with pytest.raises(AttributeError, match="cannot delete tiles"):
        del board.tiles


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (None, "None is not a board"),
        ([], "the board is empty"),
        ([[]], "the board is empty"),
        ([[], []], "the board is empty"),
        (np.zeros((0, 3), int), "the board is empty"),
        ([[1, 2], [3]], "row 2 has 1 tiles, row 1 has 2"),
        ([[1], [2, 3]], "row 2 has 2 tiles, row 1 has 1"),
        ([[1, 2], None], "not list"),
        ([1, 2, 3], "a board is a grid of rows of tiles, not list"),
        (7, "a board is a grid of rows of tiles, not int"),
        (object(), "not object"),
        (np.zeros(4, int), "not an array of 1 dimensions"),
        (np.zeros((2, 2, 2), int), "not an array of 3 dimensions"),
        ([[1, -2]], "row 1, column 2 is -2: a tile is between 0 and"),
        (np.array([[0], [-1]]), "row 2, column 1 is -1"),
        ([[2**63]], "row 1, column 1 is 9223372036854775808"),
        (np.array([[2**63]], np.uint64), "row 1, column 1 is 9223372036854775808"),
        ([[1, 2**63]], "row 1, column 2 is 9223372036854775808"),
        ([[2**63, -1]], "row 1, column 1"),
        ([[10**5000]], "row 1, column 1 is huge"),
        ([[-(10**5000)]], "row 1, column 1 is huge"),
        ([[1.0, 2]], "is 1.0: a tile is a whole number"),
        ([[float("nan")]], "is nan: a tile is a whole number"),
        (np.array([[1.0]]), "a tile is a whole number"),
        ([["1", "2"]], "is '1': a tile is a whole number"),
        ([[1, None]], "is None: a tile is a whole number"),
        ([[True, False]], "is True: a tile is a whole number"),
        ([[1, True]], "column 2 is True: a tile is a whole number"),
        (([1, 2], [np.True_, 3]), "row 2, column 1 is .*True.*: a tile is a whole number"),
        (np.array([[True]]), "a tile is a whole number"),
        ((row for row in [[1, 2]]), "not of this generator"),
        (np.array([[1, 2]], object), "a sequence of rows of whole numbers"),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_an_invalid_board_is_an_error_of_one_line(rows, message):
    """It raises a BoardError, which is a ValueError."""
    with pytest.raises(BoardError, match=message) as caught:
        Board(rows)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


def test_the_longest_side():
    """A side of 32,768 is possible, one more is not."""
    assert Board(np.zeros((1, MAX_SIDE), np.int8)).shape == (1, 32_768)
    with pytest.raises(BoardError, match="at most 32768 × 32768"):
        Board(np.zeros((MAX_SIDE + 1, 1), np.int8))


def test_the_largest_possible_tile_is_accepted():
    """A tile of 2^63 - 1 is taken as it is, from rows, from a uint64 array and from a text."""
    largest = 2**63 - 1
    assert Board([[largest]]).largest_tile() == largest
    assert Board(np.array([[largest]], np.uint64)).tile_at(0, 0) == largest
    assert Board.parse(f"1\n{largest}").tile_at(0, 0) == largest


def test_n_is_for_square_boards():
    """A board that is not square has a shape and no n."""
    board = Board([[1, 2, 3]])
    assert board.shape == (1, 3)
    with pytest.raises(BoardError, match="1 rows and 3 columns has no single side n; use shape"):
        _ = board.n


@pytest.mark.parametrize(("row", "column"), [(-1, 0), (0, -1), (2, 0), (0, 3), (-3, -3), (10**30, 0)])
def test_a_tile_outside_the_board_is_an_index_error(row, column):
    """Negative rows and columns are outside, too."""
    board = Board([[1, 2, 3], [4, 5, 0]])
    with pytest.raises(TileIndexError, match="rows go from 0 to 1, columns to 2") as caught:
        board.tile_at(row, column)
    assert isinstance(caught.value, BoardError)
    assert isinstance(caught.value, IndexError)


def test_tile_at_accepts_integers_of_any_type_only():
    """NumPy integers are indices; floats are not."""
    board = Board([[1, 2], [3, 0]])
    assert board.tile_at(np.int64(1), np.uint8(0)) == 3
    assert type(board.tile_at(0, 0)) is int
    with pytest.raises(TypeError):
        board.tile_at(0.0, 0)


def test_derived_values_are_computed_once(monkeypatch):
    """Asked a second time, size, largest tile and hash look at no tile again."""
    board = Board(BOARD10)
    first = board.size(), board.largest_tile(), hash(board)
    monkeypatch.setattr(searchlab.board.board, "np", None)
    monkeypatch.setattr(searchlab.board.board, "blake2b", None)
    board.forget_tiles()
    assert (board.size(), board.largest_tile(), hash(board)) == first


def test_keep_computes_a_value_once_for_each_key():
    """A board keeps a computed value by its key, even None."""
    board = Board(BOARD10)
    calls = []

    def compute():
        calls.append(board)

    assert board.keep("a", compute) is None
    assert board.keep("a", compute) is None
    assert len(calls) == 1
    board.keep("b", compute)
    assert len(calls) == 2


@given(grids)
def test_str_and_parse_are_inverse(rows):
    """Parsing the text of a board gives an equal board, for both forms of the text."""
    board = Board(rows)
    assert Board.parse(str(board)) == board
    assert Board.parse(board.text()) == board
    assert board.tiles.tolist() == rows


@given(grids, grids)
def test_boards_are_equal_when_their_tiles_are(left, right):
    """Boards are equal exactly if their rows are, and equal boards have equal hashes."""
    assert (Board(left) == Board(right)) == (left == right)
    assert Board(left) == Board(left)
    assert hash(Board(left)) == hash(Board(left))


def test_shape_counts_in_equality_and_hash():
    """Equal tiles in another shape are another board; a board equals nothing but boards."""
    flat, tall, square = Board([[1, 2, 3, 0]]), Board([[1], [2], [3], [0]]), Board([[1, 2], [3, 0]])
    assert len({flat, tall, square, Board([[1, 2, 3, 0]])}) == 3
    assert len({hash(flat), hash(tall), hash(square)}) == 3
    assert square != [[1, 2], [3, 0]]
    assert square != "2\n1 2\n3 0"


def test_boards_that_differ_in_a_tile_have_different_hashes():
    boards = [Board([[value, 0], [0, other]]) for value in range(60) for other in range(60)]
    assert len({hash(board) for board in boards}) == len(boards)


@given(grids)
def test_pickling_and_copying(rows):
    """A pickled board comes back equal and read-only; a copy is the board itself."""
    board = Board(rows)
    hash(board)
    again = pickle.loads(pickle.dumps(board))
    assert again == board
    assert hash(again) == hash(board)
    assert not again.tiles.flags.writeable
    assert copy.copy(board) is board
    assert copy.deepcopy([board])[0] is board


def test_repr():
    """A small board's repr makes an equal board; a large one's is short."""
    assert repr(Board([[1, 2], [3, 0]])) == "Board([[1, 2], [3, 0]])"
    assert eval(repr(Board(BOARD10))) == Board(BOARD10)
    assert repr(Board(np.arange(60 * 50).reshape(60, 50))) == "<Board of 60 × 50, largest tile 2999>"


def test_a_2048_board_prints_in_columns_five_wide():
    """A board prints its size, then its rows right-aligned in columns at least five wide."""
    assert str(Board(BOARD10)) == (
        "4\n  256    8    0    2\n  256    8   16    2\n  512    4    0    0\n 1024    0    0    0"
    )


def test_wide_tiles_make_wide_columns():
    """Columns are as wide as the widest tile and one blank."""
    assert str(Board([[131072, 2], [0, 16]])) == "2\n 131072      2\n      0     16"


def test_text_separates_tiles_by_one_blank():
    """The plain text form has one blank between tiles and none at the ends."""
    assert Board([[1, 12, 3], [0, 4, 6]]).text() == "2 3\n1 12 3\n0 4 6"


def test_a_board_that_is_not_square_states_rows_and_columns():
    """The first line gives one number for a square board, two for any other."""
    assert str(Board([[1, 2, 3], [4, 5, 0]])) == "2 3\n    1    2    3\n    4    5    0"
    assert Board.parse("2 3\n1 2 3 4 5 0").shape == (2, 3)
    assert Board.parse("2 2\n1 2 3 0") == Board([[1, 2], [3, 0]])


@pytest.mark.parametrize(
    "text",
    [
        "2\n1 2\n3 0",
        "2\n1 2\n3 0\n",
        "2\r\n1 2\r\n3 0\r\n",
        "2\r1 2\r3 0",
        "\ufeff2\n1 2\n3 0",
        "\ufeff# with a mark\n2\n1 2\n3 0",
        "\n\n2\n\n1 2\n\n3 0\n\n\n",
        "# a board\n// of four cells\n2\n  # the rows\n1 2\n\t// half way\n3 0\n# the end",
        "  2  \n\t1\t2\n   3     0   ",
        "2\n1\n2\n3\n0",
        "2\n1 2 3 0",
        "2\n1\n2 3 0",
        "02\n01 +2\n003 -0",
        "2 1 2 3 0",
        "2 1\n2 3 0",
        "# on one line\n2\t1 2  3 0\n",
        "2 1 2\n\n3\n0",
    ],
)
def test_white_space_comments_and_line_ends_do_not_matter(text):
    """However its lines are broken, indented, ended or commented, a text gives the same board."""
    assert Board.parse(text) == Board([[1, 2], [3, 0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no board"),
        ("# nothing\n\n// at all", "there is no board"),
        ("2", r"2 × 2 board has 4 tiles, here are 0"),
        ("2\n1 2\n3", r"line 3: 1 tiles where the row has 2; a 2 × 2 board has 4 tiles, here are 3"),
        ("2\n# c\n1 2 3\n3 0", r"line 3: 3 tiles where the row has 2"),
        ("3\n1 2 3\n4 5 6", r"3 × 3 board has 9 tiles, here are 6 \(2 rows instead of 3\)"),
        ("2\n1 2\n3 0\n4 5", r"here are 6 \(3 rows instead of 2\)"),
        ("1 2 3\n0 4 6\n7 5 8", "line 1: the size is missing: put a line with 3 before the rows$"),
        ("# c\n1 7 3\n0 4 6\n2 5 8", "line 2: the size is missing: put a line with 3 before the rows$"),
        ("1 2 3\n4 5 0", "line 1: the size is missing: put a line with 2 3 before the rows$"),
        ("1 2 3\n4 5\n0", "line 1: the first line gives the size"),
        (
            "2 1 2 3",
            r"line 1: the first line gives the size \(n, or rows and columns\), or n and then all n × n tiles; here",
        ),
        ("2 1 2 3 -1", "line 1: the first line gives the size"),
        ("2 3 1 2 3 4 5 0", "line 1: the first line gives the size"),
        ("0", "line 1: a board of 0 × 0: each side must be between 1 and 32768"),
        ("-2\n1 2\n3 0", "line 1: a board of -2 × -2"),
        ("32769\n", "line 1: a board of 32769 × 32769"),
        ("3 0\n", "line 1: a board of 3 × 0"),
        ("two\n1 2\n3 0", "line 1: 'two' is not a whole number"),
        ("2\n1 2\n3 x", "line 3: 'x' is not a whole number"),
        ("2\n1 2.0\n3 0", "line 2: '2.0' is not a whole number"),
        ("2\n1 1e3\n3 0", "line 2: '1e3' is not a whole number"),
        ("2\n1 2 # why\n3 0", "line 2: '#' is not a whole number"),
        ("2\n1 -2\n3 0", "line 2: -2 is negative: a tile is 0"),
        ("2\n1 2\n3 9223372036854775808", "line 3: 9223372036854775808 is too large"),
        ("2\n1 1000000000000000000\n3 x", "line 3: 'x' is not"),
        ("2\n1000000000000000000 x\n3 0", "line 2: 'x' is not"),
        ("2\n1 -9223372036854775809\n3 0", "line 2: -9223372036854775809 is negative"),
        pytest.param(f"2\n1 {'9' * 5000}\n3 0", "line 2: 9{40}… is too large", id="thousands of digits"),
        pytest.param(f"2\n1 {'z' * 5000}\n3 0", "line 2: 'z{40}…' is not", id="thousands of letters"),
    ],
)
def test_an_invalid_text_is_refused_with_its_line(text, message):
    """A wrong text raises a BoardError that names the source and, where there is one, the wrong line."""
    with pytest.raises(BoardError, match=f"^notes.txt: .*{message}") as caught:
        Board.parse(text, "notes.txt")
    assert "\n" not in str(caught.value)


def test_a_board_may_be_on_one_line(tmp_path):
    """Texts, files and lines accept it."""
    line = "4 256 8 0 2 256 8 16 2 512 4 0 0 1024 0 0 0"
    board = Board([[256, 8, 0, 2], [256, 8, 16, 2], [512, 4, 0, 0], [1024, 0, 0, 0]])
    file = tmp_path / "board.txt"
    file.write_text(line)
    assert Board.parse(line) == read_board(file) == parse_board_line(line) == board
    assert Board.parse("1 5") == Board([[5]])


@given(st.integers(1, 5), st.data())
def test_lines_may_break_anywhere_after_n(n, data):
    """n and its tiles are one sequence of numbers."""
    tiles = data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 2048]), min_size=n * n, max_size=n * n))
    breaks = data.draw(st.lists(st.sampled_from([" ", "\n", "\t", "\n\n"]), min_size=n * n, max_size=n * n))
    text = str(n) + "".join(f"{between}{tile}" for between, tile in zip(breaks, tiles, strict=True))
    assert Board.parse(text).tiles.ravel().tolist() == tiles


def test_an_error_without_a_source_begins_with_the_line():
    """For a text without a name the error starts with the line."""
    with pytest.raises(BoardError, match=r"^line 2: 'x' is not a whole number"):
        Board.parse("1\nx")


@pytest.mark.slow
def test_a_large_board():
    """A board of 2000 × 2000 prints and is read again."""
    board = Board(np.arange(4_000_000).reshape(2000, 2000) % 97)
    assert Board.parse(board.text()) == board
    assert board.size() == np.count_nonzero(board.tiles)


def test_parsing_returns_the_subclass():
    """Unpickling does, too."""

    class Position(Board):
        __slots__ = ()

    position = Position.parse("1\n7")
    assert type(position) is Position
    assert type(pickle.loads(pickle.dumps(Board([[7]])))) is Board


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
    """With or without n before the tiles, with any separators, and with or without row ends."""
    assert parse_board_line(line) == BOARD


@pytest.mark.parametrize(
    ("line", "rows"),
    [("3 1 2/", [[3, 1, 2]]), ("1 2 3/4 5 6", [[1, 2, 3], [4, 5, 6]]), ("3;1;2", [[3], [1], [2]]), ("1", [[1]])],
)
def test_rows_of_boards_that_are_not_square_end_with_a_slash(line, rows):
    assert parse_board_line(line) == sl.Board(rows)


def test_signed_boards_may_have_negative_tiles():
    """A minus belongs to a number, and the first number is then no size."""
    assert parse_board_line("-1 0/2 1", signed=True) == parse_board_line("-1 0 2 1", signed=True)
    assert parse_board_line("-2 / 1", signed=True).tiles.tolist() == [[-2], [1]]
    for line, said in (("-1 0 2 1 1", "got 5 numbers"), ("1 - 2 3", "'-' is not a tile")):
        with pytest.raises(sl.BoardError, match=said):
            parse_board_line(line, signed=True)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "there is no board: n × n tiles row by row (n may precede them)"),
        (" , ", "there is no board"),
        ("2 0 16", "got 3 numbers"),
        ("3 2 0 16 4", "got 5 numbers"),
        ("2 0/16", "row 2 has 1 tiles, row 1 has 2: every row must be as long as it"),
        ("3 2 0/16 4", "row 2 has 2 tiles, row 1 has 3"),
        ("2 0//16 4", "row 2 has 0 tiles"),
        ("/", "the board is empty"),
        ("2 0 16 x4", "'x4' is not a tile: a tile is a whole number, 0 for blank"),
        ("2 0 16 -4", "'-4' is not a tile"),
        ("2 0 16 4.0", "'4.0' is not a tile"),
        ("2 0 1_6 4", "'1_6' is not a tile"),
        ("2 0 16 ٤", "'٤' is not a tile"),
        ("2 0 16\xa04", "is not a tile"),
        ("[2,0,16,4]", "'[2' is not a tile"),
        ("2 0 16 4\0", r"'4\x00' is not a tile"),
        (f"2 0 16 {2**63}", f"the tile at row 2, column 2 is {2**63}: a tile is between 0 and 2^63 - 1"),
        (f"2 0 16 {'9' * 5000}", "a tile is between 0 and 2^63 - 1"),
    ],
)
def test_an_invalid_line_is_reported(line, said):
    """The error is one line."""
    with pytest.raises(sl.BoardError) as raised:
        parse_board_line(line)
    assert said in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@given(n=st.integers(1, 5), data=st.data(), sized=st.booleans(), between=st.sampled_from([" ", ",", ", "]))
def test_board_lines_are_read_back(n, data, sized, between):
    """Tiles of any board up to 5 × 5, with rows ended and without."""
    tiles = st.integers(0, 2**62)
    rows = data.draw(st.lists(st.lists(tiles, min_size=n, max_size=n), min_size=n, max_size=n))
    lines = [between.join(map(str, row)) for row in rows]
    size = f"{n}{between}" if sized else ""
    assert parse_board_line(f"{size}{between.join(lines)}") == sl.Board(rows)
    if n > 1 or not sized:
        assert parse_board_line(f"{size}{'/'.join(lines)}/") == sl.Board(rows)


@given(st.text(max_size=20))
def test_any_text_is_a_board_or_a_board_error(line):
    with contextlib.suppress(sl.BoardError):
        assert parse_board_line(line).size() >= 0


def test_negative_tiles_need_signed():
    """They are printed, read, copied and shown as others are."""
    board = sl.Board([[-12, 0], [3, -4]], signed=True)
    assert sl.Board.parse(str(board), signed=True) == board == pickle.loads(pickle.dumps(board))
    assert (board.is_signed(), board.largest_tile(), board.size()) == (True, 3, 3)
    assert ">-12</div>" in board._repr_html_()
    with pytest.raises(sl.BoardError, match="line 2: -12 is negative"):
        sl.Board.parse(str(board))
    assert not sl.Board([[1]], signed=True).is_signed()
