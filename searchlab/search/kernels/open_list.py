"""The compiled open list: a 4-ary heap, or a plain array for first-in first-out and last-in first-out.

An entry is stale if its node has a newer entry or is no longer open; stale entries are dropped when they come up. With
late detection a node has a single entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from searchlab.search.kernels.hash_table import OPEN, I

if TYPE_CHECKING:
    from searchlab.compiler.arrays import Pointer

HEAP, FIFO, LIFO = 0, 1, 2


class Heap(NamedTuple):
    """The entries of a heap, the best first: smaller key, then smaller tie, then newer."""

    keys: Pointer
    ties: Pointer
    stamps: Pointer
    items: Pointer


class Entry(NamedTuple):
    """An entry of a heap."""

    key: float
    tie: float
    stamp: int
    item: int


def entry_at(heap: Heap, i: int) -> Entry:
    """Return entry i."""
    return Entry(heap.keys[i], heap.ties[i], heap.stamps[i], I(heap.items[i]))


def before(heap: Heap, i: int, other: Entry) -> bool:
    """Return whether entry i comes before another entry: smaller key, then smaller tie, then newer."""
    if heap.keys[i] != other.key:
        return heap.keys[i] < other.key
    if heap.ties[i] != other.tie:
        return heap.ties[i] < other.tie
    return heap.stamps[i] > other.stamp


def heap_push(heap: Heap, size: int, entry: Entry) -> None:
    """Put an entry into a heap of this size."""
    at = size
    while at > 0:
        above = (at - 1) >> 2
        if before(heap, above, entry):
            break
        put(heap, at, entry_at(heap, above))
        at = above
    put(heap, at, entry)


def heap_drop_first(heap: Heap, size: int) -> None:
    """Remove the first entry of a heap of this size."""
    heap_replace_first(heap, size - 1, entry_at(heap, size - 1))


def heap_replace_first(heap: Heap, size: int, entry: Entry) -> None:
    """Replace the first entry of a heap of this size.

    The successors of the node taken last are often the best. Then this ends at once, whereas removing the first entry
    and adding another would pass through the whole heap twice.
    """
    at = 0
    while True:
        first_below = 4 * at + 1
        if first_below >= size:
            break
        best = first_below
        for below in range(first_below + 1, min(first_below + 4, size)):
            if before(heap, below, entry_at(heap, best)):
                best = below
        if not before(heap, best, entry):
            break
        put(heap, at, entry_at(heap, best))
        at = best
    put(heap, at, entry)


def put(heap: Heap, at: int, entry: Entry) -> None:
    """Write an entry to a place in a heap."""
    heap.keys[at] = entry.key
    heap.ties[at] = entry.tie
    heap.stamps[at] = entry.stamp
    heap.items[at] = entry.item


def is_live(node_flags: Pointer, node_stamps: Pointer, node: int, stamp: int) -> bool:
    """Return whether an entry is the newest of its node, and the node is still open."""
    return (node_flags[node] & OPEN) != 0 and node_stamps[node] == stamp
