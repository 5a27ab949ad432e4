"""Arguments of the commands: the boards, games, players and components named on the command line."""

from __future__ import annotations

import io
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.board.files import (
    board_name,
    board_set,
    find_board,
    is_many,
    read_board,
    read_board_stream,
    read_boards,
)
from searchlab.cli.output import tell
from searchlab.errors import BoardError, UsageError
from searchlab.plugins import lookup
from searchlab.plugins.guess import domain_of_set, game_of, game_with

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.names import Spelled
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer
    from searchlab.games.game import GameSeries, Observer
    from searchlab.model.games import Game
    from searchlab.plugins.registry import Plugins, Registered

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class NamedBoard:
    """A board that was named on the command line.

    Attributes:
        name: the name as it was written.
        board: the board.
        path: its file; None for standard input.
    """

    name: str
    board: Board
    path: Path | None = None


@dataclass(frozen=True)
class DomainChoice:
    """The options that name a game, and the rules that choose one where they do not.

    Attributes:
        domain: the value of --domain, or None.
        goal: the value of --goal, or None.
        plugins: the registry in which names are looked up.
        preset: the value of --preset, or None.
        played: whether the game is to be played; without a goal this prefers games of chance.
    """

    domain: str | None
    goal: str | None
    plugins: Plugins
    preset: str | None = None
    played: bool = False

    def of(self, named: NamedBoard) -> BoundDomain:
        """Return the domain of a board: the one that was named, else that of its set, else the only one that fits.

        Raises:
            UsageError, BoardError: unknown names, a board that fits no domain or several, or not the one named.
        """
        domain = self.named() or self._of_set(named) or self._of_tiles(named)
        try:
            domain.check(named.board)
        except BoardError as error:
            raise BoardError(f"{named.name}: {error}") from None
        return domain

    def named(self) -> BoundDomain | None:
        """Return the domain that was named, or whose preset was; None if neither was."""
        if self.domain is not None:
            return self._bound(self.domain)
        if self.preset is not None:
            default = lookup.domain(self._default, plugins=self.plugins)
            return self._bound(game_with(self.preset, default, self.plugins))
        return None

    def without_board(self) -> BoundDomain:
        """Return the domain that was named, else the default."""
        return self.named() or self._bound(self._default)

    def is_guess(self, named: NamedBoard) -> bool:
        """Return whether the domain of a board can be told from its tiles only."""
        return self.domain is None and self.preset is None and not _domain_of_set(named)

    def known_optimum(self, named: NamedBoard) -> float | None:
        """Return the optimal cost that the set.toml beside a board states for the game it names, or None."""
        if named.path is None or any(given is not None for given in (self.domain, self.goal, self.preset)):
            return None
        found = board_set(named.path)
        return found.optimal.get(named.path.stem) if found else None

    @property
    def _default(self) -> str:
        return lookup.DEFAULT_GAME if self._prefers_chance else lookup.DEFAULT_DOMAIN

    @property
    def _prefers_chance(self) -> bool:
        return self.played and self.goal is None

    def _of_set(self, named: NamedBoard) -> BoundDomain | None:
        """Return the domain that the set.toml beside a board names, or None."""
        of_set = domain_of_set(named.path, self.plugins) if named.path else None
        return None if of_set is None else self._bound(of_set)

    def _of_tiles(self, named: NamedBoard) -> BoundDomain:
        """Return the only domain that can have this board."""
        try:
            return self._bound(game_of(named.board, self.plugins, played=self._prefers_chance))
        except BoardError as error:
            raise BoardError(f"{named.name}: {error}; name the game with --domain") from None

    def _bound(self, name: str | BoundDomain) -> BoundDomain:
        """Return a domain with the goal and the preset that were named."""
        given = {"goal": self.goal, "preset": self.preset}
        given = {key: value for key, value in given.items() if value is not None}
        return lookup.domain(name, plugins=self.plugins, **given)


def read_named_board(name: str) -> NamedBoard:
    """Read the board of a file, of a shipped name, or of standard input (`-`)."""
    if name == STANDARD_INPUT:
        stream = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
        return NamedBoard(STANDARD_INPUT, read_board_stream(stream, "standard input"))
    path = find_board(name)
    return NamedBoard(name, read_board(path), path)


