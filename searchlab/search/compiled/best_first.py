"""Best-first search compiled: the arrays of one search, and what Python does between slices."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from searchlab.compiler.functions import compile_kernel
from searchlab.compiler.memory import reserve_together
from searchlab.errors import PluginCode
from searchlab.model.results import Outcome
from searchlab.search.compiled.growing_table import FIRST_SLOTS, MOST_NODES, SLOT_BYTES, GrowingTable
from searchlab.search.compiled.running import Slices, addresses, count, explained, fresh_control, path_to, scratch
from searchlab.search.kernels import best_first as bf
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.problem import EvaluationError
    from searchlab.search.watch import Watch

NODE_BYTES, STAMP_BYTES = 4 + 2 * 8 + 1, 8
"""Bytes of a node besides its words, and what early detection adds."""
ENTRY_BYTES, KEY_BYTES = 8 + 4, 2 * 8
"""Bytes of an entry of the open list, and what a heap adds: priority and tie."""
NODE_KINDS = (np.int32, np.float64, np.float64, np.int64, np.uint8)
"""Of a node's parent, g, h, stamp and flags; its words stand before them."""
ENTRY_KINDS = (np.float64, np.float64, np.int64, np.int32)
"""Of an open entry's priority, tie, stamp and node."""


@cache
def search_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(bf.best_first, bf.SIGNATURE, width=width)


@cache
def enter_kernel() -> Callable[..., None]:
    """Return the kernel that enters nodes into a table."""
    return compile_kernel(table.enter, table.ENTER)


@cache
def enter_closed_kernel() -> Callable[..., None]:
    """Return the kernel that enters closed nodes into a table."""
    return compile_kernel(table.enter_closed, table.ENTER_CLOSED)


class Predecessor(Protocol):
    """A search that another can go on with, which takes over its nodes and its open list."""

    control: Any
    figures: Any
    peak_bytes: int

    @property
    def stored_nodes(self) -> int:
        """Nodes it keeps."""

    def held(self) -> int:
        """Return the bytes it holds."""

    def hand_over(self, successor: BestFirstSearch) -> Iterator[tuple[int, int, Any]]:
        """Write its nodes into the other; yield g, h and numbers of the open ones, those to be taken last first."""

    def release(self) -> None:
        """Give back the memory it holds."""


