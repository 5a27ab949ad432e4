"""The compiled form of beam search: `search/readable/beam.py` on packed states.

kept nodes   words, parents, costs       all layers one after another; the current one is `first` … `last`
candidates   candidates, origins,        the next layer before it is cut: state, the kept node it was reached
             spent, least, keys, over    from, g, the least g it was met with and then its f, h and then the
                                         priority, whether the game is over
table        slots                       stamp << 32 | candidate + 1: entries of older layers count as empty, and so
                                         do those from before the table grew

Candidates are evaluated as they come up by a compiled heuristic; for a heuristic in Python the kernel returns EVALUATE
and is called again. Then the layer is settled: dead ends are dropped.

A layer that repeats an earlier one leads to the same layers again, so the search is over. To detect this, each layer is
compared with one that is replaced after 1, 2, 4, 8 … layers (Brent 1980); nearly all differ in the first node.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_priority
from searchlab.search.kernels.control import (
    ESTIMATE,
    FIXED_WIDTH,
    IS_GOAL,
    PRIORITY,
    Expansion,
    SearchControl,
    Status,
    lose,
    successors,
)
from searchlab.search.kernels.hash_table import I, U, hash_of, same_words

OF_CANDIDATE = -2
"""In place of a successor's number: `current` is a candidate."""


class BeamControl(SearchControl):
    """The options and the state of a beam search."""

    beam_width: int
    """Nodes of a layer that are kept."""
    most_kept: int
    """Nodes there is room for."""
    by_cost: int
    """Whether the priority depends on g."""
    in_python: int
    """Whether candidates are evaluated in Python."""
    values_known: int
    """Whether their values are there."""
    slots: int
    """Slots of the table, a power of two."""
    stamp: int
    """Of the entries of the table that count."""
    first: int
    """The first node of the layer."""
    last: int
    """The end of the layer: the number after its last node."""
    next_node: int
    """The next node to expand."""
    candidates: int
    most_candidates: int
    most_on_open: int
    goal: int
    """The first goal among the candidates, -1 for none."""
    layer_f: float
    """The smallest g + h of the layer."""
    earlier_first: int
    """The first node of the layer that later ones are compared with."""
    earlier_last: int
    """The end of the layer that later ones are compared with."""
    layers_since: int
    """How many layers have followed it."""
    layers_until: int
    """The number of layers until the next one replaces it."""


class Beam(Expansion):
    """The arrays of a search."""

    words: Pointer = array(np.uint64, "nodes", "width")
    parents: Pointer = array(np.uint32, "nodes")
    costs: Pointer = array(np.float64, "nodes")
    candidates: Pointer = array(np.uint64, "candidates", "width")
    origins: Pointer = array(np.int64, "candidates")
    spent: Pointer = array(np.float64, "candidates")
    least: Pointer = array(np.float64, "candidates")
    keys: Pointer = array(np.float64, "candidates")
    over: Pointer = array(np.uint8, "candidates")
    ranked: Pointer = array(np.float64, "candidates")  # a copy of the keys, to find the worst that is kept
    slots: Pointer = array(np.uint64, "slots")
    control: BeamControl = record(BeamControl)


