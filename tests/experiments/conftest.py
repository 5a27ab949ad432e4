"""Small experiments with well-behaved heuristics and others."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.experiments.messages import Setup
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.worker_pool import end_workers

HANGS = Path(__file__).parents[1] / "plugin_files" / "hangs.py"
BOARD10 = tuple(map(tuple, sl.read_board("2048/board10").tiles.tolist()))


@pytest.fixture
def setup():
    """Workers that wait only briefly for functions that hang."""
    return Setup(grace=0.3, memory=2**30)


@pytest.fixture(autouse=True)
def no_workers_left():
    """Each test begins with worker processes of its own."""
    yield
    end_workers()


@pytest.fixture
def run_of():
    """Make a run on a board of 2048 by the heuristic of this name in tests/plugin_files/hangs.py, or another file."""

    def run_of(heuristic, repetition=1, engine="readable", file=HANGS, **limits):
        return Run(
            RunInstance("2048/board10", BOARD10),
            {
                "domain": "2048",
                "heuristic": f"{file}:{heuristic}" if heuristic else "left-weighted",
                "frontier": "greedy",
            },
            limits=sl.Limits(**{"seconds": 10, "expansions": 200, **limits}),
            engine=engine,
            repetition=repetition,
        )

    return run_of
