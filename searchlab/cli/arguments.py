"""Arguments of the commands: the boards, games, players and components named on the command line."""

from __future__ import annotations

import io
import re
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from searchlab.binding.instance_files import (
    NamedInstance,
    instances_in,
    instances_of_name,
    named_instance,
    plain_board,
    split_name,
)
from searchlab.binding.names import parse_name
from searchlab.board.files import board_content, board_set, find_board, is_many, read_board_content
from searchlab.cli.output import tell
from searchlab.errors import BoardError, UsageError
from searchlab.files import LONGEST_TEXT, read_at_most
from searchlab.model.domain import board_in
from searchlab.model.instance import Instance
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import domain_of_file, file_suffixes, game_of, game_with, of_named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.names import Spelled
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer
    from searchlab.games.game import GameSeries, Observer
    from searchlab.model.games import Game
    from searchlab.plugins.found import Found
    from searchlab.plugins.registry import Plugins

STANDARD_INPUT = "-"
LISTED_TILES = re.compile("[0-9/ -]*[0-9][0-9/ ]*", re.ASCII)
"""A board on the command line itself, row by row, rather than its name."""


@dataclass(frozen=True)
class DomainChoice:
    """The options that name a game, and the rules that choose one without them.

    Attributes:
        domain: the value of --domain, or None.
        goal: the value of --goal, or None.
        plugins: the registry that names are looked up in.
        preset: the value of --preset, or None.
        to: the value of --to, or None: a board in place of the goal.
        played: whether the game is to be played; without a goal this prefers games of chance.
    """

    domain: str | None
    goal: str | None
    plugins: Plugins
    preset: str | None = None
    to: str | None = None
    played: bool = False

    def of(self, named: NamedInstance) -> BoundDomain:
        """Return the domain of a board: the one given by options, else that of its file, else the only one that fits.

        Raises:
            UsageError, BoardError: a name is unknown, or the board fits no domain, several, or not the given one.
        """
        domain = self._towards(self.of_file(named.path) or self._of_tiles(named))
        try:
            return of_named(domain, named)
        except BoardError as error:
            raise BoardError(f"{named.name}: {error}") from None

    def _towards(self, domain: BoundDomain) -> BoundDomain:
        """Return a domain with the board that --to names in place of its goal; without --to as it is."""
        if self.to is None:
            return domain
        if self.goal is not None:
            raise UsageError("--goal and --to both set the goal: leave one out")
        try:
            is_listed = LISTED_TILES.fullmatch(self.to)
            board = board_in(self.to) if is_listed else read_named_board(self.to, replace(self, to=None)).board
        except BoardError as error:
            raise BoardError(f"--to {error}") from None
        return domain.towards(board)

    def of_file(self, path: Path | None) -> BoundDomain | None:
        """Return the domain given by options, else that of a file, else None; the path None is standard input."""
        named = self.named()
        if named is not None or path is None:
            return named
        of_file = domain_of_file(path, self.plugins)
        return None if of_file is None else self._bound(of_file)

    def named(self) -> BoundDomain | None:
        """Return the domain given by name or by preset, or None."""
        if self.domain is not None:
            return self._bound(self.domain)
        if self.preset is not None:
            default = lookup.domain(self._default, plugins=self.plugins)
            return self._bound(game_with(self.preset, default, self.plugins))
        return None

    def without_board(self) -> BoundDomain:
        """Return the domain that was named, else the default."""
        return self._towards(self.named() or self._bound(self._default))

    def is_guess(self, named: NamedInstance) -> bool:
        """Return whether the domain of a board follows from its tiles only."""
        return self.of_file(named.path) is None

    def known_optimum(self, named: NamedInstance) -> float | None:
        """Return the optimal cost given by an instance or by the set.toml of its game, or None."""
        if named.instance.optimal is not None and self.to is None:
            return named.instance.optimal
        if named.path is None or any(given is not None for given in (self.domain, self.goal, self.preset, self.to)):
            return None
        found = board_set(named.path)
        return found.optimal.get(named.path.stem) if found else None

    @property
    def _default(self) -> str:
        return lookup.DEFAULT_GAME if self._prefers_chance else lookup.DEFAULT_DOMAIN

    @property
    def _prefers_chance(self) -> bool:
        return self.played and self.goal is None

    def _of_tiles(self, named: NamedInstance) -> BoundDomain:
        """Return the only domain of which this is a legal board."""
        try:
            return self._bound(game_of(named.board, self.plugins, played=self._prefers_chance))
        except BoardError as error:
            raise BoardError(f"{named.name}: {error}; name the game with --domain") from None

    def _bound(self, name: str | BoundDomain) -> BoundDomain:
        """Return a domain with the given goal and preset."""
        given = {"goal": self.goal, "preset": self.preset}
        given = {key: value for key, value in given.items() if value is not None}
        return lookup.domain(name, plugins=self.plugins, **given)


