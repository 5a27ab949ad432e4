"""Compiled enumeration: threads expand a layer, and sort the successors into the next layer."""

from __future__ import annotations

import time
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import addresses, allocate, replaced, reserve
from searchlab.compiler.functions import CannotCompile, compile_goal, compile_successors
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError
from searchlab.search.compiled.kernel_run import KernelRun, Slices, kernel
from searchlab.search.compiled.problem import check_moves_fit, expansion_sizes, form_arguments
from searchlab.search.compiled.threads import Threads, Work
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.layers import (
    DIGITS,
    LayerArrays,
    LayerControl,
    SortArrays,
    SortControl,
    expand_layer,
    find_ranges,
    largest,
    move_to_ranges,
    sort_range,
)
from searchlab.search.readable.enumeration import Layer, failure_of_rules, raise_revisited
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.search.readable.enumeration import Layers
    from searchlab.search.watch import Watch

BLOCK = 1 << 16
"""The number of states for which a block of successors has room."""
SMALLEST_PART, LARGEST_PART, PARTS = 1024, 8192, 256
"""The smallest and the largest number of states that a thread expands at a time, and the preferred largest number of
such parts of a layer. The parts depend only on the layer, so that every run runs out of memory, or meets a failing
rule, at the same state.
"""
MOST_AT_ONCE = 1 << 18
"""The largest number of successors of a part of a layer. Memory is checked only between parts."""
WORTH_SHARING = 0.001
"""Threads share the expansion of a layer that takes at least this many CPU seconds; sharing costs a tenth of that."""
STATES_SORTED_ALONE = 1 << 14
RANGE = 1 << 13
"""The mean number of states in a range. They fit into the cache of a core, with the memory to sort them."""
MOST_STEPS = 12
"""There are at most 2 ** MOST_STEPS ranges."""
RANGE_NUMBER = np.dtype(np.uint16)
SAMPLES_A_RANGE = 16
GROUPS_A_THREAD = 8
"""The number of groups of blocks per thread. The states of a group are counted together, by range."""
RANGES_JOINED = 16
MOST_ARRAYS = 8
"""The largest number of sorted arrays of known states. More arrays are merged less often, but take longer to search."""
SAMPLED, MOST_SAMPLED = 8, 1024
"""The numbers of sampled states, per layer and in all, that newer layers must not contain."""


