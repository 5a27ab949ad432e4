"""What a player says of boards, one after another: the best move of each, and what every move is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.player import Move
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board

OVER = {"goal": "goal reached", "dead": "no move leads on"}
"""How a game is over, in words."""


class Answer(NamedTuple):
    """What is said of a board.

    Attributes:
        over: how the game is over, a key of OVER; an empty text if there is a move to make.
        action: the best move, an empty text if the game is over.
        values: what each move is worth, in the domain's order; None of a player that does not say.
    """

    over: str
    action: str
    values: Mapping[str, float] | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        if self.over:
            return {"move": None, "values": {}, "over": self.over}
        return {"move": self.action, "values": self.values}

    def as_line(self) -> str:
        """Return it in one line: the best move, and each move with what it is worth, tabs between them."""
        if self.over:
            return f"over: {OVER[self.over]}"
        worth = [f"{one_line(action)}={value!r}" for action, value in (self.values or {}).items()]
        return "\t".join((one_line(self.action), *worth))


class Advising:
    """Asks a player about boards.

    Args:
        player: who is asked.
        seed: of the player's random numbers, which go on from board to board.
    """

    def __init__(self, player: BoundPlayer, seed: int) -> None:
        self._domain = player.domain
        self._judge = player.begin_judging(seed)

    def answer(self, board: Board) -> Answer:
        """Return what the player says of a board of its domain.

        Raises:
            PluginError, UsageError: the player or the domain failed.
        """
        if self._domain.is_goal(board):
            return Answer("goal", "", None)
        moves = tuple(Move(edge.action, edge.board) for edge in self._domain.edges(board))
        if not moves:
            return Answer("dead", "", None)
        action, values = self._judge(board, moves)
        named = None if values is None else {move.action: worth for move, worth in zip(moves, values, strict=True)}
        return Answer("", action, named)
