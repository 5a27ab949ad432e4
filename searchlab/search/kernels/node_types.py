"""Types of open nodes: a queue with `Queue.types` draws a type at random, and then a node of this type.

The nodes of a type are a group (see `groups`), and each group has a segment of entries:

    group                  0     1     2     3
    group_sizes         [  2  |  0  |  5  |  1  | …      the number of entries
    group_begins        [  8  |  -  |  0  | 10  | …      the beginning of the segment of entries
    group_bits          [  1  | -1  |  3  |  0  | …      a segment has room for 2^bits entries; -1 for none
    group_places        [  0  |  -  |  2  |  1  | …      the position in `filled`
    filled              [  0  |  3  |  2  ]              the groups with entries, from which a group is drawn

    entry                  0     1     2    …            of all sets
    member_nodes        [  5  |  9  |  2  | …
    member_stamps       [  6  | 12  |  3  | …            the stamp of the entry, stale if the node has a newer stamp

A full segment is copied to a segment twice as long. Free segments of each length form a chain, linked by
`member_stamps`. When an entry or a group is removed, the last takes its place, as in the readable search.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.model.randomness import next_raw
from searchlab.search.kernels.groups import GroupArrays, GroupControl, group_of
from searchlab.search.kernels.hash_table import I, U

HALF = U(32)
LENGTHS = 40
"""The number of lengths of segments, which are 2^0 to 2^39."""


class TypeControl(GroupControl):
    """The fields for the segments of all types."""

    members: int
    """The end of the last segment."""


class TypeArrays(GroupArrays):
    """The nodes of all types."""

    sets: Pointer = array(np.int64, "queues")  # the set of each queue that draws types, -1 for others
    filled_groups: Pointer = array(np.int64, "sets")  # the number of groups with entries
    free_segments: Pointer = array(np.int64, LENGTHS)  # the first free segment of each length, plus 1
    group_begins: Pointer = array(np.int64, "groups")
    group_places: Pointer = array(np.int32, "groups")
    filled: Pointer = array(np.int32, "groups")
    member_nodes: Pointer = array(np.int32, "members")
    member_stamps: Pointer = array(np.int64, "members")
    turns: Pointer = array(np.uint64, 4)  # the state of the random numbers
    control: TypeControl = record(TypeControl)


def add_to_type(s: TypeArrays, kind: int, node: int) -> None:
    """Add a node to its group in a set; its values are in `values`."""
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
    """Release the segment of a group."""
    bits = I(s.group_bits[group])
    if bits >= 0:
        s.member_stamps[s.group_begins[group]] = s.free_segments[bits]
        s.free_segments[bits] = s.group_begins[group] + 1
        s.group_bits[group] = -1


def drawn_group(s: TypeArrays, kind: int) -> int:
    """Draw a group of a set at random; return -1 if no group has entries."""
    filled = I(s.filled_groups[kind])
    return I(s.filled[kind * s.control.most_groups + below(s, filled)]) if filled else I(-1)


def drawn_entry(s: TypeArrays, kind: int, group: int) -> tuple[int, int]:
    """Draw an entry of a group at random, and remove it; return its node and stamp."""
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
    """Return a random number from 0 to count - 1, as `Randomness.below` does."""
    return I((next_raw(s.turns) >> HALF) * U(count) >> HALF)
