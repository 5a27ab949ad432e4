"""Tables of results: search results, or the runs in a store, as pandas DataFrames with the columns of `columns`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.errors import shown as in_short
from searchlab.experiments.cells import shown
from searchlab.experiments.columns import LIMITS, dtypes
from searchlab.experiments.loading import column_types, metric_dtype, read_results, with_statuses
from searchlab.experiments.runs import SEARCHES, run_kind_of
from searchlab.experiments.store import merge_into
from searchlab.model.results import Improvement
from searchlab.model.states import digest, is_board, text_form

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    import pandas as pd

    from searchlab.board.board import Board
    from searchlab.model.results import Result
    from searchlab.model.states import State

COLUMNS = dtypes(SEARCHES.of_outcome)
"""The columns of a table of search results, with their types in pandas."""
STORED = tuple(column.name for column in SEARCHES.of_outcome if column.is_stored)
"""The columns of a store; the versions, the last column of a table, are derived."""
DEFAULT_COLUMNS = (
    *("run", "board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt"),
    *LIMITS,
    *("status", "reason"),
    *("score", "largest_tile", "cost", "moves", "optimal_cost", "optimal", "expanded", "generated", "seconds"),
    *("moves_per_second", "peak_bytes"),
)
"""The columns for people by default, besides metrics; empty ones are left out, and limits that are the same in all
runs.
"""
DEFAULT_ORDER = ("board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""The columns by which rows are ordered by default."""
SAID_ONCE = ("domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""Columns that become a note if they are the same in all runs."""
UNSAID = (("repetition", "1"), ("attempt", "1"))
"""Values that the note leaves out."""
IMPORTANCE = (
    *("board_name", "run", "heuristic", "frontier", "status", *LIMITS, "certified", "coverage", "decided", "expanded"),
    *("seconds", "par2"),
    *("cost", "domain", "seed", "repetition", "attempt", "runs", "solved", "moves", "score_seconds", "score_expanded"),
    *("expanded_median", "seconds_median", "reason"),
)
OF_GAMES = (
    *("board_name", "run", "player", "seed", "games", "score", "score_low", "score_high", "largest_tile", "status"),
    *LIMITS,
    *("moves_per_second", "moves", "score_median", "seconds", "domain", "repetition", "attempt", "reason"),
)
"""Columns by importance; on a narrow page the last ones are left out first."""
LARGEST_WRITTEN_OUT = 64
"""Boards of more cells are named by shape and hash."""
STATIC = "#"
"""Stands before the digest of the static data that belongs to a board."""
LONGEST_TEXT_FORM = 200
"""The longest text form of a state that is not a board in characters; of a longer one the digest is written."""


def table(results: Result | Iterable[Result]) -> pd.DataFrame:
    """Return results as a table, one row each. See `searchlab.experiments.columns.SEARCH_OUTCOME` for the columns.

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
    """Return the solutions in a text from `solutions_text`, without moves; nothing for another text."""
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
    """Return the pandas types of `table`'s columns; the status is a category of all statuses."""
    return with_statuses(COLUMNS, SEARCHES)


def load_results(
    path: str | Path,
    *,
    all_attempts: bool = False,
    all_versions: bool = False,
    columns: Collection[str] | None = None,
) -> pd.DataFrame:
    """Return the results of an experiment as a table, one row per run, in the order of the records.

    Args:
        path: the experiment's folder, or the results file in it. Another process may be writing to it.
        all_attempts: whether to return a row for each attempt at a run instead of the last attempt only.
        all_versions: whether to include runs with other component code, or other tiles of a board, than the latest
            request. Components and boards with several versions are then dated: `mine.py:plus (2026-11-28)`.
        columns: the columns to read, in any order; by default all. Reading a few columns is several times as fast.

    Returns:
        a table with the columns that docs/columns.md lists for searches or games, and a column for each metric.

    Raises:
        UsageError: there are no results, they cannot be read, or there is no such column.
    """
    return read_results(path, columns, all_attempts=all_attempts, all_versions=all_versions)


def every_run(path: str | Path, *, all_attempts: bool = False) -> pd.DataFrame:
    """Return all runs of an experiment as `load_results` does, of any version and with their names as recorded."""
    return read_results(path, None, all_attempts=all_attempts, all_versions=None)


def merge(*folders: str | Path, into: str | Path) -> pd.DataFrame:
    """Merge the results of several folders into one, for example from several machines.

    A run in several folders is kept once, whichever machine did it: the record in the target folder stays.

    Args:
        folders: the folders to merge, with results of searches or of games.
        into: the target folder; its results stay.

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


def informative_columns(
    table: pd.DataFrame, runs: pd.DataFrame, asked: Iterable[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the columns with different values, and a note on columns that are the same in all runs.

    Args:
        table: the rows to show.
        runs: all runs, including these rows.
        asked: further columns to show if they are not empty.
    """
    columns = column_types(run_kind_of(runs))
    metrics = [str(name) for name in runs.columns if name not in columns]
    wanted = [name for name in DEFAULT_COLUMNS if name in columns]
    present = [name for name in dict.fromkeys((*wanted, *metrics, *asked)) if table[name].notna().any()]
    same = [name for name in SAID_ONCE if name in present and runs[name].nunique(dropna=False) == 1]
    values = {name: shown(runs[name].head(1))[0] for name in same}
    said = [f"{name} {value}" for name, value in values.items() if (name, value) not in UNSAID]
    note = f"constant: {', '.join(said)}"
    limits = [name for name in LIMITS if name in present and runs[name].nunique(dropna=False) == 1]
    return [name for name in present if name not in (*same, *limits)], [note] if said else []
