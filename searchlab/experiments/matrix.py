"""The matrix of an experiment: the combinations that make sense as runs, and the reasons against the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from searchlab.errors import BoardError, PluginError, UsageError
from searchlab.errors.caller import warn_caller
from searchlab.experiments.components import (
    Part,
    check_heuristic,
    check_player,
    domain_part,
    frontier_part,
    heuristic_part,
    player_part,
)
from searchlab.experiments.exclusions import rules
from searchlab.experiments.fingerprints import fingerprints, undeclared_files
from searchlab.experiments.instances import BoardSource, board_sources, file_sources, game_by_tiles, start_name
from searchlab.experiments.runs import Run, RunList, RunSeries
from searchlab.experiments.specification import (
    MOST_RUNS,
    NAMES,
    SpecificationError,
    at,
    check_lengths,
    located,
    within,
)
from searchlab.model.component import extra_parameters
from searchlab.model.instance import Instance
from searchlab.model.states import is_board
from searchlab.plugins import lookup
from searchlab.search.problem import Problem
from searchlab.search.solve import NO_ESTIMATE, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.experiments.exclusions import Rule
    from searchlab.experiments.requests import Code, FullNames
    from searchlab.experiments.runs import RunInstance
    from searchlab.experiments.specification import Experiment
    from searchlab.plugins.registry import Plugins

P = TypeVar("P", bound=Part[Any])

COMPARED = ("heuristic", "frontier", "player")
NO_SEED = "nothing in it takes a seed: it runs once, without one"
NO_HEURISTIC = "it asks for no heuristic: it runs once"
DEFAULT_SEED = 0
"""The seed of games without a given seed, as for `sl.play`."""


class Refusal(NamedTuple):
    """The reason why a combination is not run.

    Attributes:
        reason: one line.
        what: the part of the combination that the reason concerns.
    """

    reason: str
    what: str


@dataclass(frozen=True)
class Skipped:
    """Combinations that are not run, all for the same reason.

    Attributes:
        what: the parts of combinations that the reason concerns, such as boards, in order of appearance.
        reason: one line.
        count: the number of combinations.
    """

    what: tuple[str, ...]
    reason: str
    count: int


@dataclass
class Configuration:
    """The components that are combined with the boards of a domain.

    Attributes:
        parts: the components by kind, as `RunKind.parts` lists them.
        rules: the exclusions that match the components; boards are matched later.
        name: the name of the configuration, without the domain.
        alone: the name of a component that runs once per board, whatever it is combined with; `""` if there is none.
        is_seeded: whether a component takes a seed, or a game uses random numbers.
        default_seed: the seed if the experiment has none.
        names: the names of the components by kind.
        plugins: the fingerprints of the plugins whose code runs.
    """

    parts: Mapping[str, Part[Any]]
    rules: Sequence[Rule]

    name = alone = ""
    is_seeded = False
    default_seed: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        parts = self.parts.values()
        self.names = {kind: part.name for kind, part in self.parts.items()}
        self.plugins = fingerprints(
            [one for part in parts for one in part.components], [file for part in parts for file in part.files]
        )

    def refusal(self, given: Instance, experiment: Experiment) -> Refusal | None:
        """Return the reason why a run on an instance would be refused before it begins, or None.

        A failing plugin is not such a reason: the run itself reports that.
        """
        try:
            self._check(given, experiment)
        except UsageError as error:
            return Refusal(str(error), f"{self.name} on {self.parts['domain'].name}")
        except PluginError:
            return None
        return None

    def _check(self, given: Instance, experiment: Experiment) -> None:
        """Raise a UsageError if a run on an instance would be refused."""

    def run(self, instance: RunInstance, experiment: Experiment, seed: int | None) -> Run:
        """Return the first repetition of the run on an instance."""
        return Run(
            instance,
            self.names,
            experiment.limits,
            experiment.engine,
            experiment.batch,
            seed,
            1,
            self.plugins,
            experiment.most_moves,
            experiment.repeat_until,
        )


class SearchConfiguration(Configuration):
    """A domain, a frontier strategy, and a heuristic, which may be None if the strategy uses none."""

    def __init__(
        self,
        domain: Part[BoundDomain],
        heuristic: Part[BoundHeuristic] | None,
        frontier: Part[BoundFrontier],
        rules: Sequence[Rule],
    ) -> None:
        used = heuristic if frontier.bound.component.uses_heuristic else None
        named = {"heuristic": used} if used else {}
        super().__init__({"domain": domain, **named, "frontier": frontier}, rules)
        self.name = f"{heuristic.name} with {frontier.name}" if heuristic else frontier.name
        self.alone = "" if used else frontier.name
        self._heuristic = heuristic.bound if heuristic else lookup.heuristic(NO_ESTIMATE, domain=domain.bound)
        self.is_seeded = domain.is_seeded or frontier.is_seeded or (used is not None and used.is_seeded)
        self._refusals: dict[tuple[int, int] | None, Refusal | None] = {}

    def refusal(self, given: Instance, experiment: Experiment) -> Refusal | None:
        """Return why a search of a board would be refused; that depends on the board's shape only."""
        shape = given.start.shape if is_board(given.start) else None
        if shape not in self._refusals:
            self._refusals[shape] = super().refusal(given, experiment)
        return self._refusals[shape]

    def _check(self, given: Instance, experiment: Experiment) -> None:
        domain = self.parts["domain"].bound.of(given)
        problem = Problem(given.start, domain, self._heuristic.on(domain), self.parts["frontier"].bound)
        checked(problem, experiment.engine, experiment.batch)


