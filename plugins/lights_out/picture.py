"""Pictures of the lights: lines of text, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

CELL, BORDER = 60, 10
"""The side of a cell and the width of the border in an image."""
OFF, ON = "·", "\x1b[33m●\x1b[0m"
"""A light in the terminal, off and on: yellow if it is on."""
LOOKS = ('r="20" fill="#454b53"', 'r="22" fill="#ffd54a" stroke="#ffd54a" stroke-opacity=".35" stroke-width="10"')
"""The SVG attributes of a lamp that is off, and of a lamp that is on."""


def picture(board: Board) -> str:
    """Return the lights as text: a yellow disc for a light that is on, a point for a light that is off.

    >>> from searchlab import Board
    >>> print(picture(Board([[0, 0], [0, 0]])))
    · ·
    · ·
    """
    return "\n".join(" ".join(ON if light else OFF for light in row) for row in board.tiles.tolist())


def svg(board: Board) -> str:
    """Return the lamps as an image, on a dark board."""
    rows, columns = board.shape
    width, height = columns * CELL + 2 * BORDER, rows * CELL + 2 * BORDER
    lamps = "".join(
        f'<circle cx="{BORDER + column * CELL + CELL // 2}" cy="{BORDER + row * CELL + CELL // 2}" {LOOKS[light]}/>'
        for row, lights in enumerate(board.tiles.tolist())
        for column, light in enumerate(lights)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" rx="12" fill="#23262b"/>{lamps}</svg>'
    )
