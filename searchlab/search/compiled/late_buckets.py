"""Best-first search with buckets and late duplicate detection: the arrays of one search."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.functions import compile_kernel
from searchlab.compiler.memory import reserve
from searchlab.errors import PluginCode, PluginError
from searchlab.search.compiled.best_first import enter_kernel
from searchlab.search.compiled.buckets import MOST_H, BucketSearch
from searchlab.search.compiled.running import addresses, explained, scratch
from searchlab.search.kernels import buckets as bk
from searchlab.search.kernels import control as ct
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.table import CLOSED, OPEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board
    from searchlab.compiler.functions import Callee
    from searchlab.search.compiled.best_first import BestFirstSearch
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.watch import Watch

CLOSED_BYTES, OPEN_BYTES = 6, 4
"""Bytes of a closed node and of an open entry besides their words."""


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(bk.late_buckets, bk.SIGNATURE, width=width)


class LateBucketSearch(BucketSearch):
    """A search in which only closed nodes have numbers, and an open entry is a state."""

    def __init__(self, machine: Machine, step: Callee, watch: Watch) -> None:
        width = machine.packing.words
        super().__init__(machine, watch, CLOSED_BYTES + 8 * width, OPEN_BYTES + 8 * width, 1)
        self.nodes = (
            reserve(self.most_nodes * width, np.uint64),
            reserve(self.most_nodes, np.uint32),
            reserve(self.most_nodes, np.uint16),
        )
        self.entries = (
            reserve(self.most_chunks * CHUNK * width, np.uint64),
            reserve(self.most_chunks * CHUNK, np.uint32),
        )
        self.batch = (
            np.zeros(ct.LARGEST_BATCH * width, np.uint64),
            np.zeros(ct.LARGEST_BATCH, np.uint32),
            np.zeros(ct.LARGEST_BATCH, np.uint64),
        )
        out, *rest = scratch(machine)
        self.scratch = (out, np.zeros(machine.most), *rest)
        self.callees, self._step = machine.callee_rows(step), step
        self.addresses = addresses(
            *self.nodes,
            self.table.items,
            *self.entries,
            self.cursors,
            *self.active,
            self.orders,
            *self.batch,
            *self.scratch,
            self.callees,
            self.control,
            self.figures,
        )

    @property
    def stored_nodes(self) -> int:
        """The closed nodes, the open ones and those taken and not yet looked at."""
        control = self.control
        return int(control[ct.NODES] + control[ct.ON_OPEN] + control[ct.BATCH_SIZE] - control[ct.BATCH_AT])

    @property
    def states(self) -> tuple[Any, Any]:
        """The states of the closed nodes, a row each, and the numbers of the nodes they were reached from."""
        return self.nodes[0].reshape(-1, self.width), self.nodes[1]

    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, int, Any]]:
        """Write closed nodes, open entries and what is left of the batch into the arrays of a heap.

        Yields:
            g, h and the numbers of open nodes, in the order in which they are to be taken.
        """
        control = self.control
        closed, waiting = int(control[ct.NODES]), slice(int(control[ct.BATCH_AT]), int(control[ct.BATCH_SIZE]))
        words, parents = self.states
        heap.write(0, words[:closed], parents[:closed], self.nodes[2][:closed], 0, CLOSED)
        heap.control[ct.IN_TABLE] = closed
        g, h = divmod(int(control[ct.BATCH_BUCKET]), MOST_H)
        batch = self.batch[0].reshape(-1, self.width)[waiting]
        heap.batch[0][: len(batch)] = heap.write(closed, batch, self.batch[1][waiting], g, h, 0)
        heap.control[ct.BATCH_SIZE] = len(batch)
        open_words = self.entries[0].reshape(-1, self.width)
        for bucket in self._active_buckets():
            g, h = divmod(bucket, MOST_H)
            for places in self._chunks_of(bucket):
                first = int(heap.control[ct.NODES])
                yield g, h, heap.write(first, open_words[places], self.entries[1][places], g, h, OPEN)

    def _slice(self, budget: int) -> int:
        """Call the kernel; return its status.

        Where the priority fails when it is asked for its order the heap goes on: it asks only for what it needs.
        """
        try:
            with PluginCode():
                status = search_kernel(self.width)(*self.addresses, budget)
        except PluginError as error:
            if self.control[ct.ORDERING]:
                return ct.NO_BUCKET
            self._note_failure()
            failure = error.__cause__ or error
            raise explained(failure, self.problem, self._failing_board()) from failure
        if status == ct.NOT_A_NUMBER:
            self._note_failure()
            self.problem.checked(float("nan"), self._failing_board())
        return status

    def _cost(self) -> float:
        """Return g of the goal that was found: that of the bucket it was taken from."""
        return float(self.control[ct.BATCH_BUCKET] // MOST_H)

    def _note_failure(self) -> None:
        self.control[ct.EXPANDED] += 1  # the kernel counts a node once its successors are evaluated
        self._account()

    def _place_start(self, h: int) -> None:
        """Make the start the first entry of the first chunk."""
        words, _ = self.entries
        first = CHUNK + 1
        words[first * self.width : (first + 1) * self.width] = self.machine.packing.pack(self.problem.board)

    def _enter_nodes(self, address: int, slots: int, first: int, last: int) -> None:
        """Enter a range of nodes into a table."""
        enter_kernel()(address, slots, *addresses(self.nodes[0]), first, last, self.width, self.width)

    def _failing_board(self) -> Board:
        """Return the node or the successor that was being worked on when a plugin's function failed."""
        successor = int(self.control[ct.SUCCESSOR])
        words, at = (self.scratch[0], successor) if successor >= 0 else (self.batch[0], int(self.control[ct.BATCH_AT]))
        return self.machine.board_of(words[at * self.width : (at + 1) * self.width].copy())
