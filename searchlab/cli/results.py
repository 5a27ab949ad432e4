"""`searchlab results`: the results of an experiment as a table, in a file, or merged with others."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchlab.cli.help import Group
from searchlab.cli.names import RESULTS
from searchlab.cli.options import (
    INPUT_PATH,
    OUTPUT_PATH,
    all_versions_option,
    common_options,
    json_option,
    memory_limit_option,
    path_argument,
    run_option,
    where_option,
)
from searchlab.cli.output import as_json, put, put_exactly, put_lines, styled, warn
from searchlab.cli.standings import standings
from searchlab.errors import UsageError, did_you_mean
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import pandas as pd

    from searchlab.cli.session import Session
    from searchlab.experiments.loading import ResultBlocks
    from searchlab.experiments.pivot import Pivot
    from searchlab.plugins.registry import Plugins

MOST_HIDDEN = 4
"""The most names of hidden columns that a page lists."""
F = TypeVar("F", bound="Callable[..., Any] | click.Command")

_selection_options = (
    where_option,
    click.option("--columns", metavar="NAME,…", help="Columns to show, in this order."),
    click.option(
        "--sort",
        metavar="NAME,…",
        help="Columns to sort by; prefix with - for descending: -expanded,board_name (default: by board).",
    ),
    click.option(
        "--group-by",
        metavar="NAME,…",
        help="One row for each group of runs that agree in these columns: heuristic,frontier; player.",
    ),
    click.option(
        "--over",
        type=click.Choice(["common", "solved", "all"]),
        metavar="NAME",
        help="Runs that the means of --group-by include: common (boards that all groups solved, the default), solved "
        "(all that the group solved), all.",
    ),
    click.option(
        "--pivot",
        metavar="NAME,…",
        help="One row for each board, one column for each value of these columns: heuristic,frontier; player.",
    ),
    click.option(
        "--values",
        metavar="NAME",
        help="Column shown in the cells of --pivot: expanded (default; score for games), seconds …",
    ),
    click.option("--rows", metavar="NAME,…", help="Columns that make a row of --pivot: board (default); domain,seed …"),
    click.option(
        "--published", is_flag=True, help="One row for each figure that papers report for these boards, beside ours."
    ),
    click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Show at most N rows."),
    click.option(
        "--all-attempts", is_flag=True, help="One row for each attempt of a run (default: the last attempt only)."
    ),
    all_versions_option,
)


def selection_options(function: F) -> F:
    """Add the options of a Selection."""
    for option in reversed(_selection_options):
        function = option(function)
    return function


@dataclass(frozen=True)
class Selection:
    """The options that select a part of the results of an experiment.

    Attributes:
        conditions: conditions that a run meets.
        columns, sort, group_by: names of columns, separated by commas.
        limit: the largest number of rows.
        all_attempts: whether each attempt at a run has a row, instead of only the last.
        all_versions: whether to include runs of versions other than the latest request's.
        over: the runs that means of groups cover.
        published: whether to show published figures beside those of the runs.
        plugins: the plugins that the names of published figures are looked up in, if these are shown.
        pivot, values, rows: the arguments of a table of boards and configurations, see `searchlab.experiments.pivot`.
    """

    conditions: tuple[str, ...] = ()
    columns: str | None = None
    sort: str | None = None
    group_by: str | None = None
    limit: int | None = None
    all_attempts: bool = False
    pivot: str | None = None
    values: str | None = None
    rows: str | None = None
    over: str | None = None
    all_versions: bool = False
    published: bool = False
    plugins: Plugins | None = None

    @property
    def sorted_by(self) -> list[str]:
        """The columns of the order, without the minus of a descending one."""
        return [name.removeprefix("-") for name in _listed_names(self.sort)]

    @property
    def grouped_by(self) -> list[str]:
        """The columns of --group-by."""
        return _listed_names(self.group_by)

    def load(self, path: str | Path, *, for_people: bool, for_papers: bool = False) -> SelectedResults:
        """Return the selected part of the results of an experiment.

        Args:
            path: the folder of the experiment.
            for_people: whether uninformative columns are left out if no columns are named.
            for_papers: whether the numbers of runs are left out as well.

        Raises:
            UsageError: there are no results, or the selection makes no sense for them.
        """
        from searchlab.experiments.aggregates import aggregate
        from searchlab.experiments.filters import check_columns, in_order
        from searchlab.experiments.tables import DEFAULT_ORDER, informative_columns

        self._check()
        total, runs = self.runs(path, *self._read(for_people=for_people))
        if self.published:
            return self._published(runs, total, for_people=for_people)
        table = runs
        names = list(map(str, table.columns))
        notes: list[str] = []
        aggregates = None if self.group_by is None else aggregate(runs, self.grouped_by, self.over)
        if aggregates:
            table = aggregates.table
            names = aggregates.shown_columns() if for_people else list(map(str, table.columns))
        table = in_order(table, _listed_names(self.sort))
        limited = table if self.limit is None else table.head(self.limit)
        if self.columns is not None:
            names = _listed_names(self.columns)
            check_columns(names, table)
        elif self.group_by is None and for_people:
            names, notes = informative_columns(limited, runs, self.sorted_by)
            names = [name for name in names if not for_papers or name != "run"] or [
                name for name in DEFAULT_ORDER if name in table.columns
            ]  # a table without rows has a heading, too
        notes_on = aggregates.notes if aggregates else lambda _: notes
        return SelectedResults(limited[names], len(table), runs, total, notes_on)

    def load_blocks(self, path: str | Path) -> ResultBlocks:
        """Return the table that `load` returns for programs, to be read in blocks when it is written.

        Only the columns that decide on the rows and their order are read now, and those that are not stored as they are
        in the table.

        Args:
            path: the folder of the experiment; a selection of runs, not of groups or published figures.

        Raises:
            UsageError: see `load`.
        """
        from searchlab.experiments.filters import in_order
        from searchlab.experiments.loading import DERIVED, ResultBlocks
        from searchlab.experiments.quantities import METRICS
        from searchlab.experiments.store import RECORD, RUN, Store

        self._check()
        with Store(path) as store:
            stored = {*store.kind.stored}
        listed = None if self.columns is None else _listed_names(self.columns)
        now = [name for name in listed or () if name not in stored]
        of_all = {RUN, METRICS, *DERIVED} if listed is None else set()
        _, runs = self.runs(path, [*now, *self.sorted_by], {RECORD, *of_all})
        rows = in_order(runs, _listed_names(self.sort))
        rows = rows if self.limit is None else rows.head(self.limit)
        return ResultBlocks(path, rows, listed)

    def _read(self, *, for_people: bool) -> tuple[list[str] | None, Collection[str]]:
        """Return the columns of runs that the table is made of, and further ones if the store has them."""
        from searchlab.experiments import aggregates
        from searchlab.experiments.quantities import METRICS
        from searchlab.experiments.tables import DEFAULT_COLUMNS

        if self.published:
            return None, ()
        if self.group_by is not None:
            return self.grouped_by, aggregates.NEEDED
        if self.columns is not None:
            return [*_listed_names(self.columns), *self.sorted_by], ()
        return (self.sorted_by, {*DEFAULT_COLUMNS, METRICS}) if for_people else (None, ())

    def _published(self, runs: pd.DataFrame, total: int, *, for_people: bool) -> SelectedResults:
        """Return the published figures for the boards of runs, beside those of the runs."""
        from searchlab.experiments.filters import check_columns, in_order
        from searchlab.experiments.published import compare_published

        assert self.plugins is not None
        found = compare_published(runs, self.plugins)
        table = in_order(found.table, _listed_names(self.sort))
        names = found.shown_columns() if for_people else list(map(str, table.columns))
        if self.columns is not None:
            names = _listed_names(self.columns)
            check_columns(names, table)
        limited = table if self.limit is None else table.head(self.limit)
        return SelectedResults(limited[names], len(table), runs, total, found.notes)

    def load_pivot(self, path: str | Path) -> tuple[Pivot, SelectedResults]:
        """Return the table of boards and configurations, and the runs it is made of.

        Raises:
            UsageError: there are no results, or the selection makes no sense for them.
        """
        from searchlab.experiments.pivot import ALIASES, FIGURES, NEEDED, pivot

        self._check()
        for option, text in (("--columns", self.columns), ("--sort", self.sort), ("--group-by", self.group_by)):
            if text is not None:
                raise UsageError(f"{option} is for a table of runs, and --pivot makes another; leave one of them out")
        columns, values, rows = _listed_names(self.pivot), self.values, _listed_names(self.rows)
        named = [ALIASES.get(name, name) for name in (*columns, *rows)]
        total, runs = self.runs(path, [*named, *([values] if values else [])], {*NEEDED, *FIGURES})
        found = pivot(runs, columns, values, rows)
        shown = found if self.limit is None else found.head(self.limit)
        return shown, SelectedResults(shown.table, len(found.table), runs, total)

    def _check(self) -> None:
        """Raise a UsageError for options without content, or with a missing counterpart."""
        listed = (("--columns", self.columns), ("--group-by", self.group_by), ("--pivot", self.pivot))
        for option, text in (*listed, ("--rows", self.rows), ("--values", self.values)):
            if text is not None and not _listed_names(text):
                raise UsageError(f"{option} names no column")
        if self.published and (self.group_by is not None or self.pivot is not None):
            raise UsageError("--published shows a table of its own: leave out --group-by and --pivot")
        if self.over is not None and self.group_by is None:
            raise UsageError("--over needs groups: add --group-by heuristic,frontier")
        for option, text in (("--values", self.values), ("--rows", self.rows)):
            if text is not None and self.pivot is None:
                raise UsageError(
                    f"{option} is for a table of boards and configurations: add --pivot heuristic,frontier"
                )

    def runs(
        self, path: str | Path, columns: Collection[str] | None = None, also: Collection[str] = ()
    ) -> tuple[int, pd.DataFrame]:
        """Return the number of all runs of an experiment, and the selected runs, in the order of their boards.

        Args:
            path: the folder of the experiment.
            columns: the columns to read besides those of the conditions and of the order; by default all.
            also: further columns, see `searchlab.experiments.loading.read_results`.
        """
        from searchlab.cli.arguments import results_at
        from searchlab.experiments.filters import in_order, parse_condition, where
        from searchlab.experiments.optima import NEEDED, contradicted_optima
        from searchlab.experiments.tables import DEFAULT_ORDER

        conditions = [parse_condition(text) for text in self.conditions]
        if columns is not None:
            columns = [*(each.column for each in conditions), *columns]
        also = {*also, *NEEDED, *DEFAULT_ORDER}
        of_all = results_at(
            path, columns, also, all_attempts=self.all_attempts, all_versions=self.all_versions, texts="category"
        )
        total, order = len(of_all), [name for name in DEFAULT_ORDER if name in of_all.columns]
        found = where(of_all, conditions)
        del of_all
        found = in_order(found, order, empties=True)
        for line in contradicted_optima(found):
            warn(line)
        return total, found


@dataclass(frozen=True)
class SelectedResults:
    """A part of the results of an experiment.

    Attributes:
        table: the selected rows and columns.
        rows: number of rows without the limit.
        runs: the runs that the rows are made of.
        total: number of all runs.
        notes: returns remarks that explain the table, given the columns that are shown.
    """

    table: pd.DataFrame
    rows: int
    runs: pd.DataFrame
    total: int
    notes: Callable[[Collection[str]], list[str]] = lambda _: []


def _listed_names(listed: str | None) -> list[str]:
    """Return the distinct names of a list separated by commas."""
    return list(dict.fromkeys(name.strip() for name in (listed or "").split(",") if name.strip()))


class ShowByDefault(Group):
    """A group of commands in which `show` may be left out."""

    completed = RESULTS

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `show` if the first argument is not a command."""
        first = next((argument for argument in args if not argument.startswith("-")), "")
        if not args and ctx.resilient_parsing:  # a shell completes the first word
            return super().parse_args(ctx, args)
        if first in self.commands or args[:1] in (["-h"], ["--help"]):
            return super().parse_args(ctx, args)
        if len(args) > 1 and args[0] == first and not os.path.exists(first):
            self._check_misspelt(ctx, first)
        return super().parse_args(ctx, ["show", *args])

    def _check_misspelt(self, ctx: click.Context, name: str) -> None:
        said = did_you_mean(name, self.commands)
        if said.startswith("did"):
            ctx.fail(f"no folder and no command is called {name!r}: {said}")


