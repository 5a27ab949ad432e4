"""`searchlab plot`: pictures of results, of heuristics and of searches."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from searchlab.cli.help import Command, Group, WithExamples
from searchlab.cli.names import RESULTS, Name
from searchlab.cli.options import (
    INPUT_PATH,
    OUTPUT_PATH,
    SECONDS,
    all_versions_option,
    common_options,
    domain_option,
    domain_options,
    goal_option,
    limit_options,
    limits_of,
    memory_limit_option,
    search_options,
    where_option,
)
from searchlab.cli.output import put_wrapped
from searchlab.cli.process import exit_now, report_end, within_limits
from searchlab.cli.progress import evaluation_progress
from searchlab.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from searchlab.cli.session import Session
    from searchlab.reports.chart import Chart

CHART_KINDS = {
    "scatter": "One configuration against another: one point per pair of runs.",
    "cactus": "The number of runs solved within a time, memory or expansions.",
    "anytime": "The quality of the best solution over time or expansions.",
    "profile": "The share of cases within a factor of the best (Dolan and Moré).",
    "coverage": "The outcomes of the runs of each configuration.",
    "bars": "Means over the cases that all configurations solved.",
    "heatmap": "Boards × configurations.",
    "scaling": "A figure over a parameter or column: weight, width, optimal_cost.",
    "learning": "Learning curves.",
    "scores": "Distributions of games.",
    "reached": "The share of games that reached each tile.",
}
"""The functions of `searchlab.reports.chart_kinds`, which need not be imported to list them."""
ENDINGS = (".svg", ".png", ".pdf")
SELECTS = {
    "--x": {"scatter", "scaling"},
    "--y": {"scatter"},
    "--metric": set(CHART_KINDS) - {"coverage", "reached"},
    "--group-by": set(CHART_KINDS) - {"scatter", "learning"},
    "--where": set(CHART_KINDS) - {"learning"},
}
"""Which options which kinds have."""
SEARCH_SECONDS, SEARCH_EXPANSIONS = 60.0, 20_000
"""The default limits of a search to draw."""

F = TypeVar("F", bound="Callable[..., Any] | click.Command")


def drawing_options(function: F) -> F:
    """Add the options for the file and appearance of a picture."""
    function = click.option(
        "--theme",
        type=click.Choice(["auto", "light", "dark"]),
        default="auto",
        metavar="NAME",
        help="light, dark, or auto (the default): for SVG the preference of the reader's browser, else light.",
    )(function)
    return click.option(
        "--output",
        type=OUTPUT_PATH,
        metavar="FILE",
        help="File to write: FILE.svg, .png or .pdf (default: an SVG in the current folder).",
    )(function)


class Kinds(WithExamples):
    """A command, or a group of commands, with a list of the kinds of plots in its help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list below all else."""
        with formatter.section("Kinds"):
            formatter.write_dl(list(CHART_KINDS.items()))


class PlotCommand(Kinds, Command):
    """A command that draws a plot of one of the kinds."""


class ResultsByDefault(Kinds, Group):
    """A group of commands in which `results` may be omitted."""

    completed = RESULTS

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `results` if the first argument is not a command."""
        first = next((argument for argument in args if not argument.startswith("-")), "")
        if not args and ctx.resilient_parsing:  # a shell completes the first word
            return super().parse_args(ctx, args)
        if first in self.commands or args[:1] in (["-h"], ["--help"]):
            return super().parse_args(ctx, args)
        if first in CHART_KINDS and not os.path.exists(first):
            ctx.fail(f"the results stand first: searchlab plot PATH {first}")
        return super().parse_args(ctx, ["results", *args])


@click.group(
    cls=ResultsByDefault,
    subcommand_metavar="[results] PATH… KIND",
    examples=(
        "searchlab plot results/puzzle8-2 cactus",
        "searchlab plot heuristic taxicab misplaced",
        "searchlab plot search sliding-tile/puzzle8-20",
    ),
)
@common_options
def plot() -> None:
    """Draw the results of an experiment, a heuristic or a search.

    PATH is the experiment's folder (for `learning` a folder that `train` writes), and KIND is listed below. `searchlab
    plot PATH KIND` is short for `searchlab plot results PATH KIND`; see its --help for the options.
    """


