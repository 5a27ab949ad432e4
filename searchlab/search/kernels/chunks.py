"""The open list of buckets: an entry lies in a chunk of its bucket, the newest last.

    bucket (g, h)   cursors[g * MOST_H + h] -> 1 + where the next entry goes; 0 inactive, 1 empty
    chunk           [ link | entry | entry | …     `CHUNK` entries; the link is the number of the chunk that
                                                   follows the bucket's chunk before, 0 where this is its first

Emptied chunks are linked to one another and used again; chunk 0 is none. A small heap, `active_…`, orders the buckets
that may hold something by (priority, h); each has a place of its own there, see `in_order`. With late detection an
entry is a state and where it was reached from, with early detection the number of a node.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.signatures import call_priority
from searchlab.search.kernels.control import EXPANSION_BATCH, PRIORITY, BestFirstControl, EvaluatedExpansion
from searchlab.search.kernels.hash_table import I
from searchlab.search.kernels.open_list import Entry, Heap, heap_drop_first, heap_push

CHUNK = 128


class BucketControl(BestFirstControl):
    """How a search with buckets is done and where it stands."""

    most_g: int
    """Values of g there are buckets for, as of h below."""
    most_h: int
    most_active: int
    """Active buckets there is room for, as of chunks below."""
    most_chunks: int
    by_g: int
    """Whether g counts; else a bucket is a value of h alone."""
    active: int
    """Active buckets."""
    free_chunk: int
    """The first of the chunks that can be used again, 0 for none."""
    chunks: int
    """Chunks in use, those that can be used again included."""
    ordering: int
    """Whether the priority is being asked for its order."""
    least_h: int
    """The values of h over which it is known to rise where g does not count, -1 at first."""
    highest_h: int
    batch_bucket: int
    """Late detection: the bucket the batch was taken from."""
    incremental: int
    """Early detection: whether h of all successors comes with them; else only new ones are evaluated."""
    out_first: int
    """Early detection: where in `out` the successors begin that are being worked on."""


class Buckets(EvaluatedExpansion):
    """The arrays of a search with buckets, whenever it detects duplicates."""

    slots: Pointer = array(np.uint32, "slots")
    cursors: Pointer = array(np.int64, "buckets")
    active_keys: Pointer = array(np.float64, "active")
    active_ties: Pointer = array(np.float64, "active")
    active_stamps: Pointer = array(np.int64, "active")
    active: Pointer = array(np.int64, "active")  # the buckets
    orders: Pointer = array(np.int16, "values of h", 2)
    control: BucketControl = record(BucketControl)


def begin_batch(c: BucketControl) -> int:
    """Return how many nodes may be taken at once, now that none is taken."""
    c.batch_size = 0
    c.batch_at = 0
    if c.batches:
        return min(EXPANSION_BATCH, 1 + c.expanded // 1024)
    return 1


def best_bucket(s: Buckets) -> int:
    """Return the best bucket that holds an entry, -1 if there is none; buckets found empty become inactive."""
    c = s.control
    while c.active > 0 and s.cursors[s.active[0]] == 1:
        s.cursors[s.active[0]] = 0
        heap_drop_first(heap_of(s), c.active)
        c.active -= 1
    if c.active == 0:
        return -1
    return s.active[0]


def activate(s: Buckets, bucket: int) -> None:
    """Put a bucket among those that may hold something."""
    c = s.control
    g = bucket // c.most_h
    h = float(bucket - g * c.most_h)
    key = call_priority(s.callees, PRIORITY, (float(g), h))
    heap_push(heap_of(s), c.active, Entry(key, h, 0, bucket))
    c.active += 1


def heap_of(s: Buckets) -> Heap:
    """Return the active buckets as a heap."""
    return Heap(s.active_keys, s.active_ties, s.active_stamps, s.active)


def in_order(s: Buckets, g: int, h: int) -> bool:
    """Return whether the bucket of g and h has a place of its own in the order of the open list.

    Nodes of two buckets with the same priority and tie would have to be taken by turns, as they came. So of nodes with
    the same h the priority has to rise with g; where g does not count it has to be the same for all of these, and rise
    with h unless that breaks ties. `orders` keeps for each h the range of g over which that has been found, so every
    value is asked for once: the lowest + 1 and the highest + 1, both 0 where nothing is known.
    """
    c = s.control
    low = s.orders[2 * h]
    if low > 0 and low <= g + 1 and g < s.orders[2 * h + 1]:
        return True
    c.ordering = 1  # what the priority raises here it need not raise in the search
    if low == 0:
        first = g if c.by_g else 0
        if not c.by_g and not c.low_h_ties and not rises_to(s, h):
            return False
        call_priority(s.callees, PRIORITY, (float(first), float(h)))
        s.orders[2 * h] = first + 1
        s.orders[2 * h + 1] = first + 1
    while s.orders[2 * h + 1] <= g:
        highest = s.orders[2 * h + 1]
        if not follows(s, highest - 1, h):
            return False
        s.orders[2 * h + 1] = highest + 1
    while s.orders[2 * h] > g + 1:
        lowest = s.orders[2 * h]
        if not follows(s, lowest - 2, h):
            return False
        s.orders[2 * h] = lowest - 1
    c.ordering = 0
    return True


def follows(s: Buckets, g: int, h: int) -> bool:
    """Return whether g + 1 follows g in the order: its priority is larger, or the same where g does not count."""
    this = call_priority(s.callees, PRIORITY, (float(g), float(h)))
    next_ = call_priority(s.callees, PRIORITY, (float(g + 1), float(h)))
    return next_ > this if s.control.by_g else next_ == this


def rises_to(s: Buckets, h: int) -> bool:
    """Return whether the priority rises with h over all values met so far and this one; at first `least_h` is -1."""
    c = s.control
    if c.least_h < 0:
        c.least_h = h
        c.highest_h = h
    low = min(h, c.least_h)
    high = max(h, c.highest_h)
    for k in range(low, high):
        if k >= c.least_h and k < c.highest_h:
            continue
        this = call_priority(s.callees, PRIORITY, (0.0, float(k)))
        if not call_priority(s.callees, PRIORITY, (0.0, float(k + 1))) > this:
            return False
    c.least_h = low
    c.highest_h = high
    return True


def new_chunk(entries: Pointer, end: int, width: int, c: BucketControl) -> int:
    """Return where the first entry of a fresh or freed chunk goes, for a bucket that ended where a chunk ends."""
    chunk = c.free_chunk
    if chunk:
        c.free_chunk = I(entries[chunk * CHUNK * width])
    else:
        chunk = c.chunks
        c.chunks += 1
    entries[chunk * CHUNK * width] = end // CHUNK
    return chunk * CHUNK + 1


def old_chunk(entries: Pointer, at: int, width: int, c: BucketControl) -> int:
    """Give back the emptied chunk that begins here; returns where the bucket's chunk before it ended."""
    end = I(entries[at * width]) * CHUNK
    entries[at * width] = c.free_chunk
    c.free_chunk = at // CHUNK
    return end
