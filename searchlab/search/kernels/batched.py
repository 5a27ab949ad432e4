"""Best-first search compiled, its nodes evaluated in batches: by a heuristic in Python, or compiled.

Nodes, hash table and open list are those of `best_first`, with early detection of duplicates. What differs is when a
new node is evaluated: it is stored at once and listed in `waiting`; when `BATCH` nodes are expanded (or nothing else
is left, or a goal came up) the kernel returns EVALUATE. Python writes the values to `estimates`, sets `VALUED` and
calls again; then the nodes go to the open list in the order they were generated.

A dead end keeps its number and its slot in the table, so that nothing needs to be removed from there: it counts as
given back, and when its state is met again it is a new node once more.
"""

from __future__ import annotations

from math import inf
from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_successors
from searchlab.search.kernels.best_first import push, take
from searchlab.search.kernels.control import (
    BATCH,
    BATCH_AT,
    BATCH_END,
    BATCH_SIZE,
    BEST_H,
    BUDGET,
    COUNT,
    CURRENT,
    DEAD_ENDS,
    ESTIMATE,
    EVALUATE,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIXED_WIDTH,
    FREED,
    GENERATED,
    GOAL,
    HOLE,
    IN_PYTHON,
    IN_TABLE,
    IS_GOAL,
    MOST_EXPANSIONS,
    MOST_SUCCESSORS,
    NODES,
    NOT_A_NUMBER,
    ON_OPEN,
    REOPENED,
    REOPENS,
    SIGN,
    SLOTS,
    SUCCESSOR,
    SUCCESSORS,
    TABLE_FULL,
    VALUED,
    WAITING,
    WIDTH,
)
from searchlab.search.kernels.table import CLOSED, OPEN, TERMINAL, entry_of, find, hash_of, same_words, slot_of

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_i32, _u32, _u8 = (types.CPointer(t) for t in (types.int32, types.uint32, types.uint8))
SIGNATURE = types.int64(
    *(_u64, _i32, _f64, _f64, _i64, _u8),
    _u32,
    *(_f64, _f64, _i64, _i32),
    *(_i64, _i64, _i64),
    *(_u64, _i64, _i64, _u8, _f64, _i64),
    *(_u64, _i64, _f64, types.int64),
)
DEAD = 8
"""A node's flag besides those of the table: its h is infinite."""
BATCH_SHARE = 8
"""No batch is larger than this part of what is expanded."""
EXPANDING = -1
"""No status: the successors of a node are there."""


