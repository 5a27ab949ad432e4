"""Results as rows of a table.

COLUMNS, a row a run:

| column | what it holds |
| --- | --- |
| board | the start board's rows, separated by ` / `; of a large board its shape and hash |
| domain, heuristic, frontier, engine, batch | as in the result |
| status | how the search ended, a category |
| reason | one line on why, missing where the status says it all |
| moves, cost | of the solution, missing without one |
| optimal | whether it is proved that no solution is cheaper |
| expanded … max_open, peak_bytes | the search's figures |
| seconds, cpu_seconds | what the search took |
| actions | the moves, separated by blanks, missing without a solution |
| versions | `name=version` of what it was computed with, separated by blanks |

After these come the metrics, in the order they first appear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.model.results import STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from searchlab.board.board import Board
    from searchlab.model.results import Result

COLUMNS = {
    "board": "string",
    "domain": "string",
    "heuristic": "string",
    "frontier": "string",
    "engine": "string",
    "batch": "int64",
    "status": "category",
    "reason": "string",
    "moves": "Int64",
    "cost": "Float64",
    "optimal": "bool",
    "expanded": "int64",
    "generated": "int64",
    "evaluated": "int64",
    "reopened": "int64",
    "duplicates": "int64",
    "stored": "int64",
    "max_open": "int64",
    "peak_bytes": "int64",
    "seconds": "float64",
    "cpu_seconds": "float64",
    "actions": "string",
    "versions": "string",
}
"""The columns of a table of results, with their types in pandas."""
OF_DOING = {
    "attempt": "int64",
    "finished": "datetime64[us, UTC]",
    "worker": "string",
    "host": "string",
    "machine": "string",
    "versions": COLUMNS["versions"],
    "plugins": "string",
    "identity": "string",
}
"""The columns that say how and when a run of an experiment was done."""

LARGEST_WRITTEN_OUT = 64
"""Boards of more cells are named by shape and hash."""


def table(results: Result | Iterable[Result]) -> pd.DataFrame:
    """Return results as a table, a row each; for its columns see `searchlab.experiments.columns`.

    >>> import searchlab as sl
    >>> board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    >>> sl.table([sl.solve(board, domain="sliding-tile", engine="readable")])[["status", "moves", "optimal"]]
       status  moves  optimal
    0  solved      3     True
    """
    import pandas as pd

    from searchlab.model.results import Result

    rows = [row(result) for result in ([results] if isinstance(results, Result) else results)]
    columns = list(dict.fromkeys([*COLUMNS, *(column for cells in rows for column in cells)]))
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    return frame.astype({**column_types(), **{name: metric_type(frame[name]) for name in columns[len(COLUMNS) :]}})


def column_types() -> dict[str, Any]:
    """Return the columns' types as pandas takes them, the statuses a category of all there are."""
    import pandas as pd

    return {**COLUMNS, "status": pd.CategoricalDtype(list(STATUSES))}


def metric_type(values: Iterable[Any]) -> str:
    """Return the type in pandas of a metric's column.

    >>> metric_type([None, 3]), metric_type([3, 0.5]), metric_type(["a", None]), metric_type([True])
    ('Int64', 'Float64', 'string', 'boolean')
    """
    kinds = {type(value) for value in values if value is not None and value == value}
    if kinds == {str}:
        return "string"
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "Int64"
    return "Float64" if kinds <= {int, float} else "object"


def row(result: Result) -> dict[str, Any]:
    """Return a result's cells by column, its metrics last, None for a missing one."""
    cells = {
        **result.as_dict(),
        "board": board_text(result.start),
        "reason": result.reason.partition("\n")[0] or None,
        "cost": None if result.cost is None else float(result.cost),
        "actions": None if result.actions is None else " ".join(result.actions),
        "versions": " ".join(f"{name}={version}" for name, version in sorted(result.versions.items())),
    }
    return {**{column: cells[column] for column in COLUMNS}, **result.metrics}


def board_text(board: Board) -> str:
    """Return a board in one line, a large one as its shape and hash."""
    rows, columns = board.shape
    if rows * columns > LARGEST_WRITTEN_OUT:
        return f"{rows} x {columns}, hash {hash(board):016x}"
    return " / ".join(" ".join(map(str, line)) for line in board.tiles.tolist())
