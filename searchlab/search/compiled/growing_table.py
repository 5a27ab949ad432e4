"""The slots of a search's hash table: reserved once, and filled anew in the same place when they are too few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.memory import reserve
from searchlab.search.compiled.running import addresses, in_ranges
from searchlab.search.kernels import control as ct

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.watch import Watch

SLOT_BYTES = 4
SLOTS_A_PAGE = 4096 // SLOT_BYTES
SLOTS_AT_ONCE = 2**22 // SLOT_BYTES
"""So many are touched for the first time in a row: two huge pages."""
FIRST_SLOTS = 1 << 12
MOST_SLOTS = 1 << 32
MOST_NODES = MOST_SLOTS // 2
"""So many nodes are within any table's limit on how full it may be."""


class GrowingTable:
    """The slots of a search's hash table.

    Args:
        watch: its memory bounds the table, and it is asked between ranges of nodes while the table is filled.
        control: the search's; its SLOTS says how many slots are in use.

    Attributes:
        items: all slots there is room for.
    """

    def __init__(self, watch: Watch, control: Any) -> None:
        self._watch, self._control = watch, control
        room = max(FIRST_SLOTS, min(MOST_SLOTS, watch.memory // SLOT_BYTES))
        self.items = reserve(1 << (room.bit_length() - 1), np.uint32)
        control[ct.SLOTS] = FIRST_SLOTS

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        return SLOT_BYTES * int(self._control[ct.SLOTS])

    def may_double(self, held: int) -> bool:
        """Return whether there is room for twice the slots, for a search that holds so many bytes."""
        slots = int(self._control[ct.SLOTS])
        return 2 * slots <= len(self.items) and held + SLOT_BYTES * slots <= self._watch.memory

    def refill(self, slots: int, nodes: int, enter_range: Callable[[int, int, int, int], None]) -> str:
        """Use so many slots, at least as many as before, and enter the first `nodes` nodes.

        Args:
            enter_range: enters a range of nodes into a table: `(address, slots, first, last)`. It is not kept: a search
                in a cycle with its table would give its memory back late, when somebody looks for cycles.

        Returns the status with which the search has to end, as the watch gives it, or an empty text. If it has to
        end the table is incomplete, and of no use any more.
        """
        used, self._control[ct.SLOTS] = int(self._control[ct.SLOTS]), slots
        fresh, (address,) = self.items[used:slots], addresses(self.items)

        def clear(first: int, last: int) -> None:
            self.items[first:last] = 0

        def touch(first: int, last: int) -> None:
            # Nodes are entered all over the table: the first few would wait for memory for all of it.
            fresh[first:last:SLOTS_A_PAGE] = 0

        def enter(first: int, last: int) -> None:
            enter_range(address, slots, first, last)

        open_nodes = int(self._control[ct.ON_OPEN])
        for work, items, most in ((clear, used, used), (touch, len(fresh), SLOTS_AT_ONCE), (enter, nodes, nodes)):
            stopped = in_ranges(work, items, most, self._watch, open_nodes)
            if stopped:
                return stopped
        return ""
