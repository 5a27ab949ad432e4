"""Limits and Ctrl-C end the process with the outcome so far, even if a plugin hangs."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from searchlab.compiler.numba_private import uses_shortcuts

HANGS = Path(__file__).parents[1] / "plugin_files" / "hangs.py"
HOLDS = HANGS.with_name("holds.py")
PROGRAM = """
import os, sys
from searchlab.errors import alarm
from searchlab.search import watchdog
watchdog.GRACE = alarm.MARGIN = 0.3
if "LONGEST_CALL" in os.environ:
    from searchlab.testing import clock
    clock.LONGEST_CALL = float(os.environ["LONGEST_CALL"])
from searchlab.cli import main
open("started", "w").close()
sys.exit(main())
"""
SLIDING = "sliding-tile/puzzle8-20"
LONG = 120


@pytest.fixture
def start(folder):
    """Start the command line, its watchdog impatient, in a process of its own."""
    with ExitStack() as started:

        def start(*arguments):
            command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            process = started.enter_context(subprocess.Popen(command, **pipes, text=True))
            started.callback(process.kill)  # of a test that fails
            return process

        yield start


def ended(process):
    """Return exit code, output and errors of a process."""
    try:
        out, err = process.communicate(timeout=LONG)
    finally:
        process.kill()
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.mark.slow
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
    assert result["reason"] == "" or result["reason"].startswith((where, "packed_form ("))  # before the loop, if busy
    assert result["engine"] == engine


def test_a_hang_on_the_start_board_names_file_and_line(start):
    """The function is called in Python there."""
    code, out, _ = ended(start("solve", "--heuristic", f"{HANGS}:spins", "--time-limit", "100ms"))
    assert code == 3
    said = " ".join(out.split())
    assert said.startswith("time-limit: no solution found within 100 ms; ")
    assert "; spins (" in said
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


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", ["eats", "hoards"])
def test_the_memory_limit_holds_for_memory_of_a_heuristic(start, heuristic):
    """In one call, or a little in each."""
    code, out, err = ended(
        start("solve", "--heuristic", f"{HANGS}:{heuristic}", "--goal", "2048", "--memory-limit", "300MiB", "--json")
    )
    assert (code, json.loads(out)["status"]) == (3, "memory-limit"), err


@pytest.mark.slow
def test_a_memory_error_of_a_heuristic_counts_as_the_memory_limit(start):
    """Where the system gives no more, a process does not grow: Python raises a MemoryError."""
    code, out, err = ended(start("solve", "--heuristic", f"{HANGS}:is_refused", "--json"))
    result = json.loads(out)
    assert (code, result["status"]) == (3, "memory-limit"), err
    assert "heuristic is-refused: MemoryError (" in result["reason"]


@pytest.mark.slow
def test_a_check_goes_on_with_the_next_heuristic_after_one_that_hangs_in_compiled_code(start, tmp_path):
    """It hangs on a board that only the compiled function meets, and its thread cannot be ended."""
    plugin = tmp_path / "two.py"
    plugin.write_text(
        """
from searchlab import Heuristic, hookimpl


def hangs(tiles):
    while tiles[0, 0] == 8 and tiles[0, 1] == 7 and tiles[0, 2] == 6 and tiles[1, 0] == 5:
        pass
    return 0


@hookimpl
def searchlab_heuristics():
    yield Heuristic("hangs", hangs, domains={"sliding-tile"})
    yield Heuristic("fine", lambda tiles: 0, domains={"sliding-tile"})
