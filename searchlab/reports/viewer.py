"""The viewer: a recording as a self-contained HTML page, which shows its beginning and end even without JavaScript.

The data that the page's script moves is computed here: the places of cells, the motions of tiles, the shapes of curves.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from math import floor, isinf, isnan, log10, nan
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from searchlab.board.display import board_label
from searchlab.errors.control_characters import one_line
from searchlab.reports.board_svg import Palette, animated_boards, board_svg
from searchlab.reports.pictures import picture_data, with_paths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment, Template

    from searchlab.reports.analysis import Analysis
    from searchlab.reports.pictures import Pictures
    from searchlab.reports.recording import Curve, Recording

ICONS = {
    "first": "M2 2h2v12H2zM14 2v12L5 8z",
    "back": "M12 2v12L3 8z",
    "forth": "M4 2v12l9-6z",
    "last": "M12 2h2v12h-2zM2 2v12l9-6z",
}
"""The shapes of the buttons of a player, in a square of 16."""
POINTS = 1000
"""The most values a curve shows: of more, the smallest and the largest of each interval are drawn."""
TICKS = 5
LONGEST_TABLE = 1000
"""The largest number of boards with a table of values, and of mistakes listed without the script."""
LISTED_MOVES = 16
"""The largest number of moves of a board with values on the page; the move played is always included."""


def viewer_page(recording: Recording, pictures: Pictures | None = None, analysis: Analysis | None = None) -> str:
    """Return a recording as an HTML page.

    Args:
        recording: the recording to show.
        pictures: draws the boards, None for tiles.
        analysis: an analysis of the game, shown move by move.
    """
    if analysis:
        recording = analysis.added_to(recording)
    boards = recording.boards
    palette = Palette.of(boards)
    charts = curves_charts(recording.curves, len(boards))
    draw = pictures.element if pictures else lambda board, path: board_svg(board, palette)
    return (
        _environment()
        .get_template("viewer.html")
        .render(
            recording=recording,
            title=one_line(recording.title),
            headline=one_line(recording.headline),
            facts=[(name, one_line(value)) for name, value in recording.facts],
            command=one_line(recording.command),
            moves=" ".join(map(one_line, recording.actions)),
            start=draw(boards[0], ()),
            final=draw(boards[-1], boards[:-1]),
            charts=charts,
            rows=_rows(recording) if len(boards) <= LONGEST_TABLE else (),
            analysis=analysis and _mistakes(analysis),
            content=as_script_data(recording_data(recording, palette, pictures, analysis, charts)),
        )
    )


def as_script_data(content: Any) -> Markup:
    r"""Return a value as JSON that is safe in a script element of a page, whatever texts it contains.

    >>> print(as_script_data({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"))


def asset(name: str) -> Markup:
    """Return a style sheet or script of this package to put into a page, without indentation and comment lines."""
    text = files("searchlab.reports").joinpath("templates", name).read_text(encoding="utf-8")
    lines = (line.lstrip() for line in text.splitlines())
    return Markup("\n".join(line for line in lines if not line.startswith("//")))


def page_template(name: str) -> Template:
    """Return a page template of this package."""
    return _environment().get_template(name)


def _icon(path: str) -> Markup:
    return Markup('<svg viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>').format(path)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("searchlab.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(asset=asset, icon={name: _icon(path) for name, path in ICONS.items()})
    return environment


def recording_data(
    recording: Recording,
    palette: Palette,
    pictures: Pictures | None = None,
    analysis: Analysis | None = None,
    charts: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the data for the script: boards as indexes of faces, moves as indexes of their names."""
    number_of: dict[str, int] = {}
    for action in recording.actions:
        number_of.setdefault(action, len(number_of))
    judged = {"analysis": _analysis(analysis, number_of, charts)} if analysis else {}
    content: dict[str, Any] = {
        "names": [one_line(name) for name in number_of],
        "moves": [number_of[action] for action in recording.actions],
        "curves": [{"name": curve.name, "values": _shortened(curve.values)} for curve in recording.curves],
        **judged,
    }
    if pictures:
        drawn = [pictures.draw(board, path) for board, path in with_paths(recording.boards)]
        labels = [board_label(board) for board in recording.boards] if pictures.are_images else []
        return {**content, **picture_data(drawn, are_images=pictures.are_images), "labels": labels}
    return {**content, **animated_boards(recording.boards, [step.motions for step in recording.steps], palette)}


def _analysis(analysis: Analysis, number_of: dict[str, int], charts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return an analysis for the script: of each position the loss, and the moves with their values, the best first.

    Without values these are the player's move, and the played one if it is another.
    """
    positions: list[list[float | str | None]] = []
    for position in analysis.positions:
        listed = list(position.values.items())
        if position.best and not listed:
            listed = [(action, nan) for action in dict.fromkeys((position.best, position.played))]
        shown = listed[:LISTED_MOVES]
        if position.values and position.played not in dict(shown):
            shown.append((position.played, position.values[position.played]))
        told: list[float | str | None] = [_plain(position.loss), len(listed)]
        for action, value in shown:
            told += [number_of.setdefault(action, len(number_of)), _plain(value)]
        positions.append(told)
    low, high = charts[-1]["range"] if charts else (0, 0)
    return {
        "player": one_line(analysis.player),
        "threshold": analysis.threshold,
        "headline": one_line(analysis.headline),
        "has_values": analysis.has_values,
        "decimals": analysis.decimals,
        "low": low,
        "high": high,
        "positions": positions,
    }


def _mistakes(analysis: Analysis) -> dict[str, Any]:
    """Return the mistakes of a game and the moves that the player would not make, for a page without its script."""
    return {
        "player": one_line(analysis.player),
        "threshold": analysis.threshold,
        "headline": one_line(analysis.headline),
        "has_values": analysis.has_values,
        "mistakes": [
            (number + 1, one_line(position.played), one_line(position.best), loss)
            for number in [*analysis.mistakes, *analysis.other_moves][:LONGEST_TABLE]
            for position in [analysis.positions[number]]
            for loss in ["–" if isnan(position.loss) else f"{position.loss:,.{analysis.decimals}f}"]
        ],
    }


def _plain(value: float) -> float | str | None:
    """Return a number as JSON can hold it, infinite ones as text."""
    if isnan(value):
        return None
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = float(f"{value:.8g}")
    return int(rounded) if rounded.is_integer() else rounded


def _rows(recording: Recording) -> list[tuple[int, str, list[str]]]:
    """Return the table behind the curves: the number of each move, its name, and the values after it."""
    columns = [_shortened(curve.values) for curve in recording.curves]
    actions = ("", *map(one_line, recording.actions))
    return [
        (number, action, ["" if column[number] is None else f"{column[number]:,.10g}" for column in columns])
        for number, action in enumerate(actions)
    ]


def _shortened(values: Sequence[float | None]) -> list[float | None]:
    """Return numbers with the digits worth reading, integers without a decimal point."""
    rounded = (value if value is None else float(f"{value:.6g}") for value in values)
    return [int(value) if value is not None and value.is_integer() else value for value in rounded]


def curves_charts(curves: Sequence[Curve], count: int) -> list[dict[str, Any]]:
    """Return drawings of curves, those with the same unit together; see `curves_chart`."""
    charts = []
    for unit in dict.fromkeys(curve.unit for curve in curves):
        chart = curves_chart([curve for curve in curves if curve.unit == unit], count)
        if chart:
            numbers = [number for number, curve in enumerate(curves) if curve.unit == unit]
            for number, line in zip(numbers, chart["lines"], strict=True):
                line["number"] = number
            charts.append(chart)
    return charts


def curves_chart(curves: Sequence[Curve], count: int) -> dict[str, Any] | None:
    """Return a drawing of curves with `count` values in a box of `count - 1` × 100, None if nothing can be drawn."""
    known = [value for curve in curves for value in curve.values if value is not None]
    if count < 2 or not known:
        return None
    ranges = [curve.limits for curve in curves if curve.limits]
    low = min(limits[0] for limits in ranges) if ranges else min(0.0, *known)
    high = max(limits[1] for limits in ranges) if ranges else max(0.0, *known)
    high = high if high > low else low + 1
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def height(value: float) -> float:
        return round(100 * (high - min(high, max(low, value))) / (high - low), 2)

    last = count - 1
    return {
        "width": last,
        "range": (low, high),
        "lines": [
            {
                "number": number,
                "name": curve.name,
                "explanation": one_line(curve.explanation),
                "paths": _paths(curve.values, height),
            }
            for number, curve in enumerate(curves)
        ],
        "ticks": [(f"{tick:,.10g}", height(tick)) for tick in ticks],
        "positions": [(f"{tick:,.0f}", round(100 * tick / last, 2)) for tick in nice_ticks(0, last) if tick % 1 == 0],
    }


def _paths(values: Sequence[float | None], height: Callable[[float], float]) -> str:
    """Return the path of a curve, interrupted at missing values."""
    pieces, is_pen_down = [], False
    for at, value in _thinned(values):
        if value is not None:
            pieces.append(f"{'L' if is_pen_down else 'M'}{at} {height(value):g}")
        is_pen_down = value is not None
    return "".join(pieces)


def _thinned(values: Sequence[float | None]) -> list[tuple[int, float | None]]:
    """Return (place, value) of the values to draw: of very many the extreme ones of each piece, and the last."""
    every = max(1, len(values) // POINTS)
    if every < 4:
        return list(enumerate(values))
    chosen: list[tuple[int, float | None]] = []
    for first in range(0, len(values), every):
        piece = [(at, value) for at, value in enumerate(values[first : first + every], first) if value is not None]
        if piece:
            chosen += sorted({min(piece, key=lambda point: point[1]), max(piece, key=lambda point: point[1])})
        else:
            chosen.append((first, None))
    return [*chosen, (len(values) - 1, values[-1])]


def nice_ticks(low: float, high: float) -> list[float]:
    """Return some round numbers from `low` to `high`, about evenly spread, at least two.

    >>> nice_ticks(0, 31)
    [0.0, 10.0, 20.0, 30.0]
    >>> nice_ticks(-3, 4)
    [-2.0, 0.0, 2.0, 4.0]
    """
    rough = (high - low) / TICKS
    scale = 10.0 ** floor(log10(rough))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= rough)
    first, last = -floor(-low / step), floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]
