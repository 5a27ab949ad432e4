"""Boards with lines around their tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import Renderer

if TYPE_CHECKING:
    from searchlab import Board


def box(board: Board) -> str:
    """Return a board as a grid of lines, with right-aligned tiles in cells of equal width; a blank cell is empty.

    >>> from searchlab import Board
    >>> print(box(Board([[16, 2], [0, 4]])))
    ┌────┬────┐
    │ 16 │  2 │
    ├────┼────┤
    │    │  4 │
    └────┴────┘
    """
    width = max(len(str(board.largest_tile())), len(str(board.tiles.min())))
    dashes = ["─" * (width + 2)] * board.shape[1]
    rows = [
        "│" + "│".join(f" {str(tile) if tile else '':>{width}} " for tile in row) + "│" for row in board.tiles.tolist()
    ]
    between = f"\n├{'┼'.join(dashes)}┤\n"
    return f"┌{'┬'.join(dashes)}┐\n{between.join(rows)}\n└{'┴'.join(dashes)}┘"


BOX = Renderer("box", box, summary="boxes around all tiles")
