"""Best-first search with late duplicate detection and priorities of many values.

As in `late_buckets`, an open entry contains its state and parent, and only closed nodes have numbers. The entries are
in a heap with a ladder, see `ladder`. Generating a node writes one record, and taking it reads one.

    open entries       far_records, see `ladder`; in the heap also keys, ties, entry_stamps, entries
    taken nodes        batch_words, batch_links, batch_costs, batch_estimates, batch_hashes
    closed nodes       words, parents, costs, flags      state, parent, g, TERMINAL
    table of closed    slots, see `hash_table`

The link of an entry contains the parent, and the bit `ENDS` if the move to its state ends the game. The start is its
own parent. As in `best_first`, the kernel allocates nothing, and its whole state is in the arrays.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_is_goal, call_priority
from searchlab.model.costs import is_shorter
from searchlab.search.kernels.best_first import HeapControl, StateArrays, evaluate_successor, is_met
from searchlab.search.kernels.control import (
    EXPANSION_BATCH,
    FIRST_SIBLING,
    FIXED_WIDTH,
    IS_GOAL,
    ORDER,
    PRIORITY,
    Status,
    enter_layer,
    lose,
    reverse_successors,
    stamp_of,
    successors,
    tie_of,
)
from searchlab.search.kernels.hash_table import (
    CLOSED,
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
from searchlab.search.kernels.ladder import (
    KEY,
    PARENT,
    STAMP,
    STATE,
    G,
    H,
    LadderArrays,
    far_entry,
    far_place,
    free_near,
    has_room,
    heap_of,
    is_run_first,
    near_place,
    record_words,
    reduce_heap,
    refill,
    remove_root,
    values_of,
)
from searchlab.search.kernels.open_list import Entry, heap_push, heap_replace_first

ENDS = 1 << 31
"""The bit of a link if the move to the state ends the game."""
AHEAD = 6
"""The slot and the parent of a node in the run are fetched this many entries before the node is taken."""


class LateHeapArrays(StateArrays, LadderArrays):
    """The arrays of a search."""

    words: Pointer
    parents: Pointer = array(np.int32, "nodes")
    costs: Pointer = array(np.float64, "nodes")
    flags: Pointer = array(np.uint8, "nodes")
    slots: Pointer = array(np.uint32, "slots")
    batch_words: Pointer = array(np.uint64, "batch", "width")
    batch_links: Pointer = array(np.int64, "batch")
    batch_costs: Pointer = array(np.float64, "batch")
    batch_estimates: Pointer = array(np.float64, "batch")
    batch_hashes: Pointer = array(np.uint64, "batch")
    by_f: Pointer = array(np.int64, "counts by f")
    control: HeapControl = record(HeapControl)


def late_heap(s: LateHeapArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    while True:
        if c.batch_at == c.batch_size:
            take(s)
            if c.batch_size == 0:
                return Status.BUDGET if c.rungs else Status.EXHAUSTED
        position = c.batch_at
        mixed = s.batch_hashes[position]
        link = s.batch_links[position]
        parent = link & (ENDS - 1)
        over = TERMINAL if link & ENDS else 0
        g = s.batch_costs[position]
        h = s.batch_estimates[position]
        slot = slot_of(mixed, mask)
        tag = tag_of(mixed, mask)
        node = c.nodes
        found = False
        while s.slots[slot] != 0:
            entry = I(s.slots[slot])
            if entry & ~mask == tag:
                candidate = node_in(entry, mask)
                same = same_words(s.words, candidate * width, s.batch_words, position * width, width)
                if same and (s.flags[candidate] & TERMINAL) == over:
                    found = True
                    node = candidate
                    break
            slot = (slot + 1) & mask
        if found:
            shorter = is_shorter(g, s.costs[node])
            if not (shorter and c.reopens):
                if shorter:
                    lose(c, g, h)
                c.duplicates += 1
                c.batch_at = position + 1
                continue
        else:
            for word in range(width):
                s.words[node * width + word] = s.batch_words[position * width + word]
        c.current = node
        c.successor = -1
        words_at = address_of(s.words, node * width)
        if call_is_goal(s.callees, IS_GOAL, (words_at, address_of(s.tiles, 0))):
            s.parents[node] = np.int32(parent)
            s.costs[node] = g
            return Status.GOAL
        if c.expanded >= budget or not has_room(c, 0):
            return Status.BUDGET
        # The bits of a slot can number as many nodes as there are slots.
        if 4 * (c.in_table + 1) > 3 * c.slots:
            return Status.TABLE_FULL
        c.batch_at = position + 1
        if found:
            c.reopened += 1
        else:
            s.slots[slot] = entry_of(mixed, mask, node)
            s.flags[node] = over | CLOSED
            c.in_table += 1
            c.nodes += 1
        s.parents[node] = np.int32(parent)
        s.costs[node] = g
        enter_layer(c, s.by_f, g + h)
        c.expanded += 1
        count = successors(s, words_at, address_of(s.out, 0), address_of(s.edge_costs, 0))
        if FIRST_SIBLING:
            reverse_successors(s, 0, count, width)
        if c.estimates:  # the next node is likely among them, and its slot arrives while they are evaluated
            for k in range(count):
                prefetch(s.slots, slot_of(hash_of(s.out, k * width, width), mask))
        for k in range(count):
            c.successor = k
            if not is_met(s, k, parent if node else -1):
                continue
            cost = g + s.edge_costs[k]
            estimate = 0.0
            if c.estimates:
                estimate = evaluate_successor(s, k, cost)
                if estimate != estimate:
                    return Status.NOT_A_NUMBER
                if estimate == inf:
                    continue
            push(s, k, cost, estimate, node | ENDS if s.terminal[k] else node)


def push(s: LateHeapArrays, k: int, cost: float, estimate: float, link: int) -> None:
    """Put the k-th successor on the open list."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    key = call_priority(s.callees, PRIORITY, (cost, estimate))
    tie = tie_of(c, estimate)
    c.push_count += 1
    stamp = stamp_of(c.push_count, c.random) if ORDER else c.push_count
    c.on_open += 1
    c.most_on_open = max(c.most_on_open, c.on_open)
    place = far_place(s, Entry(key, tie, stamp, I(0))) if c.rungs else I(0)
    at = place if place else near_place(s)
    values = values_of(s)
    first = at * record_words(c)
    values[first + KEY] = key
    values[first + H] = estimate
    s.far_records[first + STAMP] = U(stamp)
    values[first + G] = cost
    s.far_records[first + PARENT] = U(link)
    for word in range(width):
        s.far_records[first + STATE + word] = s.out[k * width + word]
    if place:
        return
    if not c.estimates:
        prefetch(s.slots, slot_of(hash_of(s.out, k * width, width), c.slots - 1))
    entry = Entry(key, tie, stamp, at)
    last = c.last
    if c.root_removed:
        heap_replace_first(heap_of(s), last, entry)
        c.root_removed = 0
        return
    heap_push(heap_of(s), last, entry)
    c.last = reduce_heap(s, heap_of(s), last + 1) if last >= c.large_heap else last + 1


