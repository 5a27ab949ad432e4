"""The compiled best-first driver: `search/readable/best_first.py` on packed states.

Nodes are numbered; each of their fields is an array of its own:

    node            0        1        2     …
    words        [ ···· | ···· | ···· | …     `width` uint64 a node: the packed state
    parents      [  -1  |   0  |   0  | …     the node it was reached from
    costs        [   0  |   1  |   1  | …     g
    estimates    [  43  |  42  |  44  | …     h, lower being better
    stamps       [   1  |   2  |   3  | …     when it was last put on the open list; early detection only
    flags        [   C  |   O  |   O  | …     OPEN, CLOSED, TERMINAL

With early detection `slots` (the hash table) knows every node; with late detection each generated successor is
a node of its own, `slots` knows the closed ones, and the number of a duplicate is used again (`FREE` chain).

The kernel allocates nothing and decides nothing: it returns a status when its budget is used, when a table is
full or when the search is over, and can be called again. Everything it knows is in its arrays, so an
exception in a plugin's function leaves all figures readable, and `CURRENT` and `SUCCESSOR` name the board.
"""

from __future__ import annotations

from math import inf
from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_priority, call_successors
from searchlab.search.kernels.control import (
    BATCH_AT,
    BATCH_SIZE,
    BATCHES,
    BEST_H,
    BUDGET,
    CONTAINER,
    CURRENT,
    DEAD_ENDS,
    DUPLICATES,
    ESTIMATE,
    ESTIMATES,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIRST,
    FIXED_WIDTH,
    FREE,
    FREED,
    GENERATED,
    GOAL,
    HOLE,
    IN_TABLE,
    IS_GOAL,
    LARGEST_BATCH,
    LAST,
    LATE,
    LOW_H_TIES,
    MOST_ON_OPEN,
    MOST_SUCCESSORS,
    NODES,
    NOT_A_NUMBER,
    ON_OPEN,
    PRIORITY,
    REOPENED,
    REOPENS,
    SIGN,
    SLOTS,
    STAMP,
    SUCCESSOR,
    SUCCESSORS,
    TABLE_FULL,
    WIDTH,
)
from searchlab.search.kernels.open_list import (
    FIFO,
    HEAP,
    LIFO,
    heap_drop_first,
    heap_push,
    heap_replace_first,
    is_live,
)
from searchlab.search.kernels.table import CLOSED, OPEN, TERMINAL, entry_of, find, hash_of, same_words

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_i32, _u32, _u8 = (types.CPointer(t) for t in (types.int32, types.uint32, types.uint8))
SIGNATURE = types.int64(
    *(_u64, _i32, _f64, _f64, _i64, _u8),
    _u32,
    *(_f64, _f64, _i64, _i32),
    *(_i64, _i64),
    *(_u64, _i64, _i64, _u8, _f64, _i64),
    *(_u64, _i64, _f64, types.int64),
)
"""All arguments are pointers: arrays would be reference-counted, at half the kernel's time."""


