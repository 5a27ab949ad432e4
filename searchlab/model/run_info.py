"""What plugins are told of: the beginning and the end of a run, and of an experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.board.board import Board
    from searchlab.model.limits import Limits


@dataclass(frozen=True)
class Run:
    """A search that is about to begin, or has ended.

    Attributes:
        start: the start board.
        domain, heuristic, frontier: as they are spelled; parameters that have their default are left out.
        limits: what the search may take.
        name: the board's, as it was named; empty where it has none.
        seed: what the start board was generated from, None where it was not.
    """

    start: Board
    domain: str
    heuristic: str
    frontier: str
    limits: Limits
    name: str = ""
    seed: int | None = None


@dataclass(frozen=True)
class RunningExperiment:
    """An experiment: many runs, and the folder of their results.

    Attributes:
        name: what it is called.
        folder: where its results are.
        runs: how many runs there are.
    """

    name: str
    folder: Path
    runs: int
