"""Charts as SVG: small, without a library, light and dark, with tooltips.

The colours are CSS variables that follow `prefers-color-scheme`; programs that know no CSS variables show the light
ones, which stand in the attributes. A page that holds several drawings needs the style only once: `stylesheet()`.
"""

from __future__ import annotations

import re
from html import escape
from math import cos, pi, radians, sin, sqrt
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from searchlab.errors.control_characters import one_line
from searchlab.reports.chart import CIVIDIS, DARK, LIGHT, Chart, band_opacity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlab.reports.chart import Cell, ColourScale, Series

Rectangle = tuple[float, float, float, float]
"""The left, upper, right and lower end."""
Theme = Literal["auto", "light", "dark", "page"]

SIZE, SMALL, LARGE = 12, 11, 14
"""Font sizes in pixels: of labels, of notes, of titles."""
BOLD = 1.12
"""How much wider bold letters are."""
PLOT_WIDTH, PLOT_HEIGHT, SQUARE = 480, 320, 380
ROW_HEIGHT, CELL_WIDTH = 26, 74
LEAST_WIDTH = 380
GAP = 8
SLOPE = 40
"""The angle in degrees of names below a map that are wider than its columns."""
RADIUS = 3.6
MOST_EXACT = 5000
"""The largest number of points drawn at exact places; more points are rounded to whole pixels."""
MOST_POINTS = 2000
"""The number of points from which a series is one path without tooltips: 10,000 tooltips take 100 KB."""
MARKED_LINE = 60
"""Lines of more points have no markers."""
DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "5 2 1 2 1 2", "12 4", "1 3", "4 4")
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
INK = {"ink": ("#1c1c1c", "#ececec"), "muted": ("#595959", "#a9a9a9"), "grid": ("#e4e4e4", "#3a3d42")}
INK["ground"] = ("#ffffff", "#17191c")
NARROW, BROAD = set("iljtfrI.,:;'|!()[] /-"), set("mwMW@%—…×")


def svg(
    charts: Chart | Sequence[Chart],
    *,
    theme: Theme = "auto",
    columns: int = 2,
    styled: bool = True,
    most_points: int = MOST_POINTS,
) -> str:
    """Return a drawing of one chart, or of several beside and below each other.

    Args:
        theme: "light" or "dark", or "auto" for the preference of the reader's browser.
        columns: the number of charts in a row.
        styled: whether to include the style; not needed on a page with `stylesheet()`.
        most_points: the largest number of points of a series with tooltips; longer series are one path. If it is
            smaller than usual, longer curves have integer coordinates, which keeps pages with many runs small.
    """
    listed = [charts] if isinstance(charts, Chart) else list(charts)
    drawings = [_Drawing(chart, most_points) for chart in listed]
    rows = [drawings[place : place + columns] for place in range(0, len(drawings), columns)]
    width = max(sum(each.width for each in row) + 2 * GAP * (len(row) - 1) for row in rows)
    height = sum(max(each.height for each in row) for row in rows) + 2 * GAP * (len(rows) - 1)
    parts = []
    y = 0.0
    for row in rows:
        x = 0.0
        for each in row:
            parts.append(f'<g transform="translate({_n(x)} {_n(y)})">{each.content}</g>' if x or y else each.content)
            x += each.width + 2 * GAP
        y += max(each.height for each in row) + 2 * GAP
    label = "; ".join(_text(chart.title) for chart in listed)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="searchlab-chart" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'width="{_n(width)}" height="{_n(height)}" style="max-width:100%;height:auto" role="img" aria-label="{label}" '
        f'font-family="system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif" font-size="{SIZE}">'
    )
    style = f"<style>{stylesheet(theme)}</style>" if styled else ""
    hatch = (
        '<defs><pattern id="searchlab-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)">'
        '<path d="M0 0V6" stroke="#595959" class="muted-line" stroke-width="1.6"/></pattern></defs>'
        if any(chart.cells for chart in listed)
        else ""
    )
    ground = f'<rect width="100%" height="100%" fill="{INK["ground"][0]}" class="ground"/>' if styled else ""
    return f"{head}{style}{hatch}{ground}{''.join(parts)}</svg>\n"


