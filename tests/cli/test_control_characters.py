"""Nothing that others wrote reaches the terminal as a control character: it is shown as an escape."""

from __future__ import annotations

import os
import pty
import re
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

HOSTILE = "x\x1b]0;OWNED\x07\x1b[31m\x9b2J\u202ey\x7f"
SHOWN = r"x\x1b]0;OWNED\x07\x1b[31m\x9b2J\u202ey\x7f"
BEGINNING = r"x\x1b]0;"
"""Long names lose their middle in tables."""
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OUR_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
OUR_REDRAWING = re.compile(r"\r\x1b\[K|\r?\x1b\[2K|\x1b\[1A|\x1b\[\?25[lh]")
"""What a line of progress begins and ends with: a command that takes longer than a moment shows one."""
PLUGIN = f"""
    from searchlab import Board, Domain, FileFormat, Heuristic, Player, Renderer, Views, hookimpl

    HOSTILE = {HOSTILE!r}

    def fails(tiles):
        raise ValueError(HOSTILE)

    def successors(board):
        yield HOSTILE, Board([[0]])

    def is_goal(board):
        return board.tile_at(0, 0) == 0

    @hookimpl
    def searchlab_domains():
        yield Domain("odd", successors, is_goal, start=lambda: Board([[1]]), summary=HOSTILE,
                     files=FileFormat(format=lambda board: f"{{HOSTILE}} {{board.tile_at(0, 0)}}"),
                     views=Views(transcript=lambda start, turns: [HOSTILE, "\\n"]))

    @hookimpl
    def searchlab_renderers():
        yield Renderer("odd", lambda board: f"\\x1b[32m{{HOSTILE}}\\x1b[0m")
"""


@pytest.fixture
def odd(write):
    """A plugin whose messages, moves and pictures hold control characters."""
    return write("odd.py", textwrap.dedent(PLUGIN))


@pytest.fixture
def results(make_record, make_results, folder):
    """Results that somebody sent, with control characters in their cells."""
    records = [make_record(board, heuristic) for board in (1, 2) for heuristic in ("taxicab", "misplaced")]
    made = make_results([*records, make_record(3, status="error", reason="gone")], "sent")
    with closing(sqlite3.connect(made / "results.sqlite")) as store, store:
        store.execute("UPDATE runs SET frontier = ?", (HOSTILE,))
        store.execute("UPDATE runs SET board_name = ? WHERE board_name LIKE '%1.txt'", (f"{HOSTILE}\nz",))
    return "sent"


@pytest.fixture
def games(make_game, make_results):
    """Games of a player with such a name."""
    made = make_results([make_game(player, seed) for player in ("greedy", HOSTILE) for seed in range(1, 4)], "games")
    return str(made)


def check(ran, *, shows=BEGINNING):
    """Check that control characters are escaped, and remain readable."""
    text = ran.out + ran.err
    assert not OBEYED.search(text), text
    assert shows in text, text


def test_control_characters_in_file_names_are_escaped(run, write):
    """In titles, cells, errors and warnings."""
    name = write(f"{HOSTILE}.txt", "2\n2 0\n0 2\n")
    for command in (("boards", "show", name), ("boards", "show", "."), ("evaluate", "."), ("neighbors", f"{name}?")):
        check(run(*command))
    check(run("solve", write(f"{HOSTILE}.board", "nothing")))


def test_file_names_that_are_not_utf_8_are_shown_escaped(run, folder):
    """A byte that is not UTF-8 is shown as Python decodes it."""
    name = os.fsdecode(b"a\xff.txt")
    (folder / name).write_text("2\n2 0\n0 2\n")
    check(run("boards", "show", name), shows=r"# a\udcff.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", HOSTILE),
        ("solve", "--heuristic", HOSTILE),
        ("solve", "--domain", f"2048:goal={HOSTILE}"),
        ("solve", "--time-limit", HOSTILE),
        ("solve", f"--{HOSTILE}"),
        (HOSTILE,),
        ("plugins", "show", HOSTILE),
        ("plugins", "--plugin", HOSTILE),
        ("results", HOSTILE),
        ("run", HOSTILE),
        ("tournament", HOSTILE, "greedy", "--domain", "2048-random"),
        ("play", "--player", HOSTILE),
        ("train", HOSTILE),
    ],
    ids=lambda arguments: " ".join(arguments).replace(HOSTILE, "…"),
)
def test_control_characters_in_arguments_are_escaped(run, arguments):
    """Unknown arguments are repeated in readable form."""
    check(run(*arguments))


