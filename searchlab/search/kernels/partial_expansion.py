"""The compiled partial expansion: `search/readable/partial_expansion.py` on packed states.

The nodes are as in `kernels/best_first.py` with early detection, with one more array and flag:

    node            0        1        2     …
    least        [  45  |  43  |  43  | …     the smallest f of the successors that are not stored yet; g + h at first
    flags        [ O P  |  O   |  C   | …     P: partially expanded

All successors of a node are produced and evaluated in one call, and the successors whose turn has not come are dropped.
They cost no look-up in the table.

Compiled with SELECTS (enhanced partial expansion), the call evaluates all moves, and writes only the successors whose
turn has come; `chosen` marks them:

    successor       0      1      2     …
    out_estimates [ 44  |  45  |  43  | …    h after each move
    out           [  -  |  -   | ···· | …    the packed state; left over from other nodes if not chosen
    chosen        [  0  |  0   |  1   | …
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal, call_select
from searchlab.model.costs import ROUNDING, is_shorter
from searchlab.search.kernels.best_first import (
    BestFirstArrays,
    HeapControl,
    find,
    new_node,
    take,
)
from searchlab.search.kernels.control import (
    FIXED_WIDTH,
    IS_GOAL,
    STEP,
    EvaluatedExpansion,
    Status,
    enter_layer,
    lose,
    step,
)
from searchlab.search.kernels.hash_table import CLOSED, OPEN, TERMINAL, I, entry_of, hash_of, same_words
from searchlab.search.kernels.ladder import heap_of
from searchlab.search.kernels.open_list import Entry, heap_push, heap_replace_first

PARTIAL = 16
"""The flag of a node that is partially expanded."""
SELECTS = False
"""Whether only the successors whose turn has come are produced; a constant of a kernel."""


class PartialControl(HeapControl):
    """The options, state and counts of a search with partial expansion."""

    rounds: int
    """Whether sums of costs may differ by rounding."""
    cutoff: float
    """Successors with an f up to this much above the priority of their node are stored."""


class PartialArrays(BestFirstArrays, EvaluatedExpansion):
    """The arrays of a search with partial expansion."""

    least: Pointer = array(np.float64, "nodes")
    chosen: Pointer = array(np.uint8, "successors")
    control: PartialControl = record(PartialControl)


def partial_expansion(s: PartialArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while True:
        if c.batch_at == c.batch_size:
            take(s)
            if c.batch_size == 0:
                return Status.EXHAUSTED
        node = s.batch[0]
        c.current = node
        c.successor = -1
        words_at = address_of(s.words, node * width)
        is_first = not s.flags[node] & PARTIAL
        if is_first and call_is_goal(s.callees, IS_GOAL, (words_at, address_of(s.tiles, 0))):
            return Status.GOAL
        if c.expanded >= budget:
            return Status.BUDGET
        more = c.most_successors + 1
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        least = s.least[node]
        most = least + c.cutoff
        if c.rounds:
            most += min(ROUNDING * most, 0.25)
        if SELECTS:
            count = select(s, words_at, node, -inf if is_first else least, most)
        else:
            parent_at = address_of(s.words, max(0, s.parents[node]) * width)
            count = step(s, words_at, parent_at, I(s.parents[node] >= 0), c.sign * s.estimates[node], 0)
        c.batch_at += 1
        enter_layer(c, s.by_f, least)
        c.expanded += 1
        rest = inf
        for k in range(count):
            c.successor = k
            if not SELECTS and not is_produced(s, node, k):
                continue
            cost = s.costs[node] + s.edge_costs[k]
            estimate = 0.0
            if c.estimates:
                estimate = c.sign * s.out_estimates[k]
                if estimate != estimate:
                    return Status.NOT_A_NUMBER
                c.evaluated += 1
                if estimate == inf:
                    if is_first:
                        c.dead_ends += 1
                        lose(c, cost, estimate)
                    continue
            f = cost + estimate
            if f > most:
                rest = min(rest, f)
                continue
            if not (is_first or f >= least):
                continue
            if SELECTS and not is_produced(s, node, k):
                continue
            if c.estimates:
                c.best_h = min(c.best_h, estimate)
            enter(s, node, k, cost, estimate)
        if rest < inf:
            s.least[node] = rest
            s.flags[node] |= PARTIAL
            put_on_open(s, node, rest - s.costs[node])
        else:
            s.flags[node] |= CLOSED


def select(s: PartialArrays, words_at: int, node: int, low: float, high: float) -> int:
    """Evaluate all successors of a node, and write those with an f from low to high; return the number of all."""
    return call_select(
        s.callees,
        STEP,
        (
            words_at,
            s.control.sign * s.estimates[node],
            s.costs[node],
            low,
            high,
            address_of(s.out, 0),
            address_of(s.out_estimates, 0),
            address_of(s.tiles, 0),
            address_of(s.out_tiles, 0),
            address_of(s.terminal, 0),
            address_of(s.edge_costs, 0),
            address_of(s.moves, 0),
            address_of(s.chosen, 0),
        ),
    )


def is_produced(s: PartialArrays, node: int, k: int) -> bool:
    """Count the k-th successor of a node, and return whether it can be part of a solution.

    The parent is left out, and not counted. A successor that ends the game must be a goal.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    over = s.terminal[k] != 0
    parent = s.parents[node]
    if SELECTS and parent >= 0 and not over and same_words(s.out, k * width, s.words, parent * width, width):
        return False
    c.generated += 1
    return not over or call_is_goal(s.callees, IS_GOAL, (address_of(s.out, k * width), address_of(s.tiles, 0)))


def enter(s: PartialArrays, node: int, k: int, cost: float, estimate: float) -> None:
    """Store the k-th successor of a node, or give the node of its state the shorter path."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    over = TERMINAL if s.terminal[k] else 0
    mixed = hash_of(s.out, k * width, width)
    old = find(s, s.out, k * width, over, mixed)
    if old >= 0:
        if is_shorter(cost, s.costs[old]):
            c.reopened += (s.flags[old] & CLOSED) != 0
            s.parents[old] = node
            s.costs[old] = cost
            s.least[old] = cost + estimate
            s.flags[old] &= ~(CLOSED | PARTIAL)
            put_on_open(s, old, estimate)
        return
    new = new_node(s)
    for word in range(width):
        s.words[new * width + word] = s.out[k * width + word]
    s.slots[-1 - old] = entry_of(mixed, c.slots - 1, new)
    c.in_table += 1
    s.parents[new] = node
    s.costs[new] = cost
    s.estimates[new] = estimate
    s.least[new] = cost + estimate
    s.flags[new] = over
    put_on_open(s, new, estimate)


def put_on_open(s: PartialArrays, node: int, tie: float) -> None:
    """Put a node on the open list; an earlier entry of the node becomes stale."""
    c = s.control
    c.push_count += 1
    if not s.flags[node] & OPEN:
        c.on_open += 1
        c.most_on_open = max(c.most_on_open, c.on_open)
    s.flags[node] |= OPEN
    s.stamps[node] = c.push_count
    entry = Entry(s.least[node], tie, c.push_count, node)
    if c.root_removed:
        heap_replace_first(heap_of(s), c.last, entry)
        c.root_removed = 0
        return
    heap_push(heap_of(s), c.last, entry)
    c.last += 1
