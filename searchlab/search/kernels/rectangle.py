"""The compiled rectangle search: `search/readable/rectangle.py` on packed states.

Nodes are numbered, as in `best_first`, and have values, as in `node_values`. Each depth has its own heap of open nodes,
a tree of entries (skew heap, Sleator and Tarjan 1986). A link is the number of an entry plus 1, or 0 for none:

    entry           0        1        2     …
    keys         [  12  |  13  |  11  | …     the priority
    ties         [  43  |  43  |  45  | …     g + h
    entry_stamps, entries                     the stamp of the entry, and its node
    lefts, rights                             links to the entries below; `lefts` chains released entries

    depth           0        1        2     …
    roots        [   0  |   3  |   8  | …     the link to the first entry of the heap

An entry is stale if its node has a newer entry or is not open.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal
from searchlab.model.costs import is_shorter
from searchlab.search.kernels.best_first import evaluate_successor, expand, find, is_met
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Status
from searchlab.search.kernels.hash_table import CLOSED, OPEN, TERMINAL, I, entry_of, hash_of
from searchlab.search.kernels.node_values import ValuedArrays, ValuedControl, evaluate_others, key_of, store_successor
from searchlab.search.kernels.open_list import is_live


class RectangleControl(ValuedControl):
    """The options and the state of a rectangle search."""

    aspect: int
    """The number of new depths in a round."""
    below: float
    """Nodes whose g + h is not below this value are left out; infinite if none are."""
    rounding: float
    """The share of a cost by which `below` is smaller, see `Problem.below`."""
    taken: int
    """Whether `current` was taken and is not yet expanded."""
    goal: int
    """The cheapest goal among the successors, -1 for none."""
    used: int
    """The number of entries in use, including released entries."""
    free: int
    """The link to the first released entry."""
    round: int
    """The number of the round, which is the number of nodes that it expands at each new depth."""
    levels: int
    """The number of depths that earlier rounds reached."""
    level: int
    """The depth from which nodes are taken."""
    left: int
    """The number of nodes that are still to be taken at this depth in this round."""
    grown: int
    """The number of new depths of this round so far."""
    deepest: int
    """The largest depth at which this round expanded a node, -1 for none."""
    shallowest: int
    """All smaller depths are empty, and remain empty."""


class RectangleArrays(ValuedArrays):
    """The arrays of a search."""

    roots: Pointer = array(np.int32, "nodes")  # a path has at most as many moves as there are nodes
    lefts: Pointer = array(np.int32, "entries")
    rights: Pointer = array(np.int32, "entries")
    control: RectangleControl = record(RectangleControl)


def rectangle(s: RectangleArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned.

    After a goal, the kernel has to be called again to go on.
    """
    c = s.control
    if not c.push_count:
        push(s, 0)
    while True:
        if not c.taken:
            if not take(s):
                return Status.EXHAUSTED
            c.taken = 1
        if c.expanded >= budget:
            return Status.BUDGET
        more = c.most_successors + 1
        # The bits of a slot can number as many nodes as there are slots.
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        c.taken = 0
        expand(s)
        node = c.current
        parent = s.parents[node]
        for k in range(c.successors):
            c.successor = k
            if is_met(s, k, parent) and not reach(s, k):
                return Status.NOT_A_NUMBER
        c.successor = -1
        if c.goal >= 0:
            c.current = c.goal
            c.goal = -1
            return Status.GOAL


