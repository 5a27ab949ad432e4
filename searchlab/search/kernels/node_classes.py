"""Classes of open nodes: those with equal values, and so with equal priorities, whatever f_min and the incumbent are.

Where a priority asks for one of these, heaps have classes in place of nodes: when it changes, the priorities of all
classes are computed again, and there are few where costs are whole numbers. A class is a group (see there) of set 0,
with a list of its nodes in the order in which they are taken:

    group                0     1     2
    group_sizes       [  3  |  1  |  0  | …      nodes
    first_nodes       [  7  |  2  |  -  | …
    last_nodes        [  1  |  2  |  -  | …
    class_stamps      [  9  |  4  |  3  | …      of the first node

    node                 1     2     7
    links             [  0  |  1  |  0  | …      its class,
                      [  -  |  -  |  4  | …      the node after it,
                      [  4  |  -  |  -  | …      and the node before it; neither counts at the ends of the list

    heap              0        1 … class_heaps - 1         `most_groups` places each
    class_keys     [ by f | by each priority … ]
    class_ties     [  …   |                    ]         what decides between equal keys
    classes        [  …   |                    ]         `class_counts` of each heap
    class_places   [  …   |                    ]         where each group is in the heap, plus 1; 0 if it is not there

There are no stale nodes: one that is taken leaves its class. A class without nodes stays in a heap until it is the
first there, as it often has some again by then.

With rounds, group `most_groups` + k of set 1 lists the nodes of class k that wait for the next round. It is in no heap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.search.kernels.best_first import NEWEST, ORDER
from searchlab.search.kernels.control import tie_of
from searchlab.search.kernels.hash_table import I
from searchlab.search.kernels.node_types import TypeArrays, TypeControl


class ClassEntry(NamedTuple):
    """A class in a heap."""

    key: float
    tie: float
    group: int


class ClassControl(TypeControl):
    """The heaps of classes."""

    in_classes: int
    """Whether nodes are in classes, and not in heaps by themselves."""
    class_heaps: int
    least_heap: int
    """1 if no node is taken from heap 0, where the order of equal keys is of no matter; else 0."""
    filled_classes: int
    """Classes with open nodes."""


CLASS, AFTER, BEFORE, LINKS = range(4)
"""Where these are among the links of a node, and how many there are."""


class ClassArrays(TypeArrays):
    """The classes, and heaps of them."""

    first_nodes: Pointer = array(np.int32, "groups")
    last_nodes: Pointer = array(np.int32, "groups")
    class_stamps: Pointer = array(np.int64, "groups")
    links: Pointer = array(np.int32, "linked", LINKS)
    class_counts: Pointer = array(np.int64, "heaps")
    class_keys: Pointer = array(np.float64, "class places")
    class_ties: Pointer = array(np.float64, "class places")
    classes: Pointer = array(np.int32, "class places")
    class_places: Pointer = array(np.int32, "class places")
    control: ClassControl = record(ClassControl)


def join_class(s: ClassArrays, group: int, node: int) -> None:
    """Add a node to the list of a class, or of those of it that wait: it is the newest."""
    s.links[LINKS * node + CLASS] = group
    size = s.group_sizes[group]
    s.group_sizes[group] = size + 1
    if size == 0:
        s.control.filled_classes += group < s.control.most_groups
        s.first_nodes[group] = node
        s.last_nodes[group] = node
    elif ORDER == NEWEST:
        s.links[LINKS * node + AFTER] = s.first_nodes[group]
        s.links[LINKS * s.first_nodes[group] + BEFORE] = node
        s.first_nodes[group] = node
    else:
        s.links[LINKS * node + BEFORE] = s.last_nodes[group]
        s.links[LINKS * s.last_nodes[group] + AFTER] = node
        s.last_nodes[group] = node


def leave_class(s: ClassArrays, node: int) -> None:
    """Remove a node from the list that it is in."""
    c = s.control
    group = I(s.links[LINKS * node + CLASS])
    is_open = group < c.most_groups
    s.group_sizes[group] -= 1
    if s.group_sizes[group] == 0:
        c.filled_classes -= is_open
        return
    before, after = I(s.links[LINKS * node + BEFORE]), I(s.links[LINKS * node + AFTER])
    if node == s.first_nodes[group]:
        s.first_nodes[group] = after
        if is_open:
            restamp_class(s, group, s.stamps[after])
    elif node == s.last_nodes[group]:
        s.last_nodes[group] = before
    else:
        s.links[LINKS * before + AFTER] = after
        s.links[LINKS * after + BEFORE] = before


def restamp_class(s: ClassArrays, group: int, stamp: int) -> None:
    """Set the stamp of a class, whose first node is another one now, and its place in all heaps where it matters."""
    c = s.control
    is_sooner = stamp > s.class_stamps[group]
    s.class_stamps[group] = stamp
    for heap in range(c.least_heap, c.class_heaps):
        first = heap * c.most_groups
        at = s.class_places[first + group] - 1
        if at >= 0 and is_sooner:
            rise(s, first, at, class_at(s, first + at))
        elif at >= 0:
            sink(s, first, s.class_counts[heap], at, class_at(s, first + at))


def end_waiting(s: ClassArrays, group: int) -> None:
    """Put the nodes of a class that wait among those that do not, in the order of their stamps."""
    c = s.control
    waiting = c.most_groups + group
    left = I(s.group_sizes[group])
    c.filled_classes += left == 0
    before, after = I(-1), I(s.first_nodes[group])
    node = I(s.first_nodes[waiting])
    for _ in range(s.group_sizes[waiting]):
        next_node = I(s.links[LINKS * node + AFTER])
        while left and s.stamps[after] > s.stamps[node]:
            before = after
            after = I(s.links[LINKS * after + AFTER])
            left -= 1
        s.links[LINKS * node + CLASS] = group
        if before < 0:
            s.first_nodes[group] = node
        else:
            s.links[LINKS * before + AFTER] = node
            s.links[LINKS * node + BEFORE] = before
        if left:
            s.links[LINKS * node + AFTER] = after
            s.links[LINKS * after + BEFORE] = node
        else:
            s.last_nodes[group] = node
        before = node
        node = next_node
    s.group_sizes[group] += s.group_sizes[waiting]
    s.group_sizes[waiting] = 0


def add_class(s: ClassArrays, heap: int, key: float, group: int) -> None:
    """Put a class into a heap, in place of the first one if that has no nodes."""
    c = s.control
    first = heap * c.most_groups
    entry = ClassEntry(key, tie_of(c, s.group_values[group * c.values_of_group + 1]), group)
    count = s.class_counts[heap]
    if count > 0 and s.group_sizes[s.classes[first]] == 0:
        s.class_places[first + s.classes[first]] = 0
        sink(s, first, count, 0, entry)
        return
    s.class_counts[heap] = count + 1
    rise(s, first, count, entry)


def first_class(s: ClassArrays, heap: int) -> int:
    """Return the first class of a heap, -1 if none has nodes; those without nodes before it are removed."""
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


def rise(s: ClassArrays, first: int, at: int, entry: ClassEntry) -> None:
    """Put a class at a place of the heap that begins at `first`, or above."""
    while at > 0:
        above = (at - 1) >> 2
        if not comes_before(s, entry, first + above):
            break
        put_class(s, first, at, class_at(s, first + above))
        at = above
    put_class(s, first, at, entry)


def sink(s: ClassArrays, first: int, size: int, at: int, entry: ClassEntry) -> None:
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


def class_at(s: ClassArrays, at: int) -> ClassEntry:
    """Return the class at a place."""
    return ClassEntry(s.class_keys[at], s.class_ties[at], I(s.classes[at]))


def comes_before(s: ClassArrays, entry: ClassEntry, at: int) -> bool:
    """Return whether a class comes before the one at a place: smaller key, then smaller tie, then its first node."""
    if entry.key != s.class_keys[at]:
        return entry.key < s.class_keys[at]
    if entry.tie != s.class_ties[at]:
        return entry.tie < s.class_ties[at]
    return s.class_stamps[entry.group] > s.class_stamps[s.classes[at]]


def put_class(s: ClassArrays, first: int, at: int, entry: ClassEntry) -> None:
    """Write a class to a place of the heap that begins at `first`."""
    s.class_keys[first + at] = entry.key
    s.class_ties[first + at] = entry.tie
    s.classes[first + at] = entry.group
    s.class_places[first + entry.group] = at + 1
