"""Best-first search with late duplicate detection, where g and h are small whole numbers: no heap, few cache misses.

What makes A* slow is memory that is touched at random. Here a generated node costs none: it is appended to the
bucket of its (g, h). Only taking a node looks it up, and that happens in batches whose table slots are fetched
ahead (late detection: Burns, Hatem, Leighton and Ruml 2012).

    open entries       open_words    [ link | state | state | …     in chunks of their (g, h), see `chunks`
                       open_parents  [      |  id   |  id   | …
    closed nodes       closed_words, closed_parents, closed_costs   state, node it was reached from, g
    table of closed    slots, see `table`

g and h of an entry follow from its bucket, so an open node takes 12 bytes and a closed one 14 for states of one word.

Where something does not fit (a fraction, a negative or a large value, a move that ends the game, a priority that has
another order than the buckets) the kernel returns NO_BUCKET before it has changed anything, and the search goes on with
the heap of `best_first`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_is_goal, call_step
from searchlab.search.kernels.chunks import CHUNK, activate, in_order, new_chunk, take_states
from searchlab.search.kernels.control import (
    ACTIVE,
    BATCH_AT,
    BATCH_BUCKET,
    BATCH_SIZE,
    BEST_H,
    BUDGET,
    CHUNKS,
    CURRENT,
    DEAD_ENDS,
    DUPLICATES,
    ESTIMATES,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIXED_WIDTH,
    GENERATED,
    GOAL,
    IN_TABLE,
    IS_GOAL,
    MOST_ACTIVE,
    MOST_CHUNKS,
    MOST_G,
    MOST_H,
    MOST_ON_OPEN,
    NO_BUCKET,
    NODES,
    NOT_A_NUMBER,
    ON_OPEN,
    PLAIN_MOVES,
    REOPENED,
    SIGN,
    SLOTS,
    STEP,
    SUCCESSOR,
    TABLE_FULL,
    WIDTH,
)
from searchlab.search.kernels.table import I, entry_of, node_in, same_words, slot_of, tag_of

FINITE = 1.7e308
FITS = -1
"""No status: the search goes on."""

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_u32, _u16, _u8 = (types.CPointer(t) for t in (types.uint32, types.uint16, types.uint8))
_i16 = types.CPointer(types.int16)
SIGNATURE = types.int64(
    *(_u64, _u32, _u16, _u32),
    *(_u64, _u32, _i64),
    *(_f64, _f64, _i64, _i64, _i16),
    *(_u64, _u32, _u64),
    *(_u64, _f64, _i64, _i64, _u8, _f64, _i64),
    *(_u64, _i64, _f64, types.int64),
)


def late_buckets(
    closed_words: Any,
    closed_parents: Any,
    closed_costs: Any,
    slots: Any,
    open_words: Any,
    open_parents: Any,
    cursors: Any,
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    orders: Any,
    batch_words: Any,
    batch_parents: Any,
    batch_hashes: Any,
    out: Any,
    estimates: Any,
    tiles: Any,
    out_tiles: Any,
    terminal: Any,
    costs: Any,
    moves: Any,
    callees: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    most_h = control[MOST_H]
    mask = control[SLOTS] - 1
    progress = address_of(control, SUCCESSOR)
    while True:
        if control[BATCH_AT] == control[BATCH_SIZE]:
            take_states(
                open_words,
                open_parents,
                cursors,
                active_keys,
                active_ties,
                active_stamps,
                active,
                batch_words,
                batch_parents,
                batch_hashes,
                slots,
                mask,
                control,
            )
            if control[BATCH_SIZE] == 0:
                return EXHAUSTED
            fetch_nodes(
                closed_words,
                closed_costs,
                slots,
                mask,
                batch_parents,
                batch_hashes,
                width,
                control,
            )
        g = control[BATCH_BUCKET] // most_h
        h = control[BATCH_BUCKET] - g * most_h
        position = control[BATCH_AT]
        while position < control[BATCH_SIZE]:
            mixed = batch_hashes[position]
            node = control[NODES]
            slot = slot_of(mixed, mask)
            tag = tag_of(mixed, mask)
            found = I(0)
            while slots[slot] != 0:
                entry = I(slots[slot])
                if entry & ~mask == tag:
                    candidate = node_in(entry, mask)
                    if same_words(closed_words, candidate * width, batch_words, position * width, width):
                        found = entry
                        break
                slot = (slot + 1) & mask
            parent = I(batch_parents[position])
            if found:
                node = node_in(found, mask)
                if I(closed_costs[node]) <= g:
                    control[DUPLICATES] += 1
                    position += 1
                    continue
            control[BATCH_AT] = position
            control[CURRENT] = -1
            control[SUCCESSOR] = -1
            words_at = address_of(batch_words, position * width)
            if control[EXPANDED] >= budget:
                if call_is_goal(callees, IS_GOAL, (words_at, address_of(tiles, 0))):
                    return goal_found(closed_words, closed_parents, batch_words, position, parent, node, width, control)
                return BUDGET
            if 8 * (control[IN_TABLE] + 1) > 5 * control[SLOTS]:
                return TABLE_FULL
            # The start is its own parent, and has none to go back to.
            count = call_step(
                callees,
                STEP,
                (
                    words_at,
                    address_of(closed_words, parent * width),
                    I(node > 0),
                    control[SIGN] * float(h),
                    address_of(out, 0),
                    address_of(estimates, 0),
                    address_of(tiles, 0),
                    address_of(out_tiles, 0),
                    address_of(terminal, 0),
                    address_of(costs, 0),
                    address_of(moves, 0),
                    progress,
                ),
            )
            if count < 0:
                return goal_found(closed_words, closed_parents, batch_words, position, parent, node, width, control)
            fits = fitting(estimates, terminal, costs, count, g, most_h, orders, callees, control)
            if fits != FITS:
                return fits
            if found:
                control[REOPENED] += 1
            else:
                slots[slot] = entry_of(mixed, mask, node)
                control[IN_TABLE] += 1
                control[NODES] += 1
                for word in range(width):
                    closed_words[node * width + word] = batch_words[position * width + word]
            closed_parents[node] = np.uint32(parent)
            closed_costs[node] = np.uint16(g)
            control[EXPANDED] += 1
            control[GENERATED] += count
            pushed = 0
            for k in range(count):
                estimate = control[SIGN] * estimates[k]
                if estimate > FINITE:
                    control[DEAD_ENDS] += 1
                    continue
                pushed += 1
                if estimate < figures[BEST_H]:
                    figures[BEST_H] = estimate
                step = 1 if control[PLAIN_MOVES] else I(costs[k])
                bucket = (g + step) * most_h + I(estimate)
                at = cursors[bucket] - 1
                if at < 0:
                    activate(active_keys, active_ties, active_stamps, active, bucket, most_h, callees, control)
                    at = 0
                if at & (CHUNK - 1) == 0:
                    at = new_chunk(open_words, at, width, control)
                for word in range(width):
                    open_words[at * width + word] = out[k * width + word]
                open_parents[at] = np.uint32(node)
                cursors[bucket] = at + 2
            if control[ESTIMATES]:
                control[EVALUATED] += count
            control[ON_OPEN] += pushed
            control[MOST_ON_OPEN] = max(control[MOST_ON_OPEN], control[ON_OPEN])
            position += 1
        control[BATCH_AT] = position


def goal_found(
    closed_words: Any,
    closed_parents: Any,
    batch_words: Any,
    position: int,
    parent: int,
    node: int,
    width: int,
    control: Any,
) -> int:
    """Make the goal the closed node of this number, so that the path can be followed from it."""
    for word in range(width):
        closed_words[node * width + word] = batch_words[position * width + word]
    closed_parents[node] = np.uint32(parent)
    control[CURRENT] = node
    return GOAL


def fitting(
    estimates: Any,
    terminal: Any,
    costs: Any,
    count: int,
    g: int,
    most_h: int,
    orders: Any,
    callees: Any,
    control: Any,
) -> int:
    """Return FITS if every successor fits into a bucket, else the status to return."""
    doubtful = False
    for k in range(count):
        estimate = control[SIGN] * estimates[k]
        doubtful |= not (estimate >= 0 and estimate < most_h and float(I(estimate)) == estimate)
    if not control[PLAIN_MOVES]:
        for k in range(count):
            cost = costs[k]
            if terminal[k] or not (0 <= cost < control[MOST_G] - g and float(I(cost)) == cost):
                return NO_BUCKET
    if doubtful:
        for k in range(count):
            estimate = control[SIGN] * estimates[k]
            if estimate != estimate:
                control[SUCCESSOR] = k
                return NOT_A_NUMBER
            if estimate <= FINITE and not (0 <= estimate < most_h and float(I(estimate)) == estimate):
                return NO_BUCKET
    if control[ACTIVE] + count > control[MOST_ACTIVE]:
        return NO_BUCKET
    if control[CHUNKS] + count > control[MOST_CHUNKS]:
        return BUDGET
    if g + 1 >= control[MOST_G]:
        return NO_BUCKET
    for k in range(count):
        estimate = control[SIGN] * estimates[k]
        step = 1 if control[PLAIN_MOVES] else I(costs[k])
        if estimate <= FINITE and not in_order(orders, g + step, I(estimate), callees, control):
            return NO_BUCKET
    return FITS


def fetch_nodes(
    closed_words: Any,
    closed_costs: Any,
    slots: Any,
    mask: int,
    batch_parents: Any,
    batch_hashes: Any,
    width: int,
    control: Any,
) -> None:
    """Fetch the parents of the batch's states, and the closed nodes these are most likely equal to."""
    for position in range(control[BATCH_SIZE]):
        prefetch(closed_words, I(batch_parents[position]) * width)
        mixed = batch_hashes[position]
        tag = tag_of(mixed, mask)
        slot = slot_of(mixed, mask)
        for ahead in range(2):
            entry = I(slots[(slot + ahead) & mask])
            if entry != 0 and entry & ~mask == tag:
                prefetch(closed_words, node_in(entry, mask) * width)
                prefetch(closed_costs, node_in(entry, mask))