def reach(s: RectangleArrays, k: int) -> bool:
    """Enter the k-th successor of `current`, unless its path is no better or too expensive; return False for NaN."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    node = c.current
    cost = s.costs[node] + s.edge_costs[k]
    mixed = hash_of(s.out, k * width, width)
    found = find(s, s.out, k * width, TERMINAL if s.terminal[k] else 0, mixed)
    if found >= 0:
        if not is_shorter(cost, s.costs[found]):
            return True
        estimate = s.estimates[found]
    else:
        estimate = evaluate_successor(s, k, cost) if c.estimates else 0.0
        if estimate != estimate:
            return False
        if estimate == inf:
            return True
    if least_of(c, cost, estimate) >= c.below:
        return True
    if found < 0:
        if not evaluate_others(s, c.nodes, address_of(s.out, k * width)):
            return False
        found = store_successor(s, k, entry_of(mixed, c.slots - 1, c.nodes), -1 - found, estimate)
    else:
        c.reopened += s.flags[found] & CLOSED != 0
        s.parents[found] = node
        s.costs[found] = cost
        s.depths[found] = s.depths[node] + 1
    at = address_of(s.words, found * width), address_of(s.tiles, 0)
    if not call_is_goal(s.callees, IS_GOAL, at):
        push(s, found)
        return True
    s.flags[found] |= CLOSED
    if cost < c.below:
        c.goal = found
        c.below = cost - min(c.rounding * cost, 0.25)
    return True


def least_of(c: RectangleControl, g: float, h: float) -> float:
    """Return a lower bound on the cost of solutions through a node with this g and h."""
    return g + h if c.counts_h else g


def take(s: RectangleArrays) -> bool:
    """Set `current` to the next node to expand; return whether there is one."""
    c = s.control
    while True:
        if c.left > 0:
            node = take_best(s, c.level)
            if node >= 0:
                c.left -= 1
                c.deepest = c.level
                c.current = node
                c.successor = -1
                return True
            c.left = 0
        if c.level + 1 < c.levels:
            c.level += 1
            c.left = 1
            continue
        if c.grown < c.aspect and (c.level < c.levels or c.deepest == c.level):
            c.grown += 1
            c.level += 1
            c.left = c.round
            continue
        if c.deepest < 0 or c.on_open == 0:
            return False
        c.round += 1
        c.levels = c.deepest + 1
        while c.shallowest < c.levels and s.roots[c.shallowest] == 0:
            c.shallowest += 1
        c.level = c.shallowest - 1
        c.grown = 0
        c.deepest = -1


def take_best(s: RectangleArrays, depth: int) -> int:
    """Take the best open node of a depth that may lead to a cheaper solution; return -1 if there is none."""
    c = s.control
    while s.roots[depth] != 0:
        entry = I(s.roots[depth]) - 1
        node = I(s.entries[entry])
        s.roots[depth] = merged(s, I(s.lefts[entry]), I(s.rights[entry]))
        s.lefts[entry] = c.free
        c.free = entry + 1
        if not is_live(s.flags, s.stamps, node, s.entry_stamps[entry]):
            continue
        s.flags[node] &= ~OPEN
        c.on_open -= 1
        if least_of(c, s.costs[node], s.estimates[node]) < c.below:
            return node
    return -1


def push(s: RectangleArrays, node: int) -> None:
    """Put a node into the heap of its depth; an earlier entry of the node becomes stale."""
    c = s.control
    c.push_count += 1
    if not s.flags[node] & OPEN:
        c.on_open += 1
        c.most_on_open = max(c.most_on_open, c.on_open)
    s.flags[node] = (s.flags[node] | OPEN) & ~CLOSED
    s.stamps[node] = c.push_count
    if c.free:
        entry = c.free - 1
        c.free = I(s.lefts[entry])
    else:
        entry = c.used
        c.used += 1
    s.keys[entry] = key_of(s, 0, node)
    s.ties[entry] = s.costs[node] + s.estimates[node]
    s.entry_stamps[entry] = c.push_count
    s.entries[entry] = node
    s.lefts[entry] = 0
    s.rights[entry] = 0
    depth = s.depths[node]
    s.roots[depth] = merged(s, I(s.roots[depth]), entry + 1)


def merged(s: RectangleArrays, one: int, other: int) -> int:
    """Merge two heaps, which are given by links; return the link to the merged heap."""
    if one == 0:
        return other
    if other == 0:
        return one
    if is_before(s, other - 1, one - 1):
        first = other
        rest = one
    else:
        first = one
        rest = other
    top = first
    while True:
        # `first` is in its place; its right side and `rest` are merged to its left.
        right = I(s.rights[first - 1])
        s.rights[first - 1] = s.lefts[first - 1]
        if right == 0:
            s.lefts[first - 1] = rest
            return top
        if is_before(s, rest - 1, right - 1):
            below = rest
            rest = right
        else:
            below = right
        s.lefts[first - 1] = below
        first = below


def is_before(s: RectangleArrays, one: int, other: int) -> bool:
    """Return whether an entry comes before another: by priority, then by g + h, then the newer."""
    if s.keys[one] != s.keys[other]:
        return s.keys[one] < s.keys[other]
    if s.ties[one] != s.ties[other]:
        return s.ties[one] < s.ties[other]
    return s.entry_stamps[one] > s.entry_stamps[other]
