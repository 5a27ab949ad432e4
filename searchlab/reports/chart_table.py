"""The table behind a chart: the same data in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.experiments.cells import MISSING, figure

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.reports.chart import Chart, Series

Rows = list[tuple[str, ...]]

MOST_ROWS = 100
"""Of a chart of more points the table has the first ones."""


def chart_table(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    """Return the head and the rows of the table behind a chart; the first column holds names.

    Of steps it has how many, or how much, is reached at each tick of the axis; of bars and boxes a row each; of points
    and lines a row each, at most 100 of them.
    """
    kinds: dict[str, Callable[[Chart], tuple[tuple[str, ...], Rows]]] = {
        "cactus": _of_steps,
        "anytime": _of_steps,
        "profile": _of_steps,
        "coverage": _of_parts,
        "bars": _of_bars,
        "scores": _of_boxes,
        "heatmap": _of_cells,
    }
    return kinds.get(chart.kind, _of_points)(chart)


def _of_steps(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    series = [each for each in chart.series if each.x]
    rows = [(tick.label, *(_reached(each, tick.value) for each in series)) for tick in chart.x.ticks]
    return (f"{chart.x.label}, at most", *(each.name for each in series)), rows


def _reached(series: Series, at: float) -> str:
    reached = [y for x, y in zip(series.x, series.y, strict=True) if x is not None and y is not None and x <= at]
    return _number(reached[-1] if reached else 0.0)


def _of_parts(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    names = [tick.label for tick in chart.y.ticks]
    parts = [
        {int(y or 0): (x or 0) - start for x, y, start in zip(series.x, series.y, series.starts, strict=True)}
        for series in chart.series
    ]
    rows = [(name, *(_number(part.get(place, 0)) for part in parts)) for place, name in enumerate(names)]
    return ("", *(series.name for series in chart.series)), rows


def _of_boxes(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    names = {float(tick.value): tick.label for tick in chart.y.ticks}
    rows = [(names.get(box.y, ""), *map(_number, box.quantiles)) for box in chart.boxes]
    return ("", "5 %", "25 %", "median", "75 %", "95 %"), rows


def _of_cells(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    cells = {(cell.x, cell.y): cell.text for cell in chart.cells}
    rows = [
        (row.label, *(cells.get((tick.value, row.value), MISSING) for tick in chart.x.ticks)) for row in chart.y.ticks
    ]
    return ("", *(tick.label for tick in chart.x.ticks)), rows


def _of_bars(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    names = {float(tick.value): tick.label for tick in chart.y.ticks}
    rows: Rows = []
    for series in chart.series:
        values = series.labels or tuple(map(_number, series.x))
        rows += [(names[float(y or 0)], value) for y, value in zip(series.y, values, strict=True)]
    return ("", chart.x.label), rows


def _of_points(chart: Chart) -> tuple[tuple[str, ...], Rows]:
    rows: Rows = []
    for series in chart.series:
        titles = series.titles or (series.name,) * len(series.x)
        rows += [
            (title.rpartition(": ")[0] or title, _number(x), _number(y))
            for title, x, y in zip(titles[:MOST_ROWS], series.x, series.y, strict=False)
        ]
    return ("", chart.x.label, chart.y.label), rows[:MOST_ROWS]


def _number(value: float | None) -> str:
    if value is None:
        return MISSING
    return f"{value:,.0f}" if float(value).is_integer() else figure(value)