@plot.command(
    cls=PlotCommand,
    short_help="Draw the results of an experiment (the default).",
    examples=(
        "searchlab plot results results/puzzle8-2 cactus --output cactus.pdf",
        "searchlab plot results results/puzzle8-2 scatter --x taxicab --y misplaced",
        "searchlab plot results trained/ntuple learning",
    ),
)
@click.argument("paths", type=INPUT_PATH, nargs=-1, metavar="PATH…")
@click.argument("kind", type=Name(CHART_KINDS), metavar="KIND")
@click.option(
    "--x", metavar="NAME", help="Horizontal axis: a configuration or column (scatter), a parameter or column (scaling)."
)
@click.option("--y", metavar="NAME", help="Vertical axis of scatter: a configuration or column.")
@click.option("--metric", metavar="NAME", help="Column to draw: expanded (the default), seconds, cost, score …")
@click.option("--group-by", metavar="NAME,…", help="Columns that make a configuration: heuristic,frontier; player.")
@where_option
@all_versions_option
@drawing_options
@common_options
def results(
    paths: tuple[str, ...],
    kind: str,
    x: str | None,
    y: str | None,
    metric: str | None,
    group_by: str | None,
    conditions: tuple[str, ...],
    all_versions: bool,
    output: Path | None,
    theme: str,
) -> None:
    """Draw the results of an experiment.

    PATH is the experiment's folder, or the results file in it; several are drawn together. For `learning` PATH is a
    folder that `train` writes. Configurations are named as for `searchlab compare`: taxicab, taxicab/astar,
    COLUMN=value.

    Unsolved runs are drawn on a marked border or counted, and never omitted silently.
    """
    if not paths and kind not in CHART_KINDS:
        raise UsageError(f"say what to draw: searchlab plot {kind} KIND, with KIND one of {', '.join(CHART_KINDS)}")
    if not paths:
        raise UsageError(f"PATH is missing: searchlab plot PATH {kind}")
    if kind not in CHART_KINDS:
        raise UsageError(f"there is no kind of plot {kind!r}: {did_you_mean(kind, CHART_KINDS)}")
    given = {"--x": x, "--y": y, "--metric": metric, "--group-by": group_by, "--where": conditions or None}
    for option, value in given.items():
        if value is not None and kind not in SELECTS[option]:
            raise UsageError(
                f"{option} is not for {kind}, but for {', '.join(k for k in CHART_KINDS if k in SELECTS[option])}"
            )
    target = _target(output, Path(f"{_name_of(paths[0])}-{kind}.svg"))
    options: dict[str, Any] = {"x": x, "y": y, "metric": metric}
    options = {name: value for name, value in options.items() if value is not None}
    if group_by is not None:
        options["group_by"] = list(dict.fromkeys(name.strip() for name in group_by.split(",") if name.strip()))
        if not options["group_by"]:
            raise UsageError("--group-by names no column")
    table = _curves(paths) if kind == "learning" else _runs(paths, conditions, all_versions=all_versions)
    from searchlab.reports import chart_kinds

    save([chart_kinds.CHART_KINDS[kind](table, **options)], target, theme)


def save(charts: Sequence[Chart], target: Path, theme: str) -> None:
    """Write charts to one file; print its path, and the notes needed to read them."""
    from searchlab.files import file_error, replacing, write

    if target.suffix.lower() == ".svg":
        from searchlab.reports.svg import svg

        write(target, [svg(charts, theme=theme)])  # type: ignore[arg-type]
    else:
        from searchlab.reports.matplotlib_chart import save as save_by_matplotlib

        format_: Any = target.suffix.lower().removeprefix(".")
        theme = "light" if theme == "auto" else theme
        try:
            with replacing(target.resolve()) as stream:
                save_by_matplotlib(charts, stream, format_, theme=theme)
        except OSError as error:
            raise file_error(target, error) from None
    said = f"{target}: {'; '.join(chart.title for chart in charts)}"
    for note in dict.fromkeys((said, *(note for chart in charts for note in chart.notes))):
        put_wrapped(note)


def _target(output: Path | None, default: Path) -> Path:
    """Return the file to write.

    Raises:
        UsageError: its suffix is unknown, or it cannot be written.
    """
    from searchlab.files import check_writable

    target = output or default
    if target.suffix.lower() not in ENDINGS:
        raise UsageError(f"{target}: unknown file extension; use {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    if target.suffix.lower() != ".svg":
        from searchlab.reports.matplotlib_chart import need_matplotlib

        need_matplotlib(f"{target}: {target.suffix.lower().removeprefix('.').upper()}")
    check_writable(target)
    return target


def _name_of(path: str) -> str:
    """Return the name of the results at a path: that of their folder."""
    absolute = Path(os.path.abspath(path))
    return (absolute.parent if absolute.is_file() else absolute).name or "results"


def _runs(paths: Sequence[str], conditions: Sequence[str], *, all_versions: bool) -> pd.DataFrame:
    """Return the runs of some experiments that meet conditions.

    Raises:
        UsageError: no run meets the conditions, or searches and games are mixed.
    """
    import pandas as pd

    from searchlab.cli.arguments import results_at
    from searchlab.experiments.filters import parse_condition, where

    parsed = [parse_condition(text) for text in conditions]
    tables = [results_at(path, all_versions=all_versions) for path in paths]
    if len({"player" in table.columns for table in tables}) > 1:
        raise UsageError("searches and games have no picture together; draw them apart")
    table = tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)
    chosen = where(table, parsed)
    if chosen.empty:
        raise UsageError(
            f"none of the {len(table):,} runs meets the conditions" if len(table) else "there are no runs yet"
        )
    return chosen


