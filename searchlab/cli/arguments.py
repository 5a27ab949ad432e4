"""Arguments of the commands: the boards, games and components that were named on the command line."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchlab.board import files as boardfiles
from searchlab.cli.output import tell
from searchlab.errors import BoardError, UsageError
from searchlab.games.guess import game_of, game_with
from searchlab.plugins import lookup as by_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.names import Spelled
    from searchlab.board.board import Board
    from searchlab.plugins.registry import Plugins, Registered

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class NamedBoard:
    """A board that was named.

    Attributes:
        name: as it was named.
        board: the board.
        path: its file, None for standard input.
    """

    name: str
    board: Board
    path: Path | None = None


@dataclass(frozen=True)
class DomainChoice:
    """How domains are chosen: by what was typed, else by the board.

    Attributes:
        domain: what --domain says, None without it.
        goal: what --goal says, None without it.
        plugins: where names are looked up.
        preset: what --preset says, None without it.
        played: whether games are chosen to be played; one with a goal is chosen as if it were searched.
    """

    domain: str | None
    goal: str | None
    plugins: Plugins
    preset: str | None = None
    played: bool = False

    def of(self, subject: NamedBoard) -> BoundDomain:
        """Return the domain of a board, which is checked to be one of its boards.

        Raises:
            UsageError, BoardError: names that make no sense, or a board that fits no domain or several.
        """
        domain = self.named() or self._of_set(subject) or self._of_tiles(subject)
        try:
            domain.check(subject.board)
        except BoardError as error:
            raise BoardError(f"{subject.name}: {error}") from None
        return domain

    def named(self) -> BoundDomain | None:
        """Return the domain that was named, or has the preset that was; None if none was."""
        if self.domain is not None:
            return self._bound(self.domain, **self._given)
        if self.preset is not None:
            return self._bound(game_with(self.preset, self._default, self.plugins), **self._given)
        return None

    def without_board(self) -> BoundDomain:
        """Return the domain that was named, else the default."""
        return self.named() or self._bound(self._default, **self._given)

    def is_guess(self, subject: NamedBoard) -> bool:
        """Return whether the domain of a board can only be told from its tiles."""
        return self.domain is None and self.preset is None and not _domain_of_set(subject)

    def known_optimum(self, subject: NamedBoard) -> float | None:
        """Return what the set.toml beside a board says its cheapest solution costs, in the game it names."""
        if self.domain is not None or self._given or subject.path is None:
            return None
        found = boardfiles.board_set(subject.path)
        return found.optimal.get(subject.path.stem) if found else None

    @property
    def _given(self) -> dict[str, str]:
        given = {"goal": self.goal, "preset": self.preset}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def _default(self) -> BoundDomain:
        return self._bound(by_name.DEFAULT_GAME if self._by_chance else by_name.DEFAULT_DOMAIN)

    @property
    def _by_chance(self) -> bool:
        """Whether a game of chance is to be preferred."""
        return self.played and self.goal is None

    def _of_set(self, subject: NamedBoard) -> BoundDomain | None:
        """Return the domain that the set.toml beside a board names, None if none does."""
        name = _domain_of_set(subject)
        if not name:
            return None
        assert subject.path is not None
        try:
            of_set = self._bound(name)
        except UsageError as error:
            raise UsageError(f"{subject.path.parent / boardfiles.SET_FILE}: {error}") from None
        return self._bound(of_set, **self._given)

    def _of_tiles(self, subject: NamedBoard) -> BoundDomain:
        """Return the only domain that can have such a board."""
        try:
            return self._bound(game_of(subject.board, self.plugins, played=self._by_chance), **self._given)
        except BoardError as error:
            raise BoardError(f"{subject.name}: {error}; name the game with --domain") from None

    def _bound(self, name: Any, **parameters: str) -> BoundDomain:
        return by_name.domain(name, plugins=self.plugins, **parameters)


def read_named_board(name: str) -> NamedBoard:
    """Read the board of a file, of a shipped name, or of standard input (`-`)."""
    if name == STANDARD_INPUT:
        return _from_standard_input()
    path = boardfiles.find_board(name)
    return NamedBoard(name, boardfiles.read_board(path), path)


def read_named_boards(names: Iterable[str]) -> list[NamedBoard]:
    """Read boards, and all boards of folders, shipped folders and glob patterns."""
    subjects = []
    for name in names:
        if name != STANDARD_INPUT and boardfiles.is_many(name):
            boards = boardfiles.read_boards(name)
            subjects += [NamedBoard(boardfiles.board_name(path), board, path) for path, board in boards.items()]
        else:
            subjects.append(read_named_board(name))
    return subjects


def board_and_domain(name: str | None, choice: DomainChoice) -> tuple[Board, BoundDomain]:
    """Return the board that was named and its domain; without a name the start board of the domain."""
    if name is None:
        domain = choice.without_board()
        return domain.start(), domain
    subject = read_named_board(name)
    domain = choice.of(subject)
    if choice.is_guess(subject):
        tell_guess(domain)
    return subject.board, domain


def tell_guess(domain: BoundDomain) -> None:
    """Say that a domain was chosen by the tiles."""
    tell(f"domain {domain}, judging by the tiles")


def _from_standard_input() -> NamedBoard:
    stream = io.BytesIO() if sys.stdin is None else sys.stdin.buffer
    return NamedBoard(STANDARD_INPUT, boardfiles.read_board_stream(stream, "standard input"))


def _domain_of_set(subject: NamedBoard) -> str:
    found = boardfiles.board_set(subject.path) if subject.path else None
    return found.domain if found else ""


def resolve_name(plugins: Plugins, words: tuple[str, ...]) -> tuple[Spelled, list[tuple[str, Registered[Any]]]]:
    """Return a name taken apart, and everything it stands for, with its kind.

    Args:
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
    """Return the kind, one of these or empty where it was left out, and the name that were typed.

    Raises:
        UsageError: something else was typed.
    """
    if len(words) == 1:
        return "", words[0]
    if len(words) == 2 and words[0] in kinds:
        return words[0], words[1]
    raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(kinds)}")
