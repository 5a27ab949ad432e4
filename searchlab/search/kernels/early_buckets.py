"""Best-first search with early duplicate detection, for few values of g and h, and with few cache misses.

A state is stored when it is first generated, so each successor must be looked up. This is done for a whole batch at
once, and each step prefetches the memory for the next:

    take_nodes            nodes of the best bucket           fetches their parents
    generate_successors   test for goals, expand, hash       fetches the slots of the successors
    probe_all             probe until a tag is equal         fetches the nodes of these slots
    then node by node, in the order taken: reserve_buckets compares and evaluates, the loop stores and puts on the
    open list

    nodes         records, one each, so that reading a node touches one cache line:
                  [ word | … | link ]     the packed state, and one word with all other data of the node
                  link: bits 0 … 31 the parent, 32 … 45 g, 46 … 60 the value, 61 … 63 the flags
                  value: h, or the class
    open entries  entries    numbers of nodes, in chunks of their bucket, see `chunks`: of (g, h), or of a class
    classes       [ priority | h ]     a hash table, in which a class has the number of its slot; see `class_of`
                  class_numbers: these numbers, in order of first occurrence
    costs         entry_costs     g of each open entry, if an older entry of a node may come up before a newer one in
                  its class
    table         slots of all nodes, see `hash_table`
    batch         batch      nodes, at most `EXPANSION_BATCH`; counts: of their successors, negative for a goal
    successors    out, hashes, places, out_estimates, terminal, edge_costs: `most_successors` for each node of the
                  batch; places: the slot at which probing stopped, then the slot found, negative for a dropped one

If g and h are small integers and the priority increases with g, a bucket holds the nodes with one g and one h. If the
priority seems to ignore g (greedy search), a bucket holds a class: all nodes with one priority and one h, whatever
numbers these are. Each priority has one class, or one class per h if h breaks ties.

A node takes 16 bytes for states of one word, and an entry 4. Generating successors changes nothing, and
`reserve_buckets` calls all plugin functions before anything is changed. So if something fails or does not fit (a
fraction, a negative or large value, a priority that orders nodes differently than the buckets, too many classes), the
search can continue with the heap of `best_first`, in the same order.

A node that was taken from the open list and not yet expanded is neither OPEN nor CLOSED.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, array
from searchlab.compiler.intrinsics import address_of, pointer_to, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_priority
from searchlab.search.kernels.chunks import (
    CHUNK,
    CHUNKS_TO_SPLIT,
    Buckets,
    activate,
    begin_batch,
    best_bucket,
    first_entry,
    highest_entry,
    in_order,
    new_chunk,
    random_place,
    remove_first,
    remove_ranked,
    split_last,
)
from searchlab.search.kernels.control import (
    ESTIMATE,
    EXPANSION_BATCH,
    FIRST_SIBLING,
    FIXED_WIDTH,
    IS_GOAL,
    NEWEST,
    NO_TIES,
    OLDEST,
    ORDER,
    PRIORITY,
    RANDOM,
    Status,
    enter_layer,
    lose,
    reverse_rows,
    reverse_successors,
    step,
    tie_of,
)
from searchlab.search.kernels.hash_table import (
    CLOSED,
    MULTIPLIER,
    OPEN,
    TERMINAL,
    I,
    U,
    entry_of,
    hash_of,
    node_in,
    same_words,
    slot_of,
    tag_of,
)

FITS = -1
"""Returned instead of a status: the search goes on."""
BY_CLASS = False
"""Whether a bucket is a class; a constant of a kernel."""
CLASS_BITS = 15
"""The number of bits of the number of a class."""
MOST_CLASSES = 3 << (CLASS_BITS - 2)
"""The largest number of classes; probing a fuller table would take long."""
TAKEN = U(0x7FF8000000000001)
"""The bits of a NaN. Combined with them by XOR, no priority is 0, which marks an empty slot."""
G_AT, VALUE_AT, FLAGS_AT = U(32), U(46), U(61)
PARENT, COST, VALUE = U(2**32 - 1), U(2**14 - 1), U(2**CLASS_BITS - 1)
OPEN_BIT, CLOSED_BIT = U(OPEN) << FLAGS_AT, U(CLOSED) << FLAGS_AT


class EarlyBuckets(Buckets):
    """The arrays of a search."""

    records: Pointer = array(np.uint64, "nodes", "words and link")
    slots: Pointer
    entries: Pointer = array(np.uint32, "entries")
    cursors: Pointer
    batch: Pointer = array(np.int64, "batch")
    counts: Pointer = array(np.int64, "batch")
    out: Pointer = array(np.uint64, "batch", "successors", "width")
    hashes: Pointer = array(np.uint64, "batch", "successors")
    places: Pointer = array(np.int64, "batch", "successors")
    out_estimates: Pointer = array(np.float64, "batch", "successors")
    terminal: Pointer = array(np.uint8, "batch", "successors")
    edge_costs: Pointer = array(np.float64, "batch", "successors", fill=1)
    buckets: Pointer = array(np.int64, "batch", "successors")
    classes: Pointer = array(np.float64, "classes", 2)
    class_numbers: Pointer = array(np.int64, "class numbers")
    sought: Pointer = array(np.float64, 1)
    entry_costs: Pointer = array(np.uint16, "entries", "costs of entries")


def early_buckets(s: EarlyBuckets, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + 1
    most = c.most_successors
    row = 0 if BY_CLASS else c.most_h
    mask = c.slots - 1
    while True:
        if c.batch_at == c.batch_size:
            if 8 * (c.nodes + EXPANSION_BATCH * most) > 5 * c.slots:
                return Status.TABLE_FULL
            take_nodes(s)
            if c.batch_size == 0:
                return Status.EXHAUSTED
            generate_successors(s)
            probe_all(s)
        position = c.batch_at
        node = s.batch[position]
        link = s.records[node * stride + width]
        if flags_of(link) & OPEN:
            c.batch_at += 1  # a better path was found while the node waited in the batch
            continue
        count = s.counts[position]
        c.current = node
        if count < 0:
            return Status.GOAL
        if c.expanded >= budget:
            return Status.BUDGET
        g = cost_of(link)
        first = position * most
        fits = reserve_buckets(s, first, count, g)
        if fits != FITS:
            return fits
        s.records[node * stride + width] = closed(link)
        c.batch_at += 1
        enter_layer(c, s.by_f, g + h_of(s, link))
        c.expanded += 1
        c.generated += count
        for k in range(first, first + count):
            if s.places[k] < 0:
                continue
            over = TERMINAL if not c.unit_moves and s.terminal[k] else 0
            # An equal successor of the same node may have been stored since, or another state in this slot.
            slot = probe(s, s.places[k], k, over)
            cost = g + (1 if c.unit_moves else I(s.edge_costs[k]))
            at = node_in(I(s.slots[slot]), mask)
            if at >= 0:
                known = s.records[at * stride + width]
                flags = flags_of(known)
                if cost >= cost_of(known):
                    continue
                if flags & CLOSED and not c.reopens:
                    lose(c, float(cost), h_of(s, known))
                    continue
                c.reopened += (flags & CLOSED) != 0
                c.on_open += (flags & OPEN) == 0
            else:
                c.evaluated += c.estimates
                estimate = c.sign * s.out_estimates[k]
                if estimate == inf:
                    c.dead_ends += 1
                    lose(c, float(cost), estimate)
                    continue
                if c.estimates and estimate < c.best_h:
                    c.best_h = estimate
                at = c.nodes
                c.nodes += 1
                c.on_open += 1
                s.slots[slot] = entry_of(s.hashes[k], mask, at)
                for word in range(width):
                    s.records[at * stride + word] = s.out[k * width + word]
            bucket = s.buckets[k]
            s.records[at * stride + width] = link_of(node, cost, bucket - cost * row, OPEN | over)
            end = s.cursors[bucket] - 1
            if ORDER == RANDOM:
                end = random_place(s, bucket, s.entries, 1)
            elif end & (CHUNK - 1) == 0:
                end = new_chunk(s, bucket, s.entries, end, 1)
            s.entries[end] = at
            if BY_CLASS and ORDER != NEWEST:
                s.entry_costs[end] = np.uint16(cost)
            if ORDER != RANDOM:
                s.cursors[bucket] = end + 2
        c.most_on_open = max(c.most_on_open, c.on_open)


def take_nodes(s: EarlyBuckets) -> None:
    """Take the first open nodes of the best nonempty bucket into the batch, and fetch their parents.

    An entry is stale if a shorter path to its node was found later, or if a newer entry of the node was taken.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + 1
    most = begin_batch(c)
    size = 0
    while size == 0:
        bucket = best_bucket(s)
        if bucket < 0:
            return
        g = bucket // c.most_h
        end = s.cursors[bucket] - 1
        ahead = max(end - most, ((end - 1) & ~(CHUNK - 1)) + 1)
        behind = end
        if ORDER == OLDEST:
            ahead = s.fronts[bucket]
            behind = min(ahead + most, (ahead | (CHUNK - 1)) + 1)
        while ahead < behind:  # beyond the end are old entries, or node 0
            prefetch(s.records, I(s.entries[ahead]) * stride)
            ahead += 1
        while size < most and end > 0:
            if ORDER == RANDOM:
                s.cursors[bucket] = end + 1
                split_last(s, bucket, s.entries, 1, s.entry_costs, I(BY_CLASS))
                end = s.cursors[bucket] - 1
                at = highest_entry(s, s.entries, end, 1)
            else:
                at = first_entry(s, bucket, end)
            node = I(s.entries[at])
            link = s.records[node * stride + width]
            if flags_of(link) & OPEN and is_newest(s, at, bucket, g, link):
                s.records[node * stride + width] = taken(link)
                prefetch(s.records, parent_of(link) * stride)
                s.batch[size] = node
                size += 1
            if ORDER == RANDOM:
                end = remove_ranked(s, bucket, s.entries, at, end, 1, s.entry_costs, I(BY_CLASS))
            else:
                end = remove_first(s, bucket, s.entries, at, end, 1)
        s.cursors[bucket] = end + 1
        c.emptied = -1 if end else bucket
    c.on_open -= size
    c.batch_size = size


