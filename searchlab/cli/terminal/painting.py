"""What is to be seen of a game, as lines that fit a terminal: the roomiest of several ways to draw it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from searchlab.cli.drawing import grid
from searchlab.cli.layout import cut, folded, shown_width
from searchlab.cli.output import safe
from searchlab.cli.terminal.palette import PLAIN, paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer

BOLD, DIM = "\x1b[1m", "\x1b[2m"
DOT = " · "
WHOLE, TIGHT, LEAST = "whole", "tight", "least"
BOXES = ((3, 8), (1, 6), (1, 0))
"""How high boxes are inside, and how wide at least: a board should not jump whenever a tile gets wider."""


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
