"""The open list of buckets: an entry lies in a chunk of its bucket, the newest last.

    bucket          cursors[bucket] -> 1 + where the next entry goes; 0 inactive, 1 empty
                    of g and h: g * MOST_H + h; where g does not count: the number of a class, see `early_buckets`
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
from searchlab.search.kernels.open_list import Entry, Heap, heap_drop_first, heap_push, heap_replace_first

CHUNK = 128


class BucketControl(BestFirstControl):
    """How a search with buckets is done and where it stands."""

    most_g: int
    """Values of g there are buckets for, as of h below."""
    most_h: int
    most_active: int
    """Active buckets there is room for, as of chunks below."""
    most_chunks: int
    active: int
    """Active buckets."""
    emptied: int
    """The first of them if taking nodes has emptied it, else -1: another bucket may take its place in the heap."""
    free_chunk: int
    """The first of the chunks that can be used again, 0 for none."""
    chunks: int
    """Chunks in use, those that can be used again included."""
    ordering: int
    """Whether the priority is being asked for its order."""
    batch_bucket: int
    """Late detection: the bucket the batch was taken from."""
    incremental: int
    """Early detection: whether h of all successors comes with them; else only new ones are evaluated."""
    out_first: int
    """Early detection: where in `out` the successors begin that are being worked on."""
    most_classes: int
    """Classes there may be; this and below where a bucket is a class."""
    classes: int
    """Classes met so far."""
    end_g: int
    """One more than the largest g of a bucket used so far; of these three none is kept where a bucket is a class."""
    first_h: int
    """The smallest h of a bucket used so far."""
    end_h: int
    """One more than the largest h of a bucket used so far."""


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
    c.emptied = -1
    while c.active > 0 and s.cursors[s.active[0]] == 1:
        s.cursors[s.active[0]] = 0
        heap_drop_first(heap_of(s), c.active)
        c.active -= 1
    if c.active == 0:
        return -1
    return s.active[0]


def activate(s: Buckets, bucket: int, key: float, tie: float) -> None:
    """Put a bucket among those that may hold something."""
    c = s.control
    entry = Entry(key, tie, 0, bucket)
    if c.emptied >= 0 and s.cursors[c.emptied] == 1:
        s.cursors[c.emptied] = 0
        heap_replace_first(heap_of(s), c.active, entry)
    else:
        heap_push(heap_of(s), c.active, entry)
        c.active += 1
    c.emptied = -1


def activate_by_g(s: Buckets, bucket: int) -> None:
    """Put the bucket of a g and an h among those that may hold something."""
    most_h = s.control.most_h
    g = bucket // most_h
    h = float(bucket - g * most_h)
    activate(s, bucket, call_priority(s.callees, PRIORITY, (float(g), h)), h)


def heap_of(s: Buckets) -> Heap:
    """Return the active buckets as a heap."""
    return Heap(s.active_keys, s.active_ties, s.active_stamps, s.active)


def in_order(s: Buckets, g: int, h: int) -> bool:
    """Return whether the bucket of g and h has a place of its own in the order of the open list.

    Nodes of two buckets with the same priority and tie would have to be taken by turns, as they came. So of nodes with
    the same h the priority has to rise with g. `orders` keeps for each h the range of g over which that has been found,
    so every value is asked for once: the lowest + 1 and the highest + 1, both 0 where nothing is known.
    """
    c = s.control
    low = s.orders[2 * h]
    if low > 0 and low <= g + 1 and g < s.orders[2 * h + 1]:
        return True
    c.ordering = 1  # what the priority raises here it need not raise in the search
    if low == 0:
        call_priority(s.callees, PRIORITY, (float(g), float(h)))
        s.orders[2 * h] = g + 1
        s.orders[2 * h + 1] = g + 1
    while True:
        low = s.orders[2 * h]
        high = s.orders[2 * h + 1]
        if low <= g + 1 and g < high:
            break
        upwards = high <= g
        if not follows(s, high - 1 if upwards else low - 2, h):
            return False
        if upwards:
            s.orders[2 * h + 1] = high + 1
        else:
            s.orders[2 * h] = low - 1
    c.end_g = max(c.end_g, g + 1)
    c.first_h = min(c.first_h, h)
    c.end_h = max(c.end_h, h + 1)
    c.ordering = 0
    return True


def follows(s: Buckets, g: int, h: int) -> bool:
    """Return whether g + 1 follows g in the order: whether its priority is larger."""
    this = call_priority(s.callees, PRIORITY, (float(g), float(h)))
    next_ = call_priority(s.callees, PRIORITY, (float(g + 1), float(h)))
    return next_ > this


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
