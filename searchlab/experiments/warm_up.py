"""The steps of `searchlab warm-up`: compile the functions of the loaded plugins in the kernels that call them.

A step prepares a search, an enumeration, a player or a learner without running it. Functions that several steps need
are compiled by the first.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from searchlab.binding.names import parse_name
from searchlab.board.files import shipped_boards, shipped_files
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import SearchlabError
from searchlab.games.compiled_game import compiled_game
from searchlab.games.game import GameState, random_source
from searchlab.model.limits import Limits
from searchlab.model.randomness import Randomness
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import file_suffixes, named_board
from searchlab.search.compiled.enumeration import Enumeration
from searchlab.search.compiled.families import compiled_loop
from searchlab.search.compiled.growing_table import enter_kernel
from searchlab.search.problem import Problem
from searchlab.search.watch import Watch
from searchlab.search.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.plugins.registry import Plugins

SEED = 1


class WarmUpStep(NamedTuple):
    """A search, enumeration, player or learner to prepare.

    Attributes:
        name: the name, such as "2048 · snake · astar".
        prepare: compiles the functions that are not yet in the cache; raises the errors of plugins.
    """

    name: str
    prepare: Callable[[], None]


def steps(plugins: Plugins) -> Iterator[WarmUpStep]:
    """Yield the steps for these plugins, searches and players without further parameters first."""
    later: list[WarmUpStep] = []
    for board, domain in _games(plugins):
        for number, step in enumerate(_of_game(board, domain, plugins)):
            if number:
                later.append(step)
            else:
                yield step
    yield WarmUpStep("searches of many nodes", _tables)
    yield from later
    for learner in plugins.all("learner"):
        yield WarmUpStep(f"learner {learner.component.name}", partial(_learn, learner.component.name, plugins))


def carry_out(step: WarmUpStep) -> None:
    """Prepare a step; errors and unsupported combinations are left for the commands that use the plugin."""
    with suppress(SearchlabError, CannotCompile):
        step.prepare()


def _games(plugins: Plugins) -> Iterator[tuple[Board, BoundDomain]]:
    """Yield the start board of each domain, or a board of each shape that ships if a domain has none."""
    begun: set[str] = set()
    seen: set[tuple[str, tuple[int, int]]] = set()
    for domain in plugins.all("domain"):
        with suppress(SearchlabError):
            bound = lookup.domain(domain.component.name, plugins=plugins)
            board = bound.start()
            begun.add(domain.component.name)
            yield board, bound
    for name in (*shipped_boards(), *(f"{file}#1" for file in shipped_files(file_suffixes(plugins)))):
        with suppress(SearchlabError):
            start, bound = named_board(name, None, plugins, default=lookup.DEFAULT_DOMAIN, needed_by="warm-up")
            if bound.component.name not in begun and (bound.name, start.shape) not in seen:
                seen.add((bound.name, start.shape))
                yield start, bound


def _of_game(board: Board, domain: BoundDomain, plugins: Plugins) -> Iterator[WarmUpStep]:
    """Yield the steps of a game, beginning with the defaults of the game's commands."""
    size = "×".join(map(str, board.shape))
    if domain.why_not_searched:
        for player in _first(
            domain.component.defaults.player, [found.component.name for found in plugins.all("player")]
        ):
            yield WarmUpStep(f"{domain.name} {size} · {_bare(player)}", partial(_play, board, domain, player, plugins))
        return
    component = domain.component
    others = [found.component for found in plugins.all("heuristic")]
    heuristics = _first(component.defaults.heuristic, [other.name for other in others if not other.combine])
    frontiers = _first(component.defaults.frontier, [found.component.name for found in plugins.all("frontier")])
    for heuristic in heuristics:
        for frontier in frontiers:
            name = f"{domain.name} {size} · {_bare(heuristic)} · {_bare(frontier)}"
            yield WarmUpStep(name, partial(_search, board, domain, heuristic, frontier, plugins))
    yield WarmUpStep(f"{domain.name} {size}, its state space", partial(_enumerate, board, domain))


def _first(default: str, names: list[str]) -> list[str]:
    """Return names with the domain's default first; the default may have parameters and a plugin."""
    if not default:
        return names
    bare = parse_name(default).name
    return [default, *(name for name in names if name != bare)]


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def _search(board: Board, domain: BoundDomain, heuristic: str, frontier: str, plugins: Plugins) -> None:
    estimate = lookup.heuristic(heuristic, domain=domain, plugins=plugins)
    compiled_loop(Problem(board, domain, estimate, lookup.frontier(frontier, plugins=plugins)), Workspace())


def _tables() -> None:
    for closed_only in (False, True):
        enter_kernel(closed_only=closed_only)


def _enumerate(board: Board, domain: BoundDomain) -> None:
    Enumeration(board, domain, Watch(Limits()))


def _play(board: Board, domain: BoundDomain, name: str, plugins: Plugins) -> None:
    player: BoundPlayer = lookup.player(name, domain=domain, plugins=plugins)
    if any(member.component.tables for member in player.members):
        return  # a table takes longer than the compiler
    game = GameState(domain, random_source(domain, Randomness(SEED)))
    player.begin(SEED)(game.board, game.legal_moves)
    if player.component.looks_ahead is not None:
        compiled_game(domain, player, board)


def _learn(name: str, plugins: Plugins) -> None:
    lookup.learner(name, domain=lookup.domain(lookup.DEFAULT_GAME, plugins=plugins), plugins=plugins)(SEED)
