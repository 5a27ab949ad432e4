"""What was measured, over versions: `python benchmarks/history.py` draws the files of `results/` and prints a table.

It writes two pictures: `results/history.svg` with a plot for each row and in it a point for each measurement, and
`results/growth.svg` with what a node costs in searches of growing size. The table has the newest measurement of each
row on each machine. Rows of wall time that were measured on a busy machine are left out.
"""

from __future__ import annotations

import argparse
from math import ceil
from pathlib import Path
from statistics import median, quantiles
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from results import FOLDER, figures_of, read
from table import Style, ratios_of, rows_of
from workloads import Goal, workloads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LESS_IS_BETTER = frozenset({"user", "cpu", "whole", "process", "wall", "call", "ns_a_node", "bytes_a_node"})
WALL = frozenset({"wall", "run_rate"})
"""Quantities that say nothing where other programs take the processors."""
COLUMNS = 5
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
GREY, LIGHT = "#666666", "#dddddd"
TITLE, SMALL = 8.5, 7
WIDTH = 42
"""Characters of a title that fit above a plot."""


class Point(NamedTuple):
    """A row in one measurement.

    Attributes:
        time: when it was measured, as files of measurements say it.
        commit: the version.
        where: the machine.
        is_busy: whether it had other things to do.
        advantage: how many times as fast, or as small, searchlab was as the yardstick: first quartile, median and third
            quartile of the pairs. Without a yardstick its own figure.
    """

    time: str
    commit: str
    where: str
    is_busy: bool
    advantage: tuple[float, float, float]


class Series(NamedTuple):
    """A row over the measurements.

    Attributes:
        title: of the row.
        goal: the quantity, and what it has to reach.
        has_yardstick: whether the points are ratios.
        points: in the order of their times.
    """

    title: str
    goal: Goal
    has_yardstick: bool
    points: list[Point]


def main() -> None:
    """Draw and print what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="measurements; by default all of benchmarks/results/")
    parser.add_argument("--folder", type=Path, default=FOLDER, metavar="DIR", help="where the pictures are written")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    asked = parser.parse_args()
    measured = read(asked.files or sorted(FOLDER.glob("*.json")))
    if not measured:
        parser.error("there are no measurements; python benchmarks/run.py --keep makes one")
    for line in table_of(measured, Style(asked.markdown)):
        print(line)
    for name, figure in (("history", drawn(series_of(measured))), ("growth", growth(measured))):
        if figure is not None:
            save(figure, asked.folder / f"{name}.svg")


def save(figure: Figure, file: Path) -> None:
    """Write a picture, whose bytes follow from what it shows."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "searchlab"}):
        figure.savefig(file, metadata={"Date": None})


