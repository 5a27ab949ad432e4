"""Shrink a board: find a small one of which a claim about searches still holds (delta debugging)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from searchlab.errors import BoardError, UsageError
from searchlab.experiments.claims import parse_claim
from searchlab.model.instance import Instance
from searchlab.model.limits import Limits
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_state
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.registry import installed
from searchlab.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.experiments.claims import Claim
    from searchlab.model.domain import Domain
    from searchlab.model.results import Result
    from searchlab.model.states import State
    from searchlab.plugins.registry import Plugins

MOST_TRIED = 10_000
"""The boards that are tried at most, unless another number is given."""


@dataclass(frozen=True)
class Shrunk:
    """The smallest board that was found.

    Attributes:
        holds: whether the claim holds of it; if not, it is the board that was given.
        instance: the board, with its static data.
        results: the results of the searches that the claim compares, by their names in the claim.
        figures: the figures of the claim, by their texts; None if one is not known.
        tried: how many boards were searched.
        complete: whether no board that is one step smaller shows it, too.
        steps: how many times a smaller board was found.
    """

    holds: bool
    instance: Instance
    results: Mapping[str, Result]
    figures: Mapping[str, float | str | None]
    tried: int
    complete: bool
    steps: int


def shrink(
    board: Board | Instance | str | Path | State | None,
    that: str,
    *,
    domain: str | Domain | BoundDomain | None = None,
    limits: Limits | None = None,
    most: int = MOST_TRIED,
    progress: Callable[[int], None] | None = None,
    plugins: Plugins | None = None,
) -> Shrunk:
    """Return a small board of which a claim still holds, or this one if it does not hold of it.

    Candidates are the boards that the domain calls a step smaller (`Domain.smaller`), the smallest first, and the
    boards along a solution, those next to the goal first. The first of which the claim holds takes the place of the
    board, until it holds of none: what Zeller and Hildebrandt (2002) call 1-minimal. A smaller board that is more than
    one step away may exist. Searches are repeatable, and so is the board that is found.

    >>> import searchlab as sl
    >>> found = sl.shrink("sliding-tile/puzzle8-20", "expanded[astar/misplaced] > 3 * expanded[astar/taxicab]")
    >>> found.results["astar/taxicab"].cost < 20
    True

    Args:
        board: the board, an instance, or the name of one; None for the start of the domain.
        that: the claim, such as `expanded[astar/h1] > 2 * expanded[astar/h2]` or `status[astar/h1]=error`; see
            `searchlab.experiments.claims`.
        domain: the game; by default that of the board.
        limits: the limits of each search.
        most: how many boards are searched at most.
        progress: called with the number of boards that were searched, after each.
        plugins: where names are looked up; by default the installed plugins.

    Raises:
        UsageError, BoardError: the claim, a name in it or the board is invalid, or the domain knows no smaller boards.
    """
    plugins = plugins or installed()
    start, bound = named_state(board, domain, plugins, default=DEFAULT_DOMAIN)
    instance = Instance("", start, bound.instance.static if bound.instance else {})
    shrinking = _Shrinking(parse_claim(that), bound, limits or Limits(), most, progress, plugins)
    return shrinking.from_instance(instance)


@dataclass
class _Shrinking:
    """Searches boards until none is a step smaller.

    Attributes:
        claim: the claim.
        domain: the domain, without the static data of an instance if others have other data.
        limits: the limits of each search.
        most: how many boards are searched at most.
        progress: see `shrink`.
        plugins: the plugins.
        tried: how many boards were searched.
    """

    claim: Claim
    domain: BoundDomain
    limits: Limits
    most: int
    progress: Callable[[int], None] | None
    plugins: Plugins
    tried: int = 0
    seen: set[object] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.searchers = {search: self._searcher(search) for search in self.claim.searches}

    def from_instance(self, instance: Instance) -> Shrunk:
        """Return the smallest instance that is found."""
        results = self._searched(instance)
        holds = self.claim.holds(results)
        steps, complete = 0, not holds
        try:
            while not complete and self.tried < self.most:
                for smaller in self._smaller(instance, results):
                    if self.tried >= self.most:
                        break
                    found = self._searched(smaller)
                    if self.claim.holds(found):
                        instance, results, steps = smaller, found, steps + 1
                        break
                else:
                    complete = True
        except KeyboardInterrupt:
            complete = False
        figures = {
            str(figure): results[figure.search].status if figure.name == "status" else known(figure.value, results)
            for figure in self.claim.figures
        }
        return Shrunk(holds, instance, results, figures, self.tried, complete, steps)

    def _smaller(self, instance: Instance, results: Mapping[str, Result]) -> Iterator[Instance]:
        """Yield the candidates that were not searched yet.

        Raises:
            UsageError: the domain has none, and no search has found a solution.
        """
        domain = self.domain.of(instance)
        path = next((result.states for result in results.values() if result.status == "solved"), ())
        if domain.component.smaller is None and not path and not len(self.seen) > 1:
            raise UsageError(
                f"{domain.name} does not say which boards are smaller (Domain.smaller), and no search solves this "
                "one, so that no board along its solution can be tried"
            )
        for candidate in domain.smaller(instance.start):
            yield from self._new(candidate)
        for state in reversed(path[1:]):
            yield from self._new(Instance("", state, instance.static))

    def _new(self, candidate: Instance) -> Iterator[Instance]:
        """Yield a candidate that is a legal board of the domain and was not searched yet."""
        key = candidate.start, candidate.digest
        if key not in self.seen:
            self.seen.add(key)
            try:
                self.domain.of(candidate).check(candidate.start)
            except BoardError:
                return
            yield candidate

    def _searched(self, instance: Instance) -> dict[str, Result]:
        """Return the results of the searches."""
        self.seen.add((instance.start, instance.digest))
        self.tried += 1
        start = instance if instance.static else instance.start
        results = {search: searcher(start, limits=self.limits) for search, searcher in self.searchers.items()}
        if any(result.status == "interrupted" for result in results.values()):
            raise KeyboardInterrupt
        if self.progress:
            self.progress(self.tried)
        return results

    def _searcher(self, search: str) -> Searcher:
        """Return what searches as a text in a claim says.

        Raises:
            UsageError: it names no frontier and no heuristic.
        """
        self.plugins.allow_files([search])
        frontier, heuristic = search_of(search, self.domain, self.plugins)
        return Searcher(domain=self.domain, heuristic=heuristic, frontier=frontier, plugins=self.plugins)


def search_of(text: str, domain: BoundDomain, plugins: Plugins) -> tuple[str | None, str | None]:
    """Return the frontier and the heuristic that a text in a claim names, None for the domain's own.

    >>> import searchlab as sl
    >>> search_of("taxicab/astar", sl.domain("sliding-tile"), sl.Plugins())
    ('astar', 'taxicab')
    >>> search_of("beam:width=5", sl.domain("sliding-tile"), sl.Plugins())
    ('beam:width=5', None)

    Raises:
        UsageError: it names none.
    """
    pairs = [(text, ""), *((text[:at], text[at + 1 :]) for at in _slashes(text))]
    fault = None
    for frontier, heuristic in (*pairs, *((second, first) for first, second in pairs)):
        try:
            if frontier:
                lookup.frontier(frontier, plugins=plugins)
        except UsageError:
            continue
        try:
            if heuristic:
                lookup.heuristic(heuristic, domain=domain, plugins=plugins)
        except UsageError as error:
            fault = fault or (error if frontier else None)
        else:
            return frontier or None, heuristic or None
    wanted = "write a frontier and a heuristic, like astar/taxicab, or one of them"
    raise fault or UsageError(f"{text!r} is no search: {wanted}")


def _slashes(text: str) -> list[int]:
    """Return the places of the slashes outside brackets."""
    depth, places = 0, []
    for at, mark in enumerate(text):
        depth += {"[": 1, "]": -1}.get(mark, 0)
        if mark == "/" and not depth:
            places.append(at)
    return places


def known(value: Callable[[Mapping[str, Result]], float], results: Mapping[str, Result]) -> float | None:
    """Return the value of a figure, None if it is not known."""
    from searchlab.experiments.claims import Unknown

    try:
        return value(results)
    except Unknown:
        return None
