"""Limits and Ctrl-C hold whatever a plugin does: the process ends with the outcome so far."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HANGS = Path(__file__).parents[1] / "plugins" / "hangs.py"
PROGRAM = """
import sys
from searchlab.search import watchdog
watchdog.GRACE = 0.3
from searchlab.cli import main
open("started", "w").close()
sys.exit(main(sys.argv[1:]))
"""
LONG = 120


@pytest.fixture
def start(folder):
    """Start the command line, its watchdog impatient, in a process of its own."""

    def start(*arguments):
        command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


def ended(process):
    """Return exit code, output and errors of a process."""
    try:
        out, err = process.communicate(timeout=LONG)
    finally:
        process.kill()
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["greedy", "astar", "beam:width=50", "ida-star"])
def test_the_time_limit_holds_in_an_endless_heuristic(start, engine, frontier):
    """Compiled or not, in its own code or in a search that goes on in between: the outcome is the limit's."""
    code, out, err = ended(
        start(
            *("solve", "--heuristic", f"{HANGS}:spins_at_32", "--goal", "64", "--engine", engine),
            *("--frontier", frontier, "--time-limit", "100ms", "--json"),
        )
    )
    result = json.loads(out)
    assert (code, result["status"], err) == (3, "time-limit", "")
    where = "spins_at_32 (" if engine == "readable" else "a compiled function"
    assert result["reason"].startswith(where) or result["reason"] == ""  # the limit may be reached before the loop
    assert result["engine"] == engine


def test_the_outcome_of_a_search_that_hangs_at_once_says_where(start):
    """On the start board the function is called in Python: its file and line are known."""
    code, out, _ = ended(start("solve", "--heuristic", f"{HANGS}:spins", "--time-limit", "100ms"))
    assert code == 3
    said = " ".join(out.split())
    assert said.startswith("time-limit: no solution found within 100 ms; spins (")
    assert "did not return" in said


def test_ctrl_c_ends_compiled_code_that_hangs(start, folder):
    """Without a time limit too."""
    process = start("solve", "--heuristic", f"{HANGS}:spins_at_32", "--goal", "64", "--json")
    while not (folder / "started").exists():  # before, Python itself tells of Ctrl-C
        time.sleep(0.05)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(1)
    code, out, _ = ended(process)
    assert code == 130
    assert not out or json.loads(out)["status"] == "interrupted"  # pressed before the search began there is none


@pytest.mark.parametrize("heuristic", ["eats", "hoards"])
def test_the_memory_limit_holds_for_what_a_heuristic_takes(start, heuristic):
    """In one call, or a little with each: here 20 MB beyond what a process may always take."""
    code, out, err = ended(
        start("solve", "--heuristic", f"{HANGS}:{heuristic}", "--goal", "2048", "--memory-limit", "300MiB", "--json")
    )
    assert (code, json.loads(out)["status"]) == (3, "memory-limit"), err


def test_a_heuristic_that_is_refused_memory_has_reached_the_limit(start):
    """Where the system gives no more, a process does not grow: Python raises a MemoryError."""
    code, out, err = ended(start("solve", "--heuristic", f"{HANGS}:is_refused", "--json"))
    result = json.loads(out)
    assert (code, result["status"]) == (3, "memory-limit"), err
    assert "heuristic is-refused: MemoryError (" in result["reason"]


def test_an_enumeration_that_hangs_ends_with_the_layers_it_has(start):
    """The rules of a domain can hang as well as a heuristic."""
    code, out, err = ended(
        start("--plugin", HANGS, "enumerate", "2048/board10", "--domain", "endless", "--time-limit", "100ms", "--json")
    )
    assert (code, json.loads(out)["verdict"]) == (3, "time-limit")
    assert "endless (" in err
    assert "did not return" in err


def test_what_was_asked_for_is_written_and_recorded(start, folder):
    """The outcome of a search that hangs is an outcome like any other."""
    arguments = ("solve", "--heuristic", f"{HANGS}:spins", "--time-limit", "100ms")
    code, out, _ = ended(start(*arguments, "--json", "--output", "result.json", "--record", "runs.csv"))
    assert (code, out) == (3, "")
    assert json.loads((folder / "result.json").read_text())["status"] == "time-limit"
    assert "time-limit" in (folder / "runs.csv").read_text()
