"""The compiled best-first driver: `search/readable/best_first.py` on packed states.

Nodes are numbered; each field has an array:

    node            0        1        2     …
    words        [ ···· | ···· | ···· | …     `width` uint64 per node: the packed state
    parents      [  -1  |   0  |   0  | …     the parent
    costs        [   0  |   1  |   1  | …     g
    estimates    [  43  |  42  |  44  | …     h, lower is better
    stamps       [   1  |   2  |   3  | …     the stamp of the newest entry; only with early detection, not for stacks
    flags        [   C  |   O  |   O  | …     OPEN, CLOSED, TERMINAL

Only the best entries of a large open list are in its heap; the others wait on a ladder, see `ladder`. When entries
return from the ladder, everything that taking their nodes will read is prefetched.

With early detection `slots` (the hash table) holds every node. With late detection each generated successor is a node,
`slots` holds the closed nodes, and the number of a duplicate is reused (the chain `free`). This kernel does late
detection for queues, stacks and wide states; for others see `late_heap`.

Compiled with IN_BATCHES, which needs early detection, the kernel stores a new node at once and lists it in `waiting`.
When `evaluation_batch` nodes are expanded, no other node is left, or a goal was taken, all waiting nodes are evaluated.
A compiled heuristic does it in the kernel. Otherwise the kernel returns EVALUATE; Python writes the values to
`estimates`, sets `values_known` and calls again. Then the nodes go to the open list in the order of generation. A dead
end keeps its number and its slot, so that nothing has to be removed from the table. It counts as released, and becomes
a new node if its state is met again.

The kernel allocates nothing and decides nothing: it returns a status when the budget is used up, a table is full or the
search is over, and can be called again. The whole state of the search is in the arrays. So after an exception in a
plugin function all counts are readable, and `current` and `successor` give the board.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_priority
from searchlab.model.costs import is_shorter
from searchlab.search.kernels.control import (
    ESTIMATE,
    EXPANSION_BATCH,
    FIRST_SIBLING,
    FIXED_WIDTH,
    IS_GOAL,
    ORDER,
    PRIORITY,
    BestFirstControl,
    Expansion,
    SearchControl,
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
from searchlab.search.kernels.ladder import (
    LadderArrays,
    LadderControl,
    far_place,
    has_room,
    heap_of,
    is_run_first,
    put_far,
    reduce_heap,
    refill,
    remove_root,
    run_of,
)
from searchlab.search.kernels.open_list import (
    FIFO,
    HEAP,
    LIFO,
    Entry,
    entry_at,
    heap_push,
    heap_replace_first,
    is_live,
)

STACK = False
"""Whether the newest node is taken first; a constant of a kernel. Newer entries of a node are taken before older ones,
so an entry is stale if its node is not open, and no stamps are kept. h is not kept either, as the order ignores it."""
IN_BATCHES = False
"""Whether new nodes wait to be evaluated together, with early detection; a constant of a kernel."""
EXPANDING = -1
"""Returned instead of a status: there is a node to expand."""
AHEAD, FAR_AHEAD = 4, 12
"""Prefetching in a run: the slot and the parent of a node are fetched AHEAD entries before the node is taken, the node
itself FAR_AHEAD entries before."""
DEAD = 8
"""A further flag of a node: h is infinite."""
BATCH_SHARE = 8
"""The largest batch, as a fraction of the expanded nodes (1 / BATCH_SHARE)."""


class NodeControl(BestFirstControl):
    """The state of a search that numbers its nodes."""

    successors: int
    """The number of successors of the node that is being expanded."""


class HeapControl(NodeControl, LadderControl):
    """The options, state and counts of a search with one open list."""

    container: int
    """HEAP, FIFO or LIFO."""
    free: int
    """The first released node number, -1 for none; `parents` holds the next."""
    freed: int
    """The number of released node numbers."""
    first: int
    """The beginning of the entries of the open list."""
    in_python: int
    """Whether waiting nodes are evaluated in Python. This and the fields below are for evaluation in batches."""
    evaluation_batch: int
    """The number of expansions before new nodes are evaluated."""
    evaluate_at: int
    """The total number of expansions at which the present batch is complete."""
    most_expansions: int
    """The largest total number of expansions."""
    waiting: int
    """The number of nodes that wait to be evaluated."""
    values_known: int
    """Whether Python has written their values."""


class StateArrays(Expansion):
    """The arrays of an expansion, and the states of numbered nodes."""

    words: Pointer = array(np.uint64, "nodes", "width")
    control: SearchControl = record(SearchControl)


class NodeArrays(StateArrays):
    """The arrays of numbered nodes, of the hash table of states, and of the entries of open lists."""

    words: Pointer
    parents: Pointer = array(np.int32, "nodes")
    costs: Pointer = array(np.float64, "nodes")
    estimates: Pointer = array(np.float64, "nodes")
    stamps: Pointer = array(np.int64, "nodes")
    flags: Pointer = array(np.uint8, "nodes")
    slots: Pointer = array(np.uint32, "slots")
    keys: Pointer = array(np.float64, "entries")  # the priority; for heaps only, like ties: h if it breaks them
    ties: Pointer = array(np.float64, "entries")
    entry_stamps: Pointer = array(np.int64, "entries")
    entries: Pointer = array(np.int32, "entries")  # the nodes
    by_f: Pointer = array(np.int64, "counts by f")
    control: NodeControl = record(NodeControl)


class BestFirstArrays(NodeArrays, LadderArrays):
    """The arrays of a search with one open list."""

    batch: Pointer = array(np.int64, "batch")
    batch_stamps: Pointer = array(np.int64, "batch")
    waiting: Pointer = array(np.int64, "waiting")
    control: HeapControl = record(HeapControl)


def best_first(s: BestFirstArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    late = c.late != 0
    mask = c.slots - 1
    while True:
        if IN_BATCHES and c.values_known:
            enter_evaluated(s)
        if not IN_BATCHES or c.successor + 1 >= c.successors:
            status = next_node(s, budget)
            if IN_BATCHES and status == Status.EVALUATE and not c.in_python:
                if not evaluate(s):
                    return Status.NOT_A_NUMBER
                continue
            if status != EXPANDING:
                return status
            expand(s)
        node = c.current
        parent = s.parents[node]
        for k in range(c.successor + 1, c.successors):
            c.successor = k
            over = TERMINAL if s.terminal[k] else 0
            if not is_met(s, k, parent):
                continue
            cost = s.costs[node] + s.edge_costs[k]
            mixed = U(0)
            old = I(-1)
            if not late:
                mixed = hash_of(s.out, k * width, width)
                old = find(s, s.out, k * width, over, mixed)
                if old >= 0 and not (IN_BATCHES and s.flags[old] & DEAD):
                    closed = s.flags[old] & CLOSED
                    if cost < s.costs[old] and (c.reopens or not closed):
                        counts = is_shorter(cost, s.costs[old])
                        if counts or not closed:
                            c.reopened += closed != 0
                            s.parents[old] = node
                            s.costs[old] = cost
                        if counts and (not IN_BATCHES or s.stamps[old]):  # otherwise it waits to be evaluated
                            push(s, old)
                    elif is_shorter(cost, s.costs[old]):
                        lose(c, cost, 0.0 if STACK else s.estimates[old])
                    continue
            estimate = 0.0
            if c.estimates and not IN_BATCHES:
                estimate = evaluate_successor(s, k, cost)
                if estimate != estimate:
                    return Status.NOT_A_NUMBER
                if estimate == inf:
                    continue
            new = old
            if IN_BATCHES and old >= 0:
                c.freed -= 1
            else:
                new = new_node(s)
                for word in range(width):
                    s.words[new * width + word] = s.out[k * width + word]
                if not late:
                    s.slots[-1 - old] = entry_of(mixed, mask, new)
                    c.in_table += 1
            s.parents[new] = node
            s.costs[new] = cost
            s.flags[new] = over
            if IN_BATCHES:
                s.waiting[c.waiting] = new
                c.waiting += 1
                if c.evaluation_batch == 1:
                    return Status.EVALUATE
            else:
                if not STACK:
                    s.estimates[new] = estimate
                push(s, new)


def next_node(s: BestFirstArrays, budget: int) -> int:
    """Set `current` to the next node to expand, and return EXPANDING; return a status if there is none now."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    late = c.late != 0
    mask = c.slots - 1
    while True:
        if c.batch_at == c.batch_size:
            if IN_BATCHES and c.expanded >= c.evaluate_at:
                if c.waiting:
                    return Status.EVALUATE
                begin_batch(c)
            take(s)
            if c.batch_size == 0 and c.rungs:
                return Status.BUDGET
            if c.batch_size == 0:
                return Status.EVALUATE if IN_BATCHES and c.waiting else Status.EXHAUSTED
        position = c.batch_at
        node = s.batch[position]
        mixed = U(0)
        at = I(-1)
        if late:
            mixed = hash_of(s.words, node * width, width)
            at = find(s, s.words, node * width, s.flags[node] & TERMINAL, mixed)
            shorter = at >= 0 and is_shorter(s.costs[node], s.costs[at])
            if at >= 0 and not (shorter and c.reopens):
                if shorter:
                    lose(c, s.costs[node], 0.0 if STACK else s.estimates[node])
                c.duplicates += 1
                c.batch_at += 1
                release(s, node)
                continue
        elif not STACK and (s.stamps[node] != s.batch_stamps[position] or s.flags[node] & CLOSED):
            c.batch_at += 1  # a better path was found while the node waited in the batch
            continue
        c.current = node
        c.successor = -1
        c.successors = 0
        if call_is_goal(s.callees, IS_GOAL, (address_of(s.words, node * width), address_of(s.tiles, 0))):
            if IN_BATCHES and c.waiting:
                put_back(s, node)
                return Status.EVALUATE
            return Status.GOAL
        if c.expanded >= budget:
            return Status.BUDGET
        if c.rungs and not has_room(c, 0):
            return Status.BUDGET
        more = c.most_successors + 1
        # The bits of a slot can number as many nodes as there are slots.
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        c.batch_at += 1
        if late and at >= 0:
            c.reopened += 1
            s.parents[at] = s.parents[node]
            s.costs[at] = s.costs[node]
            if not STACK:
                s.estimates[at] = s.estimates[node]  # closed by a search with buckets, which keeps no h
            release(s, node)
            c.current = at
        elif late:
            s.slots[-1 - at] = entry_of(mixed, mask, node)
            c.in_table += 1
        return EXPANDING


