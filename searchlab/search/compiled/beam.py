"""Beam search compiled: the arrays of one search, and what Python does between slices."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.functions import compile_kernel
from searchlab.compiler.memory import reserve
from searchlab.errors import PluginCode
from searchlab.model.results import Outcome
from searchlab.search.compiled.running import (
    Slices,
    addresses,
    count,
    explained,
    fresh_control,
    in_ranges,
    path_to,
    scratch,
)
from searchlab.search.kernels import beam as bm
from searchlab.search.kernels import control as ct
from searchlab.search.readable.beam import depends_on_cost
from searchlab.search.readable.evaluation import estimate_tiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board.board import Board
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.problem import EvaluationError
    from searchlab.search.watch import Watch

KEPT_BYTES, CANDIDATE_BYTES, SLOT_BYTES = 12, 33, 8
"""Bytes of a kept node and of a candidate besides their words; a candidate's key is there twice."""
FIRST_SLOTS = 1 << 12
MOST_NODES = 2**32 - 2
MOST_TOGETHER = 4096
"""So many candidates are evaluated in Python at once."""


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(bm.beam, bm.SIGNATURE, width=width)


@cache
def enter_kernel() -> Callable[..., None]:
    """Return the kernel that enters candidates into a table."""
    return compile_kernel(bm.enter_candidates, bm.ENTER)


