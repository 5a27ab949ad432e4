"""Best-first search compiled: the arrays of one search, and what Python does between slices."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiling import compile_kernel
from searchlab.search.kernels import best_first as bf
from searchlab.search.kernels import table
from searchlab.search.kernels.memory import reserve
from searchlab.search.result import Outcome
from searchlab.search.running import Slices, addresses, count, explained, fresh_control, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.search.limits import Watch
    from searchlab.search.machine import Machine

FIRST_SLOTS = 1 << 12
MOST_NODES = 2**32 - 2
NODE_BYTES = 4 * 8 + 1
"""Bytes of a node besides its words."""
ENTRY_BYTES = 4 * 8


@cache
def search_kernel() -> Callable[..., int]:
    """Return the kernel as machine code."""
    return compile_kernel(bf.best_first, bf.SIGNATURE)


@cache
def rehash_kernel() -> Callable[..., None]:
    """Return the kernel that moves a hash table into a larger one."""
    return compile_kernel(table.rehash, table.REHASH)


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
        self.batch = np.zeros(bf.LARGEST_BATCH, np.int64), np.zeros(bf.LARGEST_BATCH, np.int64)
        self.scratch = scratch(machine)
        self.callees = machine.callee_rows()
        self.control = fresh_control(machine, bf.CONTROLS)
        self.figures = np.full(bf.FIGURES, inf)
        self.most_entries = 0
        self.peak_bytes = 0
        self._use_table(np.zeros(FIRST_SLOTS, np.uint64))

    def run(self) -> Outcome:
        """Search until it is over or a limit is reached."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        if self._enter_start():
            status = bf.BUDGET
            while status in (bf.BUDGET, bf.TABLE_FULL):
                self._account()
                stopped = watch.stop(watch.statistics, int(control[bf.ON_OPEN])) if status == bf.BUDGET else ""
                allowed = max(0, watch.memory - self._held()) // self.step_bytes
                fits = allowed > 0 and int(control[bf.NODES]) + self.machine.most < len(self.parents)
                if status == bf.TABLE_FULL:
                    fits = self._grow_table()
                if stopped or not fits:
                    return self._outcome(stopped or "memory-limit")
                budget = slices.budget(int(control[bf.EXPANDED]), allowed)
                status = self._slice(budget)
                slices.done()
            if status == bf.GOAL:
                return self._outcome("solved", self._path)
            if status == bf.NOT_A_NUMBER:
                self._account()
                self.problem.checked(float("nan"), self._failing_board())
        return self._outcome("exhausted")

    def _slice(self, budget: int) -> int:
        try:
            return search_kernel()(*self.addresses, budget)
        except Exception as error:
            self._account()
            raise explained(error, self.problem, self._failing_board()) from error

    def _enter_start(self) -> bool:
        """Put the start on the open list; return False if it is a dead end."""
        h = self.problem.estimate(self.problem.board) if self.problem.estimates else 0.0
        control = self.control
        if self.problem.estimates:
            control[bf.EVALUATED] += 1
            control[bf.DEAD_ENDS] += h == inf
        if h == inf:
            return False
        self.figures[bf.BEST_H] = h if self.problem.estimates else inf
        self.words[: self.width] = self.machine.packing.pack(self.problem.board)
        self.parents[0], self.costs[0], self.estimates[0] = -1, 0.0, h
        self.stamps[0], self.flags[0] = 1, table.OPEN
        keys, ties, stamps, entries = self.entries
        # The only entry: its key is compared with nothing.
        keys[0], ties[0], stamps[0], entries[0] = 0.0, 0.0, 1, 0
        control[bf.NODES] = control[bf.LAST] = control[bf.STAMP] = 1
        control[bf.ON_OPEN] = control[bf.MOST_ON_OPEN] = 1
        if not self.problem.late:
            mixed = _hash(self.words[: self.width])
            self.slots[mixed & (FIRST_SLOTS - 1)] = (mixed & 0xFFFFFFFF00000000) | 1
            control[bf.IN_TABLE] = 1
        return True

    def _grow_table(self) -> bool:
        """Move the hash table into one twice as large; return False if that exceeds the memory limit."""
        larger = 2 * len(self.slots)
        if self._held() + 8 * larger > self.watch.memory:
            return False
        slots = reserve(larger, np.uint64)
        old, new, words = addresses(self.slots, slots, self.words)
        rehash_kernel()(old, len(self.slots), new, larger, words, self.width)
        self.peak_bytes = max(self.peak_bytes, self._held() + 8 * larger)
        self._use_table(slots)
        return True

    def _use_table(self, slots: Any) -> None:
        """Let the kernel use a hash table."""
        self.slots = slots
        self.control[bf.SLOTS] = len(slots)
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
        self.most_entries = max(self.most_entries, int(control[bf.LAST]))
        fixed: int = sum(array.nbytes for array in (*self.scratch, *self.batch))
        nodes = self.node_bytes * int(control[bf.NODES])
        return fixed + nodes + ENTRY_BYTES * self.most_entries + int(self.slots.nbytes)

    def _account(self) -> None:
        """Bring the statistics up to date."""
        self.peak_bytes = max(self.peak_bytes, self._held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        statistics.stored = int(control[bf.NODES] - control[bf.FREED])
        statistics.max_open = int(control[bf.MOST_ON_OPEN])
        statistics.reopened = int(control[bf.REOPENED])
        statistics.duplicates = int(control[bf.DUPLICATES])
        statistics.peak_bytes = self.peak_bytes

    def _outcome(self, status: str, path: Callable[[], list[Board]] | None = None) -> Outcome:
        self._account()
        return Outcome(status, self.watch.statistics, path or [])

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        nodes = []
        node = int(self.control[bf.CURRENT])
        while node > 0:
            nodes.append(node)
            node = int(self.parents[node])
        states = self.words.reshape(-1, self.width)[np.array(nodes[::-1], np.int64)]
        return [self.problem.board, *self.machine.packing.unpack(states)]

    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""
        successor = int(self.control[bf.SUCCESSOR])
        start = self.width * max(successor, int(self.control[bf.CURRENT]) if successor < 0 else 0)
        words = self.scratch[0] if successor >= 0 else self.words
        return self.machine.board_of(words[start : start + self.width].copy())


def _reserved(nodes: int, entries: int, width: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Reserve the arrays of nodes and of open entries; fewer where so many addresses are not to be had."""
    while True:
        try:
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
        except MemoryError:
            if nodes < FIRST_SLOTS:
                raise
            nodes, entries = nodes // 2, entries // 2


def _hash(words: Any) -> int:
    """Return the hash of one state, as the kernels compute it."""
    mixed = 0
    for word in words.tolist():
        mixed ^= word
        mixed ^= mixed >> 32
        mixed = mixed * int(table.MULTIPLIER) % 2**64
        mixed ^= mixed >> 29
    return mixed
