"""The open list of buckets: an entry lies in a chunk of its bucket, the newest last.

    bucket (g, h)   cursors[g * MOST_H + h] -> 1 + where the next entry goes; 0 inactive, 1 empty
    chunk           [ link | entry | entry | …     `CHUNK` entries; the link is the number of the chunk that
                                                   follows the bucket's chunk before, 0 where this is its first

Emptied chunks are linked to one another and used again; chunk 0 is none. A small heap, `active_…`, orders the buckets
that may hold something by (priority, h); each has a place of its own there, see `in_order`. With late detection an
entry is a state and where it was reached from, with early detection the number of a node.
"""

from __future__ import annotations

from typing import Any

from searchlab.compiler.intrinsics import prefetch
from searchlab.compiler.signatures import call_priority
from searchlab.search.kernels.control import (
    ACTIVE,
    BATCH_AT,
    BATCH_BUCKET,
    BATCH_SIZE,
    BATCHES,
    BY_G,
    CHUNKS,
    EXPANDED,
    FIXED_WIDTH,
    FREE_CHUNK,
    HIGHEST_H,
    LARGEST_BATCH,
    LEAST_H,
    LOW_H_TIES,
    MOST_H,
    ON_OPEN,
    ORDERING,
    PRIORITY,
    WIDTH,
)
from searchlab.search.kernels.open_list import heap_drop_first, heap_push
from searchlab.search.kernels.records import cost_of, flags_of, parent_of, taken
from searchlab.search.kernels.table import OPEN, I, hash_of, slot_of

CHUNK = 1024


def take_states(
    open_words: Any,
    open_parents: Any,
    cursors: Any,
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    batch_words: Any,
    batch_parents: Any,
    batch_hashes: Any,
    slots: Any,
    mask: int,
    control: Any,
) -> None:
    """Take the newest of the best bucket into the batch, and fetch their slots."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    most = begin_batch(control)
    bucket = best_bucket(cursors, active_keys, active_ties, active_stamps, active, control)
    if bucket < 0:
        return
    at = cursors[bucket] - 1
    size = 0
    while size < most and at > 0:
        at -= 1
        for word in range(width):
            batch_words[size * width + word] = open_words[at * width + word]
        mixed = hash_of(batch_words, size * width, width)
        prefetch(slots, slot_of(mixed, mask))
        batch_hashes[size] = mixed
        batch_parents[size] = open_parents[at]
        size += 1
        if at & (CHUNK - 1) == 1:
            at = old_chunk(open_words, at - 1, width, control)
    cursors[bucket] = at + 1
    control[ON_OPEN] -= size
    control[BATCH_SIZE] = size
    control[BATCH_BUCKET] = bucket


def take_nodes(
    records: Any,
    entries: Any,
    cursors: Any,
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    batch: Any,
    control: Any,
) -> None:
    """Take the newest open nodes of the best bucket that has any into the batch, and fetch their parents.

    An entry is stale where a shorter path to its node was found since, or where it was taken by a newer entry.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    stride = width + 1
    most = begin_batch(control)
    size = 0
    while size == 0:
        bucket = best_bucket(cursors, active_keys, active_ties, active_stamps, active, control)
        if bucket < 0:
            return
        g = bucket // control[MOST_H]
        at = cursors[bucket] - 1
        for ahead in range(max(at - most, ((at - 1) & ~(CHUNK - 1)) + 1), at):
            prefetch(records, I(entries[ahead]) * stride)
        while size < most and at > 0:
            at -= 1
            node = I(entries[at])
            link = records[node * stride + width]
            if flags_of(link) & OPEN and (cost_of(link) == g or not control[BY_G]):
                records[node * stride + width] = taken(link)
                prefetch(records, parent_of(link) * stride)
                batch[size] = node
                size += 1
            if at & (CHUNK - 1) == 1:
                at = old_chunk(entries, at - 1, 1, control)
        cursors[bucket] = at + 1
    control[ON_OPEN] -= size
    control[BATCH_SIZE] = size