def read_named_board(name: str, choice: DomainChoice) -> NamedInstance:
    """Read the board or the instance of a name, or of standard input (`-`)."""
    domain = choice.named()
    if domain is not None:
        domain.check_named()
    if name == STANDARD_INPUT:
        found = _standard_input(choice)
        if len(found) > 1:
            raise BoardError(f"standard input: expected one instance, not {len(found):,}")
        return found[0]
    if domain is not None and domain.is_plain_state(name):
        return NamedInstance(name, Instance("", name))
    path = find_board(split_name(name)[0], partial(file_suffixes, choice.plugins))
    named = named_instance(name, choice.of_file(path))
    return replace(named, name=name)


def read_named_boards(
    names: Iterable[str], choice: DomainChoice, refuse: Callable[[BoardError], None] | None = None
) -> list[NamedInstance]:
    """Read boards by name, and all of folders, shipped folders, patterns and files with several instances.

    Args:
        names: the names.
        choice: chooses the domains.
        refuse: called with the error of a file, which is then left out; by default it is raised.
    """
    suffixes = file_suffixes(choice.plugins)
    named: list[NamedInstance] = []
    for name in names:
        if name == STANDARD_INPUT:
            named += _standard_input(choice)
            continue
        found = instances_of_name(name, suffixes, choice.of_file, refuse)
        named += found if is_many(name) or len(found) != 1 else [replace(found[0], name=name)]
    return named


def _standard_input(choice: DomainChoice) -> list[NamedInstance]:
    """Return the content of standard input: a board, or instances in the format of the given domain."""
    stream = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
    domain = choice.named()
    if domain is None or domain.component.files.parse is None:
        content = board_content(stream, "standard input")
        board = plain_board(partial(read_board_content, content, "standard input"), domain)
        return [NamedInstance(STANDARD_INPUT, Instance("", board))]
    text = read_at_most(stream, LONGEST_TEXT)
    if text is None:
        raise BoardError(f"standard input: larger than {LONGEST_TEXT >> 20} MiB, the limit for text files")
    try:
        found = instances_in(text.decode("utf-8-sig"), domain, "standard input")
    except UnicodeDecodeError:
        raise BoardError("standard input: it is not in UTF-8") from None
    return [replace(each, name=each.name.replace("standard input", STANDARD_INPUT, 1)) for each in found]


def board_and_domain(name: str | None, choice: DomainChoice) -> tuple[Board, BoundDomain]:
    """Return the named board and its domain; without a name, the start board of the chosen domain."""
    if name is None:
        domain = choice.without_board()
        return domain.start(), domain
    named = read_named_board(name, choice)
    domain = choice.of(named)
    if choice.is_guess(named):
        report_guess(domain)
    return named.board, domain


def report_guess(domain: BoundDomain) -> None:
    """Print a message that a domain was chosen by the tiles."""
    tell(f"domain {domain}, judging by the tiles (--domain NAME chooses one)")


