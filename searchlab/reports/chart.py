"""A chart as data: axes with ticks, and the marks between them.

A Chart says what is to be seen, and where, in the units of its axes; `searchlab.reports.svg` and
`searchlab.reports.matplotlib_chart` draw it, and so can a page's JavaScript (`dataclasses.asdict`, and then JSON: there
are no infinite values and no NaN in it). The kinds of charts are in `searchlab.reports.chart_kinds`.

A value that cannot be placed, because a run was not solved, is None: it is drawn on the axis' *rail*, a marked border
beyond the largest value. Nothing is left out of a chart in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log2, log10
from typing import TYPE_CHECKING, Literal

from searchlab.experiments.page import TextColumn, common_ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Scale = Literal["linear", "log", "category"]
Mark = Literal["points", "line", "steps", "bars"]

RAIL_SHARE = 0.09
"""The part of an axis that its rail takes."""
PADDING = 0.03
"""The part of an axis between its ends and the outermost values."""
MOST_TICKS = 7
LONGEST_NAME = 60
"""Longer names are cut in ticks and legends; tooltips have them in full."""
NAME_AND_COUNT = re.compile(r"(.*)( \([\d,]+\))", re.DOTALL)
"""A name in a legend with a number of runs behind it."""
SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))

LIGHT = ("#0072b2", "#b93800", "#00996b", "#86246a", "#aa8800", "#2f8fc4", "#5a4fb5", "#5f5f5f")
DARK = ("#56b4e9", "#ff9752", "#2fc79a", "#f08ac4", "#e8d04a", "#9fdcff", "#b3a7ff", "#c0c0c0")
"""The colours of series on light and on dark ground: the same hues in the same order, after Okabe and Ito (2008). Any
two of the first five differ for colour-blind readers, too; all series differ in their markers and dashes as well."""
CIVIDIS = (
    *("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
"""The colour map of Nuñez, Anderton and Renslow (2018), made for readers with and without colour blindness."""


@dataclass(frozen=True)
class Tick:
    """A value that is named on an axis.

    Attributes:
        value: where it is.
        label: what is written there.
    """

    value: float
    label: str


@dataclass(frozen=True)
class Rail:
    """The marked border of an axis, for values that cannot be placed.

    Attributes:
        label: what they are: "unsolved".
        begin: where the border is.
        at: where such values are drawn.
    """

    label: str
    begin: float
    at: float


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`.

    Attributes:
        label: what it measures, with its unit where the ticks do not say it.
        scale: "linear", "log", or "category", whose values are the places 0, 1, … of the ticks' labels.
        low, high: the values at its ends; `low` is the larger one where the axis runs backwards.
        ticks: the values that are named.
        rail: where values are drawn that cannot be placed; None where there are none.
    """

    label: str
    scale: Scale
    low: float
    high: float
    ticks: tuple[Tick, ...]
    rail: Rail | None = None

    def place(self, value: float | None) -> float:
        """Return where a value is: 0 at the axis' beginning, 1 at its end; None is on the rail."""
        if value is None:
            assert self.rail is not None
            value = self.rail.at
        if self.scale == "log":
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Series:
    """Marks that belong together, and have one entry in the legend.

    Attributes:
        name: the entry, an empty string where there is none.
        mark: "points", a "line" through them, "steps" (a value holds until the next), or horizontal "bars".
        style: its number among the series, which decides colour, marker and dashes.
        x, y: the places of its points, None on the rail; of a bar `x` is where it ends.
        titles: a line for each of the points, of steps one for all of them, shown as a tooltip; empty where there are
            none.
        labels: texts beside the points, empty where there are none.
        starts: of bars, where they begin.
        lows, highs: of lines, a band around them, and of points and bars an interval: empty where there is none.
    """

    name: str
    mark: Mark
    style: int
    x: tuple[float | None, ...]
    y: tuple[float | None, ...]
    titles: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    starts: tuple[float, ...] = ()
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


