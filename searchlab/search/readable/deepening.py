"""The readable iterative deepening: depth-first below a growing bound on f = g + h (Korf 1985).

Only the path to the current node is kept. Duplicates are not detected, but no move leads straight back.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.search.readable.node import NODE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import Successor
    from searchlab.board.board import Board
    from searchlab.model.results import Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


class Frame:
    """A node on the current path, with the successors still to be tried."""

    __slots__ = ("board", "edges", "g")

    def __init__(self, board: Board, g: float, edges: Iterator[Successor]) -> None:
        self.board = board
        self.g = g
        self.edges = edges


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
        outcome, bound = _iteration(problem, watch, bound, statistics)
        if outcome:
            return outcome
    return Outcome("exhausted", statistics)


def _iteration(problem: Problem, watch: Watch, bound: float, statistics: Statistics) -> tuple[Outcome | None, float]:
    """Search below one bound; return the Outcome if the search is over, and the next bound."""
    domain = problem.domain
    next_bound = inf
    path: list[Frame] = []
    entering: tuple[Board, float, bool] | None = (problem.board, 0.0, False)
    while True:
        if entering is not None:
            board, g, terminal = entering
            entering = None
            if domain.is_goal(board):
                return Outcome("solved", statistics, [*(frame.board for frame in path), board], g), next_bound
            if not terminal:
                status = watch.stop(statistics, len(path))
                if status:
                    return Outcome(status, statistics), next_bound
                statistics.expanded += 1
                path.append(Frame(board, g, domain.edges(board)))
                statistics.stored = max(statistics.stored, len(path))
                statistics.peak_bytes = statistics.stored * (NODE_BYTES + 4 * board.tiles.nbytes)
        if not path:
            return None, next_bound
        edge = next(path[-1].edges, None)
        if edge is None:
            path.pop()
            continue
        if len(path) > 1 and not edge.terminal and edge.board == path[-2].board:
            continue
        statistics.generated += 1
        if edge.terminal and not domain.is_goal(edge.board):
            continue
        g = path[-1].g + edge.cost
        h = _estimate(problem, edge.board, statistics)
        f = g + h
        if f <= bound:
            if problem.estimates:
                statistics.best_h = min(statistics.best_h, h)
            entering = (edge.board, g, edge.terminal)
        else:
            next_bound = min(next_bound, f)


def _estimate(problem: Problem, board: Board, statistics: Statistics) -> float:
    """Return h, or 0 if the strategy uses no heuristic, and count it."""
    if not problem.estimates:
        return 0.0
    h = problem.estimate(board)
    statistics.evaluated += 1
    statistics.dead_ends += h == inf
    return h
