"""Experiments on a real Slurm of this machine: by name, by a scheduler file, as one job; killed on the way.

CI kills five times; SEARCHLAB_TEST_KILLS=200 as often as that in each test, another SEARCHLAB_TEST_SEED others.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from searchlab.errors import UsageError
from searchlab.experiments.store import Store
from tests.executors.slurm import Slurm, until, why_missing
from tests.stored_rows import rows_of

MISSING = why_missing() or next((f"no {name}" for name in ("dask_jobqueue", "cryptography") if not find_spec(name)), "")
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

KILLS = int(os.environ.get("SEARCHLAB_TEST_KILLS", "5"))
SEED = int(os.environ.get("SEARCHLAB_TEST_SEED", "7"))
SITE = """
jobs = {jobs}
cores = 2
memory = "1GB"
walltime = "00:10:00"
interface = "lo"
"""
SLOW = """
import time

def slow(tiles, pause=0.002):
    time.sleep(pause)
    return float(abs(tiles - tiles.T).sum())
"""
SAME = ("identity", "status", "reason", "moves", "cost", "expanded", "generated", "actions", "repetition")
MACHINE_FAILED = 5
RUNS, PAUSE = (500, 0.01) if KILLS > 5 else (100, 0.004)
"""The number of runs, and the seconds that their heuristic sleeps."""
KINDS = ("job", "job", "job", "nanny", "dask_worker", "process_of_runs", "slurmd", "slurmctld", "command")
"""What is killed of a cluster by name, whose scheduler is the process of the command."""
LONGER_THAN_A_RUN = 8.0


@pytest.fixture(scope="module")
def slurm():
    """A Slurm of eight cores."""
    with Slurm() as running:
        yield running


@pytest.fixture
def place(tmp_path):
    """A folder with a slow heuristic and the description of a cluster."""
    (tmp_path / "mine.py").write_text(SLOW)
    (tmp_path / "site.toml").write_text(SITE.format(jobs=3))
    return tmp_path


def command(output, executor, runs=40, pause=0.002):
    """Return the command of an experiment of short runs."""
    return [
        *(sys.executable, "-m", "searchlab", "run", "sliding-tile/puzzle8-20", "--engine", "readable"),
        *("--heuristic", f"mine.py:slow:pause={pause}", "--heuristic", "taxicab", "--frontier", "greedy"),
        *("--frontier", "astar", "--max-expansions", "100", "--time-limit", "60s"),
        *("--repetitions", str(runs // 4), "--executor", executor, "--output", output),
    ]


def rows(folder):
    """Return the cells of each run that do not depend on the machine; each run occurs once."""
    with Store(folder) as store:
        kept = [tuple(row[name] for name in SAME) for row in rows_of(store, all_attempts=True)]
    assert len(kept) == len(set(kept))
    return set(kept)


def number_of_rows(folder):
    """Return the number of rows of a store that may not be there."""
    try:
        with Store(folder) as store:
            return len(store.statuses())
    except UsageError:
        return 0


def begin(slurm, place, *arguments):
    """Start a command in a folder."""
    return subprocess.Popen(
        arguments, cwd=place, env=slurm.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def done(slurm, place, *arguments, seconds=300):
    """Run a command in a folder to its end."""
    return subprocess.run(
        arguments, cwd=place, env=slurm.environment, capture_output=True, text=True, timeout=seconds, check=False
    )


def processes(mark):
    """Return the numbers of all processes with a text in their command."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode():
                found.append(int(entry.name))
    return found


def test_a_cluster_by_name_does_an_experiment_and_leaves_no_job(slurm, place):
    """The rows are those of this machine; the keys of its encryption are gone."""
    here = done(slurm, place, *command("here", "local", 8))
    assert here.returncode == 0, here.stderr
    there = done(slurm, place, *command("there", "dask:cluster=slurm,config=site.toml", 8))
    assert there.returncode == 0, there.stderr
    assert all(re.match(r"searchlab: \d of 8 runs", line) for line in there.stderr.splitlines()), there.stderr
    assert rows(place / "there") == rows(place / "here")
    assert until(lambda: not slurm.jobs(), 20)
    assert not list((place / "job-logs").glob("keys-*"))
    logs = [file.read_text() for file in (place / "job-logs").glob("*.err")]
    assert any("Registered to:      tls://" in log for log in logs)