class Enumeration:
    """One enumeration, layer by layer.

    Args:
        board: the start.
        domain: the domain.
        watch: the limits, and the receiver of the progress.
        revisited_layers: a value that replaces the domain's declaration of revisited layers.
        threads: the number of threads; by default the number of cores.

    Raises:
        CannotCompile: the domain has no packed form, or it cannot be compiled.
        UsageError: the number of threads is too large.
    """

    def __init__(
        self,
        board: Board,
        domain: BoundDomain,
        watch: Watch,
        revisited_layers: str = "",
        threads: int | None = None,
    ) -> None:
        self.threads = Threads(threads)
        form = domain.packed(board)
        if form is None:
            msg = f"domain {domain.name} has no packed form"
            raise CannotCompile(msg)
        self.domain, self.watch, self.form = domain, watch, form
        self.packing = packing = Packing.of(form, board)
        self.width = packing.words
        values = form_arguments(domain, form, board)
        self.functions = compile_successors(form, values, packing), compile_goal(form, values, packing)
        self.callees = np.array([function.row() for function in self.functions], np.uint64)
        self.revisited_layers = revisited_layers or domain.component.revisited
        self.layer: NDArray[np.uint64] = packing.pack(board).reshape(1, -1)
        if packing.is_uniform:
            self._largest = max(largest(word, packing.bits) for word in self.layer.ravel())
        else:
            self._largest = board.largest_tile()
        self._expanders: list[_Expander] = []
        self._sorter = Sorter(self.width, self.threads)
        self._before: list[NDArray[np.uint64]] = []
        self._older = OlderStates(self._sorter)
        self._pace = 0.0

    def layers(self) -> Layers:
        """Yield the layers; return the status."""
        self._expanders = [_Expander(self)]
        self._sorter.prepare()
        depth = 0
        with self.watch, self.threads:
            while len(self.layer):
                largest_before = self._largest_tile()
                stopped = self.watch.stop(self.watch.statistics, len(self.layer)) or self._expand()
                if stopped:
                    return stopped
                controls = [expander.control for expander in self._expanders]
                dead_ends, goals = sum(c.dead_ends for c in controls), sum(c.goals for c in controls)
                ended = sum(c.ended for c in controls)
                yield Layer(depth, len(self.layer), dead_ends, goals, ended, largest_before)
                try:
                    self._go_deeper(depth)
                except Stopped as error:
                    return error.status
                depth += 1
            if self._largest_tile() > largest_before:
                yield Layer(depth, 0, 0, 0, 0, self._largest_tile())
        return "complete"

    def _expand(self) -> str:
        """Expand the layer; return the status with which the enumeration has to end, or `''`."""
        statistics, states = self.watch.statistics, len(self.layer)
        expanded, last = statistics.expanded, min(states, self.watch.expansions - statistics.expanded)
        alone = self.threads.count == 1 or self._pace * last < WORTH_SHARING
        while len(self._expanders) < (1 if alone else self.threads.count):
            self._expanders.append(_Expander(self))
        for expander in self._expanders:
            expander.begin(self.layer, self._largest)
        parts = _Parts(states, last, self.form.max_successors)

        def expand(thread: int, part: tuple[int, int], goes_on: Callable[[], bool]) -> None:
            if self._expanders[thread].expand(part, goes_on):
                produced = parts.note(part, self._expanders[thread].produced_last)
                if self._bytes(produced) > self.watch.memory:
                    raise _MemoryFull

        def look() -> str:
            statistics.expanded = expanded + sum(expander.expanded for expander in self._expanders)
            self._hold(min(self._bytes(self._produced()), self.watch.memory))  # `expand` checks the memory
            return self._stopped()

        began = time.process_time()
        try:
            stopped = self.threads.share(expand, parts.parts, look, alone=alone)
        except (_MemoryFull, _RuleFailed) as error:
            statistics.expanded = expanded + sum(expander.expanded for expander in self._expanders)
            # Of both problems, the first in the order of the states counts.
            if isinstance(error, _MemoryFull) or self._bytes(parts.produced) > self.watch.memory:
                return "memory-limit"
            raise self._failure(error) from error.__cause__
        if stopped:
            return stopped
        self._pace = (time.process_time() - began) / last
        statistics.expanded = expanded + last
        self._hold(self._bytes(parts.produced))
        self._largest = max(expander.control.largest for expander in self._expanders)
        return "" if last == states else "expansion-limit"

    def _stopped(self) -> str:
        """Return the status of the watch in the middle of a layer, where expansions are counted separately."""
        stopped = self.watch.stop(self.watch.statistics, len(self.layer))
        return "" if stopped == "expansion-limit" else stopped

    def _produced(self) -> int:
        return sum(expander.produced for expander in self._expanders)

    def _bytes(self, produced: int) -> int:
        """Return the number of bytes needed to sort a layer with this many successors into ranges."""
        states = len(self.layer) + sum(map(len, self._before))
        return 8 * self.width * (states + 2 * produced) + RANGE_NUMBER.itemsize * produced

    def _hold(self, count: int) -> None:
        statistics = self.watch.statistics
        statistics.peak_bytes = max(statistics.peak_bytes, count)

    def _failure(self, failed: _RuleFailed) -> PluginError:
        """Return the error of a rule as its author would see it in Python, if the rule fails there, too."""
        board = self.packing.unpack(self.layer[failed.state : failed.state + 1])[0]
        try:
            self.domain.is_goal(board)
            check_moves_fit(self.domain, board)
        except PluginError as explained:
            return explained
        return PluginError(f"{failure_of_rules(self.domain, failed.error)}, compiled, on {board!r:.200}")

    def _go_deeper(self, depth: int) -> None:
        """Make the successors of the layer at this depth the next layer: each state once, without known states.

        Raises:
            Stopped: the enumeration has to end.
        """
        produced = self._produced()
        if self.revisited_layers != "none":
            self._before.append(self.layer)
        blocks = [block for expander in self._expanders for block in expander.blocks()]
        following = self._sorter.distinct(blocks, self._before, self._stopped)
        self._hold(self._bytes(produced) + following.nbytes)
        if self.revisited_layers == "last-two":
            self._before = self._before[-2:]
        elif len(self._before) > MOST_ARRAYS:
            self._merge()
        if self.revisited_layers != "any":
            self._older.add(self.layer, depth)
            found = self._older.found_in(following)
            if found:
                states, before = found
                raise_revisited(self.domain, self.packing.unpack(states)[0], before, depth + 1)
        self.layer = following

    def _merge(self) -> None:
        """Merge the two neighbouring arrays of known states with the smallest total size, if there is memory."""
        sizes = [len(states) for states in self._before]
        k = min(range(len(sizes) - 1), key=lambda k: sizes[k] + sizes[k + 1])
        held = self.watch.statistics.peak_bytes + 16 * self.width * (sizes[k] + sizes[k + 1])
        if held <= self.watch.memory:
            self._hold(held)
            self._before[k : k + 2] = [self._sorter.distinct(self._before[k : k + 2], (), self._stopped)]

    def _largest_tile(self) -> int:
        code = int(self._largest)
        return (1 << code) & ~1 if self.packing.powers_of_two else code