def batched(
    words: Any,
    parents: Any,
    costs: Any,
    estimates: Any,
    stamps: Any,
    flags: Any,
    slots: Any,
    keys: Any,
    ties: Any,
    entry_stamps: Any,
    entries: Any,
    batch: Any,
    batch_stamps: Any,
    waiting: Any,
    out: Any,
    tiles: Any,
    out_tiles: Any,
    terminal: Any,
    edge_costs: Any,
    moves: Any,
    callees: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    mask = control[SLOTS] - 1
    tiles_at = address_of(tiles, 0)
    while True:
        if control[VALUED]:
            enter(
                costs, estimates, stamps, flags, keys, ties, entry_stamps, entries, waiting, callees, control, figures
            )
        status = EXPANDING
        if control[SUCCESSOR] + 1 >= control[COUNT]:
            status = next_node(
                words,
                stamps,
                flags,
                keys,
                ties,
                entry_stamps,
                entries,
                batch,
                batch_stamps,
                tiles_at,
                callees,
                control,
                budget,
                width,
            )
        if status == EVALUATE and not control[IN_PYTHON]:
            if not evaluated(words, estimates, waiting, tiles_at, callees, control, width):
                return NOT_A_NUMBER
            continue
        if status != EXPANDING:
            return status
        node = control[CURRENT]
        if control[SUCCESSOR] < 0:
            flags[node] |= CLOSED
            control[EXPANDED] += 1
            control[COUNT] = call_successors(
                callees,
                SUCCESSORS,
                (
                    address_of(words, node * width),
                    address_of(out, 0),
                    tiles_at,
                    address_of(out_tiles, 0),
                    address_of(terminal, 0),
                    address_of(edge_costs, 0),
                    address_of(moves, 0),
                ),
            )
            for k in range(control[COUNT]):
                prefetch(slots, slot_of(hash_of(out, k * width, width), mask))
        parent = parents[node]
        for k in range(control[SUCCESSOR] + 1, control[COUNT]):
            control[SUCCESSOR] = k
            over = TERMINAL if terminal[k] else 0
            if parent >= 0 and not over and same_words(out, k * width, words, parent * width, width):
                continue
            control[GENERATED] += 1
            if over and not call_is_goal(callees, IS_GOAL, (address_of(out, k * width), tiles_at)):
                continue
            cost = costs[node] + edge_costs[k]
            mixed = hash_of(out, k * width, width)
            old = find(slots, mask, mixed, out, k * width, over, words, flags, width)
            if old >= 0 and not flags[old] & DEAD:
                if cost < costs[old] and (control[REOPENS] or not flags[old] & CLOSED):
                    control[REOPENED] += (flags[old] & CLOSED) != 0
                    parents[old] = node
                    costs[old] = cost
                    if stamps[old]:  # else it waits to be evaluated
                        push(old, costs, estimates, stamps, flags, keys, ties, entry_stamps, entries, callees, control)
                continue
            new = old
            if old >= 0:
                control[FREED] -= 1
            else:
                new = control[NODES]
                control[NODES] += 1
                for word in range(width):
                    words[new * width + word] = out[k * width + word]
                slots[-1 - old] = entry_of(mixed, mask, new)
                control[IN_TABLE] += 1
            parents[new] = node
            costs[new] = cost
            flags[new] = over
            waiting[control[WAITING]] = new
            control[WAITING] += 1
            if control[BATCH] == 1:
                return EVALUATE


def next_node(
    words: Any,
    stamps: Any,
    flags: Any,
    keys: Any,
    ties: Any,
    entry_stamps: Any,
    entries: Any,
    batch: Any,
    batch_stamps: Any,
    tiles_at: Any,
    callees: Any,
    control: Any,
    budget: int,
    width: int,
) -> int:
    """Let `CURRENT` be the next node to be expanded; return EXPANDING, or the status why there is none now."""
    while True:
        if control[BATCH_AT] == control[BATCH_SIZE]:
            if control[EXPANDED] >= control[BATCH_END]:
                if control[WAITING]:
                    return EVALUATE
                begin_batch(control)
            take(stamps, flags, keys, ties, entry_stamps, entries, batch, batch_stamps, control)
            if control[BATCH_SIZE] == 0:
                return EVALUATE if control[WAITING] else EXHAUSTED
        position = control[BATCH_AT]
        node = batch[position]
        if stamps[node] != batch_stamps[position] or flags[node] & CLOSED:
            control[BATCH_AT] += 1  # a better path to it was found while it waited in the batch
            continue
        control[CURRENT] = node
        control[SUCCESSOR] = -1
        control[COUNT] = 0
        if call_is_goal(callees, IS_GOAL, (address_of(words, node * width), tiles_at)):
            if not control[WAITING]:
                return GOAL
            put_back(flags, control, node)
            return EVALUATE
        if control[EXPANDED] >= budget:
            return BUDGET
        more = control[MOST_SUCCESSORS] + 1
        # A slot has room for the numbers of as many nodes as there are slots.
        if 4 * (control[IN_TABLE] + more) > 3 * control[SLOTS] or control[NODES] + more > control[SLOTS]:
            return TABLE_FULL
        control[BATCH_AT] += 1
        return EXPANDING


def put_back(flags: Any, control: Any, node: int) -> None:
    """Undo the taking of the only node of a batch: its entry is still the first of the heap."""
    control[HOLE] = 0
    control[BATCH_AT] = control[BATCH_SIZE]
    control[ON_OPEN] += 1
    flags[node] |= OPEN


def begin_batch(control: Any) -> None:
    """Let a batch begin; the limit of expansions cuts it short."""
    size = min(control[BATCH], 1 + control[EXPANDED] // BATCH_SHARE)
    control[BATCH_END] = min(control[EXPANDED] + size, control[MOST_EXPANSIONS])


def evaluated(words: Any, estimates: Any, waiting: Any, tiles_at: Any, callees: Any, control: Any, width: int) -> bool:
    """Evaluate the nodes that wait by a compiled heuristic; return False for NaN, of `CURRENT`."""
    control[SUCCESSOR] = -1
    control[COUNT] = 0
    for position in range(control[WAITING]):
        node = waiting[position]
        control[CURRENT] = node
        estimate = control[SIGN] * call_estimate(callees, ESTIMATE, (address_of(words, node * width), tiles_at))
        if estimate != estimate:
            return False
        estimates[node] = estimate
    control[VALUED] = 1
    return True


def enter(
    costs: Any,
    estimates: Any,
    stamps: Any,
    flags: Any,
    keys: Any,
    ties: Any,
    entry_stamps: Any,
    entries: Any,
    waiting: Any,
    callees: Any,
    control: Any,
    figures: Any,
) -> None:
    """Put the nodes that waited on the open list, but for dead ends; a new batch begins."""
    for position in range(control[WAITING]):
        node = waiting[position]
        control[EVALUATED] += 1
        if estimates[node] == inf:
            control[DEAD_ENDS] += 1
            control[FREED] += 1
            flags[node] |= DEAD
            continue
        figures[BEST_H] = min(figures[BEST_H], estimates[node])
        push(node, costs, estimates, stamps, flags, keys, ties, entry_stamps, entries, callees, control)
    control[WAITING] = 0
    control[VALUED] = 0
    begin_batch(control)
