"""A ladder below a heap: entries whose keys are far from the smallest wait unsorted (Tang, Goh and Thng 2005).

A heap of a million entries costs a cache miss per level. Here the heap has only some hundreds of entries, with the
smallest keys; the others wait in buckets by key. The next bucket is sorted once and becomes the run. The entries of the
run are taken one after another. New entries that come before the end of the run go to the heap, and the first entry of
both is taken next. The order in which entries are taken is the same as with a heap alone.

    rung        0                              1                         …   each divides a range of keys evenly into
                [ 0 | 1 | … | 63 ]             [ 0 | 1 | … | 63 ]            `BUCKETS` buckets
    rung_starts, rung_scales                   bucket = (key - start) * scale, from 0 to 63
    rung_kinds, rung_keys, rung_ties           if all keys were equal, ties take the place of keys, then stamps
    rung_places                                the bucket whose entries are on the next rung, or in the heap
    ladder_ends      [ bucket of all rungs ]   the end of its last chunk, 0 for none
    chunk       [ link | entry | entry | …     `CHUNK` entries; the link is the end of the previous chunk. It is in
                                               `far_items`; the fields of an entry are in four arrays, as in the heap
    run          [ entry | entry | …           sorted; the entries before position `run` are taken

With late detection (`STATES`) an entry contains its state, in a record of `far_records`, so that taking it reads memory
in order:

    record       [ key | h | stamp | g | parent | state … ]     a word each; the link of a chunk is in its first record

Then the item of an entry in the heap or in the run is the position of its record. The records of entries in the run
stay in their chunks until the run is used up. The records of entries in the heap are in separate chunks, whose unused
records are linked to one another (`near`).

The entries of a rung are in buckets beyond its place, so they come after all entries of later rungs, of the run and of
the heap. This holds in spite of rounding, because a larger key never has a lower bucket. A heap or a bucket with too
many entries becomes a new rung. If all rungs are used, or there is no room, the entries stay in the heap.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array, record
from searchlab.compiler.intrinsics import address_of, called, pointer_to
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.control import FIXED_WIDTH, BestFirstControl, tie_of
from searchlab.search.kernels.hash_table import I, U
from searchlab.search.kernels.open_list import Entry, Heap, before, entry_at, heap_drop_first, heap_push, put

BUCKETS = 64
MOST_RUNGS = 10
BY_KEY, BY_TIE, BY_STAMP = range(3)
LARGE_HEAP = 256
"""The number of entries beyond which a heap gets a rung, and the largest number of entries in a run."""
STATES = False
"""Whether entries contain their states; a constant of a kernel."""
KEY, H, STAMP, G, PARENT, STATE = range(6)
"""The positions of the words in a record."""


class LadderControl(BestFirstControl):
    """The state of a ladder."""

    last: int
    """The end of the heap."""
    root_removed: int
    """Whether the first entry of the heap belongs to the node taken last, so that another entry may replace it."""
    rungs: int
    """The number of rungs in use."""
    large_heap: int
    """The number of entries beyond which the heap gets a rung; more than `LARGE_HEAP` if the last rung did not help."""
    chunks: int
    """The number of chunks in use, including reusable chunks, chunks of the heap and the run, and chunk 0."""
    free_chunk: int
    """The first reusable chunk, 0 for none."""
    free_chunks: int
    """The number of reusable chunks."""
    most_chunks: int
    """The number of chunks for which there is room."""
    most_pushes: int
    """The largest number of entries that are put on the open list before the next check for room."""
    most_heap: int
    """The largest number of entries that the heap may get from the ladder at once."""
    wanted_heap: int
    """The size of a bucket that is to become the heap, but waits because it exceeds `most_heap`; else 0."""
    largest_heap: int
    """The largest number of entries that the heap has got from the ladder."""
    run: int
    """The position of the next entry of the run."""
    run_end: int
    """The number of entries of the run; equal to `run` if all are taken."""
    run_chunk: int
    """The end of the records of the run, 0 for none. This field and those below are for entries with states."""
    near: int
    """The last released record of the heap, 0 for none."""
    near_next: int
    """The next record in the newest chunk of the heap."""
    near_end: int
    """The end of this chunk."""


class LadderArrays(Arrays):
    """The arrays of a heap and its ladder."""

    keys: Pointer = array(np.float64, "entries")
    ties: Pointer = array(np.float64, "entries")
    entry_stamps: Pointer = array(np.int64, "entries")
    entries: Pointer = array(np.int64, "entries")
    far_records: Pointer = array(np.uint64, "far", "record")
    far_keys: Pointer = array(np.float64, "far", "plain")
    far_ties: Pointer = array(np.float64, "far", "plain")
    far_stamps: Pointer = array(np.int64, "far", "plain")
    far_items: Pointer = array(np.int32, "far", "plain")
    ladder_ends: Pointer = array(np.int64, "rungs", BUCKETS)
    rung_starts: Pointer = array(np.float64, "rungs")
    rung_scales: Pointer = array(np.float64, "rungs")
    rung_places: Pointer = array(np.int64, "rungs")
    rung_kinds: Pointer = array(np.int64, "rungs")
    rung_keys: Pointer = array(np.float64, "rungs")
    rung_ties: Pointer = array(np.float64, "rungs")
    run_keys: Pointer = array(np.float64, "run")
    run_ties: Pointer = array(np.float64, "run")
    run_stamps: Pointer = array(np.int64, "run")
    run_items: Pointer = array(np.int64, "run")
    run_places: Pointer = array(np.int64, "run")  # counts while a bucket is sorted, see `sort_bucket`
    control: LadderControl = record(LadderControl)


def has_room(c: LadderControl, moved: int) -> bool:
    """Return whether there are enough chunks for `most_pushes` entries, and for `moved` entries on a new rung."""
    pushed = min(c.most_pushes, c.most_pushes // (CHUNK - 1) + MOST_RUNGS * BUCKETS)
    more = moved // (CHUNK - 1) + BUCKETS if moved else I(0)
    return c.chunks - c.free_chunks + pushed + more <= c.most_chunks


def far_place(s: LadderArrays, entry: Entry) -> int:
    """Return a new position for an entry on the ladder, 0 if the entry belongs into the heap."""
    for rung in range(s.control.rungs):
        bucket = bucket_of(s, rung, entry)
        if bucket > s.rung_places[rung]:
            return new_place(s, rung * BUCKETS + bucket)
    return I(0)


def bucket_of(s: LadderArrays, rung: int, entry: Entry) -> int:
    """Return the bucket of an entry on a rung."""
    kind = s.rung_kinds[rung]
    if kind >= BY_TIE and entry.key != s.rung_keys[rung]:
        return I(0) if entry.key < s.rung_keys[rung] else I(BUCKETS - 1)
    if kind == BY_STAMP and entry.tie != s.rung_ties[rung]:
        return I(0) if entry.tie < s.rung_ties[rung] else I(BUCKETS - 1)
    place = (part_of(entry, kind) - s.rung_starts[rung]) * s.rung_scales[rung]
    if place < 1.0:
        return I(0)
    return I(place) if place < BUCKETS else I(BUCKETS - 1)


def part_of(entry: Entry, kind: int) -> float:
    """Return the part of an entry by which a rung of this kind orders entries, the smallest first."""
    if kind == BY_KEY:
        return entry.key
    return entry.tie if kind == BY_TIE else -float(entry.stamp)


def new_place(s: LadderArrays, bucket: int) -> int:
    """Return the position for another entry in a bucket, given the number of the bucket among all rungs."""
    end = s.ladder_ends[bucket]
    if end & (CHUNK - 1) == 0:
        end = new_chunk(s, end)
    s.ladder_ends[bucket] = end + 1
    return end


def new_chunk(s: LadderArrays, end: int) -> int:
    """Return the first position in a new or reused chunk, linked to the chunk that ends here."""
    c = s.control
    chunk = c.free_chunk
    if chunk:
        c.free_chunk = link_of(s, chunk * CHUNK)
        c.free_chunks -= 1
    else:
        chunk = c.chunks
        c.chunks += 1
    set_link(s, chunk * CHUNK, end // CHUNK)
    return chunk * CHUNK + 1


def link_of(s: LadderArrays, first: int) -> int:
    """Return the link of the chunk that begins here, in chunks."""
    return I(s.far_records[first * record_words(s.control)]) if STATES else I(s.far_items[first])


def set_link(s: LadderArrays, first: int, chunk: int) -> None:
    """Set the link of the chunk that begins here."""
    if STATES:
        s.far_records[first * record_words(s.control)] = U(chunk)
    else:
        s.far_items[first] = np.int32(chunk)


def record_words(c: LadderControl) -> int:
    """Return the number of words of a record."""
    return STATE + (FIXED_WIDTH if FIXED_WIDTH else c.width)


def far_entry(s: LadderArrays, at: int) -> Entry:
    """Return the entry at a position on the ladder, or of a record."""
    if STATES:
        first = at * record_words(s.control)
        values = values_of(s)
        return Entry(values[first + KEY], tie_of(s.control, values[first + H]), I(s.far_records[first + STAMP]), I(at))
    return entry_at(far_of(s), at)


def values_of(s: LadderArrays) -> Pointer:
    """Return the records as floating-point numbers."""
    return pointer_to(address_of(s.far_records, 0), np.float64)


def put_far(s: LadderArrays, at: int, entry: Entry) -> None:
    """Write an entry of the ladder, or of the heap, to another position."""
    if STATES:
        words = record_words(s.control)
        for word in range(words):
            s.far_records[at * words + word] = s.far_records[entry.item * words + word]
    else:
        put(far_of(s), at, entry)


def near_place(s: LadderArrays) -> int:
    """Return the position for the record of an entry in the heap."""
    c = s.control
    at = c.near
    if at:
        c.near = I(s.far_records[at * record_words(c)])
        return at
    if c.near_next == c.near_end:
        c.near_next = new_chunk(s, I(0))
        c.near_end = c.near_next + CHUNK - 1
    at = c.near_next
    c.near_next = at + 1
    return at


def free_near(s: LadderArrays, at: int) -> None:
    """Release the record of an entry in the heap."""
    c = s.control
    s.far_records[at * record_words(c)] = U(c.near)
    c.near = at


@called
def refill(s: LadderArrays, heap: Heap) -> int:
    """Move the entries of the next bucket to the run, or to the empty heap if they are too many for a run.

    If neither has entries afterwards, the ladder is empty; with `rungs` left, there was no room for the entries.

    Returns:
        the size of the heap.
    """
    c = s.control
    if STATES:
        release_run(s)
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
        bucket = measured(s, end)
        if spread_bucket(s, bucket):
            continue
        c.wanted_heap = 0
        if sort_bucket(s, bucket):
            return I(0)
        if bucket.size > max(c.most_heap, LARGE_HEAP):
            c.wanted_heap = bucket.size
            s.rung_places[rung] = place - 1
            s.ladder_ends[rung * BUCKETS + place] = end
            return I(0)
        return take_bucket(s, bucket, heap)
    return I(0)


def release_run(s: LadderArrays) -> None:
    """Release the chunks of the run, whose entries are taken or in the heap."""
    c = s.control
    end = c.run_chunk
    while end:
        end = release(s, (end - 1) // CHUNK * CHUNK)
    c.run_chunk = 0


class Bucket(NamedTuple):
    """Entries that are to be divided.

    Attributes:
        end: the end of the entries on the ladder.
        size: the number of entries.
        kind: whether they are divided by keys if these differ, else by ties if these differ, else by stamps.
        least, most: the smallest and the largest key, tie or stamp.
        key, tie: the key and the tie of one entry.
    """

    end: int
    size: int
    kind: int
    least: float
    most: float
    key: float
    tie: float


def measured(s: LadderArrays, end: int) -> Bucket:
    """Return the bucket on the ladder that ends here."""
    kind = I(BY_KEY)
    while True:
        size = I(0)
        least = inf
        most = -inf
        behind = I(end)
        while behind:
            first = (behind - 1) // CHUNK * CHUNK
            size += behind - first - 1
            for at in range(first + 1, behind):
                part = part_of(far_entry(s, at), kind)
                least = min(least, part)
                most = max(most, part)
            behind = link_of(s, first) * CHUNK
        if least < most or kind == BY_STAMP:
            one = far_entry(s, end - 1)
            return Bucket(I(end), size, kind, least, most, one.key, one.tie)
        kind += 1


def measured_heap(heap: Heap, size: int) -> Bucket:
    """Return the entries of a heap as a bucket."""
    kind = I(BY_KEY)
    while True:
        least = inf
        most = -inf
        for at in range(size):
            part = part_of(entry_at(heap, at), kind)
            least = min(least, part)
            most = max(most, part)
        if least < most or kind == BY_STAMP:
            return Bucket(I(0), I(size), kind, least, most, heap.keys[0], heap.ties[0])
        kind += 1


def take_bucket(s: LadderArrays, bucket: Bucket, heap: Heap) -> int:
    """Move the entries of a bucket to the empty heap, without their records; return the number of entries."""
    c = s.control
    size = I(0)
    end = I(bucket.end)
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            heap_push(heap, size, far_entry(s, at))
            size += 1
        end = link_of(s, first) * CHUNK if STATES else release(s, first)
    c.large_heap = max(LARGE_HEAP, 2 * size)
    c.largest_heap = max(c.largest_heap, size)
    return size


def sort_bucket(s: LadderArrays, bucket: Bucket) -> bool:
    """Sort the entries of a bucket into the empty run; return False if there are too many.

    The range of keys is divided evenly into as many places as there are entries. After the entries are distributed to
    the places, insertion sort puts them in order. A place is filled from its end, because newer entries, which mostly
    come later in a chunk, precede equal older entries.
    """
    c = s.control
    size = bucket.size
    if size > LARGE_HEAP:
        return False
    run = run_of(s)
    scale = size / (bucket.most - bucket.least) if bucket.most > bucket.least else 0.0
    scale = scale if scale < inf else 0.0
    for place in range(size):
        s.run_places[place] = 0
    behind = I(bucket.end)
    while behind:
        first = (behind - 1) // CHUNK * CHUNK
        for at in range(first + 1, behind):
            s.run_places[place_in_run(bucket, scale, far_entry(s, at))] += 1
        behind = link_of(s, first) * CHUNK
    filled = I(0)
    for place in range(size):
        filled += s.run_places[place]
        s.run_places[place] = filled
    end = I(bucket.end)
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            entry = far_entry(s, at)
            place = place_in_run(bucket, scale, entry)
            s.run_places[place] -= 1
            put(run, s.run_places[place], entry)
        end = link_of(s, first) * CHUNK if STATES else release(s, first)
    for last in range(1, size):
        entry = entry_at(run, last)
        at = last
        while at > 0 and not before(run, at - 1, entry):
            put(run, at, entry_at(run, at - 1))
            at -= 1
        if at < last:
            put(run, at, entry)
    c.large_heap = LARGE_HEAP
    c.run = 0
    c.run_end = size
    if STATES:
        c.run_chunk = bucket.end
    return True


def place_in_run(bucket: Bucket, scale: float, entry: Entry) -> int:
    """Return the place of an entry when its bucket is sorted."""
    return min(I((part_of(entry, bucket.kind) - bucket.least) * scale), bucket.size - 1) if scale else I(0)


def spread_bucket(s: LadderArrays, bucket: Bucket) -> bool:
    """Spread the entries of a large bucket over a new rung; return False if it is small, or there is no room."""
    rung = s.control.rungs
    if bucket.size <= LARGE_HEAP or not begin_rung(s, bucket, CHUNK):
        return False
    s.rung_places[rung] = -1
    end = I(bucket.end)
    while end:
        first = (end - 1) // CHUNK * CHUNK
        for at in range(first + 1, end):
            entry = far_entry(s, at)
            put_far(s, new_place(s, rung * BUCKETS + bucket_of(s, rung, entry)), entry)
        end = release(s, first)
    return True


@called
def reduce_heap(s: LadderArrays, heap: Heap, size: int) -> int:
    """Move entries of a large heap, and of the run, to new rungs until few are left; return how many."""
    c = s.control
    while c.run < c.run_end:
        entry = entry_at(run_of(s), c.run)
        if STATES:
            at = near_place(s)
            put_far(s, at, entry)
            entry = far_entry(s, at)
        heap_push(heap, size, entry)
        size += 1
        c.run += 1
    if STATES:
        release_run(s)
    while size > LARGE_HEAP:
        rung = c.rungs
        if not begin_rung(s, measured_heap(heap, size), size):
            break
        kept = I(0)
        for at in range(size):
            entry = entry_at(heap, at)
            bucket = bucket_of(s, rung, entry)
            if bucket:
                put_far(s, new_place(s, rung * BUCKETS + bucket), entry)
                if STATES:
                    free_near(s, entry.item)
            else:
                heap_push(heap, kept, entry)
                kept += 1
        size = kept
    c.large_heap = max(LARGE_HEAP, 2 * size)
    return size


def begin_rung(s: LadderArrays, bucket: Bucket, moved: int) -> bool:
    """Add a rung for the entries of a bucket; return False if there is no room for `moved` more entries."""
    c = s.control
    rung = c.rungs
    scale = BUCKETS / (bucket.most - bucket.least) if bucket.most > bucket.least else inf
    if rung == MOST_RUNGS or not 0.0 < scale < inf or not has_room(c, moved):
        return False
    s.rung_kinds[rung] = bucket.kind
    s.rung_keys[rung] = bucket.key
    s.rung_ties[rung] = bucket.tie
    s.rung_starts[rung] = bucket.least
    s.rung_scales[rung] = scale
    s.rung_places[rung] = 0
    c.rungs = rung + 1
    return True


def release(s: LadderArrays, first: int) -> int:
    """Release the chunk that begins here; return the end of the previous chunk, 0 for none."""
    c = s.control
    end = link_of(s, first) * CHUNK
    set_link(s, first, c.free_chunk)
    c.free_chunk = first // CHUNK
    c.free_chunks += 1
    return end


def is_run_first(s: LadderArrays) -> bool:
    """Return whether the next entry of the run comes before the first of the heap."""
    c = s.control
    return c.last == 0 or before(run_of(s), c.run, entry_at(heap_of(s), 0))


def remove_root(s: LadderArrays) -> None:
    """Remove the entry of the node taken last from the heap, unless it was replaced."""
    c = s.control
    if c.root_removed:
        heap_drop_first(heap_of(s), c.last)
        c.last -= 1
        c.root_removed = 0


def heap_of(s: LadderArrays) -> Heap:
    """Return the entries of the heap."""
    return Heap(s.keys, s.ties, s.entry_stamps, s.entries)


def far_of(s: LadderArrays) -> Heap:
    """Return the entries on the ladder."""
    return Heap(s.far_keys, s.far_ties, s.far_stamps, s.far_items)


def run_of(s: LadderArrays) -> Heap:
    """Return the entries of the run."""
    return Heap(s.run_keys, s.run_ties, s.run_stamps, s.run_items)
