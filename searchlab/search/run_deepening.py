"""Iterative deepening compiled: the arrays of one search, and what Python does between slices."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiling import compile_kernel
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import deepening as dp
from searchlab.search.result import Outcome
from searchlab.search.running import Slices, addresses, count, explained, fresh_control, scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.search.compiling import Callee
    from searchlab.search.limits import Watch
    from searchlab.search.machine import Machine

UNLIMITED = 2**62
ESTIMATES, OUT = 2, 6
"""Where these stand among the arrays by depth."""


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(dp.deepening, dp.SIGNATURE, width=width)


class DeepeningSearch:
    """The arrays of one search by iterative deepening, and what Python does between slices."""

    FIRST_DEPTHS = 256

    def __init__(self, machine: Machine, step: Callee, watch: Watch) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = machine.packing.words
        _, tiles, out_tiles, _, _, moves = scratch(machine)
        self.tiles = tiles, out_tiles, moves
        self.step = step
        self.callees = machine.callee_rows(step)
        self.control = fresh_control(machine)
        self.figures = np.full(ct.FIGURES, inf)
        self._use_frames(self._frames(self.FIRST_DEPTHS))

    def run(self) -> Outcome:
        """Search below one bound after another until it is over or a limit is reached."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        bound = self.problem.estimate(self.problem.board) if self.problem.estimates else 0.0
        self.start_estimate = bound
        control[ct.EVALUATED] = int(self.problem.estimates)
        control[ct.DEAD_ENDS] = int(bound == inf)
        if self.problem.estimates:
            self.figures[ct.BEST_H] = bound
        while bound < inf:
            self._begin(bound)
            status = ct.BUDGET
            while status in (ct.BUDGET, ct.DEEPER):
                self._account()
                stopped = watch.stop(watch.statistics, int(control[ct.CURRENT]))
                if not stopped and status == ct.DEEPER and not self._grow():
                    stopped = "memory-limit"
                if stopped:
                    return Outcome(stopped, watch.statistics)
                status = self._slice(slices.budget(int(control[ct.EXPANDED]), UNLIMITED))
                slices.done(int(control[ct.EXPANDED]))
            self._account()
            if status == ct.GOAL:
                return Outcome("solved", watch.statistics, self._path)
            if status in (ct.NOT_A_NUMBER, ct.NEGATIVE):
                board = self._failing_board()
                self.problem.checked(self.problem.estimate(board), board)
            bound = float(self.figures[ct.NEXT_BOUND])
        self._account()
        return Outcome("exhausted", watch.statistics)

    def _begin(self, bound: float) -> None:
        """Set out from the start below a bound."""
        self.frames[0][: self.width] = self.machine.packing.pack(self.problem.board)
        self.frames[ESTIMATES][0] = self.start_estimate
        self.control[ct.CURRENT], self.control[ct.ENTERING] = 0, 1
        self.figures[ct.BOUND], self.figures[ct.NEXT_BOUND] = bound, inf

    def _slice(self, budget: int) -> int:
        try:
            return search_kernel(self.width)(*self.addresses, budget)
        except Exception as error:
            self.control[ct.EXPANDED] += 1  # the kernel counts a node once its successors are evaluated
            self._account()
            raise explained(error, self.problem, self._failing_board()) from error

    def _frames(self, depths: int) -> tuple[Any, ...]:
        """Return the kernel's arrays by depth."""
        most = self.machine.most
        return (
            np.zeros(depths * self.width, np.uint64),
            np.zeros(depths),
            np.zeros(depths),
            np.zeros(depths, np.uint8),
            np.zeros(depths, np.int64),
            np.zeros(depths, np.int64),
            np.zeros(depths * most * self.width, np.uint64),
            np.zeros(depths * most),
            np.zeros(depths * most, np.uint8),
            np.ones(depths * most),
        )

    def _grow(self) -> bool:
        """Make room for paths twice as long; return False if that exceeds the memory limit."""
        larger = self._frames(2 * len(self.frames[1]))
        if sum(array.nbytes for array in (*larger, *self.frames)) > self.watch.memory:
            return False
        for new, old in zip(larger, self.frames, strict=True):
            new[: len(old)] = old
        self._use_frames(larger)
        return True

    def _use_frames(self, frames: tuple[Any, ...]) -> None:
        """Let the kernel use these arrays by depth."""
        self.frames = frames
        self.control[ct.DEPTHS] = len(frames[1])
        self.addresses = addresses(*frames, *self.tiles, self.callees, self.control, self.figures)

    def _account(self) -> None:
        """Bring the statistics up to date."""
        statistics = self.watch.statistics
        count(statistics, self.control, self.figures)
        statistics.stored = int(self.control[ct.NODES])
        held = sum(array.nbytes for array in (*self.frames, *self.tiles))
        statistics.peak_bytes = max(statistics.peak_bytes, held)

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        depth = int(self.control[ct.CURRENT])
        states = self.frames[0][: (depth + 1) * self.width].reshape(-1, self.width)
        return [self.problem.board, *self.machine.packing.unpack(states[1:])]

    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""
        depth, successor = int(self.control[ct.CURRENT]), int(self.control[ct.SUCCESSOR])
        words, at = (
            (self.frames[0], depth) if successor < 0 else (self.frames[OUT], depth * self.machine.most + successor)
        )
        return self.machine.board_of(words[at * self.width : (at + 1) * self.width].copy())
