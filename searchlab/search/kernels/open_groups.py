"""The open nodes of a bidirectional search, in groups: nodes of one direction with equal g, h, h_back and depth.

    group            0        1        2     …
    group_values [ g h b d | k t 0 d | g h b d | …   `b`: h_back, `d`: 2 × the depth + the direction, see VALUES
    group_sizes  [   3  |   4   |   1  | …       the number of open nodes
    group_lists  [   1  |   1   |   1  | …       the group that lists the nodes
    first_nodes  [   -  |   7   |   -  | …       the node that is taken first
    last_nodes   [   -  |   1   |   -  | …
    class_stamps [   -  |   9   |   -  | …       the stamp of the first node, with `keeps_stamps`
    group_slots  [  ·  |  3  |  ·  |  1  | …     group + 1 by the hash of its values, 0: empty

    node             0        1        2     …
    records      [ word | … | link | list | stamp ]      `width` words of the state, and three words with all else:
                 link: bits 0 … 31 the parent, 32 … 58 the group, 59 … 63 the flags
                 list: the next and the previous node of the list, 32 bits each; undefined at the ends
                 stamp: when the node was last put on the open list of its direction

Nodes with the same priority `k` and tie-breaker `t` are taken in the order of one list, whatever their g and h. The
list has a number among the groups (1 above), with the direction - 2 as `d`. If nodes are taken in pairs, each group is
its own list.

Groups are in heaps, see `class_heaps`; in the heaps by which nodes are taken, their lists are. With whole costs there
are few groups. With fractions there may be as many groups as nodes, and then a heap of groups is in effect a heap of
nodes. A closed or dropped node keeps its group, which holds its g and h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, called, pointer_to
from searchlab.search.kernels.class_heaps import ClassHeapArrays, ClassHeapControl, move_class
from searchlab.search.kernels.control import NEWEST, ORDER, RANDOM, Expansion
from searchlab.search.kernels.groups import words_at
from searchlab.search.kernels.hash_table import CLOSED, MULTIPLIER, OPEN, I, U, same_words, slot_of

G, H, BACK, DEPTH, VALUES = range(5)
"""The positions of these values of a group, and the number of values."""
GROUP_AT, FLAGS_AT, HALF = U(32), U(59), U(32)
LOW, GROUP = U(2**32 - 1), U(2**27 - 1)
OPEN_BIT, CLOSED_BIT = U(OPEN) << FLAGS_AT, U(CLOSED) << FLAGS_AT
MOST_GROUPS = 2**27
MULTIPLIERS = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93), U(0xA0761D6478BD642F), U(0xE7037ED1A0B428DB)
"""Odd numbers with irregular bits, because small whole numbers, as floats, differ only in their highest bits."""
FIRST_GROUP_SLOTS = 1 << 10
AFTER, BEFORE = range(2)
"""The positions of the next and the previous node in the word `list` of a record."""
LINK, LIST, STAMP, BESIDES = range(4)
"""The positions of these words of a record, counted from the end of the state, and the number of these words."""


class GroupedControl(ClassHeapControl):
    """The sizes and options of groups and their heaps."""

    groups: int
    """The number of groups so far, including lists."""
    groups_changed: int
    """Whether a group has got its first open node, or lost its last, since the lower bound was computed."""
    shares_lists: int
    """Whether several groups may have one list."""
    keeps_stamps: int
    """Whether two lists may have the same key and tie, so that the stamps of their first nodes matter."""
    slots_of_groups: int
    """The number of slots in use, a power of two."""
    order_heap: int
    """The first of the two heaps by which nodes are taken, forward and backward; the order of equal keys matters only
    in these heaps."""


class GroupedArrays(Expansion, ClassHeapArrays):
    """The nodes, their groups, and the heaps of these."""

    records: Pointer = array(np.uint64, "nodes", "words and more")
    group_values: Pointer = array(np.float64, "groups", VALUES)
    group_lists: Pointer = array(np.uint32, "groups")
    first_nodes: Pointer = array(np.uint32, "groups")
    last_nodes: Pointer = array(np.uint32, "groups")
    group_slots: Pointer = array(np.uint32, "group slots")
    sought: Pointer = array(np.float64, VALUES)
    control: GroupedControl = record(GroupedControl)


def group_with(s: GroupedArrays, g: float, h: float, back: float, depth: float) -> int:
    """Return the group of nodes with these values, a new group if there is none."""
    c = s.control
    s.sought[G] = g + 0.0  # 0.0 for -0.0
    s.sought[H] = h + 0.0
    s.sought[BACK] = back + 0.0
    s.sought[DEPTH] = depth
    if ORDER == RANDOM:
        return new_group(s)  # every node is a group of its own
    words, known = words_at(s.sought, 0), words_at(s.group_values, 0)
    mask = c.slots_of_groups - 1
    slot = slot_of(hash_of_values(words, 0), mask)
    while s.group_slots[slot] != 0:
        found = I(s.group_slots[slot]) - 1
        if same_words(words, 0, known, found * VALUES, VALUES):
            return found
        slot = (slot + 1) & mask
    s.group_slots[slot] = c.groups + 1
    group = new_group(s)
    if 4 * c.groups > mask:
        double_group_slots(s)
    return group


def hash_of_values(words: Any, at: int) -> Any:
    """Return the hash of the values of a group; unlike in `hash_of`, the multiplications are independent."""
    mixed = words[at + G] * MULTIPLIERS[G] + words[at + H] * MULTIPLIERS[H]
    mixed += words[at + BACK] * MULTIPLIERS[BACK] + words[at + DEPTH] * MULTIPLIERS[DEPTH]
    mixed ^= mixed >> U(32)
    mixed *= MULTIPLIER
    return mixed


def new_group(s: GroupedArrays) -> int:
    """Add a group with the values in `sought`, and return it."""
    c = s.control
    group = c.groups
    c.groups += 1
    for k in range(VALUES):
        s.group_values[group * VALUES + k] = s.sought[k]
    return group


@called
def double_group_slots(s: GroupedArrays) -> None:
    """Double the slots for groups, and enter all groups again."""
    c = s.control
    for slot in range(c.slots_of_groups):
        s.group_slots[slot] = 0
    c.slots_of_groups *= 2
    mask = c.slots_of_groups - 1
    known = words_at(s.group_values, 0)
    for group in range(c.groups):
        slot = slot_of(hash_of_values(known, group * VALUES), mask)
        while s.group_slots[slot] != 0:
            slot = (slot + 1) & mask
        s.group_slots[slot] = group + 1


def join_group(s: GroupedArrays, node: int, width: int, group: int, stamp: int) -> None:
    """Put a node on the list of a group, which is already in the link of the node."""
    at = node * (width + BESIDES) + width
    list_group = group
    if s.control.shares_lists:
        s.group_sizes[group] += 1
        list_group = I(s.group_lists[group])
    size = s.group_sizes[list_group]
    s.group_sizes[list_group] = size + 1
    s.records[at + LINK] |= OPEN_BIT
    s.records[at + STAMP] = U(stamp)
    if size == 0:
        s.first_nodes[list_group] = node
        s.last_nodes[list_group] = node
    elif ORDER == NEWEST:
        first = I(s.first_nodes[list_group])
        neighbors_of(s, node, width)[AFTER] = first
        neighbors_of(s, first, width)[BEFORE] = node
        s.first_nodes[list_group] = node
    else:
        last = I(s.last_nodes[list_group])
        neighbors_of(s, node, width)[BEFORE] = last
        neighbors_of(s, last, width)[AFTER] = node
        s.last_nodes[list_group] = node
    if s.control.keeps_stamps and (size == 0 or ORDER == NEWEST):
        restamp(s, list_group, stamp)


def leave_group(s: GroupedArrays, node: int, width: int) -> None:
    """Remove a node from the list of its group."""
    stride = width + BESIDES
    at = node * stride + width
    link = s.records[at + LINK]
    s.records[at + LINK] = link & ~OPEN_BIT
    list_group = group_in(link)
    if s.control.shares_lists:
        s.group_sizes[list_group] -= 1
        if s.group_sizes[list_group] == 0:
            s.control.groups_changed = 1
        list_group = I(s.group_lists[list_group])
    s.group_sizes[list_group] -= 1
    if s.group_sizes[list_group] == 0:
        s.control.groups_changed = 1
        return
    neighbors = neighbors_of(s, node, width)
    after, before = I(neighbors[AFTER]), I(neighbors[BEFORE])
    if node == s.first_nodes[list_group]:
        s.first_nodes[list_group] = after
        if s.control.keeps_stamps:
            restamp(s, list_group, I(s.records[after * stride + width + STAMP]))
    elif node == s.last_nodes[list_group]:
        s.last_nodes[list_group] = before
    else:
        neighbors_of(s, before, width)[AFTER] = after
        neighbors_of(s, after, width)[BEFORE] = before


def neighbors_of(s: GroupedArrays, node: int, width: int) -> Any:
    """Return a pointer to the next and the previous node in the list of a node.

    They are written without being read, so that nothing waits for a record that is not in the cache.
    """
    return pointer_to(address_of(s.records, node * (width + BESIDES) + width + LIST), np.uint32)


def restamp(s: GroupedArrays, list_group: int, stamp: int) -> None:
    """Set the stamp of a list to the stamp of its first node, and move the list in the heap of its direction."""
    is_sooner = stamp > s.class_stamps[list_group]
    s.class_stamps[list_group] = stamp
    move_class(s, s.control.order_heap + (I(s.group_values[list_group * VALUES + DEPTH]) & 1), list_group, is_sooner)


def link_of(parent: int, group: int, flags: int) -> Any:
    """Return the link of a node."""
    return U(parent) | U(group) << GROUP_AT | U(flags) << FLAGS_AT


def group_in(link: Any) -> int:
    """Return the group of the node with this link."""
    return I((link >> GROUP_AT) & GROUP)


def parent_in(link: Any) -> int:
    """Return the parent of the node with this link; the first nodes of a direction are their own parents."""
    return I(link & LOW)


def flags_in(link: Any) -> int:
    """Return the flags of the node with this link."""
    return I(link >> FLAGS_AT)
