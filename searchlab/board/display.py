"""Display boards: in a terminal through rich, in a notebook as HTML.

If all tiles are powers of two, they have the colours of 2048; otherwise the hues range from the smallest tile to the
largest. Every tile has a background of its own, so that both forms are legible on dark and on light. A "⋯" replaces the
middle of more than `FOLDED_SIDE` rows or columns, or of more than fit.
"""

from __future__ import annotations

from colorsys import hls_to_rgb
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.measure import Measurement
    from rich.panel import Panel


FOLDED_SIDE = 16
"""Displays (not `str`) of boards with longer sides leave out the middle."""
POWER_COLORS = (
    *("#eee4da", "#ede0c8", "#f2b179", "#f59563", "#f67c5f", "#f65e3b"),  # 2 … 64
    *("#edcf72", "#edcc61", "#edc850", "#edc53f", "#edc22e"),  # 128 … 2048
    *("#ef666d", "#ed4d59", "#d63a2f", "#72b4d6", "#5ca0df", "#0072b1"),  # 4096 … 131072
)
BEYOND_COLOR = "#3c3a32"
DARK_INK, LIGHT_INK = "#1a1612", "#ffffff"
BLANK, GAP = "·", "⋯"
HTML_BLANK_COLOR = "#8080802e"
HTML_GRID = (
    "display:inline-grid;gap:.25em;padding:.5em;border:1px solid #80808080;border-radius:.5em;"
    "max-width:100%;box-sizing:border-box;overflow-x:auto;"
    "font:600 1em/2.4 system-ui,sans-serif;text-align:center;font-variant-numeric:tabular-nums"
)
CELLS_OF_STRIP, MOST_OF_STRIP, FEWEST_OF_STRIP = 500, 12, 3
"""The cells that the boards of a strip may have together, and the bounds of how many boards it shows."""
STRIP = "display:flex;flex-wrap:wrap;align-items:flex-end;gap:.8em;margin:.5em 0"
CAPTION = "margin-top:.2em;font-size:.8em;text-align:center;opacity:.75;overflow-wrap:anywhere"
FRAME_WIDTH = 4
"""The characters of a line that the panel around a board takes."""
FEWEST_SHOWN = 3
"""The columns shown in the narrowest terminal: the first, a gap and the last."""


