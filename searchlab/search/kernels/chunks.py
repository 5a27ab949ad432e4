"""The open list of `buckets`: an entry lies in a chunk of its bucket, the newest last.

A bucket's chunks are linked backwards; emptied ones are used again. A small heap, `active_…`, orders the buckets
that may hold something.
"""

from __future__ import annotations

from typing import Any

from searchlab.search.kernels.control import (
    ACTIVE,
    BATCH_AT,
    BATCH_BUCKET,
    BATCH_SIZE,
    BATCHES,
    CHUNKS,
    EXPANDED,
    FIXED_WIDTH,
    FREE_CHUNK,
    LARGEST_BATCH,
    ON_OPEN,
    PRIORITY,
    WIDTH,
)
from searchlab.search.kernels.intrinsics import prefetch
from searchlab.search.kernels.open_list import heap_drop_first, heap_push
from searchlab.search.kernels.signatures import call_priority
from searchlab.search.kernels.table import I, U, hash_of

CHUNK = 1024


def take(
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
    slot_shift: int,
    control: Any,
) -> None:
    """Take the newest of the best bucket into the batch, and fetch their slots."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    control[BATCH_SIZE] = 0
    control[BATCH_AT] = 0
    while control[ACTIVE] > 0 and cursors[active[0]] == 1:
        cursors[active[0]] = 0
        heap_drop_first(active_keys, active_ties, active_stamps, active, control[ACTIVE])
        control[ACTIVE] -= 1
    if control[ACTIVE] == 0:
        return
    bucket = active[0]
    most = 1
    if control[BATCHES]:
        most = min(LARGEST_BATCH, 1 + control[EXPANDED] // 1024)
    at = cursors[bucket] - 1
    size = 0
    while size < most and at > 0:
        at -= 1
        for word in range(width):
            batch_words[size * width + word] = open_words[at * width + word]
        mixed = hash_of(batch_words, size * width, width)
        prefetch(slots, I(mixed >> U(slot_shift)))
        batch_hashes[size] = mixed
        batch_parents[size] = open_parents[at]
        size += 1
        if at & (CHUNK - 1) == 1:
            at = old_chunk(open_words, at - 1, width, control)
    cursors[bucket] = at + 1
    control[ON_OPEN] -= size
    control[BATCH_SIZE] = size
    control[BATCH_BUCKET] = bucket


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


def new_chunk(open_words: Any, link: int, width: int, control: Any) -> int:
    """Return where the first entry of a fresh or freed chunk goes; its link is where the bucket ended."""
    chunk = control[FREE_CHUNK]
    if chunk:
        control[FREE_CHUNK] = I(open_words[chunk * width])
    else:
        chunk = control[CHUNKS] * CHUNK
        control[CHUNKS] += 1
    open_words[chunk * width] = U(link)
    return chunk + 1


def old_chunk(open_words: Any, chunk: int, width: int, control: Any) -> int:
    """Give back an emptied chunk; returns where the bucket's chunk before it ended."""
    link = I(open_words[chunk * width])
    open_words[chunk * width] = U(control[FREE_CHUNK])
    control[FREE_CHUNK] = chunk
    return link
