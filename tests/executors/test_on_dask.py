"""The same experiment on a real scheduler and real worker processes, one of them killed half-way."""

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.messages import Setup
from searchlab.experiments.processes import own_code
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.scheduler import Scheduler
from searchlab.experiments.store import Store
from searchlab.experiments.worker_pool import end_workers
from searchlab.search.watch import share_of_memory
from searchlab_plugins.executors import on_dask
from tests.stored_rows import rows_of

pytest.importorskip("distributed")

BOARD = tuple(map(tuple, sl.read_board("sliding-tile/puzzle8-20").tiles.tolist()))
RUNS = [
    Run(
        RunInstance("puzzle8-20", BOARD),
        {"domain": "sliding-tile", "heuristic": heuristic, "frontier": "greedy"},
        engine="readable",
        repetition=k,
    )
    for heuristic in ("taxicab", "misplaced")
    for k in range(40)
]
SAME = ("identity", "status", "moves", "cost", "expanded", "generated", "actions")


def rows(store):
    """Return the cells that do not depend on the machine; each run occurs once."""
    kept = [tuple(row[name] for name in SAME) for row in rows_of(store, all_attempts=True)]
    assert len(kept) == len(set(kept)) == len(RUNS)
    return set(kept)


def done_by(executor, folder, watch=lambda _: None):
    """Do the runs by an executor; return their rows."""
    try:
        with Store(folder, writes=True) as store:
            Scheduler(RUNS, store, executor, Setup(memory=2**30), workers=2, on_progress=watch).run()
            return rows(store)
    finally:
        executor.shutdown()
        end_workers()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_runs_of_a_killed_dask_worker_are_repeated(tmp_path, monkeypatch):
    """Its runs are repeated by another, none is lost, none is double, and the table is that of this machine alone."""
    monkeypatch.setattr("searchlab.experiments.scheduler.LARGEST_CHUNK", 4)
    monkeypatch.chdir(tmp_path)
    for module in ("json", "runpy", "socket", "tokenize"):  # what the processes of dask import before anything of ours
        (tmp_path / f"{module}.py").write_text("open('EXECUTED', 'a').close()\n")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    safe_path = os.environ.get("PYTHONSAFEPATH")
    here = done_by(sl.executor("local")(2), tmp_path / "here")
    dask = sl.executor("dask")(2)
    assert dask.workers == 2
    pids = dask.run_everywhere(os.getpid)
    killed = []

    def kill_one(state):
        if state.done >= 8 and not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    assert done_by(dask, tmp_path / "there", kill_one) == here
    assert killed
    assert not (tmp_path / "EXECUTED").exists()
    assert os.environ.get("PYTHONSAFEPATH") == safe_path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_address_of_a_running_scheduler_is_accepted():
    """An unreachable one is an error of one line."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:
        executor = sl.executor(f"dask:address={cluster.scheduler_address}")(7)
        assert executor.workers == 2
        assert executor.submit(sum, [1, 2]).result(30) == 3
        executor.shutdown()
    with pytest.raises(UsageError, match=r"no dask scheduler at tcp://127\.0\.0\.1:9"):
        sl.executor("dask:address=[tcp://127.0.0.1:9]")(1)


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_is_reported(monkeypatch):
    """After a while, until one is there."""
    from distributed import LocalCluster

    monkeypatch.setattr(on_dask, "LONGEST_WAIT", 0.2)
    monkeypatch.setattr(on_dask, "ASK_EVERY", 0.01)
    with LocalCluster(n_workers=0, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        executor = sl.executor(f"dask:address={address}")(1)
        assert executor.check() == ""
        assert (
            until(executor.check) == f"the dask scheduler at {address} has no workers; runs begin when one has started"
        )
        cluster.scale(1)
        assert until(lambda: not executor.check())
        executor.shutdown()


def until(condition, seconds=60):
    """Return the value of a function once it is true."""
    ends = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < ends:
        time.sleep(0.02)
    return value


SLOW = """
import time

def slow(tiles):
    time.sleep(0.01)
    return 0
