"""Find the game of a board: by the name of the board, by its tiles, or by the name of a preset."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.binding.instance_files import NamedInstance, named_instance, split_name
from searchlab.board.board import Board
from searchlab.board.files import SET_FILE, board_set, find_board
from searchlab.errors import BoardError, PluginError, SearchlabWarning, UsageError, did_you_mean
from searchlab.model.formatting import counted
from searchlab.model.instance import Instance
from searchlab.plugins import lookup
from searchlab.plugins.registry import given_or_installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.domain import Domain
    from searchlab.model.states import State
    from searchlab.plugins.registry import Plugins

FEWEST_TILES = 4
"""The number of tiles below which a board does not identify its game."""
MOST_NAMED = 2
"""The largest number of games for which an error message gives reasons."""
MOST_CHANGES = 2000
"""The largest number of boards to try when looking for a game that a board fits after changing one tile."""


def named_board(
    board: Board | Instance | str | Path | None,
    domain: str | Domain | BoundDomain | None,
    plugins: Plugins | None,
    *,
    default: str,
    needed_by: str,
    played: bool = False,
) -> tuple[Board, BoundDomain]:
    """Do as `named_state`, for something that needs boards.

    Args:
        board, domain, plugins, default, played: as for `named_state`.
        needed_by: what needs boards, for the message.

    Raises:
        UsageError: the states of the domain are not boards.
    """
    state, bound = named_state(board, domain, plugins, default=default, played=played)
    bound.states.need_boards(state, needed_by)
    return state, bound


def named_state(
    board: Board | Instance | str | Path | State | None,
    domain: str | Domain | BoundDomain | None,
    plugins: Plugins | None,
    *,
    default: str,
    played: bool = False,
) -> tuple[Any, BoundDomain]:
    """Return a board, possibly given by name, or another state, and its domain, with the static data of its instance.

    Args:
        board: the board, an instance, a file, an instance of one (`maze.scen#17`), or the name of a board that ships;
            None for the start board of the domain.
        domain: the domain; by default that of the `set.toml` beside the board's file, else the one with the file's
            suffix, else the only one that its tiles fit.
        plugins: the plugins that names are looked up in.
        default: the domain of a board without a name, if no other is given.
        played: whether the game is to be played, see `game_of`.

    Raises:
        UsageError, BoardError: a name is unknown, or the board is illegal in the domain.
    """
    if board is None or isinstance(board, Board | Instance):
        bound = lookup.domain(default if domain is None else domain, plugins=plugins)
        bound, start = bound.at(bound.start() if board is None else board)
        try:
            bound.check(start)
        except BoardError as error:
            if domain is not None or not isinstance(board, Board):
                raise
            fitting, _ = games_by_fit(board, given_or_installed(plugins))
            names = [game.name for game in fitting if played or not game.is_of_chance]
            raise BoardError(f"{error}{_advice(names)}") from None
        return start, bound
    if domain is not None:
        reader: BoundDomain | None = lookup.domain(domain, plugins=plugins)
        if reader and (reader.is_plain_state(board) or not isinstance(board, str | Path)):
            _, start = reader.at(board)
            reader.check(start)
            return start, reader
    else:
        is_name = isinstance(board, str | Path)
        file = find_board(split_name(board)[0], partial(file_suffixes, plugins)) if is_name else None
        reader = domain_of_file(file, plugins) if file else None
    named = named_instance(board, reader)
    try:
        bound = reader or game_of(named.instance.start, given_or_installed(plugins), played=played)
        return named.instance.start, of_named(bound, named)
    except BoardError as error:
        raise BoardError(f"{board}: {error}") from None


def _advice(names: list[str]) -> str:
    """Return advice for a caller who gave no domain, if a board fits one of these domains."""
    if not names:
        return ""
    return f"; its tiles fit {' and '.join(names)}: pass domain={names[0]!r}{', for one' if len(names) > 1 else ''}"


def of_named(domain: BoundDomain, named: NamedInstance) -> BoundDomain:
    """Return a domain with the static data of an instance.

    Raises:
        UsageError, BoardError: the instance is not one of the domain.
    """
    domain = domain.of(named.instance)
    domain.check(named.instance.start)
    return domain


def file_suffixes(plugins: Plugins | None) -> set[str]:
    """Return the suffixes of files in the own formats of all domains."""
    return {suffix for item in given_or_installed(plugins).all("domain") for suffix in item.component.files.suffixes}


def domain_of_file(path: Path, plugins: Plugins | None) -> BoundDomain | None:
    """Return the domain named beside a file, or the one with its suffix, or None.

    Raises:
        UsageError: see `domain_of_set`; or several domains have the suffix.
    """
    named = domain_of_set(path, plugins)
    if named is not None or path.suffix in ("", ".txt"):
        return named
    registry = given_or_installed(plugins)
    fitting = [item.component for item in registry.all("domain") if path.suffix in item.component.files.suffixes]
    if len(fitting) > 1:  # a plugin's file that was named comes before what is always there
        fitting = [each for each in fitting if not registry.is_installed(each)] or fitting
    if len(fitting) > 1:
        names = " and ".join(component.name for component in fitting)
        raise UsageError(f"{path}: files of {names} are called like that: say which domain is meant")
    return lookup.domain(fitting[0], plugins=plugins) if fitting else None


def domain_of_set(path: Path, plugins: Plugins | None) -> BoundDomain | None:
    """Return the domain in the `set.toml` beside a board's file, or None.

    Raises:
        UsageError: the file cannot be read, or names an unknown domain.
    """
    found = board_set(path)
    if found is None or not found.domain:
        return None
    try:
        return lookup.domain(found.domain, plugins=given_or_installed(plugins).for_data("this file"))
    except UsageError as error:
        raise UsageError(f"{path.parent / SET_FILE}: {error}") from None


def game_of(board: Board, plugins: Plugins, *, played: bool = False) -> BoundDomain:
    """Return the only domain with boards like this one; warn of domains whose `why_invalid` fails.

    Args:
        board: the board.
        plugins: the plugins whose domains are tried.
        played: whether the game is to be played. If so, a game is omitted if there is a similar game of chance;
            otherwise games of chance, which cannot be searched, are omitted if there is another.

    Raises:
        BoardError: no domain has such boards, or several have.
    """
    fitting, reasons = games_by_fit(board, plugins)
    if played:
        by_chance = {name for domain in fitting if domain.is_of_chance for name in domain.component.compatible_with}
        chosen = [domain for domain in fitting if domain.name not in by_chance]
    else:
        chosen = [domain for domain in fitting if not domain.is_of_chance] or fitting
    names = " and ".join(domain.name for domain in chosen)
    if len(chosen) < 2 and board.tiles.size < FEWEST_TILES:
        such = f" ({names} has such boards)" if chosen else ""
        raise BoardError(f"{counted(board.tiles.size, 'tile')} may be of any game{such}")
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise BoardError(f"the tiles fit {names}")
    likely = _nearest(board, [lookup.domain(name, plugins=plugins) for name in reasons])
    if not likely:
        raise BoardError(f"the tiles fit no game ({len(reasons)} were tried)")
    listed = {reasons[domain.name]: domain.name for domain in reversed(likely)}
    said = [f"for {name}: {reason}" for reason, name in reversed(listed.items())]
    raise BoardError("; ".join(["the tiles fit no game", *said[:MOST_NAMED]]))


def _nearest(board: Board, domains: list[BoundDomain]) -> list[BoundDomain]:
    """Return the domains that a board fits after changing one tile, those with the fewest such boards.

    A permutation with a duplicate tile becomes a board of a puzzle by few changes, and a row of pegs by many.
    """
    found: dict[int, list[BoundDomain]] = {}
    for domain in domains:
        with warnings.catch_warnings(), suppress(PluginError):
            warnings.simplefilter("ignore", SearchlabWarning)
            is_checked = domain.component.why_invalid is not None
            legal = sum(is_checked and not domain.why_invalid(other) for other in _one_tile_changed(board))
            found.setdefault(legal, []).append(domain)
    return found[min(filter(None, found))] if any(found) else []


def _one_tile_changed(board: Board) -> Iterator[Board]:
    """Yield the boards that differ from this one in one tile, replaced by another tile of the board or a small one."""
    cells = board.tiles.size
    tried = {*board.tiles.ravel().tolist(), *range(cells + 1)}
    if cells * len(tried) > MOST_CHANGES:
        return
    for cell in range(cells):
        for tile in sorted(tried - {int(board.tiles.flat[cell])}):
            tiles = board.tiles.copy()
            tiles.flat[cell] = tile
            yield Board(tiles)


def games_by_fit(board: Board, plugins: Plugins) -> tuple[list[BoundDomain], dict[str, str]]:
    """Return the domains that a board fits, and the reason for each other domain by name.

    A warning is issued for a domain whose `why_invalid` fails.
    """
    reasons: dict[str, str] = {}
    fitting = []
    for registered in plugins.all("domain"):
        domain = lookup.domain(registered.component, plugins=plugins)
        if domain.component.why_invalid is None:
            reasons[domain.name] = "it does not say what its boards are"
            continue
        try:
            wrong = domain.why_invalid(board)
        except PluginError as error:
            wrong = str(error).removeprefix(f"{domain.name}: ")
            message = f"domain {domain.name} of plugin {registered.plugin}: {wrong}"
            warnings.warn(message, SearchlabWarning, stacklevel=2)
        if wrong:
            reasons[domain.name] = wrong
        else:
            fitting.append(domain)
    return fitting, reasons


def game_with(preset: str, preferred: BoundDomain, plugins: Plugins) -> BoundDomain:
    """Return the only domain that has a preset of this name, or the preferred one of several.

    Raises:
        UsageError: no domain has the preset, or several have it but not the preferred one.
    """
    having = [item.component for item in plugins.all("domain") if item.component.presets]
    fitting = [component for component in having if preset in component.presets]
    chosen = [component for component in fitting if component is preferred.component] or fitting
    if len(chosen) == 1:
        return lookup.domain(chosen[0], plugins=plugins)
    if chosen:
        names = " and ".join(component.name for component in chosen)
        raise UsageError(f"{names} have a preset {preset!r}: say which with --domain")
    known = {name for component in having for name in component.presets}
    raise UsageError(f"no game has a preset {preset!r}: {did_you_mean(preset, known)}")
