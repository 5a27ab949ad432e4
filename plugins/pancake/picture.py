"""Pictures of stacks of pancakes: lines of text, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

WIDTH, HEIGHT, GAP = 400, 26, 2
"""The width of the largest pancake, the height of each pancake, and the gap between two; the plate is wider."""
PALE, DARK = (246, 216, 148), (176, 112, 52)
"""The colours of the smallest and of the largest pancake."""


def picture(board: Board) -> str:
    """Return the stack on its plate, seen from the side, with the sizes of the pancakes.

    >>> from searchlab import Board
    >>> print(picture(Board([[2, 1, 3]])))
     ███   2
      █    1
    █████  3
    ─────
    """
    stack = board.tiles[0].tolist()
    n, digits = len(stack), len(str(len(stack)))
    layers = [f"{'█' * (2 * size - 1):^{2 * n - 1}}  {size:>{digits}}" for size in stack]
    return "\n".join([*layers, "─" * (2 * n - 1)])


def svg(board: Board) -> str:
    """Return the stack on its plate as an image, each pancake with its size; larger pancakes are darker."""
    stack = board.tiles[0].tolist()
    n = len(stack)
    pieces = []
    for place, size in enumerate(stack):
        share = size / n
        wide = round(WIDTH * (0.15 + 0.85 * share))
        red, green, blue = (round(pale + (dark - pale) * share) for pale, dark in zip(PALE, DARK, strict=True))
        middle, top = WIDTH // 2 + 20, place * (HEIGHT + GAP)
        pieces.append(
            f'<rect x="{middle - wide // 2}" y="{top}" width="{wide}" height="{HEIGHT}" rx="12" '
            f'fill="rgb({red},{green},{blue})"/>'
            f'<text x="{middle}" y="{top + 19}" fill="#2b1a08">{size}</text>'
        )
    height = n * (HEIGHT + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 40} {height + 14}">'
        f'<rect y="{height}" width="{WIDTH + 40}" height="12" rx="6" fill="#8f979f"/>'
        f'<g font-family="system-ui,sans-serif" font-size="17" text-anchor="middle">{"".join(pieces)}</g></svg>'
    )
