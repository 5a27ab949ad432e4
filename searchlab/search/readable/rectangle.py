"""The readable rectangle search: rounds that go deeper and wider at once (Lemons, Ruml, Holte, Linares López 2024).

This module defines the strategies of the family "rectangle". The compiled search in `kernels/rectangle.py` expands the
same nodes in the same order, and tests compare the two.

The open nodes of each depth are ordered by the priority of the strategy, then by g + h, then the newest first. The n-th
round expands one node at each depth that earlier rounds reached. Then it goes `aspect` depths deeper, and expands n
nodes at each of them. The next round goes deeper from the deepest depth at which this round expanded a node. After n
rounds, n nodes of each depth are expanded, if there were as many.

A state has a single node, at any depth. When the state is generated again by a cheaper path, the node gets this path,
and waits at the new depth even if it was expanded before. Any other path to the state is dropped, even with fewer
moves. A goal is found when it is generated. Nodes that cannot lead to a solution cheaper than the incumbent are dropped
when they are generated or taken.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from searchlab.model.costs import is_shorter
from searchlab.model.results import Outcome
from searchlab.model.states import size_of
from searchlab.search.readable.beam import evaluated
from searchlab.search.readable.counts_by_f import CountsByF
from searchlab.search.readable.node import CLOSED, NODE_BYTES, TAKEN, successors
from searchlab.search.readable.queues import QueueNode

if TYPE_CHECKING:
    from collections.abc import Hashable

    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


def rectangle(problem: Problem, watch: Watch) -> Outcome:
    """Search in rounds until no cheaper solution can exist, or a limit is reached."""
    start = QueueNode.of_start(problem)
    start.depth = 0
    live = evaluated([start], problem, watch)
    if problem.domain.goal_test(problem.board):
        if watch.observer:
            watch.observer.reached(start)
        return Outcome("solved", watch.statistics, start.path(), 0.0, lambda: inf)
    search = Rectangle(problem, watch)
    if not live:
        search.lost = problem.counted(inf)
        return Outcome("exhausted", watch.statistics, least_f=search.least_f)
    search.enter(start)
    return Outcome(search.run(), watch.statistics, least_f=search.least_f)


class Rectangle:
    """The nodes and operations of a rectangle search.

    Attributes:
        lost: the smallest g + h of the dead ends.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.problem, self.watch = problem, watch
        self.lost = inf
        self._known: dict[Hashable, QueueNode] = {}
        self._open: defaultdict[int, list[tuple[float, float, int, QueueNode]]] = defaultdict(list)
        self._estimators = [problem.by(one).estimator for one in problem.further]
        self._size = self._pushed = 0
        self._taken: QueueNode | None = None
        self._bytes_per_node = NODE_BYTES + size_of(problem.board)
        self._layers = CountsByF(watch)

    def run(self) -> str:
        """Search until the end; return the status."""
        aspect = self.problem.frontier.values["aspect"]
        expanded, status = self._expand_at(0, 1)
        levels = width = 1
        while expanded and self._size and not status:
            deepest = -1
            for depth in range(levels + aspect):
                if depth > levels and deepest < depth - 1:
                    break
                expanded, status = self._expand_at(depth, 1 if depth < levels else width)
                if expanded:
                    deepest = depth
                if status:
                    return status
            expanded, levels, width = deepest + 1, deepest + 1, width + 1
        return status or "exhausted"

    def _expand_at(self, depth: int, most: int) -> tuple[int, str]:
        """Expand up to `most` of the best nodes of a depth.

        Returns:
            the number of expanded nodes, and the status of the limit that was reached, or `""`.
        """
        statistics, watch = self.watch.statistics, self.watch
        for count in range(most):
            self._taken = node = self._take(depth)
            if node is None:
                return count, ""
            statistics.peak_bytes = max(statistics.peak_bytes, self._bytes_per_node * statistics.stored)
            status = watch.stop(statistics, self._size)
            if status:
                return count, status
            self._taken = None
            self._expand(node)
        return most, ""

    def _take(self, depth: int) -> QueueNode | None:
        """Take the best open node of a depth that may lead to a cheaper solution."""
        entries = self._open[depth]
        while entries:
            _, _, stamp, node = heappop(entries)
            if node.stamp != stamp:
                continue
            node.stamp = TAKEN
            self._size -= 1
            if self._least(node) < self._below:
                return node
            if self.watch.observer:
                self.watch.observer.left_out(node, "no better than the incumbent")
        return None

    def _expand(self, node: QueueNode) -> None:
        """Expand a node, and report the cheapest goal among the successors."""
        problem, watch = self.problem, self.watch
        statistics, observer = watch.statistics, watch.observer
        self._layers.enter(node.f)
        statistics.expanded += 1
        node.stamp = CLOSED
        if observer:
            observer.expanded(node)
        goal: QueueNode | None = None
        self._limit = self._below
        for successor in successors(node, problem, statistics, observer):
            assert isinstance(successor, QueueNode)
            found = self._reach(successor, node)
            if found is None:
                continue
            if not problem.domain.goal_test(found.state):
                self._push(found)
                continue
            found.stamp = CLOSED
            if found.g < self._limit:
                goal, self._limit = found, problem.below(found.g)
        if observer:
            observer.closed(node)
        if goal is not None:
            if observer:
                observer.reached(goal)
            watch.improved(goal.g, goal.path)

    def _reach(self, new: QueueNode, parent: QueueNode) -> QueueNode | None:
        """Return the node of a generated state, with this path; None if the path is no better or too expensive."""
        problem, observer = self.problem, self.watch.observer
        known = self._known.get(new.key)
        if known is not None and not is_shorter(new.g, known.g):
            if observer:
                observer.found_duplicate(new, known)
            return None
        if known is not None:
            new.h = known.h
        elif not evaluated([new], problem, self.watch):
            self.lost = min(self.lost, new.g + problem.counted(inf))
            return None
        if self._least(new) >= self._limit:
            if observer:
                observer.left_out(new, "no better than the incumbent")
            return None
        if known is None:
            new.depth = parent.depth + 1
            self._store(new)
            return new
        if known.stamp == CLOSED:
            self.watch.statistics.reopened += 1
        known.parent, known.g, known.depth = parent, new.g, parent.depth + 1
        if observer:
            observer.improved(known, new, is_reopened=known.stamp == CLOSED)
        return known

    def enter(self, start: QueueNode) -> None:
        """Make the start the only open node."""
        self._store(start)
        self._push(start)

    def _store(self, node: QueueNode) -> None:
        """Store a new node, with its values by the further heuristics."""
        statistics = self.watch.statistics
        node.further = tuple(estimator(node.state) for estimator in self._estimators)
        statistics.evaluated += len(node.further)
        statistics.stored += 1
        self._known[node.key] = node

    def _push(self, node: QueueNode) -> None:
        """Put a node on the open list of its depth; an earlier entry of the node becomes stale."""
        self._pushed += 1
        if node.stamp >= 0:
            self._size += 1
            self.watch.statistics.max_open = max(self.watch.statistics.max_open, self._size)
        node.stamp = -self._pushed
        priority = self.problem.queues[0].key((node.g, node.h, node.depth, -inf, inf, *node.further))
        heappush(self._open[node.depth], (priority, node.f, node.stamp, node))

    @property
    def _below(self) -> float:
        """The g + h from which on nodes cannot lead to a solution cheaper than the incumbent."""
        return self.problem.below(self.watch.incumbent)

    def _least(self, node: QueueNode) -> float:
        return node.g + self.problem.counted(node.h)

    def least_f(self) -> float:
        """Return the smallest g + h of the open nodes and the dead ends."""
        nodes = [node for node in self._known.values() if node.stamp < 0]
        if self._taken is not None:
            nodes.append(self._taken)
        return min([self.lost, *(self._least(node) for node in nodes)])
