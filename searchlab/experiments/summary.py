"""Summaries of results in Python: pandas DataFrames that show notes below the table."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from searchlab.errors import UsageError, shown
from searchlab.experiments.aggregates import REACHED, aggregate
from searchlab.experiments.filters import check_columns, in_order, parse_condition
from searchlab.experiments.filters import where as meeting
from searchlab.experiments.loading import column_types
from searchlab.experiments.page import Table
from searchlab.experiments.pivot import pivot as pivoted
from searchlab.experiments.published import IMPORTANCE as OF_PUBLISHED
from searchlab.experiments.published import compare_published
from searchlab.experiments.runs import GAMES, run_kind_of
from searchlab.experiments.tables import (
    DEFAULT_ORDER,
    IMPORTANCE,
    OF_GAMES,
    informative_columns,
    load_results,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.plugins.registry import Plugins

NAMED = ("domain", "heuristic", "frontier", "player")
"""The columns that runs are grouped by if no others are named, as far as they differ."""
DEFAULTS = {"repetition": 1, "attempt": 1}
"""The values assumed for columns that a table of runs lacks."""
MOST_LACKING = 3
"""The number of columns that an error names."""
MOST_ROWS = 40
"""The most runs that are shown."""


class SummaryTable(pd.DataFrame):
    """A DataFrame that summarizes runs, shown as a table for people with notes below it.

    Results of computations with it are plain DataFrames. After a cell has changed, it is shown as a plain DataFrame,
    too.

    Attributes:
        notes: remarks that explain the table, one line each.
        shown: the table as it is shown.
    """

    _metadata: ClassVar[list[str]] = ["notes", "shown", "unchanged"]
    notes: list[str]
    shown: Table
    unchanged: pd.DataFrame

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame

    @property
    def is_unchanged(self) -> bool:
        """Whether no cell has changed."""
        return bool(self.unchanged.equals(pd.DataFrame(self)))

    def for_papers(self) -> tuple[pd.DataFrame, list[str]]:
        """Return the shown columns as a plain DataFrame, and the notes; a changed table has no notes."""
        table = pd.DataFrame(self)
        if not self.is_unchanged:
            return table, []
        names = [column.name for column in self.shown.columns]
        return table[[name for name in table.columns if str(name) in names]], self.notes

    def __repr__(self) -> str:
        if not self.is_unchanged:
            return super().__repr__()
        return "\n".join(self.shown.lines(get_terminal_size().columns, names_left_out=True))

    def _repr_html_(self) -> str | None:
        if not self.is_unchanged:
            return pd.DataFrame(self)._repr_html_()  # type: ignore[operator,no-any-return]
        return f"<div>{self.shown.html()}</div>"


def summary(table: pd.DataFrame, names: Sequence[str], notes: Sequence[str]) -> SummaryTable:
    """Return a table that shows some columns, without columns that are entirely missing, and notes.

    The other columns are named below the table, except the intervals of rates.
    """
    kept = [name for name in names if table[name].notna().any()]
    left_out = [str(name) for name in table.columns if name not in names and not str(name).startswith(REACHED)]
    more = [f"further columns: {', '.join(left_out)}"] if left_out else []
    return shown_as(table, Table.of(table[kept], [*notes, *more], kept), notes)


def shown_as(table: pd.DataFrame, as_shown: Table, notes: Sequence[str]) -> SummaryTable:
    """Return a DataFrame that is shown as a table for people."""
    summed = SummaryTable(table)
    summed.notes, summed.shown, summed.unchanged = list(notes), as_shown, pd.DataFrame(table).copy()
    return summed


def results(
    runs: pd.DataFrame | str | Path,
    where: str | Sequence[str] = (),
    *,
    columns: str | Sequence[str] | None = None,
    sort: str | Sequence[str] | None = None,
) -> SummaryTable:
    """Return runs as `searchlab results` shows them: selected, sorted, with the informative columns.

    Args:
        runs: runs, as `sl.run`, `sl.load_results` and `sl.table` return them; or the folder of an experiment.
        where: conditions like `"status=solved"` or `"expanded>=1000"`, all of which must hold.
        columns: the columns to show; by default those that differ between runs.
        sort: names of columns; a `-` before a name sorts in descending order. By default the order of the boards.

    Returns:
        a DataFrame with all columns of these runs; it shows some columns, and at most 40 rows.

    Raises:
        UsageError: there is no such column, or a condition is invalid.
    """
    of_all = runs_of(runs)
    conditions = [parse_condition(text) for text in ([where] if isinstance(where, str) else where)]
    order = column_names(sort) or [name for name in DEFAULT_ORDER if name in of_all.columns]
    meant = in_order(meeting(of_all, conditions), order)
    shown_rows = meant.head(MOST_ROWS)
    names = column_names(columns)
    check_columns(names, of_all)
    notes: list[str] = []
    importance = names
    if not names:
        importance = list(OF_GAMES if run_kind_of(of_all) is GAMES else IMPORTANCE)
        names, notes = informative_columns(shown_rows, meant, [name.removeprefix("-") for name in column_names(sort)])
    more = [f"the first {MOST_ROWS} of {len(meant):,} rows"] if len(meant) > MOST_ROWS else []
    number = f"{len(meant):,} of {len(of_all):,}" if len(meant) < len(of_all) else f"{len(meant):,}"
    ended = ", ".join(f"{count:,} {status}" for status, count in meant["status"].value_counts().items() if count)
    notes = [*more, f"{number} run{'s' * (len(of_all) != 1)}{': ' * bool(ended)}{ended}", *notes]
    return shown_as(meant.reset_index(drop=True), Table.of(shown_rows[names], notes, importance), notes)


def group(
    results: pd.DataFrame | str | Path, by: str | Sequence[str] | None = None, *, over: str | None = None
) -> SummaryTable:
    """Summarize runs by the values of some columns, one row per group, as `searchlab results --group-by` does.

    Figures of searches cover the cases that all groups solved; the notes give their number.

    Args:
        results: runs, as `sl.run`, `sl.load_results` and `sl.table` return them; or the folder of an experiment.
        by: names of columns, in a list or separated by commas; by default those of domain, heuristic, frontier and
            player that differ between runs.
        over: the runs that means of searches cover: "common" (solved by all groups, the default), "solved" (solved by
            the group itself) or "all".

    Returns:
        a DataFrame with the columns that docs/results.md lists under Groups.

    Raises:
        UsageError: there is no such column, or it is itself a figure.

    >>> import searchlab as sl
    >>> boards = [sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])]
    >>> runs = [
    ...     sl.solve(board, domain="sliding-tile", heuristic=heuristic, engine="readable")
    ...     for board in boards
    ...     for heuristic in ("taxicab", "misplaced")
    ... ]
    >>> sl.group(sl.table(runs), "heuristic")[["heuristic", "solved", "cost"]]
       heuristic  solved  cost
    0  misplaced       2   5.0
    1    taxicab       2   5.0
    """
    runs = runs_of(results)
    aggregates = aggregate(runs, column_names(by) or differing(runs), over)
    return summary(aggregates.table, aggregates.shown_columns(), aggregates.notes(aggregates.shown_columns()))


def pivot(
    results: pd.DataFrame | str | Path,
    columns: str | Sequence[str] | None = None,
    values: str | None = None,
    rows: str | Sequence[str] = "board",
) -> SummaryTable:
    """Return a figure of the runs, a row per board and a column per configuration, as `searchlab results --pivot` does.

    A cell with several runs holds the mean that suits the figure, if every run has the figure.

    Args:
        results: runs, as `sl.run`, `sl.load_results` and `sl.table` return them; or the folder of an experiment.
        columns: names of the columns that distinguish configurations, in a list or separated by commas; by default
            those of domain, heuristic, frontier and player that differ between runs.
        values: the column of the figure: by default `expanded`, or `score` for games.
        rows: names of the columns that distinguish rows.

    Returns:
        a DataFrame of the figures; a cell is missing if a configuration has no figure.

    Raises:
        UsageError: there is no such column, or a column is given twice.

    >>> import searchlab as sl
    >>> board = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
    >>> runs = [
    ...     sl.solve(board, domain="sliding-tile", heuristic=heuristic, engine="readable")
    ...     for heuristic in ("taxicab", "misplaced")
    ... ]
    >>> sl.pivot(sl.table(runs), values="cost").to_numpy().tolist()
    [[3, 3]]
    """
    runs = runs_of(results)
    made = pivoted(runs, column_names(columns) or differing(runs), values, column_names(rows))
    return shown_as(made.table, made.shown(), made.notes())


def published(runs: pd.DataFrame | str | Path, *, plugins: Plugins | None = None) -> SummaryTable:
    """Return published figures for the boards of runs beside our figures, as `searchlab results --published` does.

    Args:
        runs: searches, as `sl.run` and `sl.load_results` return them; or the folder of an experiment.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        a DataFrame with a row for each figure and configuration: `ours`, `theirs`, and `ratio`, ours divided by theirs.

    Raises:
        UsageError: the runs are games, or a `published.toml` is invalid.

    >>> import searchlab as sl
    >>> runs = sl.table([sl.solve("sliding-tile/korf100/012", frontier="ida-star")]).assign(
    ...     board_name="sliding-tile/korf100/012"
    ... )
    >>> sl.published(runs)[["published", "figure", "boards"]]
                      published     figure    boards
    0  IDA*, Manhattan distance  generated  1 of 100
    """
    from searchlab.plugins.registry import given_or_installed

    found = compare_published(runs_of(runs), given_or_installed(plugins))
    names = found.shown_columns()
    notes = found.notes(names)
    return shown_as(found.table, Table.of(found.table[names], notes, OF_PUBLISHED), notes)


def column_names(names: str | Sequence[str] | None) -> list[str]:
    """Return names of columns, given as a sequence or as one text with commas."""
    listed = names.split(",") if isinstance(names, str) else names or ()
    return [name.strip() for name in listed if name.strip()]


def differing(runs: pd.DataFrame) -> list[str]:
    """Return the columns of domain, heuristic, frontier and player that differ between runs, else the compared ones."""
    named = [name for name in NAMED if name in runs.columns]
    return [name for name in named if runs[name].nunique() > 1] or named[1:2]


def _lacking(results: pd.DataFrame) -> list[str]:
    """Return the missing columns that a table of runs must have, because they have no default and cannot be empty."""
    if "status" not in results.columns:
        return ["status"]
    if "score" in results.columns and "player" not in results.columns:
        return ["player"]
    types = {name: pd.api.types.pandas_dtype(type_) for name, type_ in column_types(run_kind_of(results)).items()}
    whole = [name for name, type_ in types.items() if isinstance(type_, np.dtype) and type_.kind in "iu"]
    return [name for name in whole if name not in results.columns and name not in DEFAULTS]


def runs_of(results: pd.DataFrame | str | Path) -> pd.DataFrame:
    """Return runs with all columns that distinguish runs.

    Args:
        results: a table of runs, which may lack the columns of experiments (seeds, limits, names of boards); or the
            folder of an experiment.

    Raises:
        UsageError: the argument is neither, there are no results, or a column without a default is missing.
    """
    if isinstance(results, str | Path):
        return load_results(results)
    wanted = "a table of runs is wanted, or the folder of an experiment"
    if not isinstance(results, pd.DataFrame):
        raise UsageError(f"{wanted}, not {shown(results)}")
    lacking = _lacking(results)
    if lacking:
        names = ", ".join(lacking[:MOST_LACKING]) + (", …" if len(lacking) > MOST_LACKING else "")
        raise UsageError(f"{wanted}, and this table has no column {names}")
    if not results.index.is_unique:  # tables that were put below each other: pd.concat([one, another])
        results = results.reset_index(drop=True)
    defaults: dict[str, Any] = dict(DEFAULTS)
    if "board" in results.columns:
        defaults["board_name"] = results["board"]
    types = column_types(run_kind_of(results))
    missing = {name: type_ for name, type_ in types.items() if name not in results.columns}
    if not missing:
        return results
    added = {name: pd.Series(defaults.get(name), results.index).astype(type_) for name, type_ in missing.items()}
    return results.assign(**added)
