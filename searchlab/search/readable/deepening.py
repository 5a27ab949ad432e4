"""The readable iterative deepening: depth-first below a growing bound on f = g + h (Korf 1985).

Only the path to the current node is kept. Duplicates are not detected, but no move leads straight back.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.search.readable.node import NODE_BYTES, Node, successors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board.board import Board
    from searchlab.model.results import Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


def deepening(problem: Problem, watch: Watch) -> Outcome:
    """Search depth-first below f <= bound, with the smallest f beyond it as the next bound, until solved.

    A node is tested for being a goal when it is entered. The figures are the sums over all iterations; successors
    beyond the bound count as generated.
    """
    statistics = watch.statistics
    bound = 0.0
    if problem.estimates:
        bound = statistics.best_h = problem.estimate_start()
        statistics.evaluated, statistics.dead_ends = 1, int(bound == inf)
    if problem.domain.is_goal(problem.board):
        return Outcome("solved", statistics, [problem.board], 0.0)
    while bound < inf:
        outcome, bound = _iteration(problem, watch, bound)
        if outcome:
            return outcome
    return Outcome("exhausted", statistics)


def _iteration(problem: Problem, watch: Watch, bound: float) -> tuple[Outcome | None, float]:
    """Search below one bound; return the Outcome if the search is over, and the next bound."""
    domain, statistics = problem.domain, watch.statistics
    next_bound = inf
    entered: Node | None = Node(problem.board)
    path: list[Iterator[Node]] = []  # for each node of the current path, the successors still to be tried
    while entered or path:
        if entered:
            if domain.is_goal(entered.board):
                return Outcome("solved", statistics, entered.path(), entered.g), next_bound
            status = watch.stop(statistics, len(path))
            if status:
                return Outcome(status, statistics), next_bound
            statistics.expanded += 1
            path.append(successors(entered, domain, statistics))
            statistics.stored = max(statistics.stored, len(path))
            statistics.peak_bytes = statistics.stored * (NODE_BYTES + 4 * entered.board.tiles.nbytes)
            entered = None
        successor = next(path[-1], None)
        if successor is None:
            path.pop()
            continue
        h = _estimate(problem, successor.board, statistics)
        f = successor.g + h
        if f > bound:
            next_bound = min(next_bound, f)
            continue
        if problem.estimates:
            statistics.best_h = min(statistics.best_h, h)
        entered = successor
    return None, next_bound


def _estimate(problem: Problem, board: Board, statistics: Statistics) -> float:
    """Return h, or 0 if the strategy uses no heuristic, and count it."""
    if not problem.estimates:
        return 0.0
    h = problem.estimate(board)
    statistics.evaluated += 1
    statistics.dead_ends += h == inf
    return h
