"""Charts of one search: its lists, bounds and layers over the course of a readable best-first search."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError
from searchlab.reports.chart import (
    Cell,
    Chart,
    ColourScale,
    ReferenceLine,
    Series,
    category_axis,
    linear_axis,
    tick_label,
)
from searchlab.reports.heuristic_charts import bins
from searchlab.search.readable.best_first import best_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import Node
    from searchlab.search.watch import Watch

MOST_POINTS = 400
"""Points of a line over the expansions."""
MOST_LAYERS = 40
"""Bars of f-layers; of more values several have a bar together."""


@dataclass(frozen=True, eq=False)
class SearchRecord:
    """A search, expansion by expansion.

    Attributes:
        problem: the problem.
        status: the status of the result.
        cost: the solution cost, None without a solution.
        g, h: the values of the nodes in order of expansion, shape (expansions,).
        open_nodes, closed_nodes: the sizes of the lists before each expansion, shape (expansions,).
        best_h: the smallest h of all nodes so far, shape (expansions,).
    """

    problem: Problem
    status: str
    cost: float | None
    g: NDArray[np.float64]
    h: NDArray[np.float64]
    open_nodes: NDArray[np.int64]
    closed_nodes: NDArray[np.int64]
    best_h: NDArray[np.float64]


class _Recorder:
    """A `SearchObserver` that records each expansion: g, h, the sizes of the lists, the smallest h so far."""

    is_full = False

    def __init__(self, *, late: bool) -> None:
        self._late = late
        self._open = self._closed = 0
        self._best_h = inf
        self.rows: list[tuple[float, float, int, int, float]] = []

    def evaluated(self, node: Node, *, is_dead_end: bool) -> None:
        """Count a node of the open list."""
        if not is_dead_end:
            self._open += 1
            self._best_h = min(self._best_h, node.h)

    def found_duplicate(self, node: Node, known: Node) -> None:
        """Count a late duplicate out of the open list."""
        self._open -= self._late

    def improved(self, known: Node, node: Node, *, is_reopened: bool) -> None:
        """Count a closed node as open again; with late duplicate detection the new node is open already."""
        self._closed -= is_reopened
        self._open += is_reopened and not self._late

    def begun(self, start: Node, bound: float) -> None: ...
    def left_out(self, node: Node, why: str) -> None: ...
    def generated(self, node: Node, action: str, *, is_lost: bool) -> None: ...
    def went_back(self, node: Node, action: str) -> None: ...
    def closed(self, node: Node) -> None: ...
    def reached(self, node: Node) -> None: ...

    def expanded(self, node: Node) -> None:
        """Note the expansion."""
        self.rows.append((node.g, node.h, self._open, self._closed, self._best_h))
        self._open -= 1
        self._closed += 1


def record(problem: Problem, watch: Watch) -> SearchRecord:
    """Search within the limits of a watch, and return the record of the search.

    Raises:
        UsageError: the frontier is not a best-first strategy.
        PluginError: the domain or the heuristic failed.
    """
    component = problem.frontier.component
    if component.family != "best-first" or component.run is not None:
        raise UsageError(
            f"{component.name} has its own search loop; only best-first searches can be drawn: astar, greedy …"
        )
    recorder = watch.observer = _Recorder(late=problem.late)
    with watch:
        outcome = best_first(problem, watch)
    columns = [np.array(column) for column in zip(*recorder.rows, strict=True)] or [np.empty(0)] * 5
    g, h, open_nodes, closed_nodes, best_h = columns
    return SearchRecord(problem, outcome.status, outcome.cost, g, h, open_nodes, closed_nodes, best_h)


def search_charts(found: SearchRecord) -> list[Chart]:
    """Return four charts of a search: its lists, h and f, nodes by f, nodes by g and h.

    Raises:
        UsageError: no node was expanded.
    """
    if not len(found.g):
        raise UsageError("no node was expanded: the start is a goal, or the limits leave nothing to do")
    charts = [_lists(found)]
    if found.problem.estimates:
        charts.append(_bounds(found))
    charts.append(_layers(found))
    if found.problem.estimates:
        charts.append(_map(found))
    return charts


def _name(found: SearchRecord) -> str:
    problem = found.problem
    return f"{problem.frontier}, {problem.heuristic}" if problem.estimates else str(problem.frontier)


def _chosen(count: int) -> NDArray[np.int64]:
    """Return the numbers of the expansions to draw, including the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(np.int64))


