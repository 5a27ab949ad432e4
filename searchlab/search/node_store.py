"""`NodeStore`: the nodes of a search loop in Python, with compiled operations on many nodes at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError
from searchlab.model.results import Outcome
from searchlab.model.strategies import Frontier, Queue
from searchlab.plugins.lookup import frontier

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from searchlab.board.board import Board
    from searchlab.model.results import Statistics
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

    Nodes = NDArray[np.int64]


class NodeStore:
    """The nodes of a search, by number, with a queue; for a frontier strategy with its own loop (`Frontier.run`).

    Node 0 is the start. The operations are compiled and work on many nodes at once: a loop that handles a hundred nodes
    together does some 10^5 nodes a second. They count expanded, generated, evaluated and reopened nodes in
    `watch.statistics`.

    >>> import searchlab as sl
    >>> def together(problem, watch, weight=2.0, most=100):
    ...     store = sl.NodeStore(problem, watch)
    ...     store.push([0], [0])
    ...     while len(nodes := store.take(most)):
    ...         goals = nodes[store.are_goals(nodes)]
    ...         if len(goals):
    ...             return store.outcome("solved", goals[0])
    ...         if stopped := watch.stop(store.statistics, store.open_nodes):
    ...             return store.outcome(stopped)
    ...         found = store.expand(nodes)
    ...         store.push(found, store.g[found] + weight * store.h[found])
    ...     return store.outcome("exhausted")
    >>> sl.solve("sliding-tile/puzzle8-20", frontier=sl.Frontier("together", run=together), engine="readable").moves
    20

    Args:
        problem, watch: the arguments of the loop.
        reopen: whether an expanded node may be expanded again after a cheaper path to it is found.

    Raises:
        UsageError: the domain has no packed form, or the domain or the heuristic cannot be compiled.
    """

    def __init__(self, problem: Problem, watch: Watch, *, reopen: bool = True) -> None:
        from searchlab.compiler.arrays import SpareArrays  # late: importing it takes longer than a small search
        from searchlab.compiler.functions import CannotCompile
        from searchlab.search.compiled.node_store import StoreSearch
        from searchlab.search.compiled.problem import CompiledProblem

        one = Frontier("store", queues=(Queue(_key),), reopen="yes" if reopen else "no")
        with watch.not_counting():
            try:
                compiled = CompiledProblem.of(replace(problem, frontier=frontier(one)), SpareArrays())
                StoreSearch.prepare(compiled)
            except CannotCompile as error:
                raise UsageError(f"{problem.frontier.name} needs compiled rules: {error}") from None
        self._search, self._watch = StoreSearch(compiled, watch), watch
        self._search.enter_start()

    @property
    def statistics(self) -> Statistics:
        """The statistics so far."""
        return self._watch.statistics

    @property
    def size(self) -> int:
        """The number of nodes; they are numbered from 0 to size - 1."""
        return int(self._search.control.nodes)

    @property
    def open_nodes(self) -> int:
        """The number of nodes in the queue."""
        return int(self._search.control.on_open)

    @property
    def g(self) -> NDArray[np.float64]:
        """The cost of the path to each node."""
        values: NDArray[np.float64] = self._view(self._search.arrays.costs)
        return values

    @property
    def h(self) -> NDArray[np.float64]:
        """The value of the heuristic for each node; lower is better."""
        values: NDArray[np.float64] = self._view(self._search.arrays.estimates)
        return values

    @property
    def depth(self) -> NDArray[np.int32]:
        """The number of moves on the path to each node."""
        values: NDArray[np.int32] = self._view(self._search.arrays.depths)
        return values

    def _view(self, values: Any) -> Any:
        view = values[: self.size].view()
        view.setflags(write=False)
        return view

    def push(self, nodes: ArrayLike, priorities: ArrayLike) -> None:
        """Put nodes into the queue. A node that is already there gets the new priority."""
        given = np.asarray(nodes, np.int64)
        if given.size and not 0 <= given.min() <= given.max() < self.size:
            raise UsageError(f"a node store has the nodes 0 to {self.size - 1}")
        keys = np.broadcast_to(np.asarray(priorities, np.float64), given.shape)
        if np.isnan(keys).any():
            raise UsageError("a priority is NaN")
        self._search.push(given, keys)

    def take(self, most: int = 1) -> Nodes:
        """Take up to `most` nodes from the queue, smallest priorities first; of equal priorities, the newest first.

        A limit of expansions reduces `most` to the number of nodes that may still be expanded, but at least to 1.
        """
        return self._search.take(max(1, min(most, self._watch.expansions - self.statistics.expanded)))

    def are_goals(self, nodes: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each node is a goal."""
        return self._search.are_goals(np.asarray(nodes, np.int64))

    def expand(self, nodes: ArrayLike) -> Nodes:
        """Expand nodes that are not expanded yet; return new nodes, and nodes with a cheaper path.

        The returned nodes are in the order in which they were generated; a node may occur twice. They are not put into
        the queue, but some may be there already.

        Raises:
            EvaluationError: a plugin function failed.
            Stopped: a limit was reached meanwhile. Do not catch this exception.
        """
        return self._search.expand(np.asarray(nodes, np.int64))

    def path(self, node: int) -> list[Board]:
        """Return the boards from the start to a node."""
        return self._search.path_of(int(node))

    def outcome(self, status: str, goal: int | None = None) -> Outcome:
        """Return the Outcome of the search, with the goal node of the solution, if any.

        The lower bound is the smallest g + h of all nodes that were not expanded; the loop need not compute it.
        """
        search = self._search
        search.account()
        if goal is None:
            return Outcome(status, self.statistics, least_f=lambda: search.least(-1))
        path, cost, at = self.path(goal), float(self.g[goal]), int(goal)
        return Outcome(status, self.statistics, path, cost, lambda: search.least(at))


def _key(h: float) -> float:
    return h
