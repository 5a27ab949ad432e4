"""The compiled form of beam search: `search/readable/beam.py` on packed states.

kept nodes   words, parents, costs       all layers, one after another; the current layer is `first` … `last`
candidates   candidates, origins,        the next layer before it is cut: the state, the kept node as parent, g, f, h
             spent, least, keys, over    and later the priority, and whether the game is over
arrivals     new_words, new_hashes …     successors that are not yet candidates, see `ARRIVALS`
table        slots                       stamp << 32 | candidate + 1: entries of older layers count as empty, and so
                                         do entries from before the table grew
closed list  entries                     stamp << 56 | tag of the hash << 32 | kept node + 1: entries from before it
                                         grew count as empty; only in kernels that are compiled with CLOSED, as are
             hashes, marks               of the candidates: the hash, later the number of the entry; the decision

A compiled heuristic evaluates candidates when a layer is complete; for a heuristic in Python the kernel returns
EVALUATE and is called again. Then the layer is settled: dead ends are dropped, priorities computed and goals found.

A layer that repeats an earlier layer leads to the same layers again, so the search ends. To detect this, each layer is
compared with one earlier layer, which is replaced after 1, 2, 4, 8 … layers (Brent 1980). Nearly all comparisons end at
the first node.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_key, call_priority
from searchlab.model.costs import is_shorter
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
from searchlab.search.kernels.hash_table import AHEAD, I, U, hash_of, same_words
from searchlab.search.kernels.node_values import KEYS, OTHERS, G, H

CLOSED = False
"""Whether states of earlier layers are entered again only by cheaper paths; a constant of a kernel."""
BY_NAME = False
"""Whether the priority takes values by name, which may include further heuristics; a constant of a kernel."""
WAITING, KEPT, DROPPED = range(3)
"""The decision about a candidate: none yet, kept, or dropped because its state is in the closed list."""
ARRIVALS = 64
"""The number of successors that are entered together, so that their slots are fetched while others are generated."""
SMALL_TABLE = 1 << 15
"""The largest number of slots for which the table and its candidates are in the processor's cache."""
OF_CANDIDATE = -2
"""The value of `successor` if `current` is a candidate."""


class BeamControl(SearchControl):
    """The options and the state of a beam search."""

    beam_width: int
    """The largest number of nodes that are kept of a layer."""
    most_kept: int
    """The number of nodes for which there is room."""
    by_cost: int
    """Whether the priority depends on g."""
    in_python: int
    """Whether candidates are evaluated in Python."""
    values_known: int
    """Whether Python has written their values."""
    slots: int
    """The number of slots of the table, a power of two."""
    stamp: int
    """The stamp of the valid entries of the table."""
    first: int
    """The first node of the layer."""
    last: int
    """The end of the layer: the number after its last node."""
    next_node: int
    """The next node to expand."""
    candidates: int
    arrived: int
    """The number of successors that wait to be entered; 0 between two calls."""
    most_candidates: int
    most_on_open: int
    goal: int
    """The first goal among the candidates, -1 for none."""
    goes_on: int
    """Whether the search goes on after a goal, with nodes that may lead to a cheaper goal."""
    below: float
    """Nodes whose g + h is not below this value are left out; infinite if none are."""
    rounding: float
    """The share of a cost by which `below` is smaller, see `Problem.below`."""
    beyond: float
    """The smallest g + h of the nodes that were cut because of the width."""
    entries: int
    """The number of entries of the closed list, a power of two."""
    entry_stamp: int
    """The stamp of the valid entries of the closed list."""
    further: int
    """The number of further heuristics that the priority uses."""
    layer_f: float
    """The smallest g + h of the layer."""
    earlier_first: int
    """The first node of the earlier layer with which layers are compared."""
    earlier_last: int
    """The end of this earlier layer."""
    layers_since: int
    """The number of layers after this earlier layer."""
    layers_until: int
    """The number of layers after which it is replaced."""


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
    ranked: Pointer = array(np.float64, "candidates")  # a copy of the keys, to find the worst kept key
    new_words: Pointer = array(np.uint64, "arrivals", "width")
    new_hashes: Pointer = array(np.uint64, "arrivals")
    new_origins: Pointer = array(np.int64, "arrivals")
    new_costs: Pointer = array(np.float64, "arrivals")
    new_over: Pointer = array(np.uint8, "arrivals")
    slots: Pointer = array(np.uint64, "slots")
    entries: Pointer = array(np.uint64, "entries")
    hashes: Pointer = array(np.uint64, "tested")
    marks: Pointer = array(np.uint8, "tested")
    signs: Pointer = array(np.float64, "further")
    values: Pointer = array(np.float64, "values")  # of a candidate, for a priority by name
    control: BeamControl = record(BeamControl)


