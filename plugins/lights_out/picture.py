"""Lights, as people see them: lines of text, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

CELL, BORDER = 60, 10
"""Of an image."""
OFF, ON = "·", "\x1b[33m●\x1b[0m"
"""A light in the terminal: yellow if it is on."""
LOOKS = ('r="20" fill="#454b53"', 'r="22" fill="#ffd54a" stroke="#ffd54a" stroke-opacity=".35" stroke-width="10"')
"""The SVG attributes of a lamp that is off, and of one that is on."""


def picture(board: Board) -> str:
    """Return the lights: a yellow disc for one that is on, a point for one that is off.

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
