"""Best-first search in batches: what Python does where a batch of nodes is to be evaluated."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.functions import compile_kernel
from searchlab.compiler.memory import reserve
from searchlab.errors import PluginError
from searchlab.search.compiled.best_first import BestFirstSearch
from searchlab.search.compiled.running import SLICE_SECONDS
from searchlab.search.kernels import batched
from searchlab.search.kernels import control as ct
from searchlab.search.problem import LARGEST_EVALUATION_BATCH
from searchlab.search.readable.evaluation import estimate_tiles
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.compiled.machine import Machine
    from searchlab.search.watch import Watch


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(batched.batched, batched.SIGNATURE, width=width)


class BatchedSearch(BestFirstSearch):
    """A best-first search whose new nodes wait to be evaluated together."""

    def __init__(self, machine: Machine, watch: Watch) -> None:
        super().__init__(machine, watch)
        most = min(self.problem.batch * machine.most, len(self.parents))
        self.waiting = reserve(most, np.int64)
        self.most_waiting = 0
        # Besides its number, a node that waits takes its words and tiles while it is evaluated, and two values.
        self.waiting_bytes = 8 * (3 + self.width + machine.packing.cells)
        self.step_bytes += machine.most * self.waiting_bytes
        self.batch = (*self.batch, self.waiting)
        self.control[ct.MOST_EXPANSIONS] = min(watch.expansions, LARGEST_EVALUATION_BATCH)
        self.addresses = self._addresses()

    def _kernel(self) -> Callable[..., int]:
        return search_kernel(self.width)

    def _slice(self, budget: int) -> int:
        """Let the kernel run until the budget or the time of a slice is used, and evaluate what it asks for."""
        began = time.perf_counter()
        status = super()._slice(budget)
        while status == ct.EVALUATE:
            self._evaluate()
            is_over = time.perf_counter() - began > SLICE_SECONDS
            if is_over and self.control[ct.EXPANDED] < self.watch.expansions:
                return ct.BUDGET
            status = super()._slice(budget)
        return status

    def _evaluate(self) -> None:
        """Evaluate the nodes that wait; the kernel goes on with their values."""
        count = int(self.control[ct.WAITING])
        if count > self.most_waiting:
            self.peak_bytes = max(self.peak_bytes, self._held())
        nodes = self.waiting[:count]
        states = self.words.reshape(-1, self.width)[nodes]
        try:
            tiles = self.machine.packing.unpack_tiles(states)
            self.estimates[nodes] = estimate_tiles(self.problem, tiles, self.watch)
        except (PluginError, Stopped):
            self._account()
            raise
        self.control[ct.VALUED] = 1

    def _held(self) -> int:
        """Return the bytes touched so far, and what the nodes that wait will take on the open list."""
        waiting = int(self.control[ct.WAITING])
        self.most_waiting = max(self.most_waiting, waiting)
        self.most_entries = max(self.most_entries, int(self.control[ct.LAST]) + waiting)
        return super()._held() - int(self.waiting.nbytes) + self.waiting_bytes * self.most_waiting

    def _account(self) -> None:
        super()._account()
        self.watch.statistics.stored -= int(self.control[ct.WAITING])
