"""Groups of nodes with equal values, found by a hash of these; each of several sets groups all open nodes.

    set                    0                             1
    slots               [  ·  |  3  |  ·  |  1  | …   |  ·  |  2  | …    group + 1 by the hash of values, 0: empty
    group                  0     1     2     3             0     1
    group_values        [ 7 3 | 7 4 | 6 3 | 8 2 | …   |  7  |  9  | …      `values_of_group` numbers each

`node_types` and `node_classes` say what a group has.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.search.kernels.hash_table import I, hash_of, same_words, slot_of
from searchlab.search.kernels.node_values import ValuedArrays, ValuedControl

FIRST_SLOTS = 64


class GroupControl(ValuedControl):
    """Where the parts of sets begin."""

    most_groups: int
    """Groups that there is room for in each set."""
    most_slots: int
    """Slots that there is room for in each set, a power of two."""
    values_of_group: int
    """The numbers that there is room for in each group."""


class GroupArrays(ValuedArrays):
    """The groups of all sets."""

    told: Pointer = array(np.int64, "sets")  # how many values tell the group of a node
    told_by: Pointer = array(np.int64, "sets", "told")  # where among the values of a node they are
    groups: Pointer = array(np.int64, "sets")  # how many are known
    slots_of_set: Pointer = array(np.int64, "sets")  # how many are in use, a power of two
    group_slots: Pointer = array(np.int32, "group slots")
    group_values: Pointer = array(np.float64, "groups", "told")
    group_sizes: Pointer = array(np.int32, "groups")
    group_bits: Pointer = array(np.int32, "groups")
    told_values: Pointer = array(np.float64, "told")  # those of them that tell its group
    control: GroupControl = record(GroupControl)


def group_of(s: GroupArrays, kind: int) -> int:
    """Return the group of a set with the type of `values`, which becomes known now if it was not."""
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
    """Use twice the slots for a set."""
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
    """Return numbers as words that are hashed and compared."""
    return pointer_to(address_of(numbers, at), np.uint64)
