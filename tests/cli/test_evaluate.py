"""`searchlab evaluate`: values of heuristics on boards."""

from __future__ import annotations

import pytest

WORKED = {
    "distance-weighted": {"last-row-2-8": 150, "last-row-2-4": 146, "four-tiles": 74, "start": 0},
    "left-weighted": {"last-row-2-4": 216, "left-column": 5136},
    "snake": {"start": 0, "diagonal": 0},
    "penalty": {"start": 8, "diagonal": 168},
    "moves-to-go": {"board10": 3, "start": 1033},
}


@pytest.mark.parametrize("heuristic", WORKED)
def test_values_of_the_assignments_are_printed(run, heuristic):
    boards = WORKED[heuristic]
    ran = run("evaluate", *(f"2048/{board}" for board in boards), "--heuristic", heuristic, "--json")
    assert ran.err == ""
    assert ran.json == [
        {"board": f"2048/{board}", "domain": "2048", "values": {heuristic: value}} for board, value in boards.items()
    ]


def test_all_heuristics_of_the_domain_are_shown_by_default(run, board10_file):
    """Each has a line if there is one board."""
    ran = run("evaluate", board10_file, "--domain", "2048")
    assert ran.code == 0
    assert [line.split() for line in ran.out.splitlines()[:3]] == [
        ["heuristic", "board10.txt"],
        ["distance-weighted", "10,586"],
        ["left-weighted", "20,736"],
    ]


def test_boards_are_rows_and_heuristics_columns(run):
    """A folder of shipped boards gives a row a board, named as they ship."""
    ran = run("evaluate", "2048", "--heuristic", "empty", "--heuristic", "weighted")
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["board", "empty", "weighted"]
    assert ["2048/board10", "6", "10,586"] in lines
    assert len(lines) > 7


def test_wide_boards_are_folded(run, monkeypatch):
    """Columns that do not fit the page follow below, with the boards' names again."""
    monkeypatch.setenv("COLUMNS", "50")
    ran = run("evaluate", "2048")
    assert all(len(line) <= 50 for line in ran.out.splitlines())
    assert sum(line.startswith("board ") for line in ran.out.splitlines()) > 1


def test_folders_patterns_and_standard_input_are_read(run, write):
    """Boards are named by path; each is judged by its own tiles."""
    write("set/2.txt", "2\n2 0\n0 0\n")
    write("set/10.txt", "2\n1 2\n3 0\n")
    named = run("evaluate", "set", "set/*.txt", "-", "--json", stdin=b"2\n4 0\n0 0\n")
    assert [row["board"] for row in named.json] == ["set/2.txt", "set/10.txt", "set/2.txt", "set/10.txt", "-"]
    assert [row["domain"] for row in named.json][:2] == ["2048", "sliding-tile"]
    assert named.err.splitlines() == [
        "searchlab: domain 2048, judging by the tiles (--domain NAME chooses one)",
        "searchlab: domain sliding-tile, judging by the tiles (--domain NAME chooses one)",
    ]


def test_each_domain_has_a_separate_table(run):
    lines = run("evaluate", "2048/board10", "sliding-tile/example").out.splitlines()
    assert lines[0] == "2048"
    assert lines[lines.index("") + 1] == "sliding-tile"


def test_the_goal_reaches_the_heuristic(run):
    """--goal changes the values of moves-to-go."""
    ran = run("evaluate", "2048/start", "--goal", 4, "--heuristic", "moves-to-go", "--json")
    assert ran.json == [{"board": "2048/start", "domain": "2048:goal=4", "values": {"moves-to-go": 2}}]


def test_a_failing_heuristic_does_not_hide_the_others(run, plugin):
    """A line reports it, its cell is null, and the exit code is 4."""
    ran = run("evaluate", "2048/board10", "--plugin", plugin, "--json")
    values = ran.json[0]["values"]
    assert ran.code == 4
    assert values["failing"] is None
    assert values["no-number"] is None
    assert (values["first-tile"], values["empty"]) == (256, 6)
    assert "warning: heuristic failing failed: ValueError: no idea" in ran.err


def test_values_have_the_requested_names(run):
    """An alias, its name, and a name with parameters each have a column."""
    ran = run(
        *("evaluate", "2048/board10", "--json", "--heuristic", "weighted", "--heuristic", "distance-weighted"),
        *("--heuristic", "left-weighted:corner=-2"),
    )
    assert list(ran.json[0]["values"]) == ["weighted", "distance-weighted", "left-weighted:corner=-2"]


def test_a_heuristic_of_another_game_is_refused(run):
    """Naming a heuristic that is not for a board's domain is an error."""
    assert "made for 2048" in run("evaluate", "sliding-tile/example", "--heuristic", "snake").error


