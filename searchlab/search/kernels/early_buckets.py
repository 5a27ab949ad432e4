"""Best-first search with early duplicate detection, where g and h are small whole numbers: few cache misses here, too.

A state is stored once, when it is first generated, so each successor has to be looked up. That is done for a whole
batch at once, each step fetching what the next one touches:

    take          nodes of the best bucket           fetches the nodes they were reached from
    look ahead    test for goals, expand, hash       fetches the slots of the successors
    meet          probe until a tag is the same      fetches the nodes of these slots
    process       node by node, in the order taken: compare, evaluate, store, put on the open list

    nodes         records, see `records`
    open entries  entries    numbers of nodes, in chunks of their (g, h), or h where g does not count; see `chunks`
    table         slots of all nodes, see `table`
    batch         batch      nodes, `LARGEST_BATCH` at most; counts: of their successors, negative for a goal
    successors    out, hashes, places, estimates, terminal, costs: `MOST_SUCCESSORS` for each node of the batch;
                  places: the slot at which probing stopped, then the slot found, negative for one that is not kept

A node takes 16 bytes for states of one word and an entry 4. `process` calls all plugin functions before it changes
anything; looking ahead changes nothing. So wherever something does not fit (a fraction, a negative or a large value, a
priority that has another order than the buckets) or fails, the search can go on with the heap of `best_first`, in the
same order.
"""

from __future__ import annotations

from math import inf
from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_step
from searchlab.search.kernels.chunks import CHUNK, activate, in_order, new_chunk, take_nodes
from searchlab.search.kernels.control import (
    ACTIVE,
    BATCH_AT,
    BATCH_SIZE,
    BEST_H,
    BUDGET,
    BY_G,
    CHUNKS,
    CURRENT,
    DEAD_ENDS,
    ESTIMATE,
    ESTIMATES,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIXED_WIDTH,
    FOLLOWS,
    GENERATED,
    GOAL,
    IS_GOAL,
    LARGEST_BATCH,
    MOST_ACTIVE,
    MOST_CHUNKS,
    MOST_G,
    MOST_H,
    MOST_ON_OPEN,
    MOST_SUCCESSORS,
    NO_BUCKET,
    NODES,
    ON_OPEN,
    OUT_FIRST,
    PLAIN_MOVES,
    REOPENED,
    REOPENS,
    SIGN,
    SLOTS,
    STEP,
    SUCCESSOR,
    TABLE_FULL,
    WIDTH,
)
from searchlab.search.kernels.records import closed, cost_of, estimate_of, flags_of, link_of, parent_of
from searchlab.search.kernels.table import (
    CLOSED,
    OPEN,
    TERMINAL,
    I,
    entry_of,
    hash_of,
    node_in,
    same_words,
    slot_of,
    tag_of,
)

FITS = -1
"""No status: the search goes on."""

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_u32, _u8, _i16 = (types.CPointer(t) for t in (types.uint32, types.uint8, types.int16))
SIGNATURE = types.int64(
    *(_u64, _u32, _u32, _i64),
    *(_f64, _f64, _i64, _i64, _i16),
    *(_i64, _i64),
    *(_u64, _u64, _i64, _f64, _u8, _f64),
    *(_i64, _i64, _i64),
    *(_u64, _i64, _f64, types.int64),
)


