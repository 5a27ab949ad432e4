"""The open list of buckets: the entries of a bucket are in chunks, the newest last.

By default the newest entry is taken first, so a bucket is a stack. If the oldest is taken first, a bucket is a queue,
and links point forwards. If the order is random, each entry has a rank, and the highest rank is taken first, see
`random_place`.

    bucket          cursors[bucket] -> 1 + the position of the next entry; 0 inactive, 1 empty
                    of g and h: g * MOST_H + h; if g does not count: the number of a class, see `early_buckets`
    front           fronts[bucket] -> the position of the oldest entry of a queue; with ranks, the bucket's directory
    chunk           [ link | entry | entry | …     `CHUNK` entries; the link of a stack is the number of the
                                                   bucket's previous chunk plus 1, 0 for its first chunk; the link
                                                   of a queue is the number of its next chunk

    ranks           entry_ranks    of each entry, and in the chunk of a directory
    directory       [ – | count | end | bound | end | bound | …     of the bucket's segments except the last

With ranks, a bucket consists of segments in ascending order of ranks, each a chain of chunks. The last segment ends at
the cursor, and contains the first entry to be taken. Only this segment is searched. It is split in two if it has more
than one chunk: a quicksort that sorts no more than necessary (Paredes and Navarro 2006). Most entries never move. A
bucket that was never split has no directory.

Emptied chunks are linked to one another and reused; there is no chunk 0. A small heap, `active_…`, orders the buckets
that may be nonempty by priority and tie-breaker. Each bucket has a unique position there, see `in_order`. With late
detection an entry is a state and its parent, with early detection the number of a node.
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.signatures import call_priority
from searchlab.search.kernels.control import (
    EXPANSION_BATCH,
    NEWEST,
    OLDEST,
    ORDER,
    PRIORITY,
    SIGN,
    BestFirstControl,
    EvaluatedExpansion,
    stamp_of,
    tie_of,
)
from searchlab.search.kernels.hash_table import I, U
from searchlab.search.kernels.open_list import Entry, Heap, heap_drop_first, heap_push, heap_replace_first

CHUNK = 128
MOST_SEGMENTS = (CHUNK - 2) // 2
"""The largest number of segments of a bucket, besides the last."""
CHUNKS_TO_SPLIT = 4
"""The largest number of chunks that splitting a segment takes before it releases others: one for a directory, the rest
for the two new segments."""


class BucketControl(BestFirstControl):
    """The options and the state of a search with buckets."""

    most_g: int
    """The number of values of g for which there are buckets; `most_h` likewise."""
    most_h: int
    most_active: int
    """The number of active buckets for which there is room."""
    most_chunks: int
    """The number of chunks for which there is room."""
    active: int
    """The number of active buckets."""
    emptied: int
    """The first bucket in the heap if taking nodes has emptied it, so that another bucket may replace it; else -1."""
    free_chunk: int
    """The first reusable chunk, 0 for none."""
    chunks: int
    """The number of chunks in use, including reusable ones."""
    ordering: int
    """Whether the priority is being called to compare the order."""
    batch_bucket: int
    """Late detection: the bucket from which the batch was taken."""
    incremental: int
    """Early detection: whether a step evaluates all successors; otherwise only new states are evaluated."""
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
    """The arrays of a search with buckets, for early and late detection of duplicates."""

    slots: Pointer = array(np.uint32, "slots")
    cursors: Pointer = array(np.int64, "buckets")
    active_keys: Pointer = array(np.float64, "active")
    active_ties: Pointer = array(np.float64, "active")
    active_stamps: Pointer = array(np.int64, "active")
    active: Pointer = array(np.int64, "active")  # the buckets
    orders: Pointer = array(np.int16, "values of h", 2)
    by_f: Pointer = array(np.int64, "counts by f")
    fronts: Pointer = array(np.int64, "buckets", "fronts")
    entry_ranks: Pointer = array(np.uint64, "entries", "ranks")
    control: BucketControl = record(BucketControl)


def begin_batch(c: BucketControl) -> int:
    """Begin a new batch; return the number of nodes that may be taken together."""
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

    Nodes of two buckets with the same priority and tie-breaker would have to be taken in the order of generation. So
    for nodes with the same h the priority must increase with g. `orders` keeps for each h the range of g over which
    this is known (the lowest + 1 and the highest + 1, or 0 and 0), so that every priority is computed once.
    """
    c = s.control
    low = s.orders[2 * h]
    if low > 0 and low <= g + 1 and g < s.orders[2 * h + 1]:
        return True
    c.ordering = 1  # an exception here is not one of the search, which may never compute this priority
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
    """Return whether g + 1 has a larger priority than g, for nodes with this h."""
    this = call_priority(s.callees, PRIORITY, (float(g), float(h)))
    next_ = call_priority(s.callees, PRIORITY, (float(g + 1), float(h)))
    return next_ > this


