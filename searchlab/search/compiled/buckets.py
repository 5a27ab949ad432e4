"""Compiled best-first search with buckets, for early and late detection of duplicates.

When something does not fit into buckets, a heap of `best_first` or `late_heap` takes over the open list, in the same
order, and continues the search.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from contextlib import suppress
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from searchlab.compiler.adapters import has_unit_moves
from searchlab.compiler.arrays import GridRange, bytes_of, bytes_per, layout_of, with_dtypes
from searchlab.compiler.functions import CannotCompile, cached_kernel, compile_kernel, explaining
from searchlab.errors import PluginCode, PluginError
from searchlab.model.results import Outcome
from searchlab.search.compiled.best_first import AT_ONCE, BestFirstSearch, signed_seed
from searchlab.search.compiled.growing_table import MOST_NODES, GrowingTable, TableSearch, most_slots
from searchlab.search.compiled.kernel_run import UNLIMITED, explained, first_numbers, order_options
from searchlab.search.compiled.late_heap import LateHeapSearch
from searchlab.search.compiled.replay import PackedPath, path_to
from searchlab.search.kernels.chunks import CHUNK, CHUNKS_TO_SPLIT, BucketControl, Buckets
from searchlab.search.kernels.control import EXPANSION_BATCH, SIGN, Status, tie_of
from searchlab.search.kernels.early_buckets import (
    CLASS_BITS,
    COST,
    FLAGS_AT,
    G_AT,
    MOST_CLASSES,
    TAKEN,
    VALUE,
    VALUE_AT,
    EarlyBuckets,
    class_slot,
    early_buckets,
    link_of,
)
from searchlab.search.kernels.hash_table import CLOSED, OPEN
from searchlab.search.kernels.late_buckets import LateBuckets, late_buckets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board.board import Board
    from searchlab.compiler.arrays import Layout, Written
    from searchlab.compiler.machine_code import MachineCode
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

MOST_G, MOST_H = 1 << 12, (1 << 12) + 8
"""The numbers of g and h with a bucket. A power of two for h would make the cursors of all g compete for a few cache
lines, so there is one line more."""
MOST_ACTIVE = 1 << 16
MOST_WORDS = 16
"""The widest states for which buckets are used. With wider states, chunks that are hardly filled waste more memory than
buckets save."""
SAMPLE_VALUES = (0, 1, 2, 3, 4, 40, 41, 1000)
"""Sample values of g and h, to guess whether a priority suits buckets."""
LOOK_UP_AFTER = 100_000
"""The number of expansions after which the search looks for the inlined kernel in the cache, which takes 6 ms."""
COMPILE_AFTER = 1_000_000
"""The number of expansions after which an uncached kernel is compiled: that takes 2 to 4 s, and saves a fifth of the
time.
"""
COMPILING_SECONDS = 60.0
"""The remaining seconds below which nothing is compiled, because the time limit would be reached before it pays."""
BY_CLASS = "class-buckets"
WHOLE_ESTIMATES = with_dtypes(LateBuckets, out_estimates=np.int64)
MOST_BUCKETS = 1 << 12
"""The largest number of buckets to reset for the next search; with more in use, it gets new ones."""


def family_name(problem: Problem, guesses: dict[int, str]) -> str:
    """Return the name of the family that a search can begin with, or `""` if buckets do not suit it.

    The nodes of a bucket must be equal in the order of the strategy, except for `order=`. Whether they are is guessed
    from a few values of the priority. The kernel calls the priority for every new bucket, and gives way to the heap if
    the priority orders nodes differently; see `chunks.in_order` and `early_buckets.class_of`.

    Args:
        guesses: earlier guesses for the same strategy, by the size of batches; a new guess is added.
    """
    component = problem.frontier.component
    if component.container != "heap" or component.priority is None:
        return ""
    try:
        if problem.batch not in guesses:
            guesses[problem.batch] = _guessed(problem)
        guessed = guesses[problem.batch]
        if not guessed:
            return ""
        h = problem.start_h if problem.estimates else 0.0
    except PluginError:
        return ""  # the search will report the error when it meets it
    # Fractional h mostly have too many different values for classes.
    fits = h == inf or (float(h).is_integer() and (guessed == BY_CLASS or 0 <= h < MOST_H))
    return guessed if fits else ""


def _guessed(problem: Problem) -> str:
    """Return the name of the family that suits the priority, or `""`."""
    if _follows_h(problem):
        return BY_CLASS
    if not _follows_g(problem):
        return ""
    return "late-buckets" if problem.late else "early-buckets"


def _follows_g(problem: Problem) -> bool:
    """Return whether g seems to follow from the priority and h, and h from the tie-breaker.

    A score does not qualify, because h is then negative.
    """
    if problem.estimates and (problem.sign < 0 or problem.frontier.ties == "none"):
        return False
    priority = problem.frontier.priority
    return all(priority(g, h) < priority(more, h) for h in SAMPLE_VALUES for g, more in pairwise(SAMPLE_VALUES))


def _follows_h(problem: Problem) -> bool:
    """Return whether the priority seems to ignore g, and to determine h with the tie-breaker; early detection only."""
    if problem.late or not problem.estimates:
        return False
    priority = problem.frontier.priority
    by_tie = problem.frontier.ties != "none"
    return all(priority(g, h) == priority(0, h) for h in SAMPLE_VALUES for g in SAMPLE_VALUES) and (
        by_tie or all(priority(0, h) < priority(0, more) for h, more in pairwise(SAMPLE_VALUES))
    )


class Room(NamedTuple):
    """The sizes of the arrays of a search.

    Attributes:
        memory: the bytes that the search may hold.
        node_bytes, entry_bytes, active_bytes, class_bytes: the bytes of a numbered node, an open entry, an active
            bucket, and a class.
        nodes, chunks: the number of nodes and chunks for which there is room.
        layout: the layout of all arrays.
        fixed_bytes: the bytes of the arrays of a step and of a batch.
    """

    memory: int
    node_bytes: int
    entry_bytes: int
    active_bytes: int
    class_bytes: int
    nodes: int
    chunks: int
    layout: Layout
    fixed_bytes: int


class BucketSearch(TableSearch):
    """A search with buckets, with early or late detection of duplicates.

    Attributes:
        node_bytes, entry_bytes: the bytes of a numbered node, and of an open entry.
        nodes_a_step: the largest number of nodes that an expansion can number.
        small_pages: the sizes of arrays that are mostly written and read in order.
        by_class: whether a bucket is a class, see `early_buckets`.
        heap_search: the search with a heap that continues this search if necessary.
    """

    control: BucketControl
    heap_search: ClassVar[type[BestFirstSearch]] = BestFirstSearch
    by_class: ClassVar[bool] = False
    small_pages: ClassVar[tuple[str, ...]]
    overwritten = ("nodes", "entries", "active")

    def __init__(self, compiled: CompiledProblem, watch: Watch, nodes_a_step: int) -> None:
        super().__init__(compiled, watch)
        _, takes, _ = self.kernels[0]
        self.nodes_a_step = nodes_a_step
        room = self._room(takes, watch)
        self.node_bytes, self.entry_bytes, self.active_bytes = room.node_bytes, room.entry_bytes, room.active_bytes
        self.class_bytes, self.most_nodes, self.most_chunks = room.class_bytes, room.nodes, room.chunks
        self.step = self.step_of(compiled)  # kept alive, because the kernel calls it
        arrays: Buckets = compiled.spare.take(
            room.layout,
            callees=compiled.callee_rows(self.step, called=self.called(compiled)),
            control=first_numbers(
                BucketControl,
                compiled,
                most_g=MOST_G,
                most_h=MOST_H,
                most_active=MOST_ACTIVE,
                most_classes=MOST_CLASSES,
                emptied=-1,
                chunks=1,
            ),
        )
        self.use(arrays)
        self.fixed_bytes = room.fixed_bytes
        self.table = GrowingTable(watch, self.control, arrays.slots, arrays.views)

    def _room(self, takes: type[Buckets], watch: Watch) -> Room:
        """Return the sizes of the arrays, computed once for the same memory."""
        room: Room | None = self.compiled.rooms.get(type(self))
        if room is None or room.memory != watch.memory:
            sizes = {**self.compiled.sizes, "words and link": self.width + 1}
            order = self.problem.frontier.order
            has_fronts = order != "newest"
            sizes.update({"fronts": int(has_fronts), "costs of entries": int(has_fronts and self.by_class)})
            sizes["ranks"] = int(order == "random")
            node_bytes, entry_bytes = bytes_per(takes, "nodes", sizes), bytes_per(takes, "entries", sizes)
            nodes = min(MOST_NODES, watch.memory // node_bytes + 2)
            chunks = watch.memory // (entry_bytes * CHUNK) + 3
            sizes.update({"nodes": nodes, "entries": chunks * CHUNK, "batch": EXPANSION_BATCH})
            sizes.update({"active": MOST_ACTIVE, "values of h": MOST_H, "buckets": MOST_G * MOST_H})
            sizes.update({"classes": 1 << CLASS_BITS, "class numbers": 1 << CLASS_BITS, "slots": most_slots(watch)})
            active_bytes, class_bytes = bytes_per(takes, "active", sizes), bytes_per(takes, "classes", sizes)
            fixed_bytes = bytes_of(takes, sizes, "successors", "cells", "batch")
            layout = layout_of(
                takes,
                sizes,
                reserved=("nodes", "entries", "active", "buckets", "classes", "class numbers", "slots", "counts by f"),
                small_pages=("active", "buckets", "classes", "class numbers", *self.small_pages),
                given=("callees", "control"),
            )
            sizes_of_items = node_bytes, entry_bytes, active_bytes, class_bytes
            room = Room(watch.memory, *sizes_of_items, nodes, chunks, layout, fixed_bytes)
            self.compiled.rooms[type(self)] = room
        return room

    @classmethod
    def compile_callees(cls, compiled: CompiledProblem) -> None:
        """Compile the plugin functions; most are called only as part of the step."""
        try:
            cls.step_of(compiled)
        except CannotCompile:
            compiled.callees  # noqa: B018 - raises an error that names the function
            raise
        for name in cls.called(compiled):
            getattr(compiled, name)

    @staticmethod
    @abstractmethod
    def called(compiled: CompiledProblem) -> tuple[str, ...]:
        """Return the names of the functions that are called besides the step, see `problem.ROWS`."""

    @staticmethod
    @abstractmethod
    def step_of(compiled: CompiledProblem) -> MachineCode:
        """Return the function that expands a node."""

    @abstractmethod
    def place_start(self, h: float) -> int:
        """Store the start as the first entry of the first chunk; return its bucket."""

    @abstractmethod
    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, float, Any, Any]]:
        """Write all nodes into the arrays of a search with a heap.

        Yields:
            for open nodes, in the order in which they are to be taken: g, h, the return value of `write`, and the
            stamps if the order is random, else None.
        """

    @property
    @abstractmethod
    def states(self) -> tuple[Any, Any]:
        """The states of the nodes, one row each, and the numbers of their parents."""

    def start(self) -> int:
        """Put the start into its bucket, and test whether it is a goal, regardless of limits."""
        s, control = self.arrays, self.control
        h = self.evaluate_start()
        if h == inf:
            return self.dead_start()
        bucket = self.place_start(h)
        s.cursors[bucket] = CHUNK + 3
        if self.problem.frontier.order == "oldest":
            s.fronts[bucket] = CHUNK + 1
        elif self.problem.frontier.order == "random":
            control.random, control.push_count = signed_seed(self.problem.frontier.values["seed"]), 1
        key, tie = self.problem.frontier.priority(0.0, h), tie_of(control, h)
        s.active_keys[0], s.active_ties[0], s.active_stamps[0], s.active[0] = key, tie, 0, bucket
        control.active, control.chunks = 1, 2
        control.end_g, control.first_h, control.end_h = 1, int(h), int(h) + 1
        control.on_open = control.most_on_open = 1
        return self.first_slice()

    def end(self, status: int, stopped: str) -> Outcome:
        """Return the outcome of this search, or of the search with a heap that had to continue it."""
        if status != Status.NO_BUCKET:
            return super().end(status, stopped)
        self.account()
        with self.watch.not_counting():  # few searches need a heap, so it is compiled on demand
            self.heap_search.prepare(self.compiled)
        heap = self.heap_search(self.compiled, self.watch)
        return heap.go_on() if heap.take_over(self) else self.end_without_heap()

    def end_without_heap(self) -> Outcome:
        """Return the outcome if there is no memory for a heap."""
        return Outcome("memory-limit", self.watch.statistics, least_f=self.least_f)

    def release(self) -> None:
        """Release the memory of nodes, open entries and table."""
        self.arrays, self.addresses = None, ()
        self.table.release()

    def written(self) -> Written | None:
        """Return the items of reserved arrays that may be nonzero, or None if these are too many buckets to reset."""
        control = self.control
        rows, first, last = control.end_g, control.first_h, control.end_h
        if rows * (last - first) > MOST_BUCKETS:
            return None
        return {
            **self.written_by_all(),
            "active": rows * (last - first),
            "buckets": GridRange(rows, MOST_H, first, last),
            "class numbers": 0,
        }

    def written_by_all(self) -> Written:
        """Return the items that may be nonzero in the arrays that all kinds of buckets use in the same way."""
        control = self.control
        # A chunk has a link, and no more entries than successors were generated.
        length = min(CHUNK, control.generated + 2)
        return {
            "nodes": control.nodes + 1,  # with the goal
            "slots": control.slots,
            "entries": GridRange(control.chunks, CHUNK, 0, length),
            "classes": 0,
            "counts by f": self.counts_by_f,
        }

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory; set the limit of chunks, too."""
        control = self.control
        # Half of the free memory is for nodes, half for chunks. The next slice divides the rest again.
        half = (self.watch.memory - self.held()) // 2
        chunks = half // (self.entry_bytes * CHUNK)
        control.most_chunks = min(control.chunks + chunks, self.most_chunks)
        spare = CHUNKS_TO_SPLIT if self.problem.frontier.order == "random" else 0
        if control.chunks + self.compiled.form.max_successors + spare > control.most_chunks:
            return 0
        room = self.most_nodes - control.nodes - 1
        return max(0, min(half // self.node_bytes, room) // self.nodes_a_step)

    def held(self) -> int:
        """Return the number of bytes in use."""
        control = self.control
        nodes = self.node_bytes * control.nodes
        entries = self.entry_bytes * CHUNK * control.chunks
        buckets = self.active_bytes * control.active + self.class_bytes * control.classes
        return nodes + entries + self.fixed_bytes + buckets + self.table.nbytes

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return path_to(self.control.current, self.compiled, *self.states)

    def _places_of(self, bucket: int, links: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the positions and stamps of the entries of a bucket, piece by piece, in the order of taking.

        The stamps are None if the order is not random.

        Args:
            links: the array of entries; the first entry of a chunk is its link.
        """
        if self.problem.frontier.order != "random":
            for places in self._chunks_of(bucket, links):
                yield places, None
            return
        s = self.arrays
        directory = int(s.fronts[bucket, 0]) * CHUNK
        words = s.entry_ranks[directory + 1 : directory + CHUNK, 0].astype(np.int64)
        segments = range(1, 2 * int(words[0]), 2) if directory else range(0)
        for end in (int(s.cursors[bucket]) - 1, *(int(words[k]) for k in reversed(segments))):
            places = np.concatenate([np.zeros(0, np.int64), *self._chain(end, links)])
            ranks = s.entry_ranks[places, 0]
            places = places[np.argsort(~ranks)]
            for first in range(0, len(places), AT_ONCE):
                some = places[first : first + AT_ONCE]
                yield some, (s.entry_ranks[some, 0] ^ SIGN).view(np.int64)

    def _chain(self, end: int, links: Any) -> Iterator[Any]:
        """Yield the positions of entries in a chain of chunks, from the end of the last chunk backwards."""
        while end > 0:
            first = (end - 1) // CHUNK * CHUNK
            yield np.arange(end - 1, first, -1)
            end = int(links[first]) * CHUNK

    def _chunks_of(self, bucket: int, links: Any) -> Iterator[Any]:
        """Yield the positions of the entries of a bucket, chunk by chunk, in the order in which they are taken.

        Args:
            links: the array of entries; the first entry of a chunk is its link.
        """
        s = self.arrays
        end = int(s.cursors[bucket]) - 1
        if self.problem.frontier.order == "newest":
            yield from self._chain(end, links)
        elif end > 0:
            at = int(s.fronts[bucket, 0])
            while at // CHUNK != (end - 1) // CHUNK:
                first = at // CHUNK * CHUNK
                yield np.arange(at, first + CHUNK)
                at = int(links[first]) * CHUNK + 1
            yield np.arange(at, end)

    def _active_buckets(self) -> list[int]:
        """Return the buckets that may be nonempty, the best first."""
        s, active = self.arrays, slice(self.control.active)
        return list(map(int, s.active[active][np.lexsort((s.active_ties[active], s.active_keys[active]))]))


class LateBucketSearch(BucketSearch):
    """A search with late detection: only closed nodes have numbers, and an open entry is a state."""

    kernels = ((late_buckets, LateBuckets, {}),)
    heap_search = LateHeapSearch
    small_pages = ("entries",)
    arrays: LateBuckets

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch, nodes_a_step=1)
        self._look_up_after = LOOK_UP_AFTER
        self.table.use_nodes(self.arrays.closed_words)

    @staticmethod
    def called(compiled: CompiledProblem) -> tuple[str, ...]:
        """Return the names of the functions that are called besides the step."""
        # The update of a heuristic may compile even if the heuristic itself, which the heap would call, does not.
        return ("goal", "estimate", "priority") if compiled.incremental else ("goal", "priority")

    @staticmethod
    def step_of(compiled: CompiledProblem) -> MachineCode:
        """Return the function that expands a node and evaluates its successors."""
        return compiled.step

    def slice(self, budget: int) -> int:
        """Call the kernel; a long search continues with a kernel that has the plugin functions inlined."""
        if self.done >= self._look_up_after:
            self._inline()
        return super().slice(budget)

    def _inline(self) -> None:
        """Switch to the kernel with inlined functions if it is cached, or if enough work is left for compiling to pay.

        This kernel does the same with the same arrays, so the switch is possible between two slices. If the heuristic
        computes only integers, h is not converted.
        """
        kinds = []
        for whole in self.compiled.kinds_of_estimates:
            kinds.append(self._inlined(whole=whole))
            kernel = cached_kernel(late_buckets, *kinds[-1])
            if kernel:
                self.kernel, self._look_up_after = kernel, UNLIMITED
                return
        if self.done < COMPILE_AFTER:
            self._look_up_after = COMPILE_AFTER
            return
        self._look_up_after = UNLIMITED
        seconds = self.watch.limits.seconds
        hurried = seconds is not None and self.watch.began + seconds < time.perf_counter() + COMPILING_SECONDS
        if hurried or self.watch.expansions < 2 * COMPILE_AFTER:
            return
        for kind in kinds:
            # The functions compile alone, so they should compile here. If not, the search keeps the present kernel.
            with self.watch.not_counting(), suppress(CannotCompile), explaining(late_buckets):
                self.kernel = compile_kernel(late_buckets, *kind)
                return

    def _inlined(self, *, whole: bool) -> tuple[type[LateBuckets], int, dict[str, Any]]:
        """Return the arguments of `compile_kernel` for the inlined kernel: array declaration, width and constants."""
        constants = {"step": self.compiled.inlined_step(whole=whole), "VALUE": np.int64 if whole else np.float64}
        constants.update(order_options(self.compiled))
        return WHOLE_ESTIMATES if whole else LateBuckets, self.width, constants

    @property
    def stored(self) -> int:
        """The number of closed nodes, open nodes, and taken nodes that are not yet looked up."""
        control = self.control
        return control.nodes + control.on_open + control.batch_size - control.batch_at

    @property
    def states(self) -> tuple[Any, Any]:
        """The states of the closed nodes, one row each, and the numbers of their parents."""
        return self.arrays.closed_words, self.arrays.closed_parents

    @property
    def cost(self) -> float:
        """The g of the goal, known from its bucket."""
        return float(self.control.batch_bucket // MOST_H)

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of nonempty buckets and of lost paths."""
        s, control = self.arrays, self.control
        buckets = s.active[: control.active]
        buckets = buckets[s.cursors[buckets] > 1]
        if control.batch_at + is_solved < control.batch_size:
            buckets = np.append(buckets, control.batch_bucket)
        g, h = divmod(buckets, MOST_H)
        least: list[float] = (g + h if control.counts_h else g).astype(float).tolist()
        return min([control.lost, *least])

    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, float, Any, Any]]:
        """Write the closed nodes, the open entries and the rest of the batch into the arrays of a heap."""
        s, control = self.arrays, self.control
        closed, waiting = control.nodes, slice(control.batch_at, control.batch_size)
        heap.write(0, s.closed_words[:closed], s.closed_parents[:closed], s.closed_costs[:closed], 0, CLOSED)
        heap.control.in_table = closed
        g, h = divmod(control.batch_bucket, MOST_H)
        heap.set_batch(heap.write(closed, s.batch_words[waiting], s.batch_parents[waiting], g, h, 0))
        for bucket in self._active_buckets():
            g, h = divmod(bucket, MOST_H)
            for places, stamps in self._places_of(bucket, s.open_words[:, 0]):
                first = heap.control.nodes
                yield g, h, heap.write(first, s.open_words[places], s.open_parents[places], g, h, OPEN), stamps

    def call(self, budget: int) -> int:
        """Call the kernel; return its status.

        If the priority fails in a check of the order, the heap continues, because it calls the priority only as needed.
        """
        try:
            with PluginCode():
                status = self.kernel(*self.addresses, budget)
        except PluginError as error:
            if self.control.ordering:
                return Status.NO_BUCKET
            self.control.expanded += 1  # the kernel counts a node once its successors are evaluated
            failure = error.__cause__ or error
            raise self.explained(failure) from failure
        if status == Status.NOT_A_NUMBER:
            self.control.expanded += 1
        return status

    def place_start(self, h: float) -> int:
        """Make the start the first entry of the first chunk; return its bucket."""
        s = self.arrays
        s.open_words[CHUNK, 0] = s.open_parents[CHUNK + 1] = 0
        s.open_words[CHUNK + 1] = self.compiled.start
        return int(h)

    def failing_board(self) -> Board:
        """Return the node or the successor on which a plugin function failed."""
        s, control = self.arrays, self.control
        words = s.out[control.successor] if control.successor >= 0 else s.batch_words[control.batch_at]
        return self.compiled.board_of(words.copy())


class EarlyBucketSearch(BucketSearch):
    """A search with early detection: every node has a number and a record, and an open entry is a number."""

    kernels = ((early_buckets, EarlyBuckets, {}),)
    small_pages = ()
    arrays: EarlyBuckets

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch, nodes_a_step=compiled.form.max_successors)
        self.table.use_nodes(self.arrays.records)
        self.control.incremental = compiled.incremental
        self._error: BaseException | None = None

    @staticmethod
    def called(compiled: CompiledProblem) -> tuple[str, ...]:
        """Return the names of the functions that are called besides the step."""
        # A successor that ends the game is tested for a goal before it is evaluated.
        return ("estimate", "priority") if has_unit_moves(compiled.form) else ("goal", "estimate", "priority")

    @staticmethod
    def step_of(compiled: CompiledProblem) -> MachineCode:
        """Return the function that expands a node, and also evaluates the successors if that is cheap."""
        return compiled.step if compiled.incremental else compiled.step_without_values

    @property
    def states(self) -> tuple[Any, Any]:
        """The states of the nodes, one row each, and the numbers of their parents."""
        records = self.arrays.records
        return records[:, : self.width], records.view(np.uint32)[:, 2 * self.width]

    @property
    def cost(self) -> float:
        """The g of the goal."""
        link = int(self.arrays.records[self.control.current, self.width])
        return float(link >> int(G_AT) & int(COST))

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of nodes that are not closed, and of lost paths."""
        control = self.control
        least = control.lost
        for first in range(0, control.nodes, AT_ONCE):
            links = self.arrays.records[first : min(first + AT_ONCE, control.nodes), self.width]
            costs, values, flags = fields(links)
            is_open = flags & CLOSED == 0
            if is_solved and first <= control.current < first + AT_ONCE:
                is_open[control.current - first] = False
            f = costs[is_open] + (1.0 * self.estimates(values[is_open]) if control.counts_h else 0.0)
            least = min(least, float(np.min(f, initial=inf)))
        return least

    def hand_over(self, heap: BestFirstSearch) -> Iterator[tuple[int, float, Any, Any]]:
        """Write all nodes into the arrays of a search with a heap; they keep their numbers."""
        s, control = self.arrays, self.control
        words, parents = self.states
        for first in range(0, control.nodes, AT_ONCE):
            some = slice(first, min(first + AT_ONCE, control.nodes))
            costs, values, flags = fields(s.records[some, self.width])
            heap.write(first, words[some], parents[some], costs, self.estimates(values), flags)
        heap.control.in_table = control.nodes
        heap.set_batch(s.batch[control.batch_at : control.batch_size])
        for bucket in self._active_buckets():
            for places, stamps in self._places_of(bucket, s.entries):
                nodes = s.entries[places].astype(np.int64)
                costs, values, flags = fields(s.records[nodes, self.width])
                is_open = (flags & OPEN != 0) & self.are_in(bucket, costs, values) & heap.unstamped(nodes)
                if s.entry_costs.size:
                    is_open &= costs == s.entry_costs[places, 0]
                nodes, stamps = nodes[is_open], stamps if stamps is None else stamps[is_open]
                # A chunk of a class may contain a node twice; then the newer entry counts.
                _, newest = np.unique(nodes, return_index=True)
                newest.sort()
                nodes, stamps = nodes[newest], stamps if stamps is None else stamps[newest]
                if len(nodes):
                    (g,), values, _ = fields(s.records[nodes[:1], self.width])
                    yield int(g), float(self.estimates(values)[0]), nodes, stamps

    def are_in(self, bucket: int, costs: Any, values: Any) -> Any:
        """Return a mask of the nodes that are still in this bucket, for nodes in its chunks."""
        return costs == bucket // MOST_H

    def estimates(self, values: Any) -> Any:
        """Return h of nodes, given the values in their links."""
        return values

    def call(self, budget: int) -> int:
        """Call the kernel; return its status.

        If a plugin function fails, the heap continues. There it fails again, with correct statistics.
        """
        try:
            with PluginCode():
                return self.kernel(*self.addresses, budget)
        except PluginError as error:
            self._error = None if self.control.ordering else error.__cause__
            return Status.NO_BUCKET

    def end_without_heap(self) -> Outcome:
        """Return the outcome if there is no memory for a heap, or raise the error that made a heap necessary."""
        if self._error:
            raise explained(self._error, self.problem, self.failing_board()) from self._error
        return super().end_without_heap()

    def place_start(self, h: float) -> int:
        """Store the start and make it the first entry of the first chunk; return its bucket."""
        s = self.arrays
        bucket = self.first_bucket(h)
        s.records[0, : self.width] = self.compiled.start
        s.records[0, self.width] = link_of(0, 0, bucket, OPEN)
        s.entries[CHUNK] = s.entries[CHUNK + 1] = 0
        if s.entry_costs.size:
            s.entry_costs[CHUNK + 1] = 0
        self.control.nodes = 1
        self.table.enter_start()
        return bucket

    def first_bucket(self, h: float) -> int:
        """Return the bucket of the start."""
        return int(h)

    def failing_board(self) -> Board:
        """Return the successor on which a plugin function failed."""
        out = self.arrays.out.reshape(-1, self.width)
        return self.compiled.board_of(out[self.control.out_first + self.control.successor].copy())


class ClassBucketSearch(EarlyBucketSearch):
    """A search with early detection in which a bucket is a class of nodes with equal priority and h."""

    kernels = ((early_buckets, EarlyBuckets, {"BY_CLASS": True}),)
    by_class = True

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        self.control.most_g = int(COST) + 1

    def first_bucket(self, h: float) -> int:
        """Make the first class, and return it as the bucket of the start."""
        marked = np.array([self.problem.frontier.priority(0.0, h) + 0.0]).view(np.uint64) ^ TAKEN
        bucket, classes = int(class_slot(marked)[0]), self.arrays.classes
        classes.view(np.uint64)[bucket, 0], classes[bucket, 1] = marked[0], h
        self.arrays.class_numbers[0] = bucket
        self.control.classes = 1
        return bucket

    def written(self) -> Written | None:
        """Reset classes and cursors; return the other items that may be nonzero, or None if there are too many."""
        s, classes = self.arrays, self.control.classes
        if classes > MOST_BUCKETS:
            return None
        numbers = s.class_numbers[:classes]
        s.classes[numbers] = 0.0
        s.cursors[numbers] = 0
        if s.fronts.size:
            s.fronts[numbers] = 0
        return {**self.written_by_all(), "active": classes, "buckets": 0, "class numbers": classes}

    def are_in(self, bucket: int, costs: Any, values: Any) -> Any:
        """Return a mask of the nodes that are still in this class, for nodes in its chunks."""
        return values == bucket

    def estimates(self, values: Any) -> Any:
        """Return h of nodes, given the numbers of their classes."""
        return self.arrays.classes[values, 1]


def fields(links: Any) -> tuple[Any, Any, Any]:
    """Return g, the value (h, or the number of the class) and the flags in links."""
    return (
        ((links >> G_AT) & COST).astype(np.int64),
        ((links >> VALUE_AT) & VALUE).astype(np.int64),
        (links >> FLAGS_AT).astype(np.uint8),
    )
