"""`RunInfo` and `ExperimentInfo`: the arguments of hooks that are notified of searches and experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.model.limits import Limits
    from searchlab.model.states import State


@dataclass(frozen=True)
class RunInfo:
    """A search that is about to begin, or has ended.

    Attributes:
        start: the start state, a board in most domains.
        domain, heuristic, frontier: the names, with parameters that differ from the defaults.
        limits: the limits of the search.
        name: the name of the board as the user wrote it; `""` if it has none.
        seed: the seed from which the start board was generated; None if it was not generated.
    """

    start: State
    domain: str
    heuristic: str
    frontier: str
    limits: Limits
    name: str = ""
    seed: int | None = None


@dataclass(frozen=True)
class ExperimentInfo:
    """An experiment: many runs, and the folder of their results.

    Attributes:
        name: the name of the experiment.
        folder: the folder of the results.
        runs: the number of runs.
    """

    name: str
    folder: Path
    runs: int


Run, RunningExperiment = RunInfo, ExperimentInfo
"""Their names in plugins written for version 0.1."""