def begin_batch(control: Any) -> int:
    """Return how many nodes may be taken at once, now that none is taken."""
    control[BATCH_SIZE] = 0
    control[BATCH_AT] = 0
    if control[BATCHES]:
        return min(LARGEST_BATCH, 1 + control[EXPANDED] // 1024)
    return 1


def best_bucket(cursors: Any, active_keys: Any, active_ties: Any, active_stamps: Any, active: Any, control: Any) -> int:
    """Return the best bucket that holds an entry, -1 if there is none; buckets found empty become inactive."""
    while control[ACTIVE] > 0 and cursors[active[0]] == 1:
        cursors[active[0]] = 0
        heap_drop_first(active_keys, active_ties, active_stamps, active, control[ACTIVE])
        control[ACTIVE] -= 1
    if control[ACTIVE] == 0:
        return -1
    return active[0]


def activate(
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    bucket: int,
    most_h: int,
    callees: Any,
    control: Any,
) -> None:
    """Put a bucket among those that may hold something."""
    g = bucket // most_h
    h = float(bucket - g * most_h)
    key = call_priority(callees, PRIORITY, (float(g), h))
    heap_push(active_keys, active_ties, active_stamps, active, control[ACTIVE], key, h, 0, bucket)
    control[ACTIVE] += 1


def in_order(orders: Any, g: int, h: int, callees: Any, control: Any) -> bool:
    """Return whether the bucket of g and h has a place of its own in the order of the open list.

    Nodes of two buckets with the same priority and tie would have to be taken by turns, as they came. So of nodes with
    the same h the priority has to rise with g; where g does not count it has to be the same for all of these, and rise
    with h unless that breaks ties. `orders` keeps for each h the range of g over which that has been found, so every
    value is asked for once: the lowest + 1 and the highest + 1, both 0 where nothing is known.
    """
    low = orders[2 * h]
    if low > 0 and low <= g + 1 and g < orders[2 * h + 1]:
        return True
    control[ORDERING] = 1  # what the priority raises here it need not raise in the search
    if low == 0:
        first = g if control[BY_G] else 0
        if not control[BY_G] and not control[LOW_H_TIES] and not rises_to(h, callees, control):
            return False
        call_priority(callees, PRIORITY, (float(first), float(h)))
        orders[2 * h] = first + 1
        orders[2 * h + 1] = first + 1
    while orders[2 * h + 1] <= g:
        highest = orders[2 * h + 1]
        if not follows(highest - 1, h, callees, control):
            return False
        orders[2 * h + 1] = highest + 1
    while orders[2 * h] > g + 1:
        lowest = orders[2 * h]
        if not follows(lowest - 2, h, callees, control):
            return False
        orders[2 * h] = lowest - 1
    control[ORDERING] = 0
    return True


def follows(g: int, h: int, callees: Any, control: Any) -> bool:
    """Return whether g + 1 follows g in the order: its priority is larger, or the same where g does not count."""
    this = call_priority(callees, PRIORITY, (float(g), float(h)))
    next_ = call_priority(callees, PRIORITY, (float(g + 1), float(h)))
    return next_ > this if control[BY_G] else next_ == this


def rises_to(h: int, callees: Any, control: Any) -> bool:
    """Return whether the priority rises with h over all values met so far and this one; at first `LEAST_H` is -1."""
    if control[LEAST_H] < 0:
        control[LEAST_H] = h
        control[HIGHEST_H] = h
    low = min(h, control[LEAST_H])
    high = max(h, control[HIGHEST_H])
    for k in range(low, high):
        if k >= control[LEAST_H] and k < control[HIGHEST_H]:
            continue
        this = call_priority(callees, PRIORITY, (0.0, float(k)))
        if not call_priority(callees, PRIORITY, (0.0, float(k + 1))) > this:
            return False
    control[LEAST_H] = low
    control[HIGHEST_H] = high
    return True


def new_chunk(entries: Any, end: int, width: int, control: Any) -> int:
    """Return where the first entry of a fresh or freed chunk goes, for a bucket that ended where a chunk ends."""
    chunk = control[FREE_CHUNK]
    if chunk:
        control[FREE_CHUNK] = I(entries[chunk * CHUNK * width])
    else:
        chunk = control[CHUNKS]
        control[CHUNKS] += 1
    entries[chunk * CHUNK * width] = end // CHUNK
    return chunk * CHUNK + 1


def old_chunk(entries: Any, at: int, width: int, control: Any) -> int:
    """Give back the emptied chunk that begins here; returns where the bucket's chunk before it ended."""
    end = I(entries[at * width]) * CHUNK
    entries[at * width] = control[FREE_CHUNK]
    control[FREE_CHUNK] = at // CHUNK
    return end