def test_control_characters_in_texts_of_plugins_are_escaped(run, odd, folder):
    """Messages, moves, pictures, headlines, summaries and problems, in all formats."""
    named = ("--plugin", odd, "--domain", "odd")
    drawn = ("--renderer", "odd")
    failing = ("solve", *named, "--heuristic", f"{odd}:fails", "--frontier", "greedy", "--engine", "readable")
    for form in ((), ("--transcript",), ("--moves-only",), drawn, ("--transcript", *drawn)):
        check(run("solve", *named, "--frontier", "breadth-first", "--engine", "readable", *form))
    check(run(*failing))
    check(run("evaluate", "2048/board10", "--heuristic", f"{odd}:fails"))
    check(run("plugins", "show", "domain", "odd", "--plugin", odd))
    check(run("plugins", "list", "--plugin", odd))
    output = run("solve", *named, "--frontier", "breadth-first", "--transcript", "--output", "out.txt")
    assert output.code == 0
    assert not OBEYED.search((folder / "out.txt").read_text())
    broken = folder / "plugins" / "broken.py"
    broken.parent.mkdir()
    broken.write_text(f"raise ValueError({HOSTILE!r})\n")
    check(run("plugins", "list", "--failed", "--plugins-dir", "plugins"))
    check(run("solve", "2048/board10", "--engine", "readable", "--plugins-dir", "plugins"))
    check(
        run("--debug", "solve", *named, "--heuristic", f"{odd}:fails", "--frontier", "greedy", "--engine", "readable")
    )


def test_control_characters_in_results_are_escaped(run, results, games):
    """Tables, groups, comparisons, standings, errors, and exports for papers."""
    check(run("results", results, "--columns", "board_name,frontier,status"))
    check(run("results", results, "--group-by", "frontier"))
    check(run("results", results, "--where", "status=error", "--columns", "board_name,frontier,reason"))
    check(run("compare", results, "taxicab", "misplaced"))
    check(run("compare", results, "taxicab", "astar"))
    check(run("results", "standings", games))
    check(run("results", "export", results, "--format", "markdown", "--columns", "frontier"), shows=r"\\x1b")
    check(run("results", "export", results, "--format", "latex", "--columns", "frontier"), shows="textbackslash")
    check(run("results", results, "--json"), shows="x\\u001b]0;")


def test_csv_is_exact_but_not_on_a_terminal(run, results, folder):
    """A program that reads it gets every character."""
    exported = run("results", "export", results, "--format", "csv", "--columns", "frontier").out
    assert exported.splitlines()[1] == HOSTILE
    assert run("results", "export", results, "--output", "sent.csv", "--columns", "frontier").code == 0
    assert (folder / "sent.csv").read_text() == exported
    assert SHOWN in on_a_terminal("results", "export", results, "--format", "csv", "--columns", "frontier")


@pytest.mark.slow
def test_only_colours_of_searchlab_reach_a_terminal(results, odd):
    for arguments in (
        ("results", results, "--columns", "board_name,frontier"),
        ("solve", "--plugin", odd, "--domain", "odd", "--frontier", "breadth-first", "--renderer", "odd"),
    ):
        shown = on_a_terminal(*arguments)
        assert "\x1b[1m" in shown
        assert SHOWN in shown


def test_control_characters_in_a_progress_line_are_escaped(write):
    """It tells what is evaluated, a file that somebody named."""
    slow = write("slow.py", "import time\n\n\ndef slow(tiles):\n    time.sleep(0.6)\n    return 1\n")
    shown = on_a_terminal("evaluate", write(f"{HOSTILE}.txt", "2\n2 0\n0 2\n"), "--heuristic", f"{slow}:slow")
    redrawn = [line for line in shown.split("\r\x1b[K") if "heuristic slow on" in line]
    assert redrawn, shown
    assert SHOWN in redrawn[0]


def on_a_terminal(*arguments):
    """Run a command on a terminal; return its output. The terminal obeys only colours and redrawn lines."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", "LINES": "24"}
    environment.pop("NO_COLOR", None)
    subprocess.run(
        [sys.executable, "-m", "searchlab", *arguments],
        **{"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": environment, "timeout": 120, "check": True},
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:  # all that was written has been read
        pass
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    assert not OBEYED.search(OUR_COLOURS.sub("", OUR_REDRAWING.sub("", text))), text
    return text
