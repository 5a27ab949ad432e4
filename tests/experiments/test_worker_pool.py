"""A worker process makes one run after another, and is replaced if a plugin ends it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from math import inf
from pathlib import Path

import msgspec
import pytest

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab.experiments import worker_pool
from searchlab.experiments.messages import Setup, encode
from searchlab.experiments.processes import own_code, python_module
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.worker_pool import CurrentRun, WorkerProcess

HANGS = Path(__file__).parents[1] / "plugin_files" / "hangs.py"

HOLDS = Path(__file__).parents[1] / "plugin_files" / "holds.py"


@pytest.fixture
def worker_process(setup):
    """A worker process that ends with the test."""
    worker_process = WorkerProcess(setup)
    yield worker_process
    worker_process.end()


def statuses(worker_process, *runs):
    """Return how runs ended."""
    records, _ = worker_process.run(runs)
    assert [record.run for record in records] == list(runs)
    return [record.cells["status"] for record in records]


@pytest.mark.slow
def test_hanging_hoarding_and_failing_runs_have_their_status_and_others_continue(worker_process, run_of):
    """Each has its row, in the order the runs were given."""
    runs = [
        run_of(""),
        run_of("spins", seconds=0.2),
        run_of("", 2),
        run_of("eats", memory=2**20, seconds=inf),
        run_of("is_refused"),
        run_of("raises"),
        run_of("ends"),
        run_of("", 3),
    ]
    records, _ = worker_process.run(runs)
    assert [record.cells["status"] for record in records] == [
        *("solved", "time-limit", "solved", "memory-limit", "memory-limit", "error", "error", "solved"),
    ]
    reasons = [record.cells["reason"] or "" for record in records]
    assert "spins" in reasons[1]
    assert "did not return" in reasons[1]
    assert "MemoryError" in reasons[4]
    assert "divide by zero" in reasons[5]
    assert "its process died 2 times" in reasons[6]


def test_a_run_after_a_hanging_one_has_all_its_tries(worker_process, run_of, monkeypatch):
    monkeypatch.setattr(worker_pool, "TRIES", 1)
    assert statuses(worker_process, run_of("spins", seconds=0.2), run_of("")) == ["time-limit", "solved"]


def test_hanging_compiled_code_is_ended(worker_process, run_of):
    """With the figures of the search so far."""
    (record,), _ = worker_process.run([run_of("spins_at_32", engine="compiled", seconds=0.2, expansions=None)])
    assert record.cells["status"] in ("time-limit", "solved")


@pytest.mark.slow
def test_a_run_that_blocks_all_threads_is_ended_by_the_alarm(worker_process, run_of, monkeypatch, tmp_path, capfd):
    """It comes before the pool's limit."""
    monkeypatch.chdir(tmp_path)
    (held, after), _ = worker_process.run([run_of("holds", file=HOLDS, seconds=0.1), run_of("")])
    assert (held.cells["status"], after.cells["status"]) == ("time-limit", "solved")
    assert held.cells["reason"].startswith("ended by SIGALRM: ")
    assert " in holds\n" in capfd.readouterr().err
    assert held.cells["board"] == after.cells["board"]
    assert statuses(worker_process, run_of("takes", file=HOLDS, memory=2**20, seconds=inf)) == ["memory-limit"]


def test_a_worker_killed_by_a_signal_is_reported_with_its_name(worker_process, run_of, tmp_path):
    crash = tmp_path / "crash.py"
    crash.write_text("import ctypes\n\ndef crashes(tiles):\n    return ctypes.string_at(0)\n")
    (record,), _ = worker_process.run([run_of("crashes", file=crash)])
    assert record.cells["reason"] == "its process died 2 times, the last time by SIGSEGV"


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_its_run_repeated(worker_process, run_of):
    """Nobody notices but for the time it takes."""
    assert statuses(worker_process, run_of("")) == ["solved"]
    slow = run_of("spins", seconds=3)

    def kill_once():
        while worker_process.current is None or worker_process.current.run is not slow:
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(worker_process._process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_once)
    killer.start()
    assert statuses(worker_process, slow, run_of("", 2)) == ["time-limit", "solved"]
    killer.join()


