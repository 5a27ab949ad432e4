"""The boards of an experiment: read from files or generated, each with the domain that is named for it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from searchlab.binding.instance_files import Place, instances_at, places
from searchlab.binding.names import parse_name
from searchlab.board import files as boardfiles
from searchlab.errors import BoardError, PluginError, SearchlabWarning, UsageError
from searchlab.experiments.runs import RunInstance
from searchlab.experiments.specification import at
from searchlab.experiments.tables import board_text
from searchlab.model.states import is_board
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import domain_of_file, file_suffixes, game_of
from searchlab.plugins.found import full_name, serves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.experiments.specification import Experiment, Generation
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.states import State
    from searchlab.plugins.registry import Plugins

FILE, GENERATOR = "file", "generator"
"""The origins of an instance."""
GENERATED = re.compile(r"(?P<generator>.+) seed (?P<seed>[0-9]+)(?: of (?P<domain>.+))?")
"""The name of a generated instance."""
FILES_KEPT = 4
"""The number of files whose instances a worker keeps."""


@dataclass(frozen=True, eq=False)
class BoardSource:
    """A board of an experiment.

    Attributes:
        instance: the instance that runs start from; `set.toml` may give its optimal cost.
        given: the board with static data, or None if it cannot be read or generated.
        domain: the domain that `set.toml` names, that has the file's suffix, or that the board was generated for; else
            `""`.
        is_generated: whether a generator made the board.
        entry: what an experiment names to have this board alone: a file, an instance of one, or a generation.
    """

    instance: RunInstance
    given: Instance | None
    domain: str
    is_generated: bool = False
    entry: str | Generation = ""

    @property
    def board(self) -> Board | None:
        """The board, or None if it cannot be read or generated."""
        return self.given.start if self.given else None


def board_sources(
    experiment: Experiment,
    plugins: Plugins,
    *,
    most: int | None = None,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Iterator[BoardSource]:
    """Yield the boards of an experiment in the order of the experiment file, files before generated boards.

    An experiment without boards begins at the start of each domain, by default the default game. A file without a
    board, or a generator that fails, yields an instance with a fault.

    Args:
        experiment: the experiment.
        plugins: the plugins that names are looked up in.
        most: the largest number of boards to generate for each entry of `generate`; by default all.
        on_progress: called before each board is generated and after the last one, with the number so far, the total,
            and what comes now, such as "waiting for generator shuffled with seed 7", or `""` after the last.

    Raises:
        UsageError, BoardError: a name is unknown, or a `set.toml` is invalid.
    """
    if not experiment.boards and not experiment.generate:
        default = plugins.get("domain", parse_name(lookup.DEFAULT_GAME)).component
        yield BoardSource(RunInstance("", None), None, _shortest_name(default, plugins))
        return
    yield from file_sources(experiment, plugins)
    counts = [generation.count if most is None else min(most, generation.count) for generation in experiment.generate]
    made = 0

    def tell(now: str) -> None:
        if on_progress:
            on_progress(made, sum(counts), now)

    for number, generation in enumerate(experiment.generate):
        with at("generate", number):
            for board in _generated(generation, counts[number], experiment, plugins, tell):
                made += 1
                yield board
    tell("")


def file_sources(experiment: Experiment, plugins: Plugins, domain: BoundDomain | None = None) -> Iterator[BoardSource]:
    """Yield the boards in the files of an experiment.

    Args:
        experiment: the experiment.
        plugins: the plugins that names are looked up in.
        domain: the domain that reads the files; by default the domain of each file.
    """
    board_set = cache(boardfiles.board_set)
    suffixes = file_suffixes(plugins)
    with at("boards"):
        wanted = [place for name in experiment.boards for place in places(name, suffixes)]
    for place in dict.fromkeys(wanted):
        yield from _read(place, board_set(place.path.parent), domain, plugins)


def game_by_tiles(board: Board, plugins: Plugins, *, played: bool = False) -> str:
    """Return the name of the only domain that can have a board.

    Args:
        played: whether the board is to be played; see `searchlab.plugins.domain_of_board.game_of`.

    Raises:
        BoardError: no domain or several domains can have it.
    """
    return _shortest_name(game_of(board, plugins, played=played).component, plugins)


def _shortest_name(component: Domain, plugins: Plugins) -> str:
    """Return the name of a domain, with the plugin if several domains share the name."""
    registered = plugins.all("domain")
    (item,) = [item for item in registered if item.component is component]
    same = [other for other in registered if other.component.name == component.name]
    return component.name if len(same) == 1 else full_name(item, registered)


def _read(
    place: Place, of_set: boardfiles.BoardSet | None, domain: BoundDomain | None, plugins: Plugins
) -> Iterator[BoardSource]:
    """Yield the boards of a place; see `file_sources` for the domain."""
    named = of_set.domain if of_set else ""
    try:
        by_suffix = domain_of_file(place.path, plugins)
    except UsageError:  # told where the boards' domain is looked up
        by_suffix = None
    if by_suffix is not None and not named:
        named = _shortest_name(by_suffix.component, plugins)
    try:
        found = instances_at(place, domain or by_suffix)
    except BoardError as error:
        name = _printable("#".join(filter(None, (boardfiles.board_name(place.path), place.key))))
        entry = "#".join(filter(None, (str(place.path), place.key)))
        yield BoardSource(RunInstance(name, None, fault=str(error)), None, named, entry=entry)
        return
    for each in found:
        optimal = each.instance.optimal
        if optimal is None and of_set and not each.key:
            optimal = of_set.optimal.get(place.path.stem)
        origin = (FILE, str(place.path.absolute()), each.key)
        instance = _instance(_printable(each.name), each.instance, optimal, origin)
        entry = "#".join(filter(None, (str(place.path), each.key)))
        yield BoardSource(instance, each.instance, named, entry=entry)


def _printable(name: str) -> str:
    return name.encode(errors="backslashreplace").decode()  # a path need not be UTF-8


def start_name(domain: BoundDomain, start: State) -> str:
    """Return the name of the start of a domain in tables of searches: the board or the state as text, in one line."""
    return board_text(start if is_board(start) else domain.states.text(start))


class KnownInstances:
    """The instances of runs with their static data, which a worker reads again; the latest files are kept."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, tuple[str, str]], dict[str, Instance]] = {}

    def find(self, instance: RunInstance, domain: BoundDomain, plugins: Plugins) -> Instance:
        """Return the instance of a run.

        Raises:
            UsageError: the static data changed after the run was planned.
            BoardError, PluginError: the instance cannot be read or generated.
        """
        for anew in (False, True):
            found = self._found(instance.origin, domain, plugins, anew=anew)
            if found is not None and found.digest == instance.static:
                return found
        what = "is not what it was when the run was planned"
        raise UsageError(f"{instance.name}: its static data {what}; the same command plans it anew")

    def _found(self, origin: tuple[str, ...], domain: BoundDomain, plugins: Plugins, *, anew: bool) -> Instance | None:
        """Return the instance of `("file", path, name in the file)` or `("generator", name, domain, seed)`."""
        if origin[0] == GENERATOR:
            _, name, of_domain, seed = origin
            return lookup.generator(name, domain=of_domain, plugins=plugins).instance(int(seed))
        _, path, key = origin
        file = path, domain.key
        if anew or file not in self._files:
            if len(self._files) >= FILES_KEPT:
                self._files.pop(next(iter(self._files)))
            with warnings.catch_warnings():  # what is left out was said when the runs were planned
                warnings.simplefilter("ignore", SearchlabWarning)
                found = instances_at(Place(Path(path)), domain)
            self._files[file] = {each.key: each.instance for each in found}
        return self._files[file].get(key)


