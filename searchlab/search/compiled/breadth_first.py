"""Compiled breadth-first search with unit costs: nothing but a queue of packed states."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.adapters import has_unit_costs
from searchlab.compiler.arrays import allocate, bytes_per, nbytes
from searchlab.errors import PluginCode, PluginError
from searchlab.errors.cached import cached_property
from searchlab.search.compiled.growing_table import MOST_NODES, GrowingTable, TableSearch, most_slots
from searchlab.search.compiled.kernel_run import first_numbers
from searchlab.search.compiled.replay import PackedPath, packed_path
from searchlab.search.kernels.breadth_first import (
    ENDED,
    MOST_CHILDREN,
    BreadthFirst,
    BreadthFirstControl,
    breadth_first,
)
from searchlab.search.kernels.control import EXPANSION_BATCH

if TYPE_CHECKING:
    from searchlab.board.board import Board
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

AT_ONCE = 1 << 13
"""The number of nodes whose children are added up together."""


def is_in_order(problem: Problem) -> bool:
    """Return whether a search expands nodes in the order in which it finds them, and never finds shorter paths."""
    if problem.frontier.component.container != "fifo" or problem.late or problem.estimates:
        return False
    form = problem.domain.packed(problem.board)
    return form is not None and has_unit_costs(form) and form.max_successors <= MOST_CHILDREN


class BreadthFirstSearch(TableSearch):
    """A breadth-first search in which every move costs 1."""

    kernels = ((breadth_first, BreadthFirst, {}),)
    arrays: BreadthFirst
    control: BreadthFirstControl

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        self.node_bytes = bytes_per(BreadthFirst, "nodes", compiled.sizes)
        nodes = min(MOST_NODES, watch.memory // self.node_bytes + compiled.form.max_successors + 1)
        arrays = allocate(
            BreadthFirst,
            {**compiled.sizes, "nodes": nodes, "batch": EXPANSION_BATCH, "slots": most_slots(watch)},
            reserved=("nodes", "slots", "counts by f"),
            small_pages=("nodes",),
            spare=compiled.spare,
            callees=compiled.callee_rows(),
            control=first_numbers(BreadthFirstControl, compiled),
        )
        self.use(arrays)
        self.fixed_bytes = nbytes(arrays, "successors", "cells", "batch")
        self.table = GrowingTable(watch, self.control, arrays.slots, arrays.views)
        self.table.use_nodes(arrays.words)

    def start(self) -> int:
        """Store the start, and test whether it is a goal, regardless of limits."""
        self.evaluate_start()
        self.arrays.words[0] = self.compiled.start
        control = self.control
        control.nodes = control.on_open = control.most_on_open = 1
        control.parent, control.parent_ends, control.layer_ends, control.successor = -1, 1, 1, -1
        self.table.enter_start()
        self.watch.begin()
        return self.first_slice()

    def call(self, budget: int) -> int:
        """Call the kernel; if a plugin function fails, repeat node by node, so that all earlier nodes are counted."""
        try:
            with PluginCode():
                return self.kernel(*self.addresses, budget)
        except PluginError:
            self.control.update(one_by_one=1, goal=0, expanding=0, produced=0, kept=0, successor=-1)
        try:
            with PluginCode(self.explained):
                return self.kernel(*self.addresses, budget)
        except PluginError:
            self.control.expanded += self.control.expanding
            self.control.generated += self.control.produced
            self.control.nodes += self._reached_first()
            self.account()
            raise

    def _reached_first(self) -> int:
        """Return the number of nodes first reached by the expansion in which a function failed."""
        s, nodes, kept = self.arrays, self.control.nodes, self.control.kept
        words, ended = s.words[:nodes], s.children[:nodes] == ENDED
        reached = np.unique(np.column_stack([s.out[0, :kept], s.ends[0, :kept]]), axis=0)
        return sum(not ((words == row[:-1]).all(axis=1) & (ended == row[-1])).any() for row in reached)

    def written(self) -> dict[str, int]:
        """Return the number of items at the front of reserved arrays that may be nonzero."""
        return {"nodes": self.control.nodes, "slots": self.control.slots, "counts by f": self.counts_by_f}

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        most = self.compiled.form.max_successors
        room = len(self.arrays.children) - self.control.nodes
        return max(0, min(room, (self.watch.memory - self.held()) // self.node_bytes)) // most

    def held(self) -> int:
        """Return the number of bytes in use."""
        return self.fixed_bytes + self.node_bytes * self.control.nodes + self.table.nbytes

    @property
    def cost(self) -> float:
        """The number of moves to the goal."""
        return float(len(self.moved_to))

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return packed_path(self.compiled, self.arrays.words, [0, *self.moved_to])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the depth of the first open node, which is the smallest of all open nodes."""
        if is_solved:
            return self.cost
        return float(len(self._way_to(self.done))) if self.done < self.stored else inf

    @cached_property
    def moved_to(self) -> list[int]:
        """The numbers of the nodes on the way to the goal, without the start."""
        return self._way_to(int(self.control.current))

    def _way_to(self, node: int) -> list[int]:
        """Return the numbers of the nodes on the way to a node, without the start."""
        numbers = []
        found, last = self.stored, self.done
        while node > 0:
            numbers.append(node)
            # `found` nodes existed when `last` nodes were expanded. Go back until the node did not exist yet.
            while True:
                first = max(0, last - AT_ONCE)
                children = self.arrays.children[first:last]
                before = found - int(children.sum(dtype=np.int64))
                if before <= node:
                    break
                found, last = before, first
            ends = before + np.cumsum(children, dtype=np.int64)
            node = first + int(np.searchsorted(ends, node, side="right"))
        return numbers[::-1]

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, control = self.arrays, self.control
        words = s.words[control.current] if control.successor < 0 else s.out[0, control.successor]
        return self.compiled.board_of(words.copy())
