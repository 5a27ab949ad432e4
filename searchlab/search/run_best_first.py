"""Best-first search compiled: the arrays of one search, and what Python does between slices."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiling import compile_kernel
from searchlab.search.kernels import best_first as bf
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import table
from searchlab.search.kernels.memory import reserve
from searchlab.search.result import Outcome
from searchlab.search.running import Slices, addresses, count, explained, fresh_control, path_to, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.search.limits import Watch
    from searchlab.search.machine import Machine
    from searchlab.search.run_buckets import BucketSearch

FIRST_SLOTS = 1 << 14
MOST_NODES = 2**32 - 2
NODE_BYTES = 4 * 8 + 1
"""Bytes of a node besides its words."""
ENTRY_BYTES = 4 * 8


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(bf.best_first, bf.SIGNATURE, width=width)


@cache
def fill_kernel() -> Callable[..., None]:
    """Return the kernel that fills a hash table."""
    return compile_kernel(table.fill, table.FILL)


class BestFirstSearch:
    """The arrays of one best-first search, and what Python does between slices."""

    def __init__(self, machine: Machine, watch: Watch) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = machine.packing.words
        self.node_bytes = NODE_BYTES + 8 * self.width
        self.step_bytes = machine.most * (self.node_bytes + ENTRY_BYTES)
        nodes = min(MOST_NODES, watch.memory // self.node_bytes + machine.most + 1)
        entries = watch.memory // ENTRY_BYTES + machine.most + 1
        self.nodes, self.entries = _reserved(nodes, entries, self.width)
        self.words, self.parents, self.costs, self.estimates, self.stamps, self.flags = self.nodes
        self.batch: tuple[Any, ...] = np.zeros(ct.LARGEST_BATCH, np.int64), np.zeros(ct.LARGEST_BATCH, np.int64)
        self.scratch = scratch(machine)
        self.callees = machine.callee_rows()
        self.control = fresh_control(machine)
        self.figures = np.full(ct.FIGURES, inf)
        self.most_entries = 0
        self.peak_bytes = 0
        self._use_table(np.zeros(FIRST_SLOTS, np.uint64))

    def run(self) -> Outcome:
        """Search until it is over or a limit is reached."""
        if not self._enter_start():
            return self._outcome("exhausted")
        self.watch.begin()
        return self._go_on()

    def take_over(
        self, search: BucketSearch, closed: int, *, states: Any, parents: Any, costs: Any, estimates: Any, taken: int
    ) -> Outcome:
        """Go on where a search with buckets ends, with the same nodes in the same order.

        Args:
            search: its closed nodes keep their numbers.
            closed: how many they are.
            states, parents, costs, estimates: of the open nodes, older ones of a class first, and of the
                `taken` nodes of the current batch behind them.
        """
        nodes, width = closed + len(states), self.width
        if nodes * (self.node_bytes + ENTRY_BYTES) > self.watch.memory or nodes >= len(self.parents):
            return self._outcome("memory-limit")
        words, parents_of, costs_of = search.closed
        self.words[: closed * width] = words[: closed * width]
        self.words[closed * width : nodes * width] = states.ravel()
        self.parents[:closed], self.parents[closed:nodes] = parents_of[:closed], parents
        self.parents[0] = -1
        self.costs[:closed], self.costs[closed:nodes] = costs_of[:closed], costs
        self.estimates[closed:nodes] = estimates
        waiting = nodes - closed - taken
        order = np.arange(closed, closed + waiting)
        self.flags[:closed], self.flags[closed : closed + waiting] = table.CLOSED, table.OPEN
        self.stamps[order] = np.arange(1, waiting + 1)
        self._fill_heap(order)
        control = self.control
        control[: ct.CURRENT] = search.control[: ct.CURRENT]
        control[ct.NODES], control[ct.IN_TABLE] = nodes, closed
        control[ct.LAST], control[ct.STAMP] = waiting, waiting
        self.batch[0][:taken] = np.arange(closed + waiting, nodes)
        control[ct.BATCH_SIZE] = taken
        self.figures[:] = search.figures
        size = FIRST_SLOTS
        while 3 * size < 4 * (closed + self.machine.most + 1):
            size *= 2
        self._fill_table(size)
        return self._go_on()

    def _fill_heap(self, nodes: Any) -> None:
        """Make the open list of nodes whose g, h and stamps are set; a sorted array is a heap."""
        priority, low_h = self.problem.frontier.priority, self.problem.frontier.component.ties == "low-h"
        classes, at = np.unique(np.stack([self.costs[nodes], self.estimates[nodes]]), axis=1, return_inverse=True)
        keys = np.array([priority(g, h) for g, h in classes.T.tolist()])[at.ravel()] if len(nodes) else np.zeros(0)
        ties = self.estimates[nodes] if low_h else np.zeros(len(nodes))
        order = np.lexsort((-self.stamps[nodes], ties, keys))
        for array, values in zip(self.entries, (keys, ties, self.stamps[nodes], nodes), strict=True):
            array[: len(nodes)] = values[order]

    def _go_on(self) -> Outcome:
        """Search from where the arrays stand."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        status = self._slice(int(control[ct.EXPANDED]))  # a goal that comes first is no matter of limits
        while status in (ct.BUDGET, ct.TABLE_FULL):
            self._account()
            stopped = watch.stop(watch.statistics, int(control[ct.ON_OPEN])) if status == ct.BUDGET else ""
            allowed = max(0, watch.memory - self._held()) // self.step_bytes
            fits = allowed > 0 and int(control[ct.NODES]) + self.machine.most < len(self.parents)
            if status == ct.TABLE_FULL:
                fits = self._grow_table()
            if stopped or not fits:
                return self._outcome(stopped or "memory-limit")
            status = self._slice(slices.budget(int(control[ct.EXPANDED]), allowed))
            slices.done(int(control[ct.EXPANDED]))
        if status == ct.NOT_A_NUMBER:
            self._account()
            self.problem.checked(float("nan"), self._failing_board())
        return self._outcome("solved", self._path) if status == ct.GOAL else self._outcome("exhausted")

    def _kernel(self) -> Callable[..., int]:
        return search_kernel(self.width)

    def _slice(self, budget: int) -> int:
        try:
            return self._kernel()(*self.addresses, budget)
        except Exception as error:
            self._account()
            raise explained(error, self.problem, self._failing_board()) from error

    def _enter_start(self) -> bool:
        """Put the start on the open list; return False if it is a dead end."""
        h = self.problem.estimate(self.problem.board) if self.problem.estimates else 0.0
        control = self.control
        if self.problem.estimates:
            control[ct.EVALUATED] += 1
            control[ct.DEAD_ENDS] += h == inf
        if h == inf:
            return False
        self.figures[ct.BEST_H] = h if self.problem.estimates else inf
        self.words[: self.width] = self.machine.packing.pack(self.problem.board)
        self.parents[0], self.costs[0], self.estimates[0] = -1, 0.0, h
        self.stamps[0], self.flags[0] = 1, table.OPEN
        keys, ties, stamps, entries = self.entries
        # The only entry: its key is compared with nothing.
        keys[0], ties[0], stamps[0], entries[0] = 0.0, 0.0, 1, 0
        control[ct.NODES] = control[ct.LAST] = control[ct.STAMP] = 1
        control[ct.ON_OPEN] = control[ct.MOST_ON_OPEN] = 1
        if not self.problem.late:
            self._fill_table(FIRST_SLOTS)
            control[ct.IN_TABLE] = 1
        return True

    def _grow_table(self) -> bool:
        """Move the hash table into one twice as large; return False if that exceeds the memory limit."""
        larger = 2 * len(self.slots)
        if self._held() + 8 * larger > self.watch.memory:
            return False
        self._fill_table(larger)
        self.peak_bytes = max(self.peak_bytes, self._held() + 4 * larger)
        return True

    def _fill_table(self, size: int) -> None:
        """Let the kernel use a table of this size that holds what it must know."""
        slots = reserve(size, np.uint64)
        wanted = table.CLOSED if self.problem.late else 0
        at = addresses(slots, self.words, self.flags)
        fill_kernel()(at[0], size, *at[1:], int(self.control[ct.NODES]), wanted, self.width)
        self._use_table(slots)

    def _use_table(self, slots: Any) -> None:
        """Let the kernel use a hash table."""
        self.slots = slots
        self.control[ct.SLOTS] = len(slots)
        self.addresses = addresses(
            *self.nodes,
            slots,
            *self.entries,
            *self.batch,
            *self.scratch,
            self.callees,
            self.control,
            self.figures,
        )

    def _held(self) -> int:
        """Return the bytes touched so far."""
        control = self.control
        self.most_entries = max(self.most_entries, int(control[ct.LAST]))
        fixed: int = sum(array.nbytes for array in (*self.scratch, *self.batch))
        nodes = self.node_bytes * int(control[ct.NODES])
        return fixed + nodes + ENTRY_BYTES * self.most_entries + int(self.slots.nbytes)

    def _account(self) -> None:
        """Bring the statistics up to date."""
        self.peak_bytes = max(self.peak_bytes, self._held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        statistics.stored = int(control[ct.NODES] - control[ct.FREED])
        statistics.max_open = int(control[ct.MOST_ON_OPEN])
        statistics.reopened = int(control[ct.REOPENED])
        statistics.duplicates = int(control[ct.DUPLICATES])
        statistics.peak_bytes = self.peak_bytes

    def _outcome(self, status: str, path: Callable[[], list[Board]] | None = None) -> Outcome:
        self._account()
        return Outcome(status, self.watch.statistics, path or [])

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return path_to(int(self.control[ct.CURRENT]), self.machine, self.words, self.parents)

    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""
        successor = int(self.control[ct.SUCCESSOR])
        start = self.width * max(successor, int(self.control[ct.CURRENT]) if successor < 0 else 0)
        words = self.scratch[0] if successor >= 0 else self.words
        return self.machine.board_of(words[start : start + self.width].copy())


def _reserved(nodes: int, entries: int, width: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Reserve the arrays of nodes and of open entries."""
    return (
        (
            reserve(nodes * width, np.uint64),
            reserve(nodes, np.int64),
            reserve(nodes, np.float64),
            reserve(nodes, np.float64),
            reserve(nodes, np.int64),
            reserve(nodes, np.uint8),
        ),
        (
            reserve(entries, np.float64),
            reserve(entries, np.float64),
            reserve(entries, np.int64),
            reserve(entries, np.int64),
        ),
    )
