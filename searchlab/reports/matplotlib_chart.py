"""Charts drawn by matplotlib: on axes of the caller's figure, or as a figure of their own."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from searchlab.errors import UsageError
from searchlab.reports.chart import CIVIDIS, DARK, LIGHT, Chart, band_opacity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MatplotlibAxis
    from matplotlib.figure import Figure

    from searchlab.reports.chart import Axis, Cell, Series

MARKERS = ("o", "s", "^", "D", "v", "P", "p", "h")
DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 2)), (0, (1.2, 1.4)), (0, (6, 2, 1.4, 1.4)), (0, (4, 1.5, 1, 1, 1, 1.5))),
    *((0, (9, 3)), (0, (1, 2.6)), (0, (3, 3))),
)
COLUMNS = 2
"""Of several charts."""
NOT_MARKED = 60
"""Lines of more points have no markers."""
POINTS_PER_PIXEL = 0.75
ROW, CELL = 0.3, 0.78
"""Inches of a row of bars, and of the column of a map."""
SETTINGS = {"svg.hashsalt": "searchlab", "svg.fonttype": "none", "pdf.fonttype": 42, "font.family": "sans-serif"}
"""Settings that make the same chart the same file, with text stored as text."""
INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
GROUNDED = ("axes.facecolor", "figure.facecolor")
GROUNDS = {"light": "#ffffff", "dark": "#17191c"}
INKS = {"light": "#1c1c1c", "dark": "#ececec"}


def need_matplotlib(what: str) -> None:
    """Check that matplotlib is installed, which only the extra `plots` brings.

    Raises:
        UsageError: it is not; the message says how to install it.
    """
    if find_spec("matplotlib") is None:
        raise UsageError(f"{what} needs matplotlib; install it with: pip install matplotlib")


def draw(chart: Chart, ax: Axes | None = None) -> Axes:
    """Draw a chart on axes, those of pyplot's current figure if none are given; the legend stands beside them.

    The colours suit the ground of the axes, light or dark (`plt.style.use("dark_background")`).
    """
    need_matplotlib("sl.plot")
    if ax is None:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=size_of(chart), layout="constrained")
        figure.set_label(chart.kind)
    painter = _ChartPainter(chart, ax)
    painter.paint()
    return ax


def draw_all(charts: Sequence[Chart]) -> list[Axes]:
    """Draw charts beside and below each other on a figure of pyplot, and return their axes."""
    need_matplotlib("sl.plot")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=_size_of_all(charts, COLUMNS), layout="constrained")
    figure.set_label(charts[0].kind)
    return _draw_on(figure, charts, COLUMNS)


def save(
    charts: Chart | Sequence[Chart],
    stream: BinaryIO,
    format_: Literal["png", "pdf", "svg"],
    *,
    theme: str = "light",
) -> None:
    """Write one chart, or several beside and below each other, to an open file; its notes stand below.

    Args:
        theme: "light" or "dark".
    """
    from textwrap import fill

    import matplotlib as mpl
    from matplotlib.figure import Figure

    listed = [charts] if isinstance(charts, Chart) else list(charts)
    ground, ink = GROUNDS[theme], INKS[theme]
    settings: Any = {**SETTINGS, **dict.fromkeys(INKED, ink), **dict.fromkeys(GROUNDED, ground)}
    with mpl.rc_context(settings):
        width, height = _size_of_all(listed, COLUMNS)
        figure = Figure(figsize=(width, height), layout="constrained")
        _draw_on(figure, listed, COLUMNS)
        notes = dict.fromkeys(note for chart in listed for note in chart.notes)
        if notes:
            said = "\n".join(fill(_literal(note), int(width * 15)) for note in notes)
            figure.supxlabel(said, fontsize=8, x=0.01, ha="left", color=INKS[theme], alpha=0.75)
        metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format_, {})
        figure.savefig(stream, format=format_, metadata=metadata, dpi=200, bbox_inches="tight", pad_inches=0.08)


def _rows(charts: Sequence[Chart], columns: int) -> list[Sequence[Chart]]:
    return [charts[place : place + columns] for place in range(0, len(charts), columns)]


def _size_of_all(charts: Sequence[Chart], columns: int) -> tuple[float, float]:
    rows = _rows(charts, columns)
    width = max(sum(size_of(chart)[0] for chart in row) for row in rows)
    return width, sum(max(size_of(chart)[1] for chart in row) for row in rows)


def _draw_on(figure: Figure, charts: Sequence[Chart], columns: int) -> list[Axes]:
    """Draw charts on a figure, and return their axes."""
    rows = _rows(charts, columns)
    grid = figure.add_gridspec(len(rows), max(map(len, rows)))
    return [
        draw(chart, figure.add_subplot(grid[number, place]))
        for number, row in enumerate(rows)
        for place, chart in enumerate(row)
    ]


def size_of(chart: Chart) -> tuple[float, float]:
    """Return the size of a figure for one chart, in inches."""
    columns, rows = len(chart.x.ticks), len(chart.y.ticks)
    names = max((len(tick.label) for tick in chart.y.ticks), default=0) * 0.085
    legend = max((len(series.name) for series in chart.series), default=0) * 0.085 + 0.6
    legend = legend if any(series.name for series in chart.series) else 0.2
    if chart.x.scale == "category":
        turned = max(len(tick.label) for tick in chart.x.ticks) * 0.06
        return names + columns * CELL + 1.4, rows * ROW + turned + 0.8
    height = 4.4 if chart.square else 3.8
    if chart.y.scale == "category":
        height = rows * (2 * ROW if chart.kind == "scores" else ROW) + 1.2
    return names + 4.6 + legend, max(1.8, height)


class _ChartPainter:
    """Draws a chart on axes."""

    def __init__(self, chart: Chart, ax: Axes) -> None:
        from matplotlib.colors import to_rgb

        self.chart, self.ax = chart, ax
        red, green, blue = to_rgb(ax.get_facecolor())
        self.is_dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.4
        self.colours = DARK if self.is_dark else LIGHT
        self.muted = "#a9a9a9" if self.is_dark else "#595959"
        self.band = "#3a3d42" if self.is_dark else "#e4e4e4"
        self.ink = INKS["dark" if self.is_dark else "light"]

    def paint(self) -> None:
        chart, ax = self.chart, self.ax
        ax.set_title(_literal(chart.title), loc="left", fontsize="medium", fontweight="bold")
        self._axis(chart.x, ax.xaxis, "x")
        self._axis(chart.y, ax.yaxis, "y")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        if chart.square:
            ax.set_box_aspect(1)
        self._rails()
        self._cells()
        for rule in chart.rules:
            ax.plot(rule.x, rule.y, color=self.muted, linewidth=0.9, linestyle="-" if rule.strong else ":", zorder=1.5)
            if rule.label:
                ax.annotate(
                    rule.label,
                    (rule.x[1], rule.y[1]),
                    (-2, 1),
                    textcoords="offset points",
                    fontsize="x-small",
                    color=self.muted,
                    ha="right",
                    va="bottom" if rule.y[0] == rule.y[1] else "top",
                    bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "alpha": 0.75, "pad": 0.6},
                )
        self._boxes()
        for series in chart.series:
            self._series(series)
        if any(series.name for series in chart.series):
            legend = ax.legend(
                loc="upper left",
                bbox_to_anchor=(1.01, 1),
                borderaxespad=0,
                frameon=False,
                fontsize="small",
                title=_literal(chart.legend) or None,
                alignment="left",
            )
            for text in legend.get_texts():
                text.set_parse_math(False)

    def _axis(self, axis: Axis, on: MatplotlibAxis, name: str) -> None:
        from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

        if axis.scale == "log":
            self.ax.set(**{f"{name}scale": "log"})
        self.ax.set(**{f"{name}lim": (axis.low, axis.high), f"{name}label": _literal(axis.label)})
        on.set_major_locator(FixedLocator([tick.value for tick in axis.ticks]))
        on.set_minor_locator(NullLocator())
        on.set_major_formatter(FixedFormatter([_literal(tick.label) for tick in axis.ticks]))
        if axis.scale != "category":
            on.grid(visible=True, color=self.band, linewidth=0.8)
        else:
            on.set_tick_params(length=0)
            if name == "x" and max(len(tick.label) for tick in axis.ticks) > 9:
                self.ax.tick_params(axis="x", labelrotation=40)
                for label in self.ax.get_xticklabels():
                    label.set(ha="right", rotation_mode="anchor")

    def _rails(self) -> None:
        x, y, ax = self.chart.x, self.chart.y, self.ax
        style: dict[str, Any] = {"color": self.muted, "linewidth": 0.9, "linestyle": "--", "zorder": 1.4}
        said: dict[str, Any] = {"fontsize": "x-small", "color": self.muted}
        if x.rail:
            ax.axvspan(x.rail.begin, x.high, color=self.band, alpha=0.55, zorder=0.5, linewidth=0)
            ax.axvline(x.rail.begin, **style)
            ax.text(0.995, 0.02, x.rail.label, transform=ax.transAxes, rotation=90, ha="right", va="bottom", **said)
        if y.rail:
            ax.axhspan(y.rail.begin, y.high, color=self.band, alpha=0.55, zorder=0.5, linewidth=0)
            ax.axhline(y.rail.begin, **style)
            ax.text(0.01, 0.99, y.rail.label, transform=ax.transAxes, ha="left", va="top", **said)

    def _places(self, series: Series) -> tuple[list[float], list[float]]:
        x, y = self.chart.x.rail, self.chart.y.rail
        xs = [value if value is not None else x.at if x else 0.0 for value in series.x]
        return xs, [value if value is not None else y.at if y else 0.0 for value in series.y]

    def _series(self, series: Series) -> None:
        colour = self.colours[series.style % len(self.colours)]
        shift = series.style + series.style // len(self.colours)
        marker, dashes = MARKERS[shift % len(MARKERS)], DASHES[shift % len(DASHES)]
        xs, ys = self._places(series)
        label = _literal(series.name) or None
        ax = self.ax
        if series.mark == "bars":
            lengths = [x - start for x, start in zip(xs, series.starts, strict=True)]
            ax.barh(ys, lengths, height=0.62, left=list(series.starts), color=colour, label=label)
        elif series.mark == "points":
            style: dict[str, Any] = {"s": 22, "marker": marker, "edgecolors": colour, "alpha": 0.85, "zorder": 3}
            inside = [x is not None and y is not None for x, y in zip(series.x, series.y, strict=True)]
            filled = "none" if series.hollow else colour
            for is_inside, face in ((True, filled), (False, "none")):  # hollow on a rail
                chosen = [number for number, its in enumerate(inside) if its is is_inside]
                if chosen or is_inside:
                    named = label if is_inside else None
                    places = [xs[n] for n in chosen], [ys[n] for n in chosen]
                    ax.scatter(*places, facecolors=face, label=named, **style)
        else:
            steps: Any = "steps-post" if series.mark == "steps" else "default"
            broken = [float("nan") if y is None else y for y in series.y]
            shown = marker if series.mark == "line" and len(xs) <= NOT_MARKED else ""
            line: dict[str, Any] = {"color": colour, "linewidth": 1.8, "drawstyle": steps, "label": label}
            ax.plot(xs, broken, linestyle=dashes, marker=shown, markersize=4.5, **line)
            railed = [(x, y) for x, y, value in zip(xs, ys, series.y, strict=True) if value is None]
            for x, y in railed:
                ax.plot([x], [y], marker=marker, markersize=5.5, color=colour, fillstyle="none", linestyle="")
            if series.lows:
                opacity = band_opacity(self.chart.series)
                edges: Any = "post" if series.mark == "steps" else None
                ax.fill_between(xs, series.lows, series.highs, step=edges, color=colour, alpha=opacity, linewidth=0)
        if series.lows and series.mark in ("bars", "points"):
            has_names = self.chart.y.scale == "category"
            draw_lines, at = (ax.hlines, ys) if has_names else (ax.vlines, xs)
            draw_lines(at, series.lows, series.highs, color=self.ink, linewidth=1.3, zorder=3.5)
        if series.areas:
            sizes = [area * POINTS_PER_PIXEL**2 for area in series.areas]
            ax.scatter(xs, ys, sizes, facecolors=[(colour, 0.1)], edgecolors=[(colour, 0.5)], zorder=2)
        for number, text in enumerate(series.labels):
            highs = series.highs[number : number + 1] if self.chart.y.scale == "category" else ()
            end = max([xs[number], *highs])
            ax.annotate(
                _literal(text), (end, ys[number]), (5, 0), textcoords="offset points", va="center", fontsize="small"
            )

    def _boxes(self) -> None:
        for box in self.chart.boxes:
            colour = self.colours[box.style % len(self.colours)]
            lowest, lower, middle, upper, highest = box.quantiles
            self.ax.hlines([box.y, box.y], [lowest, upper], [lower, highest], color=colour, linewidth=1)
            self.ax.vlines([lowest, highest], box.y - 0.1, box.y + 0.1, color=colour, linewidth=1)
            self.ax.barh(
                [box.y], [upper - lower], height=0.42, left=[lower], facecolor=(colour, 0.18), edgecolor=colour
            )
            self.ax.vlines([middle], box.y - 0.21, box.y + 0.21, color=colour, linewidth=2.2)

    def _cells(self) -> None:
        chart, ax = self.chart, self.ax
        if not chart.cells:
            return
        from matplotlib.collections import PatchCollection
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Rectangle

        colours = LinearSegmentedColormap.from_list("searchlab", list(CIVIDIS))
        known = [cell for cell in chart.cells if cell.shade is not None]
        width, height = chart.cell

        def rectangle(cell: Cell, part: float = 1.0, **style: Any) -> Rectangle:
            corner = cell.x - width * part / 2, cell.y - height * part / 2
            return Rectangle(corner, width * part, height * part, **style)

        squares = PatchCollection([rectangle(cell) for cell in known], cmap=colours, zorder=1)
        squares.set_array([cell.shade for cell in known])  # type: ignore[arg-type]
        squares.set_clim(0, 1)
        is_map = chart.x.scale == "category"
        squares.set(edgecolor=ax.get_facecolor() if is_map else "face", linewidth=1.6 if is_map else 0.1)
        ax.add_collection(squares)
        for cell in chart.cells:
            if cell.shade is None:
                hatched: dict[str, Any] = {
                    "fill": False,
                    "hatch": "////",
                    "edgecolor": self.muted,
                    "linewidth": 0,
                    "alpha": 0.5,
                }
                ax.add_patch(rectangle(cell, zorder=1, **hatched))
            if cell.best:
                ax.add_patch(rectangle(cell, 0.92, fill=False, edgecolor=self.colours[1], linewidth=2, zorder=3))
            if cell.text:
                ink = self.ink if cell.shade is None else "#ffffff" if cell.shade < 0.55 else "#000000"
                weight = "bold" if cell.best else "normal"
                ax.text(
                    cell.x, cell.y, _literal(cell.text), color=ink, fontweight=weight, fontsize="x-small",
                    ha="center", va="center",
                )  # fmt: skip
        if is_map:
            ax.spines[["left", "bottom"]].set_visible(False)
        scale = chart.colours
        if scale:
            bar = ax.figure.colorbar(squares, ax=ax, pad=0.02, fraction=0.05, aspect=12, shrink=0.8)
            bar.set_ticks([0, 1], labels=[_literal(scale.low), _literal(scale.high)])
            bar.set_label(_literal(f"{scale.label} (hatched: {scale.missing})" if scale.missing else scale.label))
            bar.outline.set_visible(False)


def _literal(text: str) -> str:
    """Return a text that matplotlib shows literally: a dollar sign does not begin a formula."""
    from searchlab.errors.control_characters import one_line

    return one_line(text).replace("$", r"\$")
