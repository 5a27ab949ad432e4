"""Nodes of the readable searches, and how a node is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def successors(node: Node, domain: BoundDomain, statistics: Statistics) -> Iterator[Node]:
    """Generate the successors of a node, in the domain's order, and count them."""
    for edge in domain.edges(node.board):
        # The move straight back to the parent is not counted, and never leads to a better path.
        if node.parent is not None and not edge.terminal and edge.board == node.parent.board:
            continue
        statistics.generated += 1
        # A move that ends the game elsewhere than in a goal is no part of a solution.
        if edge.terminal and not domain.is_goal(edge.board):
            continue
        yield Node(edge.board, node, node.g + edge.cost, edge.terminal)