class _MemoryFull(Exception):
    """The successors of a layer exceed the memory limit."""


class _RuleFailed(Exception):
    """A rule of the domain failed.

    Attributes:
        state: the number of the state in its layer.
        error: the exception of the rule.
    """

    def __init__(self, state: int, error: BaseException) -> None:
        super().__init__(state)
        self.state, self.error = state, error


class _Parts:
    """The parts of a layer, and the number of successors of finished parts.

    Args:
        states: the number of states of the layer.
        last: the number of states that may be expanded, from the first on.
        successors: the largest number of successors of a state.

    Attributes:
        parts: the first state and the end of each part.
        produced: the number of successors of the parts before the first unfinished part.
    """

    def __init__(self, states: int, last: int, successors: int) -> None:
        largest_part = max(1, min(LARGEST_PART, MOST_AT_ONCE // successors))
        size = max(min(SMALLEST_PART, largest_part), min(largest_part, -(-states // PARTS)))
        self.parts = [(first, min(last, first + size)) for first in range(0, last, size)]
        self.produced = 0
        self._at = 0
        self._done: dict[tuple[int, int], int] = {}
        self._lock = Lock()

    def note(self, part: tuple[int, int], produced: int) -> int:
        """Record that a part is finished, with its number of successors; return the new `self.produced`."""
        with self._lock:
            self._done[part] = produced
            while self._at < len(self.parts) and self.parts[self._at] in self._done:
                self.produced += self._done.pop(self.parts[self._at])
                self._at += 1
            return self.produced


class _Expander(KernelRun):
    """Expands parts of a layer in one thread.

    Attributes:
        expanded: the number of states of the layer that this expander has expanded.
        produced_last: the number of successors of the last part.
    """

    def __init__(self, enumeration: Enumeration) -> None:
        packing, form = enumeration.packing, enumeration.form
        self._form, self._width = form, enumeration.width
        options = {} if packing.is_uniform else {"RANGED": True}
        self._kernel = kernel(expand_layer, LayerArrays, self._width, **options)
        even = sum(((1 << packing.bits) - 1) << at for at in range(0, 64 - packing.bits, 2 * packing.bits))
        ranged = [] if packing.is_uniform else [packing.cell(cell) for cell in range(packing.cells)]
        self.control = LayerControl(
            width=self._width,
            bits=packing.bits,
            ends_at_goal=enumeration.domain.component.ends_at_goal,
            ranged=len(ranged),
        )
        self._room = max(BLOCK, form.max_successors)
        self._blocks = [self._new_block()]
        self._arrays = allocate(
            LayerArrays,
            expansion_sizes(form, packing),
            layer=enumeration.layer,
            out=self._blocks[0],
            even_cells=np.array([even], np.uint64),
            ranged_cells=np.array(ranged, np.int64).reshape(-1, 4),
            callees=enumeration.callees,
            control=self.control,
        )
        self.slices = Slices()
        self._goes_on: Callable[[], bool] = lambda: True
        self._full: list[int] = []
        self._first = self._before = self.produced_last = 0

    def begin(self, layer: NDArray[np.uint64], largest: int) -> None:
        """Begin a layer; `largest` is the largest value of a cell so far."""
        self.control.update(done=0, produced=0, dead_ends=0, goals=0, ended=0, largest=largest)
        self._full, self._first, self._before = [], 0, 0
        self._use(layer=layer, out=self._blocks[0])

    def expand(self, part: tuple[int, int], goes_on: Callable[[], bool]) -> bool:
        """Expand a part of the layer; return whether it is complete."""
        before = self.produced
        self._before, self._first = self.expanded, part[0]
        self.control.done, self.control.states = part
        self._goes_on = goes_on
        _, stopped = self.advance(Status.BUDGET)
        self.produced_last = self.produced - before
        return not stopped

    @property
    def expanded(self) -> int:
        """The number of states of the layer that this expander has expanded."""
        return self._before + self.control.done - self._first

    @property
    def produced(self) -> int:
        """The number of successors of these states."""
        return sum(self._full) + self.control.produced

    def blocks(self) -> list[NDArray[np.uint64]]:
        """Return the successors, in blocks."""
        counts = [*self._full, self.control.produced]
        return [block[:count] for block, count in zip(self._blocks, counts, strict=False) if count]

    @property
    def done(self) -> int:
        """The number of the next state."""
        return self.control.done

    def slice(self, budget: int) -> int:
        """Expand states of the part.

        Raises:
            _RuleFailed: a rule of the domain failed.
        """
        with PluginCode(lambda error: _RuleFailed(self.control.current, error)):
            return self._kernel(*self._addresses, budget)

    def stopped(self) -> str:
        """Return `"stopped"` if the work has to stop, else `""`."""
        return "" if self._goes_on() else "stopped"

    def allowed(self) -> int:
        """Return the number of states whose successors fit into the block; begin another block if it is full."""
        fitting = (self._room - self.control.produced) // self._form.max_successors
        if not fitting:
            self._full.append(self.control.produced)
            if len(self._full) == len(self._blocks):
                self._blocks.append(self._new_block())
            self.control.produced = 0
            self._use(out=self._blocks[len(self._full)])
            fitting = self._room // self._form.max_successors
        return fitting

    def _new_block(self) -> NDArray[np.uint64]:
        block: NDArray[np.uint64] = reserve(self._room * self._width, np.uint64).reshape(-1, self._width)
        return block

    def _use(self, **arrays: NDArray[np.uint64]) -> None:
        self._arrays = replaced(self._arrays, **arrays)
        self._addresses = addresses(self._arrays)


class Sorter:
    """Sorts states, and removes known ones.

    Args:
        width: the number of words per state.
        threads: the threads that share the work.
    """

    def __init__(self, width: int, threads: Threads) -> None:
        self.width, self._threads = width, threads
        self._target = np.zeros((0, width), np.uint64)
        self._range_of = np.zeros(0, RANGE_NUMBER)
        self._spares = [np.zeros((0, width), np.uint64) for _ in range(threads.count)]
        self._arrays = allocate(
            SortArrays,
            {"width": width, "states": 0, "sorted": 0, "ranges": 0, "spare": 0, "met": 0},
            control=SortControl(width=width),
        )

    def prepare(self) -> None:
        """Compile all functions before the clock of an enumeration starts."""
        for function in (find_ranges, move_to_ranges, sort_range):
            kernel(function, SortArrays, self.width)

    def distinct(
        self,
        blocks: Iterable[NDArray[np.uint64]],
        met: Sequence[NDArray[np.uint64]] = (),
        look: Callable[[], str] = lambda: "",
    ) -> NDArray[np.uint64]:
        """Return the distinct states of some blocks, sorted, without the states in the sorted arrays `met`.

        Raises:
            Stopped: `look`, which is called regularly, returned a status.
        """
        pieces = [block[first : first + BLOCK] for block in blocks for first in range(0, len(block), BLOCK)]
        states = sum(map(len, pieces))
        self._make_room(states)
        alone = states <= STATES_SORTED_ALONE
        if alone:
            ends = np.array([0, states])
            np.concatenate([self._target[:0], *pieces], out=self._target[:states])
        else:
            ends = self._move(pieces, states, look)
        kept = self._sort(ends, met, look, alone=alone)
        return self._joined(ends, kept, look, alone=alone)

    def _make_room(self, states: int) -> None:
        if states > len(self._target):
            states = max(states, 2 * len(self._target))
            self._target = reserve(states * self.width, np.uint64).reshape(-1, self.width)
            self._range_of = reserve(states, RANGE_NUMBER)

    def _move(self, pieces: list[NDArray[np.uint64]], states: int, look: Callable[[], str]) -> NDArray[np.int64]:
        """Move states to the ranges of their values; return where each range begins, and where the last ends."""
        steps = min(MOST_STEPS, max(1, -(-states // RANGE) - 1).bit_length())
        bounds = self._bounds(pieces, states, 1 << steps)
        firsts = np.cumsum([0, *map(len, pieces)]).tolist()
        groups = min(len(pieces), GROUPS_A_THREAD * self._threads.count)
        places = np.zeros((groups, 1 << steps), np.int64)

        def work(function: Callable[..., int], group: int, goes_on: Callable[[], bool]) -> None:
            for k in range(group, len(pieces), groups):
                if not goes_on():
                    return
                of_piece = self._range_of[firsts[k] : firsts[k + 1]]
                arrays = replaced(
                    self._arrays,
                    **{"source": pieces[k], "target": self._target, "bounds": bounds, "places": places[group]},
                    **{"range_of": of_piece, "control": SortControl(width=self.width, steps=steps)},
                )
                kernel(function, SortArrays, self.width)(*addresses(arrays), len(pieces[k]))

        self._share(lambda thread, group, goes_on: work(find_ranges, group, goes_on), range(groups), look)
        # Within a range, states are in the order of the groups.
        ends = np.cumsum(places.T).reshape(-1, groups)
        ends_of_ranges: NDArray[np.int64] = np.concatenate([[0], ends[:, -1]])
        places[:] = (ends - places.T).T
        self._share(lambda thread, group, goes_on: work(move_to_ranges, group, goes_on), range(groups), look)
        return ends_of_ranges

    def _bounds(self, pieces: list[NDArray[np.uint64]], states: int, ranges: int) -> NDArray[np.uint64]:
        """Return the first state of each range after the first, from a sample, so that ranges have similar sizes."""
        every = max(1, states // (ranges * SAMPLES_A_RANGE)) | 1  # odd, as successors come in pairs and fours
        samples = np.concatenate([piece[::every] for piece in pieces])
        samples = samples[np.lexsort(samples.T[::-1])]
        bounds: NDArray[np.uint64] = samples[np.arange(1, ranges) * len(samples) // ranges]
        return bounds

    def _sort(
        self, ends: NDArray[np.int64], met: Sequence[NDArray[np.uint64]], look: Callable[[], str], *, alone: bool
    ) -> NDArray[np.int64]:
        """Sort each range, and remove duplicates and known states; return the number of states left in each range."""
        kept = np.zeros(len(ends) - 1, np.int64)
        most = int(np.diff(ends).max())
        rows = np.array([[states.ctypes.data, len(states)] for states in met], np.uint64).reshape(-1, 2)
        sort = kernel(sort_range, SortArrays, self.width)
        threads = [self._sort_arrays(thread, most, rows) for thread in range(1 if alone else self._threads.count)]
        called = [addresses(arrays) for arrays in threads]

        def work(thread: int, k: int, goes_on: Callable[[], bool]) -> None:
            if goes_on():
                sort(*called[thread], int(ends[k]), int(ends[k + 1]))
                kept[k] = threads[thread].control.kept

        self._share(work, range(len(kept)), look, alone=alone)
        return kept

    def _sort_arrays(self, thread: int, most: int, met: NDArray[np.uint64]) -> SortArrays:
        """Return the arrays for a thread to sort ranges of up to `most` states."""
        if most > len(self._spares[thread]):
            self._spares[thread] = np.empty((max(most, 2 * len(self._spares[thread])), self.width), np.uint64)
        control = SortControl(width=self.width, met=len(met))
        return replaced(
            self._arrays,
            **{"target": self._target, "spare": self._spares[thread], "met": met, "control": control},
            counts=np.empty(DIGITS, np.int64),
        )

    def _joined(
        self, ends: NDArray[np.int64], kept: NDArray[np.int64], look: Callable[[], str], *, alone: bool
    ) -> NDArray[np.uint64]:
        """Return the remaining states of all ranges, one after another."""
        firsts = np.cumsum([0, *kept])
        joined = np.empty((int(firsts[-1]), self.width), np.uint64)

        def work(thread: int, ranges: tuple[int, int], goes_on: Callable[[], bool]) -> None:
            for k in range(*ranges):
                joined[firsts[k] : firsts[k + 1]] = self._target[ends[k] : ends[k] + kept[k]]

        parts = list(pairwise([*range(0, len(kept), RANGES_JOINED), len(kept)]))
        self._share(work, parts, look, alone=alone)
        return joined

    def _share(self, work: Work[Any], parts: Sequence[Any], look: Callable[[], str], *, alone: bool = False) -> None:
        stopped = self._threads.share(work, parts, look, alone=alone)
        if stopped:
            raise Stopped(stopped)


class OlderStates:
    """Samples of all layers, to detect a new layer that contradicts the domain's declaration.

    A declaration of revisited layers is not checked state by state, because its purpose is to avoid this work. If the
    declaration is wrong and there are finitely many states, the layers repeat for ever. So samples of the last layer
    whose depth is a power of two are always kept. Once such layers are as far apart as the period of the repetition,
    these samples are met again before the next such layer (Brent 1980).
    """

    def __init__(self, sorter: Sorter) -> None:
        self._sorter = sorter
        self._states = np.zeros((0, sorter.width), np.uint64)
        self._depths = np.zeros(0, np.int64)
        self._every = 1

    def add(self, layer: NDArray[np.uint64], depth: int) -> None:
        """Keep a sample of a layer."""
        is_power_of_two = depth & (depth - 1) == 0
        if depth % self._every and not is_power_of_two:
            return
        some = layer[:: -(-len(layer) // SAMPLED)]
        self._states = np.concatenate([self._states, some])
        self._depths = np.concatenate([self._depths, np.full(len(some), depth)])
        if len(self._states) > MOST_SAMPLED:
            self._every *= 2
            latest = 1 << max(0, depth.bit_length() - 1)
            stays = (self._depths % self._every == 0) | (self._depths == latest)
            self._states, self._depths = self._states[stays], self._depths[stays]

    def found_in(self, layer: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int] | None:
        """Return a sampled state that is in a sorted layer, and its previous depth, or None."""
        if self._sorter.width > 1 and len(self._sorter.distinct([self._states], [layer])) == len(self._states):
            return None  # for wider states, this is faster than NumPy
        again = np.flatnonzero(_contained(self._states, layer))
        return (self._states[again[:1]], int(self._depths[again[0]])) if len(again) else None


def _contained(states: NDArray[np.uint64], met: NDArray[np.uint64]) -> Any:
    """Return a mask of the states that are in the sorted array `met`."""
    if not len(met):
        return np.zeros(len(states), bool)
    if states.shape[1] == 1:
        at = np.searchsorted(met[:, 0], states[:, 0])
        return met[np.minimum(at, len(met) - 1), 0] == states[:, 0]
    kind = np.dtype([(f"w{k}", np.uint64) for k in range(states.shape[1])])
    return np.isin(np.ascontiguousarray(states).view(kind).ravel(), np.ascontiguousarray(met).view(kind).ravel())