def stylesheet(theme: Theme = "auto") -> str:
    """Return the style that charts need on a page, with all rules inside `.searchlab-chart`.

    Args:
        theme: "page" follows the page's `data-theme` if set, else the preference of the reader's browser.
    """
    light, dark = (_variables(place) for place in (0, 1))
    variables = {
        "light": f".searchlab-chart{{{light}}}",
        "dark": f".searchlab-chart{{{dark}}}",
        "auto": f".searchlab-chart{{{light}}}@media(prefers-color-scheme:dark){{.searchlab-chart{{{dark}}}}}",
        "page": f".searchlab-chart{{{light}}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]) .searchlab-chart{{{dark}}}}}"
        f":root[data-theme=dark] .searchlab-chart{{{dark}}}",
    }[theme]
    names = [*(f"c{place}" for place in range(len(LIGHT))), *INK]
    rules = "".join(
        f".searchlab-chart .{name}{{fill:var(--{name})}}.searchlab-chart .{name}-line{{stroke:var(--{name})}}"
        for name in names
    )
    return variables + rules


def _variables(place: int) -> str:
    colours = {f"c{number}": colour for number, colour in enumerate((LIGHT, DARK)[place])}
    return ";".join(f"--{name}:{value}" for name, value in {**colours, **{k: v[place] for k, v in INK.items()}}.items())


