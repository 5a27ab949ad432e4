"""The slots of a search's hash table: reserved once, and filled anew in the same place when they are too few."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.memory import reserve
from searchlab.search.compiled.kernel_run import SearchRun, in_ranges, kernel
from searchlab.search.kernels import hash_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.kernels.control import BestFirstControl
    from searchlab.search.watch import Watch

SLOT_BYTES = 4
SLOTS_A_PAGE = 4096 // SLOT_BYTES
SLOTS_AT_ONCE = 2**22 // SLOT_BYTES
"""Slots touched for the first time in a row: two huge pages."""
FIRST_SLOTS = 1 << 12
MOST_SLOTS = 1 << 32
MOST_NODES = MOST_SLOTS // 2
"""This many nodes are within any table's limit on how full it may be."""


class GrowingTable:
    """The slots of a search's hash table.

    Args:
        watch: its memory bounds the table, and it is asked between ranges of nodes while the table is filled.
        control: the search's; its `slots` says how many slots are in use.

    Attributes:
        items: all slots there is room for.
    """

    def __init__(self, watch: Watch, control: BestFirstControl) -> None:
        self._watch, self._control = watch, control
        room = max(FIRST_SLOTS, min(MOST_SLOTS, watch.memory // SLOT_BYTES))
        self.items: Any = reserve(1 << (room.bit_length() - 1), np.uint32)
        control.slots = FIRST_SLOTS

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        return SLOT_BYTES * self._control.slots

    def may_double(self, held: int) -> bool:
        """Return whether there is room for twice the slots, for a search that holds `held` bytes."""
        slots = self._control.slots
        return 2 * slots <= len(self.items) and held + SLOT_BYTES * slots <= self._watch.memory

    def refill(self, slots: int, nodes: int, enter_range: Callable[[int, int, int, int], None]) -> str:
        """Use `slots` slots, at least as many as before, and enter the first `nodes` nodes.

        Args:
            enter_range: enters a range of nodes into a table: `(address, slots, first, last)`. It is not kept: a search
                in a cycle with its table would give its memory back late, when somebody looks for cycles.

        Returns the status with which the search has to end, as the watch gives it, or `''`. If it has to end the table
        is incomplete, and of no use any more.
        """
        used, self._control.slots = self._control.slots, slots
        fresh, address = self.items[used:slots], self.items.ctypes.data

        def clear(first: int, last: int) -> None:
            self.items[first:last] = 0

        def touch(first: int, last: int) -> None:
            # Nodes are entered all over the table: the first few would wait for memory for all of it.
            fresh[first:last:SLOTS_A_PAGE] = 0

        def enter(first: int, last: int) -> None:
            enter_range(address, slots, first, last)

        open_nodes = self._control.on_open
        for work, items, most in ((clear, used, used), (touch, len(fresh), SLOTS_AT_ONCE), (enter, nodes, nodes)):
            stopped = in_ranges(work, items, most, self._watch, open_nodes)
            if stopped:
                return stopped
        return ""


class TableSearch(SearchRun):
    """A search that knows the states it has met by a hash table.

    Attributes:
        table: its slots.
    """

    table: GrowingTable

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile all that is called."""
        super().prepare(compiled)
        enter_kernel()
        if compiled.problem.late:
            enter_closed_kernel()

    @abstractmethod
    def enter_nodes(self, address: int, slots: int, first: int, last: int) -> None:
        """Enter those of a range of nodes that must be known into a table."""

    def grow(self, status: int) -> str:
        """Use twice the slots; return the status with which that ends the search, or `''`."""
        if not self.table.may_double(self.held()):
            return "memory-limit"
        stopped = self.table.refill(2 * self.control.slots, self.control.nodes, self.enter_nodes)
        self.account()
        return stopped


def enter_kernel() -> Callable[..., int]:
    """Return the kernel that enters nodes into a table."""
    return kernel(hash_table.enter, hash_table.ENTER)


def enter_closed_kernel() -> Callable[..., int]:
    """Return the kernel that enters closed nodes into a table."""
    return kernel(hash_table.enter_closed, hash_table.ENTER_CLOSED)
