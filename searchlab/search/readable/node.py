"""Nodes of the readable searches, the expansion of a node, and observers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.results import Statistics

NODE_BYTES = 1000
"""The measured size of a node without its tiles: the objects of board, node, table and open list."""


class Node:
    """A state with the best path to it known so far."""

    __slots__ = ("board", "closed", "g", "h", "open", "parent", "stamp", "terminal")

    def __init__(self, board: Board, parent: Node | None = None, g: float = 0.0, terminal: bool = False) -> None:
        self.board = board
        self.parent = parent
        self.g = g
        self.terminal = terminal
        self.h = 0.0
        self.stamp = 0
        self.open = self.closed = False

    @property
    def state(self) -> tuple[Board, bool]:
        """The key of a closed list: a board with which the game is over differs from the same board in play."""
        return self.board, self.terminal

    def path(self) -> list[Board]:
        """Return the boards from the start to this node."""
        boards, node = [], self
        while node.parent is not None:
            boards.append(node.board)
            node = node.parent
        return [node.board, *reversed(boards)]


class SearchObserver(Protocol):
    """Is notified of the events of a readable search in order; a Watch carries it."""

    is_full: bool
    """Whether it takes no more steps: the search need not be readable any longer."""

    def begun(self, start: Node, bound: float) -> None:
        """An iteration begins, of a search that has several: from a new node of the start, with this bound on f."""

    def generated(self, node: Node, action: str, *, is_lost: bool) -> None:
        """A successor was generated; one that loses the game is dropped."""

    def went_back(self, node: Node, action: str) -> None:
        """A move from a node was left out because it leads back to the node's parent."""

    def evaluated(self, node: Node, *, is_dead_end: bool) -> None:
        """A node was evaluated, including the start, and put on the open list unless its h is infinite.

        A search without a heuristic also sends this notification.
        """

    def left_out(self, node: Node, why: str) -> None:
        """A node is dropped although it is no duplicate: it is beyond a bound, or beyond the width of a beam."""

    def found_duplicate(self, node: Node, known: Node) -> None:
        """A generated or taken node is dropped: its state is known, and its path is no better."""

    def improved(self, known: Node, node: Node, *, is_reopened: bool) -> None:
        """A known node has got the shorter path of a new node, and is put on the open list again, or expanded at once.

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
        """A goal was taken from the open list: the search is over."""


def successors(
    node: Node,
    domain: BoundDomain,
    statistics: Statistics,
    observer: SearchObserver | None = None,
    *,
    last_first: bool = False,
) -> Iterator[Node]:
    """Generate the successors of a node, in the domain's order or the reverse of it, and count them."""
    edges = domain.edges(node.board)
    for edge in reversed(list(edges)) if last_first else edges:
        # The move straight back to the parent is not counted, and never leads to a better path.
        if node.parent is not None and not edge.terminal and edge.board == node.parent.board:
            if observer:
                observer.went_back(node, edge.action)
            continue
        statistics.generated += 1
        # A move that ends the game elsewhere than in a goal is no part of a solution.
        is_lost = edge.terminal and not domain.is_goal(edge.board)
        successor = Node(edge.board, node, node.g + edge.cost, edge.terminal)
        if observer:
            observer.generated(successor, edge.action, is_lost=is_lost)
        if not is_lost:
            yield successor
