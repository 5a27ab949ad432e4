"""The readable partial expansion: A* that stores only the successors of a node whose turn has come.

The priority of a node is at first f = g + h. When the node is taken, the successors up to this f are stored. If others
are left, the node goes back to the open list with the smallest f among them (Yoshizumi, Miura and Ishida, "A* with
Partial Expansion for Large Branching Factor Problems", AAAI 2000).

Enhanced partial expansion (Felner et al. 2012, Goldenberg et al. 2014) knows the f after each move before the successor
is produced, and produces only the successors whose turn has come. The readable search knows f by looking ahead at the
successors, the compiled search by `Heuristic.incremental`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from searchlab.model.costs import is_shorter
from searchlab.model.results import Outcome
from searchlab.model.states import Ended, size_of
from searchlab.search.readable.counts_by_f import CountsByF
from searchlab.search.readable.node import CLOSED, NEW, NO_KEY, NODE_BYTES, TAKEN, Node

if TYPE_CHECKING:
    from collections.abc import Hashable

    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


class PartialNode(Node):
    """A node that may be partially expanded.

    Attributes:
        least: the smallest f of the successors that are not stored yet; g + h at first.
        is_partial: whether the node is partially expanded.
    """

    __slots__ = ("is_partial", "least")

    def __init__(self, state: State, key: Hashable, parent: Node | None = None, g: float = 0.0) -> None:
        super().__init__(state, key, parent, g)
        self.least = 0.0
        self.is_partial = False


def partial_expansion(problem: Problem, watch: Watch) -> Outcome:
    """Search by A* with partial expansion.

    Each time a node is taken, it counts as expanded, and its successors as evaluated. Partial expansion generates all
    successors each time. Enhanced partial expansion generates each successor once, when its turn has come. It also
    evaluates the parent, because only a produced successor shows that the move leads straight back.

    A shorter path to a state opens its node again, as if the node were new. Among equal f, nodes with a smaller `least`
    - g come first, which is h at first; then the newest.
    """
    search = PartialExpansion(problem, watch)
    start = PartialNode.of_start(problem)
    if problem.estimates:
        start.h = problem.estimator(start.state)
        search.statistics.evaluated, search.statistics.dead_ends = 1, int(start.h == inf)
        search.statistics.best_h = start.h
    if watch.observer:
        watch.observer.evaluated(start, is_dead_end=start.h == inf)
    if start.h < inf:
        search.enter(start)
    else:
        search.lost = problem.counted(inf)
    if problem.domain.goal_test(problem.board):
        return search.finish("solved", start)
    while (node := search.take()) is not None:
        if not node.is_partial and problem.domain.goal_test(node.state):
            return search.finish("solved", node)
        search.note_sizes()
        status = watch.stop(search.statistics, search.size)
        if status:
            return search.finish(status)
        search.expand(node)
        search.taken = None
    return search.finish("exhausted")


@dataclass
class FInterval:
    """The interval of f in which the successors of a node are stored now.

    Attributes:
        least, most: the ends of the interval, both included.
        is_first: whether the node is expanded for the first time; then successors with a smaller f are stored, too.
        rest: the smallest f of the successors that are stored later.
    """

    least: float
    most: float
    is_first: bool
    rest: float = inf


class PartialExpansion:
    """The lists and operations of a search with partial expansion.

    Attributes:
        known: nodes by state.
        taken: the node that was taken from the open list and is not yet expanded.
        size: the number of open nodes.
        lost: the smallest g + h of the paths that are followed no further.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.problem, self.statistics, self.observer = problem, watch.statistics, watch.observer
        self.known: dict[Hashable, PartialNode] = {}
        self.taken: PartialNode | None = None
        self.size = 0
        self.lost = inf
        self._entries: list[tuple[float, float, int, PartialNode]] = []
        self._pushed = 0
        self._selects = problem.frontier.component.selects
        self._cutoff = problem.frontier.values.get("cutoff", 0.0)
        self._layers = CountsByF(watch)
        self._bytes_per_node = NODE_BYTES + size_of(problem.board)

    def enter(self, node: PartialNode) -> None:
        """Store a new node."""
        self.known[node.key] = node
        self.statistics.stored += 1
        self._open(node, node.g + node.h, node.h)

    def take(self) -> PartialNode | None:
        """Take the best node; None if the list is empty."""
        while self._entries:
            _, _, stamp, node = heappop(self._entries)
            if node.stamp == stamp:
                node.stamp = TAKEN
                self.size -= 1
                self.taken = node
                return node
        return None

    def expand(self, node: PartialNode) -> None:
        """Look at the successors of a node, and store those whose turn has come."""
        problem, statistics, observer = self.problem, self.statistics, self.observer
        if node.least != self._layers.f:
            self._layers.enter(node.least)
        statistics.expanded += 1
        if observer:
            observer.expanded(node)
        turn = FInterval(node.least, problem.largest_within(node.least + self._cutoff), not node.is_partial)
        for action, state, cost in problem.domain.plain_edges(node.state):
            key = state if problem.key_of is None else problem.key_of(state)
            successor = PartialNode(state.state if type(state) is Ended else state, key, node, node.g + cost)
            if self._selects:
                is_stored = self._turn_has_come(successor, turn) and self._produces(successor, action)
            else:
                is_stored = self._produces(successor, action) and self._turn_has_come(successor, turn)
            if is_stored:
                self._meet(successor)
        if turn.rest < inf:
            node.is_partial = True
            self._open(node, turn.rest, turn.rest - node.g)
            return
        node.stamp = CLOSED
        if observer:
            observer.closed(node)

    def _produces(self, successor: PartialNode, action: str) -> bool:
        """Count a successor; return False if it is the parent or a lost position, which are no part of a solution."""
        parent, observer = successor.parent, self.observer
        assert parent is not None
        if successor.key == (NO_KEY if parent.parent is None else parent.parent.key):
            if observer:
                observer.went_back(parent, action)
            return False
        self.statistics.generated += 1
        is_lost = isinstance(successor.key, Ended) and not self.problem.domain.goal_test(successor.state)
        if observer:
            observer.generated(successor, action, is_lost=is_lost)
        return not is_lost

    def _turn_has_come(self, successor: PartialNode, turn: FInterval) -> bool:
        """Evaluate a successor; return whether it is stored now, and update `turn.rest` if it is stored later."""
        problem, statistics, observer = self.problem, self.statistics, self.observer
        if problem.estimates:
            successor.h = problem.estimator(successor.state)
            statistics.evaluated += 1
        f = successor.g + successor.h
        if successor.h == inf:
            if turn.is_first:
                statistics.dead_ends += 1
                self.lost = min(self.lost, successor.g + problem.counted(inf))
        elif f > turn.most:
            turn.rest = min(turn.rest, f)
        elif turn.is_first or f >= turn.least:
            return True
        if observer and not self._selects:
            if successor.h < inf and f <= turn.most:
                observer.found_duplicate(successor, self.known[successor.key])
                return False
            observer.evaluated(successor, is_dead_end=successor.h == inf)
            if successor.h < inf:
                observer.left_out(successor, "its turn has not come")
        return False

    def _meet(self, node: PartialNode) -> None:
        """Store a successor with a new state, or give the known node of the state the shorter path."""
        if self.problem.estimates:
            self.statistics.best_h = min(self.statistics.best_h, node.h)
        try:
            known = self.known.get(node.key)
        except TypeError as error:  # only some states are checked to be hashable before the search
            raise self.problem.domain.unhashable(node.state) from error
        if known is None:
            if self.observer:
                self.observer.evaluated(node, is_dead_end=False)
            self.enter(node)
        elif is_shorter(node.g, known.g):
            is_reopened = known.stamp == CLOSED
            self.statistics.reopened += is_reopened
            known.parent, known.g, known.is_partial = node.parent, node.g, False
            if self.observer:
                self.observer.improved(known, node, is_reopened=is_reopened)
            self._open(known, known.g + known.h, known.h)
        elif self.observer:
            self.observer.found_duplicate(node, known)

    def _open(self, node: PartialNode, least: float, tie: float) -> None:
        """Put a node on the open list; an earlier entry of the node becomes stale."""
        self._pushed += 1
        if node.stamp >= NEW:
            self.size += 1
            self.statistics.max_open = max(self.statistics.max_open, self.size)
        node.stamp, node.least = -self._pushed, least
        heappush(self._entries, (least, tie, node.stamp, node))

    def note_sizes(self) -> None:
        """Update the memory in the statistics."""
        held = self._bytes_per_node * self.statistics.stored
        self.statistics.peak_bytes = max(self.statistics.peak_bytes, held)

    def least_f(self, goal: PartialNode | None = None) -> float:
        """Return the smallest g + h of the paths that were not searched."""
        nodes = [node for _, _, stamp, node in self._entries if node.stamp == stamp]
        if self.taken is not None:
            nodes.append(self.taken)
        counts = self.problem.counts_h
        open_f = (node.least if counts else node.g for node in nodes if node is not goal)
        return min(self.lost, min(open_f, default=inf))

    def finish(self, status: str, goal: PartialNode | None = None) -> Outcome:
        """Return the Outcome of the search."""
        self.note_sizes()
        if self.observer and goal:
            self.observer.reached(goal)
        path, cost = (goal.path(), goal.g) if goal else ([], None)
        return Outcome(status, self.statistics, path, cost, partial(self.least_f, goal))