def read_named_boards(names: Iterable[str]) -> list[NamedBoard]:
    """Read boards by name, and all boards of folders, shipped folders and glob patterns."""
    named = []
    for name in names:
        if name != STANDARD_INPUT and is_many(name):
            named += [NamedBoard(board_name(path), board, path) for path, board in read_boards(name).items()]
        else:
            named.append(read_named_board(name))
    return named


def board_and_domain(name: str | None, choice: DomainChoice) -> tuple[Board, BoundDomain]:
    """Return the named board and its domain; without a name, the start board of the chosen domain."""
    if name is None:
        domain = choice.without_board()
        return domain.start(), domain
    named = read_named_board(name)
    domain = choice.of(named)
    if choice.is_guess(named):
        report_guess(domain)
    return named.board, domain


def report_guess(domain: BoundDomain) -> None:
    """Print a message that a domain was chosen by the tiles."""
    tell(f"domain {domain}, judging by the tiles")


def _domain_of_set(named: NamedBoard) -> str:
    found = board_set(named.path) if named.path else None
    return found.domain if found else ""


def resolve_name(plugins: Plugins, words: tuple[str, ...]) -> tuple[Spelled, list[tuple[str, Registered[Any]]]]:
    """Return a name taken apart, and all components it stands for, each with its kind.

    Args:
        plugins: the registry in which the name is looked up.
        words: the name, or its kind and the name.

    Raises:
        UsageError: it stands for nothing.
    """
    from searchlab.binding.names import parse_name
    from searchlab.model.component_types import COMPONENT_TYPES

    kind, name = kind_and_name(words, COMPONENT_TYPES)
    spelled = parse_name(name)
    return spelled, plugins.find(spelled, [kind] if kind else list(COMPONENT_TYPES))


def kind_and_name(words: tuple[str, ...], kinds: Collection[str]) -> tuple[str, str]:
    """Split the words of a `[KIND] NAME` argument into kind, empty if left out, and name.

    Raises:
        UsageError: there are other words.
    """
    if len(words) == 1:
        return "", words[0]
    if len(words) == 2 and words[0] in kinds:
        return words[0], words[1]
    raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(kinds)}")


class GameSetup(NamedTuple):
    """A game to be played, by a person or by a player.

    Attributes:
        domain: the game.
        start: the board of the first move; None for a game from its opening.
        seed: seed of all random numbers.
        drawer: draws the boards.
        plugins: the registry in which players are looked up.
    """

    domain: BoundDomain
    start: Board | None
    seed: int
    drawer: Drawer
    plugins: Plugins

    def series(self, observer: Observer | None = None) -> GameSeries:
        """Return a series of games, the first of which has begun."""
        from searchlab.games.game import GameSeries, random_source
        from searchlab.model.randomness import Randomness

        return GameSeries(self.domain, random_source(self.domain, Randomness(self.seed)), self.start, observer)

    def player(self, name: str | None = None, seconds: float | None = None) -> BoundPlayer:
        """Return a player of the game; see `named_player`."""
        return named_player(self.domain, name, seconds, self.plugins)

    def game(self, series: GameSeries, player: str, began: float, status: str, reason: str = "") -> Game:
        """Return the latest game of a series, which began at this value of `time.perf_counter`."""
        from searchlab.model.games import Game

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
        name: the player's name; None for the one that gives hints.
        seconds: its time for a move; None to leave that to the player.
        plugins: the registry in which the name is looked up.

    Raises:
        UsageError: there is no such player, or it has no parameter for the time.
    """
    from searchlab.games.game import DEFAULT_PLAYER

    wanted = name or domain.component.player or DEFAULT_PLAYER
    player = lookup.player(wanted, domain=domain, plugins=plugins)
    if seconds is None:
        return player
    if not takes_time(player):
        raise UsageError(f"--time-per-move: player {player.name} has no parameter seconds")
    return lookup.player(wanted, domain=domain, plugins=plugins, seconds=seconds)


def takes_time(player: BoundPlayer) -> bool:
    """Return whether a player has a parameter for the time of a move."""
    return any(parameter.name == "seconds" for parameter in player.component.own_parameters())
