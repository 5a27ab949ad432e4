"""Groups of nodes with equal values, found by a hash of the values. Each set of groups divides all open nodes.

    set                    0                             1
    slots               [  ·  |  3  |  ·  |  1  | …   |  ·  |  2  | …    group + 1 by the hash of values, 0: empty
    group                  0     1     2     3             0     1
    group_values        [ 7 3 | 7 4 | 6 3 | 8 2 | …   |  7  |  9  | …      `values_of_group` numbers each

For further data of groups see `node_types` and `node_classes`.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.search.kernels.hash_table import I, hash_of, same_words, slot_of
from searchlab.search.kernels.node_values import ValuedArrays, ValuedControl

FIRST_SLOTS = 64


class GroupControl(ValuedControl):
    """The sizes of sets and groups."""

    most_groups: int
    """The number of groups for which each set has room."""
    most_slots: int
    """The number of slots for which each set has room, a power of two."""
    values_of_group: int
    """The number of values for which each group has room."""


class GroupArrays(ValuedArrays):
    """The groups of all sets."""

    told: Pointer = array(np.int64, "sets")  # the number of values that define the group of a node
    told_by: Pointer = array(np.int64, "sets", "told")  # the indices of these values among all values of a node
    groups: Pointer = array(np.int64, "sets")  # the number of known groups
    slots_of_set: Pointer = array(np.int64, "sets")  # the number of slots in use, a power of two
    group_slots: Pointer = array(np.int32, "group slots")
    group_values: Pointer = array(np.float64, "groups", "told")
    group_sizes: Pointer = array(np.int32, "groups")
    group_bits: Pointer = array(np.int32, "groups")
    told_values: Pointer = array(np.float64, "told")  # the values that define the group of the present node
    control: GroupControl = record(GroupControl)


def group_of(s: GroupArrays, kind: int) -> int:
    """Return the group in a set of the node whose values are in `values`; add the group if it is new."""
    c = s.control
    told = I(s.told[kind])
    for k in range(told):
        s.told_values[k] = s.values[s.told_by[kind * c.values_of_group + k]] + 0.0  # -0.0 becomes 0.0
    words = words_at(s.told_values, 0)
    known = words_at(s.group_values, 0)
    first = kind * c.most_groups
    while True:
        mask = s.slots_of_set[kind] - 1
        slot = slot_of(hash_of(words, 0, told), mask)
        while True:
            entry = I(s.group_slots[kind * c.most_slots + slot])
            if entry == 0:
                break
            group = first + entry - 1
            if same_words(words, 0, known, group * c.values_of_group, told):
                return group
            slot = (slot + 1) & mask
        if 2 * s.groups[kind] <= mask:
            break
        double_slots(s, kind)
    group = first + I(s.groups[kind])
    s.groups[kind] += 1
    s.group_slots[kind * c.most_slots + slot] = group - first + 1
    for k in range(told):
        s.group_values[group * c.values_of_group + k] = s.told_values[k]
    s.group_sizes[group] = 0
    s.group_bits[group] = -1
    return group


def double_slots(s: GroupArrays, kind: int) -> None:
    """Double the slots of a set, and enter all groups again."""
    c = s.control
    first = kind * c.most_slots
    for slot in range(s.slots_of_set[kind]):
        s.group_slots[first + slot] = 0
    s.slots_of_set[kind] *= 2
    mask = s.slots_of_set[kind] - 1
    known = words_at(s.group_values, 0)
    for number in range(s.groups[kind]):
        at = (kind * c.most_groups + number) * c.values_of_group
        slot = slot_of(hash_of(known, at, I(s.told[kind])), mask)
        while s.group_slots[first + slot] != 0:
            slot = (slot + 1) & mask
        s.group_slots[first + slot] = number + 1


def words_at(numbers: Pointer, at: int) -> Pointer:
    """Return a pointer to floating-point numbers as words, for hashing and comparing."""
    return pointer_to(address_of(numbers, at), np.uint64)
