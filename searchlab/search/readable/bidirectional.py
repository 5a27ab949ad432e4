"""The readable bidirectional search: from the start, and from the goals against the direction of the moves.

This module defines the strategies of the family "bidirectional". They search front to end: estimates of the cost to the
other end guide each direction. The compiled search in `kernels/bidirectional.py` expands the same nodes in the same
order, and tests compare the two.

A state has a node in each direction that has met it. Where a path from the start meets a path from a goal, there is a
solution. No solution that is still to be found costs less than the lower bound. The search ends when the best solution
costs at most `bound` times the lower bound. At any time

- the g + h of an open node is below the cost of the best solution divided by `bound`; other nodes are dropped;
- if the heuristic is consistent and nodes are not reopened, a state that one direction has expanded is not open in the
  other: the cheapest path to that end is known, and so is the cheapest solution through the state (nipping, Kwa 1989).
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
        h_back: the estimate of the cost from the end where this direction begins; 0 unless a priority asks for it.
        depth: the number of moves on the path.
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
    """One of the two directions of a search: all nodes, and the order of the open nodes.

    Attributes:
        is_backward: whether the direction begins at the goals.
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
        """Return the heaps of the open nodes: by priority, and by f or g if the lower bound needs the smallest."""
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
        """Open a node, with a new stamp."""
        self._pushed += 1
        self.size += not is_open(node)
        node.stamp = stamp_of(self._problem.frontier, self._pushed)
        self.enter(node)

    def enter(self, node: EndNode) -> None:
        """Put an open node into the heaps."""
        for heap in self._heaps.values():
            heap.push(node)

    def remove(self, node: EndNode, stamp: int) -> None:
        """Make an open node no longer open, with this stamp."""
        self.size -= 1
        node.stamp = stamp

    def first(self) -> EndNode:
        """Return the open node with the smallest priority; there must be an open node."""
        return _existing(self._heaps["priority"].best())

    def least(self, name: str) -> float:
        """Return the smallest priority, f or g of an open node; there must be an open node."""
        heap = self._heaps[name]
        return heap.key(_existing(heap.best()))

    def open_nodes(self) -> Iterator[EndNode]:
        """Yield the open nodes."""
        return (node for node in self.table.values() if is_open(node))


class PairedDirection(Direction):
    """A direction whose open nodes wait, ordered by f, until f is within the lower bound (Chen et al. 2017).

    From then on they are ready, ordered by g.

    Attributes:
        lower_bound: no solution costs less than this.
    """

    def __init__(self, problem: Problem, *, is_backward: bool) -> None:
        super().__init__(problem, is_backward=is_backward)
        self.lower_bound = 0.0

    def _make_heaps(self, tie: Callable[[float], float]) -> dict[str, NodeHeap[EndNode]]:
        keys: dict[str, Callable[[EndNode], float]] = {"waiting": lambda node: node.f, "ready": lambda node: node.g}
        return {name: NodeHeap(key, tie, _is_stale) for name, key in keys.items()}

    def enter(self, node: EndNode) -> None:
        """Put an open node into the heap of ready nodes or of waiting nodes."""
        self._heaps["ready" if node.f <= self.lower_bound else "waiting"].push(node)

    def raise_to(self, bound: float) -> float:
        """Raise the lower bound, which makes nodes ready; return the smallest f of the nodes that still wait."""
        self.lower_bound, waiting = bound, self._heaps["waiting"]
        while (node := waiting.best()) and node.f <= bound:
            waiting.pop()
            self._heaps["ready"].push(node)
        return node.f if node else inf

    def best_ready(self) -> EndNode | None:
        """Return the ready node with the smallest g, None if none is ready."""
        return self._heaps["ready"].best()

    def clusters(self, smallest: float) -> list[list[EndNode]]:
        """Return the ready nodes that are part of a pair, grouped by g.

        Args:
            smallest: the smallest g of a ready node in the other direction.
        """
        tie, epsilon, bound = TIES[self._problem.frontier.ties], self._problem.epsilon, self.lower_bound
        ready = (node for node in self.open_nodes() if node.f <= bound and node.g + smallest + epsilon <= bound)
        in_order = sorted(ready, key=lambda node: (node.g, tie(node.h), node.stamp))
        return [list(nodes) for _, nodes in groupby(in_order, key=lambda node: node.g)]


