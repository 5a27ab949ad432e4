"""The readable best-first search with several queues, which may go on after a solution.

This module defines strategies with `Frontier.queues`. The compiled search in `kernels/queues.py` expands the same nodes
in the same order, and tests compare the two.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlab.model.costs import exceeds, is_shorter
from searchlab.model.randomness import Randomness
from searchlab.model.strategies import QUEUE_VALUES
from searchlab.search.readable.best_first import BestFirst, stamp_of
from searchlab.search.readable.node import CLOSED, NEW, SEEN, TAKEN, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.frontier import BoundQueue, NodeFunction
    from searchlab.model.results import Outcome, Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

N = TypeVar("N", bound=Node)
TIES: dict[str, Callable[[float], float]] = {"low-h": lambda h: h, "high-h": lambda h: -h, "none": lambda h: 0.0}
"""The tie-breakers of the option `ties`: among equal priorities, the smaller return value comes first."""
F_MIN, INCUMBENT = QUEUE_VALUES.index("f_min"), QUEUE_VALUES.index("incumbent")


class QueueNode(Node):
    """A node with further values, for priorities.

    Attributes:
        further: the values of the state by the further heuristics.
        depth: the number of moves on the path.
    """

    __slots__ = ("depth", "further")

    parent: QueueNode | None
    depth: int
    further: tuple[float, ...]

    @property
    def f(self) -> float:
        """The estimated cost of a solution through the node."""
        return self.g + self.h


class NodeHeap(Generic[N]):
    """A heap of nodes by one priority; entries of nodes that were taken elsewhere are stale.

    Args:
        key: returns the priority of a node.
        tie: returns the tie-breaker for a given h; among equal priorities, the smaller comes first.
        is_stale: returns whether an entry is stale, given its stamp and its node.
    """

    def __init__(
        self, key: Callable[[N], float], tie: Callable[[float], float], is_stale: Callable[[int, N], bool]
    ) -> None:
        self.key, self._tie, self._is_stale = key, tie, is_stale
        self._heap: list[tuple[float, float, int, N]] = []

    def push(self, node: N) -> None:
        """Put a node into the heap, with its present stamp."""
        heappush(self._heap, self._entry(node))

    def best(self) -> N | None:
        """Return the first node, None if there is none; remove stale entries before it."""
        while self._heap:
            _, _, stamp, node = self._heap[0]
            if not self._is_stale(stamp, node):
                return node
            heappop(self._heap)
        return None

    def pop(self) -> None:
        """Remove the first entry."""
        heappop(self._heap)

    def update(self) -> None:
        """Compute all priorities again."""
        self._heap = [self._entry(node) for _, _, stamp, node in self._heap if not self._is_stale(stamp, node)]
        heapify(self._heap)

    def _entry(self, node: N) -> tuple[float, float, int, N]:
        return self.key(node), self._tie(node.h), node.stamp, node


class FocalHeap(NodeHeap[QueueNode]):
    """A heap that gives only nodes whose value is within a limit; other nodes wait in a second heap, by this value.

    Args:
        value: returns the value of a node: f, or the priority of another queue.

    Attributes:
        limit: the largest value of a node that may be taken.
    """

    limit = -inf

    def __init__(
        self,
        key: Callable[[QueueNode], float],
        tie: Callable[[float], float],
        is_stale: Callable[[int, Node], bool],
        value: Callable[[QueueNode], float],
    ) -> None:
        super().__init__(key, tie, is_stale)
        self._value = value
        self._beyond = NodeHeap(value, tie, is_stale)

    def push(self, node: QueueNode) -> None:
        """Put a node into the heap of nodes within the limit, or of nodes beyond it."""
        if self._value(node) <= self.limit:
            super().push(node)
        else:
            self._beyond.push(node)

    def best(self) -> QueueNode | None:
        """Return the first node within the limit, None if there is none."""
        while (node := self._beyond.best()) and self._value(node) <= self.limit:
            self._beyond.pop()
            super().push(node)
        while (node := super().best()) and self._value(node) > self.limit:
            self.pop()
            self._beyond.push(node)
        return node


class TypeQueue:
    """A queue that draws a type of nodes at random, all types equally likely, and then a node of this type.

    Args:
        type_of: returns the values of a node that define its type.
        random: the source of random numbers.
        is_stale: returns whether an entry is stale, given its stamp and its node.
    """

    def __init__(
        self,
        type_of: Callable[[QueueNode], tuple[float, ...]],
        random: Randomness,
        is_stale: Callable[[int, Node], bool],
    ) -> None:
        self._type_of, self._random, self._is_stale = type_of, random, is_stale
        self._types: list[tuple[float, ...]] = []
        self._entries: dict[tuple[float, ...], list[tuple[int, QueueNode]]] = {}
        self._drawn = 0, 0
        """The indices of the drawn type in `_types`, and of the drawn entry in the list of this type."""

    def push(self, node: QueueNode) -> None:
        """Add a node to its type, with its present stamp."""
        kind = self._type_of(node)
        if kind not in self._entries:
            self._types.append(kind)
            self._entries[kind] = []
        self._entries[kind].append((node.stamp, node))

    def best(self) -> QueueNode | None:
        """Draw a node, None if there is none; remove stale entries that are drawn."""
        while self._types:
            place = self._random.below(len(self._types))
            entries = self._entries[self._types[place]]
            while entries:
                self._drawn = place, self._random.below(len(entries))
                stamp, node = entries[self._drawn[1]]
                if not self._is_stale(stamp, node):
                    return node
                self.pop()
        return None

    def pop(self) -> None:
        """Remove the drawn entry, and its type if it becomes empty; the last of the list moves into the gap."""
        place, at = self._drawn
        kind = self._types[place]
        entries = self._entries[kind]
        last = entries.pop()
        if at < len(entries):
            entries[at] = last
        if entries:
            return
        del self._entries[kind]
        last_type = self._types.pop()
        if place < len(self._types):
            self._types[place] = last_type

    def update(self) -> None:
        """Do nothing: types do not change."""


def _f(node: QueueNode) -> float:
    return node.f


class QueuedNodes:
    """The open nodes of a search, in all queues; used in place of an `OpenList`.

    Args:
        problem: the problem that is searched.
        statistics: the statistics of the search.
        complete: sets the values of a new node that priorities may use besides g and h.
        lose: called with each node that is dropped.

    Attributes:
        size: the number of open nodes.
        incumbent: the cost of the best solution so far, infinite before the first.
        drops_from: nodes with this g + h or more are dropped, because no solution through them is cheaper than the
            incumbent and within the cost limit.
        goal: the goal that stays open although it is not below the incumbent, or None.
    """

    def __init__(
        self,
        problem: Problem,
        statistics: Statistics,
        complete: Callable[[QueueNode], None],
        lose: Callable[[Node], None],
    ) -> None:
        self.size = 0
        self._statistics = statistics
        self.incumbent = inf
        self.drops_from = problem.drops_from
        self.goal: Node | None = None
        self._complete, self._lose = complete, lose
        self._pushed = 0
        self._f_min = -inf
        frontier = problem.frontier
        self._draws_turns = frontier.component.choose == "random"
        self._random = Randomness(frontier.values["seed"]) if frontier.draws else None
        self._asks_in_order = frontier.component.choose == "first"
        self._stamp_of = partial(stamp_of, frontier)
        self._turn, self._left = -1, 0
        self._tie = TIES[problem.frontier.ties]
        self._start: tuple[float, ...] = ()
        """The values of the start by the heuristics."""
        self.use(problem)

    def use(self, problem: Problem) -> None:
        """Make new, empty queues with the priorities of a problem."""
        self._declared = problem.queues
        self._by_f = NodeHeap(_f, self._tie, self._is_stale) if needs_f_min(problem) else None
        self._queues = [self._queue_of(one) for one in problem.queues]

    def _queue_of(self, one: BoundQueue) -> NodeHeap[QueueNode] | TypeQueue:
        """Return an empty queue for a declaration."""
        if one.types is not None:
            assert self._random
            return TypeQueue(partial(self._type_of, one.types), self._random, self._is_stale)
        key = partial(self._key, one)
        if one.focal:
            value = partial(self._key, self._declared[one.of]) if one.of >= 0 else (lambda node: node.f)
            return FocalHeap(key, self._tie, self._is_stale, value)
        return self._by_f if one.function is None and self._by_f else NodeHeap(key, self._tie, self._is_stale)

    def _key(self, function: BoundQueue | NodeFunction, node: QueueNode) -> float:
        """Return a priority of a node, or the truth value of a condition."""
        return function.key(self._values(node))

    def _type_of(self, places: tuple[int, ...], node: QueueNode) -> tuple[float, ...]:
        """Return the values that define the type of a node, given their indices among all values."""
        values = self._values(node)
        return tuple(values[place] for place in places)

    def _values(self, node: QueueNode) -> tuple[float, ...]:
        """Return the values that priorities may use: `QUEUE_VALUES`, further heuristics, and values of the start."""
        return (node.g, node.h, node.depth, self._f_min, self.incumbent, *node.further, *self._start)

    def _is_stale(self, stamp: int, node: Node) -> bool:
        """Return whether an entry is stale; drop the node if it cannot lead to a cheaper solution."""
        if node.stamp != stamp:
            return True
        if not self.is_pruned(node):
            return False
        node.stamp = TAKEN
        self.size -= 1
        self._lose(node)
        return True

    def is_pruned(self, node: Node) -> bool:
        """Return whether no solution through a node is expected to be cheaper and within the cost limit."""
        return node.g + node.h >= self.drops_from and node is not self.goal

    def push(self, node: QueueNode) -> None:
        """Put a node into all queues, unless it is pruned; earlier entries of the node become stale."""
        if node.stamp == NEW:
            self._complete(node)
        if self.is_pruned(node):
            self._lose(node)
            if node.stamp >= NEW:
                node.stamp = TAKEN
            return
        if node.parent is None:
            self._start = (node.h, *node.further)
        is_new = node.stamp >= NEW
        node.stamp = self.next_stamp()
        self.enter(node, is_new=is_new)

    def next_stamp(self) -> int:
        """Return the stamp for the next node that is put into the queues."""
        self._pushed += 1
        return self._stamp_of(self._pushed)

    def enter(self, node: QueueNode, *, is_new: bool) -> None:
        """Put a node with its stamp into all queues."""
        if is_new:
            self.size += 1
            self._statistics.max_open = max(self._statistics.max_open, self.size)
        for queue in self._all:
            queue.push(node)

    @property
    def _all(self) -> list[NodeHeap[QueueNode] | TypeQueue]:
        others = [queue for queue in self._queues if queue is not self._by_f]
        return [self._by_f, *others] if self._by_f else others

    def least(self) -> float | None:
        """Return the smallest f of the open nodes, infinite without open nodes; None if no heap by f is kept."""
        if self._by_f is None:
            return None
        node = self._by_f.best()
        return node.f if node else inf

    def take(self) -> QueueNode | None:
        """Take the first node of the queue whose turn it is; None if no node is open."""
        if self._by_f is not None:
            f_min = self.least()
            assert f_min is not None
            if f_min == inf:
                return None
            if f_min != self._f_min:
                self._f_min = f_min
                self.update(F_MIN)
        turn = self._first_ready() if self._asks_in_order else self._next_turn()
        node = self._best_of(turn)
        if node is not None:
            self._queues[turn].pop()
            node.stamp = TAKEN
            self.size -= 1
        return node

    def _best_of(self, turn: int) -> QueueNode | None:
        """Return the best node of a queue, None if there is none; set the limit of a focal queue first."""
        queue, declared = self._queues[turn], self._declared[turn]
        if isinstance(queue, FocalHeap):
            least = self._f_min
            if declared.of >= 0:
                first = self._queues[declared.of].best()
                least = self._key(self._declared[declared.of], first) if first else inf
            queue.limit = max(least, declared.focal * least)
        return queue.best()

    def _first_ready(self) -> int:
        """Return the number of the first queue whose first node fulfils the condition of the queue."""
        for turn, one in enumerate(self._declared):
            if one.share > 0 and one.types is not None:
                return turn
            if one.share > 0:
                node = self._best_of(turn)
                if node is not None and (one.when is None or self._key(one.when, node)):
                    return turn
        return 0

    def _next_turn(self) -> int:
        """Return the number of the queue that gives the next node."""
        shares = [one.share for one in self._declared]
        if self._draws_turns:
            assert self._random
            number = (self._random.raw() >> 11) * 2.0**-53 * sum(shares)
            for turn, share in enumerate(shares):
                number -= share
                if number < 0:
                    return turn
            return len(shares) - 1
        while self._left == 0:
            self._turn = (self._turn + 1) % len(shares)
            self._left = int(shares[self._turn])
        self._left -= 1
        return self._turn

    def update(self, value: int) -> None:
        """Compute again the priorities that depend on a value that has changed, given its index in `QUEUE_VALUES`."""
        for declared, queue in zip(self._declared, self._queues, strict=True):
            if value in declared.places.values() and declared.changes:
                queue.update()


def needs_f_min(problem: Problem) -> bool:
    """Return whether the smallest f of the open nodes has to be known before each node is taken."""
    component = problem.frontier.component
    asked = any((queue.focal and queue.of < 0) or "f_min" in queue.all_places for queue in problem.queues)
    # With a bound of 1 all nodes that are not below the incumbent are dropped, until none is left.
    follows_bound = component.restart is None or component.restart_from == "start"
    return asked or (1 < problem.frontier.bound < inf and follows_bound)


def queues(problem: Problem, watch: Watch) -> Outcome:
    """Search best-first with several queues, until the best solution is good enough or a limit is reached."""
    search = ReadableQueues(problem, watch)
    is_goal = problem.domain.goal_test
    start = QueueNode.of_start(problem)
    start.depth = 0
    search.generate(start)
    if is_goal(problem.board):
        return search.finish("solved", start)
    while (node := search.take_one()) is not None:
        search.taken = node
        if is_goal(node.state):
            search.taken = None
            ended = search.found(node)
            if ended is not None:
                return ended
            continue
        status = watch.stop(search.statistics, search.open_list.size)
        if status:
            return search.finish(status)
        search.expand(node)
        search.taken = None
    return search.finish("exhausted")


class ReadableQueues(BestFirst):
    """The lists and operations of a search with several queues.

    Attributes:
        open_list: the queues.
        taken: the node that was taken and is not yet expanded.
        postponed: the stamps of closed nodes that wait for the next round, because a cheaper path to them was found;
            only for strategies that restart.
    """

    open_list: QueuedNodes  # type: ignore[assignment]  # used in place of an OpenList

    def __init__(self, problem: Problem, watch: Watch) -> None:
        super().__init__(problem, watch)
        self.taken: QueueNode | None = None
        self.postponed: dict[QueueNode, int] = {}
        component = problem.frontier.component
        self._restarts = component.restart is not None
        self._repairs = self._restarts and not self._meets_again
        """Whether each round begins with the nodes and paths of the round before."""
        self._reopens = self._reopens or self._repairs
        self._further = [problem.by(heuristic).estimator for heuristic in problem.further]
        self._good_enough = False
        self._round_began = -1
        """The number of expanded nodes when the round began."""
        self._proved = 0.0
        """The largest lower bound at the end of a round."""
        self._lost = inf
        """The same as `lost`, but h counts even if it is not declared admissible."""

    def new_open_list(self) -> QueuedNodes:  # type: ignore[override]
        """Return empty queues."""
        return QueuedNodes(self.problem, self.statistics, self._complete, lambda node: self._lose(node.g, node.h))

    def _complete(self, node: QueueNode) -> None:
        """Set the depth of a new node, and evaluate it by the further heuristics."""
        if node.parent is not None:
            node.depth = node.parent.depth + 1
        node.further = tuple(estimate(node.state) for estimate in self._further)
        self.statistics.evaluated += len(node.further)

    def take_one(self) -> QueueNode | None:
        """Take the next node; return None if there is none, or if the solution found is good enough."""
        if self.open_list.incumbent < inf:
            least = self.open_list.least()
            if least is not None and least < inf and self._is_good_enough(least):
                return None
        return self.open_list.take()

    def _is_good_enough(self, least: float) -> bool:
        """Return whether the solution is within the bound of the strategy, given the smallest f of the open nodes."""
        bound = self.problem.frontier.bound
        self._good_enough = bound < inf and not exceeds(self.open_list.incumbent, bound * min(least, self._lost))
        return self._good_enough

    def _improve(self, known: QueueNode, node: QueueNode) -> None:  # type: ignore[override]
        was_closed = known.stamp == CLOSED
        # A path that is shorter only by rounding is no better, and it would change the priority of an open node.
        if not is_shorter(node.g, known.g) and known.stamp != SEEN:
            if self.observer:
                self.observer.found_duplicate(node, known)
            return
        assert node.parent is not None
        self.statistics.reopened += was_closed and known not in self.postponed
        known.parent, known.g, known.depth = node.parent, node.g, node.parent.depth + 1
        if self.observer:
            self.observer.improved(known, node, is_reopened=was_closed)
        if was_closed and self._repairs:
            self._postpone(known)
        else:
            self.open_list.push(known)

    def _lose(self, g: float, h: float) -> None:
        self._lost = min(self._lost, g + h)
        super()._lose(g, h)

    def _postpone(self, node: QueueNode) -> None:
        """Make a node wait for the next round."""
        self.postponed.pop(node, None)
        self.postponed[node] = self.open_list.next_stamp()

    def found(self, goal: QueueNode) -> Outcome | None:
        """Handle a goal that was taken: report the solution, then return the outcome, or begin the next round."""
        frontier, watch = self.problem.frontier, self.watch
        if frontier.bound == inf and not self._restarts:
            return self.finish("solved", goal)
        if goal.g < watch.incumbent:
            watch.improved(goal.g, goal.path)
            self.open_list.incumbent = watch.incumbent
            self.open_list.drops_from = min(self.open_list.drops_from, watch.incumbent)
            self.open_list.update(INCUMBENT)
            if self._repairs:
                self.open_list.goal = goal
        if not self._restarts:
            return None
        if goal is self.open_list.goal:
            self._postpone(goal)
        if self._is_good_enough(self._least()):
            return self.finish("exhausted")
        restarted, expanded = frontier.restarted(), self.statistics.expanded
        if restarted is None and self._meets_again and frontier.bound < inf:
            return None
        if restarted is None and (frontier.bound == inf or expanded == self._round_began):
            return self.finish("exhausted")
        self._round_began = expanded
        if restarted is not None:
            self.problem = replace(self.problem, frontier=restarted)
        if self._meets_again:
            self._begin_again()
        else:
            self._restart()
        return None

    def _restart(self) -> None:
        """Begin a round with no closed nodes, and with new priorities for all open and postponed nodes."""
        queues, waiting = self.open_list, list(self.open_nodes())
        for node in self.known.values():
            if node.stamp == CLOSED:
                node.stamp = TAKEN
        queues.use(self.problem)
        queues.size = 0
        for node in waiting:
            node.stamp = self.postponed.get(node, node.stamp)
            if queues.is_pruned(node):
                node.stamp = TAKEN
                self._lose(node.g, node.h)
            else:
                queues.enter(node, is_new=True)
        self.postponed.clear()

    def _begin_again(self) -> None:
        """Begin a round at the start: only the start is open, but all states stay known with their paths and values."""
        self._proved = max(self._proved, self.least_f())
        queues, (start, *others) = self.open_list, self.known.values()
        for node in (start, *others):
            node.stamp = SEEN
        self.lost = self._lost = inf
        queues.use(self.problem)
        queues.size = 0
        assert isinstance(start, QueueNode)
        queues.push(start)

    def open_nodes(self) -> Iterator[QueueNode]:
        """Yield the open nodes, and the nodes that wait for the next round."""
        for node in self.known.values():
            if node.stamp < NEW or node in self.postponed:
                assert isinstance(node, QueueNode)
                yield node

    def _least(self) -> float:
        """Return the smallest f of the open nodes, except the goal that stays open."""
        return min((node.f for node in self.open_nodes() if node is not self.open_list.goal), default=inf)

    def least_f(self, goal: Node | None = None) -> float:
        """Return the smallest g + h of the paths that were not searched; h counts if it is declared admissible."""
        counted, best = self.problem.counted, self.open_list.goal
        waiting = [*self.open_nodes(), *([self.taken] if self.taken else [])]
        found = (node.g + counted(node.h) for node in waiting if node is not goal and node is not best)
        return max(self._proved, min(self.lost, *found, inf))

    def finish(self, status: str, goal: Node | None = None) -> Outcome:
        """Return the Outcome of the search, as solved if the solution reported before is good enough."""
        if status == "exhausted" and self._good_enough and self.problem.frontier.bound > 1:
            status = "solved"
        return super().finish(status, goal)
