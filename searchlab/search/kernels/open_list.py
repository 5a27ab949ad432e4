"""The open list in compiled form: a 4-ary heap, or a plain sequence for first-in and last-in first-out.

An entry is stale once its node has a newer one or is no longer open; stale entries are dropped when they come up.
With late detection a node has one entry only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from searchlab.search.kernels.hash_table import OPEN

if TYPE_CHECKING:
    from searchlab.compiler.arrays import Pointer

HEAP, FIFO, LIFO = 0, 1, 2


class Heap(NamedTuple):
    """The entries of a heap, best first: smaller key, then smaller tie, then newer."""

    keys: Pointer
    ties: Pointer
    stamps: Pointer
    items: Pointer


def before(heap: Heap, i: int, key: float, tie: float, stamp: int) -> bool:
    """Return whether entry i is to be taken before another: smaller key, then smaller tie, then newer."""
    if heap.keys[i] != key:
        return heap.keys[i] < key
    if heap.ties[i] != tie:
        return heap.ties[i] < tie
    return heap.stamps[i] > stamp


def heap_push(heap: Heap, size: int, key: float, tie: float, stamp: int, item: int) -> None:
    """Put an entry into a heap of this size."""
    at = size
    while at > 0:
        above = (at - 1) >> 2
        if before(heap, above, key, tie, stamp):
            break
        move(heap, above, at)
        at = above
    put(heap, at, key, tie, stamp, item)


def heap_drop_first(heap: Heap, size: int) -> None:
    """Remove the first entry of a heap of this size."""
    last = size - 1
    heap_replace_first(heap, last, heap.keys[last], heap.ties[last], heap.stamps[last], heap.items[last])


def heap_replace_first(heap: Heap, size: int, key: float, tie: float, stamp: int, item: int) -> None:
    """Put an entry in the place of the first of a heap of this size.

    The successors of the node taken last are often the best: then this ends at once, where removing the first
    and putting in another would pass through the whole heap twice.
    """
    at = 0
    while True:
        first_below = 4 * at + 1
        if first_below >= size:
            break
        best = first_below
        for below in range(first_below + 1, min(first_below + 4, size)):
            if before(heap, below, heap.keys[best], heap.ties[best], heap.stamps[best]):
                best = below
        if not before(heap, best, key, tie, stamp):
            break
        move(heap, best, at)
        at = best
    put(heap, at, key, tie, stamp, item)


def move(heap: Heap, origin: int, to: int) -> None:
    """Copy an entry to another place."""
    heap.keys[to] = heap.keys[origin]
    heap.ties[to] = heap.ties[origin]
    heap.stamps[to] = heap.stamps[origin]
    heap.items[to] = heap.items[origin]


def put(heap: Heap, at: int, key: float, tie: float, stamp: int, item: int) -> None:
    """Write an entry."""
    heap.keys[at] = key
    heap.ties[at] = tie
    heap.stamps[at] = stamp
    heap.items[at] = item


def is_live(node_flags: Pointer, node_stamps: Pointer, node: int, stamp: int) -> bool:
    """Return whether an entry is its node's newest and the node is still open."""
    return (node_flags[node] & OPEN) != 0 and node_stamps[node] == stamp
