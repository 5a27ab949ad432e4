"""Best-first search with buckets: what Python does between slices, and the way out.

The way out is the heap of `run_best_first`: when something does not fit into buckets, it takes over the open
list in the same order and the search goes on as if nothing had happened.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.memory import reserve
from searchlab.errors import PluginError
from searchlab.model.results import Outcome
from searchlab.search.compiled.best_first import BestFirstSearch
from searchlab.search.compiled.growing_table import MOST_NODES, GrowingTable
from searchlab.search.compiled.running import Slices, count, fresh_control, path_to
from searchlab.search.kernels import control as ct
from searchlab.search.kernels.chunks import CHUNK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

MOST_G = MOST_H = 1 << 12
MOST_ACTIVE = 1 << 16
MOST_WORDS = 16
"""Wider states would waste more in chunks that are hardly filled than the buckets save."""
ACTIVE_BYTES = 4 * 8
SOME = (0, 1, 2, 3, 4, 40, 41, 1000)
"""Values of g and h at which a priority is asked whether it looks like one for buckets."""


def suits(problem: Problem) -> bool:
    """Return whether a search can begin with buckets: one is exactly a class among which the newest is taken first.

    Of the priority this is a guess from a few values. The kernel asks it for its order wherever a node comes up, and
    gives way to the heap where that is another one than the buckets'; see `chunks.in_order`.
    """
    component = problem.frontier.component
    if component.container != "heap" or component.priority is None or (problem.estimates and problem.sign < 0):
        return False  # a score enters as its negative
    try:
        if not (_classes_by_g(problem) or _classes_by_h(problem)):
            return False
        h = problem.estimate(problem.board) if problem.estimates else 0.0
    except PluginError:
        return False  # where the search meets the same error it will say so
    return h == inf or (float(h).is_integer() and 0 <= h < MOST_H)


def _classes_by_g(problem: Problem) -> bool:
    """Return whether g seems to follow from priority and h, and h does from the tie."""
    if problem.estimates and problem.frontier.component.ties != "low-h":
        return False
    priority = problem.frontier.priority
    return all(priority(g, h) < priority(more, h) for h in SOME for g, more in pairwise(SOME))


def _classes_by_h(problem: Problem) -> bool:
    """Return whether g seems not to count, and h follows from the priority or the tie.

    Only with early detection: there a node's newer entry is above its older ones in the same bucket.
    """
    if problem.late or not problem.estimates:
        return False
    priority = problem.frontier.priority
    by_tie = problem.frontier.component.ties == "low-h"
    return all(priority(g, h) == priority(0, h) for h in SOME for g in SOME) and (
        by_tie or all(priority(0, h) < priority(0, more) for h, more in pairwise(SOME))
    )


class BucketSearch(ABC):
    """The arrays of one search with buckets that both times of detecting duplicates have.

    Attributes:
        node_bytes, entry_bytes: bytes of a node that has a number, and of an open entry.
        nodes_a_step: how many numbers an expansion can take.
        nodes: the arrays of nodes.
        entries: the arrays of open entries; the first holds the links of the chunks.
        batch, scratch: what an expansion works in.
        addresses: of all arrays, as the kernel takes them.
    """

    nodes: tuple[Any, ...]
    entries: tuple[Any, ...]
    batch: tuple[Any, ...]
    scratch: tuple[Any, ...]
    addresses: tuple[int, ...]

    def __init__(self, machine: Machine, watch: Watch, node_bytes: int, entry_bytes: int, nodes_a_step: int) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = machine.packing.words
        self.node_bytes, self.entry_bytes, self.nodes_a_step = node_bytes, entry_bytes, nodes_a_step
        self.most_nodes = min(MOST_NODES, watch.memory // node_bytes + 2)
        self.most_chunks = watch.memory // (entry_bytes * CHUNK) + 3
        self.cursors = reserve(MOST_G * MOST_H, np.int64, sparse=True)
        self.active = (
            np.zeros(MOST_ACTIVE),
            np.zeros(MOST_ACTIVE),
            np.zeros(MOST_ACTIVE, np.int64),
            np.zeros(MOST_ACTIVE, np.int64),
        )
        self.orders = np.zeros(2 * MOST_H, np.int16)
        self.control = fresh_control(machine)
        self.control[ct.LEAST_H] = self.control[ct.HIGHEST_H] = -1
        self.control[ct.MOST_G], self.control[ct.MOST_H], self.control[ct.CHUNKS] = MOST_G, MOST_H, 1
        self.control[ct.MOST_ACTIVE] = MOST_ACTIVE
        self.control[ct.BY_G] = not _classes_by_h(self.problem)
        self.figures = np.full(ct.FIGURES, inf)
        self.peak_bytes = 0
        self.table = GrowingTable(watch, self.control)

    @abstractmethod
    def _slice(self, budget: int) -> int:
        """Call the kernel; return its status."""

    @abstractmethod
    def _cost(self) -> float:
        """Return g of the goal that was found."""

    @abstractmethod
    def _place_start(self, h: int) -> None:
        """Store the start and make it the first entry of the first chunk."""

    @abstractmethod
    def _enter_nodes(self, address: int, slots: int, first: int, last: int) -> None:
        """Enter a range of nodes into a table."""

    @abstractmethod
    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, int, Any]]:
        """Write all nodes into the arrays of a search with a heap.

        Yields:
            g, h and the numbers of open nodes, in the order in which they are to be taken.
        """

    @property
    @abstractmethod
    def stored_nodes(self) -> int:
        """The nodes kept."""

    @property
    @abstractmethod
    def states(self) -> tuple[Any, Any]:
        """The states of the nodes, a row each, and the numbers of the nodes they were reached from."""

    def run(self) -> Outcome:
        """Search until it is over or a limit is reached."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        # A goal that comes first is no matter of limits.
        if not self._enter_start():
            return self._dead_start()
        status = self._slice(0)
        while status in (ct.BUDGET, ct.TABLE_FULL):
            self._account()
            if status == ct.TABLE_FULL:
                stopped = self._grow_table()
            else:
                stopped = watch.stop(watch.statistics, int(control[ct.ON_OPEN]))
            allowed = self._allowed()
            if stopped or not allowed:
                return self._outcome(stopped or "memory-limit")
            status = self._slice(slices.budget(int(control[ct.EXPANDED]), allowed))
            slices.done(int(control[ct.EXPANDED]))
        self._account()
        if status == ct.NO_BUCKET:
            heap = BestFirstSearch(self.machine, watch)
            return heap.go_on() if heap.take_over(self) else self._without_heap()
        return self._outcome("solved", self._path, self._cost()) if status == ct.GOAL else self._outcome("exhausted")

    def _dead_start(self) -> Outcome:
        """End a search that begins at a dead end: that is the solution where it is a goal."""
        self._account()
        if self.problem.domain.is_goal(self.problem.board):
            return self._outcome("solved", lambda: [self.problem.board], 0.0)
        return self._outcome("exhausted")

    def release(self) -> None:
        """Give back the memory of nodes, open entries and table."""
        self.nodes = self.entries = self.addresses = ()
        self.table.items = None

    def _enter_start(self) -> bool:
        """Put the start into its bucket; return False if it is a dead end."""
        problem, control = self.problem, self.control
        h = problem.estimate(problem.board) if problem.estimates else 0.0
        control[ct.EVALUATED] = int(problem.estimates)
        control[ct.DEAD_ENDS] = int(h == inf)
        if h == inf:
            return False
        self.figures[ct.BEST_H] = h if problem.estimates else inf
        self._place_start(int(h))
        self.cursors[int(h)] = CHUNK + 3
        self.active[0][0], self.active[1][0], self.active[3][0] = problem.frontier.priority(0.0, h), h, int(h)
        control[ct.ACTIVE], control[ct.CHUNKS] = 1, 2
        control[ct.ON_OPEN] = control[ct.MOST_ON_OPEN] = 1
        return True

    def _allowed(self) -> int:
        """Return how many expansions the memory limit allows for sure; sets how many chunks it does."""
        most, control = self.machine.most, self.control
        # One half of what is free is for nodes, the other for chunks; the next slice divides what is left.
        half = (self.watch.memory - self.held()) // 2
        chunks = half // (self.entry_bytes * CHUNK)
        control[ct.MOST_CHUNKS] = min(int(control[ct.CHUNKS]) + chunks, self.most_chunks)
        if control[ct.CHUNKS] + most > control[ct.MOST_CHUNKS]:
            return 0
        room = self.most_nodes - int(control[ct.NODES]) - 1
        return max(0, min(half // self.node_bytes, room) // self.nodes_a_step)

    def _grow_table(self) -> str:
        """Use twice the slots; return the status with which that ends the search, or an empty text."""
        control = self.control
        if not self.table.may_double(self.held()):
            return "memory-limit"
        stopped = self.table.refill(2 * int(control[ct.SLOTS]), int(control[ct.NODES]), self._enter_nodes)
        self._account()
        return stopped

    def held(self) -> int:
        """Return the bytes touched so far."""
        control = self.control
        nodes = self.node_bytes * int(control[ct.NODES])
        entries = self.entry_bytes * CHUNK * int(control[ct.CHUNKS])
        fixed: int = sum(array.nbytes for array in (*self.scratch, *self.batch))
        return nodes + entries + fixed + ACTIVE_BYTES * int(control[ct.ACTIVE]) + self.table.nbytes

    def _account(self) -> None:
        """Bring the statistics up to date."""
        self.peak_bytes = max(self.peak_bytes, self.held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        statistics.stored = self.stored_nodes
        statistics.max_open = int(control[ct.MOST_ON_OPEN])
        statistics.reopened = int(control[ct.REOPENED])
        statistics.duplicates = int(control[ct.DUPLICATES])
        statistics.peak_bytes = self.peak_bytes

    def _chunks_of(self, bucket: int) -> Iterator[Any]:
        """Yield where the entries of a bucket stand, chunk by chunk, the newest first."""
        links, width = self.entries[0], len(self.entries[0]) // (self.most_chunks * CHUNK)
        at = int(self.cursors[bucket]) - 1
        while at > 0:
            first = (at - 1) // CHUNK * CHUNK
            yield np.arange(at - 1, first, -1)
            at = int(links[first * width]) * CHUNK

    def _active_buckets(self) -> list[int]:
        """Return the buckets that may hold something, best first."""
        keys, ties, _, buckets = (array[: int(self.control[ct.ACTIVE])] for array in self.active)
        return list(map(int, buckets[np.lexsort((ties, keys))]))

    def _without_heap(self) -> Outcome:
        """End the search where there is no room for a heap to go on with."""
        return self._outcome("memory-limit")

    def _outcome(
        self, status: str, path: Callable[[], list[Board]] | None = None, cost: float | None = None
    ) -> Outcome:
        return Outcome(status, self.watch.statistics, path or [], cost)

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return path_to(int(self.control[ct.CURRENT]), self.machine, *self.states)