def is_newest(s: EarlyBuckets, at: int, bucket: int, g: int, link: Any) -> bool:
    """Return whether the entry at a position of a bucket is the newest entry of its open node.

    Args:
        g: the g of the bucket, unless it is a class.
        link: the link of the node.
    """
    if not BY_CLASS:
        return cost_of(link) == g
    if ORDER != NEWEST and cost_of(link) != I(s.entry_costs[at]):
        return False
    return value_of(link) == bucket


def generate_successors(s: EarlyBuckets) -> None:
    """Produce the successors of all nodes of the batch, and fetch their slots."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + 1
    mask = c.slots - 1
    for position in range(c.batch_size):
        node = s.batch[position]
        link = s.records[node * stride + width]
        first = position * c.most_successors
        c.out_first = first
        words_at = address_of(s.records, node * stride)
        parent_at = address_of(s.records, parent_of(link) * stride)
        # The start is stored as its own parent, but has none.
        count = step(s, words_at, parent_at, I(node > 0), c.sign * h_of(s, link), first)
        s.counts[position] = count
        if FIRST_SIBLING:
            reverse_successors(s, first, count, width)
            reverse_rows(s.out_estimates, first, count, 1)
        for k in range(first, first + count):
            s.hashes[k] = hash_of(s.out, k * width, width)
            prefetch(s.slots, slot_of(s.hashes[k], mask))


def probe_all(s: EarlyBuckets) -> None:
    """Probe for each successor of the batch up to the first node that is likely equal, and fetch this node."""
    c = s.control
    mask = c.slots - 1
    stride = (FIXED_WIDTH if FIXED_WIDTH else c.width) + 1
    at_once = c.batch_size > 1  # otherwise evaluate the first successor while other slots arrive
    for position in range(c.batch_size):
        first = position * c.most_successors
        for k in range(first, first + s.counts[position]):
            slot = slot_of(s.hashes[k], mask)
            if not at_once:
                s.places[k] = slot
                continue
            tag = tag_of(s.hashes[k], mask)
            while s.slots[slot] != 0 and I(s.slots[slot]) & ~mask != tag:
                slot = (slot + 1) & mask
            s.places[k] = slot
            if s.slots[slot] != 0:
                prefetch(s.records, node_in(I(s.slots[slot]), mask) * stride)


def probe(s: EarlyBuckets, slot: int, k: int, terminal: int) -> int:
    """Return the slot of the node of the k-th successor, or the empty slot for it, searching from a slot on."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    tag = tag_of(s.hashes[k], mask)
    while s.slots[slot] != 0:
        entry = I(s.slots[slot])
        if entry & ~mask == tag:
            known = node_in(entry, mask) * (width + 1)
            same = same_words(s.records, known, s.out, k * width, width)
            if same and flags_of(s.records[known + width]) & TERMINAL == terminal:
                break
        slot = (slot + 1) & mask
    return slot


