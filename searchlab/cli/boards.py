"""Boards for people: columns aligned, the size left out, large boards folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.board import Board
    from searchlab.bound import BoundDomain

LARGEST_WHOLE = 16
"""Boards with longer sides are shown without the middle."""
DOTS = "…"


def board_blocks(boards: Sequence[Board], domain: BoundDomain, width: int) -> list[list[str]]:
    """Return the lines of each board, their columns equally wide, and no line longer than `width`."""
    blocks = [_cells(board, domain) for board in boards]
    widest = max((len(cell) for block in blocks for row in block if len(row) > 1 for cell in row), default=1)
    return [[_line(row, widest, width) for row in block] for block in blocks]


def _line(row: list[str], cell: int, width: int) -> str:
    """Return one row of a board."""
    if len(row) == 1:
        return row[0] if len(row[0]) <= width else row[0][: width - 1] + DOTS
    return " ".join(text.rjust(cell) for text in _ends(row, max(3, (width + 1) // (cell + 1))))


def _cells(board: Board, domain: BoundDomain) -> list[list[str]]:
    """Return a board's rows as texts, a row of one text where the domain shows it in a way of its own."""
    rows, columns = board.shape
    if max(rows, columns) > LARGEST_WHOLE:
        shown = [
            [DOTS] if row is None else [DOTS if c is None else str(board.tiles[row, c]) for c in _indices(columns)]
            for row in _indices(rows)
        ]
        return [*shown, [f"({rows} × {columns})"]]
    lines = [line.split() for line in domain.render(board).splitlines()]
    if lines and lines[0] in ([str(rows)], [str(rows), str(columns)]):
        lines = lines[1:]
    if len(lines) == rows and all(len(line) == columns for line in lines):
        return lines
    return [[line] for line in domain.render(board).splitlines()]


def _indices(count: int) -> list[int | None]:
    """Return the indices below `count`, with a None for those left out."""
    if count <= LARGEST_WHOLE:
        return list(range(count))
    half = LARGEST_WHOLE // 2
    return [*range(half), None, *range(count - half, count)]


def _ends(row: list[str], most: int) -> list[str]:
    """Return a row with its middle left out if it has more than `most` cells."""
    half = (most - 1) // 2
    return row if len(row) <= most else [*row[:half], DOTS, *row[len(row) - half :]]