"""


@pytest.mark.slow
def test_a_killed_scheduler_ends_the_command_which_can_be_continued(tmp_path, free_port):
    """With one line; its workers were started in other folders, and find the files of the command all the same."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.py").write_text(SLOW)
    (here / "named.py").write_text(SLOW)
    address = f"tcp://127.0.0.1:{free_port}"
    command = [
        *(sys.executable, "-m", "searchlab", "--plugin", "named.py", "run", "sliding-tile/puzzle8-20"),
        *("--heuristic", "mine.py:slow", "--frontier", "astar", "--max-expansions", "100", "--engine", "readable"),
        *("--repetitions", "5", "--executor", f"dask:address=[{address}]", "--output", "results"),
    ]
    with dask_processes(tmp_path, address) as scheduler:
        process = subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert until(lambda: has_rows(here / "results") or process.poll() is not None)
        scheduler.kill()
        _, err = process.communicate(timeout=120)
    told = f"the dask scheduler at {address} is gone; once it runs again, the same command continues"
    assert (process.returncode, err.splitlines()[-1]) == (5, f"searchlab: error: {told}")
    assert "Traceback" not in err
    assert "ERROR" not in err
    assert f"searchlab: the dask scheduler at {address} does not answer\n" in err
    with dask_processes(tmp_path, address):
        again = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=300, check=False)
    assert again.returncode == 0, again.stderr
    assert "5 runs, all done" in again.stdout
    assert "done before" in again.stdout


@pytest.mark.slow
@pytest.mark.parametrize("code", ["differs", "is missing"])
def test_a_worker_whose_searchlab_is_another_one_is_refused(tmp_path, free_port, monkeypatch, code):
    """With one line that says which is where; no run is recorded."""
    other = tmp_path / "other" / "searchlab"
    if code == "differs":
        ours = os.path.dirname(sl.__file__)
        shutil.copytree(ours, other, ignore=shutil.ignore_patterns("__pycache__"))
        with open(other / "model" / "limits.py", "a") as file:
            file.write("# edited\n")
        said = f"its searchlab is {sl.__version__} [0-9a-f]+, that of the command is {own_code()}: install the same"
    else:
        other.mkdir(parents=True)
        (other / "__init__.py").write_text("raise ImportError('not here')")
        said = "a worker or its scheduler has no searchlab, or another version: .*; install"
    address = f"tcp://127.0.0.1:{free_port}"
    with monkeypatch.context() as there:
        there.setenv("PYTHONPATH", str(other.parent))
        processes = dask_processes(tmp_path, address)
        processes.__enter__()
    try:
        assert until(lambda: can_connect(free_port))
        experiment = sl.Experiment(boards=["sliding-tile/puzzle8-20"], heuristics=["taxicab"])
        with pytest.raises(UsageError, match=said):
            sl.run(experiment, folder=tmp_path / "results", executor=f"dask:address=[{address}]")
        assert len(sl.load_results(tmp_path / "results")) == 0
    finally:
        processes.__exit__(None, None, None)


def can_connect(port):
    """Return whether somebody listens at a port of this machine."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def free_port():
    """A port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def dask_processes(folder, address):
    """Start a scheduler and a worker of dask in a folder, and end them."""
    python = [sys.executable, "-P", "-m", "dask"]
    port = ("--host", "127.0.0.1", "--port", address.rpartition(":")[2])
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*python, "scheduler", *port, "--no-dashboard"], **quiet)
    worker = subprocess.Popen([*python, "worker", address, "--nthreads", "1", "--no-dashboard"], **quiet)
    try:
        yield scheduler
    finally:
        for process in (worker, scheduler):
            process.terminate()
            process.wait(60)


def has_rows(folder):
    """Return whether a store has records already."""
    try:
        with Store(folder) as store:
            return bool(store.statuses())
    except UsageError:
        return False


def kept_processes():
    """Return the number of worker processes that a process has."""
    from searchlab.experiments import worker_pool

    return len(worker_pool._processes)


def memory_of_setups():
    """Return the memory that each of them may take."""
    from searchlab.experiments import worker_pool

    return [setup.memory for _, setup in worker_pool._processes]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_experiment_leaves_no_worker_processes_on_a_running_scheduler(tmp_path):
    """Each ends its own, and shares the memory among the workers there are, however many were asked for."""
    from distributed import Client, LocalCluster

    shares = []
    experiment = sl.Experiment(boards=["sliding-tile/puzzle8-20"], heuristics=["taxicab"], repetitions=3)
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def look(_):
            for found in client.run(memory_of_setups).values():
                shares.extend(found)

        for name in ("first", "second"):
            executor = f"dask:address=[{cluster.scheduler_address}]"
            table = sl.run(experiment, folder=tmp_path / name, executor=executor, workers=16, progress=look)
            assert table["status"].tolist() == ["solved"] * 3
            assert list(client.run(kept_processes).values()) == [0]
    assert min(shares) > share_of_memory() / 4
