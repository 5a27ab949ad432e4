"""The readable best-first search, on Board objects and any Python callables.

This module defines best-first search. The compiled search in `kernels/best_first.py` expands the same nodes in the same
order, and tests compare the two.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError
from searchlab.model.costs import is_shorter
from searchlab.model.randomness import random_rank
from searchlab.model.results import Outcome
from searchlab.model.states import size_of
from searchlab.search.readable.counts_by_f import CountsByF
from searchlab.search.readable.evaluation import estimate_states
from searchlab.search.readable.node import CLOSED, NEW, NODE_BYTES, SEEN, TAKEN, Node, successors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any

    from searchlab.binding.frontier import BoundFrontier
    from searchlab.model.results import Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

EXPANSION_BATCH = 64
"""The largest number of nodes that are taken from the open list at once."""
NODES_PER_ENTRY = 1024
"""The number of expanded nodes after which one more node is taken at once."""
BATCH_SHARE = 8
"""At most 1 / BATCH_SHARE of the expanded nodes are evaluated together, so that small searches stay small."""


Entry = tuple[float, float, int, Node]
"""An entry of the open list: the priority, tie-breaker and stamp of a node, then the node."""
CONTAINERS: dict[str, tuple[Callable[[], Any], Callable[[Any, Entry], None], Callable[[Any], Entry]]] = {
    "heap": (list, heappush, heappop),
    "fifo": (deque, deque.append, deque.popleft),
    "lifo": (list, list.append, list.pop),
}
"""By `Frontier.container`: the type that holds the entries, and the functions that add and remove an entry."""


def _no_priority(g: float, h: float) -> float:
    return 0.0


class OpenList:
    """The nodes that wait for their expansion, in the order of the frontier strategy.

    Args:
        frontier: the strategy.
        statistics: the statistics of the search.
        in_batches: whether to take the best node together with the nodes of equal priority and tie-breaker. Batches
            grow with the number of expanded nodes. They let the compiled search prefetch the memory of all their nodes.

    Attributes:
        size: the number of nodes on the list.
        taken: the entry that was taken last.
    """

    def __init__(self, frontier: BoundFrontier, statistics: Statistics, *, in_batches: bool) -> None:
        self._frontier, self._statistics, self._in_batches = frontier, statistics, in_batches
        container = frontier.component.container
        make, self._add, self._pop = CONTAINERS[container]
        self._entries = make()
        self._priority = frontier.priority if container == "heap" else _no_priority
        self._low_h, self._high_h = frontier.ties == "low-h", frontier.ties == "high-h"
        self._is_newest_first = frontier.order == "newest"
        self._pushed = 0
        self._batch: list[Entry] = []
        """The entries that remain of the batch, the next to be taken last."""
        self.size = 0
        self.taken: Entry | None = None

    def push(self, node: Node) -> None:
        """Put a node on the list; an earlier entry of the node becomes stale."""
        self._pushed = pushed = self._pushed + 1
        stamp = -pushed if self._is_newest_first else stamp_of(self._frontier, pushed)
        if node.stamp >= NEW:
            self.size = size = self.size + 1
            if size > self._statistics.max_open:
                self._statistics.max_open = size
        node.stamp = stamp
        h = node.h
        priority = self._priority(node.g, h)
        if priority != priority:
            msg = f"frontier {self._frontier.name}: the priority of g = {node.g:g}, h = {h:g} is NaN"
            raise PluginError(msg)
        tie = h if self._low_h else -h if self._high_h else 0.0
        self._add(self._entries, (priority, tie, stamp, node))

    def take(self) -> Node | None:
        """Take the best node, which may be the next one of a batch; None if the list is empty."""
        while self._batch:
            self.taken = entry = self._batch.pop()
            node = entry[-1]
            if node.stamp == TAKEN:  # no shorter path to it was found while it waited in the batch
                return node
        entries, pop = self._entries, self._pop
        while entries:
            self.taken = entry = pop(entries)
            priority, _, stamp, node = entry
            if node.stamp == stamp:
                node.stamp = TAKEN
                self.size -= 1
                if self._in_batches and entries and entries[0][0] == priority:
                    self._take_equals(entry)
                return node
        self.taken = None
        return None

    def _take_equals(self, best: Entry) -> None:
        """Fill the batch with nodes that have the same priority and tie-breaker as the entry just taken."""
        heap, batch = self._entries, self._batch
        priority, tie, _, _ = best
        most = min(EXPANSION_BATCH - 1, self._statistics.expanded // NODES_PER_ENTRY)
        while heap and len(batch) < most and heap[0][0] == priority and heap[0][1] == tie:
            entry = heappop(heap)
            _, _, stamp, node = entry
            if node.stamp == stamp:
                node.stamp = TAKEN
                self.size -= 1
                batch.append(entry)
        batch.reverse()

    def put_back(self) -> None:
        """Put the last taken node back on the list, in its old place."""
        assert self.taken is not None
        self._add(self._entries, self.taken)
        _, _, stamp, node = self.taken
        self.size += 1
        node.stamp = stamp
        self.taken = None

    def not_expanded(self) -> Iterator[Node]:
        """Yield the nodes on the list, and the taken nodes that were not expanded."""
        for _, _, stamp, node in self._entries:
            if node.stamp == stamp:
                yield node
        yield from (node for *_, node in self._batch)
        if self.taken is not None:
            yield self.taken[-1]


def stamp_of(frontier: BoundFrontier, pushed: int) -> int:
    """Return the stamp of the node that is put on the open list as number `pushed`.

    Among equals the smallest stamp is taken first. All stamps are negative and different.
    """
    if frontier.order == "newest":
        return -pushed
    return pushed - 2**62 if frontier.order == "oldest" else -1 - random_rank(frontier.values["seed"], pushed)


def best_first(problem: Problem, watch: Watch) -> Outcome:
    """Search best-first.

    The goal test takes place when a node is taken from the open list. Duplicates are detected early, when a node is
    generated, or late, when it is taken; see `Frontier.duplicates`.

    Equal sums of fractional costs may differ in the last digits if added in another order. Such a difference never
    reopens a node or puts it on the open list again (see `costs.is_shorter`), but an open node keeps the shorter path,
    so that differences do not add up along a path.

    With evaluation in batches (`Problem.batch`), a batch of nodes is taken and expanded before their new successors are
    evaluated together and put on the open list.
    """
    search = BestFirst(problem, watch)
    is_goal = problem.domain.goal_test
    start = Node.of_start(problem)
    search.generate(start)
    if search.unevaluated:
        search.evaluate()
    if is_goal(problem.board):
        return search.finish("solved", start)
    while (node := search.take()) is not None:
        if search.late and search.is_closed(node):
            continue
        if is_goal(node.state):
            if not search.unevaluated:
                return search.finish("solved", node)
            # A better goal may be among the nodes that wait for evaluation.
            search.open_list.put_back()
            search.evaluate()
            continue
        status = watch.stop(search.statistics, search.open_list.size)
        if status:
            return search.finish(status)
        search.expand(node)
    return search.finish("exhausted")


class BestFirst:
    """The lists and operations of a best-first search.

    Attributes:
        open_list: the nodes that wait for expansion.
        known: nodes by state: all stored nodes if duplicates are detected early, else the closed nodes.
        unevaluated: the new nodes of the batch, which wait for evaluation.
        take: takes the next node to be expanded; returns None if there is none.
        lost: the smallest g + h of the paths that are followed no further.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.problem, self.watch, self.statistics = problem, watch, watch.statistics
        self.observer = watch.observer
        self.late = problem.late
        self.open_list = self.new_open_list()
        self.known: dict[Hashable, Node] = {}
        self.unevaluated: list[Node] = []
        self.lost = inf
        self._in_batches = problem.batch > 1
        self.take: Callable[[], Node | None] = self._take_evaluated if self._in_batches else self.open_list.take
        self._batch_ends = 0
        self._estimate = problem.estimator if problem.estimates else None
        self._reopens = problem.reopens
        # Whether each round begins at the start and meets the states of earlier rounds again.
        self._meets_again = problem.frontier.component.restart_from == "start"
        # The successor that is generated last is the newest, so it would be taken first.
        self._last_first = problem.frontier.takes_first_sibling
        self._layers = CountsByF(watch)
        if problem.frontier.component.container == "lifo":
            watch.layers_by_f = None  # the compiled form keeps no h
        self._bytes_per_node = NODE_BYTES + size_of(problem.board)

    def new_open_list(self) -> OpenList:
        """Return an empty open list."""
        frontier = self.problem.frontier
        return OpenList(frontier, self.statistics, in_batches=frontier.takes_batches and self.problem.batch == 1)

    def generate(self, node: Node) -> None:
        """Evaluate a node with a new state and put it on the open list, or add it to the next batch."""
        if not self.late:
            self.known[node.key] = node
        if self._in_batches:
            self.unevaluated.append(node)
            return
        if self._estimate is not None:
            node.h = self._estimate(node.state)
        self._put(node)

    def evaluate(self) -> None:
        """Evaluate the batch, put its nodes on the open list in order, and begin a new batch."""
        problem, statistics, nodes = self.problem, self.statistics, self.unevaluated
        batch = min(problem.batch, 1 + statistics.expanded // BATCH_SHARE)
        self._batch_ends = min(statistics.expanded + batch, self.watch.expansions)
        if self._estimate is not None:
            for node, h in zip(nodes, estimate_states(problem, [n.state for n in nodes], self.watch), strict=True):
                node.h = h
        for node in nodes:
            self._put(node)
        nodes.clear()

    def _put(self, node: Node) -> None:
        """Put an evaluated node on the open list, unless it is a dead end."""
        statistics, h = self.statistics, node.h
        if self.observer:
            self.observer.evaluated(node, is_dead_end=h == inf)
        if self._estimate is not None:
            statistics.evaluated += 1
            if h == inf:
                statistics.dead_ends += 1
                self._lose(node.g, h)
                if not self.late:
                    del self.known[node.key]
                return
            if h < statistics.best_h:
                statistics.best_h = h
        statistics.stored += 1
        held = self._bytes_per_node * statistics.stored
        if held > statistics.peak_bytes:
            statistics.peak_bytes = held
        self.open_list.push(node)

    def _take_evaluated(self) -> Node | None:
        """Take the next node to be expanded, after evaluating a full batch; if no node is open, evaluate any batch."""
        if self.statistics.expanded >= self._batch_ends:
            self.evaluate()
        node = self.open_list.take()
        if node is None and self.unevaluated:
            self.evaluate()
            node = self.open_list.take()
        return node

    def is_closed(self, node: Node) -> bool:
        """Return whether a taken node is dropped because its state is closed; only used with late detection."""
        closed = self.known.get(node.key)
        if closed is None:
            return False
        if is_shorter(node.g, closed.g):
            if self._reopens:
                return False
            self._lose(node.g, node.h)
        self.statistics.duplicates += 1
        self.statistics.stored -= 1
        if self.observer:
            self.observer.found_duplicate(node, closed)
        return True

    def expand(self, node: Node) -> None:
        """Close a node and generate its successors."""
        statistics, observer = self.statistics, self.observer
        if self.late:
            node = self._close_late(node)
        node.stamp = CLOSED
        if (f := node.g + node.h) != self._layers.f:
            self._layers.enter(f)
        statistics.expanded += 1
        if observer:
            observer.expanded(node)
        late, table = self.late, self.known
        known_to_all = None if late or self._meets_again else table
        for successor in successors(
            node, self.problem, statistics, observer, last_first=self._last_first, known=known_to_all
        ):
            known = None if late else table.get(successor.key)
            if known is None:
                self.generate(successor)
            elif successor.g < known.g and (known.stamp != CLOSED or self._reopens):
                self._improve(known, successor)
            elif known.stamp == SEEN:
                self.open_list.push(known)
            else:
                if is_shorter(successor.g, known.g):
                    self._lose(successor.g, known.h)
                if observer:
                    observer.found_duplicate(successor, known)
        if observer:
            observer.closed(node)

    def _improve(self, known: Node, node: Node) -> None:
        """Give a known node the shorter path of a new node, unless it is closed and shorter only by rounding."""
        counts = is_shorter(node.g, known.g)
        if known.stamp == CLOSED and not counts:
            if self.observer:
                self.observer.found_duplicate(node, known)
            return
        is_reopened = known.stamp == CLOSED
        self.statistics.reopened += is_reopened
        known.parent, known.g = node.parent, node.g
        if self.observer:
            self.observer.improved(known, node, is_reopened=is_reopened)
        if counts and known.stamp != NEW:  # a new node waits for evaluation
            self.open_list.push(known)

    def _close_late(self, node: Node) -> Node:
        """Return the closed node of a state: this node, or the node closed earlier, now with the shorter path."""
        known = self.known.setdefault(node.key, node)
        if known is not node:
            self.statistics.reopened += 1
            self.statistics.stored -= 1
            known.parent, known.g = node.parent, node.g
            if self.observer:
                self.observer.improved(known, node, is_reopened=True)
        return known

    def _lose(self, g: float, h: float) -> None:
        """Record that a path with this g and h is followed no further."""
        self.lost = min(self.lost, g + self.problem.counted(h))

    def least_f(self, goal: Node | None = None) -> float:
        """Return the smallest g + h of open nodes except the goal, and of paths that were not followed."""
        counted = self.problem.counted
        least = self.lost
        for node in self.open_list.not_expanded():
            if node is not goal:
                least = min(least, node.g + counted(node.h))
        for node in self.unevaluated:
            parent = node.parent
            least = min(least, max(node.g, parent.g + counted(parent.h)) if parent else node.g)
        return least

    def finish(self, status: str, goal: Node | None = None) -> Outcome:
        """Return the Outcome of the search."""
        if self.observer and goal:
            self.observer.reached(goal)
        path, cost = (goal.path(), goal.g) if goal else ([], None)
        return Outcome(status, self.statistics, path, cost, partial(self.least_f, goal))
