"""Pictures of the ring and its turnstile: lines of text, and an image."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

SIDE, RADIUS = 400, 160
"""The side of the image, and the radius of the circle of tokens."""


def picture(board: Board, k: int) -> str:
    """Return the ring: the upper half from left to right, the lower half back, and the turnstile in brackets.

    >>> from searchlab import Board
    >>> print(picture(Board([range(1, 11)]), 4))
    ╭[ 1  2  3  4] 5 ╮
    ╰ 10  9  8  7  6 ╯
    """
    tokens = board.tiles[0].tolist()
    n = len(tokens)
    wide = len(str(n)) + 1
    upper = max(k, (n + 1) // 2)
    above = "".join(f"{token:>{wide}}" for token in tokens[:k]) + "]"
    above += "".join(f"{token:>{wide - 1 if at == 0 else wide}}" for at, token in enumerate(tokens[k:upper]))
    below = "".join(f"{token:>{wide}}" for token in reversed(tokens[upper:]))
    width = max(len(above), len(below)) + 1
    return f"╭[{above.ljust(width)}╮\n╰ {below.ljust(width)}╯"


def svg(board: Board, k: int) -> str:
    """Return the ring as an image with the turnstile at the top; in a sorted ring the colours go around once."""
    tokens = board.tiles[0].tolist()
    n = len(tokens)
    token_radius = min(26.0, 0.9 * RADIUS * sin(pi / n))

    def place(number: float) -> tuple[float, float]:
        angle = 2 * pi * (number - (k - 1) / 2) / n
        return round(SIDE / 2 + RADIUS * sin(angle), 1), round(SIDE / 2 - RADIUS * cos(angle), 1)

    (left, high), (right, low) = place(0), place(k - 1)
    is_large = int(2 * (k - 1) > n)
    pieces = []
    for number, token in enumerate(tokens):
        x, y = place(number)
        color = f"hsl({360 * (token - 1) // n},65%,72%)"
        pieces.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{token_radius:.1f}" fill="{color}"/>'
            f'<text x="{x:g}" y="{y:g}" dy=".35em">{token}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}"><g fill="none" stroke-linecap="round">'
        f'<circle cx="{SIDE // 2}" cy="{SIDE // 2}" r="{RADIUS}" stroke="#8f979f" '
        f'stroke-width="{2 * token_radius + 8:.0f}"/>'
        f'<path d="M{left:g} {high:g}A{RADIUS} {RADIUS} 0 {is_large} 1 {right:g} {low:g}" stroke="#3d434a" '
        f'stroke-width="{2 * token_radius + 24:.0f}"/></g>'
        f'<g font-family="system-ui,sans-serif" font-size="{token_radius:.0f}" text-anchor="middle" fill="#1a1612">'
        f"{''.join(pieces)}</g></svg>"
    )