@click.group(
    cls=ShowByDefault,
    subcommand_metavar="[show|standings|export|merge] PATH…",
    examples=(
        "searchlab results results/puzzle8-2",
        "searchlab results results/puzzle8-2 --group-by heuristic,frontier",
        "searchlab results export results/puzzle8-2 --output table.tex",
    ),
)
@common_options
def results() -> None:
    """Show the results of an experiment, export or merge them.

    PATH is the experiment's folder. `searchlab results PATH` is short for `searchlab results show PATH`; its --help
    explains how to choose rows and columns.
    """


@results.command(
    short_help="Show results as a table (the default).",
    examples=(
        "searchlab results show results/puzzle8-2 --where status=solved --sort -expanded",
        "searchlab results show results/puzzle8-2 --pivot heuristic,frontier --values expanded",
        "searchlab results show results/puzzle8-2 --run 3",
    ),
)
@path_argument
@selection_options
@run_option
@json_option("the table")
@common_options
@click.pass_obj
def show(
    session: Session,
    path: str,
    run: str | None,
    conditions: tuple[str, ...],
    columns: str | None,
    sort: str | None,
    group_by: str | None,
    over: str | None,
    pivot: str | None,
    values: str | None,
    rows: str | None,
    limit: int | None,
    all_attempts: bool,
    all_versions: bool,
    published: bool,
    json: bool,
) -> None:
    """Show the results of an experiment as a table, one row per run.

    PATH is the experiment's folder, or the results file in it. With --group-by a row summarizes the runs of a group:
    the number of solved runs and, over the instances that all groups solved (see --over), the geometric means and
    medians of expanded and seconds, and the sum of the costs. PAR2 counts a run without a solution as twice the time
    limit. For games, a row shows the mean score, and the share of games that reached each tile.

    With --run N one run is shown in full: every column, the board, and the command that repeats the run. With --pivot
    heuristic,frontier the table has a row per board and a column per configuration. With --published a row shows a
    figure that a paper reports for these boards, beside the mean of the runs here.

    The command may be used while the experiment is running.
    """
    from searchlab.experiments.cells import plain_rows

    selection = Selection(
        *(conditions, columns, sort, group_by, limit, all_attempts, pivot, values, rows, over, all_versions),
        published,
        session.plugins,
    )
    if run is not None:
        _show_run(selection, path, run, session, json=json)
        return
    if pivot is not None:
        made, selected = selection.load_pivot(path)
        if json:
            put(as_json(plain_rows(made.frame())), end="")
            return
        put_lines(_pivot_page(made, selected))
        return
    selected = selection.load(path, for_people=not json)
    if json:
        put(as_json(plain_rows(selected.table)), end="")
        return
    importance = (
        list(selected.table.columns)
        if columns
        else [*selection.grouped_by, "board_name", *selection.sorted_by, *_importance(selected, published=published)]
    )
    put_lines(_page(selected, importance))


