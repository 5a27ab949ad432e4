"""The open list of buckets: an entry is in a chunk of its bucket, the newest last.

The newest entry is taken first: a bucket is a stack. If the oldest one is, it is a queue, and links point forwards.

    bucket          cursors[bucket] -> 1 + the position of the next entry; 0 inactive, 1 empty
                    of g and h: g * MOST_H + h; if g does not count: the number of a class, see `early_buckets`
    front           fronts[bucket] -> the position of the oldest entry; only of a queue
    chunk           [ link | entry | entry | …     `CHUNK` entries; the link of a stack is the number of the
                                                   bucket's previous chunk plus 1, 0 for its first chunk; that
                                                   of a queue is the number of its next chunk

Emptied chunks are linked to one another and reused; there is no chunk 0. A small heap, `active_…`, orders the buckets
that may be nonempty by priority and tie; each has a unique position there, see `in_order`. With late detection an entry
is a state and its parent, with early detection the number of a node.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.signatures import call_priority
from searchlab.search.kernels.control import (
    EXPANSION_BATCH,
    NEWEST,
    ORDER,
    PRIORITY,
    BestFirstControl,
    EvaluatedExpansion,
    tie_of,
)
from searchlab.search.kernels.hash_table import I
from searchlab.search.kernels.open_list import Entry, Heap, heap_drop_first, heap_push, heap_replace_first

CHUNK = 128


class BucketControl(BestFirstControl):
    """The options and the state of a search with buckets."""

    most_g: int
    """Values of g there are buckets for, as of h below."""
    most_h: int
    most_active: int
    """Active buckets there is room for, as of chunks below."""
    most_chunks: int
    active: int
    """Active buckets."""
    emptied: int
    """The first bucket in the heap if taking nodes has emptied it, else -1: another bucket may replace it."""
    free_chunk: int
    """The first reusable chunk, 0 for none."""
    chunks: int
    """The number of chunks in use, including reusable ones."""
    ordering: int
    """Whether the priority is being called to compare the order."""
    batch_bucket: int
    """Late detection: the bucket the batch was taken from."""
    incremental: int
    """Early detection: whether h of all successors comes with them; else only new ones are evaluated."""
    out_first: int
    """Early detection: the beginning in `out` of the successors being processed."""
    most_classes: int
    """The largest number of classes; this and the fields below are for buckets that are classes."""
    classes: int
    """The number of classes so far."""
    end_g: int
    """One more than the largest g of a used bucket; not maintained if buckets are classes, like the next two."""
    first_h: int
    """The smallest h of a used bucket."""
    end_h: int
    """One more than the largest h of a used bucket."""


class Buckets(EvaluatedExpansion):
    """The arrays of a search with buckets, whenever it detects duplicates."""

    slots: Pointer = array(np.uint32, "slots")
    cursors: Pointer = array(np.int64, "buckets")
    active_keys: Pointer = array(np.float64, "active")
    active_ties: Pointer = array(np.float64, "active")
    active_stamps: Pointer = array(np.int64, "active")
    active: Pointer = array(np.int64, "active")  # the buckets
    orders: Pointer = array(np.int16, "values of h", 2)
    by_f: Pointer = array(np.int64, "counts by f")
    fronts: Pointer = array(np.int64, "buckets", "fronts")
    control: BucketControl = record(BucketControl)


def begin_batch(c: BucketControl) -> int:
    """Return the number of nodes that may be taken at once, after none is left of the last batch."""
    c.batch_size = 0
    c.batch_at = 0
    if c.batches:
        return min(EXPANSION_BATCH, 1 + c.expanded // 1024)
    return 1


def best_bucket(s: Buckets) -> int:
    """Return the best nonempty bucket, -1 if there is none; empty buckets become inactive."""
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
    """Add a bucket to the heap of active buckets."""
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
    """Add the bucket of a g and an h to the heap of active buckets."""
    most_h = s.control.most_h
    g = bucket // most_h
    h = float(bucket - g * most_h)
    activate(s, bucket, call_priority(s.callees, PRIORITY, (float(g), h)), tie_of(s.control, h))


def heap_of(s: Buckets) -> Heap:
    """Return the active buckets as a heap."""
    return Heap(s.active_keys, s.active_ties, s.active_stamps, s.active)


def in_order(s: Buckets, g: int, h: int) -> bool:
    """Return whether the bucket of g and h has a unique position in the order of the open list.

    Nodes of two buckets with the same priority and tie would have to be taken in the order of their generation. So for
    nodes with the same h the priority must increase with g. `orders` keeps for each h the range of g over which this is
    known, so that every priority is computed once: the lowest + 1 and the highest + 1, both 0 if nothing is known.
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
    """Return whether g + 1 follows g in the order, that is, has a larger priority."""
    this = call_priority(s.callees, PRIORITY, (float(g), float(h)))
    next_ = call_priority(s.callees, PRIORITY, (float(g + 1), float(h)))
    return next_ > this


def new_chunk(s: Buckets, bucket: int, entries: Pointer, end: int, width: int) -> int:
    """Return the position of the first entry of a new or reused chunk, for a bucket whose last chunk is full.

    Args:
        bucket: the bucket.
        entries: the array in which a chunk begins with its link.
        end: where the last chunk ends, 0 if the bucket is empty.
        width: words of an entry in this array.
    """
    c = s.control
    chunk = c.free_chunk
    if chunk:
        c.free_chunk = I(entries[chunk * CHUNK * width])
    else:
        chunk = c.chunks
        c.chunks += 1
    if ORDER == NEWEST:
        entries[chunk * CHUNK * width] = end // CHUNK
    elif end:
        entries[(end - CHUNK) * width] = chunk
    else:
        s.fronts[bucket] = chunk * CHUNK + 1
    return chunk * CHUNK + 1


def old_chunk(entries: Pointer, at: int, width: int, c: BucketControl) -> int:
    """Release the emptied chunk that begins here; return its link."""
    link = I(entries[at * width])
    entries[at * width] = c.free_chunk
    c.free_chunk = at // CHUNK
    return link


def first_entry(s: Buckets, bucket: int, end: int) -> int:
    """Return the position of the first entry of a bucket that ends here."""
    return end - 1 if ORDER == NEWEST else s.fronts[bucket]


def remove_first(s: Buckets, bucket: int, entries: Pointer, at: int, end: int, width: int) -> int:
    """Remove the first entry of a bucket; return where the bucket ends now, 0 if it is empty.

    Args:
        bucket: the bucket.
        entries: the array in which a chunk begins with its link.
        at: the position of the entry.
        end: where the bucket ends.
        width: words of an entry in this array.
    """
    if ORDER == NEWEST:
        return old_chunk(entries, at - 1, width, s.control) * CHUNK if at & (CHUNK - 1) == 1 else at
    after = at + 1
    if after == end:
        old_chunk(entries, at // CHUNK * CHUNK, width, s.control)
        return 0
    if after & (CHUNK - 1) == 0:
        after = old_chunk(entries, after - CHUNK, width, s.control) * CHUNK + 1
    s.fronts[bucket] = after
    return end
