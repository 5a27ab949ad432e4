"""The top of the tree of a depth-first search, which is split into subtrees for several cores.

Depth-first search has a single order of nodes, whichever thread searches a subtree. A search that ends in the k-th
subtree has done the work of the top, of all subtrees before the k-th, and of the k-th up to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError
from searchlab.model.results import Statistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board.board import Board
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch


@dataclass
class TopNode:
    """A node of the top; its successors are produced once, and kept for the next bound.

    Attributes:
        path: the boards from the start to the node.
        g, h: the cost of the path, and the estimate.
        terminal: whether the node ends the game.
        goal: whether the node is a goal; None until tested.
        children: the successors except the parent, once produced; None for a successor that ends the game without being
            a goal.
        expanded: whether all successors were produced.
        carried: the numbers that the heuristic carries besides h; None until computed.
    """

    path: tuple[Board, ...]
    g: float
    h: float
    terminal: bool = False
    goal: bool | None = None
    children: list[TopNode | None] = field(default_factory=list)
    expanded: bool = False
    carried: list[int] | None = None

    @property
    def board(self) -> Board:
        """The board of the node."""
        return self.path[-1]


@dataclass(frozen=True)
class SplitPoint:
    """A point in the order of the search.

    Attributes:
        before: the counts of the top up to here, in the search within this bound.
        next_bound: the smallest f beyond the bound up to here.
        node: the node whose subtree is to be searched here, or a goal of the top; None at the end.
        found: whether the node is a goal.
        error: the exception of a plugin here.
    """

    before: Statistics
    next_bound: float = inf
    node: TopNode | None = None
    found: bool = False
    error: PluginError | None = None


class SearchTreeTop:
    """The nodes of the search tree above a depth.

    Args:
        depth: the depth at which subtrees begin; 0 for a single subtree, which is the whole tree.
        watch: checked at every node.
    """

    def __init__(self, problem: Problem, root: TopNode, depth: int, watch: Watch) -> None:
        self.problem, self.watch = problem, watch
        self.root = root
        self.depth = depth

    def split(self, bound: float) -> Iterator[SplitPoint]:
        """Yield the subtrees within a bound, in the order of the search, and finally the end of the search."""
        taken = Statistics()
        beyond = [inf]
        try:
            for node in self._visit(self.root, bound, taken, beyond):
                yield SplitPoint(replace(taken), beyond[0], node, bool(node.goal))
                if node.goal:
                    return
        except PluginError as error:
            yield SplitPoint(replace(taken), beyond[0], error=error)
            return
        yield SplitPoint(taken, beyond[0])

    def _visit(self, node: TopNode, bound: float, taken: Statistics, beyond: list[float]) -> Iterator[TopNode]:
        self.watch.check()
        if node.goal is None:
            node.goal = self.problem.domain.is_goal(node.board)
        if node.goal:
            yield node
        elif node.terminal:
            return
        elif len(node.path) > self.depth:
            yield node
        else:
            taken.expanded += 1
            taken.stored = max(taken.stored, len(node.path))
            for child in self._children(node, taken):
                if child is None:
                    continue
                f = child.g + child.h
                if f <= self.problem.largest_within(bound):
                    if self.problem.estimates:
                        taken.best_h = min(taken.best_h, child.h)
                    yield from self._visit(child, bound, taken, beyond)
                else:
                    beyond[0] = min(beyond[0], f)

    def _children(self, node: TopNode, taken: Statistics) -> Iterator[TopNode | None]:
        """Yield the successors one by one, because the search may end before a successor that fails."""
        known = iter(node.children)
        if not node.expanded:
            known = self._expanded(node)
        for child in known:
            taken.generated += 1
            if child is not None and self.problem.estimates:
                child.h = self.problem.estimate(child.board) if child.h != child.h else child.h
                taken.evaluated += 1
                taken.dead_ends += child.h == inf
            yield child

    def _expanded(self, node: TopNode) -> Iterator[TopNode | None]:
        problem = self.problem
        node.children = []
        for edge in problem.domain.edges(node.board):
            if len(node.path) > 1 and not edge.terminal and edge.board == node.path[-2]:
                continue
            child = None
            if not edge.terminal or problem.domain.is_goal(edge.board):
                h = float("nan") if problem.estimates else 0.0
                child = TopNode((*node.path, edge.board), node.g + edge.cost, h, edge.terminal)
            node.children.append(child)
            yield child
        node.expanded = True


def add(total: Statistics, part: Statistics) -> None:
    """Add the counts of a part of a deepening search to the total."""
    total.expanded += part.expanded
    total.generated += part.generated
    total.evaluated += part.evaluated
    total.dead_ends += part.dead_ends
    total.duplicates += part.duplicates
    total.stored = max(total.stored, part.stored)
    total.peak_bytes = max(total.peak_bytes, part.peak_bytes)
    total.best_h = min(total.best_h, part.best_h)
