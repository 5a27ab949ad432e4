"""`searchlab solve` with plugins that observe it: metrics in its outputs, hooks that are notified of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from searchlab.experiments.tables import COLUMNS

OBSERVER = """\
from searchlab import Metric, hookimpl


def note(*words):
    with open("told.txt", "a") as file:
        print(*words, file=file)


def per_move(result):
    return result.expanded / result.moves


@hookimpl
def searchlab_metrics():
    yield Metric("per_move", per_move)


@hookimpl
def searchlab_run_started(run):
    note("started", run.name, run.domain, run.limits.expansions)


@hookimpl
def searchlab_run_finished(result):
    note("finished", result.status, result.metrics)


@hookimpl
def searchlab_run_failed(result):
    note("failed", result.reason.splitlines()[0])
"""


GAME = ("--domain", "sliding-tile")


@pytest.fixture
def observer(write):
    return write("observer.py", OBSERVER)


def told():
    return Path("told.txt").read_text().splitlines()


def test_plugins_are_notified_of_a_run(solve, sliding, observer):
    """With the board as it was named, and the limits; output does not change."""
    plain = solve(sliding, *GAME, "--moves-only")
    ran = solve(sliding, *GAME, "--moves-only", "--plugin", observer, "--max-expansions", 99)
    assert (ran.code, ran.out) == (plain.code, plain.out)
    assert told() == [f"started {sliding} sliding-tile 99", "finished solved {'per_move': 1.0}"]


@pytest.mark.parametrize("code", ["print('hello')", "import os; os.chdir('/')", "import sys; sys.stdout = None"])
def test_changes_of_the_process_by_a_hook_are_undone(solve, sliding, write, code):
    """Standard output holds the result alone, and files are written where they were to be."""
    told_of = "@hookimpl\ndef searchlab_run_started(run):\n"
    path = write("talks.py", f"from searchlab import hookimpl\n\n{told_of}    {code}\n")
    ran = solve(sliding, *GAME, "--json", "--record", "runs.csv", "--plugin", path)
    assert ran.json["status"] == "solved"
    assert ("hello" in ran.err) == ("hello" in code)
    assert Path("runs.csv").exists()


def test_a_hook_that_would_end_the_program_is_called_no_further(solve, sliding, write):
    """In one line; the exit code is that of the search."""
    told_of = "@hookimpl\ndef searchlab_run_started(run):\n"
    path = write("leaves.py", f"import sys\nfrom searchlab import hookimpl\n\n{told_of}    sys.exit(0)\n")
    ran = solve(sliding, *GAME, "--moves-only", "--plugin", path)
    assert (ran.code, ran.out) == (0, "right down right\n")
    assert "searchlab_run_started failed: SystemExit: 0 (line 6); it is called no further" in ran.err
    assert ran.err.count("\n") == 1


def test_plugins_are_notified_of_a_failed_run(solve, observer, plugin):
    ran = solve("--plugin", observer, "--plugin", plugin, "--heuristic", "failing")
    assert ran.code == 4
    assert [line.split()[0] for line in told()] == ["started", "failed"]
    assert "no idea" in told()[1]


def test_metrics_are_in_the_json(solve, sliding, observer):
    """Under `metrics`, and without a plugin that has any, empty."""
    assert solve(sliding, *GAME, "--json").json["metrics"] == {}
    assert solve(sliding, *GAME, "--json", "--plugin", observer).json["metrics"] == {"per_move": 1.0}


def test_metrics_are_columns_of_a_record(solve, sliding, observer):
    """A file that has none keeps its columns, which is said before the search, once."""
    for name, arguments in (("with.csv", ("--plugin", observer)), ("without.csv", ())):
        assert solve(sliding, *GAME, "--record", name, "--moves-only", *arguments).err == ""
    with open("with.csv", newline="") as file:
        assert [row["per_move"] for row in csv.DictReader(file)] == ["1.0"]
    ran = solve(sliding, *GAME, "--record", "without.csv", "--moves-only", "--plugin", observer)
    assert ran.code == 0
    assert ran.err == (
        "searchlab: warning: without.csv has no column for 'per_move', which its rows will lack; "
        "name a new file to have it\n"
    )
    with open("without.csv", newline="") as file:
        assert [len(row) for row in csv.reader(file)] == [len(COLUMNS)] * 3


def test_a_failing_metric_is_a_warning(solve, unsolvable, observer):
    """The result and the exit code are as without it, and the value is missing."""
    ran = solve(unsolvable, *GAME, "--json", "--plugin", observer)
    assert ran.code == 1
    assert ran.json["metrics"] == {"per_move": None}
    assert ran.err.count("\n") == 1
    assert "observer" in ran.err
    assert "metric 'per_move' failed: TypeError: " in ran.err
    assert ran.err.endswith("(line 10); its value is missing\n")