def new_chunk(s: Buckets, bucket: int, entries: Pointer, end: int, width: int) -> int:
    """Return the position of the first entry of a new or reused chunk, for a bucket whose last chunk is full.

    Args:
        bucket: the bucket.
        entries: the array of entries; the first entry of a chunk is its link.
        end: the end of the last chunk, 0 if the bucket is empty.
        width: the number of words of an entry in this array.
    """
    chunk = unused_chunk(entries, width, s.control)
    if ORDER != OLDEST:
        entries[chunk * CHUNK * width] = end // CHUNK
    elif end:
        entries[(end - CHUNK) * width] = chunk
    else:
        s.fronts[bucket] = chunk * CHUNK + 1
    return chunk * CHUNK + 1


def unused_chunk(entries: Pointer, width: int, c: BucketControl) -> int:
    """Return the number of a new or reused chunk."""
    chunk = c.free_chunk
    if chunk:
        c.free_chunk = I(entries[chunk * CHUNK * width])
        return chunk
    chunk = c.chunks
    c.chunks += 1
    return chunk


def old_chunk(entries: Pointer, at: int, width: int, c: BucketControl) -> int:
    """Release the emptied chunk that begins here; return its link."""
    link = I(entries[at * width])
    entries[at * width] = c.free_chunk
    c.free_chunk = at // CHUNK
    return link


def first_entry(s: Buckets, bucket: int, end: int) -> int:
    """Return the position of the first entry of a bucket that ends here; for a random order see `highest_entry`."""
    return end - 1 if ORDER == NEWEST else s.fronts[bucket]