@pytest.mark.slow
def test_a_run_ended_from_outside_elsewhere_is_an_error_only_if_its_worker_goes_on(setup, run_of, monkeypatch):
    """A batch system ends all processes of a job in any order: what is left of the job waits for its own end."""
    monkeypatch.setattr(worker_pool, "SECONDS_OF_GRACE", 1.5)
    worker_process = WorkerProcess(msgspec.structs.replace(setup, code=own_code()))
    run, ready, returned = run_of("spins", seconds=30), [None], []
    thread = threading.Thread(target=lambda: returned.append((worker_process.run([run]), time.monotonic())))
    thread.start()
    while len(ready) < 3 and thread.is_alive():
        process = worker_process._process
        if process and worker_process._ready is not ready[-1]:
            ready.append(worker_process._ready)
            os.kill(process.pid, signal.SIGTERM)
        time.sleep(0.05)
    last = time.monotonic()
    thread.join()
    (((record,), _), ended) = returned[0]
    assert record.cells["reason"] == "its process died 2 times, the last time by SIGTERM"
    assert ended - last > 1.4
    worker_process.end()


@pytest.fixture
def anytime_run():
    """A run on a board of Korf's that tells of solutions in the first second, and has no proof for minutes."""
    board = sl.read_board("sliding-tile/korf100/082")
    return Run(
        RunInstance("korf", tuple(map(tuple, board.tiles.tolist()))),
        {"domain": "sliding-tile:goal=blank-first", "heuristic": "taxicab", "frontier": "cabs"},
        limits=sl.Limits(seconds=60),
        engine="compiled",
    )


def test_a_run_that_dies_twice_is_an_error_that_keeps_its_best_solution(worker_process, anytime_run):
    kept = []

    def kill():
        """Kill the worker when it has told of another improvement."""
        while worker_process.current is None or len(worker_process.current.told) <= len(kept):
            time.sleep(0.001)
        kept[:] = worker_process.current.told
        os.kill(worker_process._process.pid, signal.SIGKILL)

    def kill_twice():
        kill()
        kill()

    killer = threading.Thread(target=kill_twice)
    killer.start()
    (record,), _ = worker_process.run([anytime_run])
    killer.join()
    cells = record.cells
    assert (cells["status"], cells["ended_by"]) == ("error", "error")
    assert "its process died 2 times" in cells["reason"]
    assert cells["cost"] <= kept[-1].cost
    assert len(cells["actions"].split()) == cells["moves"] == cells["cost"]
    assert [cost for _, _, cost in json.loads(cells["solutions"])][: len(kept)] == [one.cost for one in kept]
    assert not cells["optimal"]


