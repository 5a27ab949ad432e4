"""The readable bidirectional search: from the start, and from the goals against the direction of the moves.

It defines what a strategy of the family "bidirectional" does: front to end, as each direction is guided by estimates to
the other end. The compiled search in `kernels/bidirectional.py` expands the same nodes in the same order, and tests
compare the two.

A state has a node in each direction that has met it. A path from the start that meets one from a goal is a solution,
and the search goes on until the best one costs at most `bound` times a cost that no solution is below which has not
been found: the lower bound. At any time

- the g + h of an open node is below the cost of the best solution divided by `bound`; others are dropped;
- if nodes are not reopened because the heuristic is consistent, a state that one direction has expanded is not open in
  the other: its cheapest path to that end is known, and so is the cheapest solution through it (nipping, Kwa 1989).
"""

from __future__ import annotations

from itertools import groupby
from math import inf
from typing import TYPE_CHECKING

from searchlab.model.costs import exceeds, is_shorter
from searchlab.model.results import Outcome
from searchlab.model.states import Ended, size_of
from searchlab.model.strategies import BOTH_DIRECTIONS
from searchlab.search.readable.best_first import stamp_of
from searchlab.search.readable.counts_by_f import CountsByF
from searchlab.search.readable.node import CLOSED, NEW, NO_KEY, NODE_BYTES, TAKEN, Node, successors
from searchlab.search.readable.queues import TIES, NodeHeap

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


class EndNode(Node):
    """A node of one direction.

    Attributes:
        h: the estimate of the cost to the other end.
        h_back: the estimate of the cost from the node's own end to it; 0 unless a priority asks for it.
        depth: the moves of its path.
    """

    __slots__ = ("depth", "h_back")

    parent: EndNode | None
    depth: int
    h_back: float

    @property
    def f(self) -> float:
        """The estimated cost of a solution through the node."""
        return self.g + self.h


class Direction:
    """One of the two searches: its nodes, and the order of the open ones.

    Attributes:
        is_backward: whether it begins at the goals.
        table: the nodes by state.
        size: the number of open nodes.
    """

    def __init__(self, problem: Problem, *, is_backward: bool) -> None:
        self.is_backward = is_backward
        self.table: dict[Hashable, EndNode] = {}
        self.size = 0
        self._problem = problem
        self._pushed = 0
        self._heaps = self._make_heaps(TIES[problem.frontier.ties])

    def _make_heaps(self, tie: Callable[[float], float]) -> dict[str, NodeHeap[EndNode]]:
        """Return the heaps of the open nodes: by priority, and by what the lower bound asks for."""
        queues, lower_bound = self._problem.queues, self._problem.frontier.component.lower_bound
        assert lower_bound is not None
        key = queues[self.is_backward and len(queues) - 1].key
        epsilon = self._problem.epsilon
        keys: dict[str, Callable[[EndNode], float]] = {
            "priority": lambda node: key((node.g, node.h, node.depth, node.h_back, epsilon)),
            "f": lambda node: node.f,
            "g": lambda node: node.g,
        }
        asked = ("priority", *self._problem.frontier.least_asked)
        return {name: NodeHeap(keys[name], tie, _is_stale) for name in keys if name in asked}

    def push(self, node: EndNode) -> None:
        """Let a node be open, with a new stamp."""
        self._pushed += 1
        self.size += not is_open(node)
        node.stamp = stamp_of(self._problem.frontier, self._pushed)
        self.enter(node)

    def enter(self, node: EndNode) -> None:
        """Put a node that is open into the order."""
        for heap in self._heaps.values():
            heap.push(node)

    def remove(self, node: EndNode, stamp: int) -> None:
        """Let an open node be open no more."""
        self.size -= 1
        node.stamp = stamp

    def first(self) -> EndNode:
        """Return the open node with the smallest priority; there is one."""
        return _some(self._heaps["priority"].best())

    def least(self, name: str) -> float:
        """Return the smallest priority, f or g of an open node; there is one."""
        heap = self._heaps[name]
        return heap.key(_some(heap.best()))

    def open_nodes(self) -> Iterator[EndNode]:
        """Yield the open nodes."""
        return (node for node in self.table.values() if is_open(node))


