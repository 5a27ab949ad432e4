"""The readable iterative deepening: depth-first below a growing threshold on f = g + h (Korf 1985).

Only the path to the current node is kept. Duplicates are detected only with a transposition table, but no move leads
straight back to the parent. The next threshold is the smallest f beyond the present one, unless the strategy has a
rule. With a larger threshold the first solution need not be a cheapest one. The search then goes on, and prunes nodes
that cannot lead to a cheaper solution.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.model.states import Ended, size_of
from searchlab.search.readable.node import NODE_BYTES, Node, successors
from searchlab.search.readable.transposition_table import TranspositionTable
from searchlab.search.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.model.results import Statistics
    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


def deepening(problem: Problem, watch: Watch) -> Outcome:
    """Search depth-first within one threshold on f after another, until no cheaper solution can exist.

    The goal test takes place when a node is entered. The statistics are sums over all iterations; successors beyond the
    threshold count as generated. `Problem.largest_within` allows for rounding in the threshold.
    """
    statistics, observer = watch.statistics, watch.observer
    start_h = 0.0
    if problem.estimates:
        start_h = statistics.best_h = problem.estimate_start()
        statistics.evaluated, statistics.dead_ends = 1, int(start_h == inf)
    is_solved = problem.domain.goal_test(problem.board)
    thresholds = Thresholds(problem, watch, start_h)
    table = TranspositionTable(problem) if problem.frontier.table else None
    while True:
        start = Node.of_start(problem)
        start.h = start_h
        if observer and (statistics.expanded == 0 or not thresholds.are_over):
            observer.begun(start, thresholds.limit)
        if is_solved:
            if observer:
                observer.reached(start)
            return Outcome("solved", statistics, [problem.board], 0.0, lambda: inf)
        if thresholds.are_over:
            return Outcome("exhausted", statistics, least_f=least_f(problem, thresholds.lower))
        watch.begin_iteration(thresholds.limit, statistics)
        outcome = _iteration(problem, watch, start, thresholds, table)
        if outcome:
            return outcome


def _iteration(
    problem: Problem, watch: Watch, start: Node, thresholds: Thresholds, table: TranspositionTable | None
) -> Outcome | None:
    """Search within one threshold; return the Outcome if the search is over, else None."""
    domain, statistics, observer = problem.domain, watch.statistics, watch.observer
    most, beyond, reached = thresholds.most, inf, start.h
    allowed, is_complete = statistics.expanded + thresholds.expansions, True
    bytes_per_node = NODE_BYTES + 4 * size_of(problem.board)
    before = statistics.expanded
    lower = least_f(problem, thresholds.lower)
    if table:
        table.begin_iteration()
    entered: Node | None = start
    path: list[tuple[Node, Iterator[Node]]] = []  # the nodes of the current path, with the successors still to be tried
    while entered or path:
        if entered and domain.goal_test(entered.state):
            if observer:
                observer.reached(entered)
            if thresholds.allow_none_below(entered.g):
                return Outcome("solved", statistics, entered.path(), entered.g, lower)
            watch.improved(entered.g, entered.path)
            most, entered = thresholds.most, None
            continue
        if entered:
            status = watch.stop(statistics, len(path))
            if status:
                return Outcome(status, statistics, least_f=lower)
            if statistics.expanded >= allowed:
                is_complete = False
                break
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
            beyond = min(beyond, f)
            continue
        if table and not isinstance(successor.key, Ended):
            known = table.known(successor)
            if known:
                statistics.duplicates += 1
                if observer:
                    observer.found_duplicate(successor, known)
                continue
        reached = max(reached, f)
        if problem.estimates:
            statistics.best_h = min(statistics.best_h, h)
        entered = successor
    thresholds.end_iteration(statistics.expanded - before, beyond, reached, is_complete=is_complete)
    return None


def least_f(problem: Problem, bound: float) -> Callable[[], float] | None:
    """Return a function that returns the smallest f that no iteration has searched; see `Outcome`.

    Return None if h does not count, because the g of the nodes beyond the threshold are unknown.
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
