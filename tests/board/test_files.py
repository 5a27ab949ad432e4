"""Boards on disk: files, folders, globs, the names of shipped boards, and set.toml."""

import io
from pathlib import Path

import pytest

from searchlab import Board, BoardError, UsageError, read_board, read_boards
from searchlab.board import files
from searchlab.board.files import (
    board_name,
    board_path,
    board_paths,
    board_set,
    find_board,
    natural_order,
    read_board_stream,
    shipped_boards,
)

SQUARE = "2\n1 2\n3 0\n"
BOARD = Board([[1, 2], [3, 0]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return an empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder, *names):
    """Write a board of one tile, its number, for each name."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"1\n{number}\n")


@pytest.mark.parametrize(
    "content",
    [
        SQUARE.encode(),
        b"\xef\xbb\xbf" + SQUARE.encode(),
        SQUARE.replace("\n", "\r\n").encode(),
        "# fünf Züge\n2\n1 2\n3 0".encode(),
        b"// first\n\n2\n1 2 3\n0\n\n",
    ],
    ids=["plain", "byte order mark", "CRLF", "comment in UTF-8", "free white space"],
)
def test_a_board_is_read_from_its_file(folder, content):
    """Line ends, comments and a byte order mark do not matter."""
    file = folder / "a board.txt"
    file.write_bytes(content)
    assert read_board(file) == read_board(str(file)) == read_board("a board.txt") == BOARD
    assert read_board_stream(io.BytesIO(content), "standard input") == BOARD


def test_the_text_of_a_board_can_be_read(folder):
    """A file with the text of a board gives the board."""
    (folder / "b.txt").write_text(str(BOARD))
    assert read_board("b.txt") == BOARD


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty; a board file gives the size n, then n rows of n tiles"),
        (b" \r\n\t\n", "empty; a board file"),
        (b"# only a comment\n", "there is no board"),
        (b"2\n1 2\n3\n", r"line 3: 1 tiles where the row has 2; a 2 × 2 board has 4 tiles, here are 3"),
        (b"2\n1 2\n3 0 5\n", r"line 3: 3 tiles where the row has 2"),
        (b"3\n1 2 3\n4 5 6\n", r"2 rows instead of 3"),
        (b"2\n1 -2\n3 0\n", "line 2: -2 is negative"),
        (b"2\n1 99999999999999999999\n3 0\n", "line 2: 99999999999999999999 is too large"),
        (b"99999\n1 2\n", "line 1: a board of 99999 × 99999: each side must be between 1 and 32768"),
        (b"2\n1 two\n3 0\n", "line 2: 'two' is not a whole number"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a binary file, not a board file"),
        (b"2\n1 2\n3 \xff\n", "a binary file, not a board file"),
        (SQUARE.encode("utf-16"), "encoded in UTF-16: save it as UTF-8"),
        (SQUARE.encode("utf-32"), "encoded in UTF-32: save it as UTF-8"),
    ],
)
def test_an_invalid_board_file_is_an_error_of_one_line(folder, content, message):
    """It begins with the file's name."""
    (folder / "wrong.txt").write_bytes(content)
    with pytest.raises(BoardError, match=f"^wrong.txt: .*{message}") as caught:
        read_board("wrong.txt")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.txt", "missing.txt: no such file$"),
        ("no/where.txt", "no/where.txt: no such file$"),
        ("~nobody-of-that-name/b.txt", "~nobody-of-that-name/b.txt: no such file$"),
        ("there.txt/b.txt", "there.txt/b.txt: Not a directory$"),
        ("nul\0.txt", "no such file"),
        ("x" * 5000, "x: File name too long$"),
        ("boards", "boards: a directory, not a board file; name one of the boards in it$"),
        ("", "a directory, not a board file"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_missing_board_file_is_an_error_of_one_line(folder, name, message):
    """It names similar files and shipped boards."""
    fill(folder, "there.txt", "boards/1.txt")
    with pytest.raises(BoardError, match=message):
        read_board(name)


def test_a_home_directory_may_be_abbreviated(folder, monkeypatch):
    """A `~` is the home of the user, also where it stands before a folder or a glob."""
    monkeypatch.setenv("HOME", str(folder))
    fill(folder, "b.txt")
    assert read_board("~/b.txt") == read_boards("~/*.txt")[folder / "b.txt"] == Board([[0]])


def test_a_folder_is_read_in_natural_order(folder):
    """The boards of a folder are its .txt files, 2 before 10, not those of folders below."""
    names = ["b10.txt", "b9.txt", "b1.txt", "a.txt", "b2x.txt", "b2.txt"]
    fill(folder, *(f"set/{name}" for name in names), "set/below/c.txt")
    (folder / "set/set.toml").write_text("")
    (folder / "set/notes.md").write_text("no board")
    (folder / "set/figures.csv").write_text("board,optimal\n")
    boards = read_boards("set")
    expected = ["a.txt", "b1.txt", "b2.txt", "b2x.txt", "b9.txt", "b10.txt"]
    assert [path.name for path in boards] == expected
    assert [board.tile_at(0, 0) for board in boards.values()] == [names.index(name) for name in expected]
    assert list(read_boards(folder / "set")) == [folder / "set" / name for name in expected]


def test_a_glob_names_boards(folder):
    """A pattern names boards, also with another suffix and in subfolders; other files are ignored."""
    fill(folder, "one/2.txt", "one/10.txt", "two/1.board")
    (folder / "one/set.toml").write_text("")
    (folder / "one/figures.csv").write_text("")
    assert [path.as_posix() for path in read_boards("one/*")] == ["one/2.txt", "one/10.txt"]
    assert [path.as_posix() for path in read_boards("*/1*")] == ["one/10.txt", "two/1.board"]
    assert [path.name for path in read_boards("**/*.txt")] == ["2.txt", "10.txt"]


def test_brackets_in_a_name_are_no_pattern(folder):
    """A file or a folder whose name looks like a pattern is found by its name."""
    fill(folder, "[1]/b[2].txt", "1/b.txt")
    assert [path.as_posix() for path in read_boards("[1]")] == ["[1]/b[2].txt"]
    assert read_boards("[1]/b[2].txt") == {Path("[1]/b[2].txt"): Board([[0]])}


def test_a_file_is_a_set_of_one_board(folder):
    """Its suffix does not matter."""
    fill(folder, "b.csv")
    assert read_boards("b.csv") == {Path("b.csv"): Board([[0]])}


@pytest.mark.parametrize(
    "where", ["missing", "empty", "", "*.txt", "**/*.txt", "../*", "~nobody-of-that-name", "x" * 5000]
)
def test_a_folder_or_pattern_without_boards_is_an_error(folder, where):
    (folder / "empty").mkdir()
    with pytest.raises(BoardError, match="no boards here; a folder of boards holds one"):
        read_boards(where)


def test_a_folder_with_an_invalid_file_is_refused(folder):
    """The error names the file."""
    fill(folder, "set/1.txt")
    (folder / "set/2.txt").write_text("")
    with pytest.raises(BoardError, match=r"2\.txt: empty"):
        read_boards("set")


def test_a_link_to_nowhere_is_a_board_that_cannot_be_read(folder):
    """It is not left out silently."""
    (folder / "gone.txt").symlink_to("nowhere.txt")
    with pytest.raises(BoardError, match=r"gone\.txt: no such file"):
        read_boards(folder)


def test_file_names_sort_by_the_values_of_their_numbers():
    names = ["²", "a", "a1", "a01", "a2b9", "a2b10", "a10", "b"]
    assert sorted(map(Path, reversed(names)), key=natural_order)[:-1] == [
        Path(name) for name in ["a", "a01", "a1", "a2b9", "a2b10", "a10", "b"]
    ]


def test_shipped_boards_need_no_path(folder):
    """Boards and folders that ship are found anywhere: by name, with or without .txt, or by path in a clone."""
    board10 = read_board("2048/board10")
    assert board10 == read_board("2048/board10.txt") == read_board(Path("2048") / "board10")
    assert board10.largest_tile() == 1024
    assert board10 in read_boards("2048").values()
    assert board10 == read_board("boards/2048/board10.txt")
    assert read_boards("boards/2048/") == read_boards("boards/2048") == read_boards("2048")
    assert len(read_boards("sliding-tile/korf100")) == 100
    assert [path.stem for path in read_boards("sliding-tile/puzzle8-3*")][:2] == ["puzzle8-30", "puzzle8-31"]
    assert list(read_boards("2048/board10")) == [find_board("2048/board10")]
    assert list(shipped_boards())[:1] == ["2048/band-of-twos"]


def test_shipped_files_of_instances_need_no_path(folder):
    """They keep their suffix, and are found by folder and by pattern."""
    path = find_board("grid-map/maze.scen")
    assert path == find_board("boards/grid-map/maze.scen")
    assert board_name(path) == "grid-map/maze.scen"
    assert [board_name(each) for each in board_paths("grid-map", {".scen"})][:1] == ["grid-map/maze.scen"]
    assert board_paths("grid-map/ma*.scen") == [path]
    with pytest.raises(BoardError, match=r"^grid-map: a set of boards, not a board; name one of them$"):
        find_board("grid-map")
    for name in ("../boards/2048/board10.txt", "__init__.py", "grid-map/../2048/board10.txt"):
        with pytest.raises(BoardError):
            find_board(name)


def test_whether_there_is_a_board_is_found_out_without_looking_for_similar_names(folder, monkeypatch):
    """Texts that are states are asked about at each search."""
    monkeypatch.setattr(files, "did_you_mean", None)
    fill(folder, "mine.txt")
    found = [board_path(name) for name in ("mine.txt", "2048/board10", "2048/bord10", "2048", "a" * 5000, "nul\0")]
    assert found == [Path("mine.txt"), find_board("2048/board10"), None, None, None, None]


def test_existing_files_take_precedence_over_shipped_boards(folder):
    fill(folder, "2048/board10", "2048/mine.txt")
    assert read_board("2048/board10") == Board([[0]])
    assert [path.as_posix() for path in read_boards("2048")] == ["2048/mine.txt"]


def test_a_misspelt_board_gets_a_hint(folder):
    """A name close to that of a shipped board is answered with that name."""
    with pytest.raises(BoardError, match=r"^2048/bord10: no such file, .*did you mean '2048/board10'.*\?$"):
        read_board("2048/bord10")


def test_a_shipped_file_that_is_named_without_its_suffix_gets_a_hint(folder):
    """Boards have names without one; other files are suggested if their suffix is that of instances."""
    suffixes = (".pddl", ".scen")
    with pytest.raises(BoardError, match=r"^strips/gripper-2: no .* did you mean 'strips/gripper-2.pddl'\?$"):
        find_board("strips/gripper-2", lambda: suffixes)
    with pytest.raises(BoardError, match=r"did you mean 'grid-map/rooms.scen'"):
        find_board("grid-map/room.scen", lambda: suffixes)
    with pytest.raises(BoardError, match=r"no such file$"):
        find_board("strips/gripper-2")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("example", "'sliding-tile/example'"),
        ("korf100/1", "'sliding-tile/korf100/001'"),
        ("gripper-2", "'strips/gripper-2.pddl'"),
    ],
)
def test_a_board_named_without_its_set_is_suggested_with_it(name, meant):
    with pytest.raises(BoardError) as raised:
        find_board(name, lambda: [".pddl"])
    assert str(raised.value).startswith(f"{name}: no such file, and no board of that name ships with searchlab; ")
    assert str(raised.value).endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize("name", ["nothing", "example.txt", "korf/x/y"])
