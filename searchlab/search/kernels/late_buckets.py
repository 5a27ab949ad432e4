"""Best-first search with late duplicate detection, for small integers g and h: no heap, few cache misses.

A* is slow because of random memory access. Here generating a node causes none, because the node is appended to the
bucket of its (g, h). Nodes are looked up only when they are taken, in batches whose table slots are prefetched (late
detection: Burns, Hatem, Leighton and Ruml 2012).

    open entries       open_words    [ link | state | state | …     in chunks of their (g, h), see `chunks`
                       open_parents  [      |  id   |  id   | …
    closed nodes       closed_words, closed_parents, closed_costs   state, parent, g
    table of closed    slots, see `hash_table`

g and h of an entry follow from its bucket, so an open node takes 12 bytes, and a closed one 14, for states of one word.

If something does not fit (a fraction, a negative or large value, a move that ends the game, a priority that orders
nodes differently than the buckets), the kernel returns NO_BUCKET before it changes anything, and the search continues
with the heap of `late_heap`.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, array
from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_is_goal
from searchlab.search.kernels.chunks import (
    CHUNK,
    CHUNKS_TO_SPLIT,
    Buckets,
    activate_by_g,
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
    FIRST_SIBLING,
    FIXED_WIDTH,
    IS_GOAL,
    ORDER,
    RANDOM,
    Status,
    enter_layer,
    lose,
    reverse_rows,
    reverse_successors,
    step,
)
from searchlab.search.kernels.hash_table import I, entry_of, hash_of, node_in, same_words, slot_of, tag_of

FINITE = 1.7e308
FITS = -1
"""Returned instead of a status: the search goes on."""
VALUE: Any = np.float64
"""The type of h in arguments; int64 in a kernel that is compiled with a `step` that computes only integers."""


class LateBuckets(Buckets):
    """The arrays of a search."""

    closed_words: Pointer = array(np.uint64, "nodes", "width")
    closed_parents: Pointer = array(np.uint32, "nodes")
    closed_costs: Pointer = array(np.uint16, "nodes")
    slots: Pointer
    open_words: Pointer = array(np.uint64, "entries", "width")
    open_parents: Pointer = array(np.uint32, "entries")
    batch_words: Pointer = array(np.uint64, "batch", "width")
    batch_parents: Pointer = array(np.uint32, "batch")
    batch_hashes: Pointer = array(np.uint64, "batch")
    buckets: Pointer = array(np.int64, "successors")


def late_buckets(s: LateBuckets, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    most_h = c.most_h
    mask = c.slots - 1
    lowest = I(min(c.best_h, float(most_h)))
    while True:
        if c.batch_at == c.batch_size:
            take_states(s)
            if c.batch_size == 0:
                return Status.EXHAUSTED
            fetch_nodes(s)
        g = c.batch_bucket // most_h
        h = c.batch_bucket - g * most_h
        enter_layer(c, s.by_f, float(g + h))
        position = c.batch_at
        while position < c.batch_size:
            mixed = s.batch_hashes[position]
            node = c.nodes
            slot = slot_of(mixed, mask)
            tag = tag_of(mixed, mask)
            found = I(0)
            while s.slots[slot] != 0:
                entry = I(s.slots[slot])
                if entry & ~mask == tag:
                    candidate = node_in(entry, mask)
                    if same_words(s.closed_words, candidate * width, s.batch_words, position * width, width):
                        found = entry
                        break
                slot = (slot + 1) & mask
            parent = I(s.batch_parents[position])
            if found:
                node = node_in(found, mask)
                if I(s.closed_costs[node]) <= g or not c.reopens:
                    if I(s.closed_costs[node]) > g:
                        lose(c, float(g), float(h))
                    c.duplicates += 1
                    position += 1
                    continue
            c.batch_at = position
            c.current = -1
            c.successor = -1
            words_at = address_of(s.batch_words, position * width)
            if c.expanded >= budget:
                if call_is_goal(s.callees, IS_GOAL, (words_at, address_of(s.tiles, 0))):
                    return goal_found(s, position, node)
                return Status.BUDGET
            if 8 * (c.in_table + 1) > 5 * c.slots:
                return Status.TABLE_FULL
            # The start is stored as its own parent, but has none.
            parent_at = address_of(s.closed_words, parent * width)
            count = step(s, words_at, parent_at, I(node > 0), VALUE(h), 0)
            if count < 0:
                return goal_found(s, position, node)
            if FIRST_SIBLING:
                reverse_successors(s, 0, count, width)
                reverse_rows(s.out_estimates, 0, count, 1)
            if not have_buckets(s, count, g):
                fits = fitting(s, count, g)
                if fits != FITS:
                    return fits
            if found:
                c.reopened += 1
            else:
                s.slots[slot] = entry_of(mixed, mask, node)
                c.in_table += 1
                c.nodes += 1
                for word in range(width):
                    s.closed_words[node * width + word] = s.batch_words[position * width + word]
            s.closed_parents[node] = np.uint32(parent)
            s.closed_costs[node] = np.uint16(g)
            c.expanded += 1
            c.generated += count
            pushed = 0
            for k in range(count):
                bucket = s.buckets[k]
                if bucket < 0:
                    c.dead_ends += 1
                    lose(c, g + s.edge_costs[k], inf)
                    continue
                pushed += 1
                estimate = I(s.out_estimates[k])
                if estimate < lowest:
                    lowest = estimate
                    c.best_h = float(estimate)
                at = s.cursors[bucket] - 1
                if at < 0:
                    activate_by_g(s, bucket)
                    at = 0
                if ORDER == RANDOM:
                    at = random_place(s, bucket, s.open_words, width)
                elif at & (CHUNK - 1) == 0:
                    at = new_chunk(s, bucket, s.open_words, at, width)
                for word in range(width):
                    s.open_words[at * width + word] = s.out[k * width + word]
                s.open_parents[at] = np.uint32(node)
                if ORDER != RANDOM:
                    s.cursors[bucket] = at + 2
            if c.estimates:
                c.evaluated += count
            c.on_open += pushed
            c.most_on_open = max(c.most_on_open, c.on_open)
            position += 1
        c.batch_at = position


def have_buckets(s: LateBuckets, count: int, g: int) -> bool:
    """Find the buckets of the successors; return whether all are active, and so have a place in the order."""
    c = s.control
    most_h = c.most_h
    spare = CHUNKS_TO_SPLIT if ORDER == RANDOM else 0
    if g + 1 >= c.most_g or c.chunks + count + spare > c.most_chunks:
        return False
    row = (g + 1) * most_h
    for k in range(count):
        if not c.unit_moves:
            cost = s.edge_costs[k]
            after = g + I(cost)
            if s.terminal[k] or not (cost >= 0 and after < c.most_g and float(I(cost)) == cost):
                return False
            row = after * most_h
        estimate = s.out_estimates[k]
        h = I(estimate)
        if not (h >= 0 and h < most_h and VALUE(h) == estimate) or s.cursors[row + h] == 0:
            return False
        s.buckets[k] = row + h
    return True


def take_states(s: LateBuckets) -> None:
    """Take the first entries of the best bucket into the batch, and fetch their slots."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    most = begin_batch(c)
    bucket = best_bucket(s)
    if bucket < 0:
        return
    end = s.cursors[bucket] - 1
    size = 0
    while size < most and end > 0:
        if ORDER == RANDOM:
            s.cursors[bucket] = end + 1
            split_last(s, bucket, s.open_words, width, s.open_parents, 1)
            end = s.cursors[bucket] - 1
            at = highest_entry(s, s.open_words, end, width)
        else:
            at = first_entry(s, bucket, end)
        for word in range(width):
            s.batch_words[size * width + word] = s.open_words[at * width + word]
        mixed = hash_of(s.batch_words, size * width, width)
        prefetch(s.slots, slot_of(mixed, mask))
        s.batch_hashes[size] = mixed
        s.batch_parents[size] = s.open_parents[at]
        size += 1
        if ORDER == RANDOM:
            end = remove_ranked(s, bucket, s.open_words, at, end, width, s.open_parents, 1)
        else:
            end = remove_first(s, bucket, s.open_words, at, end, width)
    s.cursors[bucket] = end + 1
    c.emptied = -1 if end else bucket
    c.on_open -= size
    c.batch_size = size
    c.batch_bucket = bucket


