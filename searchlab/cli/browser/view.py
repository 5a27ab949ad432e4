"""The page's view of a game as JSON values: the board, its moving tiles, and the moves."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.board.display import board_label
from searchlab.cli.terminal.by_hand import DIRECTIONS
from searchlab.errors.control_characters import escaped, one_line
from searchlab.model.formatting import aligned
from searchlab.reports.board_svg import Geometry, Palette, animated_boards
from searchlab.reports.pictures import ENDS
from searchlab.reports.recording import MotionsOf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.motions import Motion
    from searchlab.board.board import Board
    from searchlab.cli.terminal.advisor import Advice
    from searchlab.reports.pictures import Pictures

WAYS = {(-1, 0): "up", (1, 0): "down", (0, -1): "left", (0, 1): "right"}
"""Directions of motions, by the signs of the changes of row and column."""


class Transition(NamedTuple):
    """A move that was made, or taken back.

    Attributes:
        action: the name of the move.
        before: the board before it.
        after: the board after the move itself.
        board: the board from which the next move is made.
        is_back: whether it was taken back, so that `before` is the current board.
    """

    action: str
    before: Board
    after: Board
    board: Board
    is_back: bool


class BoardView:
    """Lays out the boards of consecutive games.

    Args:
        domain: the game.
        pictures: draws boards, None for tiles.
    """

    def __init__(self, domain: BoundDomain, pictures: Pictures | None) -> None:
        self._pictures = pictures
        self._motions = MotionsOf(domain)
        self._palette = Palette(0, of_powers=True)

    def layout(self, board: Board, transition: Transition | None) -> dict[str, Any]:
        """Return the layout of a board, with the transition from the board before it, if it is to be animated."""
        if self._pictures is not None:
            drawn = self._pictures.draw(board, ())
            if self._pictures.are_images:
                return {"picture": drawn, "image": ENDS, "label": board_label(board)}
            return {"picture": escaped(drawn)}
        boards, motions = [board], []
        if transition is not None and transition.before.shape == transition.board.shape:
            boards = [transition.before, transition.board]
            motions = [self._motions.of(transition.before, transition.action, transition.after)]
        seen = Palette.of(boards)
        self._palette = Palette(
            max(self._palette.largest, seen.largest),
            of_powers=self._palette.of_powers and seen.of_powers,
            lowest=min(self._palette.lowest, seen.lowest),
        )
        is_back = transition is not None and transition.is_back
        return {**animated_boards(boards, motions, self._palette), "back": is_back and len(boards) > 1}

    def swipes(self, board: Board, edges: Sequence[Successor]) -> dict[str, str]:
        """Return the moves of swipes by direction: moves in which all tiles go that way.

        If the game provides no motions, they are the moves with the names of directions.
        """
        ways = [_way(each) for each in self._of_edges(board, edges)]
        if ways and all(ways) and len(set(ways)) == len(ways):
            return {way: edge.action for way, edge in zip(ways, edges, strict=True)}
        return {edge.action: edge.action for edge in edges if edge.action in DIRECTIONS}

    def clicks(self, board: Board, edges: Sequence[Successor]) -> dict[int, str]:
        """Return the moves of clicks by the number of the cell, if each move moves one tile."""
        motions = self._of_edges(board, edges)
        sources = [each[0].source for each in motions if len(each) == 1]
        if len(sources) < len(edges) or len(set(sources)) < len(sources):
            return {}
        cells = Geometry(board.shape).cells
        return {
            cells.index(source): edge.action for source, edge in zip(sources, edges, strict=True) if source in cells
        }

    def _of_edges(self, board: Board, edges: Sequence[Successor]) -> list[Sequence[Motion]]:
        """Return the motions of moves from a board, empty if they are unknown or not drawn."""
        if self._pictures is not None:
            return [() for _ in edges]
        return [self._motions.of(board, edge.action, edge.board) or () for edge in edges]


def _way(motions: Sequence[Motion]) -> str:
    """Return the common direction of all tiles, or `""`."""
    ways = {
        (_sign(target[0] - source[0]), _sign(target[1] - source[1])) if target else (0, 0) for source, target in motions
    }
    return WAYS.get(ways.pop(), "") if len(ways) == 1 else ""


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def moves_view(edges: Sequence[Successor], hinted: Advice | None) -> list[dict[str, Any]]:
    """Return the legal moves, with numbers unless they are directions, and with values after a hint.

    `worth` is the value as text, `share` its position between the least and the greatest value, from 0 to 1.
    """
    moves: list[dict[str, Any]] = []
    number = 0
    for edge in edges:
        number += edge.action not in DIRECTIONS
        key = edge.action if edge.action in DIRECTIONS else number
        moves.append({"action": edge.action, "label": one_line(edge.action), "key": key})
    if hinted is None:
        return moves
    for move in moves:
        move["best"] = move["action"] == hinted.action
    if hinted.values is not None:
        finite = [value for value in hinted.values if isfinite(value)]
        least, most = min(finite, default=0.0), max(finite, default=0.0)
        for move, value, text in zip(moves, hinted.values, aligned(hinted.values), strict=True):
            inside = min(max(value, least), most) - least
            move.update(worth=text, share=round(inside / (most - least), 3) if most > least else 1.0)
    return moves
