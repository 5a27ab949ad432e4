"""Experiments, tournaments and learning come to the same, however often processes of theirs are killed on the way.

The normal suite kills a few; SEARCHLAB_TEST_KILLS=200 in all as many, another SEARCHLAB_TEST_SEED at other moments.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.store import Store
from tests.stored_rows import rows_of

ROOT = Path(__file__).parents[2]
HANGS = ROOT / "tests" / "plugin_files" / "hangs.py"
KILLS = int(os.environ.get("SEARCHLAB_TEST_KILLS", "3"))
SEED = int(os.environ.get("SEARCHLAB_TEST_SEED", "7"))
EXPERIMENT = """
name = "survives"
boards = ["sliding-tile/puzzle8-2*", "broken.txt"]
heuristics = ["taxicab", "misplaced"]
frontiers = ["greedy", { name = "beam", width = [5, 50] }]
domains = ["sliding-tile"]
repetitions = 2

[limits]
expansions = 2000
"""
TIMES = (
    "number",
    "seconds",
    "cpu_seconds",
    "peak_bytes",
    "worker",
    "finished",
    "attempt",
    "moves_per_second",
    "load",
    "clock",
)
SIGNALS = {
    "SIGKILL": (signal.SIGKILL,),
    "SIGTERM": (signal.SIGTERM,),
    "SIGINT": (signal.SIGINT,),
    "SIGINT twice": (signal.SIGINT, signal.SIGINT),
}
COORDINATOR, WORKER, ALL = "the coordinator", "a worker", "all processes"
ENDS = {0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT}
"""How what was killed may end; where a worker was, the machine may seem to have failed as well."""
MACHINE_FAILED = 5
MARK = "SEARCHLAB_TEST_MARK"
"""The environment variable by which all processes of a command are known, whoever started them."""
LEAVING = 3.0
BEFORE_OURS = (
    *("searchlab/__init__.py", "searchlab/__main__.py", "searchlab/cli/__init__.py"),
    *(f"searchlab/experiments/{name}.py" for name in ("__init__", "processes", "worker_process")),
)
"""Where Ctrl-C may interrupt Python itself, before the program has begun."""


def command(folder):
    """Return the command that runs the experiment."""
    return [sys.executable, "-m", "searchlab", "run", "experiment.toml", "--output", str(folder), "--workers", "2"]


def rows(folder):
    """Return the rows by identity, without cells that differ from run to run; each identity occurs once."""
    with Store(folder) as store:
        kept = rows_of(store, all_attempts=True)
    for row in kept:
        if row.get("solutions"):
            row["solutions"] = [each[1:] for each in json.loads(row["solutions"])]  # without the time
    by_identity = {row["identity"]: {k: v for k, v in row.items() if k not in TIMES} for row in kept}
    assert len(by_identity) == len(kept)
    return by_identity


@dataclass(frozen=True)
class Running:
    """`searchlab run`."""

    arguments: ClassVar = ("run", "experiment.toml", "--workers", "2")
    victims: ClassVar = (COORDINATOR, WORKER, ALL)

    def outcome(self, folder):
        """Return what has to be the same."""
        return rows(folder)


@dataclass(frozen=True)
class Tournament:
    """`searchlab tournament`; its games can be replayed."""

    arguments: ClassVar = (
        *("tournament", "random", "greedy:heuristic=empty", "--max-moves", "200", "--games", "20", "--workers", "2"),
    )
    victims: ClassVar = (COORDINATOR, WORKER, ALL)

    def outcome(self, folder):
        """Return what has to be the same."""
        table = sl.load_results(folder)
        last = table.iloc[-1]
        assert sl.replay(last).score == last["score"]
        standings = sl.standings(table)
        times = [name for name in standings.columns if str(name).startswith(("seconds", "moves_per_second"))]
        return rows(folder), standings.drop(columns=times).to_csv()


@dataclass(frozen=True)
class Training:
    """`searchlab train`."""

    arguments: ClassVar = (
        *("train", "ntuple:tuples=[0 1 2 3/3 4 5]", "--domain", "2048-random:n=3", "--games", "4000"),
        *("--checkpoint", "200ms"),
    )
    victims: ClassVar = (COORDINATOR, ALL)

    def outcome(self, folder):
        """Return what has to be the same."""
        table = [line.rpartition(",")[0] for line in Path(folder, "curve.csv").read_text().splitlines()]
        return Path(folder, "network.npz").read_bytes(), table


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """A folder with an experiment of some hundred runs, one of its boards unreadable."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    (tmp_path / "broken.txt").write_text("3\n1 2 x\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the processes are found in /proc")
@pytest.mark.parametrize("work", [Running(), Tournament(), Training()], ids=["run", "tournament", "train"])
def test_an_experiment_killed_at_random_moments_has_the_same_results(experiment, work):
    """Nothing is lost, doubled or left behind, nobody prints a traceback, and the last time it ends with 0."""
    mark, rng = f"{os.getpid()} {work.arguments[0]}", random.Random(f"{SEED} {work.arguments[0]}")
    began = time.monotonic()
    with Marked(work, "whole", mark) as whole:
        assert whole.wait() == 0
    longest = time.monotonic() - began
    expected, kills = work.outcome("whole"), Counter()
    wanted = -(-KILLS // 3)
    while kills.total() < wanted:
        with Marked(work, "killed", mark) as process:
            kill_some(process, work, rng, longest, kills, wanted)
            ended = process.wait()
        if ended == 0:
            assert work.outcome("killed") == expected
            shutil.rmtree("killed")
    with Marked(work, "killed", mark) as process:
        assert process.wait() == 0
    assert work.outcome("killed") == expected
    assert not [name for name in os.listdir("killed") if name.endswith((".part", ".new"))]
    print(dict(kills))


def kill_some(process, work, rng, longest, kills, wanted):
    """Kill a command, or workers of it until it is its turn, at random moments."""
    while kills.total() < wanted:
        process.wait(rng.uniform(0, longest))
        if process.ended is not None:
            return
        victim, how = rng.choice(work.victims), rng.choice(list(SIGNALS))
        killed = process.victims(victim, rng)
        if not killed:
            continue
        for k, number in enumerate(SIGNALS[how]):
            time.sleep(k * rng.uniform(0, 0.5))
            for one in killed:
                try:
                    os.kill(one, number)
                except ProcessLookupError:
                    continue
        kills[victim, how] += 1
        process.killed.append(victim)
        if victim != WORKER:
            return


class Marked:
    """A command whose processes are known; none of them is left when it has ended, and none printed a traceback.

    Attributes:
        ended: how it did, None where it has not yet.
        killed: who was killed.
    """

    def __init__(self, work, folder, mark):
        self.mark, self.killed, self.ended = f"{MARK}={mark}".encode(), [], None
        self.said = Path("said.txt")
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "searchlab", *work.arguments, "--output", folder],
                env={**os.environ, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            )

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            for one in self.left():
                os.kill(one, signal.SIGKILL)
            self.process.wait()
            return
        deadline = time.monotonic() + LEAVING
        while self.left():
            assert time.monotonic() < deadline, [*map(command_line, self.left())]
            time.sleep(0.05)
        said = self.said.read_text(errors="replace")
        assert is_quiet(said), said
        if "init_import_site" not in said:  # Python itself was interrupted while it started
            assert self.ended in ENDS or (self.ended == MACHINE_FAILED and set(self.killed) & {WORKER, ALL}), said

    def wait(self, seconds=600):
        """Wait so long for its end; return how it ended, None where it did not."""
        try:
            self.ended = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            assert seconds < 600, self.said.read_text()
        return self.ended

    def left(self):
        """Return its processes that have not ended."""
        return [one for one in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_mine(one)]

    def is_mine(self, process):
        """Return whether a process is of the command and has not ended."""
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes()
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        return self.mark in environment.split(b"\0") and state != "Z"

    def victims(self, victim, rng):
        """Return the processes that are to be killed."""
        if victim == COORDINATOR:
            return [self.process.pid]
        found = self.left()
        if victim == WORKER:
            workers = [one for one in found if "worker_process" in command_line(one)]
            return rng.sample(workers, min(1, len(workers)))
        return found


