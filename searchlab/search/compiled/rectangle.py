"""Compiled rectangle search."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from searchlab.compiler.arrays import allocate, bytes_per, nbytes
from searchlab.model.costs import ROUNDING
from searchlab.search.compiled.growing_table import MOST_NODES, GrowingTable, TableSearch, most_slots
from searchlab.search.compiled.kernel_run import Kernels, first_numbers
from searchlab.search.compiled.queues import AT_ONCE
from searchlab.search.compiled.replay import PackedPath, path_to
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import OPEN
from searchlab.search.kernels.node_values import KEYS, OTHERS
from searchlab.search.kernels.rectangle import RectangleArrays, RectangleControl, rectangle

if TYPE_CHECKING:
    from searchlab.board.board import Board
    from searchlab.compiler.arrays import Written
    from searchlab.model.results import Outcome
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.watch import Watch

LEAST_ENTRIES = 1 << 12


class RectangleSearch(TableSearch):
    """A rectangle search."""

    kernels: ClassVar[Kernels] = ((rectangle, RectangleArrays, {}),)
    arrays: RectangleArrays
    control: RectangleControl

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        problem, most = self.problem, compiled.form.max_successors
        further = len(problem.further)
        sizes = {**compiled.sizes, "further": further, "values": OTHERS + further}
        self.node_bytes = bytes_per(RectangleArrays, "nodes", sizes)
        self.entry_bytes = bytes_per(RectangleArrays, "entries", sizes)
        self.step_bytes = most * (self.node_bytes + self.entry_bytes)
        nodes = min(MOST_NODES, watch.memory // self.node_bytes + most + 1)
        entries = min(MOST_NODES, watch.memory // self.entry_bytes + LEAST_ENTRIES)
        self.arrays = arrays = allocate(
            RectangleArrays,
            {**sizes, "nodes": nodes, "entries": entries, "slots": most_slots(watch)},
            reserved=("nodes", "entries", "slots", "counts by f"),
            spare=compiled.spare,
            callees=compiled.callee_rows(*compiled.keys, *compiled.further),
            control=first_numbers(RectangleControl, compiled),
        )
        self.use(arrays)
        self.control.update(
            **{"aspect": problem.frontier.values["aspect"], "queues": 1, "further": further},
            **{"first_further": KEYS + len(compiled.keys)},
            **{"failing": -1, "goal": -1, "deepest": -1, "f_min": -inf, "incumbent": inf, "below": inf},
            **{"rounding": 0.0 if problem.domain.unit_cost else ROUNDING},
            # The round before the first expands the start alone.
            **{"levels": 1, "left": 1, "grown": problem.frontier.values["aspect"]},
        )
        for k, heuristic in enumerate(problem.further):
            arrays.signs[k] = -1 if heuristic.prefer == "high" else 1
        self.fixed_bytes = nbytes(arrays, "successors", "cells")
        self.table = GrowingTable(watch, self.control, arrays.slots, arrays.views)
        self.table.use_nodes(arrays.words)

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile everything that the search calls."""
        super().prepare(compiled)
        _ = compiled.keys, compiled.further

    def start(self) -> int:
        """Make the start node 0, which the kernel puts into its heap."""
        s, control, problem = self.arrays, self.control, self.problem
        h = self.evaluate_start()
        if problem.domain.is_goal(problem.board):
            return Status.GOAL
        if h == inf:
            return Status.EXHAUSTED
        s.words[0] = self.compiled.start
        s.parents[0], s.costs[0], s.estimates[0] = -1, 0.0, h
        others = [problem.by(heuristic).estimate(problem.board) for heuristic in problem.further]
        s.others[0] = others
        control.evaluated += len(others)
        control.nodes = control.in_table = 1
        problem.queues[0].key((0.0, h, 0.0, -inf, inf, *others))  # errors are explained better here than in a kernel
        self.table.enter_start()
        self.watch.begin()
        return self.first_slice()

    def run(self) -> Outcome:
        """Search until no cheaper solution can exist or a limit is reached; report each cheaper solution."""
        status, stopped = self.advance(self.start())
        while status == Status.GOAL and self.control.nodes:
            self.account()
            self.watch.improved(self.cost, self.path)
            self.control.below = self.problem.below(self.watch.incumbent)
            status, stopped = self.advance(self.slice(self.done))  # even at a limit: it may be exhausted
        return self.end(status, stopped)

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        control, most = self.control, self.compiled.form.max_successors
        if control.nodes + most >= len(self.arrays.parents) or control.used + most >= len(self.arrays.entries):
            return 0
        return max(0, self.watch.memory - self.held()) // self.step_bytes

    def held(self) -> int:
        """Return the number of bytes in use."""
        entries = self.entry_bytes * self.control.used
        return int(self.fixed_bytes + self.node_bytes * self.control.nodes + entries + self.table.nbytes)

    def written(self) -> Written:
        """Return the items of reserved arrays that may be nonzero."""
        control = self.control
        return {
            **{"nodes": control.nodes + 1, "entries": control.used, "slots": control.slots},
            "counts by f": self.counts_by_f,
        }

    @property
    def cost(self) -> float:
        """The cost of the path to the goal."""
        return float(self.arrays.costs[self.control.current])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of open nodes, and of lost paths."""
        s, control = self.arrays, self.control
        least = float(control.lost)
        for first in range(0, control.nodes, AT_ONCE):
            flags = s.flags[first : min(first + AT_ONCE, control.nodes)]
            least = min(least, self._least_of(first + np.flatnonzero(flags & OPEN != 0)))
        if control.taken and not is_solved:
            least = min(least, self._least_of(np.array([control.current])))
        return least

    def _least_of(self, nodes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        s = self.arrays
        return float(np.min(s.costs[nodes] + (s.estimates[nodes] if self.control.counts_h else 0.0), initial=inf))

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return path_to(self.control.current, self.compiled, self.arrays.words, self.arrays.parents)

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, successor = self.arrays, self.control.successor
        words = s.out[successor] if successor >= 0 else s.words[self.control.current]
        return self.compiled.board_of(words.copy())
