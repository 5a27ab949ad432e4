"""Advice: a player's best move and the value of every move of a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from searchlab.binding.player import Move
from searchlab.games.expectimax import Expectimax
from searchlab.games.game import DEFAULT_PLAYER
from searchlab.model.randomness import whole_number
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_board
from searchlab.plugins.lookup import DEFAULT_GAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.strategies import Player
    from searchlab.plugins.registry import Plugins


class Answer(NamedTuple):
    """A player's answer about a board.

    Attributes:
        over: how the game ended, `goal` or `dead`, or `""` if it continues.
        action: the best move, or `""` if the game is over.
        values: the value of each move, in the domain's order, or None if the player has no values.
    """

    over: str
    action: str
    values: Mapping[str, float] | None

    @property
    def losses(self) -> Mapping[str, float] | None:
        """The value of the best move minus the value of each move, or None if the player has no values.

        >>> Answer("", "left", {"up": 1.5, "left": 4.0}).losses
        {'up': 2.5, 'left': 0.0}
        """
        if self.values is None:
            return None
        highest = max(self.values.values(), default=0.0)
        # A value may be infinite, and infinity minus infinity is not a number.
        return {move: 0.0 if value == highest else highest - value for move, value in self.values.items()}


class PositionAdviser:
    """Ask a player about boards.

    Args:
        player: the player.
        seed: the seed of the player's random numbers, which continue from board to board.
    """

    def __init__(self, player: BoundPlayer, seed: int) -> None:
        self._player, self._domain = player, player.domain
        self._judge = player.begin_judging(seed)
        self._ahead: dict[tuple[int, int], Expectimax | None] = {}

    def answer(self, board: Board) -> Answer:
        """Return the player's answer about a board of the domain.

        Raises:
            PluginError, UsageError: the player or the domain failed.
        """
        if board.shape not in self._ahead:
            self._player.prepare(board)
            self._ahead[board.shape] = self._looks_ahead(board)
        if self._domain.is_goal(board):
            return Answer("goal", "", None)
        ahead = self._ahead[board.shape]
        if ahead is not None:
            found = ahead.values(board)
            return Answer("", max(found, key=found.__getitem__), found) if found else Answer("dead", "", None)
        moves = tuple(Move(edge.action, edge.board) for edge in self._domain.all_edges(board))
        if not moves:
            return Answer("dead", "", None)
        action, values = self._judge(board, moves)
        named = None if values is None else {move.action: worth for move, worth in zip(moves, values, strict=True)}
        return Answer("", action, named)

    def _looks_ahead(self, board: Board) -> Expectimax | None:
        """Return the `Expectimax` that can answer for a board without making its moves on Board objects, or None."""
        component = self._player.component
        if component.values is not None or component.looks_ahead is None:
            return None
        ahead = self._player.looks_ahead(board)
        if isinstance(ahead, Expectimax) and ahead.definition.domain.key == self._domain.key:
            return ahead
        return None


def advise(
    board: Board | Instance | str | Path,
    *,
    domain: str | Domain | BoundDomain | None = None,
    player: str | Player | BoundPlayer | Callable[..., str] | None = None,
    seed: int = 1,
    plugins: Plugins | None = None,
) -> Answer:
    """Return the best move of a board and the value of every move, as `searchlab advise` does.

    Args:
        board: a board or an instance with the player to move, or a name: a file, or a board that ships.
        domain: the game; by default 2048 with random tiles. For a board given by name, it is by default the domain in
            the `set.toml` beside the file, or else the only game that the tiles fit.
        player: the player to ask; by default the one that gives hints in the game.
        seed: the seed of the player's random numbers, 0 or more.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError, BoardError: a name is unknown, or the board is illegal.
        PluginError: the player or the domain failed.

    >>> import searchlab as sl
    >>> sl.advise(sl.Board([[2, 2], [0, 0]]), player="greedy").action in ("left", "right")
    True
    """
    seed = whole_number(seed)
    position, game = named_board(board, domain, plugins, default=DEFAULT_GAME, needed_by="a player", played=True)
    wanted = player or game.component.defaults.player or DEFAULT_PLAYER
    return PositionAdviser(lookup.player(wanted, domain=game, plugins=plugins), seed).answer(position)
