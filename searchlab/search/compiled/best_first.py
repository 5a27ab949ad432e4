"""Compiled best-first search with a heap, a queue or a stack as its open list."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from searchlab.compiler.arrays import allocate, bytes_per, nbytes
from searchlab.errors import PluginError
from searchlab.model.randomness import mixed
from searchlab.search.compiled.growing_table import (
    FIRST_SLOTS,
    MOST_NODES,
    SLOT_BYTES,
    GrowingTable,
    TableSearch,
    most_slots,
)
from searchlab.search.compiled.kernel_run import Kernels, first_numbers
from searchlab.search.compiled.replay import PackedPath, path_to
from searchlab.search.kernels import open_list
from searchlab.search.kernels.best_first import BestFirstArrays, HeapControl, best_first
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.control import EXPANSION_BATCH, tie_of
from searchlab.search.kernels.hash_table import OPEN
from searchlab.search.kernels.ladder import LARGE_HEAP, MOST_RUNGS, has_room
from searchlab.search.problem import LARGEST_EVALUATION_BATCH
from searchlab.search.readable.evaluation import estimate_tiles
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.results import Outcome
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.kernels.control import BestFirstControl
    from searchlab.search.watch import Watch

CONTAINERS = {"heap": open_list.HEAP, "fifo": open_list.FIFO, "lifo": open_list.LIFO}
EARLY_ONLY = ("stamps",)
HEAP_ONLY = ("keys", "ties")
SORTING_BYTES = 32
"""Bytes per open node to sort the nodes that a heap takes over in a random order."""
AT_ONCE = 1 << 16
"""The number of nodes that are read or written together."""


class ContinuableSearch(Protocol):
    """A search with buckets that a heap can continue by taking over its nodes and its open list."""

    arrays: Any
    peak_bytes: int

    @property
    def control(self) -> BestFirstControl:
        """The counts."""

    @property
    def stored(self) -> int:
        """The number of nodes that the search keeps."""

    def held(self) -> int:
        """Return the number of bytes that the search holds."""

    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, float, Any, Any]]:
        """Write the nodes into a search with a heap; yield the open nodes, see `BucketSearch.hand_over`."""

    def release(self) -> None:
        """Release the memory of the search."""


class BestFirstSearch(TableSearch):
    """A best-first search in which every node is evaluated when it is generated."""

    kernels: ClassVar[Kernels] = ((best_first, BestFirstArrays, {}),)
    control_kind: ClassVar[type[HeapControl]] = HeapControl
    overwritten = ("far",)
    arrays: BestFirstArrays
    control: HeapControl
    unused: ClassVar[tuple[str, ...]] = ()
    """The names of arrays that this search does not use."""

    def __init__(self, compiled: CompiledProblem, watch: Watch, waiting: int = 1) -> None:
        super().__init__(compiled, watch)
        sizes = {**compiled.sizes, **self.record_sizes(self.width)}
        is_heap = self.problem.frontier.component.container == "heap"
        unused = *self.unused, *(EARLY_ONLY if self.problem.late else ()), *(() if is_heap else HEAP_ONLY)
        kind = self.kernels[0][1]
        self.node_bytes = bytes_per(kind, "nodes", sizes, unused=unused)
        self.entry_bytes = bytes_per(kind, "entries", sizes, unused=unused)
        self.chunk_bytes = CHUNK * bytes_per(kind, "far", sizes)
        self.step_bytes = compiled.form.max_successors * (self.node_bytes + self.entry_bytes)
        nodes = min(MOST_NODES, watch.memory // self.node_bytes + compiled.form.max_successors + 1)
        entries = watch.memory // self.entry_bytes + compiled.form.max_successors + 1
        self.most_chunks = watch.memory // self.chunk_bytes + 1 if is_heap else 1
        container = CONTAINERS[self.problem.frontier.component.container]
        arrays = allocate(
            kind,
            {
                **sizes,
                **{"nodes": nodes, "entries": entries, "batch": EXPANSION_BATCH, "waiting": min(waiting, nodes)},
                "far": self.most_chunks * CHUNK,
                "run": LARGE_HEAP if is_heap else 0,
                "rungs": MOST_RUNGS if is_heap else 0,
                "slots": most_slots(watch),
            },
            reserved=("nodes", "entries", "far", "waiting", "slots", "counts by f"),
            spare=compiled.spare,
            callees=self.callees(compiled),
            control=first_numbers(
                self.control_kind, compiled, container=container, free=-1, large_heap=LARGE_HEAP, chunks=1
            ),
        )
        self.use(arrays)
        if self.problem.frontier.order == "random":
            self.control.random = signed_seed(self.problem.frontier.values["seed"])
        self.control.most_pushes = min(waiting, nodes) + compiled.form.max_successors
        self.fixed_bytes = nbytes(arrays, "successors", "cells", "batch", "run", "rungs")
        self.table = GrowingTable(watch, self.control, arrays.slots, arrays.views)
        self.table.use_nodes(arrays.words, arrays.flags if self.problem.late else None)
        self.most_entries = 0

    @staticmethod
    def record_sizes(width: int) -> dict[str, int]:
        """Return the sizes of an entry on the ladder, for states of `width` words; see `kernels.ladder`."""
        return {"plain": 1, "record": 0}

    @classmethod
    def callees(cls, compiled: CompiledProblem) -> NDArray[np.uint64]:
        """Return the rows of the functions that the kernel calls."""
        return compiled.callee_rows()

    def start(self) -> int:
        """Put the start on the open list, and test whether it is a goal, regardless of limits."""
        s, control = self.arrays, self.control
        h = self.evaluate_start()
        if h == inf:
            return self.dead_start()
        s.words[0] = self.compiled.start
        s.parents[0], s.costs[0], s.estimates[0], s.stamps[0], s.flags[0] = -1, 0.0, h, 1, OPEN
        # A single entry is compared with nothing, so any key will do.
        s.keys[0], s.ties[0], s.entry_stamps[0], s.entries[0] = 0.0, 0.0, 1, 0
        control.nodes = control.last = control.push_count = 1
        control.on_open = control.most_on_open = 1
        if not self.problem.late:
            self.table.enter_start()
            control.in_table = 1
        self.watch.begin()
        return self.first_slice()

    def go_on(self) -> Outcome:
        """Continue the search that this search took over."""
        return self.end(*self.advance(self.slice(self.done)))

    def take_over(self, search: ContinuableSearch) -> bool:
        """Take over the nodes and the open list of a search with buckets, and release its memory.

        Returns:
            whether there was enough memory.
        """
        control, open_nodes, nodes = self.control, search.control.on_open, search.control.nodes
        slots = FIRST_SLOTS
        while 3 * slots < 4 * (nodes + self.compiled.form.max_successors + 1):
            slots *= 2
        held = nodes * self.node_bytes + self.entries_bytes(open_nodes) + slots * SLOT_BYTES
        if self.problem.frontier.order == "random":
            held += open_nodes * SORTING_BYTES
        self.peak_bytes = max(search.peak_bytes, search.held() + held)
        if self.peak_bytes > self.watch.memory or nodes >= len(self.arrays.parents):
            return False
        control.copy_counts(search.control)
        self.arrays.by_f[:] = search.arrays.by_f
        is_random = self.problem.frontier.order == "random"
        for g, h, entries, stamps in search.hand_over(self):
            self.append(g, h, entries, stamps if is_random else self._stamps(len(entries), open_nodes))
        self.arrays.parents[0] = -1
        control.push_count = search.control.push_count if is_random else open_nodes
        search.release()
        self.table.refill(slots, control.nodes)
        return True

    def entries_bytes(self, count: int) -> int:
        """Return the number of bytes for `count` entries that are taken over."""
        return count * self.entry_bytes

    def write(self, first: int, words: Any, parents: Any, costs: Any, estimates: Any, flags: Any) -> Any:
        """Write nodes from number `first` on; return their numbers."""
        s, last = self.arrays, first + len(words)
        s.words[first:last] = words
        s.parents[first:last], s.costs[first:last] = parents, costs
        s.estimates[first:last], s.flags[first:last] = estimates, flags
        self.control.nodes = last
        return np.arange(first, last)

    def set_batch(self, nodes: Any) -> None:
        """Make these nodes the batch, which is taken before the nodes on the open list."""
        self.arrays.batch[: len(nodes)] = nodes
        self.control.batch_size = len(nodes)

    def unstamped(self, nodes: Any) -> Any:
        """Return a mask of the nodes that were not yet put on the open list."""
        return self.arrays.stamps[nodes] == 0

    def _stamps(self, count: int, newest: int) -> Any:
        """Return stamps for the next `count` nodes that are taken over; `newest` is the number of the newest node."""
        places = np.arange(self.control.last, self.control.last + count)
        return -1 - places if self.problem.frontier.order == "oldest" else newest - places

    def append(self, g: int, h: float, entries: Any, stamps: Any) -> None:
        """Append entries of one class to the open list, in the order in which they are taken."""
        self.append_to_heap(g, h, entries, stamps)
        self.arrays.stamps[entries] = stamps

    def append_to_heap(self, g: int, h: float, entries: Any, stamps: Any) -> None:
        """Append entries of one class to the heap; classes come in order, and a sorted array is a heap."""
        s, frontier = self.arrays, self.problem.frontier
        first = self.control.last
        last = first + len(entries)
        s.keys[first:last] = frontier.priority(g, h)
        s.ties[first:last] = tie_of(self.control, h)
        s.entry_stamps[first:last], s.entries[first:last] = stamps, entries
        self.control.last = last

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        if self.control.nodes + self.compiled.form.max_successors >= len(self.arrays.parents):
            return 0
        free = max(0, self.watch.memory - self.held())
        if self.problem.frontier.component.container != "heap":
            return free // self.step_bytes
        control = self.control
        free -= self.entry_bytes * max(0, control.wanted_heap - self.most_entries)
        control.most_heap = max(self.most_entries, control.wanted_heap)
        # Half of the free memory is for nodes, half for chunks. The next slice divides the rest again.
        control.most_chunks = min(self.most_chunks, control.chunks + free // 2 // self.chunk_bytes)
        if free < 0 or (control.rungs and not has_room(control, 0)):
            return 0
        return free // 2 // self.step_bytes

    def held(self) -> int:
        """Return the number of bytes in use."""
        self.most_entries = max(self.most_entries, self.control.last, self.control.largest_heap)
        nodes = self.node_bytes * self.control.nodes
        entries = self.entry_bytes * self.most_entries + self.chunk_bytes * (self.control.chunks - 1)
        return self.fixed_bytes + nodes + entries + self.table.nbytes

    def written(self) -> dict[str, int]:
        """Return the number of items at the front of reserved arrays that may be nonzero."""
        control = self.control
        entries = control.push_count  # `most_entries` may miss a peak between two accounts
        return {
            **{"nodes": control.nodes, "entries": entries, "waiting": control.nodes, "slots": control.slots},
            "far": CHUNK * control.chunks,
            "counts by f": self.counts_by_f,
        }

    @property
    def stored(self) -> int:
        """The number of nodes that are kept."""
        return self.control.nodes - self.control.freed

    @property
    def cost(self) -> float:
        """The cost of the path to the goal."""
        return float(self.arrays.costs[self.control.current])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of open nodes and of lost paths."""
        s, control = self.arrays, self.control
        least = control.lost
        for first in range(0, control.nodes, AT_ONCE):
            is_open = s.flags[first : min(first + AT_ONCE, control.nodes)] & OPEN != 0
            least = min(least, self.least_of(first + np.flatnonzero(is_open)))
        taken = s.batch[control.batch_at + is_solved : control.batch_size]
        return min(least, self.least_of(taken))

    def least_of(self, nodes: Any) -> float:
        """Return the smallest g + h of these nodes."""
        s = self.arrays
        counted = s.estimates[nodes] if self.control.counts_h else 0.0
        return float(np.min(s.costs[nodes] + counted, initial=inf))

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return path_to(self.control.current, self.compiled, self.arrays.words, self.arrays.parents)

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, control = self.arrays, self.control
        words = s.out[control.successor] if control.successor >= 0 else s.words[control.current]
        return self.compiled.board_of(words.copy())


