"""The boards of an experiment: read from files or generated, each with the domain that is named for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from searchlab.binding.names import parse_name
from searchlab.board import files as boardfiles
from searchlab.errors import BoardError, PluginError, UsageError
from searchlab.experiments.runs import Instance
from searchlab.experiments.specification import at
from searchlab.plugins import lookup
from searchlab.plugins.guess import game_of
from searchlab.plugins.registry import full_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from searchlab.board.board import Board
    from searchlab.experiments.specification import Experiment, Generation
    from searchlab.model.domain import Domain
    from searchlab.plugins.registry import Plugins


@dataclass(frozen=True, eq=False)
class BoardSource:
    """A board of an experiment.

    Attributes:
        instance: what runs begin from, with the cost of an optimal solution if its `set.toml` says it.
        board: the board, None if it cannot be read or generated.
        domain: the domain that its `set.toml` names, or that it was generated for, else ''.
    """

    instance: Instance
    board: Board | None
    domain: str


def board_sources(
    experiment: Experiment,
    plugins: Plugins,
    *,
    most: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Iterator[BoardSource]:
    """Yield the boards of an experiment in the order of its file, files before those that are generated.

    An experiment that names none begins with the opening of the default game. A file that holds no board, and a
    generator that fails, is an instance with a fault.

    Args:
        most: the largest number of boards to generate for each entry of `generate`; by default all.
        on_progress: called after each board that is generated with their number so far, and in all.

    Raises:
        UsageError, BoardError: an unknown name, or a `set.toml` that makes no sense.
    """
    if not experiment.boards and not experiment.generate:
        default = plugins.get("domain", parse_name(lookup.DEFAULT_GAME)).component
        yield BoardSource(Instance("", None), None, _shortest_name(default, plugins))
        return
    board_set = cache(boardfiles.board_set)
    with at("boards"):
        paths = boardfiles.paths_of_boards(experiment.boards)
    for path in dict.fromkeys(paths):
        yield _read(path, board_set(path.parent))
    counts = [generation.count if most is None else min(most, generation.count) for generation in experiment.generate]
    made = 0
    for number, generation in enumerate(experiment.generate):
        with at("generate", number):
            for board in _generated(generation, counts[number], experiment, plugins):
                yield board
                made += 1
                if on_progress:
                    on_progress(made, sum(counts))


def game_by_tiles(board: Board, plugins: Plugins, *, played: bool = False) -> str:
    """Return the name of the only domain that can have a board.

    Args:
        played: whether the board is to be played; see `searchlab.plugins.guess.game_of`.

    Raises:
        BoardError: no domain or several domains can have it.
    """
    return _shortest_name(game_of(board, plugins, played=played).component, plugins)


def _shortest_name(component: Domain, plugins: Plugins) -> str:
    """Return the name of a domain, with its plugin if there are several domains of that name."""
    registered = plugins.all("domain")
    (item,) = [item for item in registered if item.component is component]
    same = [other for other in registered if other.component.name == component.name]
    return component.name if len(same) == 1 else full_name(item, registered)


def _read(path: Path, of_set: boardfiles.BoardSet | None) -> BoardSource:
    name = boardfiles.board_name(path).encode(errors="backslashreplace").decode()  # a path need not be UTF-8
    domain = of_set.domain if of_set else ""
    try:
        board = boardfiles.read_board_file(path)
    except BoardError as error:
        return BoardSource(Instance(name, None, fault=str(error)), None, domain)
    optimal = of_set.optimal.get(path.stem) if of_set else None
    return BoardSource(_instance(name, board, optimal), board, domain)


def _generated(generation: Generation, count: int, experiment: Experiment, plugins: Plugins) -> Iterator[BoardSource]:
    domain = _domain_of(generation, experiment, plugins)
    generator = lookup.generator(generation.generator, domain=domain, plugins=plugins)
    assert generator.domain is not None
    of_domain = "" if str(generator.domain) == generator.domain.name else f" of {generator.domain}"
    for seed in range(generation.seed, generation.seed + count):
        name = f"{generator} seed {seed}{of_domain}"
        try:
            board = generator(seed)
        except PluginError as error:
            yield BoardSource(Instance(name, None, fault=str(error)), None, domain)
        else:
            yield BoardSource(_instance(name, board), board, domain)


def _domain_of(generation: Generation, experiment: Experiment, plugins: Plugins) -> str:
    """Return the name of the domain that boards are generated for."""
    if generation.domain:
        return generation.domain
    component = plugins.get("generator", parse_name(generation.generator)).component
    for name in experiment.domains:
        if lookup.serves(component, lookup.domain(name, plugins=plugins)):
            return name
    if len(component.domains) == 1:
        return str(next(iter(component.domains)))
    raise UsageError(f"generator {generation.generator} makes boards of several games: say which with domain")


def _instance(name: str, board: Board, optimal: float | None = None) -> Instance:
    return Instance(name, tuple(map(tuple, board.tiles.tolist())), optimal=optimal)
