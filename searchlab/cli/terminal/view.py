"""A game as lines that fit a terminal, in the roomiest of several layouts, its tiles coloured."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from searchlab.board.display import DARK_INK, ink, power_color, tile_colors
from searchlab.cli.drawing import grid
from searchlab.cli.layout import cut, folded, shown_width
from searchlab.cli.output import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer

BOLD, DIM = "\x1b[1m", "\x1b[2m"
DOT = " · "
WHOLE, TIGHT, LEAST = "whole", "tight", "least"
BOXES = ((3, 8), (1, 6), (1, 0))
"""How high boxes are inside, and how wide at least: a board should not jump whenever a tile gets wider."""

NONE, FEW, MANY = 0, 16, 256
PLAIN = "\x1b[0m"
FEW_COLOURS = ("47;30", "46;30", "42;30", "43;30", "45;97", "41;97", "44;97")
"""Background and ink for tiles in turn, where there are few colours: neighbouring powers of two differ."""
STEPS = (0, 95, 135, 175, 215, 255)
"""The brightness of red, green and blue in the 6 × 6 × 6 colours from number 16 on."""
BLACK, WHITE = 16, 231
POWERS = (231, 230, 223, 216, 209, 203, 229, 228, 221, 220, 226, 170, 134, 99, 69, 39, 44, 59)
"""The backgrounds of 2, 4, 8 … where there are many colours; the last serves all beyond."""


class View(NamedTuple):
    """What is to be seen.

    Attributes:
        title: what is played, and by whom.
        figures: scores and the like.
        board: the position.
        message: the latest news.
        choices: moves with the numbers that make them.
        keys: what can be typed, in pieces, and
        keys_in_brief: the same where there is little room.
    """

    title: str
    figures: Sequence[str]
    board: Board
    message: str
    choices: Sequence[str]
    keys: Sequence[str]
    keys_in_brief: Sequence[str]


@dataclass(frozen=True)
class Painter:
    """Makes lines of views.

    Attributes:
        domain: whose boards these are.
        drawer: draws them where a renderer was asked for.
        colours: how many there are: 0, 16, 256.
    """

    domain: BoundDomain
    drawer: Drawer
    colours: int

    def lines(self, view: View, size: tuple[int, int]) -> list[str]:
        """Return a view in the roomiest form of so many columns and rows, one line of text where there is none."""
        columns, rows = size
        smallest: list[str] = []
        for board, room in product(self._boards(view.board), (WHOLE, TIGHT, LEAST)):
            lines = self._page(view, board, room, columns)
            smallest = board
            if len(lines) <= rows and max(map(shown_width, board)) <= columns:
                return lines
        width = max(map(shown_width, smallest))
        needed = f"this board takes {width} × {len(smallest) + 1} characters, and here are {columns} × {rows}"
        return [cut(needed, columns)]

    def _page(self, view: View, board: list[str], room: str, columns: int) -> list[str]:
        """Return the lines of a view around the board."""
        figures = cut(DOT.join(view.figures), columns)
        message = self._styled(BOLD, cut(view.message, columns))
        choices = folded(view.choices, columns, "  ")
        if room == LEAST:
            return [message if view.message else figures, *board]
        if room == TIGHT:
            brief = cut(DOT.join(view.keys_in_brief), columns)
            return [figures, *board, *choices, message, self._styled(DIM, brief)]
        keys = [self._styled(DIM, cut(line, columns)) for line in folded(view.keys, columns, DOT)]
        title = self._styled(BOLD, cut(view.title, columns))
        return [title, figures, "", *board, "", *choices, message, *keys]

    def _styled(self, style: str, text: str) -> str:
        return f"{style}{text}{PLAIN}" if self.colours and text else text

    def _boards(self, board: Board) -> list[list[str]]:
        """Return the forms of a board, the roomiest first."""
        cells = None if self.drawer.has_renderer else grid(board, self.domain)
        if cells is None:
            return [safe(self.drawer.text(board)).splitlines()]
        return [*(self._boxed(board, cells, *box) for box in BOXES), self._bare(board, cells)]

    def _boxed(self, board: Board, cells: list[list[str]], height: int, narrowest: int) -> list[str]:
        """Return a board in boxes that are so many lines high and at least so many characters wide inside."""
        width = max(narrowest, _widest(cells) + 2)
        bars = ["─" * width] * len(cells[0])
        tops, middles, bottoms = (f"{a}{b.join(bars)}{c}" for a, b, c in ("┌┬┐", "├┼┤", "└┴┘"))
        before = after = (height - 1) // 2
        lines = [tops]
        for row in self._coloured(board, cells):
            blank = "│".join(_filled("", start, width) for _, start in row)
            middle = "│".join(_filled(_centred(text, width), start, width) for text, start in row)
            lines += [f"│{blank}│"] * before + [f"│{middle}│"] + [f"│{blank}│"] * after + [middles]
        return [*lines[:-1], bottoms]

    def _bare(self, board: Board, cells: list[list[str]]) -> list[str]:
        """Return a board without lines, its blanks as dots."""
        width = _widest(cells)
        return [
            " ".join(_filled(text.rjust(width) if text else "·".rjust(width), start, width) for text, start in row)
            for row in self._coloured(board, cells)
        ]

    def _coloured(self, board: Board, cells: list[list[str]]) -> list[list[tuple[str, str]]]:
        """Return each tile's text, an empty one for a blank, and the escape sequence before it."""
        start_of = paint(board, self.colours)
        return [
            [("", "") if tile == 0 else (text, start_of(tile)) for text, tile in zip(texts, tiles, strict=True)]
            for texts, tiles in zip(cells, board.tiles.tolist(), strict=True)
        ]


