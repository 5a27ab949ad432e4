"""Charts of courses of learning: how good a player became from game to game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.reports.chart import Chart, Series, linear_axis, with_short_names
from searchlab.reports.svg import svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.games.learning.training import Curve

SHARE = "reached_"
"""The beginning of a column with the share of games that reached a tile."""
PROMINENT = 0.01
"""The share of games that reach a tile from which the tile has a line of its own in the picture of a training."""
Course = tuple[str, "Sequence[float]", "Sequence[float]"]
"""The name of a line, the games learned from at each of its points, and its values there."""


def learning_chart(column: str, courses: Iterable[Course]) -> Chart:
    """Return the chart of one column of learning curves.

    Args:
        column: `mean_score`, `reached_2048` (a share from 0 to 1, drawn in per cent), …
        courses: the lines, one for each training.
    """
    share = column.startswith(SHARE)
    label = f"% of games with tile {column.removeprefix(SHARE)}" if share else column.replace("_", " ")
    return _chart("learning", label, courses, share=share)


def training_picture(curve: Curve) -> str:
    """Return the curves of one training as SVG: the mean score, and the share of games that reached each tile."""
    columns = curve.columns()
    games = columns["games"]
    shares = [
        (column.removeprefix(SHARE), games, values)
        for column, values in columns.items()
        if column.startswith(SHARE) and max(values) >= PROMINENT
    ]
    scores = [("", games, columns["mean_score"])]
    charts = [_chart(f"learned from {curve.games:,} games", "mean score", scores)]
    if shares:
        charts.append(_chart("tiles reached", "% of games with tile", shares, share=True, legend="tile"))
    return svg(charts, columns=1)


def _chart(title: str, label: str, courses: Iterable[Course], *, share: bool = False, legend: str = "") -> Chart:
    series = []
    for style, (name, games, values) in enumerate(courses):
        xs, ys = tuple(map(float, games)), tuple(float(value) * (100 if share else 1) for value in values)
        titles = tuple(f"{x:,.0f} games: {y:,.4g}" for x, y in zip(xs, ys, strict=True))
        series.append(Series(name, "line", style, xs, ys, titles))
    x_axis = linear_axis([0, *(x for each in series for x in each.x)], "games learned from")
    y_axis = linear_axis([0, *([100.0] if share else []), *(y for each in series for y in each.y)], label)
    return with_short_names(Chart("learning", title, x_axis, y_axis, tuple(series), legend=legend))