def test_a_run_that_is_killed_at_its_limit_is_solved_by_what_it_told(worker_process, anytime_run, monkeypatch):
    monkeypatch.setattr(worker_pool, "_how_it_died", lambda process: "by SIGALRM")

    def kill():
        while worker_process.current is None or not worker_process.current.told:
            time.sleep(0.01)
        os.kill(worker_process._process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    (record,), _ = worker_process.run([anytime_run])
    killer.join()
    assert (record.cells["status"], record.cells["ended_by"]) == ("solved", "time-limit")
    assert record.cells["cost"] == record.cells["moves"]


def test_quick_runs_are_sent_ahead_and_none_is_lost_with_a_killed_worker(worker_process, run_of, monkeypatch):
    """Each has one record, in order."""
    sent = []
    send = worker_process._send

    def noting(runs):
        send(runs)
        sent.append(len(runs))
        if len(sent) == 10:
            worker_process._process.kill()

    monkeypatch.setattr(worker_process, "_send", noting)
    runs = [run_of("", repetition) for repetition in range(1, 200)]
    assert statuses(worker_process, *runs) == ["solved"] * len(runs)
    assert max(sent) > 4
    assert sum(sent) > len(runs)


def test_slow_runs_are_sent_one_by_one(worker_process, run_of, monkeypatch):
    monkeypatch.setattr(worker_pool, "QUICK", 0.0)
    sent = []
    send = worker_process._send
    monkeypatch.setattr(worker_process, "_send", lambda runs: (send(runs), sent.append(len(runs))))
    assert statuses(worker_process, *[run_of("", repetition) for repetition in (1, 2, 3)]) == ["solved"] * 3
    assert sent == [1, 1, 1]


def test_slow_runs_after_quick_ones_are_sent_one_by_one(worker_process, run_of, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import time\n\n\ndef slow(tiles):\n    time.sleep(0.1)\n    return 0\n")
    worker_process.run([run_of("", 0, expansions=1)])
    worker_process._ahead, worker_process._mean_seconds = worker_pool.MOST_AHEAD, 1e-4  # as after many quick runs
    slow_runs = [run_of("slow", repetition, file=slow, expansions=1) for repetition in range(40)]
    records, _ = worker_process.run(slow_runs, seconds=0.05)
    assert len(records) == 1


def test_the_number_of_runs_sent_ahead_fits_the_remaining_time(worker_process):
    worker_process._ahead, worker_process._mean_seconds = 32, 0.01
    assert [worker_process._most_sent(seconds) for seconds in (inf, 0.105, 0.001, 0)] == [33, 10, 2, 0]


def test_the_pool_kills_a_worker_that_hangs(worker_process, run_of, monkeypatch):
    """Here the limit of its watchdog is too long."""
    patient = WorkerProcess(Setup(grace=1000.0))
    monkeypatch.setattr(worker_pool, "KILL_AFTER_SECONDS", 0.2)
    monkeypatch.setattr(worker_pool, "GRACE", 0.2)
    (record,), _ = patient.run([run_of("spins", seconds=0.1)])
    patient.end()
    assert (record.cells["status"], record.cells["reason"].split(":")[0]) == ("time-limit", "killed")


def test_the_pool_kills_a_worker_beyond_its_memory(run_of, monkeypatch):
    """Here its watchdog does not check memory."""
    worker_process = WorkerProcess(Setup(memory=2**62))
    monkeypatch.setattr(worker_pool, "MEMORY_BEYOND", 2**28)
    run = run_of("eats", memory=2**24)
    monkeypatch.setattr(WorkerProcess, "_resident_bytes", lambda self: 2**40)
    (record,), _ = worker_process.run([run])
    worker_process.end()
    assert record.cells["status"] == "memory-limit"


def test_a_chunk_ends_with_its_time_after_at_least_one_run(worker_process, run_of):
    """The other runs are given back."""
    records, _ = worker_process.run([run_of("", k) for k in range(1, 5)], seconds=0)
    assert 1 <= len(records) <= 2


def test_a_worker_with_different_plugins_refuses_runs(worker_process, run_of):
    """Results would be mixed up."""
    run = run_of("")
    for plugins in ({"searchlab": "0 other"}, {"absent": "1"}):
        other = Run(run.instance, run.parts, plugins=plugins)
        with pytest.raises(UsageError, match="does not have the same plugins"):
            worker_process.run([other])


def test_a_worker_with_another_searchlab_refuses_runs(setup, run_of):
    """A change in one byte is enough; plugins are compared by themselves."""
    same = WorkerProcess(msgspec.structs.replace(setup, code=own_code()))
    assert statuses(same, run_of("")) == ["solved"]
    same.end()
    other = WorkerProcess(msgspec.structs.replace(setup, code="0.1 123456789abc"))
    with pytest.raises(UsageError, match=rf"its searchlab is {own_code()}, that of the command is 0\.1 123456789abc"):
        other.run([run_of("")])


def test_a_domain_that_refuses_the_board_is_an_error_of_the_run(worker_process):
    """The line is the one the command line gives."""
    run = Run(
        RunInstance("b", ((1, 2), (3, 5))), {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}
    )
    (record,), _ = worker_process.run([run])
    assert record.cells["status"] == "error"


def test_a_worker_ends_with_its_scheduler(setup, run_of):
    """Even while a function does not return."""
    worker_process = WorkerProcess(setup)
    worker_process.run([run_of("")])
    process = worker_process._process
    worker_process._send([run_of("spins", seconds=1000.0)])
    time.sleep(0.2)
    process.stdin.close()
    assert process.wait(30) == 0
    worker_process.end()


@pytest.mark.parametrize("seconds", [0.0, 0.15, 0.4])
def test_a_starting_worker_ends_silently_with_its_scheduler(setup, seconds):
    command = python_module("searchlab.experiments.worker_process")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        process.stdin.write(encode(setup))
        process.stdin.flush()
        process.stdout.close()
        time.sleep(seconds)
        process.stdin.close()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""


class Unlucky(WorkerProcess):
    """Worker processes of which the first are killed before they are ready."""

    def __init__(self, setup, deaths):
        super().__init__(setup)
        self.deaths = deaths

    def _begin(self):
        process = super()._begin()
        if self.deaths:
            self.deaths -= 1
            process.kill()
        return process


def test_a_worker_killed_before_it_is_ready_is_replaced(setup, run_of):
    worker_process = Unlucky(setup, worker_pool.STARTS - 1)
    assert statuses(worker_process, run_of("")) == ["solved"]
    worker_process.end()


def test_workers_that_are_never_ready_are_given_up(setup, run_of):
    """The machine fails, not what was asked; and the line says how they end."""
    worker_process = Unlucky(setup, worker_pool.STARTS)
    with pytest.raises(
        MachineError,
        match=r"3 worker processes in a row .* by SIGKILL; .*the same command continues",
    ):
        worker_process.run([run_of("")])


def test_a_machine_that_starts_no_processes_fails(setup, run_of, monkeypatch):
    """As one that has too many."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(MachineError, match="no worker process can be started: no such file"):
        WorkerProcess(setup).run([run_of("")])


def test_a_worker_without_a_required_plugin_is_an_error(run_of):
    """It is not started again."""
    with pytest.raises(UsageError, match="absent"):
        WorkerProcess(Setup(without=("absent",))).run([run_of("")])


SCHEDULER = """
import sys, time
from searchlab.experiments.worker_pool import CurrentRun, WorkerProcess
from searchlab.experiments.messages import Setup
from searchlab.experiments.runs import RunInstance, Run
from searchlab.experiments.processes import own_code, python_module
class Telling(WorkerProcess):
    def _begin(self):
        process = super()._begin()
        print(process.pid, flush=True)
        return process
heuristic, engine = sys.argv[1:]
parts = {"domain": "2048", "heuristic": heuristic, "frontier": "greedy"}
run = Run(RunInstance("b", ((2, 4), (0, 0))), parts, engine=engine)
Telling(Setup(memory=2**30)).run([run])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a library that lets no other thread run is waited for")
@pytest.mark.parametrize(
    ("heuristic", "seconds"),
    [("left-weighted", 0.0), ("left-weighted", 0.3), (f"{HANGS}:spins", 2.0), (f"{HANGS}:holds", 2.0)],
)
def test_workers_of_a_killed_scheduler_end_silently(heuristic, seconds):
    """While they start, import, compile, or hang in a function that lets no other thread run; within three seconds."""
    command = [sys.executable, "-c", SCHEDULER, heuristic, "auto" if heuristic == "left-weighted" else "readable"]
    scheduler = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    worker = int(scheduler.stdout.readline())
    time.sleep(seconds)
    scheduler.kill()
    killed = time.monotonic()
    while is_running(worker):
        assert time.monotonic() < killed + 3
        time.sleep(0.02)
    assert scheduler.communicate(timeout=60)[1] == ""


def is_running(process):
    """Return whether there is a process that has not ended; one that nobody waits for has."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_prints_of_plugins_are_not_messages(setup, run_of, capfd):
    """The pipe is for messages; prints go to standard error."""
    worker_process = WorkerProcess(setup)
    assert statuses(worker_process, run_of("")) == ["solved"]
    worker_process.end()


@pytest.mark.slow
def test_workers_report_compiling_to_the_scheduler(worker_process, run_of, monkeypatch, tmp_path):
    """The function by its name; a run that finds it in the cache says nothing."""
    monkeypatch.setenv("SEARCHLAB_CACHE_DIR", str(tmp_path))
    told = []
    monkeypatch.setattr(CurrentRun, "note", lambda current, progress: told.append(progress))
    assert statuses(worker_process, run_of("", engine="compiled")) == ["solved"]
    assert [progress.phase for progress in told[:2]] == ["compiling", "compiled"]
    first = len(told)
    assert statuses(worker_process, run_of("", 2, engine="compiled")) == ["solved"]
    assert len(told) == first