def best_first(
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
    late = control[LATE] != 0
    mask = control[SLOTS] - 1
    tiles_at = address_of(tiles, 0)
    while True:
        if control[BATCH_AT] == control[BATCH_SIZE]:
            take(stamps, flags, keys, ties, entry_stamps, entries, batch, batch_stamps, control)
            if control[BATCH_SIZE] == 0:
                return EXHAUSTED
        position = control[BATCH_AT]
        node = batch[position]
        at = -1
        mixed = hash_of(words, node * width, width)
        if late:
            at = find(slots, mask, mixed, words, node * width, flags[node] & TERMINAL, words, flags, width)
            if at >= 0 and costs[at] <= costs[node]:
                control[DUPLICATES] += 1
                control[BATCH_AT] += 1
                release(parents, control, node)
                continue
        elif stamps[node] != batch_stamps[position] or flags[node] & CLOSED:
            control[BATCH_AT] += 1  # a better path to it was found while it waited in the batch
            continue
        control[CURRENT] = node
        control[SUCCESSOR] = -1
        words_at = address_of(words, node * width)
        if call_is_goal(callees, IS_GOAL, (words_at, tiles_at)):
            return GOAL
        if control[EXPANDED] >= budget:
            return BUDGET
        more = control[MOST_SUCCESSORS] + 1
        # A slot has room for the numbers of as many nodes as there are slots.
        if 4 * (control[IN_TABLE] + more) > 3 * control[SLOTS] or control[NODES] + more > control[SLOTS]:
            return TABLE_FULL
        control[BATCH_AT] += 1
        if late and at >= 0:
            control[REOPENED] += 1
            parents[at] = parents[node]
            costs[at] = costs[node]
            release(parents, control, node)
            node = at
            control[CURRENT] = node
            words_at = address_of(words, node * width)
        elif late:
            slots[-1 - at] = entry_of(mixed, mask, node)
            control[IN_TABLE] += 1
        flags[node] |= CLOSED
        control[EXPANDED] += 1
        parent = parents[node]
        count = call_successors(
            callees,
            SUCCESSORS,
            (
                words_at,
                address_of(out, 0),
                tiles_at,
                address_of(out_tiles, 0),
                address_of(terminal, 0),
                address_of(edge_costs, 0),
                address_of(moves, 0),
            ),
        )
        for k in range(count):
            control[SUCCESSOR] = k
            over = TERMINAL if terminal[k] else 0
            out_at = address_of(out, k * width)
            if parent >= 0 and not over and same_words(out, k * width, words, parent * width, width):
                continue
            control[GENERATED] += 1
            if over and not call_is_goal(callees, IS_GOAL, (out_at, tiles_at)):
                continue
            cost = costs[node] + edge_costs[k]
            slot = 0
            if not late:
                mixed = hash_of(out, k * width, width)
                old = find(slots, mask, mixed, out, k * width, over, words, flags, width)
                if old >= 0:
                    if cost < costs[old] and (control[REOPENS] or not flags[old] & CLOSED):
                        control[REOPENED] += (flags[old] & CLOSED) != 0
                        parents[old] = node
                        costs[old] = cost
                        push(
                            old,
                            costs,
                            estimates,
                            stamps,
                            flags,
                            keys,
                            ties,
                            entry_stamps,
                            entries,
                            callees,
                            control,
                        )
                    continue
                slot = -1 - old
            estimate = 0.0
            if control[ESTIMATES]:
                estimate = control[SIGN] * call_estimate(callees, ESTIMATE, (out_at, tiles_at))
                if estimate != estimate:
                    return NOT_A_NUMBER
                control[EVALUATED] += 1
                if estimate == inf:
                    control[DEAD_ENDS] += 1
                    continue
                figures[BEST_H] = min(figures[BEST_H], estimate)
            new = new_node(parents, control)
            for word in range(width):
                words[new * width + word] = out[k * width + word]
            parents[new] = node
            costs[new] = cost
            estimates[new] = estimate
            flags[new] = over
            if not late:
                slots[slot] = entry_of(mixed, mask, new)
                control[IN_TABLE] += 1
            push(new, costs, estimates, stamps, flags, keys, ties, entry_stamps, entries, callees, control)


def take(
    stamps: Any,
    flags: Any,
    keys: Any,
    ties: Any,
    entry_stamps: Any,
    entries: Any,
    batch: Any,
    batch_stamps: Any,
    control: Any,
) -> None:
    """Take the best open node, or a batch of the newest of its class, into `batch`."""
    most = 1
    if control[BATCHES]:
        most = min(LARGEST_BATCH, 1 + control[EXPANDED] // 1024)
    container = control[CONTAINER]
    size = 0
    key = 0.0
    tie = 0.0
    while size < most and control[FIRST] + control[HOLE] < control[LAST]:
        close_hole(keys, ties, entry_stamps, entries, control)
        at = control[LAST] - 1 if container == LIFO else control[FIRST]
        node = entries[at]
        stamp = entry_stamps[at]
        if control[LATE] or is_live(flags, stamps, node, stamp):
            if container == HEAP and size > 0 and (keys[at] != key or ties[at] != tie):
                break
            key = keys[at]
            tie = ties[at]
            flags[node] &= ~OPEN
            control[ON_OPEN] -= 1
            batch[size] = node
            batch_stamps[size] = stamp
            size += 1
        if container == HEAP:
            control[HOLE] = 1
        elif container == FIFO:
            control[FIRST] += 1
        else:
            control[LAST] -= 1
    control[BATCH_SIZE] = size
    control[BATCH_AT] = 0


def close_hole(keys: Any, ties: Any, entry_stamps: Any, entries: Any, control: Any) -> None:
    """Remove the entry of the node taken last from the heap, if none was put in its place."""
    if control[HOLE]:
        heap_drop_first(keys, ties, entry_stamps, entries, control[LAST])
        control[LAST] -= 1
        control[HOLE] = 0


def push(
    node: int,
    costs: Any,
    estimates: Any,
    stamps: Any,
    flags: Any,
    keys: Any,
    ties: Any,
    entry_stamps: Any,
    entries: Any,
    callees: Any,
    control: Any,
) -> None:
    """Put a node on the open list; an entry it has there already becomes stale."""
    control[STAMP] += 1
    stamp = control[STAMP]
    if not flags[node] & OPEN:
        control[ON_OPEN] += 1
        control[MOST_ON_OPEN] = max(control[MOST_ON_OPEN], control[ON_OPEN])
    flags[node] = (flags[node] | OPEN) & ~CLOSED
    if not control[LATE]:
        stamps[node] = stamp
    last = control[LAST]
    if control[CONTAINER] == HEAP:
        key = call_priority(callees, PRIORITY, (costs[node], estimates[node]))
        tie = estimates[node] if control[LOW_H_TIES] else 0.0
        if control[HOLE]:
            heap_replace_first(keys, ties, entry_stamps, entries, last, key, tie, stamp, node)
            control[HOLE] = 0
            return
        heap_push(keys, ties, entry_stamps, entries, last, key, tie, stamp, node)
    else:
        entry_stamps[last] = stamp
        entries[last] = node
    control[LAST] += 1


def new_node(parents: Any, control: Any) -> int:
    """Return the number for a new node: one that was released, or the next."""
    node: int = control[FREE]
    if node >= 0:
        control[FREE] = parents[node]
        control[FREED] -= 1
    else:
        node = control[NODES]
        control[NODES] += 1
    return node


def release(parents: Any, control: Any, node: int) -> None:
    """Give back the number of a node that turned out to be a duplicate."""
    parents[node] = control[FREE]
    control[FREE] = node
    control[FREED] += 1
