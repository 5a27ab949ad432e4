"""Best-first search compiled, its nodes evaluated in batches: by a heuristic in Python, or compiled.

Nodes, hash table and open list are those of `best_first`, with early detection of duplicates. What differs is when a
new node is evaluated: it is stored at once and listed in `waiting`; when `evaluation_batch` nodes are expanded (or
nothing else is left, or a goal came up) the kernel returns EVALUATE. Python writes the values to `estimates`, sets
`values_known` and calls again; then the nodes go to the open list in the order they were generated.

A dead end keeps its number and its slot in the table, so that nothing needs to be removed from there: it counts as
given back, and when its state is met again it is a new node once more.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal
from searchlab.search.kernels.best_first import find, push, take
from searchlab.search.kernels.control import ESTIMATE, FIXED_WIDTH, IS_GOAL, Status, successors
from searchlab.search.kernels.hash_table import CLOSED, OPEN, TERMINAL, entry_of, hash_of, same_words, slot_of

if TYPE_CHECKING:
    from searchlab.search.kernels.best_first import BestFirst, HeapControl

DEAD = 8
"""A node's flag besides those of the table: its h is infinite."""
BATCH_SHARE = 8
"""No batch is larger than this part of what is expanded."""
EXPANDING = -1
"""No status: the successors of a node are there."""


def batched(s: BestFirst, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    tiles_at = address_of(s.tiles, 0)
    while True:
        if c.values_known:
            enter_evaluated(s)
        status = EXPANDING
        if c.successor + 1 >= c.successors:
            status = next_node(s, budget)
        if status == Status.EVALUATE and not c.in_python:
            if not evaluate(s):
                return Status.NOT_A_NUMBER
            continue
        if status != EXPANDING:
            return status
        node = c.current
        if c.successor < 0:
            s.flags[node] |= CLOSED
            c.expanded += 1
            words_at = address_of(s.words, node * width)
            c.successors = successors(s, words_at, address_of(s.out, 0), address_of(s.edge_costs, 0))
            for k in range(c.successors):
                prefetch(s.slots, slot_of(hash_of(s.out, k * width, width), mask))
        parent = s.parents[node]
        for k in range(c.successor + 1, c.successors):
            c.successor = k
            over = TERMINAL if s.terminal[k] else 0
            if parent >= 0 and not over and same_words(s.out, k * width, s.words, parent * width, width):
                continue
            c.generated += 1
            if over and not call_is_goal(s.callees, IS_GOAL, (address_of(s.out, k * width), tiles_at)):
                continue
            cost = s.costs[node] + s.edge_costs[k]
            mixed = hash_of(s.out, k * width, width)
            old = find(s, s.out, k * width, over, mixed)
            if old >= 0 and not s.flags[old] & DEAD:
                if cost < s.costs[old] and (c.reopens or not s.flags[old] & CLOSED):
                    c.reopened += (s.flags[old] & CLOSED) != 0
                    s.parents[old] = node
                    s.costs[old] = cost
                    if s.stamps[old]:  # else it waits to be evaluated
                        push(s, old)
                continue
            new = old
            if old >= 0:
                c.freed -= 1
            else:
                new = c.nodes
                c.nodes += 1
                for word in range(width):
                    s.words[new * width + word] = s.out[k * width + word]
                s.slots[-1 - old] = entry_of(mixed, mask, new)
                c.in_table += 1
            s.parents[new] = node
            s.costs[new] = cost
            s.flags[new] = over
            s.waiting[c.waiting] = new
            c.waiting += 1
            if c.evaluation_batch == 1:
                return Status.EVALUATE


def next_node(s: BestFirst, budget: int) -> int:
    """Let `current` be the next node to be expanded; return EXPANDING, or the status why there is none now."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while True:
        if c.batch_at == c.batch_size:
            if c.expanded >= c.evaluate_at:
                if c.waiting:
                    return Status.EVALUATE
                begin_batch(c)
            take(s)
            if c.batch_size == 0:
                return Status.EVALUATE if c.waiting else Status.EXHAUSTED
        position = c.batch_at
        node = s.batch[position]
        if s.stamps[node] != s.batch_stamps[position] or s.flags[node] & CLOSED:
            c.batch_at += 1  # a better path to it was found while it waited in the batch
            continue
        c.current = node
        c.successor = -1
        c.successors = 0
        if call_is_goal(s.callees, IS_GOAL, (address_of(s.words, node * width), address_of(s.tiles, 0))):
            if not c.waiting:
                return Status.GOAL
            put_back(s, node)
            return Status.EVALUATE
        if c.expanded >= budget:
            return Status.BUDGET
        more = c.most_successors + 1
        # A slot has room for the numbers of as many nodes as there are slots.
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        c.batch_at += 1
        return EXPANDING


def put_back(s: BestFirst, node: int) -> None:
    """Undo the taking of the only node of a batch: its entry is still the first of the heap."""
    c = s.control
    c.root_removed = 0
    c.batch_at = c.batch_size
    c.on_open += 1
    s.flags[node] |= OPEN


def begin_batch(c: HeapControl) -> None:
    """Let a batch begin; the limit of expansions cuts it short."""
    size = min(c.evaluation_batch, 1 + c.expanded // BATCH_SHARE)
    c.evaluate_at = min(c.expanded + size, c.most_expansions)


def evaluate(s: BestFirst) -> bool:
    """Evaluate the nodes that wait by a compiled heuristic; return False for NaN, of `current`."""
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


def enter_evaluated(s: BestFirst) -> None:
    """Put the nodes that waited on the open list, but for dead ends; a new batch begins."""
    c = s.control
    for position in range(c.waiting):
        node = s.waiting[position]
        c.evaluated += 1
        if s.estimates[node] == inf:
            c.dead_ends += 1
            c.freed += 1
            s.flags[node] |= DEAD
            continue
        c.best_h = min(c.best_h, s.estimates[node])
        push(s, node)
    c.waiting = 0
    c.values_known = 0
    begin_batch(c)
