"""The readable complete anytime beam search: beams of width 1, 2, 4 … pruned by the best solution (Zhang 1998).

Each beam leaves out nodes whose g + h is not below the cost of the best solution, and reports each solution that it
finds. If the width has cut no node below this cost, no cheaper solution can exist, and the search ends with a proof.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.search.readable.beam import search_layers

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


def anytime_beam(problem: Problem, watch: Watch) -> Outcome:
    """Search layer by layer with growing widths until a proof or a limit."""
    return widening(problem, watch, partial(search_layers, problem, watch, has_closed=True, goes_on=True))


def widening(problem: Problem, watch: Watch, search: Callable[[int], tuple[Outcome, float]]) -> Outcome:
    """Search with widths of 1, 2, 4 … until no node was cut that may lead to a solution cheaper than the incumbent.

    The statistics are sums over all widths, except `stored`, `max_open` and `peak_bytes`, which are maxima.

    Args:
        search: called with a width: searches with this width, and returns the outcome and the smallest g + h of a node
            that was cut because of the width.
    """
    width, least = 1, 0.0
    while True:
        watch.begin_iteration(width, watch.statistics)
        outcome, beyond = search(width)
        if outcome.status == "solved":  # the start is a goal
            return outcome
        assert outcome.least_f is not None
        least = max(least, outcome.least_f())
        if outcome.release:
            outcome.release()
        if outcome.status != "exhausted" or beyond >= problem.below(watch.incumbent):
            return Outcome(outcome.status, watch.statistics, least_f=partial(float, least))
        width *= 2