def _show_run(selection: Selection, path: str, run: str, session: Session, *, json: bool) -> None:
    """Print a run in full, or as JSON."""
    from searchlab.cli.one_run import run_page
    from searchlab.cli.output import page_width
    from searchlab.experiments.cells import plain_rows
    from searchlab.experiments.filters import numbered_run, parse_condition, where
    from searchlab.experiments.tables import every_run

    given = [name for name in ("columns", "sort", "group_by", "limit", "pivot") if getattr(selection, name) is not None]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} is for a table, and --run shows one run in full")
    chosen = numbered_run(every_run(path, all_attempts=selection.all_attempts), run, f"{path}: ")
    chosen = where(chosen, [parse_condition(text) for text in selection.conditions])
    if chosen.empty:
        raise UsageError(f"{path}: run {run} is excluded by --where")
    if json:
        put(as_json(plain_rows(chosen)), end="")
        return
    for number, (_, row) in enumerate(chosen.iterrows()):
        for line in ([""] if number else []) + run_page(row, path, session, page_width()):
            put(line)


def _importance(selected: SelectedResults, *, published: bool) -> list[str]:
    """Return the columns by importance; on a narrow page the last ones are left out first."""
    if published:
        from searchlab.experiments.published import IMPORTANCE as OF_PUBLISHED

        return list(OF_PUBLISHED)
    from searchlab.experiments.aggregates import REACHED
    from searchlab.experiments.runs import GAMES, run_kind_of
    from searchlab.experiments.tables import IMPORTANCE, OF_GAMES

    if run_kind_of(selected.runs) is not GAMES:
        return list(IMPORTANCE)
    rates = [str(name) for name in selected.table.columns if str(name).startswith(REACHED)]
    first = OF_GAMES.index("moves_per_second")
    return [*OF_GAMES[:first], *reversed(rates), *OF_GAMES[first:]]


