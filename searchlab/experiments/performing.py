"""What an executor is given to do: some runs, by the hand of the thread that does them.

Every executor with the interface of `concurrent.futures` will do, on this machine or another: whoever calls `perform`
gets a worker process of its own, so that a run can be ended whatever a plugin does.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING

from searchlab.experiments.hands import Hand

if TYPE_CHECKING:
    from searchlab.experiments.hands import Current
    from searchlab.experiments.messages import Setup
    from searchlab.experiments.runs import Record, Run

_hands: dict[tuple[int, Setup], Hand] = {}


def perform(setup: Setup, runs: list[Run], seconds: float) -> tuple[list[Record], list[str]]:
    """Do runs until so many seconds are over, but one at least.

    Returns:
        what became of those that were done, the first of the runs, and what is to be told of plugins.
    """
    key = threading.get_ident(), setup
    if key not in _hands:
        _hands[key] = Hand(setup)
    return _hands[key].perform(runs, seconds)


def under_way() -> list[Current]:
    """Return what the hands of this process are doing."""
    return [hand.current for hand in list(_hands.values()) if hand.current]


@atexit.register
def end_hands() -> None:
    """End all worker processes of this process."""
    while _hands:
        _hands.popitem()[1].close()
