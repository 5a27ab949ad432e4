"""`searchlab plugins check`: findings for people and machines, exit codes, progress."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import searchlab as sl

FAULTY = Path(__file__).parents[1] / "plugin_files" / "faulty_heuristics.py"
SMALL = "2\n1 2\n3 0\n"
GOOD = """
from searchlab import Heuristic, hookimpl


def off(tiles, goal_row):
    return int(goal_row[tiles[0, 0]] != 0)


@hookimpl
def searchlab_heuristics():
    yield Heuristic("off", off, domains={"sliding-tile"})
"""


@pytest.fixture
def small(write):
    """A 2 × 2 board of sliding tiles: 12 states."""
    return write("small.txt", SMALL)


@pytest.mark.slow
def test_a_correct_component_passes(run, write, small):
    """Each property has a line, and the exit code is 0."""
    ran = run("plugins", "check", write("good.py", GOOD), "--board", small)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("heuristic off (good)\n  on all 12 boards of sliding-tile, 2 × 2\n\n  passed   answers ")
    assert "  not applicable: batch, packed, line, incremental (--verbose says why)\n" in ran.out
    assert "skipped" not in ran.out
    assert "  skipped  incremental " in run("plugins", "check", "good.py", "--board", small, "--verbose").out
    assert "  info     verdict " in ran.out
    assert ran.out.endswith("\noff keeps its contract\n")
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_a_broken_component_fails(run, small):
    """The counterexample is shown, the summary names the failed properties, and the exit code is 1."""
    ran = run("plugins", "check", f"{FAULTY}:writes", "--board", small, "--domain", "sliding-tile")
    assert (ran.code, ran.err) == (1, "")
    assert "  failed   pure " in ran.out
    assert "on this board of sliding-tile:" in ran.out
    assert ran.out.splitlines()[-1].startswith("writes fails 2 of 15: answers, pure")


def test_all_components_of_a_file_are_checked(run, write, small):
    """One failure suffices for exit code 1."""
    plugin = GOOD + "    yield Heuristic('bad', lambda tiles: 'x', domains={'sliding-tile'})\n"
    ran = run("plugins", "check", write("two.py", plugin), "--board", small)
    assert ran.code == 1
    assert "off keeps its contract\n\nheuristic bad (two)\n" in ran.out


def test_a_heuristic_that_fails_on_its_first_board_is_given_up_and_the_next_is_checked(run, write, small):
    """It is asked about that board alone, before anything is compiled or enumerated; the other has its full check."""
    plugin = GOOD.replace("    yield", "    yield Heuristic('beyond', lambda tiles: tiles[0, 9])\n    yield")
    ran = run("plugins", "check", write("two.py", plugin), "--board", small, "--domain", "sliding-tile")
    assert ran.code == 1
    assert ran.out.startswith(
        "heuristic beyond (two)\n  on sliding-tile, 2 × 2\n\n  failed   answers        IndexError"
    )
    assert "  not checked: deterministic, pure, compiles, same-compiled, batch," in ran.out
    assert ran.out.endswith("\noff keeps its contract\n")


def test_a_name_that_another_plugin_has_is_reported(run, write):
    """With both ways out; heuristics of other domains are told apart by the domain."""
    plugin = """
from searchlab import Domain, Frontier, Heuristic, plugin

hooks = plugin(
    Domain("hanoi", lambda state: [("add", state + 1)][state:], lambda state: state == 1, start=lambda: 0),
    Heuristic("gap", lambda state: 1 - state, domains={"hanoi"}),
    Frontier("astar", lambda g, h: g + h),
    Frontier("astar-of-mine", lambda g, h: g + h),
)
"""
    ran = run("plugins", "check", write("mine.py", plugin), "--json")
    assert ran.code == 0
    said = {
        report["name"]: [asked["message"] for asked in report["properties"] if asked["name"] == "name"]
        for report in ran.json
    }
    with_fix = "is also a {0} of searchlab {1}: rename this one, or write mine/{2}".format
    assert said == {
        "gap": [],
        "hanoi": [f"'hanoi' {with_fix('domain', sl.__version__, 'hanoi')}"],
        "astar": [f"'astar' {with_fix('frontier', sl.__version__, 'astar')}"],
        "astar-of-mine": [],
    }


def test_all_kinds_of_components_are_checked_except_commands(run, write):
    """The output says that commands are not checked."""
    plugin = """
