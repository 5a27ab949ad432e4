"""Setting: what `searchlab play` plays, whoever plays it by whatever means."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from searchlab.errors import UsageError
from searchlab.games.game import DEFAULT_PLAYER, GameSeries, random_source
from searchlab.model.games import Game
from searchlab.model.randomness import Randomness
from searchlab.plugins import lookup as by_name

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer
    from searchlab.games.game import Observer
    from searchlab.plugins.registry import Plugins


class Setting(NamedTuple):
    """What is played.

    Attributes:
        domain: the game.
        start: the board of the first move, None for a game from its opening.
        seed: of all random numbers.
        drawer: draws boards.
        plugins: where names are looked up.
    """

    domain: BoundDomain
    start: Board | None
    seed: int
    drawer: Drawer
    plugins: Plugins

    def series(self, observer: Observer | None = None) -> GameSeries:
        """Return the games, the first of which has begun."""
        return GameSeries(self.domain, random_source(self.domain, Randomness(self.seed)), self.start, observer)

    def player(self, name: str, seconds: float | None = None) -> BoundPlayer:
        """Return a player by its name; see `named_player`."""
        return named_player(self.domain, name, seconds, self.plugins)

    def best_player(self) -> BoundPlayer:
        """Return the player who gives hints."""
        return named_player(self.domain, None, None, self.plugins)

    def game(self, series: GameSeries, player: str, began: float, status: str, reason: str = "") -> Game:
        """Return the latest game of a series."""
        return Game(
            status=status,
            start=series.start,
            opening=series.opening,
            turns=tuple(series.turns),
            reason=f"{reason}\n{series.board}" if reason else "",
            seconds=time.perf_counter() - began,
            player=player,
            domain=str(self.domain),
            seed=self.seed,
        )


def named_player(domain: BoundDomain, name: str | None, seconds: float | None, plugins: Plugins) -> BoundPlayer:
    """Return a player of a game.

    Args:
        domain: the game.
        name: its name, None for the best there is, who gives hints.
        seconds: the time it has for a move, None to leave that to it.
        plugins: where names are looked up.

    Raises:
        UsageError: there is no such player, or it takes no such time.
    """
    wanted = name or domain.component.player or DEFAULT_PLAYER
    player = by_name.player(wanted, domain=domain, plugins=plugins)
    if seconds is None:
        return player
    if not takes_time(player):
        raise UsageError(f"--time-per-move: player {player.name} has no parameter seconds")
    return by_name.player(wanted, domain=domain, plugins=plugins, seconds=seconds)


def takes_time(player: BoundPlayer) -> bool:
    """Return whether a player can be given the time it has for a move."""
    return any(parameter.name == "seconds" for parameter in player.component.own_parameters())