def beam(s: Beam, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned.

    A goal among the candidates is stored after the room for the nodes of its layer, as `current`. If the search goes on
    after a goal, the kernel has to be called again.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while True:
        while c.next_node < c.last:
            if c.expanded >= budget or 2 * (c.candidates + c.arrived + c.most_successors) > c.slots:
                enter_arrived(s)
                if c.expanded >= budget:
                    return Status.BUDGET
                if 2 * (c.candidates + c.most_successors) > c.slots:
                    return Status.TABLE_FULL
            expand_next(s)
            if c.arrived >= ARRIVALS:
                enter_arrived(s)
        enter_arrived(s)
        if CLOSED and 2 * (c.nodes + min(c.candidates, c.beam_width)) > c.entries:
            return Status.TABLE_FULL
        if c.in_python and c.candidates > 0 and not c.values_known:
            return Status.EVALUATE
        c.values_known = 0
        if not settle(s):
            return Status.NOT_A_NUMBER
        size = c.candidates
        if c.nodes + min(size, c.beam_width) + 1 > c.most_kept:
            return Status.DEEPER
        found = c.goal >= 0
        if found:
            c.current = c.nodes + min(size, c.beam_width)
            keep(s, c.goal, c.current, width)
            if not c.goes_on:
                return Status.GOAL
            c.goal = -1
            cost = s.costs[c.current]
            c.below = cost - min(c.rounding * cost, 0.25)
            drop_beyond(s)
            size = c.candidates
        if size > 0:
            if CLOSED:
                keep_best_new(s)
            else:
                keep_best(s)
            size = c.last - c.first
        if size == 0 or (not CLOSED and comes_again(s)):
            c.layer_f = inf
            if not found:
                return Status.EXHAUSTED
        if found:
            return Status.GOAL


def expand_next(s: Beam) -> None:
    """Expand the next node of the layer; the successors wait to be entered while their slots are fetched."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = U(c.slots - 1)
    tiles_at = address_of(s.tiles, 0)
    node = c.next_node
    c.current = node
    c.successor = -1
    c.expanded += 1
    c.next_node += 1
    parent = I(s.parents[node])
    words_at = address_of(s.words, node * width)
    first = c.arrived
    count = successors(s, words_at, address_of(s.new_words, first * width), address_of(s.edge_costs, 0))
    for k in range(count):
        at = first + k
        c.successor = at
        if node > 0 and not s.terminal[k] and same_words(s.new_words, at * width, s.words, parent * width, width):
            continue
        c.generated += 1
        if s.terminal[k] and not call_is_goal(s.callees, IS_GOAL, (address_of(s.new_words, at * width), tiles_at)):
            continue
        new = c.arrived
        if new != at:
            for word in range(width):
                s.new_words[new * width + word] = s.new_words[at * width + word]
        mixed = hash_of(s.new_words, new * width, width)
        prefetch(s.slots, I(mixed & mask))
        s.new_hashes[new] = mixed
        s.new_origins[new] = node
        s.new_costs[new] = s.costs[node] + s.edge_costs[k]
        s.new_over[new] = s.terminal[k]
        c.arrived += 1


def enter_arrived(s: Beam) -> None:
    """Make the waiting successors candidates; if the state is a candidate already, keep the cheaper path."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    for k in range(c.arrived if c.slots > SMALL_TABLE else 0):
        found = s.slots[I(s.new_hashes[k] & U(mask))]
        if found >> U(32) == U(c.stamp):
            other = I(found & U(0xFFFFFFFF)) - 1
            prefetch(s.candidates, other * width)
            prefetch(s.over, other)
    for k in range(c.arrived):
        slot = I(s.new_hashes[k] & U(mask))
        cost = s.new_costs[k]
        known = False
        while s.slots[slot] >> U(32) == U(c.stamp):
            other = I(s.slots[slot] & U(0xFFFFFFFF)) - 1
            if s.over[other] == s.new_over[k] and same_words(
                s.new_words, k * width, s.candidates, other * width, width
            ):
                known = True
                if cost < s.spent[other]:
                    s.spent[other] = cost
                    s.origins[other] = s.new_origins[k]
                break
            slot = (slot + 1) & mask
        if known:
            continue
        new = c.candidates
        s.slots[slot] = U(c.stamp) << U(32) | U(new + 1)
        for word in range(width):
            s.candidates[new * width + word] = s.new_words[k * width + word]
        s.origins[new] = s.new_origins[k]
        s.spent[new] = cost
        s.over[new] = s.new_over[k]
        s.keys[new] = 0.0
        if CLOSED:
            s.hashes[new] = s.new_hashes[k]
        c.candidates += 1
    c.arrived = 0


def settle(s: Beam) -> bool:
    """Leave out candidates that are dead ends, set `keys` of the others to their priorities, and find a goal.

    Returns:
        False if h of `current` is NaN.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    live = 0
    alive = 0
    dead_ends = 0
    c.most_candidates = max(c.most_candidates, c.candidates)
    c.successor = OF_CANDIDATE
    for k in range(c.candidates):
        c.current = k
        estimate = s.keys[k]
        if c.estimates and not c.in_python:
            at = address_of(s.candidates, k * width), address_of(s.tiles, 0)
            estimate = c.sign * call_estimate(s.callees, ESTIMATE, at)
        if estimate != estimate:
            return False
        if estimate == inf:
            lose(c, s.spent[k], estimate)
            dead_ends += 1
            continue
        if c.estimates:
            c.best_h = min(c.best_h, estimate)
        least = s.spent[k] + estimate if c.counts_h else s.spent[k]
        alive += 1
        if least >= c.below:
            continue
        move_candidate(s, k, live, width)
        s.least[live] = least
        at = address_of(s.candidates, live * width), address_of(s.tiles, 0)
        if not BY_NAME:
            s.keys[live] = call_priority(s.callees, PRIORITY, (s.spent[live], estimate))
        elif not rank_by_name(s, live, estimate):
            return False
        if (c.goal < 0 or c.goes_on) and call_is_goal(s.callees, IS_GOAL, at):
            if c.goal < 0 or s.spent[live] < s.spent[c.goal]:
                c.goal = live
            if c.goes_on:
                s.least[live] = inf  # it is not expanded
        live += 1
    if c.estimates:
        c.evaluated += c.candidates
    c.dead_ends += dead_ends
    c.candidates = live
    c.most_on_open = max(c.most_on_open, alive)
    return True


def rank_by_name(s: Beam, candidate: int, estimate: float) -> bool:
    """Compute the priority of a candidate with this h; return False if a further heuristic returns NaN."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    s.values[G] = s.spent[candidate]
    s.values[H] = estimate
    for k in range(c.further):
        at = address_of(s.candidates, candidate * width), address_of(s.tiles, 0)
        value = s.signs[k] * call_estimate(s.callees, KEYS + 1 + k, at)
        if value != value:
            return False
        c.evaluated += 1
        s.values[OTHERS + k] = value
    s.keys[candidate] = call_key(s.callees, KEYS, (address_of(s.values, 0),))
    return True


def drop_beyond(s: Beam) -> None:
    """Leave out the candidates that cannot lead to a cheaper solution."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    live = 0
    for k in range(c.candidates):
        if s.least[k] >= c.below:
            continue
        move_candidate(s, k, live, width)
        s.least[live] = s.least[k]
        s.keys[live] = s.keys[k]
        live += 1
    c.candidates = live


def move_candidate(s: Beam, candidate: int, to: int, width: int) -> None:
    """Move a candidate to another number, without `least` and `keys`."""
    if candidate == to:
        return
    for word in range(width):
        s.candidates[to * width + word] = s.candidates[candidate * width + word]
    s.origins[to] = s.origins[candidate]
    s.spent[to] = s.spent[candidate]
    s.over[to] = s.over[candidate]
    if CLOSED:
        s.hashes[to] = s.hashes[candidate]


def keep_best(s: Beam) -> None:
    """Make the best candidates the next layer; among equal candidates, keep the earliest."""
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
            c.beyond = min(c.beyond, s.least[k])
    begin_layer(c)


def begin_layer(c: BeamControl) -> None:
    """Make the nodes from `first` on the current layer, and begin to collect candidates for the next."""
    c.lost = min(c.lost, c.beyond)
    c.next_node = c.first
    c.last = c.nodes
    c.candidates = 0
    c.stamp += 1


def keep_best_new(s: Beam) -> None:
    """Make the best candidates that are not in the closed list the next layer; among equals, keep the earliest.

    Only candidates that are good enough for the width are looked up in the closed list.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    size = c.candidates
    for k in range(size):
        s.marks[k] = WAITING
    left = c.beam_width
    waiting = size
    while left > 0 and waiting > 0:
        if waiting <= left:
            test_candidates(s, inf, left, 1)
            break
        waiting = 0
        for k in range(size):
            if s.marks[k] == WAITING:
                s.ranked[waiting] = s.keys[k]
                waiting += 1
        worst = inf if waiting <= left else smallest(s.ranked, waiting, left)
        kept = 0 if worst == inf else test_candidates(s, worst, left, 0)
        kept += test_candidates(s, worst, left - kept, 1)
        left -= kept
        if left > 0:
            before = waiting
            waiting = 0
            for k in range(size):
                waiting += s.marks[k] == WAITING
            if waiting == before:
                break
    c.first = c.nodes
    c.layer_f = inf
    for k in range(size):
        if s.marks[k] == KEPT:
            keep(s, k, c.nodes, width)
            c.nodes += 1
            s.entries[I(s.hashes[k])] |= U(c.nodes)
            c.layer_f = min(c.layer_f, s.least[k])
        elif s.marks[k] == WAITING:
            c.beyond = min(c.beyond, s.least[k])
    begin_layer(c)


def test_candidates(s: Beam, worst: float, most: int, with_worst: int) -> int:
    """Decide about candidates with a key below `worst`, or up to it; keep at most `most`, and return how many.

    A kept candidate gets an entry in the closed list, still without the node number. Its hash is replaced by the number
    of the entry.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = U(c.entries - 1)
    stamp = U(c.entry_stamp)
    kept = 0
    for k in range(c.candidates):
        if k + AHEAD < c.candidates and s.keys[k + AHEAD] <= worst:
            prefetch(s.entries, I(s.hashes[k + AHEAD] & mask))
        if s.marks[k] != WAITING or s.keys[k] > worst or (s.keys[k] == worst and not with_worst):
            continue
        if kept == most:
            break
        mixed = s.hashes[k]
        entry = entry_of(s, mixed, s.candidates, k * width, width)
        found = s.entries[entry]
        if found >> U(56) == stamp and not is_shorter(s.spent[k], s.costs[kept_in(found)]):
            s.marks[k] = DROPPED
            continue
        s.marks[k] = KEPT
        s.entries[entry] = stamp << U(56) | mixed >> U(40) << U(32)
        s.hashes[k] = U(entry)
        kept += 1
    return kept


def keep(s: Beam, candidate: int, node: int, width: int) -> None:
    """Store a candidate as the kept node of this number."""
    for word in range(width):
        s.words[node * width + word] = s.candidates[candidate * width + word]
    s.parents[node] = np.uint32(s.origins[candidate])
    s.costs[node] = s.spent[candidate]


def comes_again(s: Beam) -> bool:
    """Return whether the layer repeats the earlier layer, so that the same layers would follow; if not, count it.

    The next layer depends on the states and their order, on their parents (no move leads straight back there), and on
    the costs if the priority depends on g.
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


def entry_of(s: Beam, mixed: int, words: Pointer, at: int, width: int) -> int:
    """Return the number of the entry of a state in the closed list, or of the free entry where it belongs.

    An entry without a node number belongs to another state of the new layer.
    """
    c = s.control
    mask = c.entries - 1
    tagged = U(c.entry_stamp) << U(24) | mixed >> U(40)
    entry = I(mixed & U(mask))
    while True:
        found = s.entries[entry]
        if found >> U(56) != U(c.entry_stamp):
            return entry
        node = kept_in(found)
        if found >> U(32) == tagged and node >= 0 and same_words(words, at, s.words, node * width, width):
            return entry
        entry = (entry + 1) & mask


def kept_in(entry: int) -> int:
    """Return the kept node in an entry."""
    return I(entry & U(0xFFFFFFFF)) - 1


def enter_kept(s: Beam, first: int, last: int) -> int:
    """Enter the kept nodes from `first` to `last` - 1 into the closed list, replacing older nodes of equal states.

    Returns:
        0.
    """
    width = s.control.width
    mask = U(s.control.entries - 1)
    stamp = U(s.control.entry_stamp) << U(56)
    for node in range(first, last):
        if node + AHEAD < last:
            prefetch(s.entries, I(hash_of(s.words, (node + AHEAD) * width, width) & mask))
        mixed = hash_of(s.words, node * width, width)
        entry = entry_of(s, mixed, s.words, node * width, width)
        s.entries[entry] = stamp | mixed >> U(40) << U(32) | U(node + 1)
    return 0


def enter_candidates(s: Beam, first: int, last: int) -> int:
    """Enter the candidates from `first` to `last` - 1 into the table; return 0."""
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
    """Return the rank-th smallest (from 1) of `size` values, and reorder them on the way (Hoare 1961)."""
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