class StackSearch(BestFirstSearch):
    """A search that takes the newest node first."""

    kernels = ((best_first, BestFirstArrays, {"STACK": True}),)
    unused = ("estimates", "stamps", "entry_stamps")

    def layers(self) -> list[int]:
        """Return an empty list: without h, f is unknown."""
        return []


class BatchedSearch(BestFirstSearch):
    """A best-first search whose new nodes wait to be evaluated together."""

    kernels = ((best_first, BestFirstArrays, {"IN_BATCHES": True}),)
    may_pause = True

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch, waiting=compiled.problem.batch * compiled.form.max_successors)
        self.most_waiting = 0
        # A waiting node takes a number, and during the evaluation a copy of its words, its tiles and two values.
        self.waiting_bytes = 8 * (3 + self.width + compiled.packing.cells)
        self.step_bytes += compiled.form.max_successors * self.waiting_bytes
        self.control.in_python, self.control.evaluation_batch = compiled.in_python, self.problem.batch
        self.control.most_expansions = min(watch.expansions, LARGEST_EVALUATION_BATCH)

    def evaluate(self) -> None:
        """Evaluate the waiting nodes; the kernel continues with the values."""
        s, waiting = self.arrays, self.control.waiting
        if waiting > self.most_waiting:
            self.peak_bytes = max(self.peak_bytes, self.held())
        nodes = s.waiting[:waiting]
        try:
            tiles = self.compiled.packing.unpack_tiles(s.words[nodes])
            s.estimates[nodes] = estimate_tiles(self.problem, tiles, self.watch)
        except (PluginError, Stopped):
            self.account()
            raise
        self.control.values_known = 1

    def held(self) -> int:
        """Return the number of bytes in use, plus the bytes that waiting nodes will take on the open list."""
        waiting = self.control.waiting
        self.most_waiting = max(self.most_waiting, waiting)
        self.most_entries = max(self.most_entries, self.control.last + waiting)
        return super().held() + self.waiting_bytes * self.most_waiting

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of open nodes, lost paths, waiting nodes, and a partially expanded node.

        A waiting node has no h yet; it counts with the f of its parent, or with its own g if that is larger.
        """
        s, control = self.arrays, self.control
        least = super().least_f(is_solved=is_solved)
        if control.successor + 1 < control.successors and not is_solved:
            least = min(least, self.least_of(np.array([control.current])))
        nodes = s.waiting[: control.waiting]
        if not len(nodes):
            return least
        parents = s.parents[nodes]
        before = s.costs[parents] + (s.estimates[parents] if control.counts_h else 0.0)
        return min(least, float(np.where(parents < 0, s.costs[nodes], np.maximum(s.costs[nodes], before)).min()))

    @property
    def stored(self) -> int:
        """The number of stored nodes, without the waiting nodes."""
        return super().stored - self.control.waiting


def signed_seed(seed: int) -> int:
    """Return the mixed seed of a random order as a signed integer, as kernels need it."""
    number = mixed(seed)
    return number - 2**64 if number >= 2**63 else number