def command_line(process):
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_quiet(said):
    """Return whether no process of the program printed a traceback."""
    if not re.search(r"Traceback|Fatal Python error|Exception ignored|internal error", said):
        return True
    files = [os.path.relpath(file, ROOT) for file in re.findall(r'File "([^"]+)"', said)]
    ours = [file for file in files if file.startswith("searchlab/")]
    return "KeyboardInterrupt" in said and all(file in BEFORE_OURS for file in ours)


def has_rows(folder):
    """Return whether an experiment has come so far that something is recorded."""
    try:
        with Store(folder) as store:
            return bool(store.statuses())
    except UsageError:
        return False


@pytest.mark.slow
def test_ctrl_c_finishes_current_runs_and_the_next_command_does_the_rest(experiment):
    """Once; the exit code says that something is left."""
    process = subprocess.Popen(command("stopped"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not has_rows("stopped") and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    assert process.returncode in (0, 130), err
    assert ("left" in out) == (process.returncode == 130)
    ended = subprocess.run(command("stopped"), capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert "all done" in ended.stdout


@pytest.mark.slow
def test_the_second_ctrl_c_stops_at_once(experiment):
    """The run itself would never end."""
    heuristics = ("--heuristic", "left-weighted", "--heuristic", f"{HANGS}:spins")
    program = [sys.executable, "-m", "searchlab", "run", "2048/board10", *heuristics, "--workers", "2"]
    process = subprocess.Popen([*program, "--output", "hangs"], stderr=subprocess.PIPE, text=True)
    while not has_rows("hangs") and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline() and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == "searchlab: stopped; the runs under way are lost; rerun the same command to resume\n"