class PairedDirection(Direction):
    """A direction whose open nodes wait by f until f is within the lower bound, and are then ready (Chen et al. 2017).

    Attributes:
        lower_bound: the cost that no solution is below.
    """

    def __init__(self, problem: Problem, *, is_backward: bool) -> None:
        super().__init__(problem, is_backward=is_backward)
        self.lower_bound = 0.0

    def _make_heaps(self, tie: Callable[[float], float]) -> dict[str, NodeHeap[EndNode]]:
        keys: dict[str, Callable[[EndNode], float]] = {"waiting": lambda node: node.f, "ready": lambda node: node.g}
        return {name: NodeHeap(key, tie, _is_stale) for name, key in keys.items()}

    def enter(self, node: EndNode) -> None:
        """Put a node that is open among those that are ready, or wait."""
        self._heaps["ready" if node.f <= self.lower_bound else "waiting"].push(node)

    def raise_to(self, bound: float) -> float:
        """Note a lower bound, by which nodes become ready; return the smallest f of those that wait."""
        self.lower_bound, waiting = bound, self._heaps["waiting"]
        while (node := waiting.best()) and node.f <= bound:
            waiting.pop()
            self._heaps["ready"].push(node)
        return node.f if node else inf

    def best_ready(self) -> EndNode | None:
        """Return the ready node with the smallest g, None if none is ready."""
        return self._heaps["ready"].best()

    def clusters(self, smallest: float) -> list[list[EndNode]]:
        """Return the ready nodes that are in a pair, by g; `smallest` is the smallest g of the other direction."""
        tie, epsilon, bound = TIES[self._problem.frontier.ties], self._problem.epsilon, self.lower_bound
        ready = (node for node in self.open_nodes() if node.f <= bound and node.g + smallest + epsilon <= bound)
        in_order = sorted(ready, key=lambda node: (node.g, tie(node.h), node.stamp))
        return [list(nodes) for _, nodes in groupby(in_order, key=lambda node: node.g)]


def is_open(node: Node) -> bool:
    """Return whether a node waits for its expansion."""
    return node.stamp < NEW


def _is_stale(stamp: int, node: Node) -> bool:
    return node.stamp != stamp


def _some(node: EndNode | None) -> EndNode:
    assert node is not None
    return node


def bidirectional(problem: Problem, watch: Watch) -> Outcome:
    """Search from both ends."""
    search = Bidirectional(problem, watch)
    if problem.domain.goal_test(problem.board):
        search.begin(search.forward, [problem.board])
        return Outcome("solved", watch.statistics, [problem.board], 0.0, lambda: inf, met_at=0, met_cost=0.0)
    search.begin(search.forward, [problem.board])
    search.begin(search.backward, problem.domain.goals(problem.board))
    for direction, node in search.chosen():
        search.note_sizes()
        status = watch.stop(watch.statistics, search.forward.size + search.backward.size)
        if status:
            return search.outcome(status)
        search.expand(direction, node)
    ends_early = problem.frontier.bound > 1 and search.lower_bound < inf and search.is_good_enough()
    return search.outcome("solved" if ends_early else "exhausted")


