"""Shrink a board: find a smaller board for which a claim about searches still holds (delta debugging)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.claims import parse_claim
from searchlab.model.instance import Instance
from searchlab.model.limits import Limits
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_state
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.registry import given_or_installed
from searchlab.search.descent import Descended, descent
from searchlab.search.searcher import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """The smallest board found by `sl.shrink`.

    Attributes:
        holds: whether the claim holds for the board. If not, this is the board that was given.
        instance: the board, with its static data.
        results: the results of the searches in the claim, by their names in the claim.
        figures: the figures in the claim, by their texts; None for an unknown figure.
        tried: the number of boards searched.
        steps: the number of times that a smaller board was found.
        complete: whether the claim holds for no board that is one step smaller.
    """

    holds: bool
    instance: Instance
    results: Mapping[str, Result]
    figures: Mapping[str, float | str | None]
    tried: int
    steps: int
    complete: bool


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
    """Find a smaller board for which a claim still holds; if it does not hold for the given board, return this one.

    Candidates are the boards one step smaller (`Domain.smaller`), smallest first, then the boards along a solution,
    those next to the goal first. The first candidate for which the claim holds replaces the board. This is repeated
    until the claim holds for no candidate; the result is 1-minimal (Zeller and Hildebrandt 2002). A smaller board more
    than one step away may exist. The result is repeatable, because searches are.

    >>> import searchlab as sl
    >>> found = sl.shrink("sliding-tile/puzzle8-20", "expanded[astar/misplaced] > 3 * expanded[astar/taxicab]")
    >>> found.results["astar/taxicab"].cost < 20
    True

    Args:
        board: a board, an instance, or the name of either; None for the domain's start.
        that: the claim, such as `expanded[astar/h1] > 2 * expanded[astar/h2]` or `status[astar/h1]=error`; see
            `searchlab.experiments.claims`.
        domain: the game; by default the domain of the board.
        limits: the limits of each search.
        most: the largest number of boards to search.
        progress: a function that is called after each board with the number of boards searched.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError, BoardError: the claim, a name in it or the board is invalid, or the domain lists no smaller boards.
    """
    plugins = given_or_installed(plugins)
    claim = parse_claim(that)
    start, bound = named_state(board, domain, plugins, default=DEFAULT_DOMAIN)
    instance = Instance("", start, bound.instance.static if bound.instance else {})
    shrinking = _Shrinking(claim, bound, limits or Limits(), most, progress, plugins)
    results = shrinking.searched(instance)
    found, holds = Descended(instance, results, 0, complete=False), claim.holds(results)
    if holds:
        shrinking.check_candidates(results)
        with suppress(KeyboardInterrupt):
            for smallest in descent(bound, instance, results, shrinking.shows, shrinking.goes_on, along_a_solution):
                found = smallest
    return Shrunk(
        holds, found.instance, found.shown, claim.values(found.shown), shrinking.tried, found.steps, found.complete
    )


class _Shrinking:
    """Searches boards until no smaller one shows the claim.

    Args:
        claim: the claim.
        domain: the domain.
        limits: the limits of each search.
        most: the largest number of boards to search.
        progress: see `shrink`.
        plugins: the plugins.

    Attributes:
        tried: the number of boards searched.
    """

    def __init__(
        self,
        claim: Claim,
        domain: BoundDomain,
        limits: Limits,
        most: int,
        progress: Callable[[int], None] | None,
        plugins: Plugins,
    ) -> None:
        self._claim, self._domain, self._limits, self._most, self._progress = claim, domain, limits, most, progress
        self.tried = 0
        self._searchers: dict[str, Searcher] = {}
        for search in claim.searches:
            plugins.allow_files([search])
            frontier, heuristic = search_of(search, domain, plugins)
            self._searchers[search] = Searcher(domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)

    def check_candidates(self, results: Mapping[str, Result]) -> None:
        """Raise a UsageError if no other board can be tried."""
        if self._domain.component.smaller is None and not solution_in(results):
            raise UsageError(
                f"{self._domain.name} does not say which boards are smaller (Domain.smaller), and no search solves "
                "this one, so that no board along its solution can be tried"
            )

    def searched(self, instance: Instance) -> Mapping[str, Result]:
        """Return the results of the searches of a board, by name.

        Raises:
            KeyboardInterrupt: a search was interrupted.
        """
        self.tried += 1
        start = instance if instance.static else instance.start
        results = {search: searcher(start, limits=self._limits) for search, searcher in self._searchers.items()}
        if any(result.status == "interrupted" for result in results.values()):
            raise KeyboardInterrupt
        if self._progress:
            self._progress(self.tried)
        return results

    def shows(self, instance: Instance) -> Mapping[str, Result] | None:
        """Return the results of the searches of a board, or None if the claim does not hold for it."""
        results = self.searched(instance)
        return results if self._claim.holds(results) else None

    def goes_on(self) -> bool:
        """Return whether another board may be searched."""
        return self.tried < self._most


def solution_in(results: Mapping[str, Result]) -> Sequence[State]:
    """Return the states after the start along a solution found by a search; empty without a solution."""
    return next((result.states[1:] for result in results.values() if result.status == "solved"), ())


def along_a_solution(instance: Instance, results: Mapping[str, Result]) -> Iterator[Instance]:
    """Yield the boards along a solution, backwards from the goal."""
    for state in reversed(solution_in(results)):
        yield Instance("", state, instance.static)


def search_of(text: str, domain: BoundDomain, plugins: Plugins) -> tuple[str | None, str | None]:
    """Return the frontier and the heuristic that a text in a claim names; None for the domain's own.

    >>> import searchlab as sl
    >>> search_of("taxicab/astar", sl.domain("sliding-tile"), sl.Plugins())
    ('astar', 'taxicab')
    >>> search_of("beam:width=5", sl.domain("sliding-tile"), sl.Plugins())
    ('beam:width=5', None)

    Raises:
        UsageError: the text names neither.
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
