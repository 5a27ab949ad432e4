"""The quantities of runs: what a column measures, whether less or more of it is better, and how it is shown.

A column that is not listed is a plain number: less is better, its mean is arithmetic, its axis linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EFFORT_STATUSES = ("solved", "unsolvable")
"""The searches whose effort is known: what they were asked is decided."""


@dataclass(frozen=True)
class Quantity:
    """What the column of a table of runs measures.

    Attributes:
        name: the column.
        label: what it is called at an axis.
        unit: "s" or "B" (bytes); an empty string for a number.
        better: whether less of it is better ("low") or more ("high").
        scale: the scale on which differences of it are seen.
        aggregate: the mean that suits it.
        smallest: what smaller values count as on a logarithmic scale: a start that is a goal expands nothing.
        effort: whether a search that proved that there is no solution has it as well.
    """

    name: str
    label: str
    unit: str = ""
    better: Literal["low", "high"] = "low"
    scale: Literal["linear", "log"] = "linear"
    aggregate: Literal["mean", "geometric mean"] = "mean"
    smallest: float | None = None
    effort: bool = False

    @property
    def is_log(self) -> bool:
        """Whether differences of it are seen on a logarithmic scale."""
        return self.scale == "log"


def _effort(name: str, label: str, unit: str = "", smallest: float = 1.0) -> Quantity:
    return Quantity(name, label, unit, "low", "log", "geometric mean", smallest, effort=True)


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        _effort("expanded", "nodes expanded"),
        _effort("generated", "nodes generated"),
        _effort("evaluated", "evaluations of the heuristic"),
        _effort("reopened", "nodes reopened"),
        _effort("duplicates", "duplicates"),
        _effort("stored", "nodes stored"),
        _effort("max_open", "largest open list"),
        _effort("peak_bytes", "memory", "B"),
        _effort("seconds", "wall time", "s", 1e-6),
        _effort("cpu_seconds", "processor time", "s", 1e-6),
        Quantity("cost", "cost of the solution"),
        Quantity("moves", "moves"),
        Quantity("score", "score", better="high"),
        Quantity("largest_tile", "largest tile", better="high", scale="log", aggregate="geometric mean", smallest=1.0),
        Quantity("moves_per_second", "moves per second", better="high", scale="log", smallest=1e-3),
    )
}
"""The quantities of the columns that results have, by name."""


def quantity(name: str) -> Quantity:
    """Return what a column measures."""
    return QUANTITIES.get(name) or Quantity(name, name.replace("_", " "))
