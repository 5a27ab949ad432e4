"""A game as lines that fit a terminal, in the most spacious of several layouts, with coloured tiles."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from searchlab.board.display import DARK_INK, ink, power_color, tile_colors
from searchlab.cli.drawing import grid
from searchlab.cli.layout import cut, shown_width
from searchlab.cli.output import safe
from searchlab.model.formatting import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer

BOLD, DIM = "\x1b[1m", "\x1b[2m"
DOT = " · "
FULL, COMPACT, MINIMAL = "full", "compact", "minimal"
BOXES = ((3, 8), (1, 6), (1, 0))
"""Inner height and least inner width of boxes; with a least width the board does not jump when a tile gets wider."""

NONE, FEW, MANY = 0, 16, 256
RESET = "\x1b[0m"
FEW_COLOURS = ("47;30", "46;30", "42;30", "43;30", "45;97", "41;97", "44;97")
"""Background and ink of successive powers of two on a terminal of 16 colours; neighbours differ."""
STEPS = (0, 95, 135, 175, 215, 255)
"""The brightness steps of the 6 × 6 × 6 colour cube, which begins at colour number 16."""
BLACK, WHITE = 16, 231
POWERS = (231, 230, 223, 216, 209, 203, 229, 228, 221, 220, 226, 170, 134, 99, 69, 39, 44, 59)
"""Backgrounds of 2, 4, 8, … on a terminal with 256 colours; the last one is for all larger tiles."""


class View(NamedTuple):
    """The contents of the screen.

    Attributes:
        title: the game and the player.
        figures: scores and the number of moves.
        board: the position.
        message: a hint, a refusal, or the end of the game; may be empty.
        choices: moves chosen by number, each after its number.
        keys: the keys and their meanings.
        keys_in_brief: a short form of `keys` for a small terminal.
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
    """Turns views into lines.

    Attributes:
        domain: the game.
        drawer: draws the boards if a renderer was asked for.
        colours: number of colours of the terminal: 0, 16 or 256.
    """

    domain: BoundDomain
    drawer: Drawer
    colours: int

    def lines(self, view: View, size: tuple[int, int]) -> list[str]:
        """Return a view in the most spacious layout that fits into (columns, rows); if none fits, a line that says so.

        A smaller picture of the board is preferred to a page without the keys.
        """
        columns, rows = size
        boards = self._boards(view.board)
        for board, room in (*product(boards, (FULL, COMPACT)), *product(boards, (MINIMAL,))):
            lines = self._page(view, board, room, size)
            if len(lines) <= rows and max(map(shown_width, board)) <= columns:
                return lines
        smallest = boards[-1]
        width = max(map(shown_width, smallest))
        needed = f"this board takes {width} × {len(smallest) + 1} characters, and here are {columns} × {rows}"
        return [cut(needed, columns)]

    def _page(self, view: View, board: list[str], room: str, size: tuple[int, int]) -> list[str]:
        """Return the lines of a view with the board among them."""
        columns, rows = size
        figures = cut(DOT.join(view.figures), columns)
        message = self._styled(BOLD, cut(view.message, columns))
        choices = folded(view.choices, columns, "  ")
        if room == MINIMAL:
            return [message if view.message else figures, *board]
        if room == COMPACT:
            above = [figures, *board, *choices, message]
            return [*above, *self._keys(view.keys_in_brief, columns)[: max(1, rows - len(above))]]
        title = self._styled(BOLD, cut(view.title, columns))
        return [title, figures, "", *board, "", *choices, message, *self._keys(view.keys, columns)]

    def _keys(self, keys: Sequence[str], columns: int) -> list[str]:
        return [self._styled(DIM, cut(line, columns)) for line in folded(keys, columns, DOT)]

    def _styled(self, style: str, text: str) -> str:
        return f"{style}{text}{RESET}" if self.colours and text else text

    def _boards(self, board: Board) -> list[list[str]]:
        """Return the pictures of a board, the most spacious first."""
        cells = None if self.drawer.has_picture else grid(board, self.domain)
        if cells is None:
            return [safe(self.drawer.text(board)).splitlines()]
        return [*(self._boxed(board, cells, *box) for box in BOXES), self._unboxed(board, cells)]

    def _boxed(self, board: Board, cells: list[list[str]], height: int, narrowest: int) -> list[str]:
        """Return a board in boxes of an inner height and at least this inner width."""
        width = max(narrowest, _widest(cells) + 2)
        bars = ["─" * width] * len(cells[0])
        tops, middles, bottoms = (f"{a}{b.join(bars)}{c}" for a, b, c in ("┌┬┐", "├┼┤", "└┴┘"))
        before = after = (height - 1) // 2
        lines = [tops]
        for row in self._coloured(board, cells):
            blank = "│".join(_padded("", start, width) for _, start in row)
            middle = "│".join(_padded(_centred(text, width), start, width) for text, start in row)
            lines += [f"│{blank}│"] * before + [f"│{middle}│"] + [f"│{blank}│"] * after + [middles]
        return [*lines[:-1], bottoms]

    def _unboxed(self, board: Board, cells: list[list[str]]) -> list[str]:
        """Return a board without boxes, blanks as dots."""
        width = _widest(cells)
        return [
            " ".join(_padded(text.rjust(width) if text else "·".rjust(width), start, width) for text, start in row)
            for row in self._coloured(board, cells)
        ]

    def _coloured(self, board: Board, cells: list[list[str]]) -> list[list[tuple[str, str]]]:
        """Return each tile's text (empty for a blank) and the escape sequence of its colours."""
        start_of = tile_colours(board, self.colours)
        return [
            [("", "") if tile == 0 else (text, start_of(tile)) for text, tile in zip(texts, tiles, strict=True)]
            for texts, tiles in zip(cells, board.tiles.tolist(), strict=True)
        ]


def _widest(cells: list[list[str]]) -> int:
    return max(shown_width(text) for row in cells for text in row)


def _centred(text: str, width: int) -> str:
    return " " * ((width - shown_width(text) + 1) // 2) + text


def _padded(text: str, start: str, width: int) -> str:
    text += " " * (width - shown_width(text))
    return f"{start}{text}{RESET}" if start else text


def colours_of_terminal(screen: int) -> int:
    """Return the number of colours to use on a terminal: 0, 16 or 256 (see no-color.org)."""
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


def tile_colours(board: Board, colours: int) -> Callable[[int], str]:
    """Return a function from a tile to the escape sequence of its colours, `""` without colours."""
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
    steps = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
    return "#" + "".join(f"{STEPS[step]:02x}" for step in steps)


def nearest(colour: str) -> int:
    """Return the number of the most similar colour of the colour cube.

    >>> nearest("#ff0000"), nearest("#eee4da")
    (196, 224)
    """
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    red, green, blue = (min(range(6), key=lambda step: abs(STEPS[step] - part)) for part in parts)
    return 16 + 36 * red + 6 * green + blue
