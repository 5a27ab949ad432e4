"""Tables of results: search results, or the runs in a store, as pandas DataFrames with the columns of `columns`."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.errors import shown as in_short
from searchlab.experiments.cells import shown
from searchlab.experiments.columns import dtypes
from searchlab.experiments.quantities import METRICS
from searchlab.experiments.requests import Versions
from searchlab.experiments.runs import SEARCHES, run_kind_of
from searchlab.experiments.store import Store, merge_into
from searchlab.model.extensions import DECLARABLE
from searchlab.model.results import Improvement
from searchlab.model.states import digest, is_board, text_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from searchlab.board.board import Board
    from searchlab.experiments.runs import RunKind
    from searchlab.model.results import Result
    from searchlab.model.states import State

COLUMNS = dtypes(SEARCHES.of_outcome)
"""The columns of a table of search results, with their types in pandas."""
STORED = tuple(column.name for column in SEARCHES.of_outcome if column.is_stored)
"""The columns of a store; the versions, the last column of a table, are derived."""
DEFAULT_COLUMNS = (
    *("run", "board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt"),
    *("status", "reason"),
    *("score", "largest_tile", "cost", "moves", "optimal_cost", "optimal", "expanded", "generated", "seconds"),
    *("moves_per_second", "peak_bytes"),
)
"""The columns for people by default, besides metrics; empty ones are left out."""
DEFAULT_ORDER = ("board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""The columns by which rows are ordered by default."""
SAID_ONCE = ("domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""Columns that become a note if they are the same in all runs."""
UNSAID = (("repetition", "1"), ("attempt", "1"))
"""Values that the note leaves out."""
IMPORTANCE = (
    *("board_name", "run", "heuristic", "frontier", "status", "certified", "coverage", "decided", "expanded"),
    *("seconds", "par2"),
    *("cost", "domain", "seed", "repetition", "attempt", "runs", "solved", "moves", "score_seconds", "score_expanded"),
    *("expanded_median", "seconds_median", "reason"),
)
OF_GAMES = (
    *("board_name", "run", "player", "seed", "games", "score", "score_low", "score_high", "largest_tile", "status"),
    *("moves_per_second", "moves", "score_median", "seconds", "domain", "repetition", "attempt", "reason"),
)
"""Columns by importance; on a narrow page the last ones are left out first."""
LARGEST_WRITTEN_OUT = 64
"""Boards of more cells are named by shape and hash."""
LEFT_OUT = "left_out"
"""The attribute of a table with a line about the runs that it lacks, as other versions were asked for later."""
STATIC = "#"
"""Stands before the digest of the static data that belongs to a board."""
LONGEST_TEXT_FORM = 200
"""The longest text form of a state that is not a board in characters; of a longer one the digest is written."""
CERTIFICATES = "certificates"
"""The folder beside the results with the certificates of runs."""
CERTIFIED = "certified"
"""The column that says whether a run has a certificate."""
LARGEST_INT64 = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max


def table(results: Result | Iterable[Result]) -> pd.DataFrame:
    """Return results as a table, one row each; for its columns see `searchlab.experiments.columns.SEARCH_OUTCOME`.

    Metrics follow, in order of first appearance.

    >>> import searchlab as sl
    >>> board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    >>> sl.table([sl.solve(board, domain="sliding-tile", engine="readable")])[["status", "moves", "optimal"]]
       status  moves  optimal
    0  solved      3     True

    Raises:
        UsageError: the argument is not a result or an iterable of results.
    """
    import pandas as pd

    from searchlab.model.results import Result

    given: Any = [results] if isinstance(results, Result) else results
    try:
        listed = list(given)
    except TypeError:
        listed = [given]
    for each in listed:
        if not isinstance(each, Result):
            raise UsageError(f"results of sl.solve are wanted, not {in_short(each)}; sl.run returns a table of games")
    rows = [row(result) for result in listed]
    columns = list(dict.fromkeys([*COLUMNS, *(column for cells in rows for column in cells)]))
    frame = pd.DataFrame(rows, columns=columns, dtype=object)
    metrics = {name: metric_dtype(value for value in frame[name] if value == value) for name in columns[len(COLUMNS) :]}
    return frame.astype({**outcome_types(), **metrics})


def row(result: Result) -> dict[str, Any]:
    """Return the cells of a result by column, metrics last, None for a missing cell."""
    versions = " ".join(f"{name}={version}" for name, version in sorted(result.versions.items()))
    return {**stored_cells(result), "versions": versions, **result.metrics}


def stored_cells(result: Result) -> dict[str, Any]:
    """Return the cells of a result's outcome that a store holds: all except versions and metrics."""
    cells = {
        **vars(result),
        "board": board_text(result.start, result.instance.digest if result.instance else ""),
        "heuristic": result.heuristic or None,
        "bound_by": result.bound_by or None,
        "reason": result.reason.partition("\n")[0] or None,
        "cost": None if result.cost is None else float(result.cost),
        "lower_bound": None if result.lower_bound is None else float(result.lower_bound),
        "actions": None if result.actions is None else " ".join(result.actions),
        "ended_by": result.ended_by or None,
        "solutions": solutions_text(result.solutions),
    }
    return {column: cells[column] for column in STORED}


def solutions_text(solutions: Iterable[Improvement]) -> str | None:
    """Return the cell of the column `solutions`: time, expansions and cost of each; None without a solution."""
    found = [list(solution.figures().values()) for solution in solutions]
    return json.dumps(found, separators=(",", ":")) if found else None


def solutions_of(text: str | None) -> list[Improvement]:
    """Return what `solutions_text` has written, without moves; of a text that is something else, nothing."""
    try:
        found = json.loads(text or "[]")
        return [Improvement(float(seconds), int(expanded), float(cost)) for seconds, expanded, cost in found]
    except (ValueError, TypeError, RecursionError, OverflowError):
        return []


def board_text(board: State, static: str = "") -> str:
    """Return a board in one line, a large one as its shape and hash; another state as its text form.

    Args:
        board: the board, or the state.
        static: the digest of the board's static data, which is appended.
    """
    if not is_board(board):
        text = board if isinstance(board, str) else text_form(board)
        return text if len(text) <= LONGEST_TEXT_FORM and text.isprintable() else f"state {digest(board)}"
    rows, columns = board.shape
    data = f" {STATIC}{static}" if static else ""
    if rows * columns > LARGEST_WRITTEN_OUT:
        return f"{rows} x {columns}, hash {hash(board):016x}{data}"
    line: str = board.keep("in one line", lambda: _in_one_line(board))
    return line + data


def _in_one_line(board: Board) -> str:
    return " / ".join(" ".join(map(str, line)) for line in board.tiles.tolist())


def static_digest(text: str) -> str:
    """Return the digest of static data in a text from `board_text`, `""` if there is none."""
    return text.rpartition(STATIC)[2] if STATIC in text else ""


def outcome_types() -> dict[str, Any]:
    """Return the types of `table`'s columns as pandas takes them, the statuses as a category of all there are."""
    return _with_statuses(COLUMNS, SEARCHES)


def column_types(kind: RunKind = SEARCHES) -> dict[str, Any]:
    """Return the types of `load_results`'s columns as pandas takes them, the statuses as a category of all there are.

    Args:
        kind: `SEARCHES` or `GAMES` of `searchlab.experiments.runs`.
    """
    return _with_statuses(dtypes(kind.columns), kind)


def _with_statuses(types: Mapping[str, str], kind: RunKind) -> dict[str, Any]:
    import pandas as pd

    return {**types, "status": pd.CategoricalDtype(list(kind.statuses))}


def load_results(path: str | Path, *, all_attempts: bool = False, all_versions: bool = False) -> pd.DataFrame:
    """Return the results of an experiment as a table, one row per run, in the order of the records.

    Args:
        path: the experiment's folder, or the results file in it; another process may be writing it.
        all_attempts: whether to return a row for each attempt at a run instead of the last attempt only.
        all_versions: whether to include runs with other component code, or other tiles of a board, than the latest
            request. Components and boards with several versions are then dated: `mine.py:plus (2026-11-28)`.

    Returns:
        a table with the columns that docs/experiments.md lists for searches or games, and a column for each metric.

    Raises:
        UsageError: there are no results, or they cannot be read.
    """
    with Store(path) as store:
        versions = Versions(store.kind, store.requests())
        rows = list(store.rows(all_attempts=all_attempts))
        rows, left_out = (versions.dated(rows), "") if all_versions else versions.counted(rows)
    table = _with_certificates(_table(versions.with_varied(rows), store.kind), store.file.parent)
    table.attrs[LEFT_OUT] = left_out
    return table


def every_run(path: str | Path, *, all_attempts: bool = False) -> pd.DataFrame:
    """Return all runs of an experiment as `load_results` does, of any version and with their names as recorded."""
    with Store(path) as store:
        return _with_certificates(_table(list(store.rows(all_attempts=all_attempts)), store.kind), store.file.parent)


def certificate_file(identity: str) -> str:
    """Return the name of the certificate of a run, in the folder of the experiment."""
    return f"{CERTIFICATES}/{identity}.zip"


def _with_certificates(table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return a table with a column that marks runs with a certificate, if there are any; it counts as a metric."""
    try:
        present = {f"{CERTIFICATES}/{name}" for name in os.listdir(folder / CERTIFICATES)}
    except OSError:
        return table
    certified = table["identity"].map(certificate_file).isin(present)
    if certified.any() and CERTIFIED not in table.columns:
        table[CERTIFIED] = certified.astype("boolean")
    return table


def _table(rows: Sequence[Mapping[str, Any]], kind: RunKind) -> pd.DataFrame:
    """Return the rows of a store as a table."""
    import pandas as pd

    types = column_types(kind)
    # Nearly all runs share one provenance: what follows from it is worked out once.
    derived = {number: _cells_of_provenance(row["provenance"]) for number, row in _by_provenance(rows).items()}
    cells = [{**row, **derived[id(row["provenance"])], "board_name": row["board_name"] or None} for row in rows]
    # Of objects first, as numbers would be rounded: a column of integers with a missing cell is one of floats.
    found = pd.DataFrame(cells, columns=list(types), dtype=object)
    found["finished"] = pd.to_datetime(found["finished"], utc=True, format="ISO8601")
    found = found.astype(types)
    columns = _metric_columns(rows, types)
    metrics = [_metric(column, [row["metrics"].get(name) for row in rows]) for name, column in columns.items()]
    table = pd.concat([found, *metrics], axis="columns")
    table.attrs[METRICS] = _declared(rows, columns)
    return table


def merge(*folders: str | Path, into: str | Path) -> pd.DataFrame:
    """Merge the results of several folders into one, for example from several machines.

    A run that is already there is the same run, whichever machine did it; the record that is there stays.

    Args:
        folders: results of searches, or of games.
        into: the target folder; results that are there stay.

    Returns:
        all results of the target folder, as `load_results` returns them.

    Raises:
        UsageError: there are no results, they cannot be read or written, or they mix searches and games.
    """
    if not folders:
        raise UsageError("merge needs the folder of an experiment at least")
    for _ in merge_into(into, folders):
        pass
    return load_results(into)


def _declared(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the declarations of recorded metrics by column, as `Quantity` takes them; the last declaration counts.

    Stores may come from an untrusted source: invalid declarations are ignored.
    """
    found: dict[str, dict[str, str]] = {}
    for row in _by_provenance(rows).values():
        for name, declared in (row["provenance"].get("metrics") or {}).items():
            if name in columns and isinstance(declared, dict):
                found[columns[name]] = {
                    key: value for key, value in declared.items() if value in DECLARABLE.get(key, ())
                }
    return found


def _by_provenance(rows: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """Return one row for each distinct provenance object, by its `id`."""
    return {id(row["provenance"]): row for row in rows}


def _cells_of_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells by column that follow from the provenance of a run."""
    machine = provenance.get("machine") or {}
    described = [str(machine[name]) for name in ("system", "processor") if machine.get(name)]
    cores = [f"{machine['cores']} cores"] if machine.get("cores") else []
    return {
        "host": machine.get("host"),
        "machine": ", ".join([*described, *cores]) or None,
        "versions": _listed(provenance.get("versions") or {}),
        "plugins": _listed(provenance.get("plugins") or {}),
    }


def _listed(values: Mapping[str, Any]) -> str | None:
    return " ".join(f"{name}={value}" for name, value in sorted(values.items())) or None


def _metric_columns(rows: Iterable[Mapping[str, Any]], taken: Iterable[str]) -> dict[str, str]:
    """Return the column of each metric by the metric's name, in order of first appearance."""
    columns: dict[str, str] = {}
    for name in dict.fromkeys(name for row in rows for name in row["metrics"]):
        column = name
        while column in taken or column in columns.values():
            column = f"metric_{column}"
        columns[name] = column
    return columns


def _metric(column: str, values: list[Any]) -> pd.Series[Any]:
    import pandas as pd

    type_ = metric_dtype(values, empty="string", mixed="string")
    if type_ == "string":
        values = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
    return pd.Series(values, name=column, dtype=object).astype(type_)  # type: ignore[call-overload, no-any-return]


def metric_dtype(values: Iterable[Any], *, empty: str = "Float64", mixed: str = "object") -> str:
    """Return the narrowest type in pandas that holds the values of a metric, None left out.

    Args:
        empty: the type if there are no values.
        mixed: the type if no other holds them all.

    >>> metric_dtype([None, 3]), metric_dtype([3, 0.5]), metric_dtype(["a", None]), metric_dtype([True])
    ('Int64', 'Float64', 'string', 'boolean')
    """
    values = [value for value in values if value is not None]
    classes = {type(value) for value in values}
    if not values:
        return empty
    if classes == {str}:
        return "string"
    if classes == {bool}:
        return "boolean"
    if classes == {int} and all(abs(value) <= LARGEST_INT64 for value in values):
        return "Int64"
    is_huge = any(type(value) is int and abs(value) > LARGEST_FLOAT for value in values)
    return "Float64" if classes <= {int, float} and not is_huge else mixed


def informative_columns(
    table: pd.DataFrame, runs: pd.DataFrame, asked: Iterable[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the columns with different values, and a note on columns that are the same in all runs.

    Args:
        table: the rows to show.
        runs: all runs, of which these rows are a part.
        asked: further columns to show if they are not empty.
    """
    columns = column_types(run_kind_of(runs))
    metrics = [str(name) for name in runs.columns if name not in columns]
    wanted = [name for name in DEFAULT_COLUMNS if name in columns]
    present = [name for name in dict.fromkeys((*wanted, *metrics, *asked)) if table[name].notna().any()]
    same = [name for name in SAID_ONCE if name in present and runs[name].nunique(dropna=False) == 1]
    values = {name: shown(runs[name])[0] for name in same}
    said = [f"{name} {value}" for name, value in values.items() if (name, value) not in UNSAID]
    note = f"constant: {', '.join(said)}"
    return [name for name in present if name not in same], [note] if said else []
