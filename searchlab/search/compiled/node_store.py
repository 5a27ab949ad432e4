"""The compiled side of a `NodeStore`."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from searchlab.errors import PluginCode
from searchlab.search.compiled.queues import AT_ONCE, LISTED, QueueSearch
from searchlab.search.compiled.replay import path_to
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import CLOSED
from searchlab.search.kernels.node_store import (
    QUEUE,
    StoreArrays,
    StoreControl,
    check_listed,
    expand_listed,
    push_listed,
    take_listed,
)
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.search.compiled.kernel_run import Kernels
    from searchlab.search.compiled.problem import CompiledProblem

    Nodes = NDArray[np.int64]

PUSH, TAKE, CHECK, EXPAND = range(4)


class StoreSearch(QueueSearch):
    """A search with one queue, whose loop is in Python."""

    kernels: ClassVar[Kernels] = tuple(
        (function, StoreArrays, {}) for function in (push_listed, take_listed, check_listed, expand_listed)
    )
    kind = StoreArrays
    control_kind = StoreControl
    arrays: StoreArrays
    control: StoreControl

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile everything that the search calls."""
        _ = compiled.callees, compiled.keys, compiled.further
        cls.compiled_kernels(compiled)

    def enter_start(self) -> None:
        """Make the start node 0, without putting it into the queue."""
        s, control = self.arrays, self.control
        h = self.evaluate_start()
        s.words[0] = self.compiled.start
        # A dead end counts as closed, so that it is not expanded.
        s.parents[0], s.costs[0], s.estimates[0], s.flags[0] = -1, 0.0, h, CLOSED if h == inf else 0
        control.nodes = control.in_table = 1
        control.goal = 0  # the start may be a goal, so it can be taken whatever its h
        self.table.enter_start()
        self.account()

    def operate(self, operation: int, number: int) -> int:
        """Call a kernel on the first `number` listed nodes; return its status or count."""
        with PluginCode(self.explained):
            return self.compiled_kernels(self.compiled)[operation](*self.addresses, number)

    def push(self, nodes: Any, priorities: Any) -> None:
        """Put nodes into the queue."""
        s = self.arrays
        for part in parts(len(nodes)):
            count = part.stop - part.start
            if int(s.sizes[QUEUE]) + count > self.capacity:
                raise Stopped("memory-limit")
            s.listed[:count], s.priorities[:count] = nodes[part], priorities[part]
            self.operate(PUSH, count)

    def take(self, most: int) -> Nodes:
        """Return up to `most` nodes, taken from the queue."""
        taken = []
        for part in parts(most):
            wanted = part.stop - part.start
            taken.append(self.arrays.listed[: self.operate(TAKE, wanted)].copy())
            if len(taken[-1]) < wanted:
                break
        return np.concatenate(taken)

    def are_goals(self, nodes: Any) -> NDArray[np.bool_]:
        """Return a mask of the nodes that are goals."""
        s, found = self.arrays, np.zeros(len(nodes), np.bool_)
        for part in parts(len(nodes)):
            count = part.stop - part.start
            s.listed[:count] = nodes[part]
            self.operate(CHECK, count)
            found[part] = s.listed[:count]
        return found

    def expand(self, nodes: Any) -> Nodes:
        """Expand nodes; return the new nodes, and the nodes with a cheaper path."""
        s, control = self.arrays, self.control
        found, at = [np.zeros(0, np.int64)], 0
        while at < len(nodes):
            allowed = min(self.allowed(), LISTED, len(nodes) - at)
            if not allowed:
                raise Stopped("memory-limit")
            s.listed[:allowed] = nodes[at : at + allowed]
            control.at = control.found = 0
            while (status := self.operate(EXPAND, allowed)) == Status.TABLE_FULL:
                if stopped := self.grow(status):
                    raise Stopped(stopped)
            self.account()
            if status == Status.NOT_A_NUMBER:
                self.problem.checked(float("nan"), self.failing_board())
            found.append(s.found[: control.found].copy())
            at += allowed
            self.watch.check()
        return np.concatenate(found)

    def least(self, goal: int) -> float:
        """Return the smallest g + h of lost paths and of nodes that are not expanded, except the goal."""
        s, control, least = self.arrays, self.control, self.control.lost
        for first in range(0, control.nodes, AT_ONCE):
            nodes = first + np.flatnonzero(s.flags[first : min(first + AT_ONCE, control.nodes)] & CLOSED == 0)
            least = min(least, self._least_of(nodes[nodes != goal], counts_h=control.counts_h != 0))
        return float(least)

    def path_of(self, node: int) -> list[Board]:
        """Return the boards from the start to a node."""
        return list(path_to(node, self.compiled, self.arrays.words, self.arrays.parents))


def parts(count: int) -> Iterator[slice]:
    """Yield slices of `count` items, each small enough for one call of a kernel."""
    yield from (slice(first, min(first + LISTED, count)) for first in range(0, count, LISTED))
