"""Limits and Ctrl-C hold whatever a plugin does: the process ends with the outcome so far."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HANGS = Path(__file__).parents[1] / "plugin_files" / "hangs.py"
HOLDS = HANGS.with_name("holds.py")
PROGRAM = """
import os, sys
from searchlab.search import exit_signal, watchdog, watcher_process
watchdog.GRACE = watcher_process.MARGIN = 0.15
if "NO_MACHINE_CODE" in os.environ:
    exit_signal.install_handler = lambda page: False
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


CTRL_C_AT_THE_VERY_END = """
import os, signal, sys
from searchlab.cli.process import watch_process
from searchlab.search.watcher_process import exit_at_ctrl_c
class Last:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGINT):
        kill(process, number)
sys.last_of_all = Last()
watch_process()
exit_at_ctrl_c()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody watches the program")
def test_ctrl_c_while_the_interpreter_takes_itself_down_ends_it_in_order():
    """Modules are gone by then, and what would be called has to be there all the same."""
    ran = subprocess.run([sys.executable, "-c", CTRL_C_AT_THE_VERY_END], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (130, b"")


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", ["eats", "hoards"])
def test_the_memory_limit_holds_for_what_a_heuristic_takes(start, heuristic):
    """In one call, or a little with each: here 20 MB beyond what a process may always take."""
    code, out, err = ended(
        start("solve", "--heuristic", f"{HANGS}:{heuristic}", "--goal", "2048", "--memory-limit", "300MiB", "--json")
    )
    assert (code, json.loads(out)["status"]) == (3, "memory-limit"), err


@pytest.mark.slow
def test_a_heuristic_that_is_refused_memory_has_reached_the_limit(start):
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


# What lets no other thread of the process run is ended by another process.


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", ["holds", "matches", "sleeps"])
def test_the_time_limit_holds_where_no_other_thread_can_run(start, folder, heuristic):
    """The outcome is reported in every form, with the place; the process that tells it leaves nothing behind."""
    arguments = ("solve", SLIDING, "--heuristic", f"{HOLDS}:{heuristic}", "--time-limit", "100ms")
    code, out, err = ended(start(*arguments, "--json", "--record", "runs.csv"))
    result = json.loads(out)
    assert (code, result["status"]) == (3, "time-limit")
    assert "error" not in err
    assert result["reason"].startswith(f"{heuristic} ({HOLDS}, line ")
    assert result["heuristic"] == heuristic
    assert "time-limit" in (folder / "runs.csv").read_text()


@pytest.mark.slow
def test_one_process_reports_a_search_that_goes_on_while_another_reports_it(start):
    """The signal that asks for the stack wakes a call that sleeps, and the interpreted search would end at once."""
    arguments = ("solve", SLIDING, "--engine", "readable", "--heuristic", f"{HOLDS}:sleeps", "--time-limit", "100ms")
    code, out, err = ended(start(*arguments, "--json"))
    assert (code, json.loads(out)["reason"].startswith(f"sleeps ({HOLDS}, line ")) == (3, True)
    assert "error" not in err


@pytest.mark.slow
def test_the_memory_limit_holds_where_no_other_thread_can_run(start):
    """One call of a function written in C takes all there is."""
    code, out, _ = ended(start("solve", SLIDING, "--heuristic", f"{HOLDS}:takes", "--memory-limit", "1MiB"))
    assert code == 3
    assert " ".join(out.split()).startswith("memory-limit: no solution found within 1 MiB; takes (")


@pytest.mark.slow
def test_a_training_holds_its_memory_limit_and_says_which_option_it_is(start):
    """The tables of the network are the memory; nobody's function hangs."""
    code, _, err = ended(start("train", "ntuple", "--games", "1000000", "--memory-limit", "1MiB"))
    assert code == 2
    assert err.endswith("searchlab: error: needs up to 768 MiB of memory, and --memory-limit allows 1 MiB\n")
    assert "--engine" not in err


@pytest.mark.slow
def test_where_no_machine_code_may_run_the_program_is_killed(start, monkeypatch):
    """On another processor, or where the system forbids it; the outcome is reported all the same."""
    monkeypatch.setenv("NO_MACHINE_CODE", "1")
    arguments = ("evaluate", SLIDING, "--heuristic", f"{HOLDS}:takes", "--memory-limit", "1MiB", "--json")
    code, out, err = ended(start(*arguments))
    assert (code, json.loads(out)["status"]) == (-signal.SIGKILL, "memory-limit")
    assert "error: memory-limit: takes (" in err


def test_where_no_further_process_can_be_started_a_command_runs_unwatched():
    """The system limits how many processes a user may have."""
    program = (
        "import errno, os, sys\n\ndef fork():\n    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))\n\n"
        "os.fork = fork\nfrom searchlab.cli import main\nsys.exit(main())"
    )
    command = [sys.executable, "-c", program, "neighbors", "2048/board10", "--domain", "2048"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stderr) == (0, "")
    assert "down" in done.stdout