def _page(selected: SelectedResults, importance: list[str]) -> Iterator[str]:
    """Yield the lines of the page for people."""
    from searchlab.cli.output import page_width, shows_colour
    from searchlab.experiments.page import columns_of, fitted_table

    if selected.runs.empty:
        yield _no_runs(selected)
        return
    width = page_width()
    table, left_out = fitted_table(columns_of(selected.table), width, importance)
    notes = selected.notes([str(name) for name in selected.table.columns if name not in left_out])
    if left_out:
        more = f" and {len(left_out) - MOST_HIDDEN} more" if len(left_out) > MOST_HIDDEN else ""
        notes.append(f"hidden (narrow terminal): {', '.join(left_out[:MOST_HIDDEN])}{more}; --columns shows them")
    heading = next(table)
    yield styled(heading, bold=True) if shows_colour(standard_output()) else heading
    yield from table
    yield ""
    for note in (_summary(selected), *notes):
        yield from wrap(note, width)


def _pivot_page(made: Pivot, selected: SelectedResults) -> list[str]:
    """Return a table of boards and configurations for people."""
    from searchlab.cli.output import page_width, shows_colour, with_colours

    if selected.runs.empty:
        return [_no_runs(selected)]
    table = made.shown()
    table = replace(table, notes=[_summary(selected), *table.notes])
    bold = (lambda text: styled(text, bold=True)) if shows_colour(standard_output()) else str
    return list(map(with_colours, table.lines(page_width(), emphasize=bold)))


