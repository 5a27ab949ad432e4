"""Pictures of pegs with discs: lines of text, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab import Board

WIDE = 9
"""The most discs with widths that differ by two characters; the widths of more discs differ by one."""
PEG, HEIGHT = 160, 26
"""The width per peg and the height of a disc in an image."""


def picture(board: Board, pegs: int) -> str:
    """Return the pegs side by side with their discs, and the numbers of the pegs below.

    >>> from searchlab import Board
    >>> print(picture(Board([[3, 1, 1]]), 3))
       |       |       |
      ===      |       |
     =====     |       =
    ───────────────────────
       1       2       3
    """
    places = board.tiles[0].tolist()
    discs = len(places)
    widths = [2 * k + 1 if discs <= WIDE else k + 1 for k in range(discs)]
    room = widths[-1] + 2
    piles = [[widths[disc] for disc in reversed(range(discs)) if places[disc] == peg] for peg in range(1, pegs + 1)]
    lines = []
    for height in reversed(range(max(map(len, piles)) + 1)):
        shown = ("=" * pile[height] if height < len(pile) else "|" for pile in piles)
        lines.append(" ".join(one.center(room) for one in shown).rstrip())
    numbers = " ".join(str(peg).center(room) for peg in range(1, pegs + 1))
    return "\n".join([*lines, "─" * len(numbers), numbers.rstrip()])


def svg(board: Board, pegs: int) -> str:
    """Return the pegs with their discs as an image; each disc has a colour of its own."""
    places = board.tiles[0].tolist()
    discs = len(places)
    ground = (discs + 1) * HEIGHT
    pieces = []
    for peg in range(1, pegs + 1):
        middle = round((peg - 0.5) * PEG)
        pieces.append(
            f'<rect x="{middle - 4}" width="8" height="{ground}" rx="4" fill="#8f979f"/>'
            f'<text x="{middle}" y="{ground + 34}">{peg}</text>'
        )
    height = dict.fromkeys(range(1, pegs + 1), 0)
    for disc in reversed(range(discs)):
        peg = places[disc]
        height[peg] += 1
        wide = round(PEG * (0.2 + 0.72 * disc / max(1, discs - 1)))
        pieces.append(
            f'<rect x="{round((peg - 0.5) * PEG) - wide // 2}" y="{ground - height[peg] * HEIGHT}" width="{wide}" '
            f'height="{HEIGHT - 2}" rx="7" fill="hsl({300 * disc // discs},60%,58%)"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {pegs * PEG} {ground + 42}">'
        f'<rect y="{ground}" width="{pegs * PEG}" height="8" rx="4" fill="#8f979f"/>'
        f'<g font-family="system-ui,sans-serif" font-size="22" text-anchor="middle" fill="#8f979f">'
        f"{''.join(pieces)}</g></svg>"
    )
