"""The options that say which part of an experiment's results is meant, and the table they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import pandas as pd

    from searchlab.experiments.aggregates import Aggregates
    from searchlab.experiments.game_aggregates import GameAggregates

SHOWN = (
    *("board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt", "status", "reason"),
    *("score", "largest_tile", "cost", "moves", "optimal_cost", "optimal", "expanded", "generated", "seconds"),
    *("moves_per_second", "peak_bytes"),
)
"""The columns people see where they named none, besides metrics; those without a cell are left out."""
ORDER = ("board_name", "domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""What rows are ordered by where nothing else is said, as far as there are such columns."""
SAID_ONCE = ("domain", "heuristic", "frontier", "player", "seed", "repetition", "attempt")
"""Columns that are said in a note where they are the same in all runs."""
UNSAID = (("repetition", "1"), ("attempt", "1"))
"""What goes without saying."""

F = TypeVar("F", bound="Callable[..., Any] | click.Command")

path_argument = click.argument("path", metavar="PATH")
where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Only runs for which it holds: status=solved, 'expanded>=1000', heuristic~taxi; may be repeated. "
    "The operators are = != < <= > >= ~ (contains) !~.",
)
_selection_options = (
    where_option,
    click.option("--columns", metavar="NAME,…", help="The columns, in this order."),
    click.option(
        "--sort",
        metavar="NAME,…",
        help="The order; a - before a name turns it round: -expanded,board_name. By default that of the boards.",
    ),
    click.option("--group-by", metavar="NAME,…", help="A row a group, summed up: heuristic,frontier; player."),
    click.option("--limit", type=click.IntRange(min=0), metavar="N", help="So many rows at most."),
    click.option("--all-attempts", is_flag=True, help="A row for each time a run was tried; by default the last."),
)


def selection_options(function: F) -> F:
    """Add the options that a Selection is made of."""
    for option in reversed(_selection_options):
        function = option(function)
    return function


@dataclass(frozen=True)
class Selection:
    """Which part of some results is meant.

    Attributes:
        conditions: what has to hold for a run.
        columns, sort, group_by: names of columns, separated by commas.
        limit: how many rows at most.
        all_attempts: whether runs that were tried again have a row for each time.
    """

    conditions: tuple[str, ...] = ()
    columns: str | None = None
    sort: str | None = None
    group_by: str | None = None
    limit: int | None = None
    all_attempts: bool = False

    @property
    def sorted_by(self) -> list[str]:
        """The columns of the order, without what turns it round."""
        return [name.removeprefix("-") for name in _names(self.sort)]

    @property
    def grouped_by(self) -> list[str]:
        """The columns that are grouped by."""
        return _names(self.group_by)

    def of(self, path: str | Path, *, for_people: bool) -> Selected:
        """Return that part of the results of an experiment.

        Args:
            for_people: whether columns that say nothing are left out where none are named.

        Raises:
            UsageError: there are none, or the selection makes no sense for them.
        """
        from searchlab.experiments.results import load_results
        from searchlab.experiments.selecting import check_columns, in_order, parse_condition, where

        for option, text in (("--columns", self.columns), ("--group-by", self.group_by)):
            if text is not None and not _names(text):
                raise UsageError(f"{option} names no column")
        conditions = [parse_condition(text) for text in self.conditions]
        of_all = load_results(path, all_attempts=self.all_attempts)
        runs = table = in_order(where(of_all, conditions), [name for name in ORDER if name in of_all.columns])
        names, notes = list(map(str, table.columns)), []
        if self.group_by is not None:
            aggregates = _aggregated(runs, self.grouped_by)
            table, notes = aggregates.table, aggregates.notes()
            names = aggregates.telling() if for_people else list(map(str, table.columns))
        table = in_order(table, _names(self.sort))
        limited = table if self.limit is None else table.head(self.limit)
        if self.columns is not None:
            names = _names(self.columns)
            check_columns(names, table)
        elif self.group_by is None and for_people:
            names, notes = _telling(limited, runs, self.sorted_by)
            names = names or [
                name for name in ORDER if name in table.columns
            ]  # a table without rows has a heading, too
        return Selected(limited[names], len(table), runs, len(of_all), notes)


@dataclass(frozen=True)
class Selected:
    """A part of the results of an experiment.

    Attributes:
        table: its rows and columns.
        rows: how many rows there are without a limit.
        runs: the runs they come from.
        total: how many runs there are in all.
        notes: what has to be known to read the table.
    """

    table: pd.DataFrame
    rows: int
    runs: pd.DataFrame
    total: int
    notes: list[str]


def _names(listed: str | None) -> list[str]:
    """Return names that commas separate, each once."""
    return list(dict.fromkeys(name.strip() for name in (listed or "").split(",") if name.strip()))


def _aggregated(runs: pd.DataFrame, group_by: list[str]) -> Aggregates | GameAggregates:
    """Return what searches or games come to."""
    from searchlab.experiments import aggregates, game_aggregates
    from searchlab.experiments.kinds import GAMES, kind_of

    if kind_of(runs) is GAMES:
        return game_aggregates.aggregate(runs, group_by)
    return aggregates.aggregate(runs, group_by)


def _telling(table: pd.DataFrame, runs: pd.DataFrame, asked: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names of a table's columns that say something, and a note on what is the same in all runs."""
    from searchlab.experiments.kinds import kind_of
    from searchlab.experiments.results import column_types
    from searchlab.reports.cells import shown

    columns = column_types(kind_of(runs))
    metrics = [str(name) for name in runs.columns if name not in columns]
    wanted = [name for name in SHOWN if name in columns]
    present = [name for name in dict.fromkeys((*wanted, *metrics, *asked)) if table[name].notna().any()]
    same = [name for name in SAID_ONCE if name in present and runs[name].nunique(dropna=False) == 1]
    values = {name: shown(runs[name])[0] for name in same}
    said = [f"{name} {value}" for name, value in values.items() if (name, value) not in UNSAID]
    note = f"the same in all runs: {', '.join(said)}"
    return [name for name in present if name not in same], [note] if said else []
