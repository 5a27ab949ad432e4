"""What a plugin does to a worker process is put back before the next run, or the process is replaced."""

from pathlib import Path

import pytest

from searchlab.experiments.hands import Hand
from searchlab.experiments.messages import Setup
from searchlab.experiments.runs import Run, Start
from searchlab.model.limits import Limits

SPOILS = Path(__file__).parents[1] / "plugin_files" / "spoils_its_process.py"
BOARD = Start("board", ((2, 4, 0), (0, 2, 2), (0, 0, 2)))
PUT_BACK = (
    *("warns_strictly", "shows_no_warnings", "counts_strictly", "closes_streams", "moves_away", "traces"),
    "rings_soon",
)


@pytest.fixture(scope="module")
def hand():
    """One for all tests: its process stays the same as long as it can be put back."""
    hand = Hand(Setup(files=(str(SPOILS),)))
    yield hand
    hand.end()


def done(hand, heuristic):
    """Do a run; return its record, and what the process is afterwards."""
    run = Run(BOARD, "2048:n=3,goal=64", heuristic, "greedy", limits=Limits(expansions=3), engine="readable")
    ((record,), _) = hand.perform([run])
    return record


def after(hand, heuristic):
    """Spoil the process; return the worker that did the next run, and what that found."""
    done(hand, heuristic)
    record = done(hand, "state")
    assert record.cells["status"] == "expansion-limit", record.cells["reason"]
    return record.worker, record.metrics["state"]


def test_what_can_be_put_back_is(hand):
    """In the same process, which need not be started again."""
    before = done(hand, "state")
    for heuristic in PUT_BACK:
        assert (heuristic, *after(hand, heuristic)) == (heuristic, before.worker, before.metrics["state"])


def test_a_process_that_cannot_be_put_back_is_replaced(hand):
    """The next run is done by another."""
    before = done(hand, "state")
    worker, state = after(hand, "closes_a_file")
    assert worker != before.worker
    assert state == before.metrics["state"]
