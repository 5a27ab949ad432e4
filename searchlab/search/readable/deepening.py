"""The readable iterative deepening: depth-first below a growing bound on f = g + h (Korf 1985).

Only the path to the current node is kept. Duplicates are not detected, but no move leads straight back.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.model.states import size_of
from searchlab.search.readable.node import NODE_BYTES, Node, successors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.model.results import Statistics
    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


def deepening(problem: Problem, watch: Watch) -> Outcome:
    """Search depth-first below f <= bound, with the smallest f beyond it as the next bound, until solved.

    A node is tested for being a goal when it is entered. The figures are the sums over all iterations; successors
    beyond the bound count as generated. See `Problem.largest_within`.
    """
    statistics, observer = watch.statistics, watch.observer
    bound = h = 0.0
    if problem.estimates:
        bound = h = statistics.best_h = problem.estimate_start()
        statistics.evaluated, statistics.dead_ends = 1, int(h == inf)
    is_solved = problem.domain.goal_test(problem.board)
    while True:
        start = Node.of_start(problem)
        start.h = h
        if observer and (statistics.expanded == 0 or bound < inf):
            observer.begun(start, bound)
        if is_solved:
            if observer:
                observer.reached(start)
            return Outcome("solved", statistics, [problem.board], 0.0, lambda: inf)
        if bound == inf:
            return Outcome("exhausted", statistics, least_f=least_f(problem, inf))
        watch.begin_iteration(bound, statistics)
        outcome, bound = _iteration(problem, watch, start, bound)
        if outcome:
            return outcome


def _iteration(problem: Problem, watch: Watch, start: Node, bound: float) -> tuple[Outcome | None, float]:
    """Search below one bound; return the Outcome if the search is over, and the next bound."""
    domain, statistics, observer = problem.domain, watch.statistics, watch.observer
    most, next_bound = problem.largest_within(bound), inf
    bytes_per_node = NODE_BYTES + 4 * size_of(problem.board)
    entered: Node | None = start
    path: list[tuple[Node, Iterator[Node]]] = []  # the nodes of the current path, with the successors still to be tried
    while entered or path:
        if entered:
            if domain.goal_test(entered.state):
                if observer:
                    observer.reached(entered)
                return Outcome("solved", statistics, entered.path(), entered.g, least_f(problem, bound)), next_bound
            status = watch.stop(statistics, len(path))
            if status:
                return Outcome(status, statistics, least_f=least_f(problem, bound)), next_bound
            statistics.expanded += 1
            if observer:
                observer.expanded(entered)
            path.append((entered, successors(entered, problem, statistics, observer)))
            statistics.stored = max(statistics.stored, len(path))
            statistics.peak_bytes = statistics.stored * bytes_per_node
            entered = None
        node, untried = path[-1]
        successor = next(untried, None)
        if successor is None:
            path.pop()
            if observer:
                observer.closed(node)
            continue
        h = successor.h = _estimate(problem, successor.state, statistics)
        f = successor.g + h
        if observer:
            observer.evaluated(successor, is_dead_end=h == inf)
            if most < f < inf:
                observer.left_out(successor, "beyond the bound")
        if f > most:
            next_bound = min(next_bound, f)
            continue
        if problem.estimates:
            statistics.best_h = min(statistics.best_h, h)
        entered = successor
    return None, next_bound


def least_f(problem: Problem, bound: float) -> Callable[[], float] | None:
    """Return the function that returns the bound of an iteration, the smallest f beyond the one before; see `Outcome`.

    It is None if h does not count: then nothing is known of the g of what lies beyond.
    """
    return (lambda: bound) if problem.counts_h or not problem.estimates else None


def _estimate(problem: Problem, state: State, statistics: Statistics) -> float:
    """Return h, or 0 if the strategy uses no heuristic, and count it."""
    if not problem.estimates:
        return 0.0
    h = problem.estimator(state)
    statistics.evaluated += 1
    statistics.dead_ends += h == inf
    return h
