"""Best-first search with buckets: the arrays of one search, what Python does between slices, and the way out.

The way out is the heap of `run_best_first`: when something does not fit into buckets, it takes over the open
list in the same order and the search goes on as if nothing had happened.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginError
from searchlab.search.compiling import compile_kernel
from searchlab.search.kernels import buckets as bk
from searchlab.search.kernels import control as ct
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.memory import reserve
from searchlab.search.result import Outcome
from searchlab.search.run_best_first import BestFirstSearch
from searchlab.search.running import Slices, addresses, count, explained, fresh_control, path_to, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.search.compiling import Callee
    from searchlab.search.limits import Watch
    from searchlab.search.machine import Machine
    from searchlab.search.problem import Problem

FIRST_SLOTS = 1 << 12
MOST_G = MOST_H = 1 << 12
MOST_NODES = 2**31
MOST_ACTIVE = 1 << 16
MOST_WORDS = 16
"""Wider states would waste more in chunks that are hardly filled than the buckets save."""
CLOSED_BYTES, OPEN_BYTES = 6, 4
"""Bytes of a closed node and of an open entry besides their words."""
SAMPLE = range(0, 200, 3)


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(bk.late_buckets, bk.SIGNATURE, width=width)


@cache
def rehash_kernel() -> Callable[..., None]:
    """Return the kernel that enters all closed nodes into a larger table."""
    return compile_kernel(bk.rehash_closed, bk.REHASH)


def suits(problem: Problem) -> bool:
    """Return whether a search can begin with buckets.

    It detects duplicates late, and g follows from priority and h: then a bucket is exactly a class of nodes
    among which the newest is taken first.
    """
    component = problem.frontier.component
    if not problem.late or component.priority is None or (problem.estimates and component.ties != "low-h"):
        return False
    priority = problem.frontier.priority
    try:
        grows = all(priority(g + 1, h) > priority(g, h) for g in SAMPLE for h in SAMPLE)
        h = problem.estimate(problem.board) if problem.estimates else 0.0
    except PluginError:
        return False  # the search will meet the same error, and say so
    return (grows and h == inf) or (grows and float(h).is_integer() and 0 <= h < MOST_H)


class BucketSearch:
    """The arrays of one search with buckets."""

    def __init__(self, machine: Machine, step: Callee, watch: Watch) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = width = machine.packing.words
        self.closed_bytes, self.open_bytes = CLOSED_BYTES + 8 * width, OPEN_BYTES + 8 * width
        nodes = min(MOST_NODES, watch.memory // self.closed_bytes + 2)
        chunks = watch.memory // (self.open_bytes * CHUNK) + machine.most + 3
        self.closed = (
            reserve(nodes * width, np.uint64),
            reserve(nodes, np.uint32),
            reserve(nodes, np.uint16),
        )
        self.open = (
            reserve(chunks * CHUNK * width, np.uint64),
            reserve(chunks * CHUNK, np.uint32),
            reserve(MOST_G * MOST_H, np.int64, sparse=True),
        )
        self.active = (
            np.zeros(MOST_ACTIVE),
            np.zeros(MOST_ACTIVE),
            np.zeros(MOST_ACTIVE, np.int64),
            np.zeros(MOST_ACTIVE, np.int64),
        )
        self.batch = (
            np.zeros(ct.LARGEST_BATCH * width, np.uint64),
            np.zeros(ct.LARGEST_BATCH, np.uint32),
            np.zeros(ct.LARGEST_BATCH, np.uint64),
        )
        out, *rest = scratch(machine)
        self.scratch = (out, np.zeros(machine.most), *rest)
        self.step = step
        self.callees = machine.callee_rows(step)
        self.control = fresh_control(machine)
        self.control[ct.MOST_G], self.control[ct.MOST_H], self.control[ct.CHUNKS] = MOST_G, MOST_H, 1
        self.figures = np.full(ct.FIGURES, inf)
        self.peak_bytes = 0
        self._use_table(np.zeros(FIRST_SLOTS, np.uint32))

    def run(self) -> Outcome:
        """Search until it is over or a limit is reached."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        status = ct.BUDGET if self._enter_start() else ct.EXHAUSTED
        while status in (ct.BUDGET, ct.TABLE_FULL):
            self._account()
            stopped = watch.stop(watch.statistics, int(control[ct.ON_OPEN])) if status == ct.BUDGET else ""
            allowed = self._allowed()
            fits = self._grow_table() if status == ct.TABLE_FULL else allowed > 0
            if stopped or not fits:
                return self._outcome(stopped or "memory-limit")
            status = self._slice(slices.budget(int(control[ct.EXPANDED]), allowed))
            slices.done(int(control[ct.EXPANDED]))
        control[ct.EXPANDED] += status == ct.NOT_A_NUMBER
        self._account()
        if status == ct.NO_BUCKET:
            return self._with_heap()
        if status == ct.NOT_A_NUMBER:
            self.problem.checked(float("nan"), self._failing_board())
        return self._outcome("solved", self._path) if status == ct.GOAL else self._outcome("exhausted")

    def _slice(self, budget: int) -> int:
        try:
            status: int = search_kernel(self.width)(*self.addresses, budget)
        except Exception as error:
            self.control[ct.EXPANDED] += 1  # the kernel counts a node once its successors are evaluated
            self._account()
            raise explained(error, self.problem, self._failing_board()) from error
        return status

    def _enter_start(self) -> bool:
        """Put the start into its bucket; return False if it is a dead end."""
        problem, control = self.problem, self.control
        h = problem.estimate(problem.board) if problem.estimates else 0.0
        control[ct.EVALUATED] = int(problem.estimates)
        control[ct.DEAD_ENDS] = int(h == inf)
        if h == inf:
            return False
        self.figures[ct.BEST_H] = h if problem.estimates else inf
        words, parents, cursors = self.open
        first = CHUNK + 1
        words[first * self.width : (first + 1) * self.width] = self.machine.packing.pack(problem.board)
        parents[first] = 0
        cursors[int(h)] = first + 2
        self.active[0][0], self.active[1][0], self.active[3][0] = 0.0, h, int(h)
        control[ct.ACTIVE], control[ct.CHUNKS] = 1, 2
        control[ct.ON_OPEN] = control[ct.MOST_ON_OPEN] = 1
        return True

    def _allowed(self) -> int:
        """Return how many expansions the memory limit allows for sure."""
        free = self.watch.memory - self._held()
        # Whatever is expanded, at most one chunk a bucket is begun beyond what the entries themselves take.
        step = self.closed_bytes + self.machine.most * self.open_bytes
        spare = self.machine.most * CHUNK * self.open_bytes
        room = len(self.closed[1]) - int(self.control[ct.NODES]) - 1
        return max(0, min((free - spare) // step, room))

    def _grow_table(self) -> bool:
        """Enter the closed nodes into a table twice as large; return False if that exceeds the memory limit."""
        larger = 2 * len(self.slots)
        if self._held() + 4 * larger > self.watch.memory:
            return False
        slots = reserve(larger, np.uint32)
        words, new = addresses(self.closed[0], slots)
        rehash_kernel()(words, int(self.control[ct.NODES]), new, larger, self.width)
        self.peak_bytes = max(self.peak_bytes, self._held() + 4 * larger)
        self._use_table(slots)
        return True

    def _use_table(self, slots: Any) -> None:
        """Let the kernel use a hash table."""
        self.slots = slots
        self.control[ct.SLOTS] = len(slots)
        self.addresses = addresses(
            *self.closed,
            slots,
            *self.open,
            *self.active,
            *self.batch,
            *self.scratch,
            self.callees,
            self.control,
            self.figures,
        )

    def _held(self) -> int:
        """Return the bytes touched so far."""
        control = self.control
        closed = self.closed_bytes * int(control[ct.NODES])
        entries = self.open_bytes * CHUNK * int(control[ct.CHUNKS])
        fixed: int = sum(array.nbytes for array in (*self.scratch, *self.batch))
        return closed + entries + fixed + int(self.slots.nbytes)

    def _account(self) -> None:
        """Bring the statistics up to date."""
        self.peak_bytes = max(self.peak_bytes, self._held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        waiting = int(control[ct.BATCH_SIZE] - control[ct.BATCH_AT])
        statistics.stored = int(control[ct.NODES] + control[ct.ON_OPEN]) + waiting
        statistics.max_open = int(control[ct.MOST_ON_OPEN])
        statistics.reopened = int(control[ct.REOPENED])
        statistics.duplicates = int(control[ct.DUPLICATES])
        statistics.peak_bytes = self.peak_bytes

    def _outcome(self, status: str, path: Callable[[], list[Board]] | None = None) -> Outcome:
        return Outcome(status, self.watch.statistics, path or [])

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return path_to(int(self.control[ct.CURRENT]), self.machine, self.closed[0], self.closed[1])

    def _failing_board(self) -> Board:
        """Return the successor that was being worked on when a plugin's function failed."""
        at = self.width * int(self.control[ct.SUCCESSOR])
        return self.machine.board_of(self.scratch[0][at : at + self.width].copy())

    def _with_heap(self) -> Outcome:
        """Go on with a heap that holds what the buckets hold, in the same order."""
        control = self.control
        closed = int(control[ct.NODES])
        waiting = slice(int(control[ct.BATCH_AT]), int(control[ct.BATCH_SIZE]))
        taken = np.arange(len(self.batch[1]))[waiting]
        entries, found = self._entries()
        words = self.open[0].reshape(-1, self.width)[entries]
        batch = self.batch[0].reshape(-1, self.width)[taken]
        buckets = np.concatenate([found, np.full(len(taken), control[ct.BATCH_BUCKET])])
        return BestFirstSearch(self.machine, self.watch).take_over(
            self,
            closed,
            states=np.concatenate([words, batch]),
            parents=np.concatenate([self.open[1][entries], self.batch[1][taken]]).astype(np.int64),
            costs=buckets // MOST_H,
            estimates=buckets % MOST_H,
            taken=len(taken),
        )

    def _entries(self) -> tuple[Any, Any]:
        """Return where the open entries stand, older ones of a bucket first, and the bucket of each."""
        words, _, cursors = self.open
        places, of_bucket = [], []
        for bucket in self.active[3][: int(self.control[ct.ACTIVE])].tolist():
            at = int(cursors[bucket]) - 1
            chunks = []
            while at > 0:
                first = (at - 1) // CHUNK * CHUNK
                chunks.append(np.arange(first + 1, at))
                at = int(words[first * self.width])
            places += chunks[::-1]
            of_bucket.append(np.full(sum(map(len, chunks)), bucket))
        return np.concatenate([np.zeros(0, np.int64), *places]), np.concatenate([np.zeros(0, np.int64), *of_bucket])