@dataclass(frozen=True)
class ReferenceLine:
    """A straight line for the eye: a diagonal, a factor, a total.

    Attributes:
        x, y: its two ends.
        label: what it says, beside its end; an empty string for nothing.
        strong: whether it is drawn as the main one.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    label: str = ""
    strong: bool = False


@dataclass(frozen=True)
class Box:
    """A distribution on a horizontal line.

    Attributes:
        y: the line.
        style: the number that decides its colour.
        quantiles: 5 %, 25 %, 50 %, 75 % and 95 % of the values.
        title: its tooltip.
    """

    y: float
    style: int
    quantiles: tuple[float, float, float, float, float]
    title: str


@dataclass(frozen=True)
class Cell:
    """A field of a map.

    Attributes:
        x, y: its middle; the chart's `cell` says how large it is.
        shade: its place in the colour map, from 0 to 1; None for a field without a value.
        text: what stands in it.
        best: whether it is the best of its row.
        title: its tooltip.
    """

    x: float
    y: float
    shade: float | None
    text: str
    best: bool
    title: str


@dataclass(frozen=True)
class ColourScale:
    """What the shades of cells mean.

    Attributes:
        label: what they measure.
        low, high: the values of the shades 0 and 1, as they are written.
        missing: what a cell without a shade means, an empty string where there is none.
    """

    label: str
    low: str
    high: str
    missing: str = ""


@dataclass(frozen=True)
class Chart:
    """A picture of one pair of axes, as data.

    Attributes:
        kind: "scatter", "cactus", …
        title: one line on top.
        x, y: its axes.
        series, rules, boxes, cells: what is drawn between them.
        notes: what has to be known to read it, in whole sentences.
        colours: what the shades of cells mean, None where there are none.
        square: whether both axes have the same length.
        cell: how wide and high cells are, in the units of the axes.
        legend: the heading of the legend.
    """

    kind: str
    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...] = ()
    rules: tuple[ReferenceLine, ...] = ()
    boxes: tuple[Box, ...] = ()
    cells: tuple[Cell, ...] = ()
    notes: tuple[str, ...] = ()
    colours: ColourScale | None = None
    square: bool = False
    cell: tuple[float, float] = (1.0, 1.0)
    legend: str = ""


def linear_axis(
    values: Iterable[float | None],
    label: str,
    *,
    unit: str = "",
    zero: bool = True,
    whole: bool = False,
    rail: str = "",
) -> Axis:
    """Return a linear axis on which all these values have a place.

    Args:
        values: None is one that belongs on the rail.
        unit: "s" or "B", which ticks are written with; else it has to be said in the label.
        zero: whether it begins at 0 where no value is smaller.
        whole: whether only whole numbers are named.
        rail: what None means; there is a rail only if there is such a value.
    """
    values = list(values)
    known = [value for value in values if value is not None and isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if zero and low >= 0:
        low = 0.0
    if high == low:
        high = low + (abs(low) or 1.0)
    padding = PADDING * (high - low)
    begin, end = (low if zero and low == 0 else low - padding), high + padding
    step = _nice_step((end - begin) / MOST_TICKS * 1.2, whole=whole)
    places = [step * number for number in range(ceil(begin / step - 1e-9), floor(end / step + 1e-9) + 1)]
    ticks = tuple(Tick(place, label) for place, label in zip(places, _linear_labels(places, unit), strict=True))
    found = None
    if rail and None in values:
        length = (end - begin) / (1 - RAIL_SHARE)
        found = Rail(rail, end, begin + length * (1 - RAIL_SHARE / 2))
        end = begin + length
    return Axis(label, "linear", begin, end, ticks, found)


def log_axis(values: Iterable[float | None], label: str, *, unit: str = "", rail: str = "") -> Axis:
    """Return a logarithmic axis on which all these values have a place; the arguments are those of `linear_axis`."""
    values = list(values)
    known = [value for value in values if value is not None and isfinite(value)] or [1.0, 10.0]
    low, high = log10(min(known)), log10(max(known))
    if high - low < 0.5:
        middle = (high + low) / 2
        low, high = middle - 0.25, middle + 0.25
    padding = PADDING * (high - low)
    begin, end = low - padding, high + padding
    ticks = tuple(Tick(value, tick_label(value, unit)) for value in _log_ticks(10**begin, 10**end, unit))
    found = None
    if rail and None in values:
        length = (end - begin) / (1 - RAIL_SHARE)
        found = Rail(rail, 10**end, 10 ** (begin + length * (1 - RAIL_SHARE / 2)))
        end = begin + length
    return Axis(label, "log", 10**begin, 10**end, ticks, found)


def category_axis(names: Sequence[str], label: str = "", *, downwards: bool = False) -> Axis:
    """Return an axis of names, the first at its beginning; `with_short_names` shortens long ones.

    Args:
        downwards: whether the first of a vertical axis is on top.
    """
    ticks = tuple(Tick(place, name) for place, name in enumerate(names))
    ends = (-0.5, len(names) - 0.5)
    low, high = reversed(ends) if downwards else ends
    return Axis(label, "category", low, high, ticks)


def with_short_names(chart: Chart) -> Chart:
    """Return a chart whose series and categories have names that fit, with a note of what long names lack.

    Names lose what all of them have in common, and then what they differ least in.
    """
    of_series, notes = short_names([series.name for series in chart.series])
    series = tuple(replace(each, name=name) for each, name in zip(chart.series, of_series, strict=True))
    axes = []
    for axis in (chart.x, chart.y):
        labels, more = short_names([tick.label for tick in axis.ticks]) if axis.scale == "category" else ([], [])
        ticks = tuple(replace(tick, label=label) for tick, label in zip(axis.ticks, labels, strict=False))
        axes.append(replace(axis, ticks=ticks) if labels else axis)
        notes += more
    return replace(chart, series=series, x=axes[0], y=axes[1], notes=(*chart.notes, *notes))


def short_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names that fit and differ where they differ, and a note of what all of them lack; short ones stay."""
    if all(len(name) <= LONGEST_NAME for name in names):
        return list(names), []
    parts = [NAME_AND_COUNT.fullmatch(name) for name in names]
    bare = [part[1] if part else name for part, name in zip(parts, names, strict=True)]
    counts = [part[2] if part else "" for part in parts]
    begin, end = common_ends(bare)
    rest = TextColumn("", [name[len(begin) : len(name) - len(end)] for name in bare], is_text=True)
    short = [
        rest.shortened(name, LONGEST_NAME - len(count)) + count for name, count in zip(rest.cells, counts, strict=True)
    ]
    note = [f"names lack what all of them have in common: {begin}…{end}"] if begin or end else []
    return _told_apart(names, short), note