def _widest(cells: list[list[str]]) -> int:
    return max(shown_width(text) for row in cells for text in row)


def _centred(text: str, width: int) -> str:
    return " " * ((width - shown_width(text) + 1) // 2) + text


def _filled(text: str, start: str, width: int) -> str:
    """Return a text as wide as its cell, in its colour."""
    text += " " * (width - shown_width(text))
    return f"{start}{text}{PLAIN}" if start else text


def colours_of_terminal(screen: int) -> int:
    """Return how many colours a terminal is to show: 0, 16 or 256 (see no-color.org)."""
    name = os.environ.get("TERM", "dumb")
    if os.environ.get("NO_COLOR") or name == "dumb":
        return NONE
    if os.environ.get("COLORTERM") or "256color" in name:
        return MANY
    return MANY if _colours_by_terminfo(name, screen) >= MANY else FEW


def _colours_by_terminfo(name: str, screen: int) -> int:
    try:
        import curses
    except ImportError:
        return FEW
    try:
        curses.setupterm(name, screen)
    except curses.error:
        return FEW
    return curses.tigetnum("colors")


def paint(board: Board, colours: int) -> Callable[[int], str]:
    """Return what gives the escape sequence before a tile, an empty text for none."""
    if colours == NONE:
        return lambda tile: ""
    if colours == FEW:
        return lambda tile: f"\x1b[1;{FEW_COLOURS[(tile.bit_length() - 2) % len(FEW_COLOURS)]}m"
    colour_of = tile_colors(board)
    is_of_powers = colour_of is power_color
    return lambda tile: _many(_of_power(tile) if is_of_powers else nearest(colour_of(tile)))


def _of_power(tile: int) -> int:
    return POWERS[min(tile.bit_length() - 2, len(POWERS) - 1)]


def _many(background: int) -> str:
    text = BLACK if ink(_rgb(background)) == DARK_INK else WHITE
    return f"\x1b[1;38;5;{text};48;5;{background}m"


def _rgb(number: int) -> str:
    """Return one of the 256 colours, from 16 on and none of the greys, as #rrggbb."""
    steps = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
    return "#" + "".join(f"{STEPS[step]:02x}" for step in steps)


def nearest(colour: str) -> int:
    """Return the number of the most similar of 256 colours.

    >>> nearest("#ff0000"), nearest("#eee4da")
    (196, 224)
    """
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    red, green, blue = (min(range(6), key=lambda step: abs(STEPS[step] - part)) for part in parts)
    return 16 + 36 * red + 6 * green + blue
