"""`play` lets a player play a game: names are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.games import playing
from searchlab.plugins import lookup as by_name
from searchlab.plugins.lookup import DEFAULT_GAME
from searchlab.search.solve import start_board

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.games.playing import Watcher
    from searchlab.model.games import Game
    from searchlab.plugins.registry import Plugins

DEFAULT_PLAYER = "searchlab/greedy"


def play(
    board: Board | None = None,
    *,
    domain: str | BoundDomain = DEFAULT_GAME,
    player: str | BoundPlayer | Callable[..., str] = DEFAULT_PLAYER,
    seed: int = 0,
    most_moves: int = playing.MOST_MOVES,
    watcher: Watcher | None = None,
    plugins: Plugins | None = None,
) -> Game:
    """Let a player play a game.

    Args:
        board: where to start, the player to move; without it the domain's start board, in a game of chance with what
            appears before the first move.
        domain: the game, by name or bound.
        player: by name, bound, or simply a function of a board and its moves.
        seed: of the game's random numbers and of the player's, 0 or more: the same seed gives the same game.
        most_moves: moves after which a game that is not over is ended.
        watcher: called with the number of moves and the board a few times a second.
        plugins: where names are looked up; without it the installed plugins.

    Returns:
        the game; `game.status` says how it ended. A player that fails, or returns what is no legal move, ends it with
        the status `error`; nothing is raised for that.

    Raises:
        UsageError, BoardError: before anything is played.
    """
    bound_domain = by_name.domain(domain, plugins=plugins)
    if board is not None:
        board = start_board(board, bound_domain)
    bound_player = by_name.player(player, domain=bound_domain, plugins=plugins)
    return playing.play(board, bound_domain, bound_player, seed, most_moves, watcher)