import click
from searchlab import Board, Generator, Metric, hookimpl


@hookimpl
def searchlab_generators():
    yield Generator("two", lambda random: Board([[1, 2], [3, 0] if random.random() < 0.5 else [0, 3]]))


@hookimpl
def searchlab_metrics():
    yield Metric("per-move", lambda result: result.expanded / result.moves)


@hookimpl
def searchlab_commands():
    yield click.Command("hello")
"""
    ran = run("plugins", "check", write("kit.py", plugin))
    assert ran.code == 1
    assert "generator two (kit)\n" in ran.out
    assert "two keeps its contract\n\nmetric per-move (kit)\n\n  failed   values " in ran.out
    assert ran.out.endswith("\nnot checked: command hello\n")


@pytest.mark.slow
def test_json_has_status_message_and_figures_of_each_property(run, small):
    ran = run("plugins", "check", "taxicab", "--board", small, "--json")
    (report,) = ran.json
    assert (ran.code, report["passed"], report["kind"], report["name"]) == (0, True, "heuristic", "taxicab")
    assert report["checked_on"] == ["all 12 boards of sliding-tile, 2 × 2"]
    properties = {asked["name"]: asked for asked in report["properties"]}
    assert properties["admissible"]["status"] == "passed"
    assert properties["verdict"]["facts"] == {"admissible": True, "consistent": True}
    ran = run("plugins", "check", f"{FAULTY}:writes", "--board", small, "--domain", "sliding-tile", "--json")
    properties = {asked["name"]: asked for asked in ran.json[0]["properties"]}
    assert ran.code == 1
    assert len(properties["pure"]["boards"][0]["tiles"]) == 2


@pytest.mark.slow
def test_a_kind_selects_one_of_two_components_with_the_same_name(run):
    ran = run("plugins", "check", "frontier", "greedy")
    assert ran.code == 0
    assert ran.out.startswith("frontier greedy (searchlab ")
    assert "no heuristic is called 'greedy'" in run("plugins", "check", "heuristic", "greedy").error


def test_a_heuristic_that_is_right_but_slow_passes(run, small):
    """That it runs interpreted is said, with the line and the advice; --must-compile makes it a failure."""
    arguments = ("plugins", "check", f"{FAULTY}:of_a_dict", "--board", small, "--domain", "sliding-tile")
    ran = run(*arguments)
    assert ran.code == 0
    assert ran.out.endswith("\nof_a_dict keeps its contract; it is slow: see compiles\n")
    said = " ".join(ran.out.split())
    assert "info compiles it runs interpreted, about 100 times slower: " in said
    assert '`scale += SETTINGS.get("scale")`: it uses SETTINGS, a dict, with get and no default' in said
    ran = run(*arguments, "--must-compile")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "of_a_dict fails 1 of 15: compiles")


@pytest.mark.slow
def test_the_number_of_checked_boards_is_shown(run, write):
    """With the share if time was up; --thorough checks all."""
    board = write("solved.txt", "3\n1 2 3\n4 5 6\n7 8 0\n")
    arguments = ("plugins", "check", "domain", "sliding-tile", "--board", board, "--seconds", "0.2")
    ran = run(*arguments)
    share = re.search(r"\nsliding-tile keeps its contract on ([\d,]+) of 181,440 boards \(--thorough looks", ran.out)
    assert ran.code == 0
    assert 0 < int(share[1].replace(",", "")) < 181_440
    assert f"on {share[1]} of 181,440 boards of sliding-tile, 3 × 3\n" in ran.out
    small = write("small.txt", SMALL)
    ran = run(*arguments[:5], small, "--seconds", "0", "--thorough")
    assert ran.out.endswith("\nsliding-tile keeps its contract\n")
    assert "on all 12 boards of sliding-tile, 2 × 2\n" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["taxicb"], "no component is called 'taxicb': did you mean 'taxicab'?"),
        (["nowhere.py"], "nowhere.py: no such file"),
        (["broken.py"], "broken.py: ZeroDivisionError: division by zero (line 1)"),
        (["one", "two"], "write one NAME, or KIND NAME with KIND one of domain, heuristic, frontier, player"),
        (["taxicab", "--domain", "2048"], "heuristic 'taxicab' is made for sliding-tile, not for 2048"),
        (["taxicab", "--board", "nowhere.txt"], "nowhere.txt"),
        (["taxicab", "--seconds", "soon"], "'soon' is not a time"),
        (
            ["mute.py"],
            "mute has neither a start nor samples to check with: add start= or samples= to the domain, or name",
        ),
    ],
)
def test_invalid_arguments_are_refused(run, write, arguments, said):
    write("broken.py", "1 / 0\n")
    mute = "from searchlab import Domain, hookimpl\n\n\n@hookimpl\ndef searchlab_domains():\n"
    write("mute.py", f"{mute}    yield Domain('mute', lambda board: [], lambda board: True)\n")
    assert said in run("plugins", "check", *arguments).error


def test_a_domain_without_a_start_is_reported_and_the_other_components_are_checked(run, write):
    """It counts as failed; the message says what to add to the domain."""
    write(
        "mute.py",
        "import searchlab as sl\n\n"
        "mute = sl.Domain('mute', lambda board: [], lambda board: True)\n"
        "hooks = sl.plugin(mute, sl.Metric('twice', lambda result: 2 * result.expanded))\n",
    )
    ran = run("plugins", "check", "mute.py", "--json")
    domain, metric = ran.json
    assert ran.code == 1
    assert (domain["name"], domain["passed"]) == ("mute", False)
    assert domain["properties"][0]["message"] == (
        "not checked: mute has neither a start nor samples to check with: "
        "add start= or samples= to the domain, or name a board with --board"
    )
    assert {each["status"] for each in domain["properties"][1:]} == {"skipped"}
    assert (metric["name"], metric["passed"]) == ("twice", True)


def test_an_environment_variable_limits_the_time(run, monkeypatch):
    """The limit holds for all checks together; an invalid time is refused."""
    monkeypatch.setenv("SEARCHLAB_CHECK_SECONDS", "later")
    assert run("plugins", "check", "astar").error == (
        "SEARCHLAB_CHECK_SECONDS: 'later' is not a time; write for example 500ms, 10s or 2m"
    )


def test_a_board_of_another_game(run, board10_file):
    """The board has to be one of the domain's."""
    ran = run("plugins", "check", "taxicab", "--board", board10_file)
    assert "not a board of sliding-tile" in ran.error


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_progress_and_a_table(folder, small, read_to_end):
    """Standard error shows the current property, and is cleared at the end."""
    outer, inner = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "searchlab", "plugins", "check", "taxicab", "--board", str(small)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inner, env=environment) as process:
        os.close(inner)
        shown = read_to_end(outer)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "taxicab: " in shown
    assert "of 16)" in shown
    assert b"of 16)" not in out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_table_on_a_terminal(folder, small):
    """Standard output on a terminal has colours; the findings are the same."""
    outer, inner = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "searchlab", "plugins", "check", f"{FAULTY}:writes", "--domain", "sliding-tile"]
    with subprocess.Popen([*command, "--board", str(small)], stdout=inner, stderr=subprocess.DEVNULL, env=environment):
        os.close(inner)
        shown = b""
        while True:
            try:
                read = os.read(outer, 4096)
            except OSError:
                break
            if not read:
                break
            shown += read
    os.close(outer)
    text = shown.decode()
    assert "\x1b[1;31mfailed" in text
    assert "it changes the tile at row 1, column 1" in text
    assert "on this board of sliding-tile:" in text
