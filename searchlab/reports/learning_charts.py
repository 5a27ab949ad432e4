"""Charts of courses of learning: how good a player became from game to game."""

from __future__ import annotations

import os
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.tuning_outcome import percent
from searchlab.files import read_text
from searchlab.reports.chart import Chart, ReferenceLine, Series, linear_axis, with_short_names
from searchlab.reports.svg import svg

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from searchlab.experiments.tuning_outcome import Tuning
    from searchlab.games.learning.training import LearningCurve

CURVE = "curve.csv"
"""The table of a training, in the folder that `searchlab train` writes."""
SHARE = "reached_"
"""The beginning of a column with the share of games that reached a tile."""
PROMINENT = 0.01
"""The share of games that must reach a tile for it to have a line in the picture of a training."""
Course = tuple[str, "Sequence[float]", "Sequence[float]"]
"""The name of a line, the number of games learned from at each of its points, and its values there."""


def learning_chart(column: str, courses: Iterable[Course]) -> Chart:
    """Return the chart of one column of learning curves.

    Args:
        column: `mean_score`, `reached_2048` (a share from 0 to 1, drawn in per cent), …
        courses: the lines, one for each training.
    """
    share = column.startswith(SHARE)
    label = f"% of games with tile {column.removeprefix(SHARE)}" if share else column.replace("_", " ")
    return _chart("learning", label, courses, share=share)


def load_curve(path: str | Path) -> pd.DataFrame:
    """Return the curve of a training: a row a block of games.

    Args:
        path: the folder that `searchlab train` writes, or the table in it.

    Raises:
        UsageError: there is no such file, or it is no table of learning.
    """
    import pandas as pd

    file = Path(path) / CURVE if os.path.isdir(path) else Path(path)
    if not file.exists():
        raise UsageError(f"{file}: no such file; `searchlab train` writes it into the folder of its --output")
    try:
        return pd.read_csv(StringIO(read_text(file)))
    except (ValueError, pd.errors.ParserError) as error:
        raise UsageError(f"{file}: no table of learning ({error})") from None


def training_charts(columns: Mapping[str, Sequence[float]], title: str) -> list[Chart]:
    """Return the charts of one training: the mean score, and the share of games that reached each tile.

    Args:
        columns: the columns of the learning curve, by name.
        title: the title of the first chart.
    """
    games = columns["games"]
    shares = [
        (column.removeprefix(SHARE), games, values)
        for column, values in columns.items()
        if column.startswith(SHARE) and max(values) >= PROMINENT
    ]
    charts = [_chart(title, "mean score", [("", games, columns["mean_score"])])]
    if shares:
        charts.append(_chart("tiles reached", "% of games with tile", shares, share=True, legend="tile"))
    return charts


def gains_chart(tuning: Tuning) -> Chart:
    """Return the chart of what the tries of a tuning gain on its tuning boards, in percent; 0 is the default."""
    kinds = (
        ("on all tuning boards", [one for one in tuning.tries if not one.ended_early and one != tuning.best]),
        ("ended early", [one for one in tuning.tries if one.ended_early]),
        ("the best", [one for one in tuning.tries if one == tuning.best]),
    )
    series = tuple(
        Series(
            name,
            "points",
            style,
            tuple(float(one.number) for one in tries),
            tuple(100 * one.gain if isfinite(one.gain) else None for one in tries),
            tuple(f"try {one.number}: {percent(one.gain)}" for one in tries),
        )
        for style, (name, tries) in enumerate(kinds)
        if tries
    )
    x_axis = linear_axis([0, len(tuning.tries)], "try", whole=True)
    y_axis = linear_axis([0, *(y for each in series for y in each.y)], f"gain on tuning {tuning.unit}s, %", rail="none")
    rules = (ReferenceLine((x_axis.low, x_axis.high), (0.0, 0.0), "default"),)
    return Chart("tries", "what each try gains over the default", x_axis, y_axis, series, rules)


def training_picture(curve: LearningCurve) -> str:
    """Return the curves of one training as SVG, one below the other."""
    return svg(training_charts(curve.columns(), f"learned from {curve.games:,} games"), columns=1)


def _chart(title: str, label: str, courses: Iterable[Course], *, share: bool = False, legend: str = "") -> Chart:
    series = []
    for style, (name, games, values) in enumerate(courses):
        xs, ys = tuple(map(float, games)), tuple(float(value) * (100 if share else 1) for value in values)
        titles = tuple(f"{x:,.0f} games: {y:,.4g}" for x, y in zip(xs, ys, strict=True))
        series.append(Series(name, "line", style, xs, ys, titles))
    x_axis = linear_axis([0, *(x for each in series for x in each.x)], "games learned from")
    y_axis = linear_axis([0, *([100.0] if share else []), *(y for each in series for y in each.y)], label)
    return with_short_names(Chart("learning", title, x_axis, y_axis, tuple(series), legend=legend))