class _Drawing:
    """One chart: its content and size."""

    def __init__(self, chart: Chart, most_points: int) -> None:
        self.chart, self.most_points = chart, most_points
        self._measure()
        self.content = "".join(self._parts())

    def _measure(self) -> None:
        """Compute the layout."""
        chart = self.chart
        columns, rows = len(chart.x.ticks), len(chart.y.ticks)
        widest = max((_width(tick.label) for tick in chart.y.ticks), default=0.0)
        self.plot_width: float = SQUARE if chart.square else PLOT_WIDTH
        self.plot_height: float = SQUARE if chart.square else PLOT_HEIGHT
        if chart.y.scale == "category":
            self.plot_height = max(2, rows) * ROW_HEIGHT if chart.kind != "scores" else rows * 2 * ROW_HEIGHT
        if chart.x.scale == "category":
            self.plot_width = columns * CELL_WIDTH
        self.left = widest + 10 + (20 if chart.y.label else 0)
        self.top = LARGE + 14.0
        self.right = max([14.0, *self._overhangs()])
        if chart.x.ticks and chart.x.scale != "category":
            last = chart.x.ticks[-1]
            over = _width(last.label) / 2 - (1 - chart.x.place(last.value)) * self.plot_width + 4
            self.right = max(self.right, over)
        self.bottom = 8.0 + SIZE + (20 if chart.x.label else 0)
        self.turned = False
        if chart.x.scale == "category":
            widths = [_width(tick.label) for tick in chart.x.ticks]
            self.turned = max(widths) > CELL_WIDTH - 6
            if self.turned:
                self.bottom = max(widths) * sin(radians(SLOPE)) + SIZE + 10
                turned = [w * cos(radians(SLOPE)) - (n + 0.5) * CELL_WIDTH for n, w in enumerate(widths)]
                self.left = max(self.left, max(turned) + 8)
        self.width = max(LEAST_WIDTH, self.left + self.plot_width + self.right, BOLD * _width(chart.title, LARGE) + 20)
        self.entries = self._legend()
        notes = [line for note in chart.notes for line in wrap(_plain(note), max(30, int(self.width / (SMALL * 0.6))))]
        self.notes = notes
        self.legend_rows = self.entries[-1][1] + 1 if self.entries else 0
        self.legend_top = self.top + self.plot_height + self.bottom + (10 if self.legend_rows or chart.colours else 0)
        self.notes_top = (
            self.legend_top
            + self.legend_rows * (22 if chart.colours else 18)
            + (34 if chart.colours else 0)
            + (6 if notes else 0)
        )
        self.height = self.notes_top + len(notes) * (SMALL + 4) + 8

    def _overhangs(self) -> Iterator[float]:
        """Yield how far the texts beside bars and points extend beyond the axes."""
        for series in self.chart.series if self.chart.y.scale == "category" else ():
            for number, label in enumerate(series.labels):
                x = series.x[number]
                ends = [value for value in (x, *series.highs[number : number + 1]) if value is not None]
                yield _width(label) + 14 - (1 - max(map(self.chart.x.place, ends))) * self.plot_width

    def _legend(self) -> list[tuple[float, int, Series]]:
        """Return the position of each legend entry: the distance from the left, and the row."""
        entries: list[tuple[float, int, Series]] = []
        x, row = 10.0, 0
        for series in self.chart.series:
            if not series.name:
                continue
            needed = 30 + _width(series.name) + 14
            if x > 10 and x + needed > self.width:
                x, row = 10.0, row + 1
            entries.append((x, row, series))
            x += needed
        return entries

    def _x(self, value: float | None) -> float:
        return self.left + self.chart.x.place(value) * self.plot_width

    def _y(self, value: float | None) -> float:
        return self.top + (1 - self.chart.y.place(value)) * self.plot_height

    def _parts(self) -> Iterator[str]:
        chart = self.chart
        yield _label(10, LARGE + 3, chart.title, size=LARGE, weight=600)
        yield from self._axes()
        for cell in chart.cells:
            yield self._cell(cell)
        yield from self._best_cells()
        yield from self._rules()
        yield from self._boxes()
        yield from self._circles()
        for series in chart.series:
            yield from self._series(series)
        if chart.y.scale != "category":
            yield from self._labels()
        yield from self._legend_parts()
        if chart.colours:
            yield from self._colour_scale(chart.colours)
        for number, note in enumerate(self.notes):
            yield _label(10, self.notes_top + SMALL + number * (SMALL + 4), note, size=SMALL, colour="muted")

    def _axes(self) -> Iterator[str]:
        chart = self.chart
        left, right = self.left, self.left + self.plot_width
        top, bottom = self.top, self.top + self.plot_height
        is_map = bool(chart.cells) and chart.x.scale == "category"
        if chart.x.rail:
            yield _band(self._x(chart.x.rail.begin), top, right, bottom)
        if chart.y.rail:
            yield _band(left, top, right, self._y(chart.y.rail.begin))
        for tick in chart.x.ticks if not is_map else ():
            if chart.x.scale != "category":
                yield _line(self._x(tick.value), top, self._x(tick.value), bottom, "grid")
        for tick in chart.y.ticks:
            if chart.y.scale != "category":
                yield _line(left, self._y(tick.value), right, self._y(tick.value), "grid")
            yield _label(left - 7, self._y(tick.value) + 4, tick.label, anchor="end")
        for tick in chart.x.ticks:
            x, y = self._x(tick.value), bottom + SIZE + 5
            if self.turned:
                yield _label(x + 4, bottom + 14, tick.label, anchor="end", turn=-SLOPE)
            else:
                yield _label(x, y, tick.label, anchor="middle")
        if not is_map:
            yield _line(left, bottom, right, bottom, "ink")
            yield _line(left, top, left, bottom, "ink")
        if chart.x.rail:
            x = self._x(chart.x.rail.begin)
            yield _line(x, top, x, bottom, "muted", dashes="4 3")
            yield _label(right - 4, bottom - 8, chart.x.rail.label, size=SMALL, colour="muted", turn=-90)
        if chart.y.rail:
            y = self._y(chart.y.rail.begin)
            yield _line(left, y, right, y, "muted", dashes="4 3")
            yield _label(left + 6, top + SMALL + 1, chart.y.rail.label, size=SMALL, colour="muted")
        if chart.x.label:
            yield _label(left + self.plot_width / 2, bottom + SIZE + 24, chart.x.label, anchor="middle")
        if chart.y.label:
            yield _label(16, top + self.plot_height / 2, chart.y.label, anchor="middle", turn=-90)

    def _rules(self) -> Iterator[str]:
        for rule in self.chart.rules:
            x, y = self._x(rule.x[1]), self._y(rule.y[1])
            yield _line(self._x(rule.x[0]), self._y(rule.y[0]), x, y, "muted", dashes="" if rule.strong else "3 3")
            if rule.label:
                is_steep = x < self.left + self.plot_width * 0.85 and rule.x[0] != rule.x[1]
                place = (x - 14, y + 13) if is_steep else (x - 5, y - 4)
                yield _label(*place, rule.label, anchor="end", size=SMALL, colour="muted", halo=True)

    def _circles(self) -> Iterator[str]:
        for series in self.chart.series:
            name, colour = _colour(series.style), LIGHT[series.style % len(LIGHT)]
            for area, x, y in zip(series.areas, series.x, series.y, strict=False):
                yield (
                    f'<circle cx="{_n(self._x(x))}" cy="{_n(self._y(y))}" r="{_n(sqrt(area / pi))}" fill="{colour}" '
                    f'class="{name} {name}-line" fill-opacity=".1" stroke="{colour}" stroke-opacity=".6" '
                    'pointer-events="none"/>'
                )

    def _series(self, series: Series) -> Iterator[str]:
        draw = {"points": self._points, "line": self._curve, "steps": self._curve, "bars": self._bars}[series.mark]
        yield from draw(series)

    def _points(self, series: Series) -> Iterator[str]:
        places = [(self._x(x), self._y(y)) for x, y in zip(series.x, series.y, strict=True)]
        has_names = self.chart.y.scale == "category"
        for low, high, (x, y) in zip(series.lows, series.highs, places, strict=False):
            if has_names:
                yield _line(self._x(low), y, self._x(high), y, "ink")
            else:
                yield _line(x, self._y(low), x, self._y(high), "ink")
        if len(places) > self.most_points:
            written = _whole if len(places) > MOST_EXACT else _n
            dots = "".join(dict.fromkeys(f"M{written(x)} {written(y)}h0" for x, y in places))  # one over another is one
            name = _colour(series.style)
            yield (
                f'<path d="{dots}" stroke="{LIGHT[series.style % len(LIGHT)]}" class="{name}-line" stroke-width="5" '
                'stroke-linecap="round" stroke-opacity=".55"/>'
            )
            return
        opacity = ".8" if len(places) < 200 else ".55"
        for number, (x, y) in enumerate(places):
            hollow = series.hollow or series.x[number] is None or series.y[number] is None
            title = series.titles[number] if series.titles else ""
            yield _marker(x, y, series.style, title, hollow=hollow, opacity=opacity)
        for number, text in enumerate(series.labels if has_names else ()):
            x, y = places[number]
            x = max(x, self._x(series.highs[number])) if series.highs else x
            yield _label(x + 9, y + 4, text)

    def _labels(self) -> Iterator[str]:
        """Yield the labels of points, each at the place beside its point where it covers least."""
        marked = [each for each in self.chart.series if each.mark == "points"]
        points = [(self._x(x), self._y(y)) for each in marked for x, y in zip(each.x, each.y, strict=True)]
        taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
        for each in marked:
            for low, high, x in zip(each.lows, each.highs, each.x, strict=False):
                taken.append((self._x(x) - 1, self._y(high), self._x(x) + 1, self._y(low)))
        frame = (self.left, self.top, self.left + self.plot_width, self.top + self.plot_height)
        texts = [text for each in marked for text in each.labels or ("",) * len(each.x)]
        for text, (x, y) in zip(texts, points, strict=True):
            if not text:
                continue
            width = _width(text, SMALL)
            boxes = [
                (left, y + down - SMALL, left + width, y + down + 3)
                for down in (4, -7, 15, -18, 26)
                for left in (x + 8, x - 8 - width, x - width / 2)
                if left != x - width / 2 or down in (-18, 26)
            ]
            best = min(boxes, key=lambda box: _covered(box, taken) - round(_shared(box, frame)))
            taken.append(best)
            yield _label(best[0], best[3] - 3, text, size=SMALL, halo=True)

    def _curve(self, series: Series) -> Iterator[str]:
        colour = LIGHT[series.style % len(LIGHT)]
        name = _colour(series.style)
        if series.lows:
            steps = series.mark == "steps"
            upper, lower = (self._edge(series.x, ends, steps=steps) for ends in (series.highs, series.lows))
            outline = "M" + "L".join([*upper, *reversed(lower)]) + "Z"
            opacity = f"{band_opacity(self.chart.series):.2f}".lstrip("0")
            yield f'<path d="{outline}" fill="{colour}" class="{name}" fill-opacity="{opacity}"/>'
        is_small = self.most_points < min(MOST_POINTS, len(series.x))
        written = _whole if is_small else _n
        path: list[str] = []
        before: float | None = None
        last_x = ""
        for x, y in zip(series.x, series.y, strict=True):
            if x is None or y is None:
                before = None
                continue
            px, py = written(self._x(x)), written(self._y(y))
            if before is None:
                path.append(f"M{px} {py}")
            elif series.mark == "steps":
                if px == last_x:
                    path.pop()  # steps at one place are one
                path.append(f"H{px}V{py}")
            else:
                path.append(f"L{px} {py}")
            before, last_x = y, px if before is not None else ""
        title = series.titles[0] if series.titles and series.mark == "steps" else ""
        dashes = _dashes(series.style)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        yield (
            f'<path d="{"".join(path)}" fill="none" stroke="{colour}" class="{name}-line" stroke-width="2"{dashed} '
            f'stroke-linejoin="round">{_title(title)}</path>'
        )
        if series.mark == "line" and len(series.x) <= MARKED_LINE:
            for number, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
                title = series.titles[number] if series.titles else ""
                yield _marker(self._x(x), self._y(y), series.style, title, hollow=x is None or y is None)

    def _edge(self, xs: Sequence[float | None], ys: Sequence[float], *, steps: bool) -> list[str]:
        """Return the points of one side of a band; of steps, those of the corners that can be told apart."""
        places = [(_n(self._x(x)), _n(self._y(y))) for x, y in zip(xs, ys, strict=True)]
        if not steps:
            return [f"{x} {y}" for x, y in places]
        last = dict(places)  # the last of those at one place counts
        corners: list[str] = []
        for x, y in last.items():
            corners += [f"{x} {corners[-1].split()[1]}"] if corners else []
            corners.append(f"{x} {y}")
        return corners

    def _bars(self, series: Series) -> Iterator[str]:
        height = ROW_HEIGHT * 0.62
        for number, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
            start, end, middle = self._x(series.starts[number]), self._x(x), self._y(y)
            title = series.titles[number] if series.titles else ""
            yield (
                f'<rect x="{_n(min(start, end))}" y="{_n(middle - height / 2)}" width="{_n(abs(end - start))}" '
                f'height="{_n(height)}" fill="{LIGHT[series.style % len(LIGHT)]}" class="{_colour(series.style)}">'
                f"{_title(title)}</rect>"
            )
            if series.lows:
                end = self._x(series.highs[number])
                yield _line(self._x(series.lows[number]), middle, end, middle, "ink", width=1.5)
            if series.labels:
                yield _label(max(start, end) + 6, middle + 4, series.labels[number])

    def _boxes(self) -> Iterator[str]:
        for box in self.chart.boxes:
            lowest, lower, middle, upper, highest = (self._x(value) for value in box.quantiles)
            y, half = self._y(box.y), 11
            name, colour = _colour(box.style), LIGHT[box.style % len(LIGHT)]
            yield _line(lowest, y, lower, y, name) + _line(upper, y, highest, y, name)
            yield _line(lowest, y - 5, lowest, y + 5, name) + _line(highest, y - 5, highest, y + 5, name)
            yield (
                f'<rect x="{_n(lower)}" y="{_n(y - half)}" width="{_n(upper - lower)}" height="{2 * half}" rx="2" '
                f'fill="{colour}" class="{name} {name}-line" fill-opacity=".18" stroke="{colour}">'
                f"{_title(box.title)}</rect>"
            )
            yield _line(middle, y - half, middle, y + half, name, width=2.5)

    def _size_of_cells(self) -> tuple[float, float]:
        chart = self.chart
        width = self.plot_width / abs(chart.x.high - chart.x.low) * chart.cell[0]
        return width, self.plot_height / abs(chart.y.high - chart.y.low) * chart.cell[1]

    def _cell(self, cell: Cell) -> str:
        width, height = self._size_of_cells()
        x, y = self._x(cell.x) - width / 2, self._y(cell.y) - height / 2
        gap = 1 if self.chart.x.scale == "category" else 0
        fill = "url(#searchlab-hatch)" if cell.shade is None else shade_colour(cell.shade)
        rect = (
            f'<rect x="{_n(x + gap)}" y="{_n(y + gap)}" width="{_n(width - 2 * gap)}" height="{_n(height - 2 * gap)}" '
            f'fill="{fill}"{" fill-opacity=" + chr(34) + ".45" + chr(34) if cell.shade is None else ""}>'
            f"{_title(cell.title)}</rect>"
        )
        if not cell.text:
            return rect
        middle = self._y(cell.y) + 4
        if cell.shade is None:
            return rect + _label(self._x(cell.x), middle, cell.text, anchor="middle", size=SMALL)
        colour = "#ffffff" if cell.shade < 0.55 else "#000000"
        weight = ' font-weight="700"' if cell.best else ""
        return rect + (
            f'<text x="{_n(self._x(cell.x))}" y="{_n(middle)}" text-anchor="middle" font-size="{SMALL}" fill="{colour}"'
            f'{weight} pointer-events="none">{_text(cell.text)}</text>'
        )

    def _best_cells(self) -> Iterator[str]:
        width, height = self._size_of_cells()
        for cell in self.chart.cells:
            if cell.best:
                x, y = self._x(cell.x) - width / 2 + 1, self._y(cell.y) - height / 2 + 1
                yield (
                    f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width - 2)}" height="{_n(height - 2)}" fill="none" '
                    f'stroke="{LIGHT[1]}" class="c1-line" stroke-width="2.4"/>'
                )

    def _legend_parts(self) -> Iterator[str]:
        for x, row, series in self.entries:
            y = self.legend_top + row * 18 + 8
            name, colour = _colour(series.style), LIGHT[series.style % len(LIGHT)]
            if series.mark == "bars":
                yield f'<rect x="{_n(x)}" y="{_n(y - 6)}" width="22" height="12" fill="{colour}" class="{name}"/>'
            elif series.mark == "points":
                yield _marker(x + 11, y, series.style, hollow=series.hollow)
            else:
                yield _line(x, y, x + 24, y, name, dashes=_dashes(series.style), width=2)
                if series.mark == "line" and len(series.x) <= MARKED_LINE:
                    yield _marker(x + 12, y, series.style)
            yield _label(x + 30, y + 4, series.name)

    def _colour_scale(self, scale: ColourScale) -> Iterator[str]:
        top = self.legend_top + self.legend_rows * 22
        x, y, step = 10 + _width(scale.low) + 6, top + SIZE + 6, 12
        yield _label(10, top + 8, scale.label, size=SMALL, colour="muted")
        yield _label(10, y + 10, scale.low, size=SMALL)
        for number in range(len(CIVIDIS)):
            yield f'<rect x="{_n(x + number * step)}" y="{_n(y)}" width="{step}" height="12" fill="{CIVIDIS[number]}"/>'
        x += len(CIVIDIS) * step + 6
        yield _label(x, y + 10, scale.high, size=SMALL)
        if scale.missing:
            x += _width(scale.high) + 22
            yield (
                f'<rect x="{_n(x)}" y="{_n(y)}" width="22" height="12" fill="url(#searchlab-hatch)" fill-opacity=".45" '
                f'stroke="{INK["muted"][0]}" class="muted-line" stroke-width=".5"/>'
            )
            yield _label(x + 28, y + 10, scale.missing, size=SMALL)


