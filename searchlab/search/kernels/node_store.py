"""The operations of a `NodeStore`, on the arrays of a search with one queue."""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal
from searchlab.model.costs import is_shorter
from searchlab.search.kernels.best_first import evaluate_successor, expand, find, is_met
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Status, lose
from searchlab.search.kernels.hash_table import CLOSED, OPEN, TERMINAL, I, entry_of, hash_of
from searchlab.search.kernels.node_values import store_successor
from searchlab.search.kernels.queues import QueueArrays, QueueControl, has_node, insert, next_stamp

QUEUE = 1
"""The number of the heap of the only queue."""


class StoreControl(QueueControl):
    """The state of a store."""

    at: int
    """The position of the next listed node."""
    found: int
    """The number of new nodes, and of nodes with a cheaper path."""


class StoreArrays(QueueArrays):
    """The arrays of a store."""

    listed: Pointer = array(np.int64, "listed")  # the arguments or results of an operation
    priorities: Pointer = array(np.float64, "listed")
    found: Pointer = array(np.int64, "found")
    control: StoreControl = record(StoreControl)


def push_listed(s: StoreArrays, count: int) -> int:
    """Put the listed nodes into the queue with their priorities; earlier entries of these nodes become stale."""
    c = s.control
    for k in range(count):
        node = I(s.listed[k])
        s.stamps[node] = next_stamp(c)
        if not s.flags[node] & OPEN:
            c.on_open += 1
            c.most_on_open = max(c.most_on_open, c.on_open)
        s.flags[node] |= OPEN
        insert(s, QUEUE, s.priorities[k], node)
    return count


def take_listed(s: StoreArrays, most: int) -> int:
    """Take up to `most` nodes with the smallest priorities from the queue, and list them; return their number."""
    c = s.control
    count = 0
    while count < most and has_node(s, QUEUE):
        node = I(s.entries[QUEUE * c.capacity])
        s.holes[QUEUE] = 1
        s.flags[node] &= ~OPEN
        c.on_open -= 1
        s.listed[count] = node
        count += 1
    return count


def check_listed(s: StoreArrays, count: int) -> int:
    """Replace each listed node by 1 if it is a goal, else by 0."""
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    for k in range(count):
        at = address_of(s.words, I(s.listed[k]) * width), address_of(s.tiles, 0)
        s.listed[k] = call_is_goal(s.callees, IS_GOAL, at)
    return count


def expand_listed(s: StoreArrays, count: int) -> int:
    """Expand the listed nodes from `at` on, and write new and improved nodes to `found`; return a status."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    while c.at < count:
        more = c.most_successors + 1
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        node = I(s.listed[c.at])
        c.at += 1
        c.current = node
        if s.flags[node] & CLOSED:
            continue
        if s.flags[node] & OPEN:
            s.flags[node] &= ~OPEN
            c.on_open -= 1
        expand(s)
        parent = s.parents[node]
        for k in range(c.successors):
            c.successor = k
            if not is_met(s, k, parent):
                continue
            cost = s.costs[node] + s.edge_costs[k]
            mixed = hash_of(s.out, k * width, width)
            old = find(s, s.out, k * width, TERMINAL if s.terminal[k] else 0, mixed)
            if old >= 0:
                improve(s, old, node, cost)
                continue
            estimate = evaluate_successor(s, k, cost) if c.estimates else 0.0
            if estimate != estimate:
                return Status.NOT_A_NUMBER
            if estimate < inf:
                s.found[c.found] = store_successor(s, k, entry_of(mixed, mask, c.nodes), -1 - old, estimate)
                c.found += 1
    return Status.EXHAUSTED


def improve(s: StoreArrays, old: int, node: int, cost: float) -> None:
    """Give a known node the path through another node if it is cheaper, and add the node to `found`."""
    c = s.control
    closed = s.flags[old] & CLOSED
    if not is_shorter(cost, s.costs[old]):
        return
    if closed and not c.reopens:
        lose(c, cost, s.estimates[old])
        return
    c.reopened += closed != 0
    s.flags[old] &= ~CLOSED
    s.parents[old] = node
    s.depths[old] = s.depths[node] + 1
    s.costs[old] = cost
    s.found[c.found] = old
    c.found += 1
