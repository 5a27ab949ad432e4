"""Compiled beam search."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from searchlab.compiler.arrays import allocate, bytes_per, nbytes
from searchlab.model.costs import ROUNDING
from searchlab.search.compiled.kernel_run import SearchRun, first_numbers, in_ranges, kernel
from searchlab.search.compiled.replay import PackedPath, path_to
from searchlab.search.kernels.beam import ARRIVALS, OF_CANDIDATE, Beam, BeamControl, beam, enter_candidates, enter_kept
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.node_values import OTHERS
from searchlab.search.readable.anytime_beam import widening
from searchlab.search.readable.beam import depends_on_cost
from searchlab.search.readable.evaluation import estimate_tiles

if TYPE_CHECKING:
    from searchlab.board.board import Board
    from searchlab.model.results import Outcome
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.watch import Watch

SLOT_BYTES = ENTRY_BYTES = 8
FIRST_SLOTS = FIRST_ENTRIES = 1 << 12
MOST_NODES = 2**32 - 2
WIDEST = 2**31 - 1
MOST_TOGETHER = 4096
"""The largest number of candidates that Python evaluates together."""


class BeamSearch(SearchRun):
    """One beam search, layer by layer.

    Args:
        compiled: the problem.
        watch: the watch.
        width: the number of nodes kept of each layer; by default the width of the strategy.
    """

    kernels = ((beam, Beam, {}),)
    has_closed: ClassVar[bool] = False
    arrays: Beam
    control: BeamControl

    def __init__(self, compiled: CompiledProblem, watch: Watch, width: int | None = None) -> None:
        super().__init__(compiled, watch)
        further, most = self.problem.further, compiled.form.max_successors
        sizes = {**compiled.sizes, "further": len(further), "values": OTHERS + len(further)}
        self.kept_bytes = bytes_per(Beam, "nodes", sizes)
        self.candidate_bytes = bytes_per(Beam, "candidates", sizes)
        if self.has_closed:
            self.candidate_bytes += bytes_per(Beam, "tested", sizes)
        beam_width = self.problem.frontier.values["width"] if width is None else width
        # The memory limit bounds the width of a layer.
        layer = min((beam_width + 1) * most, watch.memory // self.candidate_bytes + 2 * most)
        nodes = min(MOST_NODES, watch.memory // self.kept_bytes + 2)
        # All slots in use count as held memory, because entries are spread over all of them.
        slots = max(FIRST_SLOTS, 2 << (2 * layer).bit_length())
        entries = max(FIRST_ENTRIES, 2 << (2 * nodes).bit_length()) if self.has_closed else 1
        arrays = allocate(
            Beam,
            {
                **{**sizes, "nodes": nodes, "candidates": layer, "slots": slots, "entries": entries},
                **{"tested": layer if self.has_closed else 1, "arrivals": ARRIVALS + most},
            },
            reserved=("nodes", "candidates", "slots", "entries", "tested"),
            spare=compiled.spare,
            callees=compiled.callee_rows(*((*compiled.keys, *compiled.further) if self.problem.queues else ())),
            control=first_numbers(BeamControl, compiled, goal=-1, stamp=1, entry_stamp=1, layers_until=1),
        )
        self.use(arrays)
        control = self.control
        control.further = len(further)
        for k, heuristic in enumerate(further):
            arrays.signs[k] = -1 if heuristic.prefer == "high" else 1
        control.layer_f = control.beyond = inf
        control.below, control.rounding = inf, 0.0 if self.problem.domain.unit_cost else ROUNDING
        control.entries = FIRST_ENTRIES if self.has_closed else 0
        control.beam_width, control.slots, control.most_kept = beam_width, FIRST_SLOTS, nodes
        control.by_cost, control.in_python = depends_on_cost(self.problem.frontier.component), compiled.in_python

    @classmethod
    def options(cls, compiled: CompiledProblem) -> dict[str, Any]:
        """Return the options that all kernels are compiled with."""
        return {**super().options(compiled), **({"BY_NAME": True} if compiled.problem.queues else {})}

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile everything that the search calls."""
        super().prepare(compiled)
        if compiled.problem.queues:
            _ = compiled.keys, compiled.further
        kernel(enter_candidates, Beam)
        if cls.has_closed:
            kernel(enter_kept, Beam)

    def start(self) -> int:
        """Make the start the first layer."""
        h = self.evaluate_start()
        if self.problem.domain.is_goal(self.problem.board):
            return Status.GOAL
        if h == inf:
            return Status.EXHAUSTED
        self.arrays.words[0] = self.compiled.start
        self.control.nodes = self.control.last = 1
        self.control.layer_f = self.problem.counted(h)
        if self.has_closed:
            kernel(enter_kept, Beam)(*self.addresses, 0, 1)
        return Status.BUDGET

    def evaluate(self) -> None:
        """Evaluate the candidates, in pieces that take little memory."""
        self.account()
        s, candidates = self.arrays, self.control.candidates
        for first in range(0, candidates, MOST_TOGETHER):
            self.watch.check()
            piece = slice(first, min(first + MOST_TOGETHER, candidates))
            tiles = self.compiled.packing.unpack_tiles(s.candidates[piece])
            s.keys[piece] = estimate_tiles(self.problem, tiles, self.watch)
        self.control.values_known = 1

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        control, most = self.control, self.compiled.form.max_successors
        if control.candidates + most > len(self.arrays.origins):
            return 0
        to_keep = self.kept_bytes * min(control.candidates, control.beam_width)
        free = self.watch.memory - self.held() - to_keep
        return max(0, free // (most * (self.candidate_bytes + self.kept_bytes)))

    def grow(self, status: int) -> str:
        """Double the slots, or enlarge the closed list; return the status if this ends the search, else `''`."""
        control, slots = self.control, self.control.slots
        if status == Status.TABLE_FULL and control.next_node == control.last:
            return self._grow_closed(int(control.nodes + min(control.candidates, control.beam_width)))
        if status != Status.TABLE_FULL or 2 * slots > len(self.arrays.slots):
            return "memory-limit"
        if self.held() + SLOT_BYTES * slots > self.watch.memory:
            return "memory-limit"
        control.slots = 2 * slots
        control.stamp += 1
        fresh, addresses = self.arrays.slots[slots : 2 * slots], self.addresses
        enter_range = kernel(enter_candidates, Beam)

        def touch(first: int, last: int) -> None:
            # Entries are spread over the table, so the first few would wait until the system provides all its memory.
            fresh[first : last : 4096 // SLOT_BYTES] = 0

        def enter(first: int, last: int) -> None:
            enter_range(*addresses, first, last)

        waiting = control.candidates
        for work, items in ((touch, slots), (enter, waiting)):
            stopped = in_ranges(work, items, items, self.watch, waiting)
            if stopped:
                return stopped
        self.account()
        return ""

    def _grow_closed(self, nodes: int) -> str:
        """Make room for `nodes` nodes in the closed list; return the status if this ends the search, else `''`."""
        control, entries = self.control, self.control.entries
        while entries < 2 * nodes:
            entries *= 2
        added = entries - control.entries
        if entries > len(self.arrays.entries) or self.held() + ENTRY_BYTES * added > self.watch.memory:
            return "memory-limit"
        fresh, addresses = self.arrays.entries[control.entries : entries], self.addresses
        control.entries = entries
        control.entry_stamp += 1
        enter_range = kernel(enter_kept, Beam)

        def touch(first: int, last: int) -> None:
            fresh[first : last : 4096 // ENTRY_BYTES] = 0

        def enter(first: int, last: int) -> None:
            enter_range(*addresses, first, last)

        for work, items in ((touch, added), (enter, int(control.nodes))):
            stopped = in_ranges(work, items, items, self.watch, control.candidates)
            if stopped:
                return stopped
        self.account()
        return ""

    @property
    def open_nodes(self) -> int:
        """The number of candidates for the next layer."""
        return self.control.candidates

    def held(self) -> int:
        """Return the number of bytes in use."""
        control = self.control
        most = max(control.most_candidates, control.candidates)
        fixed = nbytes(self.arrays, "successors", "cells", "arrivals")
        tables = SLOT_BYTES * control.slots + ENTRY_BYTES * control.entries
        return fixed + tables + self.kept_bytes * self.stored + self.candidate_bytes * most

    @property
    def cost(self) -> float:
        """The cost of the path to the goal."""
        return float(self.arrays.costs[self.control.current])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of the last complete layer and of all nodes that were cut."""
        control = self.control
        if not is_solved:
            return float(min(control.lost, control.layer_f))
        others = self.arrays.least[: control.candidates].copy()
        if control.goal >= 0:
            others[control.goal] = inf
        return min(control.lost, float(np.min(others, initial=inf)))

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return path_to(self.control.current, self.compiled, self.arrays.words, self.arrays.parents)

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, successor, node = self.arrays, self.control.successor, self.control.current
        words = s.new_words[successor] if successor >= 0 else s.words[node]
        if successor == OF_CANDIDATE:
            words = s.candidates[node]
        return self.compiled.board_of(words.copy())


class ClosedBeamSearch(BeamSearch):
    """A beam search with a closed list."""

    kernels = ((beam, Beam, {"CLOSED": True}),)
    has_closed = True


class AnytimeBeamSearch(ClosedBeamSearch):
    """Beam searches of growing width, see `search/readable/anytime_beam.py`.

    All searches use the same arrays, so that new memory is requested once. Table entries of narrower searches count as
    empty. The statistics are sums over all searches.
    """

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch, WIDEST)
        self.most_nodes = 0

    def run(self) -> Outcome:
        """Search with growing widths until a proof or a limit."""
        return widening(self.problem, self.watch, self._search)

    def _search(self, width: int) -> tuple[Outcome, float]:
        """Search with a fixed width, see `readable.beam.search_layers`."""
        status, stopped = self.advance(self._start(width))
        while status == Status.GOAL and not stopped and self.control.nodes:
            self.account()
            self.watch.improved(self.cost, self.path)
            status, stopped = self.advance(self.slice(self.done))  # even at a limit: it may be exhausted
        outcome = self.end(status, stopped)
        return replace(outcome, release=None), float(self.control.beyond)  # the next search needs the arrays

    def _start(self, width: int) -> int:
        """Make the start the first layer of a search with another width."""
        control = self.control
        self.most_nodes, before = self.stored, (control.evaluated, control.dead_ends, control.best_h)
        control.stamp += 1
        control.entry_stamp += 1
        control.update(
            **{"beam_width": width, "goes_on": 1, "below": self.problem.below(self.watch.incumbent), "goal": -1},
            **dict.fromkeys(("nodes", "first", "last", "next_node", "candidates"), 0),
            **dict.fromkeys(("lost", "beyond", "layer_f"), inf),
        )
        if control.entries < 4 * self.most_nodes:
            self._grow_closed(2 * self.most_nodes)  # twice the width keeps about twice the nodes
        status = self.start()
        if width > 1:
            control.evaluated, control.dead_ends = control.evaluated + before[0], control.dead_ends + before[1]
            control.best_h = min(control.best_h, before[2])
        return status

    @property
    def stored(self) -> int:
        """The largest number of nodes that one of the searches has kept."""
        return max(self.most_nodes, super().stored)