def shade_colour(shade: float) -> str:
    """Return the colour of a shade from 0 to 1."""
    place = min(max(shade, 0.0), 1.0) * (len(CIVIDIS) - 1)
    low = min(int(place), len(CIVIDIS) - 2)
    mixed = [
        round(a + (b - a) * (place - low)) for a, b in zip(_rgb(CIVIDIS[low]), _rgb(CIVIDIS[low + 1]), strict=True)
    ]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _colour(style: int) -> str:
    return f"c{style % len(LIGHT)}"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _whole(number: float) -> str:
    return f"{number:.0f}"


def _plain(text: str) -> str:
    """Return a text as one line of characters that XML allows."""
    return NOT_IN_XML.sub("\ufffd", one_line(text))


def _text(text: str) -> str:
    return escape(_plain(text))


def _title(text: str) -> str:
    return f"<title>{_text(text)}</title>" if text else ""


def _width(text: str, size: float = SIZE) -> float:
    """Return an upper estimate of the width of a text in common browser fonts."""
    widths = (
        0.38 if character in NARROW else 0.98 if character in BROAD else 0.72 if character.isupper() else 0.63
        for character in text
    )
    return size * sum(widths)


def _label(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: int = SIZE,
    colour: str = "ink",
    weight: int = 400,
    turn: float = 0,
    halo: bool = False,
) -> str:
    """Return a text; a halo separates its letters from the background."""
    around = " ground-line" if halo else ""
    attributes = [f'x="{_n(x)}"', f'y="{_n(y)}"', f'fill="{INK[colour][0]}"', f'class="{colour}{around}"']
    attributes += [f'stroke="{INK["ground"][0]}" stroke-width="3" paint-order="stroke"'] if halo else []
    attributes += [f'text-anchor="{anchor}"'] if anchor != "start" else []
    attributes += [f'font-size="{size}"'] if size != SIZE else []
    attributes += [f'font-weight="{weight}"'] if weight != 400 else []
    attributes += [f'transform="rotate({_n(turn)} {_n(x)} {_n(y)})"'] if turn else []
    return f"<text {' '.join(attributes)}>{_text(text)}</text>"