BATCHED = """
from searchlab import Heuristic, hookimpl


def largest(boards):
    print(len(boards), "at once")
    if (boards == 1024).any():
        raise ValueError("too large")
    return boards.max(axis=(1, 2))


@hookimpl
def searchlab_heuristics():
    yield Heuristic("largest", batch=largest, domains={"2048"})
"""


def test_a_batch_form_is_called_once_for_all_boards(run, write):
    """Boards of one domain and shape are evaluated together."""
    plugin = write("batched.py", BATCHED)
    ran = run("evaluate", "2048/start", "2048/diagonal", "--plugin", plugin, "--heuristic", "largest")
    assert ran.err.splitlines()[0] == "2 at once"
    assert [line.split() for line in ran.out.splitlines()] == [
        ["board", "largest"],
        ["2048/start", "2"],
        ["2048/diagonal", "16"],
    ]


def test_a_failing_batch_does_not_hide_values_of_other_boards(run, write):
    """The cell of the failing board is null, and a line states the reason."""
    plugin = write("batched.py", BATCHED)
    ran = run("evaluate", "2048/start", "2048/board10", "--plugin", plugin, "--heuristic", "largest")
    assert ran.code == 4
    assert ["2048/board10", "failed"] in [line.split() for line in ran.out.splitlines()]
    assert ["2048/start", "2"] in [line.split() for line in ran.out.splitlines()]
    assert ran.err.count("warning: heuristic largest failed: ValueError: too large") == 1


TABLES = """
import searchlab as sl

def broken(progress):
    with open("builds", "a") as file:
        file.write("once ")
    raise ValueError("no luck")

def for_4_rows(progress, rows):
    if rows != 4:
        raise sl.UsageError("it is for 4 rows")
    return [1]

@sl.hookimpl
def searchlab_heuristics():
    for build in (broken, for_4_rows):
        yield sl.Heuristic(build.__name__, lambda tiles, t: t[0], domains={"sliding-tile"}, tables={"t": build})
"""


def test_a_table_that_cannot_be_built_is_tried_once(run, write, folder):
    """The heuristic has failed on all boards; one that has no table for such boards is left out unless it is named."""
    plugin = write("tables.py", TABLES)
    boards = ("sliding-tile/puzzle8-31", "sliding-tile/puzzle8-24")
    ran = run("--plugin", plugin, "evaluate", *boards, "--json")
    assert ran.code == 4
    assert [row["values"]["broken"] for row in ran.json] == [None, None]
    assert [row["values"]["taxicab"] for row in ran.json] == [21, 16]
    assert (folder / "builds").read_text() == "once "
    failed, left_out = ran.err.splitlines()
    assert "heuristic broken failed: table t of heuristic broken cannot be built: ValueError: no luck" in failed
    assert left_out == "searchlab: heuristic for_4_rows is left out: it is for 4 rows"
    named = run("--plugin", plugin, "evaluate", *boards, "--heuristic", "for_4_rows")
    assert (named.code, named.err) == (2, "searchlab: error: it is for 4 rows\n")


def test_a_syntax_error_does_not_hide_other_heuristics(run, write):
    """Alone it is an error."""
    write("good.py", "def h(tiles):\n    return 1.0\n")
    write("bad.py", "def h(tiles):\n    return (\n")
    ran = run("evaluate", "2048/start", "--heuristic", "bad.py:h", "--heuristic", "good.py:h", "--json")
    assert ran.code == 4
    assert ran.json[0]["values"] == {"bad.py:h": None, "good.py:h": 1}
    assert "searchlab: warning: bad.py: SyntaxError: '(' was never closed (line 2)" in ran.err
    alone = run("evaluate", "2048/start", "--heuristic", "bad.py:h")
    assert (alone.code, alone.out) == (2, "")
    assert run("evaluate", "2048/start", "--heuristic", "emty", "--heuristic", "snake").code == 2


def test_an_invalid_board_does_not_hide_the_others(run, write):
    """The exit code is 1."""
    write("set/a.txt", "2\n2 4\n0 2\n")
    write("set/b.txt", "2\n2 x\n0 2\n")
    write("set/c.txt", "2\n2 3\n0 2\n")
    ran = run("evaluate", "set", "--domain", "2048", "--heuristic", "empty", "--json")
    assert ran.code == 1
    assert [(row["board"], row["values"]) for row in ran.json] == [("set/a.txt", {"empty": 1})]
    assert "warning: set/b.txt: line 2: 'x' is not a whole number" in ran.err
    assert "warning: set/c.txt: " in ran.err