def where(measured: dict[str, Any]) -> str:
    """Return the machine of a measurement, in a line."""
    machine = measured["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['caches']}"


def table_of(measured: Sequence[dict[str, Any]], style: Style) -> list[str]:
    """Return the lines of a table of the newest measurement of each row, machine by machine."""
    lines = []
    for machine in dict.fromkeys(map(where, measured)):
        newest: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        for one in measured:
            if where(one) == machine:
                newest |= {row["name"]: (one, row) for row in valid_rows(one)}
        newest = {name: newest[name] for name in in_order(newest)}
        times = sorted({f"{one['time'][:10]}, {one['commit']}" for one, _ in newest.values()})
        loads = [load for one, _ in newest.values() for load in one["load"]]
        told = f"load {min(loads):.1f} to {max(loads):.1f}"
        lines += [f"{machine}; {'; '.join(times)}; {told}", "", *style.head()]
        for _, row in newest.values():
            goals, ours, yardstick = figures_of(row)
            lines += map(style.row, rows_of(row["title"], goals, ours, yardstick))
        lines.append("")
    return lines


def series_of(measured: Sequence[dict[str, Any]]) -> list[Series]:
    """Return the points of the first goal of each row, the rows in the order of the workloads."""
    found: dict[str, Series] = {}
    for one in measured:
        for row in valid_rows(one):
            (goal, *_), ours, yardstick = figures_of(row)
            points = found[row["name"]].points if row["name"] in found else []
            advantage = spread(advantages(goal, ours, yardstick))
            points.append(Point(one["time"], one["commit"], where(one), one["is_busy"], advantage))
            found[row["name"]] = Series(row["title"], goal, bool(yardstick), points)
    return [found[name] for name in in_order(found)]


def valid_rows(measured: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows that say something: none that failed, and of a busy machine none of wall time."""
    rows = [row for row in measured["rows"] if "failure" not in row]
    return [row for row in rows if not (measured["is_busy"] and row["goals"][0]["quantity"] in WALL)]


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names of rows in the order of the workloads; those that are no workloads any more come last."""
    known = [workload.name for chosen in ("full", "quick", "large") for workload in workloads(chosen)]
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


def advantages(goal: Goal, ours: Sequence[Any], yardstick: Sequence[Any]) -> list[float]:
    """Return of each pair how many times as good ours was as the yardstick, or ours where there is none."""
    if not yardstick:
        return [float(getattr(figures, goal.quantity)) for figures in ours]
    ratios = ratios_of(goal.quantity, list(ours), list(yardstick))
    return [1 / ratio for ratio in ratios if ratio] if goal.quantity in LESS_IS_BETTER else ratios


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the first quartile, the median and the third quartile."""
    if len(values) < 2:
        return (values[0],) * 3
    first, _, third = quantiles(values, method="inclusive")
    return first, median(values), third


def versions(all_series: Sequence[Series]) -> list[str]:
    """Return the commits that were measured, in the order in which they first were: a row may leave some out."""
    points = sorted((point for series in all_series for point in series.points), key=lambda point: point.time)
    return list(dict.fromkeys(point.commit for point in points))


def drawn(all_series: Sequence[Series]) -> Figure:
    """Return a picture with a plot for each series, the versions from left to right."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    commits = versions(all_series)
    machines = list(dict.fromkeys(point.where for series in all_series for point in series.points))
    rows = ceil(len(all_series) / COLUMNS)
    figure = Figure(figsize=(2.6 * COLUMNS, 1.35 * rows + 1.2), layout="constrained")
    figure.get_layout_engine().set(hspace=0.06, wspace=0.03)  # type: ignore[union-attr, call-arg]
    grid = figure.subplots(rows, COLUMNS, sharex=True, squeeze=False).ravel()
    for axes, series in zip(grid, all_series, strict=False):
        _draw(axes, series, commits, machines)
    for number, axes in enumerate(grid):
        axes.set_xticks(range(len(commits)), commits, rotation=90, fontsize=SMALL)
        axes.set_xlim(-0.5, len(commits) - 0.5)
        axes.tick_params("x", labelbottom=number + COLUMNS >= len(all_series), length=0)
        axes.set_visible(number < len(all_series))
    told = [Line2D([], [], color=colour, marker="o", lw=1, ms=4) for colour, _ in zip(COLOURS, machines, strict=False)]
    names = [*machines, "on a busy machine", "the yardstick"]
    told.append(Line2D([], [], color=GREY, marker="o", mfc="white", lw=0, ms=4))
    told.append(Line2D([], [], color=GREY, lw=1, ls="--"))
    legend = figure.legend(
        told,
        names,
        loc="outside upper left",
        fontsize=TITLE,
        title="How many times as fast, or as small, as the yardstick: medians and quartiles of pairs; higher is better",
        title_fontsize=TITLE + 3,
        alignment="left",
        frameon=False,
        ncols=len(names),
        borderpad=0,
    )
    legend.set_in_layout(True)
    return figure


def _draw(axes: Axes, series: Series, commits: Sequence[str], machines: Sequence[str]) -> None:
    """Draw a series: a line for each machine, hollow points where it was busy."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for machine, colour in zip(machines, COLOURS, strict=False):
        points = [point for point in series.points if point.where == machine]
        places = [commits.index(point.commit) for point in points]
        low, middle, high = zip(*(point.advantage for point in points), strict=True) if points else ((), (), ())
        axes.plot(places, middle, color=colour, lw=1)
        axes.vlines(places, low, high, color=colour, lw=1.5)
        fills = ["white" if point.is_busy else colour for point in points]
        axes.scatter(places, middle, c=fills, edgecolors=colour, s=16, zorder=3)
    values = [value for point in series.points for value in point.advantage]
    if series.has_yardstick:
        axes.axhline(1, color=GREY, lw=1, ls="--")
        values.append(1)
    axes.set_yscale("log")
    axes.set_ylim(min(values) / 1.35, max(values) * 1.35)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(_ticks(min(values) / 1.35, max(values) * 1.35))
    axes.minorticks_off()
    axes.grid(axis="y", color=LIGHT, lw=0.5)
    axes.tick_params("y", labelsize=SMALL, length=0)
    for side in ("top", "right", "bottom", "left"):
        axes.spines[side].set_visible(side == "left")
    unit = ""
    if not series.has_yardstick:
        quantity = series.goal.quantity
        unit = f", {UNITS.get(quantity, 'M/s')}{' (less is better)' if quantity in LESS_IS_BETTER else ''}"
    axes.set_title(fill(f"{series.title}{unit}", WIDTH), fontsize=SMALL, loc="left")


UNITS = {"user": "s", "cpu": "s", "process": "s", "wall": "s", "call": "s", "run_rate": "/s", "bytes_a_node": "B"}


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two bounds, at most four or five."""
    for digits in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)):
        within = [digit * 10.0**power for power in range(-7, 9) for digit in digits]
        within = [number for number in within if low <= number <= high]
        if len(within) >= 3:
            return within[:: ceil(len(within) / 5)]
    return within


def growth(measured: Sequence[dict[str, Any]]) -> Figure | None:
    """Return a picture of what a node costs by how many are stored, of the newest measurements; None without any."""
    from matplotlib.figure import Figure

    newest = {row["name"]: row for one in measured for row in valid_rows(one)}
    searches = {
        name: [newest[f"{name}-{10**power}"] for power in range(5, 9) if f"{name}-{10**power}" in newest]
        + [row for key, row in newest.items() if key.startswith(f"{name}-5")]
        for name in ("astar", "breadth-first")
    }
    if not any(searches.values()):
        return None
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for (name, rows), colour in zip(searches.items(), COLOURS, strict=False):
        for side, style in (("searchlab", "-"), ("yardstick", "--")):
            runs = [figures_of(row)[1 if side == "searchlab" else 2] for row in rows]
            stored = [figures[0].found["stored"] for figures in runs]
            for axes, quantity in ((left, "ns_a_node"), (right, "bytes_a_node")):
                values = [median(getattr(one, quantity) for one in figures) for figures in runs]
                title = f"{'A*' if name == 'astar' else 'breadth-first'}, {'C++' if style == '--' else 'searchlab'}"
                axes.plot(stored, values, ls=style, color=colour, marker="o", ms=4, label=title)
    for axes, title in ((left, "CPU time a node expanded, ns"), (right, "bytes a node stored")):
        axes.set_xscale("log")
        axes.set_ylim(0)
        axes.set_title(title, fontsize=TITLE + 1, loc="left")
        axes.set_xlabel("nodes stored", fontsize=TITLE)
        axes.tick_params(labelsize=TITLE)
        axes.grid(color=LIGHT, lw=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(fontsize=TITLE, frameon=False)
    return figure


if __name__ == "__main__":
    main()