def early_buckets(
    records: Any,
    slots: Any,
    entries: Any,
    cursors: Any,
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    orders: Any,
    batch: Any,
    counts: Any,
    out: Any,
    hashes: Any,
    places: Any,
    estimates: Any,
    terminal: Any,
    costs: Any,
    tiles: Any,
    out_tiles: Any,
    moves: Any,
    callees: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    stride = width + 1
    most = control[MOST_SUCCESSORS]
    most_h = control[MOST_H]
    mask = control[SLOTS] - 1
    while True:
        if control[BATCH_AT] == control[BATCH_SIZE]:
            if 8 * (control[NODES] + LARGEST_BATCH * most) > 5 * control[SLOTS]:
                return TABLE_FULL
            take_nodes(records, entries, cursors, active_keys, active_ties, active_stamps, active, batch, control)
            if control[BATCH_SIZE] == 0:
                return EXHAUSTED
            look_ahead(
                records,
                slots,
                mask,
                batch,
                counts,
                out,
                hashes,
                estimates,
                terminal,
                costs,
                tiles,
                out_tiles,
                moves,
                callees,
                control,
            )
            meet(records, slots, mask, counts, hashes, places, control)
        position = control[BATCH_AT]
        node = batch[position]
        link = records[node * stride + width]
        if flags_of(link) & OPEN:
            control[BATCH_AT] += 1  # a better path to it was found while it waited in the batch
            continue
        count = counts[position]
        control[CURRENT] = node
        if count < 0:
            return GOAL
        if control[EXPANDED] >= budget:
            return BUDGET
        g = cost_of(link)
        first = position * most
        fits = prepare(
            records,
            slots,
            mask,
            cursors,
            active_keys,
            active_ties,
            active_stamps,
            active,
            orders,
            out,
            hashes,
            places,
            estimates,
            terminal,
            costs,
            tiles,
            first,
            count,
            g,
            callees,
            control,
        )
        if fits != FITS:
            return fits
        records[node * stride + width] = closed(link)
        control[BATCH_AT] += 1
        control[EXPANDED] += 1
        control[GENERATED] += count
        for k in range(first, first + count):
            if places[k] < 0:
                continue
            over = TERMINAL if not control[PLAIN_MOVES] and terminal[k] else 0
            # An equal successor of the same node may have been stored since, or another one in this slot.
            slot = probe(records, slots, mask, places[k], hashes[k], out, k * width, over, width)
            cost = g + (1 if control[PLAIN_MOVES] else I(costs[k]))
            at = node_in(I(slots[slot]), mask)
            if at >= 0:
                known = records[at * stride + width]
                flags = flags_of(known)
                if cost >= cost_of(known) or (flags & CLOSED and not control[REOPENS]):
                    continue
                control[REOPENED] += (flags & CLOSED) != 0
                control[ON_OPEN] += (flags & OPEN) == 0
                h = estimate_of(known)
            else:
                control[EVALUATED] += control[ESTIMATES]
                estimate = control[SIGN] * estimates[k]
                if estimate == inf:
                    control[DEAD_ENDS] += 1
                    continue
                if control[ESTIMATES] and estimate < figures[BEST_H]:
                    figures[BEST_H] = estimate
                h = I(estimate)
                at = control[NODES]
                control[NODES] += 1
                control[ON_OPEN] += 1
                slots[slot] = entry_of(hashes[k], mask, at)
                for word in range(width):
                    records[at * stride + word] = out[k * width + word]
            records[at * stride + width] = link_of(node, cost, h, OPEN | over)
            bucket = cost * control[BY_G] * most_h + h
            end = cursors[bucket] - 1
            if end & (CHUNK - 1) == 0:
                end = new_chunk(entries, end, 1, control)
            entries[end] = at
            cursors[bucket] = end + 2
        control[MOST_ON_OPEN] = max(control[MOST_ON_OPEN], control[ON_OPEN])


def look_ahead(
    records: Any,
    slots: Any,
    mask: int,
    batch: Any,
    counts: Any,
    out: Any,
    hashes: Any,
    estimates: Any,
    terminal: Any,
    costs: Any,
    tiles: Any,
    out_tiles: Any,
    moves: Any,
    callees: Any,
    control: Any,
) -> None:
    """Produce the successors of all nodes of the batch, and fetch their slots."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    stride = width + 1
    for position in range(control[BATCH_SIZE]):
        node = batch[position]
        link = records[node * stride + width]
        first = position * control[MOST_SUCCESSORS]
        control[OUT_FIRST] = first
        count = call_step(
            callees,
            STEP,
            (
                address_of(records, node * stride),
                address_of(records, parent_of(link) * stride),
                I(node > 0),  # the start is its own parent, and has none to go back to
                control[SIGN] * float(estimate_of(link)),
                address_of(out, first * width),
                address_of(estimates, first),
                address_of(tiles, 0),
                address_of(out_tiles, 0),
                address_of(terminal, first),
                address_of(costs, first),
                address_of(moves, 0),
                address_of(control, SUCCESSOR),
            ),
        )
        counts[position] = count
        for k in range(first, first + count):
            hashes[k] = hash_of(out, k * width, width)
            prefetch(slots, slot_of(hashes[k], mask))


def meet(records: Any, slots: Any, mask: int, counts: Any, hashes: Any, places: Any, control: Any) -> None:
    """Probe for all successors of the batch up to the first node that is likely the same, and fetch it."""
    stride = (FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]) + 1
    for position in range(control[BATCH_SIZE]):
        first = position * control[MOST_SUCCESSORS]
        for k in range(first, first + counts[position]):
            slot = slot_of(hashes[k], mask)
            tag = tag_of(hashes[k], mask)
            while slots[slot] != 0 and I(slots[slot]) & ~mask != tag:
                slot = (slot + 1) & mask
            places[k] = slot
            if slots[slot] != 0:
                prefetch(records, node_in(I(slots[slot]), mask) * stride)


def probe(
    records: Any, slots: Any, mask: int, slot: int, mixed: Any, out: Any, at: int, terminal: int, width: int
) -> int:
    """Return the slot of a state's node, or the empty one where it belongs, from a slot on."""
    tag = tag_of(mixed, mask)
    while slots[slot] != 0:
        entry = I(slots[slot])
        if entry & ~mask == tag:
            known = node_in(entry, mask) * (width + 1)
            if same_words(records, known, out, at, width) and flags_of(records[known + width]) & TERMINAL == terminal:
                break
        slot = (slot + 1) & mask
    return slot


def prepare(
    records: Any,
    slots: Any,
    mask: int,
    cursors: Any,
    active_keys: Any,
    active_ties: Any,
    active_stamps: Any,
    active: Any,
    orders: Any,
    out: Any,
    hashes: Any,
    places: Any,
    estimates: Any,
    terminal: Any,
    costs: Any,
    tiles: Any,
    first: int,
    count: int,
    g: int,
    callees: Any,
    control: Any,
) -> int:
    """Find the slots of a node's successors, evaluate the new ones and make their buckets active.

    Returns FITS if all fit into buckets, else the status to return.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    stride = width + 1
    most_h = control[MOST_H]
    lazily = control[ESTIMATES] and not control[FOLLOWS]
    control[OUT_FIRST] = 0
    if control[ACTIVE] + count > control[MOST_ACTIVE]:
        return NO_BUCKET
    if control[CHUNKS] + count > control[MOST_CHUNKS]:
        return BUDGET
    for k in range(first, first + count):
        step = 1.0
        over = 0
        if not control[PLAIN_MOVES]:
            step = costs[k]
            over = TERMINAL if terminal[k] else 0
            if over and not call_is_goal(callees, IS_GOAL, (address_of(out, k * width), address_of(tiles, 0))):
                places[k] = -1
                continue
        if not (step >= 0 and step < control[MOST_G] - g and float(I(step)) == step):
            return NO_BUCKET
        slot = probe(records, slots, mask, places[k], hashes[k], out, k * width, over, width)
        places[k] = slot
        cost = g + I(step)
        if slots[slot] != 0:
            known = records[node_in(I(slots[slot]), mask) * stride + width]
            if cost >= cost_of(known):
                continue
            h = estimate_of(known)
        else:
            if lazily:
                control[SUCCESSOR] = k
                estimates[k] = call_estimate(callees, ESTIMATE, (address_of(out, k * width), address_of(tiles, 0)))
            estimate = control[SIGN] * estimates[k]
            if estimate == inf:
                continue
            if not (estimate >= 0 and estimate < most_h and float(I(estimate)) == estimate):
                return NO_BUCKET
            h = I(estimate)
        if not in_order(orders, cost, h, callees, control):
            return NO_BUCKET
        bucket = cost * control[BY_G] * most_h + h
        if cursors[bucket] == 0:
            activate(active_keys, active_ties, active_stamps, active, bucket, most_h, callees, control)
            cursors[bucket] = 1
    return FITS
