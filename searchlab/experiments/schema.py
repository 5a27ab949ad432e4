"""The columns of a store's table of runs, what of a record stands in them, and what may stand there at all."""

from __future__ import annotations

import json
import re
from datetime import datetime
from math import isfinite
from sys import float_info
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown, with_type

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
NEVER_MISSING = ("category", "bool", "int64")
"""Of these types in pandas a column has a value in each row."""
TIME = re.compile(r"(1[789]|2[01])\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
"""How a run's end is recorded; pandas does not read all other years."""
OF_PROVENANCE = ("versions", "machine", "plugins")
"""What a provenance consists of, each an object."""
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


def conditions_of(kind: Kind) -> dict[str, str]:
    """Return by column what holds for each of its cells in a table that is not damaged, as SQLite takes it."""
    return {name: _condition(name, type_, kind) for name, type_ in columns_of(kind).items()}


def _condition(name: str, type_: str, kind: Kind) -> str:
    in_sqlite, in_pandas = type_.split()[0], kind.cells.get(name)
    holds = f"typeof({name}) = '{in_sqlite.lower()}'"
    if in_sqlite == "INTEGER":
        holds += f" AND {name} IN (0, 1)" if in_pandas == "bool" else f" AND {name} >= 0"
    if name == "score":
        holds += f" AND {name} BETWEEN {-float_info.max!r} AND {float_info.max!r}"
    if in_pandas == "category":
        holds += f" AND {name} IN ({', '.join(map(repr, kind.statuses))})"
    is_needed = "NOT NULL" in type_ or in_pandas in NEVER_MISSING or name in ("domain", *kind.named)
    return holds if is_needed else f"({name} IS NULL OR {holds})"


def time_of(text: str) -> str:
    """Return a time as it was recorded.

    Raises:
        ValueError: it is none.
    """
    if not TIME.fullmatch(text):
        msg = f"it finished at {shown(text)}, which is not a time"
        raise ValueError(msg)
    datetime.fromisoformat(text)
    return text


def metrics_of(text: str) -> dict[str, Any]:
    """Return metrics by name.

    Raises:
        ValueError: they are damaged.
    """
    return _object(text, "metrics")


def provenance_of(text: str) -> dict[str, Any]:
    """Return what a run was done with.

    Raises:
        ValueError: it is damaged.
    """
    provenance = _object(text, "provenance")
    for name in OF_PROVENANCE:
        if not isinstance(provenance.get(name, {}), dict):
            msg = f"its provenance has {name} {shown(provenance[name])}"
            raise ValueError(msg)
    return provenance


def _object(text: str, what: str) -> dict[str, Any]:
    """Return a JSON object whose texts can be written anywhere."""
    try:
        content = json.loads(text)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()  # there are no halves of characters in it
    except (ValueError, RecursionError) as error:
        msg = f"its {what} cannot be read: {with_type(error)}"
        raise ValueError(msg) from None
    if not isinstance(content, dict):
        msg = f"its {what} is {shown(content)}"
        raise ValueError(msg)
    return content