def remove_first(s: Buckets, bucket: int, entries: Pointer, at: int, end: int, width: int) -> int:
    """Remove the first entry of a bucket; return the new end of the bucket, 0 if it is empty.

    Args:
        bucket: the bucket.
        entries: the array of entries; the first entry of a chunk is its link.
        at: the position of the entry.
        end: the end of the bucket.
        width: the number of words of an entry in this array.
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


def random_place(s: Buckets, bucket: int, entries: Pointer, width: int) -> int:
    """Draw the rank of a new entry of a bucket, and write it; return the position for the entry, in its segment."""
    c = s.control
    c.push_count += 1
    rank = U(stamp_of(c.push_count, c.random)) ^ SIGN
    directory = s.fronts[bucket] * CHUNK
    at = directory + 2
    behind = at
    if directory:
        behind = at + 2 * I(s.entry_ranks[directory + 1])
        while at < behind and rank >= s.entry_ranks[at + 1]:
            at += 2
    in_last = at == behind
    end = max(s.cursors[bucket] - 1, 0) if in_last else I(s.entry_ranks[at])
    if end & (CHUNK - 1) == 0:
        end = new_chunk(s, bucket, entries, end, width)
    s.entry_ranks[end] = rank
    if in_last:
        s.cursors[bucket] = end + 2
    else:
        s.entry_ranks[at] = U(end + 1)
    return end


def highest_entry(s: Buckets, entries: Pointer, end: int, width: int) -> int:
    """Return the position of the entry with the highest rank in a segment that ends here."""
    best = end - 1
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            if s.entry_ranks[at] > s.entry_ranks[best]:
                best = at
        end = I(entries[first * width]) * CHUNK
    return best


def remove_ranked(
    s: Buckets, bucket: int, entries: Pointer, at: int, end: int, width: int, more: Pointer, more_words: int
) -> int:
    """Remove an entry from the last segment of a bucket; return the new end of the last segment, 0 if all are empty.

    Args:
        bucket: the bucket.
        entries: the array of entries; the first entry of a chunk is its link.
        at: the position of the entry.
        end: the end of the segment.
        width: the number of words of an entry in this array.
        more: a further array of entries.
        more_words: the number of words of an entry in that array, 0 or 1.
    """
    copy_entry(s, entries, end - 1, at, width, more, more_words)
    end -= 1
    if end & (CHUNK - 1) == 1:
        end = old_chunk(entries, end - 1, width, s.control) * CHUNK
    directory = s.fronts[bucket] * CHUNK
    while not end and directory:
        count = I(s.entry_ranks[directory + 1])
        end = I(s.entry_ranks[directory + 2 * count])
        s.entry_ranks[directory + 1] = U(count - 1)
        if count == 1:
            old_chunk(entries, directory, width, s.control)
            directory = I(0)
            s.fronts[bucket] = 0
    return end


def split_last(s: Buckets, bucket: int, entries: Pointer, width: int, more: Pointer, more_words: int) -> None:
    """Split the last segment of a bucket until it has a single chunk, or there is no room to split."""
    c = s.control
    while True:
        end = s.cursors[bucket] - 1
        above = (end - 1) // CHUNK * CHUNK
        if end <= 0 or entries[above * width] == 0 or c.chunks + CHUNKS_TO_SPLIT > c.most_chunks:
            return
        directory = s.fronts[bucket] * CHUNK
        count = I(s.entry_ranks[directory + 1]) if directory else I(0)
        if count == MOST_SEGMENTS:
            return
        if not directory:
            s.fronts[bucket] = unused_chunk(entries, width, c)
            directory = s.fronts[bucket] * CHUNK
        least = s.entry_ranks[end - 1]
        most = least
        behind = end
        while behind:
            first = (behind - 1) // CHUNK * CHUNK
            for at in range(first + 1, behind):
                least = min(least, s.entry_ranks[at])
                most = max(most, s.entry_ranks[at])
            behind = I(entries[first * width]) * CHUNK
        bound = least + (most - least) // U(2) + U(1)
        low = I(0)
        high = I(0)
        while end:
            first = (end - 1) // CHUNK * CHUNK
            for at in range(first + 1, end):
                is_high = s.entry_ranks[at] >= bound
                to = high if is_high else low
                if to & (CHUNK - 1) == 0:
                    to = new_chunk(s, bucket, entries, to, width)
                copy_entry(s, entries, at, to, width, more, more_words)
                if is_high:
                    high = to + 1
                else:
                    low = to + 1
            end = old_chunk(entries, first, width, c) * CHUNK
        s.entry_ranks[directory + 2 + 2 * count] = U(low)
        s.entry_ranks[directory + 3 + 2 * count] = bound
        s.entry_ranks[directory + 1] = U(count + 1)
        s.cursors[bucket] = high + 1


def copy_entry(s: Buckets, entries: Pointer, at: int, to: int, width: int, more: Pointer, more_words: int) -> None:
    """Copy an entry from one position to another."""
    s.entry_ranks[to] = s.entry_ranks[at]
    for word in range(width):
        entries[to * width + word] = entries[at * width + word]
    if more_words:
        more[to] = more[at]