def is_open(node: Node) -> bool:
    """Return whether a node waits for its expansion."""
    return node.stamp < NEW


def _is_stale(stamp: int, node: Node) -> bool:
    return node.stamp != stamp


def _existing(node: EndNode | None) -> EndNode:
    assert node is not None
    return node


def bidirectional(problem: Problem, watch: Watch) -> Outcome:
    """Search from the start and from the goals until the best solution is good enough, or a limit is reached."""
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
    """The two directions and the operations of a bidirectional search.

    Attributes:
        forward, backward: the directions.
        lower_bound: no solution that is still to be found costs less than this, if h is admissible.
        lost: the smallest g + h of the nodes that were dropped.
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
        """The number and the cost of the moves from the start to the state where the directions met."""
        self._last_first = problem.frontier.takes_first_sibling
        self._asks_back = problem.counts_errors
        self._estimates = (problem.estimator, problem.backwards.estimator) if problem.estimates else ()
        self._layers = CountsByF(watch)
        self._bytes_per_node = NODE_BYTES + size_of(problem.board)

    def begin(self, direction: Direction, states: Iterable[State]) -> None:
        """Enter the states where a direction begins."""
        key_of = self.problem.key_of
        for state in states:
            key = state if key_of is None else key_of(state)
            if key not in direction.table:
                node = EndNode(state, key)
                node.depth = 0
                self._enter(direction, node)

    # Nodes

    def expand(self, direction: Direction, node: EndNode) -> None:
        """Close a node and generate its successors, or its predecessors in the backward direction."""
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
        found: Iterator[EndNode] = successors(node, self.problem, self.statistics, last_first=self._last_first)  # type: ignore[assignment]  # of the node's class
        return found

    def _predecessors(self, node: EndNode) -> Iterator[EndNode]:
        """Generate and count the states with a move to the state of a node."""
        before = self.problem.domain.predecessors(node.state)
        key_of, back = self.problem.key_of, NO_KEY if node.parent is None else node.parent.key
        for state, cost in reversed(before) if self._last_first else before:
            key = state if key_of is None else key_of(state)
            if key != back:
                self.statistics.generated += 1
                yield EndNode(state, key, node, node.g + cost)

    def _enter(self, direction: Direction, node: EndNode) -> None:
        """Evaluate a node with a new state, and open it unless it is a dead end."""
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
        """Give a known node the shorter path of a new node."""
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
        """Open a node, unless it cannot lead to a better solution."""
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
        """Report the solution through a state that both directions have met, if it is cheaper than the incumbent."""
        key = node.key.state if isinstance(node.key, Ended) else node.key
        other = self._opposite(direction).table.get(key)
        if other is None or not exceeds(self.watch.incumbent, node.g + other.g):
            return
        there, back = (other, node) if direction.is_backward else (node, other)
        self.note_sizes()
        path = there.path()
        self._met = len(path) - 1, there.g  # computed now, because reopened nodes may get other paths
        self.watch.improved(there.g + back.g, lambda: [*path, *_states_after(back)])
        self._drops_from = self.watch.incumbent / self.problem.frontier.bound
        for one in (self.forward, self.backward):
            for waiting in one.open_nodes():
                if waiting.f >= self._drops_from:
                    one.remove(waiting, TAKEN)
                    self._lose(waiting)

    def _lose(self, node: EndNode, h: float | None = None) -> None:
        """Record that a node was dropped, or a path to a state with this h."""
        self.lost = min(self.lost, node.g + self.problem.counted(node.h if h is None else h))

    def _opposite(self, direction: Direction) -> Direction:
        return self.forward if direction.is_backward else self.backward

    # The choice of nodes, and the end of the search

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
        """Yield the node with the smallest priority of the direction whose turn it is, by the rule of the strategy."""
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
        """Return the lower bound by the rule of the strategy."""
        frontier, both = self.problem.frontier, (self.forward, self.backward)
        asked = (name for name in frontier.least_asked if name != "epsilon")
        pairs = {name: tuple(one.least(name) for one in both) for name in asked}
        return frontier.lower_bound({**pairs, "epsilon": self.problem.epsilon})

    def _pairs_of_nodes(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield the two nodes of a pair with the smallest lower bound, the forward node first."""
        while (pair := self._smallest_pair()) and not self.is_good_enough():
            node, other = pair
            yield self.forward, node
            if is_open(other) and not self.is_good_enough():
                yield self.backward, other

    def _covers(self) -> Iterator[tuple[Direction, EndNode]]:
        """Yield the nodes with the smallest g of one direction that are part of a smallest cover of all pairs."""
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
        """Raise the lower bound to the bound of the best pair of open nodes; return the pair, None if there is none."""
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
        """Return whether two ready nodes with these g are a pair: their bound is within the lower bound."""
        return g + other + self.problem.epsilon <= self.lower_bound

    def _paired(self) -> tuple[PairedDirection, PairedDirection]:
        assert isinstance(self.forward, PairedDirection)
        assert isinstance(self.backward, PairedDirection)
        return self.forward, self.backward

    # The end

    def note_sizes(self) -> None:
        """Update the memory in the statistics."""
        statistics = self.statistics
        statistics.peak_bytes = max(statistics.peak_bytes, self._bytes_per_node * statistics.stored)

    def least_f(self) -> float:
        """Return a lower bound on the cost of the solutions that were not found.

        Such a solution leads through an open node of each direction, or through a node that was dropped. h counts if it
        is declared admissible.
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
        """Return the Outcome of the search, without solutions: they were reported when they were found."""
        self.note_sizes()
        return Outcome(status, self.statistics, least_f=self.least_f, met_at=self._met[0], met_cost=self._met[1])


def _states_after(node: EndNode) -> list[State]:
    """Return the states that follow the state of a backward node on the path to the goal."""
    return node.path()[-2::-1]


def least_pair(forward: list[tuple[float, float]], backward: list[tuple[float, float]], epsilon: float) -> float:
    """Return the smallest lower bound of a solution through one node of each direction, infinite without nodes.

    The bound of a pair is the largest of the two f and g + g + epsilon (Eckerle et al. 2017).

    Args:
        forward, backward: f and g of each node.
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
    """Return whether to expand the first cluster of the forward direction next, rather than of the backward direction.

    A cluster is the nodes with the same g. One cluster of each pair has to be expanded, so the expanded clusters are a
    cover of the pairs. A first cluster is a candidate if a cover with the fewest nodes contains it. If both first
    clusters are candidates, the smaller is expanded; if they have equally many nodes, the backward cluster (Shperberg
    et al. 2019).

    Args:
        forward, backward: g and the number of nodes of each cluster, the smallest g first.
        is_pair: whether clusters with these g are a pair.
    """
    fewest, candidates = inf, (False, False)
    for i in range(len(forward) + 1):
        # A cover with the first i forward clusters needs the backward clusters that are in a pair with the next one.
        needed = [count for g, count in backward if i < len(forward) and is_pair(forward[i][0], g)]
        nodes = sum(count for _, count in forward[:i]) + sum(needed)
        if nodes < fewest:
            fewest, candidates = nodes, (False, False)
        if nodes == fewest:
            candidates = candidates[0] or i > 0, candidates[1] or bool(needed)
    if all(candidates):
        return forward[0][1] < backward[0][1]
    return candidates[0]