@pytest.mark.slow
def test_runs_of_workers_that_leave_before_their_walltime_are_repeated(slurm, place):
    """Without an error, and in new jobs."""
    (place / "site.toml").write_text(SITE.format(jobs=2) + 'worker_extra_args = ["--lifetime", "10s"]\n')
    here = done(slurm, place, *command("here", "local", 100, 0.01), "--workers", "16")
    there = done(slurm, place, *command("there", "dask:cluster=slurm,config=site.toml", 100, 0.01))
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    assert rows(place / "there") == rows(place / "here")
    logs = [file.read_text() for file in (place / "job-logs").glob("*.err")]
    assert sum("worker-lifetime-reached" in log for log in logs) >= 2
    assert len(logs) > 2


@pytest.mark.slow
def test_the_tasks_of_one_job_do_an_experiment_also_if_a_worker_is_killed(slurm, place):
    """Their output is that of the one task that goes on with the command."""
    here = done(slurm, place, *command("here", "local", 100, 0.004), "--workers", "16")
    assert here.returncode == 0, here.stderr
    tasks = ("srun", "--ntasks=5", "--cpus-per-task=1")
    running = begin(slurm, place, *tasks, *command("there", "dask:runner=slurm", 100, 0.004))
    assert until(lambda: number_of_rows(place / "there") >= 5, 120), running.communicate()
    own = {"SLURM_CONF": slurm.environment["SLURM_CONF"], "SLURM_PROCID": "3"}
    (worker,) = [pid for pid in processes("-m searchlab run") if own.items() <= environment_of(pid).items()]
    os.kill(worker, signal.SIGKILL)
    out, err = running.communicate(timeout=300)
    assert "100 runs, all done" in out, err
    assert rows(place / "there") == rows(place / "here")
    assert out.count("all done") == 1
    assert "Traceback" not in err
    assert os.listdir(place / "job-logs") == []


def environment_of(pid):
    """Return the environment of a process, nothing if it is gone."""
    with suppress(OSError):
        entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
        return dict(entry.split("=", 1) for entry in entries if "=" in entry)
    return {}


class Chaos:
    """Kills something that belongs to an experiment on Slurm, at moments made by chance.

    Args:
        slurm: the Slurm.
        place: the folder of the experiment, by which its processes are known.
        seed: of the moments and of what is killed.

    Attributes:
        kills: how often each kind of thing was killed.
    """

    def __init__(self, slurm, place, seed):
        self.slurm, self.place, self.random, self.kills = slurm, place, random.Random(seed), Counter()
        self._spared_until = 0.0

    def strike(self, kind):
        """Kill one thing of a kind; return whether there was one."""
        victims = getattr(self, f"_{kind}")()
        if not victims:
            return False
        victim = self.random.choice(sorted(victims))
        self.kills[kind] += 1
        if kind == "job":
            self.slurm.call("scancel", victim)
        elif kind in ("slurmd", "slurmctld"):
            self.slurm.kill(victim)
            time.sleep(self.random.random() * 2)
            self.slurm.start(victim)
        else:
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        return True

    def _job(self):
        return self.slurm.jobs("PENDING,RUNNING")

    def _slurmd(self):
        return ["slurmd"]

    def _slurmctld(self):
        return ["slurmctld"]

    def _nanny(self):
        return processes(f"--tls-key {self.place}")

    def _dask(self):
        return processes(f"dask worker --scheduler-file {self.place}")

    def _dask_worker(self):
        return [child for nanny in self._nanny() for child in children(nanny)]

    def _process_of_runs(self):
        """The processes whose predecessor was not killed just now: a run whose process dies twice is an error."""
        found = [child for worker in self._dask_worker() for child in children(worker)]
        if time.monotonic() < self._spared_until:
            return []
        self._spared_until = time.monotonic() + LONGER_THAN_A_RUN
        return found


def children(pid):
    """Return the numbers of the child processes of a process."""
    with suppress(OSError):
        tasks = Path(f"/proc/{pid}/task").glob("*/children")
        return [int(child) for task in tasks for child in task.read_text().split()]
    return []


