"""Changes of a plugin to a worker process are undone before the next run, or the process is replaced."""

from pathlib import Path

import pytest

from searchlab.experiments.messages import Setup
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.worker_pool import WorkerProcess
from searchlab.model.limits import Limits

SPOILS = Path(__file__).parents[1] / "plugin_files" / "spoils_its_process.py"
BOARD = RunInstance("board", ((2, 4, 0), (0, 2, 2), (0, 0, 2)))
PUT_BACK = (
    *("warns_strictly", "shows_no_warnings", "counts_strictly", "closes_streams", "moves_away", "handles_signals"),
)


@pytest.fixture(scope="module")
def worker_process():
    """One for all tests: its process stays the same as long as it can be put back."""
    worker_process = WorkerProcess(Setup(files=(str(SPOILS),)))
    yield worker_process
    worker_process.end()


def done(worker_process, heuristic):
    """Do a run; return its record, and what the process is afterwards."""
    run = Run(
        BOARD,
        {"domain": "2048:n=3,goal=64", "heuristic": heuristic, "frontier": "greedy"},
        limits=Limits(expansions=3),
        engine="readable",
    )
    ((record,), _) = worker_process.run([run])
    return record


def after(worker_process, heuristic):
    """Spoil the process; return the worker that did the next run, and what that found."""
    done(worker_process, heuristic)
    record = done(worker_process, "state")
    assert record.cells["status"] == "expansion-limit", record.cells["reason"]
    return record.worker, record.metrics["state"]


def test_changes_of_the_process_by_a_run_are_undone(worker_process):
    before = done(worker_process, "state")
    for heuristic in PUT_BACK:
        assert (heuristic, *after(worker_process, heuristic)) == (heuristic, before.worker, before.metrics["state"])


def test_a_process_whose_state_cannot_be_restored_is_replaced(worker_process):
    """The next run is done by another."""
    before = done(worker_process, "state")
    worker, state = after(worker_process, "closes_a_file")
    assert worker != before.worker
    assert state == before.metrics["state"]
