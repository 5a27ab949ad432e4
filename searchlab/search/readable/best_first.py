"""The readable driver: what a best-first search does, on Board objects and any Python callables.

It is the definition. The compiled driver in `kernels/best_first.py` expands the same nodes in the same order,
and the tests hold it to that.
"""

from __future__ import annotations

import heapq
from collections import deque
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError
from searchlab.model.results import Outcome
from searchlab.search.readable.evaluating import estimate_boards

if TYPE_CHECKING:
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.board.board import Board
    from searchlab.model.results import Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

NODE_BYTES = 1000
"""What a node takes besides its tiles: the objects of board, node, table and open list, measured."""
EXPANSION_BATCH = 64
BATCH_SHARE = 8
"""No batch that is evaluated together is larger than this part of what is expanded: small searches stay small."""


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
        """What makes two nodes duplicates: a board with which the game is over is no live board."""
        return self.board, self.terminal

    def path(self) -> list[Board]:
        """Return the boards from the start to this node."""
        boards, node = [], self
        while node.parent is not None:
            boards.append(node.board)
            node = node.parent
        return [node.board, *reversed(boards)]


class OpenList:
    """The generated nodes that wait for expansion, in the order the frontier strategy wants.

    Args:
        one_by_one: nodes are not taken in batches, whatever the strategy says.
    """

    def __init__(self, frontier: BoundFrontier, *, one_by_one: bool = False) -> None:
        self._frontier = frontier
        self._batches = frontier.component.batches and not one_by_one
        self._container = frontier.component.container
        self._low_h = frontier.component.ties == "low-h"
        self._heap: list[tuple[float, float, int, Node]] = []
        self._queue: deque[tuple[int, Node]] = deque()
        self._pushed = 0
        self.size = 0
        self.most = 0

    def push(self, node: Node) -> None:
        """Put a node on the list; an entry it has there already becomes stale."""
        self._pushed += 1
        self.size += not node.open
        self.most = max(self.most, self.size)
        node.stamp, node.open, node.closed = self._pushed, True, False
        if self._container == "heap":
            heapq.heappush(self._heap, self._entry(node))
        else:
            self._queue.append((node.stamp, node))

    def take(self, expanded: int) -> list[tuple[int, Node]]:
        """Take the best node, or a batch: the newest of the best class at once. Empty when none is left.

        The larger the search, the larger the batches may be: the compiled driver fetches a batch's memory
        ahead of using it.
        """
        if self._container != "heap":
            entry = self._take_from_queue()
            return [entry] if entry else []
        most = min(EXPANSION_BATCH, 1 + expanded // 1024) if self._batches else 1
        batch: list[tuple[int, Node]] = []
        best_class: tuple[float, float] | None = None
        while self._heap and len(batch) < most:
            priority, tie, stamp, node = self._heap[0]
            if self._live(-stamp, node):
                if best_class not in (None, (priority, tie)):
                    break
                best_class = (priority, tie)
                batch.append(self._taken(-stamp, node))
            heapq.heappop(self._heap)
        return batch

    def _take_from_queue(self) -> tuple[int, Node] | None:
        while self._queue:
            stamp, node = self._queue.popleft() if self._container == "fifo" else self._queue.pop()
            if self._live(stamp, node):
                return self._taken(stamp, node)
        return None

    def put_back(self, node: Node) -> None:
        """Undo the taking of a node: it has the place it had."""
        self.size += 1
        node.open = True
        heapq.heappush(self._heap, self._entry(node))

    def _entry(self, node: Node) -> tuple[float, float, int, Node]:
        """Return what stands in the heap for a node: priority, tie-breaker, and newer ones first."""
        tie = node.h if self._low_h else 0.0
        priority = self._frontier.priority(node.g, node.h)
        if priority != priority:
            msg = f"frontier {self._frontier.name}: the priority of g = {node.g:g}, h = {node.h:g} is NaN"
            raise PluginError(msg)
        return priority, tie, -node.stamp, node

    def _live(self, stamp: int, node: Node) -> bool:
        return node.open and node.stamp == stamp

    def _taken(self, stamp: int, node: Node) -> tuple[int, Node]:
        node.open = False
        self.size -= 1
        return stamp, node


def best_first(problem: Problem, watch: Watch) -> Outcome:
    """Search best-first.

    A node is tested for being a goal when it is taken from the open list. Duplicates are detected early, when
    a node is generated, or late, when it is taken; see `Frontier.duplicates`.

    Where nodes are evaluated in batches (`Problem.batch`), so many are taken and expanded one after another before
    the new ones among their successors are evaluated together and put on the open list. A goal ends a search only
    when nothing waits to be evaluated: until then something better might be found.
    """
    domain, frontier = problem.domain, problem.frontier
    late = problem.late
    bytes_a_node = NODE_BYTES + problem.board.tiles.nbytes
    statistics = watch.statistics
    open_list = OpenList(frontier, one_by_one=problem.batch > 1)
    # Early detection knows every stored node by its state, late detection the closed ones only.
    known: dict[tuple[Board, bool], Node] = {}
    waiting: list[Node] = []
    batch_ends = 0

    def generate(node: Node) -> None:
        """Let a node of a new state wait to be evaluated with its batch."""
        if not late:
            known[node.state] = node
        waiting.append(node)
        if problem.batch == 1:
            evaluate()

    def evaluate() -> None:
        """Evaluate the nodes that wait and put them on the open list, in order; a new batch begins."""
        nonlocal batch_ends
        batch = min(problem.batch, 1 + statistics.expanded // BATCH_SHARE)
        batch_ends = min(statistics.expanded + batch, watch.expansions)
        if problem.estimates:
            for node, h in zip(waiting, estimate_boards(problem, [n.board for n in waiting], watch), strict=True):
                node.h = h
        for node in waiting:
            statistics.evaluated += problem.estimates
            if node.h == inf:
                statistics.dead_ends += 1
                if not late:
                    del known[node.state]
                continue
            if problem.estimates:
                statistics.best_h = min(statistics.best_h, node.h)
            statistics.stored += 1
            open_list.push(node)
        waiting.clear()

    def take() -> list[tuple[int, Node]]:
        """Take what is to be expanded next; a batch that is complete is evaluated first."""
        if statistics.expanded >= batch_ends:
            evaluate()
        taken = open_list.take(statistics.expanded)
        if not taken and waiting:
            evaluate()
            taken = open_list.take(statistics.expanded)
        return taken

    def finished(status: str, goal: Node | None = None) -> Outcome:
        statistics.max_open = open_list.most
        statistics.peak_bytes = max(statistics.peak_bytes, bytes_a_node * statistics.stored)
        return Outcome(status, statistics, goal.path(), goal.g) if goal else Outcome(status, statistics)

    start = Node(problem.board)
    generate(start)
    if waiting:
        evaluate()
    if domain.is_goal(problem.board):
        return finished("solved", start)
    while batch := take():
        for stamp, node in batch:
            if late:
                closed = known.get(node.state)
                if closed is not None and closed.g <= node.g:
                    statistics.duplicates += 1
                    statistics.stored -= 1
                    continue
            elif node.stamp != stamp:
                continue  # a better path to it was found while it waited in the batch
            if domain.is_goal(node.board):
                if not waiting:
                    return finished("solved", node)
                open_list.put_back(node)
                evaluate()
                continue
            statistics.max_open = open_list.most
            statistics.peak_bytes = max(statistics.peak_bytes, bytes_a_node * statistics.stored)
            status = watch.stop(statistics, open_list.size)
            if status:
                return finished(status)
            if late:
                node = _closed(node, known, statistics)
            node.closed = True
            statistics.expanded += 1
            for edge in domain.edges(node.board):
                if node.parent is not None and not edge.terminal and edge.board == node.parent.board:
                    continue
                statistics.generated += 1
                if edge.terminal and not domain.is_goal(edge.board):
                    continue
                successor = Node(edge.board, node, node.g + edge.cost, edge.terminal)
                old = None if late else known.get(successor.state)
                if old is None:
                    generate(successor)
                elif successor.g < old.g and (not old.closed or frontier.component.reopens):
                    statistics.reopened += old.closed
                    old.parent, old.g = node, successor.g
                    if old.stamp:  # else it waits to be evaluated
                        open_list.push(old)
    return finished("exhausted")


def _closed(node: Node, known: dict[tuple[Board, bool], Node], statistics: Statistics) -> Node:
    """Return the closed node of a taken node's state: itself, or the one closed before, now with the shorter path."""
    old = known.setdefault(node.state, node)
    if old is not node:
        statistics.reopened += 1
        statistics.stored -= 1
        old.parent, old.g = node.parent, node.g
    return old
