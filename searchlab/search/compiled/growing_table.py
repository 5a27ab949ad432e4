"""The slots of a search's hash table: reserved once, and filled again in the same place when they are too few."""

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
"""Slots touched for the first time in a row: two huge pages."""
FIRST_SLOTS = 1 << 12
ENTERED = "nodes that are entered"
"""Key in `Arrays.views`, with whether there are no flags, of the arrays that the `enter` kernel takes."""
MOST_SLOTS = 1 << 32
MOST_NODES = MOST_SLOTS // 2
"""This many nodes are within any table's limit on how full it may be."""


class GrowingTable:
    """The slots of a search's hash table.

    Args:
        watch: limits the memory of the table, and is checked between ranges of nodes while the table is filled.
        control: the control record of the search; `slots` is the number of slots in use.
        items: all slots that there is room for, all 0; `most_slots` gives the largest number.
        views: the views of the search's arrays, see there.
    """

    def __init__(
        self, watch: Watch, control: BestFirstControl, items: Any, views: dict[Any, Arrays] | None = None
    ) -> None:
        self._watch, self._control, self.items = watch, control, items
        self._views = {} if views is None else views
        control.slots = FIRST_SLOTS

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        return SLOT_BYTES * self._control.slots

    def may_double(self, held: int) -> bool:
        """Return whether there is room for twice the slots, for a search that holds `held` bytes."""
        slots = self._control.slots
        return 2 * slots <= len(self.items) and held + SLOT_BYTES * slots <= self._watch.memory

    def use_nodes(self, words: Any, flags: Any = None) -> None:
        """Set the nodes to be entered.

        Args:
            words: their states at the beginning of each row, shape (nodes, words).
            flags: their flags if only closed nodes are entered, shape (nodes,).
        """
        self._words, self._flags = words, flags

    def enter_start(self) -> None:
        """Enter the first node, before any other."""
        slot, entry = slot_and_entry(self._words[0, : self._control.width].tolist(), self._control.slots - 1, 0)
        self.items[slot] = entry

    def enter(self, first: int, last: int) -> None:
        """Enter the nodes `first` … `last` - 1."""
        self._nodes.control.slots = self._control.slots
        self._enter(*self._addresses, first, last)

    @cached_property
    def _nodes(self) -> TableArrays:
        """The arrays of the kernel; a short search that enters closed nodes only does not need them."""
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
        with self._watch.not_counting():  # a short search needs no larger table: it is compiled when one does
            return enter_kernel(closed_only=self._flags is not None)

    def refill(self, slots: int, nodes: int) -> str:
        """Use `slots` slots, at least as many as before, and enter the first `nodes` nodes.

        Returns the status with which the search has to end, as the watch gives it, or `''`. If it has to end the table
        is incomplete, and of no use any more.
        """
        if nodes:
            self._enter  # noqa: B018 - compiled before the ranges are timed
        used, self._control.slots = self._control.slots, slots
        fresh = self.items[used:slots]

        def clear(first: int, last: int) -> None:
            self.items[first:last] = 0

        def touch(first: int, last: int) -> None:
            # Nodes are entered all over the table: the first few would wait for memory for all of it.
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
        """Give back the memory of the slots, and let the nodes go."""
        vars(self).pop("_nodes", None)
        self._views.clear()
        del self.items, self._words, self._flags


def most_slots(watch: Watch) -> int:
    """Return the number of slots there is room for within the memory limit, a power of two."""
    room = max(FIRST_SLOTS, min(MOST_SLOTS, watch.memory // SLOT_BYTES))
    return 1 << (room.bit_length() - 1)


class TableSearch(SearchRun):
    """A search that finds known states by a hash table.

    Attributes:
        table: the slots.
    """

    table: GrowingTable
    control: BestFirstControl

    @property
    def counts_by_f(self) -> int:
        """The number of items of `by_f` that may be nonzero."""
        return 2 * self.control.layers

    def account(self) -> None:
        """Bring the statistics up to date, and let the watch ask for the layers of this search."""
        super().account()
        self.watch.layers_by_f = self.layers

    def layers(self) -> list[int]:
        """Return the numbers of expanded and generated nodes by f, see `Watch.layers_by_f`."""
        count_layer(self.control, self.arrays.by_f)
        counts: list[int] = self.arrays.by_f[: self.counts_by_f].tolist()
        return counts

    def grow(self, status: int) -> str:
        """Use twice the slots; return the status with which that ends the search, or `''`."""
        if not self.table.may_double(self.held()):
            return "memory-limit"
        stopped = self.table.refill(2 * self.control.slots, self.control.nodes)
        self.account()
        return stopped


def enter_kernel(*, closed_only: bool) -> Callable[..., int]:
    """Return the kernel that enters all nodes, or all closed nodes, into a table."""
    return kernel(enter, TableArrays, CLOSED_ONLY=closed_only)