class GameConfiguration(Configuration):
    """A domain and a player."""

    def __init__(self, domain: Part[BoundDomain], player: Part[BoundPlayer], rules: Sequence[Rule]) -> None:
        super().__init__({"domain": domain, "player": player}, rules)
        self.name, self._player = player.name, player.bound
        is_random = domain.bound.is_of_chance or _may_draw(player.bound)
        self.is_seeded = is_random or domain.is_seeded or player.is_seeded
        self.default_seed = DEFAULT_SEED if self.is_seeded else None

    def _check(self, given: Instance, experiment: Experiment) -> None:
        self._player.on(self.parts["domain"].bound.of(given)).check_arguments(given.start)


def _may_draw(player: BoundPlayer) -> bool:
    """Return whether a player takes a seed: it has the parameter `random`, or `keeps` makes an object from a seed."""
    forms = player.component.forms
    return player.component.keeps is not None or any(
        parameter.name == "random" for form in forms for parameter in extra_parameters(form, 2)
    )


@dataclass(frozen=True)
class Matrix:
    """The runs of an experiment.

    Attributes:
        experiment: the experiment.
        runs: in a fixed order: by domain, board, heuristic and frontier or player, seed, repetition.
        skipped: the other combinations, by reason.
        unused: exclusions that fit no combination: probably a slip.
        boards: the names of the boards that were named or generated.
        not_generated: the number of boards that a run would generate besides; their combinations are not here.
        domains, heuristics, frontiers, players: their names, in the order met.
        code: the fingerprints of the components, by their kinds and names.
        full_names: the names of the components with all parameters, by their kinds and names.
        blocks: the matrices of the experiment's blocks, if it has some; a run of several is one run here.
    """

    experiment: Experiment
    runs: Sequence[Run]
    skipped: list[Skipped]
    unused: tuple[str, ...]
    boards: tuple[str, ...]
    domains: tuple[str, ...]
    heuristics: tuple[str, ...]
    frontiers: tuple[str, ...]
    players: tuple[str, ...]
    not_generated: int = 0
    code: Code = field(default_factory=dict)
    full_names: FullNames = field(default_factory=dict)
    blocks: tuple[Matrix, ...] = ()

    @property
    def combinations(self) -> int:
        """The number of combinations, runs and others."""
        return len(self.runs) + sum(skipped.count for skipped in self.skipped)


