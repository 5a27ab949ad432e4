"""Results as a table: a row a run, with columns that say what was searched, how it ended and what it was done with.

| column | type | what it holds |
| --- | --- | --- |
| `board_name` | string | what the board is called: a file, a shipped board, a generator with its seed |
| `board` | string | its rows, separated by ` / `; of a large board its shape and hash; missing where unreadable |
| `domain`, `heuristic`, `frontier` | string | what was combined, as it is spelled in full |
| `seed` | Int64 | what every part that takes a seed was given, missing where none does |
| `repetition` | int64 | 1 for the first time the same is done |
| `status` | category | how the search ended; the categories are all statuses there are |
| `reason` | string | one line on why, missing where the status says it all |
| `moves` | Int64 | of the solution, missing without one |
| `cost` | Float64 | of the solution, missing without one |
| `optimal_cost` | Float64 | what a cheapest solution costs, missing where nobody says |
| `optimal` | bool | whether it is proved that no solution is cheaper |
| `expanded`, `generated`, `evaluated`, `reopened`, `duplicates`, `stored`, `max_open` | int64 | the search's figures |
| `peak_bytes` | int64 | the most bytes the search held |
| `seconds`, `cpu_seconds` | float64 | wall time and processor time of the search |
| `actions` | string | the moves, separated by blanks, missing without a solution |
| `engine` | string | `compiled` or `readable` |
| `batch` | int64 | nodes expanded before the new ones were evaluated together |
| `limit_seconds` | float64 | the time a run might take, missing without a limit |
| `limit_memory`, `limit_expansions` | Int64 | bytes and nodes, missing without a limit |
| `attempt` | int64 | 1 for the first time the run was tried |
| `finished` | datetime64[us, UTC] | when |
| `worker` | string | which process did it: its machine and number |
| `host`, `machine` | string | the machine's name; its system, processor and cores |
| `versions` | string | `name=version` of what it was computed with, separated by blanks |
| `plugins` | string | `name=fingerprint` of the plugins whose code it ran, separated by blanks |
| `identity` | string | the same for the same run everywhere, and for no other |

Behind them stand the metrics that plugins bring, a column each: `boolean`, `Int64`, `Float64` or `string`, whichever
holds all its values, missing for runs without it. One that is called like a column above is `metric_NAME`.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from searchlab.experiments import columns as tables
from searchlab.experiments.kinds import GAMES, SEARCHES
from searchlab.experiments.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pandas as pd

    from searchlab.experiments.kinds import Kind


def _of_result(*names: str) -> dict[str, str]:
    """Return columns that a table of results has as well."""
    return {name: tables.COLUMNS[name] for name in names}


COLUMNS = {
    "board_name": "string",
    **_of_result("board", "domain", "heuristic", "frontier"),
    "seed": "Int64",
    "repetition": "int64",
    **_of_result("status", "reason", "moves", "cost"),
    "optimal_cost": "Float64",
    **_of_result("optimal", "expanded", "generated", "evaluated", "reopened", "duplicates", "stored", "max_open"),
    **_of_result("peak_bytes", "seconds", "cpu_seconds", "actions", "engine", "batch"),
    "limit_seconds": "float64",
    "limit_memory": "Int64",
    "limit_expansions": "Int64",
    **tables.OF_DOING,
}
"""The columns of the results of an experiment of searches, with their types in pandas."""
LARGEST_INT64 = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max


def load_results(path: str | Path, *, all_attempts: bool = False) -> pd.DataFrame:
    """Return the results of an experiment as a table, a row a run, in the order they were recorded.

    Args:
        path: the experiment's folder, or the file of results in it; another process may be writing it.
        all_attempts: whether runs that were tried again have a row for each time; by default the last counts.

    Returns:
        a table with the columns of `searchlab.experiments.results`, and one for each metric; of an experiment whose
        runs are games with those of `searchlab.experiments.game_results`.

    Raises:
        UsageError: there are no results, or they cannot be read.
    """
    import pandas as pd

    with Store(path) as store:
        rows = list(store.rows(all_attempts=all_attempts))
    types = column_types(store.kind)
    found = pd.DataFrame(
        [_cells(row, types) for row in rows], columns=list(types), dtype=object
    )  # no number is rounded
    found["finished"] = pd.to_datetime(found["finished"], utc=True, format="ISO8601")
    found = found.astype(types)
    metrics = [
        _metric(column, [row["metrics"].get(name) for row in rows])
        for name, column in _columns_of_metrics(rows, types).items()
    ]
    return pd.concat([found, *metrics], axis="columns")


def column_types(kind: Kind = SEARCHES) -> dict[str, Any]:
    """Return the columns' types as pandas takes them, the statuses a category of all there are."""
    import pandas as pd

    from searchlab.experiments import game_results

    columns = game_results.COLUMNS if kind is GAMES else COLUMNS
    return {**columns, "status": pd.CategoricalDtype(list(kind.statuses))}


def _cells(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """Return a row of the store by column, without its metrics."""
    provenance = row["provenance"]
    machine = provenance.get("machine") or {}
    parts = [str(machine[name]) for name in ("system", "processor") if machine.get(name)]
    cores = [f"{machine['cores']} cores"] if machine.get("cores") else []
    return {
        **{name: row[name] for name in columns if name in row},
        "board_name": row["board_name"] or None,
        "host": machine.get("host"),
        "machine": ", ".join([*parts, *cores]) or None,
        "versions": _listed(provenance.get("versions") or {}),
        "plugins": _listed(provenance.get("plugins") or {}),
    }


def _listed(values: Mapping[str, Any]) -> str | None:
    return " ".join(f"{name}={value}" for name, value in sorted(values.items())) or None


def _columns_of_metrics(rows: Iterable[Mapping[str, Any]], taken: Iterable[str]) -> dict[str, str]:
    """Return what the columns of all metrics are called, by their names, in the order they first appear."""
    columns: dict[str, str] = {}
    for name in dict.fromkeys(name for row in rows for name in row["metrics"]):
        column = name
        while column in taken or column in columns.values():
            column = f"metric_{column}"
        columns[name] = column
    return columns


def _metric(column: str, values: list[Any]) -> pd.Series[Any]:
    """Return the column of a metric, None where a run has none."""
    import pandas as pd

    type_ = _type_of(value for value in values if value is not None)
    if type_ == "string":
        values = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
    return pd.Series(values, name=column, dtype=object).astype(type_)  # type: ignore[call-overload, no-any-return]


def _type_of(values: Iterable[Any]) -> str:
    """Return the narrowest type of column that holds all these values."""
    values = list(values)
    classes = {type(value) for value in values}
    if classes == {bool}:
        return "boolean"
    if classes == {int} and all(abs(value) <= LARGEST_INT64 for value in values):
        return "Int64"
    is_number = bool(classes) and classes <= {int, float}
    is_huge = is_number and any(type(value) is int and abs(value) > LARGEST_FLOAT for value in values)
    return "Float64" if is_number and not is_huge else "string"
