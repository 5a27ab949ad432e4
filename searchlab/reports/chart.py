"""A chart as data: axes with ticks, and marks between them.

A `Chart` holds the marks and their positions in the units of the axes. `searchlab.reports.svg` and
`searchlab.reports.matplotlib_chart` draw it, and so can the JavaScript of a page (`dataclasses.asdict`, then JSON: a
chart contains no infinite values and no NaN). The kinds of charts are in `searchlab.reports.chart_kinds`.

A value that has no position, because a run was not solved, is None. It is drawn on the *rail* of the axis, a marked
border beyond the largest value. No value is omitted silently.
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
"""The share of an axis that its rail takes."""
PADDING = 0.03
"""The share of an axis between its ends and the outermost values."""
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
    """A labelled value of an axis.

    Attributes:
        value: the position on the axis.
        label: the text.
    """

    value: float
    label: str


@dataclass(frozen=True)
class Rail:
    """The marked border of an axis, for values without a position.

    Attributes:
        label: the name of such values: "unsolved".
        begin: the position of the border.
        at: the position at which the values are drawn.
    """

    label: str
    begin: float
    at: float


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`.

    Attributes:
        label: the quantity, with a unit if the ticks have none.
        scale: "linear", "log", or "category", which has the positions 0, 1, … of the tick labels as values.
        low, high: the values at the ends; `low` is the larger one if the axis runs backwards.
        ticks: the labelled values.
        rail: the rail for values without a position; None if there are none.
    """

    label: str
    scale: Scale
    low: float
    high: float
    ticks: tuple[Tick, ...]
    rail: Rail | None = None

    def place(self, value: float | None) -> float:
        """Return the position of a value: 0 at the beginning of the axis, 1 at the end; None is on the rail."""
        if value is None:
            assert self.rail is not None
            value = self.rail.at
        if self.scale == "log":
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Series:
    """Marks that belong together and share an entry of the legend.

    Attributes:
        name: the entry, `""` for none.
        mark: "points", a "line" through them, "steps" (a value holds until the next), or horizontal "bars".
        style: the number of the series, which determines colour, marker and dashes.
        x, y: the coordinates of the points, None for the rail; for bars, `x` is the end.
        titles: a tooltip for each point (a single one for steps); empty for none.
        labels: texts beside the points; empty for none.
        starts: the starts of bars.
        lows, highs: a band around lines and steps, or an interval for points and bars; empty for none. Intervals are
            vertical, but horizontal if the vertical axis has names.
        areas: the areas of circles around points, in square pixels; empty for none.
        hollow: whether points are outlines.
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
    areas: tuple[float, ...] = ()
    hollow: bool = False


def band_opacity(series: Sequence[Series]) -> float:
    """Return how opaque the bands around curves are: less where there are many, which lie over each other."""
    return 0.16 if sum(bool(each.lows) for each in series) <= 4 else 0.09


@dataclass(frozen=True)
class ReferenceLine:
    """A straight line for orientation: a diagonal, a factor, a total.

    Attributes:
        x, y: the two ends.
        label: the text beside the end, `""` for none.
        strong: whether it is drawn as the main line.
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
        style: the number that determines the colour.
        quantiles: 5 %, 25 %, 50 %, 75 % and 95 % of the values.
        title: the tooltip.
    """

    y: float
    style: int
    quantiles: tuple[float, float, float, float, float]
    title: str


@dataclass(frozen=True)
class Cell:
    """A field of a map.

    Attributes:
        x, y: the centre; the size is `cell` of the chart.
        shade: the position in the colour map, from 0 to 1; None for a field without a value.
        text: the text in the cell.
        best: whether it is the best of its row.
        title: the tooltip.
    """

    x: float
    y: float
    shade: float | None
    text: str
    best: bool
    title: str


@dataclass(frozen=True)
class ColourScale:
    """The legend for the shades of cells.

    Attributes:
        label: the quantity.
        low, high: the values of the shades 0 and 1, as text.
        missing: the meaning of a cell without a shade, `""` if there are none.
    """

    label: str
    low: str
    high: str
    missing: str = ""


@dataclass(frozen=True)
class Chart:
    """A picture with one pair of axes, as data.

    Attributes:
        kind: "scatter", "cactus", …
        title: one line on top.
        x, y: the axes.
        series, rules, boxes, cells: the marks.
        notes: whole sentences that explain how to read the chart.
        colours: the legend for the shades of cells, or None.
        square: whether both axes have the same length.
        cell: the width and height of cells, in the units of the axes.
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
    """Return a linear axis that has a position for all these values.

    Args:
        values: the values; None belongs on the rail.
        unit: "s" or "B", which ticks show; other units belong in the label.
        zero: whether to begin at 0 if no value is smaller.
        whole: whether to label integers only.
        rail: the meaning of None; without a None there is no rail.
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
    """Return a logarithmic axis that has a position for all these values; arguments as for `linear_axis`."""
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
    """Return an axis of names, the first at the beginning; `with_short_names` shortens long ones.

    Args:
        downwards: whether the first name of a vertical axis is at the top.
    """
    ticks = tuple(Tick(place, name) for place, name in enumerate(names))
    ends = (-0.5, len(names) - 0.5)
    low, high = reversed(ends) if downwards else ends
    return Axis(label, "category", low, high, ticks)


def with_short_names(chart: Chart) -> Chart:
    """Return a chart with the names of series and categories shortened to fit, and a note about the omitted text.

    Names first lose their common prefix and suffix, then the text in which they differ least.
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
    """Return short names that still differ, and a note about the text that all of them omit; short ones stay."""
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
    """Return short names, with a number appended to those that different names share."""
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
    """Return the labels of ticks, all in the unit of the largest."""
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