class Bidirectional:
    """The two directions of a search, and its operations.

    Attributes:
        forward, backward: the directions.
        lower_bound: a cost that no solution is below which has not been found, if h is admissible.
        lost: the smallest g + h of nodes that were dropped.
    """

    def __init__(self, problem: Problem, watch: Watch) -> None:
        self.problem, self.watch, self.statistics = problem, watch, watch.statistics
        self.lower_bound = 0.0
        self.lost = inf
        component = problem.frontier.component
        self._pairs = component.choose in BOTH_DIRECTIONS
        make = PairedDirection if self._pairs else Direction
        self.forward, self.backward = (make(problem, is_backward=at == 1) for at in (0, 1))
        self._reopens = problem.reopens
        self._nips = not self._reopens and problem.trusts_consistency
        self._drops_from = inf
        self._met: tuple[int, float] | tuple[None, None] = None, None
        """The moves from the start to where the directions met, and their cost."""
        self._last_first = problem.frontier.takes_first_sibling
        self._asks_back = problem.counts_errors
        self._estimates = (problem.estimator, problem.backwards.estimator) if problem.estimates else ()
        self._layers = CountsByF(watch)
        self._bytes_per_node = NODE_BYTES + size_of(problem.board)

    def begin(self, direction: Direction, states: Iterable[State]) -> None:
        """Enter the states that a direction begins at."""
        key_of = self.problem.key_of
        for state in states:
            key = state if key_of is None else key_of(state)
            if key not in direction.table:
                node = EndNode(state, key)
                node.depth = 0
                self._enter(direction, node)

    # Nodes

    def expand(self, direction: Direction, node: EndNode) -> None:
        """Close a node and generate its successors, or backwards the states that have moves to it."""
        statistics, known = self.statistics, self._opposite(direction).table.get(node.key)
        direction.remove(node, CLOSED)
        if self._nips and known is not None and is_open(known):
            self._opposite(direction).remove(known, TAKEN)
        if self.lower_bound != self._layers.f:
            self._layers.enter(self.lower_bound)
        statistics.expanded += 1
        statistics.expanded_backward += direction.is_backward
        generate = self._predecessors if direction.is_backward else self._successors
        for successor in generate(node):
            known = direction.table.get(successor.key)
            if known is None:
                successor.depth = node.depth + 1
                self._enter(direction, successor)
            elif is_shorter(successor.g, known.g):
                self._improve(direction, known, successor)

    def _successors(self, node: EndNode) -> Iterator[EndNode]:
        found: Iterator[EndNode] = successors(node, self.problem, self.statistics, last_first=self._last_first)  # type: ignore[assignment]  # they are of the node's class
        return found

    def _predecessors(self, node: EndNode) -> Iterator[EndNode]:
        """Generate the states that have a move to a node's, and count them."""
        before = self.problem.domain.predecessors(node.state)
        key_of, back = self.problem.key_of, NO_KEY if node.parent is None else node.parent.key
        for state, cost in reversed(before) if self._last_first else before:
            key = state if key_of is None else key_of(state)
            if key != back:
                self.statistics.generated += 1
                yield EndNode(state, key, node, node.g + cost)

    def _enter(self, direction: Direction, node: EndNode) -> None:
        """Evaluate a node with a new state, and let it be open, unless it is a dead end."""
        statistics, at = self.statistics, int(direction.is_backward)
        node.h_back = 0.0
        if self.problem.estimates:
            node.h = self._estimates[at](node.state)
            statistics.evaluated += 1
            if node.h == inf:
                statistics.dead_ends += 1
                self._lose(node)
                return
            if self._asks_back:
                node.h_back = self._estimates[1 - at](node.state)
                statistics.evaluated += 1
            statistics.best_h = min(statistics.best_h, node.h)
        statistics.stored += 1
        direction.table[node.key] = node
        self._meet(direction, node)
        self._open(direction, node)

    def _improve(self, direction: Direction, known: EndNode, node: EndNode) -> None:
        """Give a known node the shorter path of a new one."""
        was_closed = known.stamp == CLOSED
        if was_closed and not self._reopens:
            self._lose(node, known.h)
            return
        assert node.parent is not None
        self.statistics.reopened += was_closed
        known.parent, known.g, known.depth = node.parent, node.g, node.parent.depth + 1
        self._meet(direction, known)
        self._open(direction, known)

    def _is_nipped(self, direction: Direction, node: EndNode) -> bool:
        """Return whether a node need not be expanded, because its state was expanded in the other direction."""
        known = self._opposite(direction).table.get(node.key) if self._nips else None
        return known is not None and known.stamp == CLOSED

    def _open(self, direction: Direction, node: EndNode) -> None:
        """Let a node be open, unless nothing better can come of it."""
        is_dropped = node.f >= self._drops_from
        if is_dropped:
            self._lose(node)
        if is_dropped or isinstance(node.key, Ended) or self._is_nipped(direction, node):
            if is_open(node):
                direction.remove(node, TAKEN)
            node.stamp = TAKEN
        else:
            direction.push(node)
            self.statistics.max_open = max(self.statistics.max_open, self.forward.size + self.backward.size)

    def _meet(self, direction: Direction, node: EndNode) -> None:
        """Note the solution through a node's state, if both directions have met it and it is cheaper than others."""
        key = node.key.state if isinstance(node.key, Ended) else node.key
        other = self._opposite(direction).table.get(key)
        if other is None or not exceeds(self.watch.incumbent, node.g + other.g):
            return
        there, back = (other, node) if direction.is_backward else (node, other)
        self.note_sizes()
        path = there.path()
        self._met = len(path) - 1, there.g  # now, as reopened nodes may get other paths
        self.watch.improved(there.g + back.g, lambda: [*path, *_rest(back)])
        self._drops_from = self.watch.incumbent / self.problem.frontier.bound
        for one in (self.forward, self.backward):
            for waiting in one.open_nodes():
                if waiting.f >= self._drops_from:
                    one.remove(waiting, TAKEN)
                    self._lose(waiting)

    def _lose(self, node: EndNode, h: float | None = None) -> None:
        """Note that a node is dropped, or a path to a node with this h."""
        self.lost = min(self.lost, node.g + self.problem.counted(node.h if h is None else h))

    def _opposite(self, direction: Direction) -> Direction:
        return self.forward if direction.is_backward else self.backward

    # What is expanded, and when the search is over

    def chosen(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield each node to be expanded, with its direction, until the search is over."""
        rules = {"pair": self._pairs_of_nodes, "cover": self._covers}
        return rules.get(self.problem.frontier.direction, self._by_priority)()

    def is_good_enough(self) -> bool:
        """Return whether there is a solution that costs at most `bound` times the lower bound."""
        incumbent, bound = self.watch.incumbent, self.problem.frontier.bound
        if inf in (incumbent, bound):
            return incumbent < bound
        return not exceeds(incumbent, bound * self.problem.rounded_up(self.lower_bound))

    def _by_priority(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield the node with the smallest priority of one direction, then of the direction that is next."""
        rule, last = self.problem.frontier.direction, self.backward
        both = self.forward, self.backward
        while self.forward.size and self.backward.size:
            self.lower_bound = self._least_cost()
            if self.is_good_enough():
                return
            measures = {
                "alternate": lambda one: 0,
                "cardinality": lambda one: one.size,
                "best-first": lambda one: one.least("priority"),
            }
            here, there = map(measures[rule], both)
            if here == there:
                last = self.forward if rule == "cardinality" else self._opposite(last)
            else:
                last = self.forward if here < there else self.backward
            yield last, last.first()
        self.lower_bound = inf

    def _least_cost(self) -> float:
        """Return the strategy's lower bound."""
        frontier, both = self.problem.frontier, (self.forward, self.backward)
        asked = (name for name in frontier.least_asked if name != "epsilon")
        pairs = {name: tuple(one.least(name) for one in both) for name in asked}
        return frontier.lower_bound({**pairs, "epsilon": self.problem.epsilon})

    def _pairs_of_nodes(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield the two nodes of a pair with the smallest lower bound, the forward one first."""
        while (pair := self._smallest_pair()) and not self.is_good_enough():
            node, other = pair
            yield self.forward, node
            if is_open(other) and not self.is_good_enough():
                yield self.backward, other

    def _covers(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield the nodes of the smallest g of one direction, if they are part of a smallest cover of all pairs."""
        forward, backward = self._paired()
        while (pair := self._smallest_pair()) and not self.is_good_enough():
            node, other = pair
            clusters = forward.clusters(other.g), backward.clusters(node.g)
            there, back = ([(nodes[0].g, len(nodes)) for nodes in one] for one in clusters)
            is_forward = begins_forward(there, back, self._is_pair)
            direction = forward if is_forward else backward
            for node in clusters[not is_forward][0]:
                if is_open(node) and not self.is_good_enough():
                    yield direction, node

    def _smallest_pair(self) -> tuple[EndNode, EndNode] | None:
        """Raise the lower bound to that of the best pair of open nodes; return the pair, None if there is none."""
        forward, backward = self._paired()
        while forward.size and backward.size:
            next_bound = min(forward.raise_to(self.lower_bound), backward.raise_to(self.lower_bound))
            node, other = forward.best_ready(), backward.best_ready()
            if node and other:
                if self._is_pair(node.g, other.g):
                    return node, other
                next_bound = min(next_bound, node.g + other.g + self.problem.epsilon)
            self.lower_bound = next_bound
        self.lower_bound = inf
        return None

    def _is_pair(self, g: float, other: float) -> bool:
        """Return whether the lower bound of a solution through two ready nodes with these g is the smallest."""
        return g + other + self.problem.epsilon <= self.lower_bound

    def _paired(self) -> tuple[PairedDirection, PairedDirection]:
        assert isinstance(self.forward, PairedDirection)
        assert isinstance(self.backward, PairedDirection)
        return self.forward, self.backward

    # The end

    def note_sizes(self) -> None:
        """Update the figure of the memory."""
        statistics = self.statistics
        statistics.peak_bytes = max(statistics.peak_bytes, self._bytes_per_node * statistics.stored)

    def least_f(self) -> float:
        """Return a cost that no solution is below which was not found; h counts where it is declared admissible.

        Such a solution leads through an open node of each direction, or through a node that was dropped.
        """
        problem, counted = self.problem, self.problem.counted
        both = self.forward, self.backward
        there, back = ([(node.g + counted(node.h), node.g) for node in one.open_nodes()] for one in both)
        least = least_pair(there, back, problem.epsilon)
        if least < inf and problem.counts_h and self._asks_back and problem.trusts_consistency:
            errors = (min(2 * node.g + node.h - node.h_back for node in one.open_nodes()) for one in both)
            least = max(least, sum(errors) / 2)
        if self._pairs and problem.counts_h:
            least = max(least, self.lower_bound)
        return problem.rounded_up(min(least, self.lost))

    def outcome(self, status: str) -> Outcome:
        """Return the Outcome of the search; its solutions have been told already."""
        self.note_sizes()
        return Outcome(status, self.statistics, least_f=self.least_f, met_at=self._met[0], met_cost=self._met[1])


def _rest(node: EndNode) -> list[State]:
    """Return the states after a backward node's, to the goal."""
    return node.path()[-2::-1]


def least_pair(forward: list[tuple[float, float]], backward: list[tuple[float, float]], epsilon: float) -> float:
    """Return the smallest lower bound of a solution through a node of each direction, infinite without nodes.

    The bound of a pair is the largest of the two f and g + g + epsilon (Eckerle et al. 2017).

    Args:
        forward, backward: the f and the g of the nodes.
        epsilon: the smallest cost of a move.

    >>> least_pair([(3, 0), (7, 2)], [(4, 4)], 1)
    5
    """
    least, smallest = inf, [inf, inf]
    nodes = [(f, g, at) for at, one in enumerate((forward, backward)) for f, g in one]
    for f, g, at in sorted(nodes):
        if f >= least:
            break
        smallest[at] = min(smallest[at], g)
        least = min(least, max(f, sum(smallest) + epsilon))
    return least


def begins_forward(
    forward: list[tuple[float, int]], backward: list[tuple[float, int]], is_pair: Callable[[float, float], bool]
) -> bool:
    """Return whether the first cluster of the forward direction is expanded, rather than of the backward one.

    Nodes with the same g are a cluster. Of each pair of clusters one has to be expanded: they have to be covered. Those
    of the two first clusters are candidates that take part in a cover with the fewest nodes; of both the one with fewer
    nodes is expanded, the backward one if they have equally many (Shperberg et al. 2019).

    Args:
        forward, backward: the g and the number of nodes of each cluster, the smallest g first.
        is_pair: whether clusters with these g are a pair.
    """
    fewest, candidates = inf, (False, False)
    for i in range(len(forward) + 1):
        # With the i first clusters of one direction, the other one needs those that are in a pair with the next one.
        needed = [count for g, count in backward if i < len(forward) and is_pair(forward[i][0], g)]
        nodes = sum(count for _, count in forward[:i]) + sum(needed)
        if nodes < fewest:
            fewest, candidates = nodes, (False, False)
        if nodes == fewest:
            candidates = candidates[0] or i > 0, candidates[1] or bool(needed)
    if all(candidates):
        return forward[0][1] < backward[0][1]
    return candidates[0]