def direction_hint(heuristic: BoundHeuristic, name: str, plugins: Plugins) -> str:
    """Return a hint that a bare function was read as an estimate although the domain's heuristic is a score, or `""`.

    Args:
        heuristic: the function, for a domain.
        name: as the user wrote it.
        plugins: the plugins in which the domain's heuristic is looked up.
    """
    on, given = heuristic.domain, parse_name(name).parameters
    if (
        on is None
        or not on.component.defaults.heuristic
        or heuristic.direction != "lower is better"
        or "prefer" in given
    ):
        return ""
    if lookup.heuristic(on.component.defaults.heuristic, domain=on, plugins=plugins).prefer != "high":
        return ""
    better = f"{name}{',' if given else ':'}prefer=high"
    return f"{name}: lower values count as better; for a score, where higher is better, write {better}"


def resolve_name(plugins: Plugins, words: tuple[str, ...]) -> tuple[Spelled, list[Found[Any]]]:
    """Return a parsed name, and all matching components.

    Args:
        plugins: the registry that the name is looked up in.
        words: the name, or a kind and the name.

    Raises:
        UsageError: no component matches.
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
        seed: the seed of all random numbers.
        drawer: draws the boards.
        plugins: the registry that players are looked up in.
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

    def player(
        self, name: str | None = None, seconds: float | None = None, heuristic: str | None = None
    ) -> BoundPlayer:
        """Return a player of the game; see `named_player`."""
        return named_player(self.domain, name, seconds, self.plugins, heuristic)

    def prepare(self, player: BoundPlayer) -> None:
        """Build the tables that the game and a player need, before anything is timed or shown.

        Raises:
            PluginError: a table cannot be built.
        """
        player.prepare(self.start or self.domain.start())

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
            instance=self.domain.instance,
        )


def named_player(
    domain: BoundDomain, name: str | None, seconds: float | None, plugins: Plugins, heuristic: str | None = None
) -> BoundPlayer:
    """Return a player of a game.

    Args:
        domain: the game.
        name: the player's name; None for the player that gives hints.
        seconds: the time for a move; None for the player's default.
        plugins: the registry that the name is looked up in.
        heuristic: the name of the heuristic; None for the player's default.

    Raises:
        UsageError: there is no such player, or it has no parameter for the time or for a heuristic.
    """
    from searchlab.games.game import DEFAULT_PLAYER

    wanted = domain.component.defaults.player or DEFAULT_PLAYER if name is None else name
    player = lookup.player(wanted, domain=domain, plugins=plugins)
    given: dict[str, Any] = {}
    if seconds is not None:
        if not takes_time(player):
            raise UsageError(f"--time-per-move: player {player.name} has no parameter seconds")
        given["seconds"] = seconds
    if heuristic is not None:
        given[_heuristic_parameter(player)] = heuristic
    return lookup.player(wanted, domain=domain, plugins=plugins, **given) if given else player


def _heuristic_parameter(player: BoundPlayer) -> str:
    """Return the parameter that names a player's heuristic."""
    names = [parameter.name for parameter in player.component.own_parameters() if parameter.names_heuristic]
    if len(names) == 1:
        return names[0]
    if names:
        raise UsageError(f"--heuristic: player {player.name} has several: write {player.name}:{names[0]}=NAME")
    raise UsageError(f"--heuristic: player {player.name} takes no heuristic; see searchlab plugins show {player.name}")


def takes_time(player: BoundPlayer) -> bool:
    """Return whether a player has a parameter for the time of a move."""
    return any(parameter.name == "seconds" for parameter in player.component.own_parameters())


def results_at(
    path: str | Path,
    columns: Collection[str] | None = None,
    also: Collection[str] = (),
    *,
    all_versions: bool = False,
    all_attempts: bool = False,
    texts: Literal["string", "category"] = "string",
) -> pd.DataFrame:
    """Return the results of an experiment, and say how many are left out because another version was asked for later.

    Args:
        path, columns, also, all_versions, all_attempts, texts: see `searchlab.experiments.loading.read_results`.

    Raises:
        UsageError: there are no results, or they cannot be read.
    """
    from searchlab.experiments.loading import LEFT_OUT, read_results

    results = read_results(path, columns, also, all_versions=all_versions, all_attempts=all_attempts, texts=texts)
    if results.attrs[LEFT_OUT]:
        tell(f"{path}: {results.attrs[LEFT_OUT]}")
    return results