def beam(s: Beam, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned.

    A goal among the candidates is put behind the kept nodes, as `current`.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while True:
        while c.next_node < c.last:
            if c.expanded >= budget:
                return Status.BUDGET
            if 2 * (c.candidates + c.most_successors) > c.slots:
                return Status.TABLE_FULL
            expand_next(s)
        if c.in_python and c.candidates > 0 and not c.values_known:
            return Status.EVALUATE
        c.values_known = 0
        if not settle(s):
            return Status.NOT_A_NUMBER
        size = c.candidates
        if c.nodes + min(size, c.beam_width) + 1 > c.most_kept:
            return Status.DEEPER
        if c.goal >= 0:
            keep(s, c.goal, c.nodes, width)
            c.current = c.nodes
            return Status.GOAL
        if size > 0:
            keep_best(s)
        if size == 0 or comes_again(s):
            c.layer_f = inf
            return Status.EXHAUSTED


def expand_next(s: Beam) -> None:
    """Expand the next node of the layer; its successors become candidates."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    tiles_at = address_of(s.tiles, 0)
    node = c.next_node
    c.current = node
    c.successor = -1
    c.expanded += 1
    c.next_node += 1
    parent = I(s.parents[node])
    words_at = address_of(s.words, node * width)
    count = successors(s, words_at, address_of(s.out, 0), address_of(s.edge_costs, 0))
    for k in range(count):
        c.successor = k
        out_at = address_of(s.out, k * width)
        if node > 0 and not s.terminal[k] and same_words(s.out, k * width, s.words, parent * width, width):
            continue
        c.generated += 1
        if s.terminal[k] and not call_is_goal(s.callees, IS_GOAL, (out_at, tiles_at)):
            continue
        slot = I(hash_of(s.out, k * width, width) & U(mask))
        cost = s.costs[node] + s.edge_costs[k]
        known = False
        while s.slots[slot] >> U(32) == U(c.stamp):
            other = I(s.slots[slot] & U(0xFFFFFFFF)) - 1
            if s.over[other] == s.terminal[k] and same_words(s.out, k * width, s.candidates, other * width, width):
                known = True
                s.least[other] = min(s.least[other], cost)
                break
            slot = (slot + 1) & mask
        if known:
            continue
        estimate = 0.0
        if c.estimates and not c.in_python:
            estimate = c.sign * call_estimate(s.callees, ESTIMATE, (out_at, tiles_at))
        new = c.candidates
        s.slots[slot] = U(c.stamp) << U(32) | U(new + 1)
        for word in range(width):
            s.candidates[new * width + word] = s.out[k * width + word]
        s.origins[new] = node
        s.spent[new] = cost
        s.least[new] = cost
        s.over[new] = s.terminal[k]
        s.keys[new] = estimate
        c.candidates += 1


def settle(s: Beam) -> bool:
    """Leave out the candidates that are dead ends; of the others let `keys` be the priority, and find a goal.

    Returns False if h of `current` is NaN.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    live = 0
    c.most_candidates = max(c.most_candidates, c.candidates)
    c.successor = OF_CANDIDATE
    for k in range(c.candidates):
        c.current = k
        estimate = s.keys[k]
        if estimate != estimate:
            return False
        if estimate == inf:
            lose(c, s.least[k], estimate)
            continue
        if s.least[k] < s.spent[k]:  # the first path counts
            lose(c, s.least[k], estimate)
        for word in range(width):
            s.candidates[live * width + word] = s.candidates[k * width + word]
        s.origins[live] = s.origins[k]
        s.spent[live] = s.spent[k]
        s.over[live] = s.over[k]
        s.least[live] = s.spent[live] + estimate if c.counts_h else s.spent[live]
        s.keys[live] = call_priority(s.callees, PRIORITY, (s.spent[live], estimate))
        if c.estimates:
            c.best_h = min(c.best_h, estimate)
        at = address_of(s.candidates, live * width), address_of(s.tiles, 0)
        if c.goal < 0 and call_is_goal(s.callees, IS_GOAL, at):
            c.goal = live
        live += 1
    if c.estimates:
        c.evaluated += c.candidates
    c.dead_ends += c.candidates - live
    c.candidates = live
    c.most_on_open = max(c.most_on_open, live)
    return True


def keep_best(s: Beam) -> None:
    """Make the best candidates the next layer, of equal ones the earliest."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    size = c.candidates
    worst = inf
    among_worst = size
    if size > c.beam_width:
        for k in range(size):
            s.ranked[k] = s.keys[k]
        worst = smallest(s.ranked, size, c.beam_width)
        among_worst = c.beam_width
        for k in range(size):
            among_worst -= s.keys[k] < worst
    c.first = c.nodes
    c.layer_f = inf
    for k in range(size):
        if s.keys[k] < worst or (s.keys[k] == worst and among_worst > 0) or size <= c.beam_width:
            among_worst -= s.keys[k] == worst
            keep(s, k, c.nodes, width)
            c.nodes += 1
            c.layer_f = min(c.layer_f, s.least[k])
        else:
            c.lost = min(c.lost, s.least[k])
    c.next_node = c.first
    c.last = c.nodes
    c.candidates = 0
    c.stamp += 1


def keep(s: Beam, candidate: int, node: int, width: int) -> None:
    """Make a candidate the kept node of this number."""
    for word in range(width):
        s.words[node * width + word] = s.candidates[candidate * width + word]
    s.parents[node] = np.uint32(s.origins[candidate])
    s.costs[node] = s.spent[candidate]


def comes_again(s: Beam) -> bool:
    """Return whether the layer repeats the earlier one, so that the same layers follow; else count it.

    The next layer depends on the states in order, on their parents, to which no move leads straight back, and on the
    costs if the priority does.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    first = c.first
    earlier = c.earlier_first
    size = c.last - first
    same = size == c.earlier_last - earlier
    for k in range(size):
        if not same:
            break
        came_from = I(s.parents[first + k]) * width
        same = (
            same_words(s.words, (first + k) * width, s.words, (earlier + k) * width, width)
            and same_words(s.words, came_from, s.words, I(s.parents[earlier + k]) * width, width)
            and (not c.by_cost or s.costs[first + k] == s.costs[earlier + k])
        )
    if same:
        return True
    c.layers_since += 1
    if c.layers_since == c.layers_until:
        c.layers_since = 0
        c.layers_until *= 2
        c.earlier_first = first
        c.earlier_last = c.last
    return False


def enter_candidates(s: Beam, first: int, last: int) -> int:
    """Enter the candidates `first` … `last` - 1 into the table; returns 0."""
    c = s.control
    width = c.width
    mask = c.slots - 1
    for k in range(first, last):
        slot = I(hash_of(s.candidates, k * width, width) & U(mask))
        while s.slots[slot] >> U(32) == U(c.stamp):
            slot = (slot + 1) & mask
        s.slots[slot] = U(c.stamp) << U(32) | U(k + 1)
    return 0


def smallest(values: Pointer, size: int, rank: int) -> float:
    """Return the rank-th smallest (from 1) of `size` values, which are put in another order (Hoare 1961)."""
    low = 0
    high = size - 1
    wanted = rank - 1
    while low < high:
        middle = values[(low + high) >> 1]
        first = values[low]
        last = values[high]
        pivot = max(min(first, last), min(max(first, last), middle))
        left = low
        right = high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                swapped = values[left]
                values[left] = values[right]
                values[right] = swapped
                left += 1
                right -= 1
        if wanted <= right:
            high = right
        elif wanted >= left:
            low = left
        else:
            break
    return values[wanted]