def is_met(s: StateArrays, k: int, parent: int) -> bool:
    """Count the k-th successor unless it is the parent; return False for the parent and for a lost game."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    if parent >= 0 and not s.terminal[k] and same_words(s.out, k * width, s.words, parent * width, width):
        return False
    c.generated += 1
    at = address_of(s.out, k * width), address_of(s.tiles, 0)
    return not s.terminal[k] or call_is_goal(s.callees, IS_GOAL, at)


def evaluate_successor(s: StateArrays, k: int, cost: float) -> float:
    """Return h of the k-th successor, and count it; `cost` is g. h is infinite for a dead end, and may be NaN."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    at = address_of(s.out, k * width), address_of(s.tiles, 0)
    estimate = c.sign * call_estimate(s.callees, ESTIMATE, at)
    if estimate == estimate:
        c.evaluated += 1
        if estimate == inf:
            c.dead_ends += 1
            lose(c, cost, estimate)
        else:
            c.best_h = min(c.best_h, estimate)
    return estimate


def expand(s: NodeArrays) -> None:
    """Close `current`, produce its successors, and fetch the slots where they will be looked up."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    node = c.current
    s.flags[node] |= CLOSED
    if not STACK:
        enter_layer(c, s.by_f, s.costs[node] + s.estimates[node])
    c.expanded += 1
    words_at = address_of(s.words, node * width)
    c.successors = successors(s, words_at, address_of(s.out, 0), address_of(s.edge_costs, 0))
    if FIRST_SIBLING:
        reverse_successors(s, 0, c.successors, width)
    for k in range(c.successors):  # with late detection too: the next node is likely among them
        prefetch(s.slots, slot_of(hash_of(s.out, k * width, width), c.slots - 1))


def find(s: NodeArrays, words: Pointer, at: int, terminal: int, mixed: Any) -> int:
    """Return the node of a state with the hash `mixed`, or the slot for it as -1 - slot."""
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    mask = s.control.slots - 1
    slot = slot_of(mixed, mask)
    tag = tag_of(mixed, mask)
    while s.slots[slot] != 0:
        entry = I(s.slots[slot])
        if entry & ~mask == tag:
            node = node_in(entry, mask)
            if (s.flags[node] & TERMINAL) == terminal and same_words(words, at, s.words, node * width, width):
                return node
        slot = (slot + 1) & mask
    return -1 - slot


def take(s: BestFirstArrays) -> None:
    """Take the best open node into `batch`, or several nodes with the same priority and tie-breaker."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    most = 1
    if c.batches:
        most = min(EXPANSION_BATCH, 1 + c.expanded // 1024)
    container = c.container
    size = 0
    key = 0.0
    tie = 0.0
    while size < most:
        remove_root(s)
        if c.first == c.last and c.run == c.run_end and not refilled(s):
            break
        in_run = c.run < c.run_end and is_run_first(s)
        if in_run:
            entry = entry_at(run_of(s), c.run)
        elif container == HEAP:
            entry = entry_at(heap_of(s), 0)
        else:
            at = c.last - 1 if container == LIFO else c.first
            entry = Entry(0.0, 0.0, I(0) if STACK else s.entry_stamps[at], I(s.entries[at]))
        node = entry.item
        if c.late or (STACK and s.flags[node] & OPEN) or (not STACK and is_live(s.flags, s.stamps, node, entry.stamp)):
            if container == HEAP and size > 0 and (entry.key != key or entry.tie != tie):
                break
            key = entry.key
            tie = entry.tie
            s.flags[node] &= ~OPEN
            c.on_open -= 1
            if c.late and most > 1:
                prefetch(s.slots, slot_of(hash_of(s.words, node * width, width), mask))
            s.batch[size] = node
            s.batch_stamps[size] = entry.stamp
            size += 1
        if in_run:
            advance_run(s)
        elif container == HEAP:
            c.root_removed = 1
        elif container == FIFO:
            c.first += 1
        else:
            c.last -= 1
    c.batch_size = size
    c.batch_at = 0


def push(s: BestFirstArrays, node: int) -> None:
    """Put a node on the open list; an earlier entry of the node becomes stale."""
    c = s.control
    c.push_count += 1
    stamp = stamp_of(c.push_count, c.random) if ORDER else c.push_count
    if not s.flags[node] & OPEN:
        c.on_open += 1
        c.most_on_open = max(c.most_on_open, c.on_open)
    s.flags[node] = (s.flags[node] | OPEN) & ~CLOSED
    if not (STACK or c.late):
        s.stamps[node] = stamp
    last = c.last
    if c.container == HEAP:
        key = call_priority(s.callees, PRIORITY, (s.costs[node], s.estimates[node]))
        tie = tie_of(c, s.estimates[node])
        entry = Entry(key, tie, stamp, node)
        place = far_place(s, entry) if c.rungs else I(0)
        if place:
            put_far(s, place, entry)
            return
        if c.root_removed:
            heap_replace_first(heap_of(s), last, entry)
            c.root_removed = 0
            return
        heap_push(heap_of(s), last, entry)
        if last >= c.large_heap:
            c.last = reduce_heap(s, heap_of(s), last + 1)
            return
    else:
        if not STACK:
            s.entry_stamps[last] = stamp
        s.entries[last] = node
    c.last += 1


def refilled(s: BestFirstArrays) -> bool:
    """Take entries from the ladder when run and heap are empty, and fetch the data for taking their nodes.

    Returns:
        whether there are entries.
    """
    c = s.control
    if c.container != HEAP or not c.rungs:
        return False
    c.last = refill(s, heap_of(s))
    for at in range(c.last):
        fetch(s, I(s.entries[at]))
    for at in range(c.last):
        fetch_more(s, I(s.entries[at]))
    if c.run < c.run_end:
        for at in range(min(FAR_AHEAD, c.run_end)):
            fetch(s, I(s.run_items[at]))
        for at in range(min(AHEAD, c.run_end)):
            fetch_more(s, I(s.run_items[at]))
    return c.last > 0 or c.run < c.run_end


def advance_run(s: BestFirstArrays) -> None:
    """Go on to the next entry of the run, and fetch the nodes of later entries."""
    c = s.control
    if c.run + FAR_AHEAD < c.run_end:
        fetch(s, I(s.run_items[c.run + FAR_AHEAD]))
    if c.run + AHEAD < c.run_end:
        fetch_more(s, I(s.run_items[c.run + AHEAD]))
    c.run += 1


def fetch(s: BestFirstArrays, node: int) -> None:
    """Fetch the data of a node that taking it reads."""
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    prefetch(s.words, node * width)
    prefetch(s.costs, node)
    prefetch(s.parents, node)
    prefetch(s.flags, node)
    prefetch(s.estimates, node)
    if not s.control.late:
        prefetch(s.stamps, node)


def fetch_more(s: BestFirstArrays, node: int) -> None:
    """Fetch the parent of a node, and its slot with late detection; this reads the data that `fetch` has fetched."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    if c.late:
        prefetch(s.slots, slot_of(hash_of(s.words, node * width, width), c.slots - 1))
    prefetch(s.words, max(I(s.parents[node]), 0) * width)


def new_node(s: BestFirstArrays) -> int:
    """Return the number for a new node: a released number, or the next."""
    c = s.control
    node: int = c.free
    if node >= 0:
        c.free = s.parents[node]
        c.freed -= 1
    else:
        node = c.nodes
        c.nodes += 1
    return node


def release(s: BestFirstArrays, node: int) -> None:
    """Release the number of a node that turned out to be a duplicate."""
    c = s.control
    s.parents[node] = c.free
    c.free = node
    c.freed += 1


def put_back(s: BestFirstArrays, node: int) -> None:
    """Undo taking the only node of a batch, whose entry is still the first of the heap, or just before `run`."""
    c = s.control
    if c.root_removed:
        c.root_removed = 0
    elif c.container == HEAP:
        c.run -= 1
    c.batch_at = c.batch_size
    c.on_open += 1
    s.flags[node] |= OPEN


def begin_batch(c: HeapControl) -> None:
    """Begin a batch; it ends at the limit of expansions."""
    size = min(c.evaluation_batch, 1 + c.expanded // BATCH_SHARE)
    c.evaluate_at = min(c.expanded + size, c.most_expansions)


def evaluate(s: BestFirstArrays) -> bool:
    """Evaluate the waiting nodes by a compiled heuristic; return False if h of `current` is NaN."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    c.successor = -1
    c.successors = 0
    for position in range(c.waiting):
        node = s.waiting[position]
        c.current = node
        at = address_of(s.words, node * width), address_of(s.tiles, 0)
        estimate = c.sign * call_estimate(s.callees, ESTIMATE, at)
        if estimate != estimate:
            return False
        s.estimates[node] = estimate
    c.values_known = 1
    return True


def enter_evaluated(s: BestFirstArrays) -> None:
    """Put the waiting nodes on the open list, except dead ends, and begin a new batch."""
    c = s.control
    for position in range(c.waiting):
        node = s.waiting[position]
        c.evaluated += 1
        if s.estimates[node] == inf:
            c.dead_ends += 1
            lose(c, s.costs[node], s.estimates[node])
            c.freed += 1
            s.flags[node] |= DEAD
            continue
        c.best_h = min(c.best_h, s.estimates[node])
        push(s, node)
    c.waiting = 0
    c.values_known = 0
    begin_batch(c)