def fetch_nodes(s: LateBuckets) -> None:
    """Fetch the parents of the states in the batch, and the closed nodes with which they are most likely equal."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    for position in range(c.batch_size):
        prefetch(s.closed_words, I(s.batch_parents[position]) * width)
        mixed = s.batch_hashes[position]
        tag = tag_of(mixed, mask)
        slot = slot_of(mixed, mask)
        for ahead in range(2):
            entry = I(s.slots[(slot + ahead) & mask])
            if entry & ~mask == tag:  # seldom true, so predictable; a test for 0 would not be, and 0 does no harm
                prefetch(s.closed_words, node_in(entry, mask) * width)
                prefetch(s.closed_costs, node_in(entry, mask))


def goal_found(s: LateBuckets, position: int, node: int) -> int:
    """Store the goal as the closed node of this number, so that the path can be followed from there."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    for word in range(width):
        s.closed_words[node * width + word] = s.batch_words[position * width + word]
    s.closed_parents[node] = s.batch_parents[position]
    c.current = node
    return Status.GOAL


def fitting(s: LateBuckets, count: int, g: int) -> int:
    """Find the buckets of the successors, -1 for a dead end; return FITS if all fit, else the status to return."""
    c = s.control
    most_h = c.most_h
    doubtful = False
    for k in range(count):
        estimate = s.out_estimates[k]
        doubtful |= not (estimate >= 0 and estimate < most_h and float(I(estimate)) == estimate)
    if not c.unit_moves:
        for k in range(count):
            cost = s.edge_costs[k]
            if s.terminal[k] or not (0 <= cost < c.most_g - g and float(I(cost)) == cost):
                return Status.NO_BUCKET
    if doubtful:
        for k in range(count):
            estimate = s.out_estimates[k]
            if estimate != estimate:
                c.successor = k
                return Status.NOT_A_NUMBER
            if estimate <= FINITE and not (0 <= estimate < most_h and float(I(estimate)) == estimate):
                return Status.NO_BUCKET
    if c.active + count > c.most_active:
        return Status.NO_BUCKET
    if c.chunks + count + (CHUNKS_TO_SPLIT if ORDER == RANDOM else 0) > c.most_chunks:
        return Status.BUDGET
    if g + 1 >= c.most_g:
        return Status.NO_BUCKET
    for k in range(count):
        estimate = s.out_estimates[k]
        cost = 1 if c.unit_moves else I(s.edge_costs[k])
        s.buckets[k] = -1
        if estimate <= FINITE:
            if not in_order(s, g + cost, I(estimate)):
                return Status.NO_BUCKET
            s.buckets[k] = (g + cost) * most_h + I(estimate)
    return FITS
