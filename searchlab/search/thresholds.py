"""The thresholds of iterative deepening: the largest g + h of each iteration, and the lower bound proved after it."""

from __future__ import annotations

from math import inf, nextafter
from typing import TYPE_CHECKING

from searchlab.model.strategies import FinishedIteration

if TYPE_CHECKING:
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


class Thresholds:
    """The threshold of the present iteration, and the choice of the next; both engines use it.

    Args:
        start_h: h of the start.

    Attributes:
        lower: the smallest g + h that no iteration has searched; no solution costs less if h is admissible.
        limit: the threshold of this iteration.
        expansions: the largest number of nodes that this iteration may expand, or infinite.
    """

    def __init__(self, problem: Problem, watch: Watch, start_h: float) -> None:
        self._problem, self._watch = problem, watch
        self.lower = self.limit = start_h
        self.expansions = inf
        self._rule = problem.frontier.thresholds(start_h)
        if self._rule and start_h < inf:
            self._take(next(self._rule, None))

    @property
    def most(self) -> float:
        """The largest g + h that is searched: within the threshold, and below the cost of the best solution."""
        within, cost = self._problem.largest_within(self.limit), self._watch.incumbent
        return within if cost == inf else min(within, nextafter(self._problem.below(cost), -inf))

    @property
    def are_over(self) -> bool:
        """Whether no solution cheaper than the best can exist, if h is admissible."""
        return self.lower >= self._problem.below(self._watch.incumbent)

    def allow_none_below(self, cost: float) -> bool:
        """Return whether a solution of this cost is known to be cheapest, if h is admissible."""
        return cost <= self._problem.largest_within(self.lower)

    def end_iteration(self, expanded: int, beyond: float, reached: float, *, is_complete: bool) -> None:
        """Choose the next threshold.

        Args:
            expanded: the number of nodes that the iteration has expanded.
            beyond: the smallest g + h beyond the threshold.
            reached: the largest g + h that the iteration entered.
            is_complete: whether the iteration searched everything within the threshold before it ran out of expansions.
        """
        if is_complete:
            self.lower = max(self.lower, beyond)
        if self._rule is None or self.are_over:
            self.limit = self.lower
            return
        if reached <= self._problem.largest_within(self.lower):
            reached = self.lower  # they differ only by rounding
        done = FinishedIteration(expanded, is_complete, self.lower, reached)
        try:
            self._take(self._rule.send(done))
        except StopIteration:
            self._take(None)

    def _take(self, given: tuple[float, float] | None) -> None:
        """Use the next value of the rule; None if the rule has ended."""
        if given is None:
            self._rule = None
        limit, self.expansions = given or (self.lower, inf)
        self.limit = max(limit, self.lower)
