"""Results of a search: Statistics, the Outcome of its loop, and the Result that users see."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board.board import Board

    Value = float | str | bool | None

STATUSES = (
    "solved",
    "unsolvable",
    "exhausted",
    "time-limit",
    "memory-limit",
    "expansion-limit",
    "interrupted",
    "error",
)


@dataclass
class Statistics:
    """The figures of a search.

    Attributes:
        expanded: nodes whose successors were produced.
        generated: successors produced, the one leading straight back to the parent left out.
        evaluated: calls of the heuristic.
        reopened: closed nodes put back on the open list.
        duplicates: nodes dropped because their state was closed already (late detection).
        dead_ends: successors left out because their h was infinite.
        stored: nodes kept.
        max_open: the most nodes on the open list at once.
        peak_bytes: the most bytes the search held.
        best_h: the smallest h so far; the h of a score is its negative.
    """

    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    duplicates: int = 0
    dead_ends: int = 0
    stored: int = 0
    max_open: int = 0
    peak_bytes: int = 0
    best_h: float = inf


@dataclass(frozen=True)
class Outcome:
    """What a search loop returns.

    Attributes:
        status: one of STATUSES; `exhausted` if no node is left to expand.
        statistics: its figures.
        path: the boards from the start to the goal, empty without a solution; or a function that returns
            them, so that the time to unpack them is not counted.
        cost: the cost of the solution according to the search, or None; the domain's rules must agree.
    """

    status: str
    statistics: Statistics
    path: list[Board] | Callable[[], list[Board]] = field(default_factory=list)
    cost: float | None = None

    def boards(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return self.path() if callable(self.path) else self.path


@dataclass(frozen=True)
class Result:
    """The result of a search.

    Attributes:
        status: `solved`, `unsolvable` (proved), `exhausted`, `time-limit`, `memory-limit`, `expansion-limit`,
            `interrupted` or `error`.
        reason: one line on why, if the status alone does not say.
        moves: the length of the solution, None without one.
        cost: the cost of the solution.
        actions: its moves.
        boards: its boards; `boards[0]` is the start. Empty without a solution.
        optimal: whether it is proved that no solution is cheaper.
        expanded, generated, evaluated, reopened, duplicates, stored, max_open: see `Statistics`.
        seconds, cpu_seconds: wall time and processor time (user and system) of the search alone.
        peak_bytes: the most bytes the search held.
        start: the start board.
        domain, heuristic, frontier: their names with the parameters that differ from the defaults.
        engine: "compiled" or "readable".
        batch: the number of nodes expanded before their successors were evaluated together; 1: each at once.
        versions: of searchlab and the libraries it computes with.
        metrics: the values of plugins' metrics by name; None for a missing value.
    """

    status: str
    start: Board = field(repr=False)
    domain: str
    heuristic: str
    frontier: str
    reason: str = ""
    moves: int | None = None
    cost: float | None = None
    actions: tuple[str, ...] | None = field(default=None, repr=False)
    boards: tuple[Board, ...] = field(default=(), repr=False)
    optimal: bool = False
    expanded: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    duplicates: int = 0
    stored: int = 0
    max_open: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    engine: str = "compiled"
    batch: int = 1
    versions: dict[str, str] = field(default_factory=dict, repr=False)
    metrics: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, as in `searchlab solve --json` and in the rows of tables."""
        hidden = ("start", "boards")
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in hidden}
        return {**fields, "actions": None if self.actions is None else list(self.actions)}


def counts(statistics: Statistics) -> dict[str, Any]:
    """Return those of the statistics that are fields of a Result."""
    return {name: value for name, value in vars(statistics).items() if name not in ("dead_ends", "best_h")}
