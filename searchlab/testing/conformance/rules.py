"""The rules of 2048 for rows of tiles: those of the domain, but fast enough for a million moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from searchlab.board.board import Board
from searchlab.testing.conformance.environment import MOVES

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.testing.conformance.environment import Rows

    Line = tuple[int, ...]

UPRIGHT = {"up", "down"}
BACKWARDS = {"right", "down"}


class Slid(NamedTuple):
    """A board after a move, before a tile appears.

    Attributes:
        board: the rows of tiles.
        points: the points of the move.
    """

    board: Rows
    points: int


class SlidingRules:
    """The rules by which the lines of a board slide and earn points.

    The domain is asked about each line once: the line is the first row of an otherwise blank board that moves left.

    Args:
        domain: a game of 2048 with random tiles.
        side: the side of the board.
    """

    def __init__(self, domain: BoundDomain, side: int) -> None:
        self.domain, self.side = domain, side
        self._lines: dict[Line, tuple[Line, int]] = {}

    def line(self, line: Line) -> tuple[Line, int]:
        """Return a line slid towards its first cell, and the points."""
        known = self._lines.get(line)
        if known is None:
            board = Board([line, *[(0,) * self.side] * (self.side - 1)])
            edge = next((edge for edge in self.domain.edges(board) if edge.action == "left"), None)
            known = line, 0
            if edge is not None:
                known = tuple(edge.board.tiles[0].tolist()), int(self.domain.points(board, edge.board))
            self._lines[line] = known
        return known

    def slid(self, board: Rows, move: str) -> Slid:
        """Return a board after a move, or the same board if the move is illegal."""
        points, line = 0, self.line
        after = []
        for cells in towards(board, move):
            moved, earned = line(cells)
            after.append(moved)
            points += earned
        return Slid(back(after, move), points)

    def legal(self, board: Rows) -> dict[str, Slid]:
        """Return the moves that change a board, each with the board after it."""
        after = {move: self.slid(board, move) for move in MOVES}
        return {move: slid for move, slid in after.items() if slid.board != board}


def towards(board: Rows, move: str) -> list[Line]:
    """Return the lines of a board, each beginning at the border towards which tiles move."""
    lines = list(zip(*board, strict=True)) if move in UPRIGHT else list(board)
    return [line[::-1] for line in lines] if move in BACKWARDS else lines


def back(lines: list[Line], move: str) -> Rows:
    """Return the board with these lines; the inverse of `towards`."""
    if move in BACKWARDS:
        lines = [line[::-1] for line in lines]
    return tuple(zip(*lines, strict=True)) if move in UPRIGHT else tuple(lines)
