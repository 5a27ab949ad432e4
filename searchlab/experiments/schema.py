"""The columns of a store's table of runs, and what of a record stands in them."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchlab.experiments.kinds import Kind
    from searchlab.experiments.runs import Record

OF_RUN = {
    "identity": "TEXT NOT NULL",
    "attempt": "INTEGER NOT NULL",
    "board_name": "TEXT NOT NULL",
    "optimal_cost": "REAL",
    "seed": "INTEGER",
    "repetition": "INTEGER NOT NULL",
    "limit_seconds": "REAL",
    "limit_memory": "INTEGER",
}
"""The columns that say which run it is, besides those of its kind, with their types in SQLite."""
OF_RECORD = {
    "metrics": "TEXT NOT NULL",
    "worker": "TEXT NOT NULL",
    "finished": "TEXT NOT NULL",
    "provenance": "INTEGER NOT NULL REFERENCES provenance (id)",
}
"""The columns that say how and when it was done."""
IN_SQLITE = {"string": "TEXT", "category": "TEXT", "float64": "REAL", "Float64": "REAL"}
"""pandas' types in SQLite; all others are whole numbers."""
NOT_KEPT = ("versions",)
"""Columns of a result that the provenance holds."""


def columns_of(kind: Kind) -> dict[str, str]:
    """Return the columns of a table of runs, with their types in SQLite."""
    of_cells = {name: IN_SQLITE.get(type_, "INTEGER") for name, type_ in kind.cells.items() if name not in NOT_KEPT}
    return {**OF_RUN, kind.limit: "INTEGER", **of_cells, **OF_RECORD}


def of_run(record: Record, kind: Kind) -> dict[str, Any]:
    """Return what says which run it is, by column, its attempt left out."""
    run = record.run
    limits = run.limits
    cells = {
        "identity": run.identity,
        "board_name": run.start.name,
        "domain": run.domain,  # as the experiment names them, so that equal configurations have equal names
        "optimal_cost": run.start.optimal,
        "seed": run.seed,
        "repetition": run.repetition,
        "limit_seconds": limits.seconds if isfinite(limits.seconds) else None,
        "limit_memory": limits.memory,
    }
    limit = run.most_moves if run.player else limits.expansions
    return {**cells, kind.limit: limit, **{name: getattr(run, name) for name in kind.named}}


def of_result(record: Record, kind: Kind) -> dict[str, Any]:
    """Return what became of the run, by column."""
    return {name: record.cells[name] for name in kind.cells if name not in NOT_KEPT}