def matrix(
    experiment: Experiment,
    plugins: Plugins,
    *,
    most_generated: int | None = None,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Matrix:
    """Return the matrix of an experiment.

    Args:
        plugins: the plugins that names are looked up in.
        most_generated: the largest number of boards to generate for each entry of `generate`; a dry run needs few.
        on_progress: called as each board is generated, see `board_sources`.

    Raises:
        UsageError: a name, parameter or board is unknown; one line, with the place in the experiment file.
    """
    warned: dict[str, None] = {}
    build = partial(_block_matrix, plugins=plugins, most=most_generated, on_progress=on_progress, warned=warned)
    with located(experiment.source):
        if experiment.tune is not None:
            raise SpecificationError(("tune",), "this experiment is done by searchlab tune, not by run")
        if experiment.runs:
            blocks = []
            for number, block in enumerate(experiment.runs):
                with within("runs", number):
                    blocks.append(build(block))
            made = replace(_united(experiment, blocks), blocks=tuple(blocks))
        else:
            made = build(experiment)
    for line in warned:
        warn_caller(line)
    return made


def _block_matrix(
    block: Experiment,
    plugins: Plugins,
    most: int | None,
    on_progress: Callable[[int, int, str], None] | None,
    warned: dict[str, None],
) -> Matrix:
    """Return the matrix of an experiment without blocks.

    Args:
        most, on_progress: see `matrix`.
        warned: receives warnings of files that a component reads without declaring them.
    """
    if not block.pair:
        return _MatrixBuilder(block, plugins, warned).build(most, on_progress)
    sources: list[BoardSource] = []
    if "boards" in block.pair:
        sources += board_sources(block, plugins, most=most, on_progress=on_progress)
        left_out = _boards_left_out(block, most)
        others = {key: len(getattr(block, key)) for key in block.pair if key != "boards"}
        check_lengths({"boards": len(sources) + left_out, **others})
        if left_out:  # a dry run counts those that it has generated
            return replace(_united(block, _pairs(block, plugins, sources, warned)), not_generated=left_out)
    return _united(block, _pairs(block, plugins, sources, warned))


def _boards_left_out(block: Experiment, most: int | None) -> int:
    """Return how many boards are not generated, if at most `most` are for each entry of `generate`."""
    return 0 if most is None else sum(max(0, generation.count - most) for generation in block.generate)


def _pairs(
    block: Experiment, plugins: Plugins, sources: Sequence[BoardSource], warned: dict[str, None]
) -> Iterator[Matrix]:
    """Yield a matrix for the first entries of all lists that go together, for the second ones, and so on."""
    lists = [sources if key == "boards" else getattr(block, key) for key in block.pair]
    for entries in zip(*lists, strict=False):
        given: dict[str, Any] = {"pair": ()}
        for key, entry in zip(block.pair, entries, strict=True):
            if isinstance(entry, BoardSource):
                is_generated = entry.is_generated
                given |= {"boards": () if is_generated else (entry.entry,)}
                given |= {"generate": (entry.entry,) if is_generated else ()}
            else:
                given[key] = (entry,)
        yield _MatrixBuilder(replace(block, **given), plugins, warned).build(None, None)


def _united(experiment: Experiment, parts: Iterable[Matrix]) -> Matrix:
    """Return the matrix of an experiment with the runs of several matrices, each once."""
    runs: dict[str, Run] = {}
    skipped: dict[str, Skipped] = {}
    unused: dict[str, bool] = {}
    names: dict[str, dict[str, None]] = {key: {} for key in NAMES}
    code: dict[str, dict[str, dict[str, str]]] = {}
    full_names: dict[str, dict[str, str]] = {}
    not_generated = 0
    for part in parts:
        for run in part.runs:
            known = runs.setdefault(run.identity, run)
            if (run.repeat_until or inf) < (known.repeat_until or inf):
                runs[run.identity] = run
        if len(runs) > MOST_RUNS:
            raise UsageError(f"{len(runs):,} runs and more; an experiment can have {MOST_RUNS:,}")
        for each in part.skipped:
            before = skipped.get(each.reason, Skipped((), each.reason, 0))
            what = tuple(dict.fromkeys((*before.what, *each.what)))
            skipped[each.reason] = Skipped(what, each.reason, before.count + each.count)
        for text in map(str, part.experiment.exclude):
            unused[text] = unused.get(text, True) and text in part.unused
        for key, found in names.items():
            found.update(dict.fromkeys(getattr(part, key)))
        for kind, of_kind in part.code.items():
            code.setdefault(kind, {}).update({name: dict(plugins) for name, plugins in of_kind.items()})
        for kind, full in part.full_names.items():
            full_names.setdefault(kind, {}).update(full)
        not_generated += part.not_generated
    return Matrix(
        experiment,
        list(runs.values()),
        list(skipped.values()),
        unused=tuple(text for text, is_unused in unused.items() if is_unused),
        boards=tuple(names["boards"]),
        domains=tuple(names["domains"]),
        heuristics=tuple(names["heuristics"]),
        frontiers=tuple(names["frontiers"]),
        players=tuple(names["players"]),
        not_generated=not_generated,
        code=code,
        full_names=full_names,
    )


class _MatrixBuilder:
    """Builds the matrix of an experiment without blocks and lists that go together.

    Args:
        warned: receives warnings of files that a component reads without declaring them.
    """

    def __init__(self, experiment: Experiment, plugins: Plugins, warned: dict[str, None]) -> None:
        self._experiment, self._plugins, self._warned = experiment, plugins, warned
        self._skips: Counter[Refusal] = Counter()
        self._runs_of_seeded = max(1, len(experiment.seeds)) * experiment.least_repetitions
        self._used: set[str] = set()
        plugins.allow_files(name for each in experiment.generate for name in (each.generator, each.domain or ""))
        self._rules = rules(experiment.exclude, plugins)
        self._domain = cache(partial(domain_part, plugins=plugins))
        self._domain_in_data = cache(partial(domain_part, plugins=plugins.for_data("its set.toml")))
        self._frontier = cache(partial(frontier_part, plugins=plugins))
        _check("domains", experiment.domains, self._check_domain)
        _check("heuristics", experiment.heuristics, partial(check_heuristic, plugins=plugins))
        _check("frontiers", experiment.frontiers, self._frontier)
        _check("players", experiment.players, partial(check_player, plugins=plugins))

    def _check_domain(self, name: str) -> None:
        domain = self._domain(name).bound
        if self._experiment.boards:
            domain.check_named()

    def build(self, most_generated: int | None, on_progress: Callable[[int, int, str], None] | None) -> Matrix:
        """Return the matrix; for the arguments see `matrix`."""
        sources = list(board_sources(self._experiment, self._plugins, most=most_generated, on_progress=on_progress))
        combinations = len(sources) * max(1, len(self._experiment.domains)) * self._runs_of_board
        if combinations > MOST_RUNS:
            raise UsageError(f"{combinations:,} runs; an experiment can have {MOST_RUNS:,}")
        used: list[Configuration] = []
        series: list[RunSeries] = []
        groups = self._by_domain(sources)
        for domain, of_domain in groups:
            instances = list(self._instances(domain, of_domain))
            if instances:
                combined = self._game_configurations if self._experiment.players else self._search_configurations
                configurations = list(combined(domain, len(instances)))
                series += self._series(instances, configurations)
                used += configurations
        self._note_undeclared_files(used)
        names = {kind: dict.fromkeys(c.parts[kind].name for c in used if kind in c.parts) for kind in COMPARED}
        return Matrix(
            self._experiment,
            RunList(series),
            self._grouped_skips(),
            unused=tuple(rule.text for rule in self._rules if rule.text not in self._used),
            boards=tuple(source.instance.name for source in sources if not source.instance.is_opening),
            domains=tuple(domain.name for domain, _ in groups),
            heuristics=tuple(names["heuristic"]),
            frontiers=tuple(names["frontier"]),
            players=tuple(names["player"]),
            not_generated=_boards_left_out(self._experiment, most_generated),
            code=code_of(used),
            full_names=full_names_of(used),
        )

    def _skip(self, refusal: Refusal, count: int) -> None:
        if count:
            self._skips[refusal] += count

    def _grouped_skips(self) -> list[Skipped]:
        groups: dict[str, list[Refusal]] = {}
        for refusal in self._skips:
            groups.setdefault(refusal.reason, []).append(refusal)
        return [
            Skipped(tuple(refusal.what for refusal in group), reason, sum(self._skips[refusal] for refusal in group))
            for reason, group in groups.items()
        ]

    def _note_undeclared_files(self, used: Sequence[Configuration]) -> None:
        """Note files that a component reads without declaring them: changes of these go unnoticed."""
        bound = [part.bound for each in used for part in each.parts.values()]
        self._warned.update(dict.fromkeys(line for each in bound for line in undeclared_files(each)))

    @property
    def _runs_of_board(self) -> int:
        experiment = self._experiment
        if experiment.players:
            return len(experiment.players) * self._runs_of_seeded
        return max(1, len(experiment.heuristics)) * max(1, len(experiment.frontiers)) * self._runs_of_seeded

    def _by_domain(self, sources: list[BoardSource]) -> list[tuple[Part[BoundDomain], list[BoardSource]]]:
        """Return domains with their boards: each domain of the experiment with all, or each board with its own."""
        if self._experiment.domains:
            named = map(self._domain, self._experiment.domains)
            distinct = list(self._distinct(named, len(sources) * self._runs_of_board))
            return [(domain, self._read_by(domain.bound, sources)) for domain in distinct]
        groups: dict[tuple[str, ...], tuple[Part[BoundDomain], list[BoardSource]]] = {}
        unknown: list[BoardSource] = []
        domain = None
        for source in sources:
            try:
                domain = self._domain_of(source) or domain
            except BoardError as error:
                self._skip(Refusal(f"{error}; say which in domains", source.instance.name), self._runs_of_board)
                continue
            if domain is None:
                unknown.append(source)
            else:
                groups.setdefault(domain.key, (domain, []))[1].extend((*unknown, source))
                unknown.clear()
        if unknown:
            raise SpecificationError(("boards",), f"{unknown[0].instance.fault}; and no domain is named")
        return list(groups.values())

    def _read_by(self, domain: BoundDomain, sources: list[BoardSource]) -> list[BoardSource]:
        """Return the boards as instances of a given domain, which may read files in its own format."""
        is_unread = any(source.instance.fault for source in sources)  # it may be a board of this domain only
        if not self._experiment.boards or (domain.component.files.parse is None and not is_unread):
            return sources
        generated = sources[len(sources) - sum(source.is_generated for source in sources) :]
        return [*file_sources(self._experiment, self._plugins, domain), *generated]

    def _domain_of(self, source: BoardSource) -> Part[BoundDomain] | None:
        """Return the domain of a board, or None if the board cannot be read and no `set.toml` names a domain.

        Raises:
            BoardError: the tiles fit no game, or several.
        """
        if source.domain:
            find = self._domain if source.is_generated else self._domain_in_data
            with at("boards"):
                try:
                    return find(source.domain)
                except UsageError as error:
                    raise UsageError(f"the domain of {source.instance.name}: {error}") from None
        if source.board is None:
            return None
        return self._domain(game_by_tiles(source.board, self._plugins, played=bool(self._experiment.players)))

    def _instances(
        self, domain: Part[BoundDomain], sources: Iterable[BoardSource]
    ) -> Iterator[tuple[RunInstance, Instance | None]]:
        """Yield the instances that a domain does not refuse, each position once."""
        names: dict[Any, str] = {}
        for source in sources:
            instance = source.instance
            wrong = _why_invalid(domain.bound, source.given) if source.given else ""
            key = (instance.rows, instance.static) if instance.rows else (instance.name, instance.fault)
            if instance.is_opening:
                yield from self._opening(domain, instance)
            elif wrong or self._is_of_another(domain, source):
                wrong = wrong or f"the file is one of {source.domain}"
                self._skip(Refusal(f"not a board of {domain.name}: {wrong}", instance.name), self._runs_of_board)
            elif key in names:
                same = f"{instance.name} is {names[key]}"
                self._skip(Refusal("the same board again: it runs once", same), self._runs_of_board)
            else:
                names[key] = instance.name
                known = instance.optimal is None or self._is_game_of_set(domain, source)
                yield (instance if known else replace(instance, optimal=None)), source.given

    def _is_of_another(self, domain: Part[BoundDomain], source: BoardSource) -> bool:
        """Return whether a board that a domain cannot read belongs to another one of the experiment.

        The other domain reads the file, or reports its mistake.
        """
        if not (source.instance.fault and source.domain):
            return False
        try:
            owner = self._domain_in_data(source.domain).bound.component
        except UsageError:
            return False
        named = (self._domain(name).bound.component for name in self._experiment.domains)
        return owner is not domain.bound.component and any(component is owner for component in named)

    def _opening(self, domain: Part[BoundDomain], instance: RunInstance) -> Iterator[tuple[RunInstance, Instance]]:
        """Yield the start of a domain, if the domain has one; games begin with its opening."""
        try:
            start = domain.bound.start()
        except UsageError as error:
            self._skip(Refusal(str(error), domain.name), self._runs_of_board)
            return
        if not self._experiment.players:
            rows = tuple(map(tuple, start.tiles.tolist())) if is_board(start) else None
            instance = replace(instance, name=start_name(domain.bound, start), rows=rows)
        yield instance, Instance("", start)

    def _is_game_of_set(self, domain: Part[BoundDomain], source: BoardSource) -> bool:
        """Return whether a domain is the one for which a board's optimal cost is known."""
        if source.given and source.given.optimal is not None:
            return domain.bound.target is None  # otherwise the domain has read it
        try:
            of_source = self._domain_in_data(source.domain) if source.domain else None
            return of_source.key == domain.key if of_source else not self._experiment.domains
        except UsageError:
            return False

    def _search_configurations(self, domain: Part[BoundDomain], boards: int) -> Iterator[Configuration]:
        """Yield the configurations in which a number of boards of a domain are searched."""
        with at("frontiers"):
            named = list(self._frontiers(domain, boards * self._runs_of_seeded))
        if not self._experiment.heuristics and not domain.bound.component.defaults.heuristic:
            yield from self._without_heuristic(domain, named, boards * self._runs_of_seeded)
            return
        a_heuristic = boards * len(named) * self._runs_of_seeded
        heuristics = list(self._distinct(self._heuristics(domain, a_heuristic), a_heuristic))
        frontiers = list(self._distinct(named, boards * len(heuristics) * self._runs_of_seeded))
        for heuristic in heuristics:
            for frontier in frontiers:
                rules = self._fitting(domain=domain, heuristic=heuristic, frontier=frontier)
                yield SearchConfiguration(domain, heuristic, frontier, rules)

    def _without_heuristic(
        self, domain: Part[BoundDomain], frontiers: Iterable[Part[BoundFrontier]], a_frontier: int
    ) -> Iterator[Configuration]:
        """Yield the configurations of the frontiers that use no heuristic."""
        reason = f"{domain.name} has no heuristic of its own: name one in heuristics, or by --heuristic"
        for frontier in self._distinct(frontiers, a_frontier):
            if frontier.bound.component.uses_heuristic:
                self._skip(Refusal(reason, f"{frontier.name} on {domain.name}"), a_frontier)
            else:
                yield SearchConfiguration(domain, None, frontier, self._fitting(domain=domain, frontier=frontier))

    def _frontiers(self, domain: Part[BoundDomain], a_frontier: int) -> Iterator[Part[BoundFrontier]]:
        """Yield the frontiers whose further heuristics, if they name some, are made for a domain."""
        for name in self._experiment.frontiers or (domain.bound.component.defaults.frontier,):
            frontier = self._frontier(name)
            if not any(parameter.names_heuristics for parameter in frontier.bound.component.own_parameters()):
                yield frontier
                continue
            try:
                yield frontier_part(name, self._plugins, domain.bound)
            except UsageError as error:
                self._skip(Refusal(str(error), f"{name} on {domain.name}"), a_frontier)

    def _fitting(self, **parts: Part[Any]) -> list[Rule]:
        return [rule for rule in self._rules if rule.fits(parts)]

    def _heuristics(self, domain: Part[BoundDomain], a_heuristic: int) -> Iterator[Part[BoundHeuristic]]:
        """Yield the heuristics that are made for a domain."""
        for name in self._experiment.heuristics or (domain.bound.component.defaults.heuristic,):
            try:
                yield heuristic_part(name, domain.bound, self._plugins)
            except UsageError as error:
                self._skip(Refusal(str(error), f"{name} on {domain.name}"), a_heuristic)

    def _game_configurations(self, domain: Part[BoundDomain], boards: int) -> Iterator[Configuration]:
        a_player = boards * self._runs_of_seeded
        for player in self._distinct(self._players(domain, a_player), a_player):
            yield GameConfiguration(domain, player, self._fitting(domain=domain, player=player))

    def _players(self, domain: Part[BoundDomain], a_player: int) -> Iterator[Part[BoundPlayer]]:
        """Yield the players that can play a domain."""
        for name in self._experiment.players:
            try:
                yield player_part(name, domain.bound, self._plugins)
            except UsageError as error:
                self._skip(Refusal(str(error), f"{name} on {domain.name}"), a_player)

    def _series(
        self, instances: Sequence[tuple[RunInstance, Instance | None]], configurations: Sequence[Configuration]
    ) -> Iterator[RunSeries]:
        """Yield the runs of the boards and configurations of a domain, board by board."""
        any_given = next((given for _, given in instances if given is not None), None)
        for instance, given in instances:
            ran: set[str] = set()
            for configuration in configurations:
                refusal = self._refusal(instance, given or any_given, configuration)
                if not refusal and configuration.alone:
                    if configuration.alone in ran:
                        refusal = Refusal(NO_HEURISTIC, configuration.alone)
                    ran.add(configuration.alone)
                if refusal:
                    self._skip(refusal, self._runs_of_seeded)
                else:
                    yield self._seeded_runs(instance, configuration)

    def _refusal(self, instance: RunInstance, given: Instance | None, configuration: Configuration) -> Refusal | None:
        """Return the reason why a board and a configuration are not run, or None if they are."""
        excluding = [rule.text for rule in configuration.rules if rule.fits_board(instance.name)]
        if excluding:
            self._used.update(excluding)
            return Refusal(f"excluded: {excluding[0]}", configuration.name)
        return configuration.refusal(given, self._experiment) if given else None

    def _seeded_runs(self, instance: RunInstance, configuration: Configuration) -> RunSeries:
        """Return the runs of a board and a configuration for every seed and repetition."""
        experiment = self._experiment
        repetitions = experiment.least_repetitions
        is_seeded = configuration.is_seeded and experiment.seeds
        seeds: Sequence[int | None] = experiment.seeds if is_seeded else (configuration.default_seed,)
        self._skip(Refusal(NO_SEED, configuration.name), self._runs_of_seeded - len(seeds) * repetitions)
        return RunSeries(configuration.run(instance, experiment, seeds[0]), seeds, repetitions)

    def _distinct(self, parts: Iterable[P], combinations: int) -> Iterator[P]:
        """Yield each part once, even if it is named several times.

        Args:
            combinations: the number of combinations with one part.
        """
        names: dict[tuple[str, ...], str] = {}
        for part in parts:
            if part.key in names:
                same = f"{part.given} is {names[part.key]}"
                self._skip(Refusal("named twice: it runs once", same), combinations)
            else:
                names[part.key] = part.given
                yield part


def code_of(used: Iterable[Configuration]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the fingerprints of the plugins and files of components, by their kinds and names."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for configuration in used:
        for kind, part in configuration.parts.items():
            named = found.setdefault(kind, {})
            if part.name not in named:
                named[part.name] = fingerprints(part.components, part.files)
    return found


def full_names_of(used: Iterable[Configuration]) -> dict[str, dict[str, str]]:
    """Return the names of components with all parameters, by their kinds and names."""
    found: dict[str, dict[str, str]] = {}
    for configuration in used:
        for kind, part in configuration.parts.items():
            found.setdefault(kind, {})[part.name] = part.full
    return found


def _check(key: str, names: Iterable[str], look_up: Callable[[str], object]) -> None:
    """Raise a SpecificationError if a name is unknown."""
    with at(key):
        for name in names:
            look_up(name)


def _why_invalid(domain: BoundDomain, given: Instance) -> str:
    """Return the reason why a domain refuses an instance, or `""`; also `""` if the check fails, as the run reports."""
    try:
        return domain.why_invalid(given)
    except UsageError as error:
        return str(error)
    except PluginError:
        return ""