def _line(name: str, style: int, values: NDArray[Any], mark: str = "line") -> Series:
    at = _chosen(len(values))
    return Series(name, mark, style, tuple(map(float, at + 1)), tuple(float(value) for value in values[at]))  # type: ignore[arg-type]


def _lists(found: SearchRecord) -> Chart:
    count = len(found.g)
    ended = f"{found.status} after {count:,} expansions"
    notes = [f"{ended}, cost {found.cost:g}" if found.cost is not None else ended]
    x_axis = linear_axis([0.0, float(count)], "expansions", whole=True)
    most = float(max(found.open_nodes.max(), found.closed_nodes.max()))
    y_axis = linear_axis([0.0, most], "nodes", whole=True)
    series = (_line("open list", 0, found.open_nodes), _line("closed list", 1, found.closed_nodes))
    return Chart("search-lists", f"{_name(found)}: open and closed list", x_axis, y_axis, series, notes=tuple(notes))


def _bounds(found: SearchRecord) -> Chart:
    f = found.g + found.h
    series = (
        _line("f = g + h of the expanded node", 0, f),
        _line("h of the expanded node", 2, found.h),
        _line("best h so far", 1, found.best_h, "steps"),
    )
    ends = [value for each in series for value in each.y]
    x_axis = linear_axis([0.0, float(len(f))], "expansions", whole=True)
    y_axis = linear_axis([*ends, found.cost], "cost")
    rules: tuple[ReferenceLine, ...] = ()
    if found.cost is not None:
        rules = (ReferenceLine((x_axis.low, x_axis.high), (found.cost, found.cost), f"cost {found.cost:g}"),)
    notes = ["the heuristic is a score: h is its negative"] if found.problem.sign < 0 else []
    return Chart("search-bounds", "f and h", x_axis, y_axis, series, rules, notes=tuple(notes))


def _layers(found: SearchRecord) -> Chart:
    estimates = found.problem.estimates
    middles, width = bins(found.g + found.h if estimates else found.g, MOST_LAYERS)
    layers, counts = np.unique(middles, return_counts=True)
    names = [f"{x:g}" if width == 1 else f"{x - width / 2:g} …" for x in layers]
    what = "f" if estimates else "g"
    labels = tuple(f"{count:,}" for count in counts)
    titles = tuple(f"{what} = {name}: {count:,} nodes" for name, count in zip(names, counts, strict=True))
    places = tuple(map(float, range(len(layers))))
    x_axis = linear_axis([0.0, float(counts.max())], "nodes expanded", whole=True)
    starts = (0.0,) * len(layers)
    series = Series("", "bars", 0, tuple(map(float, counts)), places, titles, labels, starts)
    y_axis = category_axis(names, what)
    return Chart("search-layers", f"nodes expanded per {what}", x_axis, y_axis, (series,))


def _map(found: SearchRecord) -> Chart:
    columns, width = bins(found.g)
    rows, height = bins(found.h)
    pairs, counts = np.unique(np.column_stack([columns, rows]), axis=0, return_counts=True)
    most = int(counts.max())
    shades = np.log(counts) / np.log(most) if most > 1 else np.full(len(counts), 0.5)
    cells = tuple(
        Cell(float(x), float(y), round(float(shade), 3), "", False, f"g {x:g}, h {y:g}: {count:,} nodes")
        for (x, y), count, shade in zip(pairs, counts, shades, strict=True)
    )
    x_axis = linear_axis([-width / 2, float(columns.max()) + width / 2], "g")
    y_axis = linear_axis([float(rows.min()) - height / 2, float(rows.max()) + height / 2], "h")
    colours = ColourScale("nodes expanded", "1", tick_label(float(f"{most:.3g}")))
    return Chart(
        "search-map",
        "nodes expanded of each g and h",
        x_axis,
        y_axis,
        cells=cells,
        colours=colours,
        cell=(width, height),
    )