class Grid(Protocol):
    """The part of a Board's interface that displays use."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def tiles(self) -> Any:
        """The face values, int64, of this shape."""

    def tile_at(self, row: int, column: int) -> int:
        """Return one of them."""

    def largest_tile(self) -> int:
        """Return the largest of them."""


def board_panel(board: Grid) -> RenderableType:
    """Return a rich renderable: a framed grid that fits the width it is given."""
    return BoardPanel(board)


def board_html(board: Grid) -> str:
    """Return a piece of HTML with inline styles, for notebooks."""
    shown_rows, shown_columns = (shown_positions(side, FOLDED_SIDE) for side in board.shape)
    tile_color = tile_colors(board)
    cells = []
    for row in shown_rows:
        for column in shown_columns:
            if row is None or column is None:
                cells.append(f"<div>{GAP}</div>")
                continue
            tile = board.tile_at(row, column)
            color = tile_color(tile) if tile else HTML_BLANK_COLOR
            text_color = f";color:{ink(color)}" if tile else ""
            cells.append(f'<div style="border-radius:.25em;background:{color}{text_color}">{tile or BLANK}</div>')
    width = max(2.4, 0.8 + 0.7 * longest_tile(board))
    widths = " ".join("1.2em" if column is None else f"{width:.1f}em" for column in shown_columns)
    grid = f"grid-template-columns:{widths};{HTML_GRID}"
    return f'<div role="img" aria-label="{board_label(board)}" style="{grid}">{"".join(cells)}</div>'


def board_label(board: Grid) -> str:
    """Return a board in words, for screen readers: its tiles, or the size of a large one."""
    rows, columns = board.shape
    label = f"board of {rows} × {columns}"
    if max(rows, columns) > FOLDED_SIDE:
        return label
    lines = (" ".join(str(tile or "blank") for tile in line) for line in board.tiles.tolist())
    return f"{label}: {'; '.join(lines)}"


def strip_html(boards: Sequence[Grid], actions: Sequence[str]) -> str:
    """Return boards side by side, each above the move that led to it; of many the first and the last ones.

    Args:
        boards: the boards, the start first.
        actions: the move to each board but the first.
    """
    from html import escape  # late, as its table of entities takes a millisecond

    rows, columns = boards[0].shape
    cells = min(rows, FOLDED_SIDE) * min(columns, FOLDED_SIDE)
    most = max(FEWEST_OF_STRIP, min(MOST_OF_STRIP, CELLS_OF_STRIP // cells))
    shown = shown_positions(len(boards), most)
    left_out = len(boards) - sum(number is not None for number in shown)
    pieces = []
    for number in shown:
        if number is None:
            pieces.append(f'<div style="align-self:center;opacity:.75">{GAP} {left_out:,} more</div>')
            continue
        caption = "start" if number == 0 else f"{number:,}. {escape(one_line(actions[number - 1]))}"
        tiles = f'<div style="font-size:.7em">{board_html(boards[number])}</div>'
        pieces.append(f'<div>{tiles}<div style="{CAPTION}">{caption}</div></div>')
    return f'<div style="{STRIP}">{"".join(pieces)}</div>'


@dataclass(frozen=True)
class BoardPanel:
    """A board for rich, which shows as many columns as fit the width."""

    board: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield self._panel(options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        return Measurement.get(console, options, self._panel(options))

    def _panel(self, options: ConsoleOptions) -> Panel:
        from rich.panel import Panel
        from rich.text import Text

        blank, gap, times = (".", "~", "x") if options.ascii_only else (BLANK, GAP, "×")
        rows, columns = self.board.shape
        width = longest_tile(self.board) + 2
        fitting = max(FEWEST_SHOWN, (options.max_width - FRAME_WIDTH) // width)
        shown_rows = shown_positions(rows, FOLDED_SIDE)
        shown_columns = shown_positions(columns, min(FOLDED_SIDE, fitting))
        tile_color = tile_colors(self.board)
        lines = []
        for row in shown_rows:
            line = Text()
            for column in shown_columns:
                tile = 0 if row is None or column is None else self.board.tile_at(row, column)
                if tile:
                    color = tile_color(tile)
                    line.append(f"{tile:>{width - 1}} ", f"bold {ink(color)} on {color}")
                else:
                    mark = gap if row is None or column is None else blank
                    line.append(f"{mark:>{width - 1}} ", "dim")
            lines.append(line)
        folded = None in shown_rows or None in shown_columns
        return Panel.fit(
            Text("\n", no_wrap=True, overflow="ellipsis").join(lines),
            border_style="dim",
            subtitle=f"{rows} {times} {columns}" if folded else None,
        )


def shown_positions(side: int, most: int) -> list[int | None]:
    """Return the rows or columns to show, at most `most` entries, with None in place of omitted ones.

    >>> shown_positions(4, 16)
    [0, 1, 2, 3]
    >>> shown_positions(100, 5)
    [0, 1, None, 98, 99]
    """
    if side <= most:
        return list(range(side))
    last = (most - 1) // 2
    return [*range(most - 1 - last), None, *range(side - last, side)]


def longest_tile(board: Grid) -> int:
    """Return the characters of the tile that takes most of them."""
    return max(len(str(board.largest_tile())), len(str(int(board.tiles.min()))))


def tile_colors(board: Grid) -> Callable[[int], str]:
    """Return the background colour of each tile of a board, as #rrggbb."""
    tiles = board.tiles
    lowest, largest = min(0, int(tiles.min())), board.largest_tile()
    if not ((tiles & (tiles - 1)) | (tiles == 1)).any():
        return power_color
    return lambda tile: hue_color((tile - lowest) / max(1, largest - lowest))


def power_color(tile: int) -> str:
    """Return the colour of a power of two from 2 on."""
    exponent = tile.bit_length() - 1
    return POWER_COLORS[exponent - 1] if exponent <= len(POWER_COLORS) else BEYOND_COLOR


def hue_color(part: float) -> str:
    """Return a colour between blue (0) and red (1)."""
    return "#" + "".join(f"{round(255 * x):02x}" for x in hls_to_rgb(0.6 * (1 - part), 0.72, 0.6))


def ink(background: str) -> str:
    """Return the text colour that stands out better, dark or light."""
    red, green, blue = (int(background[k : k + 2], 16) for k in (1, 3, 5))
    return DARK_INK if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else LIGHT_INK
