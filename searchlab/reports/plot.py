"""`sl.plot`: charts of results on matplotlib's axes.

>>> import searchlab as sl
>>> boards = [sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])]
>>> runs = [
...     sl.solve(board, domain="sliding-tile", heuristic=heuristic, engine="readable")
...     for board in boards
...     for heuristic in ("taxicab", "misplaced")
... ]
>>> axes = sl.plot.bars(sl.table(runs))
>>> axes.get_xlabel(), [label.get_text() for label in axes.get_yticklabels()]
('nodes expanded (geometric mean)', ['misplaced', 'taxicab'])

Every function takes a table of runs (`sl.load_results`, `sl.run`, `sl.table`) and optional axes to draw on, and returns
the axes; by default it creates a figure. `searchlab.reports.chart_kinds` documents the kinds of charts and returns the
same charts as data. `heuristic` and `search` take no runs: each creates a figure with several charts and returns all
axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.model.limits import Limits
from searchlab.reports import chart_kinds
from searchlab.reports.matplotlib_chart import draw, draw_all, need_matplotlib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd
    from matplotlib.axes import Axes

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.strategies import Frontier, Heuristic
    from searchlab.plugins.registry import Plugins

SECONDS = 60.0
"""The time limit of `heuristic`, and of `search` without limits."""
EXPANSIONS = 20_000
"""The limit of expansions for `search` without limits."""


def scatter(
    table: pd.DataFrame,
    x: str | None = None,
    y: str | None = None,
    *,
    metric: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one configuration against another, or one column against another; see `chart_kinds.scatter`."""
    return draw(chart_kinds.scatter(table, x, y, metric=metric), ax)


def anytime(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the quality of the best solution over time or expansions; see `chart_kinds.anytime`."""
    return draw(chart_kinds.anytime(table, metric=metric, group_by=group_by), ax)


def cactus(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the number of runs solved within a time or another quantity; see `chart_kinds.cactus`."""
    return draw(chart_kinds.cactus(table, metric=metric, group_by=group_by), ax)


def profile(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the performance profiles of Dolan and Moré (2002): see `chart_kinds.profile`."""
    return draw(chart_kinds.profile(table, metric=metric, group_by=group_by), ax)


def coverage(table: pd.DataFrame, *, group_by: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the outcomes of the runs of each configuration; see `chart_kinds.coverage`."""
    return draw(chart_kinds.coverage(table, group_by=group_by), ax)


def bars(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means over the cases that all configurations solved, or over games; see `chart_kinds.bars`."""
    return draw(chart_kinds.bars(table, metric=metric, group_by=group_by), ax)


def heatmap(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw boards × configurations: see `chart_kinds.heatmap`."""
    return draw(chart_kinds.heatmap(table, metric=metric, group_by=group_by), ax)


def scaling(
    table: pd.DataFrame,
    x: str | None = None,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a quantity over a parameter or a column: see `chart_kinds.scaling`."""
    return draw(chart_kinds.scaling(table, x, metric=metric, group_by=group_by), ax)


def learning(table: pd.DataFrame, *, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw learning curves from a table that `searchlab train` wrote; see `chart_kinds.learning`."""
    return draw(chart_kinds.learning(table, metric=metric), ax)


def scores(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the distributions of games: see `chart_kinds.scores`."""
    return draw(chart_kinds.scores(table, metric=metric, group_by=group_by), ax)


def reached(table: pd.DataFrame, *, group_by: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw the share of games that reached each tile: see `chart_kinds.reached`."""
    return draw(chart_kinds.reached(table, group_by=group_by), ax)


def heuristic(
    *names: str | Heuristic | BoundHeuristic | Callable[..., float],
    domain: str | Domain | BoundDomain | None = None,
    board: Board | Instance | str | Path | None = None,
    seconds: float = SECONDS,
    plugins: Plugins | None = None,
) -> list[Axes]:
    """Draw heuristics against the exact costs of all boards of a small game, as `searchlab plot heuristic` does.

    Args:
        names: the heuristics: names, Heuristics, bound heuristics, or functions of the tiles.
        domain: the game; by default the domain of the board, or else that of the first heuristic with a single domain.
        board: a board of the state space; by default a small board of the game.
        seconds: the time limit for enumerating all boards.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        the axes: a map for each heuristic, and the errors of all heuristics by depth.

    Raises:
        UsageError: there is no heuristic; no domain is given or implied; or there are too many boards for the time
            limit.
    """
    need_matplotlib("sl.plot")
    from searchlab.errors import UsageError
    from searchlab.plugins import lookup
    from searchlab.plugins.domain_of_board import named_board
    from searchlab.plugins.samples import small_board
    from searchlab.reports.heuristic_charts import charts_of_heuristics, domain_of

    if not names:
        raise UsageError("name at least one heuristic")
    if board is not None:
        start, game = named_board(
            board, domain, plugins, default=lookup.DEFAULT_DOMAIN, needed_by="a plot of heuristics"
        )
    else:
        game, start = small_board(lookup.domain(domain or domain_of(names, plugins, "domain="), plugins=plugins))
    found = [lookup.heuristic(name, domain=game, plugins=plugins) for name in names]
    bound = {name if isinstance(name, str) else str(each): each for name, each in zip(names, found, strict=True)}
    return draw_all(charts_of_heuristics(bound, start, game, seconds))


def search(
    board: Board | Instance | str | Path | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
    limits: Limits | None = None,
    plugins: Plugins | None = None,
) -> list[Axes]:
    """Draw the course of a best-first search from a board, as `searchlab plot search` does.

    Args:
        board, domain, heuristic, frontier, plugins: as for `solve`.
        limits: as for `solve`; by default 60 seconds and 20,000 expansions.

    Returns:
        the axes of four charts: open and closed list; h and f; nodes by f; nodes by g and h.

    Raises:
        UsageError: the frontier is not a best-first strategy, or no node is expanded.
    """
    need_matplotlib("sl.plot")
    from searchlab.reports.search_charts import record, search_charts
    from searchlab.search.solve import problem
    from searchlab.search.watch import Watch

    posed = problem(board, domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)
    watch = Watch(limits or Limits(SECONDS, expansions=EXPANSIONS), sign=posed.sign)
    return draw_all(search_charts(record(posed, watch)))