def _no_runs(selected: SelectedResults) -> str:
    return f"none of the {selected.total:,} runs meets the conditions" if selected.total else "there are no runs yet"


def _summary(selected: SelectedResults) -> str:
    """Return the number of runs and the counts of their statuses."""
    counts = selected.runs["status"].value_counts()
    ended = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    number = len(selected.runs)
    of_total = "" if number == selected.total else f" of {selected.total:,}"
    shown = len(selected.table)
    first = "" if shown == selected.rows else f"the first {shown:,} of {selected.rows:,} rows; "
    return f"{first}{number:,}{of_total} run{'s' * (selected.total != 1)}: {ended}"


results.add_command(standings)


@results.command(
    short_help="Write results to a file: CSV, Parquet, JSON, LaTeX, Markdown.",
    examples=(
        "searchlab results export results/puzzle8-2 --output table.csv",
        "searchlab results export results/puzzle8-2 --group-by heuristic --format latex",
    ),
)
@path_argument
@click.option(
    "--format",
    "format_",
    type=click.Choice(["csv", "parquet", "json", "latex", "markdown", "aslib"]),
    metavar="NAME",
    help="csv, parquet, json, latex, markdown or aslib (default: by the extension of the file).",
)
@click.option("--output", type=OUTPUT_PATH, metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--safe", is_flag=True, help="CSV for a spreadsheet: an apostrophe before texts that look like formulas.")
@selection_options
@common_options
@click.pass_obj
def export(
    session: Session,
    path: str,
    format_: str | None,
    output: Path | None,
    safe: bool,
    conditions: tuple[str, ...],
    columns: str | None,
    sort: str | None,
    group_by: str | None,
    over: str | None,
    pivot: str | None,
    values: str | None,
    rows: str | None,
    limit: int | None,
    all_attempts: bool,
    all_versions: bool,
    published: bool,
) -> None:
    """Write the results of an experiment, or with --group-by a summary, in a format that other programs read.

    CSV, Parquet and JSON hold every cell exactly; LaTeX (for the package booktabs) and Markdown show numbers as papers
    do, by default with the informative columns only. Rows of runs in CSV and JSON are read and written in blocks, which
    takes little memory.

    With --format aslib a scenario for research on algorithm selection is written: FILE is a new folder, an algorithm a
    heuristic with a frontier, and the features of a board are its shape, its moves and the values of the heuristics.

    A spreadsheet runs a text that begins with = + - or @ as a formula; with --safe such texts in CSV are prefixed with
    an apostrophe. Use it for results that you did not produce yourself.
    """
    from searchlab.files import check_writable, write
    from searchlab.reports.export import FOR_PAPERS, IN_BLOCKS, exported, format_of

    if format_ == "aslib":
        tables = {"--columns": columns, "--sort": sort, "--group-by": group_by, "--pivot": pivot, "--limit": limit}
        given = next((option for option, value in (*tables.items(), ("--safe", safe or None)) if value is not None), "")
        if given:
            raise UsageError(f"{given} is for a table, and aslib is a scenario of all runs; choose them by --where")
        selection = Selection(conditions, all_attempts=all_attempts, all_versions=all_versions)
        _export_scenario(selection, path, output, session)
        return
    if output:
        check_writable(output)
        format_ = format_ or format_of(output)
    if not format_:
        raise UsageError("give --output FILE, or a --format to print")
    if format_ == "parquet" and not output:
        raise UsageError("Parquet is not for standard output; name a file with --output")
    if safe and format_ != "csv":
        raise UsageError(f"--safe is for CSV only, not for {format_}")
    selection = Selection(
        *(conditions, columns, sort, group_by, limit, all_attempts, pivot, values, rows, over, all_versions),
        published,
        session.plugins,
    )
    if format_ in IN_BLOCKS and group_by is None and pivot is None and not published:
        read = selection.load_blocks(path)
        content, number = exported(read, format_, safe=safe), len(read)
    elif pivot is None:
        selected = selection.load(path, for_people=format_ in FOR_PAPERS, for_papers=format_ in FOR_PAPERS)
        notes = selected.notes(list(map(str, selected.table.columns)))
        content, number = exported(selected.table, format_, notes, safe=safe), len(selected.table)
    else:
        made, selected = selection.load_pivot(path)
        content, number = exported(made.shown(), format_, safe=safe), len(selected.table)
    if output:
        write(output, content)
        put(f"{output}: {counted(number, 'row')}")
    else:
        for part in content:
            put_exactly(str(part))


def _export_scenario(selection: Selection, path: str, output: Path | None, session: Session) -> None:
    """Write the selected runs as a scenario of ASlib."""
    from searchlab.board.files import check_new_set
    from searchlab.reports.aslib import write_scenario

    if output is None:
        raise UsageError("a scenario of ASlib is a folder of files: name it with --output")
    check_new_set(output)
    _, runs = selection.runs(path)
    output.mkdir(exist_ok=True)
    counts = write_scenario(runs, output, output.name, session.plugins)
    put(f"{output}: {', '.join(counted(number, what) for what, number in counts.items())}")


@results.command(
    short_help="Merge the results of several folders.",
    examples=("searchlab results merge results/machine-a results/machine-b --into results/both",),
)
@click.argument("paths", type=INPUT_PATH, nargs=-1, required=True, metavar="PATH…")
@click.option("--into", required=True, metavar="FOLDER", help="Folder to merge into; its results are kept.")
@common_options
def merge(paths: tuple[str, ...], into: str) -> None:
    """Merge the results of several folders into one: of several machines, or of the parts of an experiment.

    A run in several folders is kept once, whichever machine did it; a record in the target folder stays. Certificates
    are copied, too.
    """
    from searchlab.experiments.store import Store, merge_into

    for path, (taken, passed) in zip(paths, merge_into(into, paths), strict=True):
        put(f"{path}: {counted(taken, 'row')} taken, {passed:,} here already")
    with Store(into) as target:
        put(f"{into}: {counted(len(target.statuses()), 'run')}")


@results.command(
    short_help="Write certificates of the runs of an experiment.",
    examples=("searchlab results certify results/puzzle15-2 --where frontier=astar",),
)
@path_argument
@where_option
@memory_limit_option("closed states of a run")
@common_options
@click.pass_obj
def certify(session: Session, path: str, conditions: tuple[str, ...], memory_limit: int | None) -> None:
    """Write a certificate for each run that proves something about the solution cost.

    Certificates are those that solve --certificate would write. They are written to certificates/IDENTITY.zip in the
    folder of the experiment. searchlab check-proof checks them. Tables and reports mark these runs in the column
    certified.
    """
    from collections import Counter

    from searchlab.cli.progress import live_status
    from searchlab.experiments.certificates import certify as write_certificate_of
    from searchlab.experiments.runs import GAMES, run_kind_of
    from searchlab.experiments.store import CERTIFICATES
    from searchlab.files import file_error

    _, runs = Selection(conditions).runs(path)
    if run_kind_of(runs) is GAMES:
        raise UsageError(f"{path}: games have no certificates")
    folder = Path(path).parent if os.path.isfile(path) else Path(path)
    why_not: Counter[str] = Counter()
    with live_status() as show:
        for number, (_, row) in enumerate(runs.iterrows(), 1):
            show(f"run {number:,} of {len(runs):,}: {row['board_name']}")
            try:
                why_not[write_certificate_of(row, folder, session.plugins, memory_limit)] += 1
            except OSError as error:
                raise file_error(folder / CERTIFICATES, error) from None
    put(f"{folder / CERTIFICATES}: {counted(why_not.pop('', 0), 'certificate')} written")
    for why, count in why_not.items():
        put(f"{counted(count, 'run')} without: {why}")