"""
    )
    board = tmp_path / "board.txt"
    board.write_text("3\n1 2 3\n4 5 6\n7 8 0\n")
    code, out, err = ended(start("plugins", "check", plugin, "--board", board, "--seconds", "2", "--json"))
    hung, fine = json.loads(out)
    assert (code, hung["passed"], fine["passed"]) == (1, False, True), err
    assert "did not come back within 10 s" in hung["properties"][0]["message"]


def test_a_hanging_enumeration_ends_with_the_layers_so_far(start):
    code, out, err = ended(
        start("--plugin", HANGS, "enumerate", "2048/board10", "--domain", "endless", "--time-limit", "100ms", "--json")
    )
    assert (code, json.loads(out)["verdict"]) == (3, "time-limit")
    assert "endless (" in err
    assert "did not return" in err


def test_the_outcome_of_a_hanging_search_is_written_and_recorded(start, folder):
    arguments = ("solve", "--heuristic", f"{HANGS}:spins", "--time-limit", "100ms")
    code, out, _ = ended(start(*arguments, "--json", "--output", "result.json", "--record", "runs.csv"))
    assert (code, out) == (3, "")
    assert json.loads((folder / "result.json").read_text())["status"] == "time-limit"
    assert "time-limit" in (folder / "runs.csv").read_text()


# If a function lets no other thread run, the alarm ends the process.


def died_of(process, number):
    """Return the output of a process that died of a signal."""
    try:
        out, err = process.communicate(timeout=LONG)
    finally:
        process.kill()
    assert process.returncode == -number, err
    return out, err


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", ["holds", "matches", "sleeps"])
def test_a_search_dies_of_sigalrm_if_no_other_thread_can_run(start, heuristic):
    """There is no outcome, but the traceback of the function."""
    out, err = died_of(
        start("solve", SLIDING, "--heuristic", f"{HOLDS}:{heuristic}", "--time-limit", "100ms", "--json"),
        signal.SIGALRM,
    )
    assert out == ""
    assert f'File "{HOLDS}", line ' in err
    assert f" in {heuristic}\n" in err


@pytest.mark.slow
def test_an_enumeration_dies_of_sigalrm_if_no_other_thread_can_run(start):
    arguments = ("enumerate", "2048/board10", "--domain", "holding", "--time-limit", "100ms", "--json")
    out, err = died_of(start("--plugin", HOLDS, *arguments), signal.SIGALRM)
    assert out == ""
    assert " in holds\n" in err


@pytest.mark.slow
def test_a_check_dies_of_sigalrm_if_no_other_thread_can_run(start, monkeypatch):
    """After the time of one call."""
    monkeypatch.setenv("LONGEST_CALL", "0.5")
    _, err = died_of(start("plugins", "check", f"{HOLDS}:holds", "--domain", "sliding-tile"), signal.SIGALRM)
    assert " in holds\n" in err


@pytest.mark.slow
def test_ctrl_backslash_ends_a_command_that_ignores_ctrl_c(start, folder):
    """And shows where it was, without a time limit too."""
    process = start("evaluate", SLIDING, "--heuristic", f"{HOLDS}:holds")
    press(process, folder, 1, wait=False)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGQUIT)
    _, err = died_of(process, signal.SIGQUIT)
    assert " in holds\n" in err


@pytest.mark.slow
def test_a_search_suspended_for_longer_than_its_time_limit_continues(start, folder):
    """Ctrl-Z stops the clocks and the alarm."""
    naps = folder / "naps.py"
    naps.write_text(
        "import pathlib, time\n\ndef naps(tiles):\n    pathlib.Path('begun').touch()\n"
        "    time.sleep(0.01)\n    return 0\n"
    )
    process = start("solve", SLIDING, "--heuristic", f"{naps}:naps", "--time-limit", "4s", "--json")
    press(process, folder, 0, wait=False)
    process.send_signal(signal.SIGTSTP)
    time.sleep(6)
    process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, out, _ = ended(process)
    assert (code, json.loads(out)["status"]) in ((130, "interrupted"), (3, "time-limit"))


def test_a_crash_shows_the_traceback_of_the_function(start, folder):
    crash = folder / "crash.py"
    crash.write_text("import ctypes\n\ndef crashes(tiles):\n    return ctypes.string_at(0)\n")
    _, err = died_of(start("evaluate", SLIDING, "--heuristic", f"{crash}:crashes"), signal.SIGSEGV)
    assert "Segmentation fault" in err
    assert " in crashes\n" in err


@pytest.mark.slow
def test_a_training_beyond_its_memory_limit_names_the_option(start):
    code, _, err = ended(start("train", "ntuple", "--games", "1000000", "--memory-limit", "1MiB"))
    assert code == 2
    assert err.endswith("searchlab: error: needs up to 768 MiB of memory, and --memory-limit allows 1 MiB\n")
    assert "--engine" not in err


def press(process, folder, times, until="begun", gap=0.1, *, wait=True):
    """Press Ctrl-C so often once a file is there; return the seconds until the process ended, if that is waited for."""
    ends = time.monotonic() + LONG
    while not (folder / until).exists() and time.monotonic() < ends:
        time.sleep(0.02)
    for _ in range(times):
        time.sleep(gap)
        process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    if wait:
        process.wait(LONG)
    return time.monotonic() - pressed


@pytest.mark.slow
@pytest.mark.parametrize("command", [("solve", SLIDING), ("run", SLIDING), ("plugins", "list")], ids=lambda c: c[0])
def test_the_third_ctrl_c_kills_the_process(start, folder, command):
    """Here while a plugin is imported that goes on after each exception."""
    stubborn = folder / "imported.py"
    stubborn.write_text(
        "import pathlib, time\npathlib.Path('begun').touch()\nwhile True:\n    try:\n        time.sleep(600)\n"
        "    except BaseException:\n        pass\n"
    )
    process = start("--plugin", stubborn, *command)
    press(process, folder, 2, wait=False)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert died_of(process, signal.SIGINT) == ("", "")


def test_a_background_job_that_ignores_ctrl_c_continues(folder):
    """Shells send Ctrl-C to background jobs of scripts, too."""
    waits = folder / "waits.py"
    waits.write_text(
        "import pathlib, time\n\ndef waits(tiles):\n    pathlib.Path('begun').touch()\n"
        "    while not pathlib.Path('go').exists():\n        time.sleep(0.02)\n    return 1\n"
    )
    command = [sys.executable, "-c", PROGRAM, "evaluate", "2048/board10", "--heuristic", f"{waits}:waits"]
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
    finally:
        signal.signal(signal.SIGINT, handler)
    press(process, folder, 0, wait=False)
    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.3)
    (folder / "go").touch()
    assert ended(process)[0] == 0


@pytest.mark.skipif(not uses_shortcuts(), reason="nothing is kept, so that no file shows that compiling has begun")
def test_the_second_ctrl_c_ends_a_search_that_is_being_compiled(start, folder, monkeypatch):
    """The compiler swallows exceptions; the process ends all the same, and says so."""
    monkeypatch.setenv("SEARCHLAB_CACHE_DIR", str(folder / "cache"))
    process = start("solve", SLIDING, "--json")
    cache = folder / "cache"
    press(process, folder, 2, until="cache", gap=0.5)
    code, out, _ = ended(process)
    assert code == 130
    assert not out or json.loads(out)["status"] == "interrupted"
    assert not any(cache.glob("frontier*"))


@pytest.mark.slow
def test_a_check_holds_its_memory_limit(start):
    """A function that keeps more memory with each call fails; the report is complete."""
    code, out, _ = ended(start("plugins", "check", f"{HANGS}:hoards", "--memory-limit", "280MiB", "--json"))
    (report,) = json.loads(out)
    failed = [asked["message"] for asked in report["properties"] if asked["status"] == "failed"]
    assert code == 1
    assert failed[0].startswith("it took more than its 280 MiB of memory")


def test_ctrl_c_while_an_interrupted_program_ends_changes_nothing(start, folder):
    """The system ends it, with the code that a shell gives for Ctrl-C."""
    late = folder / "late.py"
    late.write_text(
        "import atexit, pathlib, time\n"
        "atexit.register(lambda: (pathlib.Path('ends').touch(), time.sleep(20)))\n"
        "pathlib.Path('begun').touch()\ntime.sleep(600)\n"
    )
    process = start("--plugin", late, "plugins", "list")
    press(process, folder, 1, until="begun", wait=False)
    assert press(process, folder, 1, until="ends") < 10
    assert ended(process)[0] == -signal.SIGINT


def test_a_search_that_is_drawn_ends_at_its_limit(start, folder):
    """And leaves no picture."""
    code, out, err = ended(start("plot", "search", "--heuristic", f"{HANGS}:spins_at_32", "--time-limit", "100ms"))
    assert (code, out) == (3, "")
    assert "time-limit" in err
    assert not (folder / "search.svg").exists()
