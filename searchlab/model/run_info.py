"""RunInfo and ExperimentInfo: what hooks are notified of when a search or an experiment begins and ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.board.board import Board
    from searchlab.model.limits import Limits


@dataclass(frozen=True)
class RunInfo:
    """A search that is about to begin, or has ended.

    Attributes:
        start: the start board.
        domain, heuristic, frontier: their names with the parameters that differ from the defaults.
        limits: the limits of the search.
        name: the board's, as the user named it; empty if it has none.
        seed: the start board was generated from it; None if it was not generated.
    """

    start: Board
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
        name: the experiment's.
        folder: the folder of its results.
        runs: the number of its runs.
    """

    name: str
    folder: Path
    runs: int


Run, RunningExperiment = RunInfo, ExperimentInfo
"""Their names in plugins written for version 0.1."""