def test_other_names_are_no_such_file(name):
    with pytest.raises(BoardError) as raised:
        find_board(name)
    assert str(raised.value) == f"{name}: no such file"


def test_set_toml_gives_domain_source_and_optimal_costs(folder):
    """It holds for the folder and each file in it."""
    fill(folder, "001.txt")
    (folder / "set.toml").write_text(
        'domain = "sliding-tile:goal=blank-first"\nsource = "a book"\n[optimal]\n001 = 57\n"b c" = 1.5\n'
    )
    found = board_set(folder / "001.txt")
    assert found == board_set(folder)
    assert (found.folder, found.domain, found.source) == (folder, "sliding-tile:goal=blank-first", "a book")
    assert found.optimal == {"001": 57, "b c": 1.5}


def test_all_keys_of_set_toml_are_optional(folder):
    assert board_set(folder) is None
    (folder / "set.toml").write_bytes(b"\xef\xbb\xbf")
    found = board_set(folder)
    assert (found.domain, found.source, found.optimal) == ("", "", {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'domian = "2048"', "unknown key 'domian': did you mean 'domain'"),
        (b"[optimum]\na = 3", "unknown key 'optimum': did you mean 'optimal'"),
        (b"colour = 3", "unknown key 'colour': there are domain, optimal and source"),
        (b"domain = 2048", "domain is a text, not 2048"),
        (b'source = ["a", "b"]', "source is a text, not"),
        (b"optimal = 3", r"\[optimal\] gives a cost"),
        (b'[optimal]\na = "3"', r"\[optimal\] gives a cost"),
        (b"[optimal]\na = true", r"\[optimal\] gives a cost"),
        (b"[optimal]\na = -1", r"\[optimal\] gives a cost"),
        (b"[optimal]\na = nan", r"\[optimal\] gives a cost"),
        (b"[optimal]\na = inf", r"\[optimal\] gives a cost"),
        (b"domain = ", "Invalid value"),
        (b"\xff\xfe", "encoded in UTF-16: save it as UTF-8"),
    ],
)
def test_an_invalid_set_toml_is_an_error_of_one_line(folder, content, message):
    """A set.toml with an unknown key, a wrong type or bad TOML is a UsageError that names the file."""
    (folder / "set.toml").write_bytes(content)
    with pytest.raises(UsageError, match=f"set.toml: {message}") as caught:
        board_set(folder)
    assert "\n" not in str(caught.value)


def test_underscores_are_no_digits(tmp_path):
    """`1_0` is a slip of the finger, not ten."""
    file = tmp_path / "board.txt"
    file.write_text("2\n1_0 2\n2 0\n")
    with pytest.raises(BoardError, match=r"line 2: '1_0' is not a whole number"):
        read_board(file)


def test_a_set_in_place_of_a_board_is_refused_with_an_example():
    with pytest.raises(BoardError, match=r"2048: a set of boards, not a board; name one of them, for example 2048/"):
        find_board("2048")
