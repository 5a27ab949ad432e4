"""Best-first search with buckets and early duplicate detection: the arrays of one search."""

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
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import early_buckets as eb
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.records import FLAGS_AT, G_AT, H_AT, VALUE, link_of
from searchlab.search.kernels.table import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board
    from searchlab.compiler.functions import Callee
    from searchlab.model.results import Outcome
    from searchlab.search.compiled.best_first import BestFirstSearch
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.watch import Watch

LINK_BYTES, ENTRY_BYTES = 8, 4
"""Bytes of a node besides its words, and of an open entry."""
AT_ONCE = 1 << 16
"""So many nodes are handed over at a time."""


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(eb.early_buckets, eb.SIGNATURE, width=width)


class EarlyBucketSearch(BucketSearch):
    """A search in which every node has a number and a record, and an open entry is a node's number."""

    def __init__(self, machine: Machine, step: Callee, watch: Watch) -> None:
        width, most = machine.packing.words, machine.most
        super().__init__(machine, watch, LINK_BYTES + 8 * width, ENTRY_BYTES, most)
        self.control[ct.FOLLOWS] = machine.follows
        self.nodes = (reserve(self.most_nodes * (width + 1), np.uint64),)
        self.entries = (reserve(self.most_chunks * CHUNK, np.uint32),)
        successors = ct.LARGEST_BATCH * most
        self.batch = (
            np.zeros(ct.LARGEST_BATCH, np.int64),
            np.zeros(ct.LARGEST_BATCH, np.int64),
            np.zeros(successors * width, np.uint64),
            np.zeros(successors, np.uint64),
            np.zeros(successors, np.int64),
            np.zeros(successors),
            np.zeros(successors, np.uint8),
            np.ones(successors),
        )
        _, tiles, out_tiles, _, _, moves = scratch(machine)
        self.scratch = tiles, out_tiles, moves
        self.callees, self._step = machine.callee_rows(step), step
        self._error: BaseException | None = None
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
    def records(self) -> Any:
        """The nodes, a row of words and link each."""
        return self.nodes[0].reshape(-1, self.width + 1)

    @property
    def stored_nodes(self) -> int:
        """The nodes."""
        return int(self.control[ct.NODES])

    @property
    def states(self) -> tuple[Any, Any]:
        """The states of the nodes, a row each, and the numbers of the nodes they were reached from."""
        parents = self.nodes[0].view(np.uint32).reshape(-1, 2 * self.width + 2)[:, 2 * self.width]
        return self.records[:, : self.width], parents

    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, int, Any]]:
        """Write all nodes into the arrays of a heap, under the numbers they have.

        Yields:
            g, h and the numbers of open nodes, in the order in which they are to be taken.
        """
        control, records = self.control, self.records
        words, parents = self.states
        for first in range(0, int(control[ct.NODES]), AT_ONCE):
            some = slice(first, min(first + AT_ONCE, int(control[ct.NODES])))
            costs, estimates, flags = fields(records[some, self.width])
            heap.write(first, words[some], parents[some], costs, estimates, flags)
        heap.control[ct.IN_TABLE] = control[ct.NODES]
        waiting = self.batch[0][int(control[ct.BATCH_AT]) : int(control[ct.BATCH_SIZE])]
        heap.batch[0][: len(waiting)] = waiting
        heap.control[ct.BATCH_SIZE] = len(waiting)
        for bucket in self._active_buckets():
            g, h = divmod(bucket, MOST_H)
            for places in self._chunks_of(bucket):
                nodes = self.entries[0][places].astype(np.int64)
                costs, _, flags = fields(records[nodes, self.width])
                nodes = nodes[(flags & OPEN != 0) & ((costs == g) | (control[ct.BY_G] == 0)) & heap.unstamped(nodes)]
                # Where g does not count, a chunk may have a node twice: its newer entry counts.
                _, newest = np.unique(nodes, return_index=True)
                yield g, h, nodes[np.sort(newest)]

    def _slice(self, budget: int) -> int:
        """Call the kernel; return its status.

        Where a plugin's function fails the heap goes on: if it should fail, it does so there, with the right figures.
        """
        try:
            with PluginCode():
                return search_kernel(self.width)(*self.addresses, budget)
        except PluginError as error:
            self._error = None if self.control[ct.ORDERING] else error.__cause__
            return ct.NO_BUCKET

    def _cost(self) -> float:
        """Return g of the goal that was found."""
        costs, _, _ = fields(self.records[[int(self.control[ct.CURRENT])], self.width])
        return float(costs[0])

    def _without_heap(self) -> Outcome:
        """End the search where there is no room for a heap to go on with."""
        if self._error:
            raise explained(self._error, self.problem, self._failing_board()) from self._error
        return super()._without_heap()

    def _place_start(self, h: int) -> None:
        """Store the start and make it the first entry of the first chunk."""
        self.records[0, : self.width] = self.machine.packing.pack(self.problem.board)
        self.records[0, self.width] = link_of(0, 0, h, OPEN)
        self.entries[0][CHUNK + 1] = 0
        self.control[ct.NODES] = 1
        self._enter_nodes(addresses(self.table.items)[0], int(self.control[ct.SLOTS]), 0, 1)

    def _enter_nodes(self, address: int, slots: int, first: int, last: int) -> None:
        """Enter a range of nodes into a table."""
        enter_kernel()(address, slots, *addresses(self.nodes[0]), first, last, self.width, self.width + 1)

    def _failing_board(self) -> Board:
        """Return the successor that was being worked on when a plugin's function failed."""
        at = self.width * int(self.control[ct.OUT_FIRST] + self.control[ct.SUCCESSOR])
        return self.machine.board_of(self.batch[2][at : at + self.width].copy())


def fields(links: Any) -> tuple[Any, Any, Any]:
    """Return g, h and flags of links."""
    return (
        ((links >> G_AT) & VALUE).astype(np.int64),
        ((links >> H_AT) & VALUE).astype(np.int64),
        (links >> FLAGS_AT).astype(np.uint8),
    )
