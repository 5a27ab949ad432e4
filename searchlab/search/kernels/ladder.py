"""A ladder below a heap: entries whose keys are far from the smallest wait unsorted (Tang, Goh and Thng 2005).

A heap of a million entries costs a cache miss a level. Here the heap has the entries with the smallest keys only, some
hundreds of them; the others wait in buckets by key, and go to the heap bucket by bucket. The order in which entries are
taken is that of the heap alone.

    rung        0                              1                         …   each divides a range of keys evenly into
                [ 0 | 1 | … | 63 ]             [ 0 | 1 | … | 63 ]            `BUCKETS` buckets
    rung_starts, rung_scales                   bucket = (key - start) * scale, from 0 to 63
    rung_places                                of the bucket that the next rung, or the heap, has the entries of
    ladder_ends      [ bucket of all rungs ]   the end of its last chunk, 0 for none
    chunk       [ link | entry | entry | …     `CHUNK` entries; the link is where the previous chunk ends. It is in
                                               `far_items`; the fields of an entry are in four arrays, as in the heap

The entries of a rung are in buckets beyond its place, so they follow those of all later rungs and of the heap: the
bucket of a larger key is never a lower one, whatever is rounded. A heap or a bucket with too many entries becomes a new
rung; if all their keys are equal, they stay in the heap.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array, record
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.control import BestFirstControl
from searchlab.search.kernels.hash_table import I
from searchlab.search.kernels.open_list import Entry, Heap, entry_at, heap_push, put

BUCKETS = 64
MOST_RUNGS = 8
LARGE_HEAP = 256
"""Entries beyond which a heap gets a rung."""


class LadderControl(BestFirstControl):
    """The state of a ladder."""

    rungs: int
    """Rungs in use."""
    large_heap: int
    """Entries beyond which the heap gets a rung; more than `LARGE_HEAP` if the last one did not help."""
    far: int
    """Entries on the ladder."""
    chunks: int
    """Chunks in use, including reusable ones, and the one with number 0."""
    free_chunk: int
    """The first reusable chunk, 0 for none."""
    free_chunks: int
    """Reusable chunks."""
    most_chunks: int
    """Chunks there is room for."""
    most_pushes: int
    """Entries that may be put on the open list before it is asked again whether there is room."""
    most_heap: int
    """Entries that the heap may get from the ladder at once."""
    wanted_heap: int
    """The entries of a bucket that is to become the heap, 0 for none: if they are more than `most_heap`, it waits."""
    largest_heap: int
    """The most entries that the heap has got from the ladder."""


class LadderArrays(Arrays):
    """The arrays of a ladder."""

    far_keys: Pointer = array(np.float64, "far")
    far_ties: Pointer = array(np.float64, "far")
    far_stamps: Pointer = array(np.int64, "far")
    far_items: Pointer = array(np.int32, "far")
    ladder_ends: Pointer = array(np.int64, MOST_RUNGS, BUCKETS)
    rung_starts: Pointer = array(np.float64, MOST_RUNGS)
    rung_scales: Pointer = array(np.float64, MOST_RUNGS)
    rung_places: Pointer = array(np.int64, MOST_RUNGS)
    control: LadderControl = record(LadderControl)


def has_room(c: LadderControl, moved: int) -> bool:
    """Return whether there are chunks for entries that are pushed, and for a number of them on a new rung."""
    pushed = min(c.most_pushes, c.most_pushes // (CHUNK - 1) + MOST_RUNGS * BUCKETS)
    more = moved // (CHUNK - 1) + BUCKETS if moved else I(0)
    return c.chunks - c.free_chunks + pushed + more <= c.most_chunks


def is_far(s: LadderArrays, entry: Entry) -> bool:
    """Put an entry on the ladder if it belongs there; else it belongs into the heap."""
    for rung in range(s.control.rungs):
        bucket = bucket_of(s, rung, entry.key)
        if bucket > s.rung_places[rung]:
            append(s, rung * BUCKETS + bucket, entry)
            return True
    return False


def bucket_of(s: LadderArrays, rung: int, key: float) -> int:
    """Return the bucket of a key on a rung."""
    place = (key - s.rung_starts[rung]) * s.rung_scales[rung]
    if place < 1.0:
        return I(0)
    return I(place) if place < BUCKETS else I(BUCKETS - 1)


def append(s: LadderArrays, bucket: int, entry: Entry) -> None:
    """Put an entry into a bucket, which is counted through all rungs."""
    c = s.control
    end = s.ladder_ends[bucket]
    if end & (CHUNK - 1) == 0:
        chunk = c.free_chunk
        if chunk:
            c.free_chunk = I(s.far_items[chunk * CHUNK])
            c.free_chunks -= 1
        else:
            chunk = c.chunks
            c.chunks += 1
        s.far_items[chunk * CHUNK] = np.int32(end // CHUNK)
        end = chunk * CHUNK + 1
    put(far_of(s), end, entry)
    s.ladder_ends[bucket] = end + 1
    c.far += 1


def refill(s: LadderArrays, heap: Heap) -> int:
    """Let the entries of the next bucket be the empty heap; return their number.

    Returns 0 if the ladder is empty, or, with `rungs` left, if there is no room for them.
    """
    c = s.control
    while c.rungs:
        rung = c.rungs - 1
        place = s.rung_places[rung] + 1
        while place < BUCKETS and s.ladder_ends[rung * BUCKETS + place] == 0:
            place += 1
        if place == BUCKETS:
            c.rungs = rung
            continue
        s.rung_places[rung] = place
        end = s.ladder_ends[rung * BUCKETS + place]
        s.ladder_ends[rung * BUCKETS + place] = 0
        if spread_bucket(s, end):
            continue
        if c.wanted_heap > max(c.most_heap, LARGE_HEAP):
            s.rung_places[rung] = place - 1
            s.ladder_ends[rung * BUCKETS + place] = end
            return I(0)
        return take_bucket(s, end, heap)
    return I(0)


def take_bucket(s: LadderArrays, end: int, heap: Heap) -> int:
    """Let the entries of the bucket that ends here be the empty heap; return their number."""
    c = s.control
    far = far_of(s)
    size = I(0)
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            heap_push(heap, size, entry_at(far, at))
            size += 1
        end = release(s, first)
    c.far -= size
    c.wanted_heap = 0
    c.large_heap = max(LARGE_HEAP, 2 * size)
    c.largest_heap = max(c.largest_heap, size)
    return size


def spread_bucket(s: LadderArrays, end: int) -> bool:
    """Spread the entries of the bucket that ends here over a new rung; return False if they had better be the heap."""
    far = far_of(s)
    size = I(0)
    least = inf
    most = -inf
    behind = end
    while behind:
        first = (behind - 1) // CHUNK * CHUNK
        size += behind - first - 1
        for at in range(first + 1, behind):
            least = min(least, far.keys[at])
            most = max(most, far.keys[at])
        behind = I(far.items[first]) * CHUNK
    rung = s.control.rungs
    s.control.wanted_heap = size
    if size <= LARGE_HEAP or not begin_rung(s, least, most, CHUNK):
        return False
    s.rung_places[rung] = -1
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            entry = entry_at(far, at)
            append(s, rung * BUCKETS + bucket_of(s, rung, entry.key), entry)
        s.control.far -= end - first - 1
        end = release(s, first)
    s.control.wanted_heap = 0
    return True


def reduce_heap(s: LadderArrays, heap: Heap, size: int) -> int:
    """Put entries of a large heap on new rungs until few are left; return how many."""
    c = s.control
    while size > LARGE_HEAP:
        least = inf
        most = -inf
        for at in range(size):
            least = min(least, heap.keys[at])
            most = max(most, heap.keys[at])
        rung = c.rungs
        if not begin_rung(s, least, most, size):
            break
        kept = I(0)
        for at in range(size):
            entry = entry_at(heap, at)
            bucket = bucket_of(s, rung, entry.key)
            if bucket:
                append(s, rung * BUCKETS + bucket, entry)
            else:
                heap_push(heap, kept, entry)
                kept += 1
        size = kept
    c.large_heap = max(LARGE_HEAP, 2 * size)
    return size


def begin_rung(s: LadderArrays, least: float, most: float, moved: int) -> bool:
    """Add a rung for the keys from `least` to `most`; return False if there is no room for `moved` more entries."""
    c = s.control
    rung = c.rungs
    scale = BUCKETS / (most - least) if most > least else inf
    if rung == MOST_RUNGS or not 0.0 < scale < inf or not has_room(c, moved):
        return False
    s.rung_starts[rung] = least
    s.rung_scales[rung] = scale
    s.rung_places[rung] = 0
    c.rungs = rung + 1
    return True


def release(s: LadderArrays, first: int) -> int:
    """Release the chunk that begins here; return where the one before it ends, 0 for none."""
    c = s.control
    end = I(s.far_items[first]) * CHUNK
    s.far_items[first] = np.int32(c.free_chunk)
    c.free_chunk = first // CHUNK
    c.free_chunks += 1
    return end


def far_of(s: LadderArrays) -> Heap:
    """Return the entries on the ladder."""
    return Heap(s.far_keys, s.far_ties, s.far_stamps, s.far_items)
