"""Heaps of classes: nodes with equal values share one entry.

    heap              0        1        2     …             `most_groups` places each
    class_keys     [  …   |    …   |    …   | …
    class_ties     [  …   |    …   |    …   | …      the tie-breakers of equal keys
    classes        [  …   |    …   |    …   | …      `class_counts` of each heap
    class_places   [  …   |    …   |    …   | …      the place of each class in the heap, plus 1; 0 if it is not there

    class             0        1        2     …
    group_sizes    [  3   |    1   |    0   | …      the number of nodes
    class_stamps   [  9   |    4   |    3   | …      the stamp of the first node, which decides between equal ties

A class without nodes stays in a heap until it is the first there, because it often has nodes again by then. For further
data of classes see `node_classes` and `open_groups`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array, record
from searchlab.search.kernels.control import BestFirstControl, tie_of
from searchlab.search.kernels.hash_table import I


class ClassEntry(NamedTuple):
    """A class in a heap."""

    key: float
    tie: float
    group: int


class ClassHeapControl(BestFirstControl):
    """The numbers of classes and heaps."""

    most_groups: int
    """The number of classes for which there is room, in all and in each heap."""
    class_heaps: int
    """The number of heaps."""


class ClassHeapArrays(Arrays):
    """Heaps of classes."""

    group_sizes: Pointer = array(np.int32, "groups")
    class_stamps: Pointer = array(np.int64, "groups")
    class_counts: Pointer = array(np.int64, "heaps")
    class_keys: Pointer = array(np.float64, "class places")
    class_ties: Pointer = array(np.float64, "class places")
    classes: Pointer = array(np.int32, "class places")
    class_places: Pointer = array(np.int32, "class places")
    control: Any = record(ClassHeapControl)  # each search has more fields


def add_class(s: ClassHeapArrays, heap: int, key: float, h: float, group: int) -> None:
    """Put a class with this key and h into a heap; it replaces the first class if that has no nodes."""
    first = heap * s.control.most_groups
    entry = ClassEntry(key, tie_of(s.control, h), group)
    count = s.class_counts[heap]
    if count > 0 and s.group_sizes[s.classes[first]] == 0:
        s.class_places[first + s.classes[first]] = 0
        sink(s, first, count, 0, entry)
        return
    s.class_counts[heap] = count + 1
    rise(s, first, count, entry)


def first_class(s: ClassHeapArrays, heap: int) -> int:
    """Return the first class with nodes in a heap, -1 if there is none; remove empty classes before it."""
    first = heap * s.control.most_groups
    while s.class_counts[heap]:
        group = I(s.classes[first])
        if s.group_sizes[group]:
            return group
        s.class_places[first + group] = 0
        count = s.class_counts[heap] - 1
        s.class_counts[heap] = count
        if count:
            sink(s, first, count, 0, class_at(s, first + count))
    return I(-1)


def move_class(s: ClassHeapArrays, heap: int, group: int, is_sooner: bool) -> None:
    """Move a class in a heap to the right place for its new stamp, if it is in the heap.

    Args:
        is_sooner: whether the class comes sooner than with its old stamp.
    """
    first = heap * s.control.most_groups
    at = s.class_places[first + group] - 1
    if at < 0:
        return
    if is_sooner:
        rise(s, first, at, class_at(s, first + at))
    else:
        sink(s, first, s.class_counts[heap], at, class_at(s, first + at))


def rise(s: ClassHeapArrays, first: int, at: int, entry: ClassEntry) -> None:
    """Put a class at a place of the heap that begins at `first`, or above."""
    while at > 0:
        above = (at - 1) >> 2
        if not comes_before(s, entry, first + above):
            break
        put_class(s, first, at, class_at(s, first + above))
        at = above
    put_class(s, first, at, entry)


def sink(s: ClassHeapArrays, first: int, size: int, at: int, entry: ClassEntry) -> None:
    """Put a class at a place of the heap that begins at `first`, or below."""
    while True:
        first_below = 4 * at + 1
        if first_below >= size:
            break
        best = first_below
        for below in range(first_below + 1, min(first_below + 4, size)):
            if comes_before(s, class_at(s, first + below), first + best):
                best = below
        if comes_before(s, entry, first + best):
            break
        put_class(s, first, at, class_at(s, first + best))
        at = best
    put_class(s, first, at, entry)


def class_at(s: ClassHeapArrays, at: int) -> ClassEntry:
    """Return the class at a place."""
    return ClassEntry(s.class_keys[at], s.class_ties[at], I(s.classes[at]))


def comes_before(s: ClassHeapArrays, entry: ClassEntry, at: int) -> bool:
    """Return whether a class comes before the one at a place: by key, then by tie, then by stamp, the newest first."""
    if entry.key != s.class_keys[at]:
        return entry.key < s.class_keys[at]
    if entry.tie != s.class_ties[at]:
        return entry.tie < s.class_ties[at]
    return s.class_stamps[entry.group] > s.class_stamps[s.classes[at]]


def put_class(s: ClassHeapArrays, first: int, at: int, entry: ClassEntry) -> None:
    """Write a class to a place of the heap that begins at `first`."""
    s.class_keys[first + at] = entry.key
    s.class_ties[first + at] = entry.tie
    s.classes[first + at] = entry.group
    s.class_places[first + entry.group] = at + 1