class BestFirstSearch:
    """The arrays of one best-first search, and what Python does between slices."""

    def __init__(self, machine: Machine, watch: Watch) -> None:
        self.machine, self.watch = machine, watch
        self.problem = machine.problem
        self.width = machine.packing.words
        self.node_bytes = NODE_BYTES + 8 * self.width + (0 if self.problem.late else STAMP_BYTES)
        self.entry_bytes = ENTRY_BYTES + (KEY_BYTES if self.problem.frontier.component.container == "heap" else 0)
        self.step_bytes = machine.most * (self.node_bytes + self.entry_bytes)
        nodes = min(MOST_NODES, watch.memory // self.node_bytes + machine.most + 1)
        entries = watch.memory // self.entry_bytes + machine.most + 1
        self.nodes, self.entries = _reserved(nodes, entries, self.width)
        self.words, self.parents, self.costs, self.estimates, self.stamps, self.flags = self.nodes
        self.batch: tuple[Any, ...] = np.zeros(ct.LARGEST_BATCH, np.int64), np.zeros(ct.LARGEST_BATCH, np.int64)
        self.scratch = scratch(machine)
        self.callees = machine.callee_rows()
        self.control = fresh_control(machine)
        self.figures = np.full(ct.FIGURES, inf)
        self.most_entries = 0
        self.peak_bytes = 0
        self.table = GrowingTable(watch, self.control)
        self.addresses = self._addresses()

    def run(self) -> Outcome:
        """Search until it is over or a limit is reached."""
        if not self._enter_start():
            return self._dead_start()
        self.watch.begin()
        return self.go_on()

    def take_over(self, search: Predecessor) -> bool:
        """Take over the nodes and the open list of a search with buckets, and release what it holds.

        Returns False if there is no room for them.
        """
        control, open_nodes = self.control, int(search.control[ct.ON_OPEN])
        slots = FIRST_SLOTS
        while 3 * slots < 4 * (search.stored_nodes + self.machine.most + 1):
            slots *= 2
        held = search.stored_nodes * self.node_bytes + open_nodes * self.entry_bytes + slots * SLOT_BYTES
        self.peak_bytes = max(search.peak_bytes, search.held() + held)
        if self.peak_bytes > self.watch.memory or search.stored_nodes >= len(self.parents):
            return False
        control[: ct.CURRENT] = search.control[: ct.CURRENT]
        self.figures[:] = search.figures
        for g, h, nodes in search.hand_over(self):
            self._append(g, h, nodes, open_nodes)
        self.parents[0] = -1
        control[ct.STAMP] = open_nodes
        search.release()
        self.table.refill(slots, int(control[ct.NODES]), self._enter_nodes)
        return True

    def write(self, first: int, words: Any, parents: Any, costs: Any, estimates: Any, flags: Any) -> Any:
        """Write nodes behind the first `first`; return their numbers."""
        last = first + len(words)
        self.words[first * self.width : last * self.width] = words.ravel()
        for array, values in (
            (self.parents, parents),
            (self.costs, costs),
            (self.estimates, estimates),
            (self.flags, flags),
        ):
            array[first:last] = values
        self.control[ct.NODES] = last
        return np.arange(first, last)

    def unstamped(self, nodes: Any) -> Any:
        """Return which of some nodes were not yet put on the open list."""
        return self.stamps[nodes] == 0

    def _append(self, g: int, h: int, nodes: Any, newest: int) -> None:
        """Append nodes of one class to the open list, in the order to be taken: a sorted sequence is a heap."""
        first = int(self.control[ct.LAST])
        last = first + len(nodes)
        component = self.problem.frontier.component
        stamps = newest - np.arange(first, last)
        key, tie = self.problem.frontier.priority(g, h), h if component.ties == "low-h" else 0.0
        for array, values in zip(self.entries, (key, tie, stamps, nodes), strict=True):
            array[first:last] = values
        if not self.problem.late:
            self.stamps[nodes] = stamps
        self.control[ct.LAST] = last

    def go_on(self) -> Outcome:
        """Search from where the arrays stand."""
        watch, control = self.watch, self.control
        slices = Slices(watch)
        status = self._slice(int(control[ct.EXPANDED]))  # a goal that comes first is no matter of limits
        while status in (ct.BUDGET, ct.TABLE_FULL):
            self._account()
            if status == ct.TABLE_FULL:
                stopped = self._grow_table()
            else:
                stopped = watch.stop(watch.statistics, int(control[ct.ON_OPEN]))
            allowed = max(0, watch.memory - self._held()) // self.step_bytes
            fits = allowed > 0 and int(control[ct.NODES]) + self.machine.most < len(self.parents)
            if stopped or not fits:
                return self._outcome(stopped or "memory-limit")
            status = self._slice(slices.budget(int(control[ct.EXPANDED]), allowed))
            slices.done(int(control[ct.EXPANDED]))
        if status == ct.NOT_A_NUMBER:
            self._account()
            self.problem.checked(float("nan"), self._failing_board())
        if status != ct.GOAL:
            return self._outcome("exhausted")
        return self._outcome("solved", self._path, float(self.costs[int(control[ct.CURRENT])]))

    def _dead_start(self) -> Outcome:
        """End a search that begins at a dead end: that is the solution where it is a goal."""
        if self.problem.domain.is_goal(self.problem.board):
            return self._outcome("solved", lambda: [self.problem.board], 0.0)
        return self._outcome("exhausted")

    def _kernel(self) -> Callable[..., int]:
        return search_kernel(self.width)

    def _slice(self, budget: int) -> int:
        with PluginCode(self._explained):
            return self._kernel()(*self.addresses, budget)

    def _explained(self, error: BaseException) -> EvaluationError:
        self._account()
        return explained(error, self.problem, self._failing_board())

    def _enter_start(self) -> bool:
        """Put the start on the open list; return False if it is a dead end."""
        h = self.problem.estimate(self.problem.board) if self.problem.estimates else 0.0
        control = self.control
        if self.problem.estimates:
            control[ct.EVALUATED] += 1
            control[ct.DEAD_ENDS] += h == inf
        if h == inf:
            return False
        self.figures[ct.BEST_H] = h if self.problem.estimates else inf
        self.words[: self.width] = self.machine.packing.pack(self.problem.board)
        self.parents[0], self.costs[0], self.estimates[0] = -1, 0.0, h
        self.stamps[0], self.flags[0] = 1, table.OPEN
        keys, ties, stamps, entries = self.entries
        # The only entry: its key is compared with nothing.
        keys[0], ties[0], stamps[0], entries[0] = 0.0, 0.0, 1, 0
        control[ct.NODES] = control[ct.LAST] = control[ct.STAMP] = 1
        control[ct.ON_OPEN] = control[ct.MOST_ON_OPEN] = 1
        if not self.problem.late:
            self._enter_nodes(addresses(self.table.items)[0], FIRST_SLOTS, 0, 1)
            control[ct.IN_TABLE] = 1
        return True

    def _grow_table(self) -> str:
        """Use twice the slots; return the status with which that ends the search, or an empty text."""
        if not self.table.may_double(self._held()):
            return "memory-limit"
        stopped = self.table.refill(2 * int(self.control[ct.SLOTS]), int(self.control[ct.NODES]), self._enter_nodes)
        self._account()
        return stopped

    def _enter_nodes(self, address: int, slots: int, first: int, last: int) -> None:
        """Enter those of a range of nodes that must be known into a table."""
        if self.problem.late:
            enter_closed_kernel()(address, slots, *addresses(self.words, self.flags), first, last, self.width)
        else:
            enter_kernel()(address, slots, *addresses(self.words), first, last, self.width, self.width)

    def _addresses(self) -> tuple[int, ...]:
        """Return what the kernel is called with, but for the budget."""
        return addresses(
            *self.nodes,
            self.table.items,
            *self.entries,
            *self.batch,
            *self.scratch,
            self.callees,
            self.control,
            self.figures,
        )

    def _held(self) -> int:
        """Return the bytes touched so far."""
        control = self.control
        self.most_entries = max(self.most_entries, int(control[ct.LAST]))
        fixed: int = sum(array.nbytes for array in (*self.scratch, *self.batch))
        nodes = self.node_bytes * int(control[ct.NODES])
        return fixed + nodes + self.entry_bytes * self.most_entries + self.table.nbytes

    def _account(self) -> None:
        """Bring the statistics up to date."""
        self.peak_bytes = max(self.peak_bytes, self._held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control, self.figures)
        statistics.stored = int(control[ct.NODES] - control[ct.FREED])
        statistics.max_open = int(control[ct.MOST_ON_OPEN])
        statistics.reopened = int(control[ct.REOPENED])
        statistics.duplicates = int(control[ct.DUPLICATES])
        statistics.peak_bytes = self.peak_bytes

    def _outcome(
        self, status: str, path: Callable[[], list[Board]] | None = None, cost: float | None = None
    ) -> Outcome:
        self._account()
        return Outcome(status, self.watch.statistics, path or [], cost)

    def _path(self) -> list[Board]:
        """Return the boards from the start to the goal."""
        return path_to(int(self.control[ct.CURRENT]), self.machine, self.words, self.parents)

    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""
        successor = int(self.control[ct.SUCCESSOR])
        start = self.width * max(successor, int(self.control[ct.CURRENT]) if successor < 0 else 0)
        words = self.scratch[0] if successor >= 0 else self.words
        return self.machine.board_of(words[start : start + self.width].copy())


def _reserved(nodes: int, entries: int, width: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Reserve the arrays of nodes and of open entries."""
    of_nodes = (nodes * width, np.uint64), *((nodes, kind) for kind in NODE_KINDS)
    of_entries = ((entries, kind) for kind in ENTRY_KINDS)
    arrays = reserve_together(*of_nodes, *of_entries)
    return arrays[: len(of_nodes)], arrays[len(of_nodes) :]