def _curves(paths: Sequence[str]) -> pd.DataFrame:
    """Return learning curves, with a column `course` if there are several.

    Raises:
        UsageError: there is none.
    """
    import pandas as pd

    from searchlab.reports.learning_charts import load_curve

    tables = [load_curve(path) for path in paths]
    if len(tables) == 1:
        return tables[0]
    named = [table.assign(course=_name_of(path)) for path, table in zip(paths, tables, strict=True)]
    return pd.concat(named, ignore_index=True)


@plot.command(
    short_help="Draw heuristics against the exact costs of all boards of a small game.",
    examples=(
        "searchlab plot heuristic taxicab misplaced",
        "searchlab plot heuristic mine.py:my_function --domain 2048:n=2,goal=32",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@domain_option("that of the board, else of the first heuristic", "2048:n=2,goal=32")
@goal_option
@click.option("--board", metavar="BOARD", help="Board whose state space is drawn (default: a small board of the game).")
@click.option(
    "--time-limit",
    type=SECONDS,
    default="60s",
    show_default=True,
    help="Limit of wall time for finding all boards: 30s, 10m.",
)
@memory_limit_option("heuristics")
@drawing_options
@common_options
@click.pass_obj
@within_limits()
def heuristic(
    session: Session,
    names: tuple[str, ...],
    domain: str | None,
    goal: str | None,
    board: str | None,
    time_limit: float,
    output: Path | None,
    theme: str,
) -> None:
    """Draw heuristics against the exact costs of all boards of a small game.

    NAME is a heuristic; several are drawn side by side. For each heuristic, a map shows the number of boards by exact
    cost and estimate; estimates above the line are too high. A last picture shows the error of all estimates by depth.
    The default domain is that of the first heuristic made for a single domain. The default board is small: all boards
    of the 8-puzzle, or of 3 × 3 2048, are drawn.
    """
    from searchlab.cli.arguments import DomainChoice, board_and_domain
    from searchlab.plugins.lookup import domain as find_domain
    from searchlab.plugins.lookup import heuristic as find_heuristic
    from searchlab.plugins.samples import small_board
    from searchlab.reports.heuristic_charts import charts_of_heuristics, domain_of

    target = _target(output, Path("heuristic.svg"))
    if board is not None:
        start, of_board = board_and_domain(board, DomainChoice(domain, goal, session.plugins))
    else:
        named = domain or domain_of(names, session.plugins, "--domain")
        of_board, start = small_board(find_domain(named, plugins=session.plugins, **({"goal": goal} if goal else {})))
    bound = {name: find_heuristic(name, domain=of_board, plugins=session.plugins) for name in dict.fromkeys(names)}
    with evaluation_progress() as show:
        charts = charts_of_heuristics(bound, start, of_board, time_limit, show)
    save(charts, target, theme)


@plot.command(
    short_help="Draw the course of a search: lists, bounds, layers.",
    examples=(
        "searchlab plot search sliding-tile/puzzle8-20",
        "searchlab plot search 2048/board10 --frontier astar --output search.png",
    ),
)
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@search_options
@limit_options
@drawing_options
@common_options
@click.pass_obj
def search(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    heuristic: str | None,
    frontier: str | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    output: Path | None,
    theme: str,
) -> None:
    """Draw the course of a best-first search from a board.

    Two pictures show curves over the expansions: the sizes of the open and the closed list, and the best h so far with
    the f of the expanded nodes. Two more show the number of expanded nodes by f, and by g and h.

    The readable engine searches; it expands the same nodes in the same order as the compiled one. The default limits
    are 20,000 expansions and 60 seconds.
    """
    from searchlab.cli.arguments import DomainChoice, board_and_domain
    from searchlab.reports.search_charts import record, search_charts
    from searchlab.search.solve import problem
    from searchlab.search.watch import Watch
    from searchlab.search.watchdog import Watchdog

    target = _target(output, Path("search.svg"))
    start, of_board = board_and_domain(board, DomainChoice(domain, goal, session.plugins))
    posed = problem(start, domain=of_board, heuristic=heuristic, frontier=frontier, plugins=session.plugins)
    limits = limits_of(
        SEARCH_SECONDS if time_limit is None else time_limit,
        memory_limit,
        SEARCH_EXPANSIONS if max_expansions is None else max_expansions,
    )
    watch = Watch(limits, sign=posed.sign)

    def end(status: str, reason: str) -> None:
        exit_now(partial(report_end, status, reason))

    with Watchdog(watch, end):
        found = record(posed, watch)
    save(search_charts(found), target, theme)