def _generated(
    generation: Generation, count: int, experiment: Experiment, plugins: Plugins, tell: Callable[[str], None]
) -> Iterator[BoardSource]:
    """Yield generated boards; `tell` is called before each one with the generator and the seed."""
    domain = _domain_of(generation, experiment, plugins)
    generator = lookup.generator(generation.generator, domain=domain, plugins=plugins)
    assert generator.domain is not None
    of_domain = "" if str(generator.domain) == generator.domain.name else f" of {generator.domain}"
    for seed in range(generation.seed, generation.seed + count):
        name = f"{generator} seed {seed}{of_domain}"
        entry = msgspec.structs.replace(generation, domain=domain, count=1, seed=seed)
        tell(f"waiting for generator {generator} with seed {seed}")
        try:
            made = generator.instance(seed)
        except PluginError as error:
            yield BoardSource(RunInstance(name, None, fault=str(error)), None, domain, is_generated=True, entry=entry)
        else:
            origin = (GENERATOR, generation.generator, domain, str(seed))
            instance = _instance(name, made, made.optimal, origin)
            yield BoardSource(instance, made, domain, is_generated=True, entry=entry)


def _domain_of(generation: Generation, experiment: Experiment, plugins: Plugins) -> str:
    """Return the name of the domain that boards are generated for."""
    if generation.domain:
        return generation.domain
    component = plugins.get("generator", parse_name(generation.generator)).component
    for name in experiment.domains:
        if serves(component, lookup.domain(name, plugins=plugins)):
            return name
    if len(component.domains) == 1:
        return str(next(iter(component.domains)))
    raise UsageError(f"generator {generation.generator} makes boards of several games: say which with domain")


def _instance(name: str, given: Instance, optimal: float | None, origin: tuple[str, ...]) -> RunInstance:
    rows = tuple(map(tuple, given.start.tiles.tolist()))
    static = given.digest
    return RunInstance(name, rows, optimal=optimal, static=static, origin=origin if static else ())