def reserve_buckets(s: EarlyBuckets, first: int, count: int, g: int) -> int:
    """Find the slots of the successors of a node, evaluate new states, and make their buckets active.

    Returns:
        FITS if all successors fit into buckets, else the status to return.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + 1
    mask = c.slots - 1
    lazily = c.estimates and not c.incremental
    c.out_first = 0
    if c.active + count > c.most_active:
        return Status.NO_BUCKET
    if c.chunks + count + (CHUNKS_TO_SPLIT if ORDER == RANDOM else 0) > c.most_chunks:
        return Status.BUDGET
    for k in range(first, first + count):
        paid = 1.0
        over = 0
        if not c.unit_moves:
            paid = s.edge_costs[k]
            over = TERMINAL if s.terminal[k] else 0
            if over and not call_is_goal(s.callees, IS_GOAL, (address_of(s.out, k * width), address_of(s.tiles, 0))):
                s.places[k] = -1
                continue
        if not (paid >= 0 and paid < c.most_g - g and float(I(paid)) == paid):
            return Status.NO_BUCKET
        slot = probe(s, s.places[k], k, over)
        s.places[k] = slot
        cost = g + I(paid)
        if s.slots[slot] != 0:
            known = s.records[node_in(I(s.slots[slot]), mask) * stride + width]
            if cost >= cost_of(known):
                continue
            h = h_of(s, known)
        else:
            if lazily:
                c.successor = k
                at = address_of(s.out, k * width), address_of(s.tiles, 0)
                s.out_estimates[k] = call_estimate(s.callees, ESTIMATE, at)
            h = c.sign * s.out_estimates[k]
            if h == inf:
                continue
        bucket = bucket_of(s, cost, h)
        if bucket < 0:
            return Status.NO_BUCKET
        s.buckets[k] = bucket
        c.emptied = -1 if bucket == c.emptied else c.emptied
        if s.cursors[bucket] == 0:
            activate(s, bucket, call_priority(s.callees, PRIORITY, (float(cost), h)), tie_of(c, h))
            s.cursors[bucket] = 1
    return FITS


def bucket_of(s: EarlyBuckets, g: int, h: float) -> int:
    """Return the bucket of nodes with this g and h, -1 if they do not fit into buckets."""
    c = s.control
    if BY_CLASS:
        return class_of(s, g, h)
    if h >= 0 and h < c.most_h and float(I(h)) == h and in_order(s, g, I(h)):
        return g * c.most_h + I(h)
    return -1


def class_of(s: EarlyBuckets, g: int, h: float) -> int:
    """Return the class of nodes with this g and h, a new class if necessary, -1 if impossible.

    If h breaks no ties, two classes with the same priority would have no unique position in the order.
    """
    c = s.control
    c.ordering = 1  # an exception here is not one of the search, which may never compute this priority
    s.sought[0] = call_priority(s.callees, PRIORITY, (float(g), h)) + 0.0  # 0.0 for -0.0, which is equal
    c.ordering = 0
    marked = pointer_to(address_of(s.sought, 0), np.uint64)[0] ^ TAKEN
    marks = pointer_to(address_of(s.classes, 0), np.uint64)
    slot = class_slot(marked)
    while marks[2 * slot] != 0:
        if marks[2 * slot] == marked:
            if s.classes[2 * slot + 1] == h:
                return slot
            if c.ties == NO_TIES:
                return -1
        slot = (slot + 1) & I(VALUE)
    if c.classes == c.most_classes or h != h:
        return -1
    s.class_numbers[c.classes] = slot
    c.classes += 1
    marks[2 * slot] = marked
    s.classes[2 * slot + 1] = h
    return slot


def class_slot(marked: Any) -> Any:
    """Return the slot where probing for a class begins, given the bits of the priority combined with TAKEN."""
    mixed = (marked ^ (marked >> U(32))) * MULTIPLIER
    return I(mixed >> U(64 - CLASS_BITS))


def h_of(s: EarlyBuckets, link: Any) -> float:
    """Return h of the node with this link."""
    h: float = s.classes[2 * value_of(link) + 1] if BY_CLASS else float(value_of(link))
    return h


def link_of(parent: int, g: int, value: int, flags: int) -> Any:
    """Return the link of a node."""
    return U(parent) | U(g) << G_AT | U(value) << VALUE_AT | U(flags) << FLAGS_AT


def parent_of(link: Any) -> int:
    """Return the parent of the node with this link; the start is its own parent."""
    return I(link & PARENT)


def cost_of(link: Any) -> int:
    """Return g of the node with this link."""
    return I((link >> G_AT) & COST)


def value_of(link: Any) -> int:
    """Return the value of the node with this link: h, or the number of its class."""
    return I((link >> VALUE_AT) & VALUE)


def flags_of(link: Any) -> int:
    """Return the flags of the node with this link: OPEN, CLOSED, TERMINAL."""
    return I(link >> FLAGS_AT)


def taken(link: Any) -> Any:
    """Return the link of a node that is taken from the open list."""
    return link & ~OPEN_BIT


def closed(link: Any) -> Any:
    """Return the link of a node that is expanded."""
    return link | CLOSED_BIT