def take(s: LateHeapArrays) -> None:
    """Take the best open node into the batch, or several nodes with the same priority and tie-breaker."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    most = min(EXPANSION_BATCH, 1 + c.expanded // 1024) if c.batches else 1
    size = 0
    key = 0.0
    tie = 0.0
    values = values_of(s)
    while size < most:
        remove_root(s)
        if c.last == 0 and c.run == c.run_end and not refilled(s):
            break
        in_run = c.run < c.run_end and is_run_first(s)
        at = I(s.run_items[c.run] if in_run else s.entries[0])
        entry = far_entry(s, at)
        if size > 0 and (entry.key != key or entry.tie != tie):
            break
        key = entry.key
        tie = entry.tie
        first = at * record_words(c)
        for word in range(width):
            s.batch_words[size * width + word] = s.far_records[first + STATE + word]
        mixed = hash_of(s.batch_words, size * width, width)
        if most > 1:
            prefetch(s.slots, slot_of(mixed, c.slots - 1))
        s.batch_hashes[size] = mixed
        s.batch_links[size] = I(s.far_records[first + PARENT])
        s.batch_costs[size] = values[first + G]
        s.batch_estimates[size] = values[first + H]
        size += 1
        if in_run:
            if c.run + AHEAD < c.run_end:
                fetch(s, s.run_items[c.run + AHEAD])
            c.run += 1
        else:
            free_near(s, at)
            c.root_removed = 1
    c.on_open -= size
    c.batch_size = size
    c.batch_at = 0


def refilled(s: LateHeapArrays) -> bool:
    """Take entries from the ladder when run and heap are empty, and fetch the data for taking the first nodes.

    Returns:
        whether there are entries.
    """
    c = s.control
    if not c.rungs:
        return False
    c.last = refill(s, heap_of(s))
    for at in range(c.run, min(AHEAD, c.run_end)):
        fetch(s, s.run_items[at])
    return c.last > 0 or c.run < c.run_end


def fetch(s: LateHeapArrays, at: int) -> None:
    """Fetch the slot and the parent of an open node."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    first = at * record_words(c)
    prefetch(s.slots, slot_of(hash_of(s.far_records, first + STATE, width), c.slots - 1))
    prefetch(s.words, (I(s.far_records[first + PARENT]) & (ENDS - 1)) * width)
