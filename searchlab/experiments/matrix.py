"""The matrix of an experiment: every combination that makes sense as a run, and why the others are none."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.errors import BoardError, PluginError, SearchlabWarning, UsageError
from searchlab.experiments.combining import Combining, Configuration
from searchlab.experiments.contests import Contest
from searchlab.experiments.decoding import SpecificationError, at
from searchlab.experiments.exclusions import rules
from searchlab.experiments.fingerprints import undeclared_files
from searchlab.experiments.game_parts import check_player, player_part
from searchlab.experiments.parts import Part, domain_part, frontier_part, heuristic_part
from searchlab.experiments.skipping import Refusal, Skipped, Skips
from searchlab.experiments.spec import MOST, located
from searchlab.experiments.starts import found_boards, game_by_tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.experiments.exclusions import Rule
    from searchlab.experiments.runs import Run, Start
    from searchlab.experiments.spec import Experiment
    from searchlab.experiments.starts import Found
    from searchlab.plugins.registry import Plugins

P = TypeVar("P", bound=Part[Any])


@dataclass(frozen=True)
class Matrix:
    """The runs of an experiment.

    Attributes:
        experiment: what it was made of.
        runs: in a fixed order: domain by domain, board by board, then heuristics and frontiers, or players, then seeds
            and repetitions.
        skipped: the other combinations, by reason.
        unused: exclusions that fit no combination: probably a slip.
        boards: how many boards were named or generated.
        not_generated: how many boards would be generated besides; for them there are no combinations here.
        domains, heuristics, frontiers, players: their names, in the order met.
    """

    experiment: Experiment
    runs: list[Run]
    skipped: list[Skipped]
    unused: tuple[str, ...]
    boards: int
    domains: tuple[str, ...]
    heuristics: tuple[str, ...]
    frontiers: tuple[str, ...]
    players: tuple[str, ...]
    not_generated: int = 0

    @property
    def combinations(self) -> int:
        """How many combinations there are, runs and others."""
        return len(self.runs) + sum(skipped.count for skipped in self.skipped)


def matrix(
    experiment: Experiment,
    plugins: Plugins,
    *,
    most_generated: int | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> Matrix:
    """Return every combination of an experiment.

    Args:
        plugins: where names are looked up.
        most_generated: the number of boards to generate for each entry of `generate`, at most; a dry run needs few.
        watch: told after each board that was generated how many were, and of how many.

    Raises:
        UsageError: a name, a parameter or a board that is not there; one line, with the file's name and place.
    """
    with located(experiment.source):
        return _Maker(experiment, plugins).matrix(most_generated, watch)


class _Maker:
    """Makes the matrix of an experiment."""

    def __init__(self, experiment: Experiment, plugins: Plugins) -> None:
        self._experiment, self._plugins = experiment, plugins
        self._skips = Skips()
        self._combining = Combining(experiment, self._skips)
        self._rules = rules(experiment.exclude, plugins)
        self._domain = cache(partial(domain_part, plugins=plugins))
        self._frontier = cache(partial(frontier_part, plugins=plugins))
        _check("domains", experiment.domains, self._domain)
        _check("heuristics", experiment.heuristics, partial(heuristic_part, domain=None, plugins=plugins))
        _check("frontiers", experiment.frontiers, self._frontier)
        _check("players", experiment.players, partial(check_player, plugins=plugins))

    def matrix(self, most_generated: int | None, watch: Callable[[int, int], None] | None) -> Matrix:
        """Return the matrix."""
        found = list(found_boards(self._experiment, self._plugins, most=most_generated, watch=watch))
        asked = sum(generation.count for generation in self._experiment.generate)
        limited = sum(min(generation.count, most_generated or MOST) for generation in self._experiment.generate)
        searches: list[Configuration] = []
        contests: list[Contest] = []
        runs: list[Run] = []
        groups = self._groups(found)
        for domain, of_domain in groups:
            starts = list(self._starts(domain, of_domain))
            if not starts:
                continue
            if self._experiment.players:
                played = list(self._contests(domain, len(starts)))
                runs += self._combining.runs(starts, played)
                contests += played
            else:
                searched = list(self._configurations(domain, len(starts)))
                runs += self._combining.runs(starts, searched)
                searches += searched
        self._tell_undeclared_files([*searches, *contests])
        return Matrix(
            self._experiment,
            runs,
            self._skips.grouped(),
            unused=tuple(rule.text for rule in self._rules if rule.text not in self._combining.used),
            boards=sum(not item.start.is_opening for item in found),
            domains=tuple(domain.name for domain, _ in groups),
            heuristics=tuple(dict.fromkeys(c.heuristic.name for c in searches)),
            frontiers=tuple(dict.fromkeys(c.frontier.name for c in searches)),
            players=tuple(dict.fromkeys(c.player.name for c in contests)),
            not_generated=asked - limited,
        )

    def _tell_undeclared_files(self, used: Sequence[Configuration | Contest]) -> None:
        """Warn of files that are not known to be read, and that may change without being noticed."""
        bound = [part.bound for each in used for part in each.parts]
        for line in dict.fromkeys(line for each in bound for line in undeclared_files(each)):
            warnings.warn(line, SearchlabWarning, stacklevel=5)

    @property
    def _a_board(self) -> int:
        """How many combinations a board makes in a domain."""
        experiment = self._experiment
        if experiment.players:
            return len(experiment.players) * self._combining.times
        return max(1, len(experiment.heuristics)) * max(1, len(experiment.frontiers)) * self._combining.times

    def _groups(self, found: list[Found]) -> list[tuple[Part[BoundDomain], list[Found]]]:
        """Return domains with their boards: all boards with each domain of the experiment, or each with its own."""
        if self._experiment.domains:
            named = map(self._domain, self._experiment.domains)
            return [(domain, found) for domain in self._distinct(named, len(found) * self._a_board)]
        groups: dict[tuple[str, ...], tuple[Part[BoundDomain], list[Found]]] = {}
        unknown: list[Found] = []
        domain = None
        for item in found:
            try:
                domain = self._domain_of(item) or domain
            except BoardError as error:
                self._skips.add(Refusal(f"{error}; say which in domains", item.start.name), self._a_board)
                continue
            if domain is None:
                unknown.append(item)
            else:
                groups.setdefault(domain.key, (domain, []))[1].extend((*unknown, item))
                unknown.clear()
        if unknown:
            raise SpecificationError(("boards",), f"{unknown[0].start.fault}; and no domain is named")
        return list(groups.values())

    def _domain_of(self, found: Found) -> Part[BoundDomain] | None:
        """Return the domain of a board, None for one that cannot be read and has nothing beside it that says.

        Raises:
            BoardError: its tiles fit no game, or several.
        """
        if found.domain:
            with at("boards"):
                try:
                    return self._domain(found.domain)
                except UsageError as error:
                    raise UsageError(f"what is said beside {found.start.name}: {error}") from None
        if found.board is None:
            return None
        return self._domain(game_by_tiles(found.board, self._plugins, played=bool(self._experiment.players)))

    def _starts(self, domain: Part[BoundDomain], found: Iterable[Found]) -> Iterator[tuple[Start, Board | None]]:
        """Yield the starts that a domain does not refuse, each position once."""
        names: dict[Any, str] = {}
        for item in found:
            start = item.start
            wrong = _why_invalid(domain.bound, item.board) if item.board else ""
            key = start.rows or (start.name, start.fault)
            if start.is_opening:
                yield from self._opening(domain, start)
            elif wrong:
                self._skips.add(Refusal(f"not a board of {domain.name}: {wrong}", start.name), self._a_board)
            elif key in names:
                same = f"{start.name} is {names[key]}"
                self._skips.add(Refusal("the same board again: it runs once", same), self._a_board)
            else:
                names[key] = start.name
                known = start.optimal is None or self._is_game_of_set(domain, item)
                yield (start if known else replace(start, optimal=None)), item.board

    def _opening(self, domain: Part[BoundDomain], start: Start) -> Iterator[tuple[Start, Board]]:
        """Yield the opening of a domain, with the board that it begins with, unless that has none."""
        try:
            yield start, domain.bound.start()
        except UsageError as error:
            self._skips.add(Refusal(str(error), domain.name), self._a_board)

    def _is_game_of_set(self, domain: Part[BoundDomain], found: Found) -> bool:
        """Return whether a domain is the one for which a board's optimal cost is known."""
        try:
            return self._domain(found.domain).key == domain.key if found.domain else not self._experiment.domains
        except UsageError:
            return False

    def _configurations(self, domain: Part[BoundDomain], boards: int) -> Iterator[Configuration]:
        """Yield what so many boards of a domain are searched with."""
        own = domain.bound.component
        with at("frontiers"):
            named = [self._frontier(name) for name in self._experiment.frontiers or (own.frontier,)]
        a_heuristic = boards * len(named) * self._combining.times
        heuristics = list(self._distinct(self._heuristics(domain, a_heuristic), a_heuristic))
        frontiers = list(self._distinct(named, boards * len(heuristics) * self._combining.times))
        for heuristic in heuristics:
            for frontier in frontiers:
                rules = self._fitting(domain=domain, heuristic=heuristic, frontier=frontier)
                yield Configuration(domain, heuristic, frontier, rules)

    def _fitting(self, **parts: Part[Any]) -> list[Rule]:
        """Return the exclusions that fit these parts of a run, by kind."""
        return [rule for rule in self._rules if rule.fits(parts)]

    def _heuristics(self, domain: Part[BoundDomain], a_heuristic: int) -> Iterator[Part[BoundHeuristic]]:
        """Yield the heuristics that are made for a domain."""
        for name in self._experiment.heuristics or (domain.bound.component.heuristic,):
            try:
                if not name:
                    raise UsageError(f"{domain.name} has no heuristic of its own: name one in heuristics")
                yield heuristic_part(name, domain.bound, self._plugins)
            except UsageError as error:
                self._skips.add(Refusal(str(error), f"{name or 'none'} on {domain.name}"), a_heuristic)

    def _contests(self, domain: Part[BoundDomain], boards: int) -> Iterator[Contest]:
        """Yield who plays so many boards of a domain."""
        a_player = boards * self._combining.times
        for player in self._distinct(self._players(domain, a_player), a_player):
            yield Contest(domain, player, self._fitting(domain=domain, player=player))

    def _players(self, domain: Part[BoundDomain], a_player: int) -> Iterator[Part[BoundPlayer]]:
        """Yield the players that can play a domain."""
        for name in self._experiment.players:
            try:
                yield player_part(name, domain.bound, self._plugins)
            except UsageError as error:
                self._skips.add(Refusal(str(error), f"{name} on {domain.name}"), a_player)

    def _distinct(self, parts: Iterable[P], combinations: int) -> Iterator[P]:
        """Yield each part once, however often it is named.

        Args:
            combinations: in how many each stands.
        """
        names: dict[tuple[str, ...], str] = {}
        for part in parts:
            if part.key in names:
                same = f"{part.said} is {names[part.key]}"
                self._skips.add(Refusal("named twice: it runs once", same), combinations)
            else:
                names[part.key] = part.said
                yield part


def _check(key: str, names: Iterable[str], look_up: Callable[[str], object]) -> None:
    """Raise a SpecificationError if a name stands for nothing."""
    with at(key):
        for name in names:
            look_up(name)


def _why_invalid(domain: BoundDomain, board: Board) -> str:
    """Return why a domain refuses a board; where that fails nothing is known, and the run will tell."""
    try:
        return domain.why_invalid(board)
    except PluginError:
        return ""
