"""The colours of tiles in a terminal, each with its own background, so that they read on dark and on light."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from searchlab.board.display import DARK_INK, ink, power_color, tile_colors

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board.board import Board

NONE, FEW, MANY = 0, 16, 256
PLAIN = "\x1b[0m"
FEW_COLOURS = ("47;30", "46;30", "42;30", "43;30", "45;97", "41;97", "44;97")
"""Background and ink for tiles in turn, where there are few colours: neighbouring powers of two differ."""
STEPS = (0, 95, 135, 175, 215, 255)
"""The brightness of red, green and blue in the 6 × 6 × 6 colours from number 16 on."""
BLACK, WHITE = 16, 231
POWERS = (231, 230, 223, 216, 209, 203, 229, 228, 221, 220, 226, 170, 134, 99, 69, 39, 44, 59)
"""The backgrounds of 2, 4, 8 … where there are many colours; the last serves all beyond."""


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
