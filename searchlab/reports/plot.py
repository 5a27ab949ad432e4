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

Every function takes a table of runs (`sl.load_results`, `sl.run`, `sl.table`) and the axes to draw on, and returns the
axes; without any it makes a figure. What the kinds show is said in `searchlab.reports.chart_kinds`, whose functions
return the same charts as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.reports import chart_kinds
from searchlab.reports.matplotlib_chart import draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes


def scatter(
    table: pd.DataFrame,
    x: str | None = None,
    y: str | None = None,
    *,
    metric: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one configuration against another, or one column against another: see `chart_kinds.scatter`."""
    return draw(chart_kinds.scatter(table, x, y, metric=metric), ax)


def cactus(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many runs are solved within how much of a quantity: see `chart_kinds.cactus`."""
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
    """Draw how the runs of each configuration ended: see `chart_kinds.coverage`."""
    return draw(chart_kinds.coverage(table, group_by=group_by), ax)


def bars(
    table: pd.DataFrame,
    *,
    metric: str | None = None,
    group_by: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means over what all configurations solved, or over games: see `chart_kinds.bars`."""
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
    """Draw curves of learning, a table as `searchlab train` writes it: see `chart_kinds.learning`."""
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