def survive(slurm, place, arguments, kinds, right, *, restart=lambda: None, refill=lambda: None):
    """Run a command, and again while it was ended, until it is done; meanwhile KILLS times something is killed.

    Args:
        kinds: what is killed; "command" is the command itself, "scheduler" what `restart` starts anew.
        right: the exit codes that are right while something is killed, besides 0.
        restart: kills the scheduler and starts another.
        refill: starts workers in place of those that are gone, if nobody else does.

    Returns:
        what it printed last.
    """
    chaos, codes = Chaos(slurm, place, SEED), Counter()
    folder = place / "there"
    while True:
        running = begin(slurm, place, *arguments)
        before = number_of_rows(folder)
        # Something has to be done between two of these, or the experiment would never end.
        while running.poll() is None and number_of_rows(folder) == before:
            refill()
            slurm.repair()
            time.sleep(0.2)
        while running.poll() is None and sum(chaos.kills.values()) < KILLS:
            refill()
            slurm.repair()
            time.sleep(chaos.random.random() * 1.5)
            kind = chaos.random.choice(kinds)
            if kind == "command":
                chaos.kills[kind] += 1
                running.kill()
            elif kind == "scheduler":
                chaos.kills[kind] += 1
                restart()
                running.wait(120)
            else:
                chaos.strike(kind)
        ends = time.monotonic() + 600
        while running.poll() is None and time.monotonic() < ends:
            refill()
            slurm.repair()
            time.sleep(0.5)
        running.kill()
        out, err = running.communicate()
        codes[running.returncode] += 1
        assert running.returncode in {0, *right}, (chaos.kills, codes, out, err, slurm.call("squeue"))
        assert "Traceback" not in err
        if running.returncode == 0:
            print(dict(chaos.kills), dict(codes), out)
            return out


@pytest.mark.slow
def test_an_experiment_survives_whatever_is_killed(slurm, place):
    """Jobs, workers, Slurm's daemons, the command with its scheduler: the same command does the rest, the same rows."""
    arguments = command("there", "dask:cluster=slurm,config=site.toml", RUNS, PAUSE)
    done_here(slurm, place)
    out = survive(slurm, place, arguments, KINDS, {-signal.SIGKILL})
    assert f"{RUNS} runs, all done" in out
    assert rows(place / "there") == rows(place / "here")


def done_here(slurm, place):
    """Do the experiment on this machine alone."""
    here = done(slurm, place, *command("here", "local", RUNS, PAUSE), "--workers", "16")
    assert here.returncode == 0, here.stderr


@pytest.mark.slow
def test_an_experiment_survives_a_scheduler_that_others_have_started(slurm, place):
    """Its file names another one each time; the command ends with exit code 5, and the same command continues."""
    python = [sys.executable, "-P", "-m", "dask"]
    file = place / "scheduler.json"
    worker = " ".join([*python, "worker", "--scheduler-file", str(file), "--nthreads", "2", "--interface", "lo"])
    quiet = {"cwd": place, "env": slurm.environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    schedulers = []

    def restart():
        if schedulers:
            schedulers[-1].kill()
            schedulers[-1].wait()
            slurm.call("scancel", "--me")
            file.unlink()
        start = (
            *python,
            "scheduler",
            "--scheduler-file",
            str(file),
            "--interface",
            "lo",
            "--no-dashboard",
            "--port",
            "0",
        )
        schedulers.append(subprocess.Popen(start, **quiet))

    def refill():
        for _ in range(3 - len(slurm.jobs("PENDING,RUNNING"))):
            slurm.call("sbatch", "-o", "/dev/null", "-c", "2", "--wrap", worker)

    done_here(slurm, place)
    restart()
    try:
        arguments = command("there", "dask:scheduler-file=scheduler.json", RUNS, PAUSE)
        kinds = ("job", "job", "dask", "slurmd", "scheduler", "command")
        out = survive(slurm, place, arguments, kinds, {-signal.SIGKILL, MACHINE_FAILED}, restart=restart, refill=refill)
    finally:
        schedulers[-1].kill()
        schedulers[-1].wait()
        slurm.call("scancel", "--me")
    assert f"{RUNS} runs, all done" in out
    assert rows(place / "there") == rows(place / "here")
