"""Types of open nodes: of each queue with `Queue.types`, the nodes with equal values, one of which is drawn at random.

Such a queue has a set of groups. Each array has a part for each set, or one for all:

    slots of a set      [  ·  |  3  |  ·  |  1  | …      group + 1 by the hash of its values; 0 is empty
    group                  0     1     2     3
    group_values        [ 7 3 | 7 4 | 6 3 | 8 2 | …      `group_values` numbers each
    group_sizes         [  2  |  0  |  5  |  1  | …      entries
    group_begins        [  8  |  -  |  0  | 10  | …      where its segment of entries begins
    group_bits          [  1  | -1  |  3  |  0  | …      a segment has room for 2^bits entries; -1 for none
    group_places        [  0  |  -  |  2  |  1  | …      where it is among the groups with entries
    filled              [  0  |  3  |  2  ]              these groups, from which one is drawn

    entry                  0     1     2    …            of all sets
    member_nodes        [  5  |  9  |  2  | …
    member_stamps       [  6  | 12  |  3  | …            when it was put here: an older one than its node's is stale

A segment that is full is copied to one twice as long. Those that are free are kept in a chain for each length, the
next one in `member_stamps`. What is taken away leaves its place to the last, in the readable search as well.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.model.randomness import next_raw
from searchlab.search.kernels.hash_table import I, U, hash_of, same_words, slot_of
from searchlab.search.kernels.node_values import ValuedArrays, ValuedControl

HALF = U(32)
FIRST_SLOTS = 64
LENGTHS = 40
"""Lengths of segments: 2^0 to 2^39."""


class TypeControl(ValuedControl):
    """Where the parts of sets of groups begin."""

    most_groups: int
    """Groups that there is room for in each set."""
    most_slots: int
    """Slots that there is room for in each set, a power of two."""
    values_of_type: int
    """The numbers that there is room for in each group."""
    members: int
    """The end of the segments."""


class TypeArrays(ValuedArrays):
    """The arrays of sets of groups."""

    sets: Pointer = array(np.int64, "queues")  # the set of each queue, -1 for none
    told_by: Pointer = array(np.int64, "sets", "type values")  # where among a node's values those of a set's groups are
    told: Pointer = array(np.int64, "sets")  # how many
    groups: Pointer = array(np.int64, "sets")  # how many have a number
    filled_groups: Pointer = array(np.int64, "sets")  # how many have entries
    slots_of_set: Pointer = array(np.int64, "sets")  # how many are in use, a power of two
    free_segments: Pointer = array(np.int64, LENGTHS)  # the first of each length, plus 1
    group_slots: Pointer = array(np.int32, "group slots")
    group_values: Pointer = array(np.float64, "groups", "type values")
    group_sizes: Pointer = array(np.int32, "groups")
    group_begins: Pointer = array(np.int64, "groups")
    group_bits: Pointer = array(np.int32, "groups")
    group_places: Pointer = array(np.int32, "groups")
    filled: Pointer = array(np.int32, "groups")
    member_nodes: Pointer = array(np.int32, "members")
    member_stamps: Pointer = array(np.int64, "members")
    type_values: Pointer = array(np.float64, "type values")  # those that tell its type
    turns: Pointer = array(np.uint64, 4)  # gives the random numbers
    control: TypeControl = record(TypeControl)


def add_to_type(s: TypeArrays, kind: int, node: int) -> None:
    """Add a node, whose values are in `values`, to its group in a set."""
    group = group_of(s, kind)
    size = s.group_sizes[group]
    if size == 0:
        first = kind * s.control.most_groups
        s.group_places[group] = s.filled_groups[kind]
        s.filled[first + s.filled_groups[kind]] = group
        s.filled_groups[kind] += 1
    bits = s.group_bits[group]
    if bits < 0 or size == 1 << bits:
        lengthen(s, group)
    at = s.group_begins[group] + size
    s.member_nodes[at] = node
    s.member_stamps[at] = s.stamps[node]
    s.group_sizes[group] = size + 1


def group_of(s: TypeArrays, kind: int) -> int:
    """Return the group of a set with the type of `values`, which becomes known now if it was not."""
    c = s.control
    told = I(s.told[kind])
    for k in range(told):
        s.type_values[k] = s.values[s.told_by[kind * c.values_of_type + k]] + 0.0  # -0.0 becomes 0.0
    words = words_at(s.type_values, 0)
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
            if same_words(words, 0, known, group * c.values_of_type, told):
                return group
            slot = (slot + 1) & mask
        if 2 * s.groups[kind] <= mask:
            break
        double_slots(s, kind)
    group = first + I(s.groups[kind])
    s.groups[kind] += 1
    s.group_slots[kind * c.most_slots + slot] = group - first + 1
    for k in range(told):
        s.group_values[group * c.values_of_type + k] = s.type_values[k]
    s.group_sizes[group] = 0
    s.group_bits[group] = -1
    return group


def double_slots(s: TypeArrays, kind: int) -> None:
    """Use twice the slots for a set."""
    c = s.control
    first = kind * c.most_slots
    for slot in range(s.slots_of_set[kind]):
        s.group_slots[first + slot] = 0
    s.slots_of_set[kind] *= 2
    mask = s.slots_of_set[kind] - 1
    known = words_at(s.group_values, 0)
    for number in range(s.groups[kind]):
        at = (kind * c.most_groups + number) * c.values_of_type
        slot = slot_of(hash_of(known, at, I(s.told[kind])), mask)
        while s.group_slots[first + slot] != 0:
            slot = (slot + 1) & mask
        s.group_slots[first + slot] = number + 1


def words_at(numbers: Pointer, at: int) -> Pointer:
    """Return numbers as words that are hashed and compared."""
    return pointer_to(address_of(numbers, at), np.uint64)


def lengthen(s: TypeArrays, group: int) -> None:
    """Move the entries of a group to a segment twice as long."""
    c = s.control
    bits = I(s.group_bits[group]) + 1
    begin = s.free_segments[bits] - 1
    if begin < 0:
        begin = c.members
        c.members += 1 << bits
    else:
        s.free_segments[bits] = s.member_stamps[begin]
    for k in range(s.group_sizes[group]):
        s.member_nodes[begin + k] = s.member_nodes[s.group_begins[group] + k]
        s.member_stamps[begin + k] = s.member_stamps[s.group_begins[group] + k]
    release_segment(s, group)
    s.group_begins[group] = begin
    s.group_bits[group] = bits


def release_segment(s: TypeArrays, group: int) -> None:
    """Give back the segment of a group."""
    bits = I(s.group_bits[group])
    if bits >= 0:
        s.member_stamps[s.group_begins[group]] = s.free_segments[bits]
        s.free_segments[bits] = s.group_begins[group] + 1
        s.group_bits[group] = -1


def drawn_group(s: TypeArrays, kind: int) -> int:
    """Return a group of a set that was drawn at random, -1 if none has entries."""
    filled = I(s.filled_groups[kind])
    return I(s.filled[kind * s.control.most_groups + below(s, filled)]) if filled else I(-1)


def drawn_entry(s: TypeArrays, kind: int, group: int) -> tuple[int, int]:
    """Return the node and the stamp of an entry of a group that was drawn at random, and remove it."""
    size = I(s.group_sizes[group])
    at = s.group_begins[group] + below(s, size)
    last = s.group_begins[group] + size - 1
    node, stamp = I(s.member_nodes[at]), s.member_stamps[at]
    s.member_nodes[at] = s.member_nodes[last]
    s.member_stamps[at] = s.member_stamps[last]
    s.group_sizes[group] = size - 1
    if size == 1:
        release_segment(s, group)
        s.filled_groups[kind] -= 1
        last_group = s.filled[kind * s.control.most_groups + s.filled_groups[kind]]
        s.filled[kind * s.control.most_groups + s.group_places[group]] = last_group
        s.group_places[last_group] = s.group_places[group]
    return node, stamp


def below(s: TypeArrays, count: int) -> int:
    """Return a random number from 0 to count - 1, as `Randomness.below`."""
    return I((next_raw(s.turns) >> HALF) * U(count) >> HALF)