class BeamSearch:
    """The arrays of one beam search."""

    def __init__(self, machine: Machine, watch: Watch) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = width = machine.packing.words
        self.kept_bytes, self.candidate_bytes = KEPT_BYTES + 8 * width, CANDIDATE_BYTES + 8 * width
        beam_width = self.problem.frontier.values["width"]
        # No layer outgrows the memory, so that is as wide as the arrays have to be.
        layer = min(beam_width * machine.most, watch.memory // self.candidate_bytes + 2 * machine.most)
        nodes = min(MOST_NODES, watch.memory // self.kept_bytes + 2)
        self.layer = layer
        self.kept = reserve(nodes * width, np.uint64), reserve(nodes, np.uint32), reserve(nodes, np.float64)
        self.candidates = (
            reserve(layer * width, np.uint64),
            reserve(layer, np.int64),
            reserve(layer, np.float64),
            reserve(layer, np.float64),
            reserve(layer, np.uint8),
        )
        # All slots in use are counted as held: what is entered lies anywhere among them.
        self.slots = reserve(max(FIRST_SLOTS, 2 << (2 * layer).bit_length()), np.uint64)
        self.ranked = reserve(layer, np.float64)
        self.scratch = scratch(machine)
        self.callees = machine.callee_rows()
        self.control = control = fresh_control(machine)
        control[ct.BEAM_WIDTH], control[ct.SLOTS], control[ct.DEPTHS] = beam_width, FIRST_SLOTS, nodes
        control[ct.FOUND], control[ct.STAMP], control[ct.LAYERS_UNTIL] = -1, 1, 1
        control[ct.BY_COST] = depends_on_cost(self.problem.frontier.component)
        self.figures = np.full(ct.FIGURES, inf)
        self.addresses = addresses(
            *self.kept,
            *self.candidates,
            self.slots,
            self.ranked,
            *self.scratch,
            self.callees,
            control,
            self.figures,
        )

    def run(self) -> Outcome:
        """Search layer by layer until it is over or a limit is reached."""
        watch, control = self.watch, self.control
        status = self._enter_start()
        slices = Slices(watch)
        while status in (ct.BUDGET, ct.TABLE_FULL):
            self._account()
            if status == ct.TABLE_FULL:
                stopped = self._grow_table()
            else:
                stopped = watch.stop(watch.statistics, int(control[ct.BATCH_SIZE]))
            allowed = self._allowed()
            if stopped or not allowed:
                return Outcome(stopped or "memory-limit", watch.statistics)
            status = self._slice(slices.budget(int(control[ct.EXPANDED]), allowed))
            slices.done(int(control[ct.EXPANDED]))
        self._account()
        if status == ct.NOT_A_NUMBER:
            self.problem.checked(float("nan"), self._failing_board())
        if status == ct.DEEPER:
            return Outcome("memory-limit", watch.statistics)
        return (
            Outcome("solved", watch.statistics, self._path, float(self.kept[2][int(control[ct.CURRENT])]))
            if status == ct.GOAL
            else Outcome("exhausted", watch.statistics)
        )

    def _enter_start(self) -> int:
        """Make the start the first layer; return the status with which to go on."""
        problem, control = self.problem, self.control
        h = problem.estimate(problem.board) if problem.estimates else 0.0
        control[ct.EVALUATED], control[ct.DEAD_ENDS] = int(problem.estimates), int(h == inf)
        self.figures[ct.BEST_H] = h if problem.estimates else inf
        if problem.domain.is_goal(problem.board):
            return ct.GOAL
        if h == inf:
            return ct.EXHAUSTED
        self.kept[0][: self.width] = self.machine.packing.pack(problem.board)
        control[ct.NODES] = control[ct.LAST] = 1
        return ct.BUDGET

    def _slice(self, budget: int) -> int:
        """Let the kernel run until the budget is used, and evaluate the layers it asks for."""
        while True:
            with PluginCode(self._explained):
                status: int = search_kernel(self.width)(*self.addresses, budget)
            if status != ct.EVALUATE:
                return status
            self._account()
            self._evaluate()

    def _explained(self, error: BaseException) -> EvaluationError:
        self._account()
        return explained(error, self.problem, self._failing_board())

    def _evaluate(self) -> None:
        """Evaluate the candidates, so many at once that what this takes in memory hardly counts."""
        states, _, _, keys, _ = self.candidates
        states = states.reshape(-1, self.width)
        for first in range(0, int(self.control[ct.BATCH_SIZE]), MOST_TOGETHER):
            self.watch.check()
            piece = slice(first, min(first + MOST_TOGETHER, int(self.control[ct.BATCH_SIZE])))
            keys[piece] = estimate_tiles(self.problem, self.machine.packing.unpack_tiles(states[piece]), self.watch)
        self.control[ct.VALUED] = 1

    def _allowed(self) -> int:
        """Return how many expansions the memory limit allows for sure."""
        control = self.control
        if control[ct.BATCH_SIZE] + self.machine.most > self.layer:
            return 0
        to_keep = self.kept_bytes * int(min(control[ct.BATCH_SIZE], control[ct.BEAM_WIDTH]))
        free = self.watch.memory - self._held() - to_keep
        return max(0, free // (self.machine.most * (self.candidate_bytes + self.kept_bytes)))

    def _grow_table(self) -> str:
        """Use twice the slots; return the status with which that ends the search, or an empty text."""
        control = self.control
        slots = int(control[ct.SLOTS])
        if 2 * slots > len(self.slots) or self._held() + SLOT_BYTES * slots > self.watch.memory:
            return "memory-limit"
        control[ct.SLOTS] = 2 * slots
        control[ct.STAMP] += 1
        fresh, (table, candidates, block) = (
            self.slots[slots : 2 * slots],
            addresses(self.slots, self.candidates[0], control),
        )

        def touch(first: int, last: int) -> None:
            # Candidates are entered all over the table: the first few would wait for memory for all of it.
            fresh[first : last : 4096 // SLOT_BYTES] = 0

        def enter(first: int, last: int) -> None:
            enter_kernel()(table, candidates, first, last, block)

        waiting = int(control[ct.BATCH_SIZE])
        for work, count_ in ((touch, slots), (enter, waiting)):
            stopped = in_ranges(work, count_, count_, self.watch, waiting)
            if stopped:
                return stopped
        self._account()
        return ""

    def _held(self) -> int:
        """Return the bytes touched so far."""
        control = self.control
        most = int(max(control[ct.MOST_CANDIDATES], control[ct.BATCH_SIZE]))
        fixed: int = sum(array.nbytes for array in self.scratch)
        table = SLOT_BYTES * int(control[ct.SLOTS])
        return fixed + table + self.kept_bytes * int(control[ct.NODES]) + self.candidate_bytes * most

    def _account(self) -> None:
        """Bring the statistics up to date."""
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        statistics.stored = int(control[ct.NODES])
        statistics.max_open = int(control[ct.MOST_ON_OPEN])
        statistics.peak_bytes = max(statistics.peak_bytes, self._held())

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return path_to(int(self.control[ct.CURRENT]), self.machine, self.kept[0], self.kept[1])

    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""
        successor, node = int(self.control[ct.SUCCESSOR]), int(self.control[ct.CURRENT])
        words, at = (self.scratch[0], successor) if successor >= 0 else (self.kept[0], node)
        if successor == bm.OF_CANDIDATE:
            words = self.candidates[0]
        return self.machine.board_of(words[at * self.width : (at + 1) * self.width].copy())