def _covered(box: Rectangle, others: Sequence[Rectangle]) -> int:
    """Return what a label in a box would cover of others, in square pixels."""
    return round(sum(_shared(box, other) for other in others))


def _shared(one: Rectangle, other: Rectangle) -> float:
    """Return the area that two boxes share, in square pixels."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(down, 0.0)


def _band(left: float, top: float, right: float, bottom: float) -> str:
    """Return the background of a rail."""
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" height="{_n(bottom - top)}" '
        f'fill="{INK["grid"][0]}" class="grid" fill-opacity=".55"/>'
    )


def _dashes(style: int) -> str:
    return DASHES[(style + style // len(LIGHT)) % len(DASHES)]


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashes: str = "", width: float = 1) -> str:
    """Return a line in the colour of a series (`c0`), or in one of `INK`."""
    stroke = INK[colour][0] if colour in INK else LIGHT[int(colour[1:])]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    thick = f' stroke-width="{width:g}"' if width != 1 else ""
    return f'<path d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" stroke="{stroke}" class="{colour}-line"{thick}{dashed}/>'


SHAPES = (
    "",
    "M-3.2 -3.2h6.4v6.4h-6.4z",
    "M0 -4.2L4 3H-4z",
    "M0 -4.6L4.6 0L0 4.6L-4.6 0z",
    "M0 4.2L4 -3H-4z",
    "M-1.3 -4.2h2.6v2.9h2.9v2.6h-2.9v2.9h-2.6v-2.9h-2.9v-2.6h2.9z",
    "M0 -4.6L4.4 -1.4L2.7 3.7H-2.7L-4.4 -1.4z",
    "M-4.2 0L-2.1 -3.6H2.1L4.2 0L2.1 3.6H-2.1z",
)
"""The markers of series, around (0, 0); the first is a circle."""


def _marker(x: float, y: float, style: int, title: str = "", *, hollow: bool = False, opacity: str = "") -> str:
    """Return the marker of a series; it is hollow on a rail."""
    name, colour = _colour(style), LIGHT[style % len(LIGHT)]
    fill = f'fill="none" stroke="{colour}" class="{name}-line" stroke-width="1.6" pointer-events="all"'
    if not hollow:
        fill = f'fill="{colour}" class="{name}"' + (f' fill-opacity="{opacity}"' if opacity else "")
    shape = SHAPES[(style + style // len(LIGHT)) % len(SHAPES)]
    if not shape:
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{RADIUS}" {fill}>{_title(title)}</circle>'
    return f'<path d="{shape}" transform="translate({_n(x)} {_n(y)})" {fill}>{_title(title)}</path>'
