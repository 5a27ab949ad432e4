"""Classes of open nodes with equal values, and so with equal priorities, whatever f_min and the incumbent are.

If a priority uses f_min or the incumbent, heaps contain classes instead of nodes. When such a value changes, the
priorities of all classes are computed again; with whole costs there are few classes. A class is a group of set 0 (see
`groups`), with a list of its nodes in the order in which they are taken:

    group                0     1     2
    group_sizes       [  3  |  1  |  0  | …      the number of nodes
    first_nodes       [  7  |  2  |  -  | …
    last_nodes        [  1  |  2  |  -  | …
    class_stamps      [  9  |  4  |  3  | …      the stamp of the first node

    node                 1     2     7
    links             [  0  |  1  |  0  | …      the class of the node,
                      [  -  |  -  |  4  | …      the next node of the class,
                      [  4  |  -  |  -  | …      and the previous node; both are undefined at the ends of the list

    heap                 0        1 … class_heaps - 1
                      [ by f | by each priority … ]      see `class_heaps`

There are no stale nodes, because a taken node leaves its class.

With rounds, group `most_groups` + k of set 1 lists the nodes of class k that wait for the next round. It is not in a
heap.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.search.kernels.class_heaps import ClassHeapArrays, move_class
from searchlab.search.kernels.control import NEWEST, ORDER
from searchlab.search.kernels.hash_table import I
from searchlab.search.kernels.node_types import TypeArrays, TypeControl


class ClassControl(TypeControl):
    """The heaps of classes."""

    in_classes: int
    """Whether nodes are in classes; otherwise each node is in the heaps."""
    class_heaps: int
    least_heap: int
    """The first heap in which the order of equal keys matters: 1 if no node is taken from heap 0, else 0."""
    filled_classes: int
    """The number of classes with open nodes."""


CLASS, AFTER, BEFORE, LINKS = range(4)
"""The positions of these links of a node, and the number of links."""


class ClassArrays(TypeArrays, ClassHeapArrays):
    """The classes, and heaps of them."""

    first_nodes: Pointer = array(np.int32, "groups")
    last_nodes: Pointer = array(np.int32, "groups")
    links: Pointer = array(np.int32, "linked", LINKS)
    control: ClassControl = record(ClassControl)


def join_class(s: ClassArrays, group: int, node: int) -> None:
    """Add a node, as the newest, to the list of a class, or to the list of nodes of a class that wait."""
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
    """Remove a node from its list."""
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
    """Set the stamp of a class with a new first node, and move the class in all heaps where stamps matter."""
    c = s.control
    is_sooner = stamp > s.class_stamps[group]
    s.class_stamps[group] = stamp
    for heap in range(c.least_heap, c.class_heaps):
        move_class(s, heap, group, is_sooner)


def end_waiting(s: ClassArrays, group: int) -> None:
    """Merge the waiting nodes of a class into its list of open nodes, in the order of stamps."""
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
