"""The open list in compiled form: a 4-ary heap, or a plain sequence for first-in and last-in first-out.

Four arrays hold the entries: `keys` (the priority), `ties` (h where ties go to the smaller h), `entry_stamps`
(when it was pushed; later means newer) and `entries` (the node). An entry is stale once its node has a newer
one or is no longer open; stale entries are dropped when they come up. With late detection a node has one entry only.
"""

from __future__ import annotations

from typing import Any

from searchlab.search.kernels.table import OPEN

HEAP, FIFO, LIFO = 0, 1, 2


def before(keys: Any, ties: Any, stamps: Any, i: int, key: float, tie: float, stamp: int) -> bool:
    """Return whether entry i is to be taken before another: smaller key, then smaller tie, then newer."""
    if keys[i] != key:
        return keys[i] < key
    if ties[i] != tie:
        return ties[i] < tie
    return stamps[i] > stamp


def heap_push(
    keys: Any, ties: Any, stamps: Any, entries: Any, size: int, key: float, tie: float, stamp: int, node: int
) -> None:
    """Put an entry into a heap of this size."""
    hole = size
    while hole > 0:
        above = (hole - 1) >> 2
        if before(keys, ties, stamps, above, key, tie, stamp):
            break
        keys[hole] = keys[above]
        ties[hole] = ties[above]
        stamps[hole] = stamps[above]
        entries[hole] = entries[above]
        hole = above
    keys[hole] = key
    ties[hole] = tie
    stamps[hole] = stamp
    entries[hole] = node


def heap_drop_first(keys: Any, ties: Any, stamps: Any, entries: Any, size: int) -> None:
    """Remove the first entry of a heap of this size."""
    last = size - 1
    heap_replace_first(keys, ties, stamps, entries, last, keys[last], ties[last], stamps[last], entries[last])


def heap_replace_first(
    keys: Any, ties: Any, stamps: Any, entries: Any, size: int, key: float, tie: float, stamp: int, node: int
) -> None:
    """Put an entry in the place of the first of a heap of this size.

    The successors of the node taken last are often the best: then this ends at once, where removing the first
    and putting in another would pass through the whole heap twice.
    """
    hole = 0
    while True:
        first_below = 4 * hole + 1
        if first_below >= size:
            break
        best = first_below
        for below in range(first_below + 1, min(first_below + 4, size)):
            if before(keys, ties, stamps, below, keys[best], ties[best], stamps[best]):
                best = below
        if not before(keys, ties, stamps, best, key, tie, stamp):
            break
        keys[hole] = keys[best]
        ties[hole] = ties[best]
        stamps[hole] = stamps[best]
        entries[hole] = entries[best]
        hole = best
    keys[hole] = key
    ties[hole] = tie
    stamps[hole] = stamp
    entries[hole] = node


def is_live(node_flags: Any, node_stamps: Any, node: int, stamp: int) -> bool:
    """Return whether an entry is its node's newest and the node is still open."""
    return (node_flags[node] & OPEN) != 0 and node_stamps[node] == stamp
