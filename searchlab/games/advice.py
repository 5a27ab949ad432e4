"""Advice: what a player makes of a board, as the best move and the value of every move."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from searchlab.binding.player import Move

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board


class Answer(NamedTuple):
    """A player's answer about a board.

    Attributes:
        over: how the game is over, `goal` or `dead`; an empty string if it goes on.
        action: the best move; an empty string if the game is over.
        values: the value of each move, in the domain's order; None if the player has no values.
    """

    over: str
    action: str
    values: Mapping[str, float] | None


class PositionAdviser:
    """Asks a player about boards.

    Args:
        player: the player.
        seed: seed of the player's random numbers, which continue from board to board.
    """

    def __init__(self, player: BoundPlayer, seed: int) -> None:
        self._domain = player.domain
        self._judge = player.begin_judging(seed)

    def answer(self, board: Board) -> Answer:
        """Return the player's answer about a board of its domain.

        Raises:
            PluginError, UsageError: the player or the domain failed.
        """
        if self._domain.is_goal(board):
            return Answer("goal", "", None)
        moves = tuple(Move(edge.action, edge.board) for edge in self._domain.all_edges(board))
        if not moves:
            return Answer("dead", "", None)
        action, values = self._judge(board, moves)
        named = None if values is None else {move.action: worth for move, worth in zip(moves, values, strict=True)}
        return Answer("", action, named)
