"""Nodes of the readable searches, the expansion of a node, and observers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from searchlab.model.states import Ended

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from searchlab.model.results import Statistics
    from searchlab.model.states import State
    from searchlab.search.problem import Problem

NODE_BYTES = 300
"""The measured size in bytes of a node without its state: its objects in memory, in the table and on the open list."""
NEW, TAKEN, CLOSED, SEEN = 0, 1, 2, 3
"""Values of `Node.stamp` for a node that is not on the open list: not there yet, taken for expansion, expanded, or
known from an earlier round of a search that began again at the start."""


NO_KEY = object()
"""Stands for the key of a missing node. None cannot, because it may be a state."""


class Node:
    """A state with the best path to it known so far.

    Attributes:
        state: a board, or a state of any other type; a search does not look inside.
        key: the key of the state in tables of nodes, see `key_function`.
        parent: the previous node on the path, None for the start.
        g: the cost of the path.
        h: the estimate of the cost to go; lower is better.
        stamp: the negative number of the newest entry of this node on the open list, or NEW, TAKEN, CLOSED or SEEN.
    """

    __slots__ = ("g", "h", "key", "parent", "stamp", "state")

    def __init__(self, state: State, key: Hashable, parent: Node | None = None, g: float = 0.0) -> None:
        self.state = state
        self.key = key
        self.parent = parent
        self.g = g
        self.h = 0.0
        self.stamp = NEW

    @classmethod
    def of_start(cls, problem: Problem) -> Self:
        """Return the node of the start."""
        start, key_of = problem.board, problem.key_of
        return cls(start, start if key_of is None else key_of(start))

    def path(self) -> list[State]:
        """Return the states from the start to this node."""
        states, node = [], self
        while node.parent is not None:
            states.append(node.state)
            node = node.parent
        return [node.state, *reversed(states)]


class SearchObserver(Protocol):
    """Receives the events of a readable search in order; passed to the search in a Watch."""

    is_full: bool
    """Whether it records no more events, so that the search may continue compiled."""

    def begun(self, start: Node, bound: float) -> None:
        """An iteration of a search with several iterations begins: from a new start node, with this bound on f.

        For the second and later beams of an anytime beam search, the bound is the cost of the best solution, or
        infinite before the first.
        """

    def generated(self, node: Node, action: str, *, is_lost: bool) -> None:
        """A successor was generated; one that loses the game is dropped."""

    def went_back(self, node: Node, action: str) -> None:
        """A move from a node was left out because it leads back to the parent of the node."""

    def evaluated(self, node: Node, *, is_dead_end: bool) -> None:
        """A node was evaluated, including the start, and put on the open list unless its h is infinite.

        A search without a heuristic sends this event, too.
        """

    def left_out(self, node: Node, why: str) -> None:
        """A node that is no duplicate is dropped: it is beyond a bound, or beyond the width of a beam."""

    def found_duplicate(self, node: Node, known: Node) -> None:
        """A generated or taken node is dropped: its state is known by a path that is at least as good."""

    def improved(self, known: Node, node: Node, *, is_reopened: bool) -> None:
        """A known node gets the shorter path of a new node, and is put on the open list again or expanded at once.

        Args:
            known: the node, with its new parent and g.
            node: the generated or taken node with the same state.
            is_reopened: whether the known node was closed.
        """

    def expanded(self, node: Node) -> None:
        """The expansion of a node begins."""

    def closed(self, node: Node) -> None:
        """All successors of a node have been generated."""

    def reached(self, node: Node) -> None:
        """A goal was taken from the open list, or found in a layer; most searches end here."""


def successors(
    node: Node,
    problem: Problem,
    statistics: Statistics,
    observer: SearchObserver | None = None,
    *,
    last_first: bool = False,
    known: Mapping[Hashable, Node] | None = None,
) -> Iterator[Node]:
    """Generate and count the successors of a node, in the order of the domain or the reverse.

    Args:
        last_first: whether to reverse the order.
        known: nodes by key. Without an observer, a successor is left out if the known node of the same state has a g
            that is no larger.
    """
    domain = problem.domain
    edges = domain.plain_edges(node.state)
    if last_first:
        edges = edges[::-1]
    back = NO_KEY if node.parent is None else node.parent.key
    key_of, g = problem.key_of, node.g
    table = {} if known is None or observer else known
    make = type(node)
    for action, state, cost in edges:
        key = state if key_of is None else key_of(state)
        if key == back:
            # The move straight back to the parent never leads to a better path. It is not counted.
            if observer:
                observer.went_back(node, action)
            continue
        statistics.generated += 1
        g_after = g + cost
        try:
            other = table.get(key)
        except TypeError as error:  # only some states are checked to be hashable before the search
            raise domain.unhashable(state) from error
        if other is not None and other.g <= g_after:
            continue
        is_lost = False
        if type(state) is Ended:
            # A move that ends the game is part of a solution only if it reaches a goal.
            state = state.state
            is_lost = not domain.goal_test(state)
        successor = make(state, key, node, g_after)
        if observer:
            observer.generated(successor, action, is_lost=is_lost)
        if not is_lost:
            yield successor
