"""The slots of a hash table: address space is reserved once, and a table that grows is filled again in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from searchlab.compiler.arrays import addresses
from searchlab.errors.cached import cached_property
from searchlab.search.compiled.kernel_run import SearchRun, in_ranges, kernel
from searchlab.search.kernels.control import count_layer
from searchlab.search.kernels.hash_table import TableArrays, TableControl, enter, slot_and_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.compiler.arrays import Arrays
    from searchlab.search.kernels.control import BestFirstControl
    from searchlab.search.watch import Watch

SLOT_BYTES = 4
SLOTS_A_PAGE = 4096 // SLOT_BYTES
SLOTS_AT_ONCE = 2**22 // SLOT_BYTES
"""The number of slots that are touched for the first time in a row: two huge pages."""
FIRST_SLOTS = 1 << 12
ENTERED = "nodes that are entered"
"""The key in `Arrays.views` of the arrays for the `enter` kernel, together with whether there are no flags."""
MOST_SLOTS = 1 << 32
MOST_NODES = MOST_SLOTS // 2
"""The largest number of nodes, which the largest table can hold without being too full."""


class GrowingTable:
    """The slots of the hash table of a search.

    Args:
        watch: limits the memory of the table, and is checked between ranges of nodes while the table is filled.
        control: the control record of the search; `slots` is the number of slots in use.
        items: all slots for which there is room, filled with 0; see `most_slots`.
        views: the `Arrays.views` of the search.
    """

    def __init__(
        self, watch: Watch, control: BestFirstControl, items: Any, views: dict[Any, Arrays] | None = None
    ) -> None:
        self._watch, self._control, self.items = watch, control, items
        self._views = {} if views is None else views
        control.slots = FIRST_SLOTS

    @property
    def nbytes(self) -> int:
        """The number of bytes in use."""
        return SLOT_BYTES * self._control.slots

    def may_double(self, held: int) -> bool:
        """Return whether there is memory for twice the slots, if the search holds `held` bytes."""
        slots = self._control.slots
        return 2 * slots <= len(self.items) and held + SLOT_BYTES * slots <= self._watch.memory

    def use_nodes(self, words: Any, flags: Any = None) -> None:
        """Set the nodes that may be entered.

        Args:
            words: the nodes, one row each, which begins with the packed state; shape (nodes, words or more).
            flags: the flags of the nodes if only closed nodes are entered, shape (nodes,); else None.
        """
        self._words, self._flags = words, flags

    def enter_start(self) -> None:
        """Enter node 0 into the empty table."""
        slot, entry = slot_and_entry(self._words[0, : self._control.width].tolist(), self._control.slots - 1, 0)
        self.items[slot] = entry

    def enter(self, first: int, last: int) -> None:
        """Enter the nodes from `first` to `last` - 1."""
        self._nodes.control.slots = self._control.slots
        self._enter(*self._addresses, first, last)

    @cached_property
    def _nodes(self) -> TableArrays:
        """The arrays of the kernel; a short search that enters only closed nodes does not need them."""
        key = ENTERED, self._flags is None
        known = self._views.get(key)
        if known is not None:
            return cast("TableArrays", known)
        control = TableControl(width=self._control.width, stride=self._words.shape[1])
        flags = np.zeros(1, np.uint8) if self._flags is None else self._flags
        made = TableArrays(slots=self.items, words=self._words, flags=flags, control=control)
        self._views[key] = made
        return made

    @cached_property
    def _addresses(self) -> tuple[int, ...]:
        return addresses(self._nodes)

    @cached_property
    def _enter(self) -> Callable[..., int]:
        with self._watch.not_counting():  # short searches never enlarge the table, so this is compiled on demand
            return enter_kernel(closed_only=self._flags is not None)

    def refill(self, slots: int, nodes: int) -> str:
        """Use `slots` slots, at least as many as before, and enter the first `nodes` nodes.

        Returns:
            the status of the watch if the search has to end, else `''`. In the first case the table is incomplete, and
            must not be used any more.
        """
        if nodes:
            self._enter  # noqa: B018 - compiled before the ranges are timed
        used, self._control.slots = self._control.slots, slots
        fresh = self.items[used:slots]

        def clear(first: int, last: int) -> None:
            self.items[first:last] = 0

        def touch(first: int, last: int) -> None:
            # Entries are spread over the table, so the first few would wait until the system provides all its memory.
            fresh[first:last:SLOTS_A_PAGE] = 0

        open_nodes = self._control.on_open
        for work, items, most in (
            (clear, used, used),
            (touch, len(fresh), SLOTS_AT_ONCE),
            (self.enter, nodes, nodes),
        ):
            stopped = in_ranges(work, items, most, self._watch, open_nodes)
            if stopped:
                return stopped
        return ""

    def release(self) -> None:
        """Release the memory of the slots, and the references to the nodes."""
        vars(self).pop("_nodes", None)
        self._views.clear()
        del self.items, self._words, self._flags


def most_slots(watch: Watch) -> int:
    """Return the largest number of slots within the memory limit, a power of two."""
    room = max(FIRST_SLOTS, min(MOST_SLOTS, watch.memory // SLOT_BYTES))
    return 1 << (room.bit_length() - 1)


class TableSearch(SearchRun):
    """A search that finds known states by a hash table.

    Attributes:
        table: the slots of the hash table.
    """

    table: GrowingTable
    control: BestFirstControl

    @property
    def counts_by_f(self) -> int:
        """The number of items at the front of `by_f` that may be nonzero."""
        return 2 * self.control.layers

    def account(self) -> None:
        """Update the statistics, and give the watch the function that returns the counts by f."""
        super().account()
        self.watch.layers_by_f = self.layers

    def layers(self) -> list[int]:
        """Return the numbers of expanded and generated nodes by f, see `Watch.layers_by_f`."""
        count_layer(self.control, self.arrays.by_f)
        counts: list[int] = self.arrays.by_f[: self.counts_by_f].tolist()
        return counts

    def grow(self, status: int) -> str:
        """Double the slots; return the status if this ends the search, else `''`."""
        if not self.table.may_double(self.held()):
            return "memory-limit"
        stopped = self.table.refill(2 * self.control.slots, self.control.nodes)
        self.account()
        return stopped


def enter_kernel(*, closed_only: bool) -> Callable[..., int]:
    """Return the kernel that enters all nodes, or all closed nodes, into a table."""
    return kernel(enter, TableArrays, CLOSED_ONLY=closed_only)