def test_an_enumeration_ends_where_no_other_thread_can_run(start):
    """With the layers so far."""
    arguments = ("enumerate", "2048/board10", "--domain", "holding", "--time-limit", "100ms", "--json")
    code, out, err = ended(start("--plugin", HOLDS, *arguments))
    assert (code, json.loads(out)["verdict"]) == (3, "time-limit")
    assert "holds (" in err


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
@pytest.mark.parametrize(
    "command",
    [
        ("solve", SLIDING, "--heuristic", f"{HOLDS}:holds"),
        ("evaluate", SLIDING, "--heuristic", f"{HOLDS}:holds"),
        ("--plugin", HOLDS, "play", "--player", "holding"),
        ("--plugin", HOLDS, "advise", "2048/board10", "--player", "holding"),
        ("plugins", "check", f"{HOLDS}:sleeps", "--domain", "sliding-tile"),
        ("--plugin", HOLDS, "neighbors", "2048/board10", "--domain", "holding"),
    ],
    ids=["solve", "evaluate", "play", "advise", "plugins check", "neighbors"],
)
def test_one_ctrl_c_ends_a_command_where_no_other_thread_can_run(start, folder, command):
    """It says where it hung."""
    process = start(*command)
    press(process, folder, 1)
    code, out, err = ended(process)
    assert code == 130
    assert f"({HOLDS}, line " in " ".join((out + err).split())


def test_a_second_ctrl_c_ends_learning_that_does_not_return(start, folder):
    """The first would let it write what it has learned."""
    process = start("--plugin", HOLDS, "train", "holding")
    press(process, folder, 2)
    code, _, err = ended(process)
    assert code == 130
    assert "interrupted: holds (" in err


@pytest.mark.slow
@pytest.mark.parametrize("command", [("solve", SLIDING), ("run", SLIDING), ("plugins", "list")], ids=lambda c: c[0])
def test_a_third_ctrl_c_ends_everything_within_a_second(start, folder, command):
    """Here while a plugin is imported, by which no search is hung; a busy machine may have time to say so."""
    hangs = folder / "imported.py"
    hangs.write_text("import itertools, pathlib\npathlib.Path('begun').touch()\nsum(itertools.repeat(1))\n")
    process = start("--plugin", hangs, *command)
    seconds = press(process, folder, 3)
    code, out, err = ended(process)
    assert (code, out) == (130, "")
    assert err == "" or re.fullmatch(r"searchlab: error: interrupted: .*did not return\n", err)
    assert seconds < 3  # on a machine that is busy with other things


def test_a_background_job_that_ignores_ctrl_c_is_not_ended_by_it(folder):
    """A script starts its background jobs so; Ctrl-C of the terminal is sent to all of its processes."""
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


def test_the_second_ctrl_c_ends_a_search_that_is_being_compiled(start, folder, monkeypatch):
    """The compiler swallows what is raised in it; the process ends all the same, and tells so."""
    monkeypatch.setenv("SEARCHLAB_CACHE_DIR", str(folder / "cache"))
    process = start("solve", SLIDING, "--json")
    cache = folder / "cache"
    press(process, folder, 2, until="cache", gap=0.5)
    code, out, _ = ended(process)
    assert code == 130
    assert not out or json.loads(out)["status"] == "interrupted"
    assert not any(cache.glob("frontier*"))


ENDS_WHEN_ASKED = """
import signal, time
from searchlab.cli.process import watch_process
from searchlab.search import watcher_process
watcher_process.MARGIN = 0.05
watch_process()
signal.signal(watcher_process.STACK_SIGNAL, signal.SIG_DFL)
watcher_process.note_call(0.05)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody watches the program")
def test_whoever_watches_a_program_is_gone_when_it_ends_before_it_told_where_it_hangs():
    """Nothing is left that holds its output, or a processor: here the question itself ends the program."""
    ran = subprocess.run([sys.executable, "-c", ENDS_WHEN_ASKED], capture_output=True, check=False, timeout=LONG / 4)
    assert ran.returncode < 0
    assert ran.stderr.startswith(b"searchlab: error: time-limit: ")


@pytest.mark.slow
def test_a_check_fails_where_no_other_thread_can_run(start, monkeypatch):
    """The property that was asked about is reported, with the place."""
    monkeypatch.setenv("LONGEST_CALL", "0.5")
    code, out, _ = ended(start("plugins", "check", f"{HOLDS}:holds", "--domain", "sliding-tile", "--json"))
    (report,) = json.loads(out)
    first, *others = report["properties"]
    assert (code, first["status"]) == (1, "failed")
    assert first["message"].startswith(f"time-limit: holds ({HOLDS}, line ")
    assert {asked["status"] for asked in others} == {"skipped"}


@pytest.mark.slow
def test_a_check_holds_its_memory_limit(start):
    """What keeps a little more with each call fails; the report is whole."""
    code, out, _ = ended(start("plugins", "check", f"{HANGS}:hoards", "--memory-limit", "280MiB", "--json"))
    (report,) = json.loads(out)
    failed = [asked["message"] for asked in report["properties"] if asked["status"] == "failed"]
    assert code == 1
    assert failed[0].startswith("it took more than its 280 MiB of memory")


def test_ctrl_c_while_an_interrupted_program_ends_changes_nothing(start, folder):
    """Python itself would be killed by the signal, whose exit code is another."""
    late = folder / "late.py"
    late.write_text(
        "import atexit, pathlib, time\n"
        "atexit.register(lambda: (pathlib.Path('ends').touch(), time.sleep(20)))\n"
        "pathlib.Path('begun').touch()\ntime.sleep(600)\n"
    )
    process = start("--plugin", late, "plugins", "list")
    press(process, folder, 1, until="begun", wait=False)
    assert press(process, folder, 1, until="ends") < 10
    assert ended(process)[0] == 130


def test_a_search_that_is_drawn_ends_at_its_limit(start, folder):
    """And leaves no picture."""
    code, out, err = ended(start("plot", "search", "--heuristic", f"{HANGS}:spins_at_32", "--time-limit", "100ms"))
    assert (code, out) == (3, "")
    assert "time-limit" in err
    assert not (folder / "search.svg").exists()