def _told_apart(names: Sequence[str], short: Sequence[str]) -> list[str]:
    """Return short names, with a number behind those that different names share."""
    sharing: dict[str, list[str]] = {}
    for name, found in zip(names, short, strict=True):
        if name not in sharing.setdefault(found, []):
            sharing[found].append(name)
    return [
        found if len(sharing[found]) == 1 else f"{found} #{sharing[found].index(name) + 1}"
        for name, found in zip(names, short, strict=True)
    ]


def tick_label(value: float, unit: str = "") -> str:
    """Return a number as it is written at an axis, at most four digits and the unit.

    >>> [tick_label(number) for number in (0.5, 20, 1500, 2_000_000)]
    ['0.5', '20', '1.5 k', '2 M']
    >>> tick_label(0.002, "s"), tick_label(90, "s"), tick_label(3 * 2**20, "B")
    ('2 ms', '90 s', '3 MiB')
    """
    if unit == "s":
        size, name = next((pair for pair in SECONDS if abs(value) >= pair[0] * 0.9999), SECONDS[-1])
        return "0" if value == 0 else f"{_short(value / size)} {name}"
    if unit == "B":
        size, name = next((pair for pair in BYTES if abs(value) >= pair[0]), (1.0, "B"))
        return "0" if value == 0 else f"{_short(value / size)} {name}"
    size, name = next((pair for pair in SI if abs(value) >= pair[0]), (1.0, ""))
    return f"{_short(value / size)} {name}".rstrip()


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def _linear_labels(places: list[float], unit: str) -> list[str]:
    """Return the labels of ticks with one unit for all of them: that of the largest."""
    largest = max(map(abs, places), default=0.0)
    sizes = {"s": SECONDS, "B": BYTES}.get(unit, SI)
    size, name = next((pair for pair in sizes if largest >= pair[0]), sizes[-1] if unit == "s" else (1.0, unit))
    return [f"{_short(place / size)} {name}".rstrip() if abs(place) > largest * 1e-9 else "0" for place in places]


def _nice_step(least: float, *, whole: bool) -> float:
    """Return 1, 2 or 5 times a power of ten, no smaller than `least`."""
    power = 10.0 ** floor(log10(least))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.9999)
    return max(step, 1.0) if whole else step


def _log_ticks(low: float, high: float, unit: str) -> list[float]:
    """Return powers of ten between two numbers, of bytes powers of two; over a short range 1, 2, 5 of each power."""
    if unit == "B":
        first, last = ceil(log2(low) - 1e-9), floor(log2(high) + 1e-9)
        step = next(step for step in (1, 2, 5, 10, 20, 40) if (last - first) / step < MOST_TICKS)
        return [2.0**power for power in range(first, last + 1) if power % step == 0]
    first, last = floor(log10(low)), ceil(log10(high))
    powers = [_power(power) for power in range(first, last + 1)]
    factors = (1, 2, 5) if log10(high / low) < 2 else (1, 3) if log10(high / low) < 3 else (1,)
    ticks = [power * factor for power in powers for factor in factors if low <= power * factor <= high]
    return ticks[:: ceil(len(ticks) / MOST_TICKS)]


def _power(power: int) -> float:
    return float(10**power) if power >= 0 else 1 / 10**-power
