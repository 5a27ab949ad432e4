"""The compiled bidirectional search: `search/readable/bidirectional.py` on packed states.

The nodes of both directions, forward and backward, share one numbering and one hash table, so that a single look-up
finds a state in both directions. The flag BACKWARD tells the directions apart. Node 0 is the start, the next nodes are
the goals. The open lists are groups in heaps, see `open_groups`:

    heap          2 × kind + direction
    kinds         by f and by g, if the lower bound uses their minima, then by priority;
                  for pairs: waiting nodes by f, and ready nodes by g

The successors of a node are produced while the node before it is expanded, if the next node can be foreseen. So their
slots are fetched in the meantime.

    out, hashes …   [ successors of a node | of the next node ]      `most_successors` rows each, in turns
    rows            [ 0 | 2 | …                 the rows of `current`, without the row that leads straight back

A new best solution ends a call of the kernel. Python records it, and the next call continues in the middle of the
expansion.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, called, pointer_to, prefetch
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_key, call_successors, call_update
from searchlab.model.costs import ROUNDING, exceeds, is_shorter
from searchlab.search.kernels.best_first import EXPANDING
from searchlab.search.kernels.class_heaps import add_class, first_class
from searchlab.search.kernels.control import (
    FIRST_SIBLING,
    FIXED_WIDTH,
    ORDER,
    Status,
    enter_layer,
    lose,
    reverse_successors,
    stamp_of,
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
    put,
    same_words,
    slot_of,
    tag_of,
)
from searchlab.search.kernels.open_groups import (
    AFTER,
    BACK,
    BESIDES,
    CLOSED_BIT,
    DEPTH,
    FLAGS_AT,
    OPEN_BIT,
    STAMP,
    VALUES,
    G,
    GroupedArrays,
    GroupedControl,
    H,
    flags_in,
    group_in,
    group_with,
    join_group,
    leave_group,
    link_of,
    neighbors_of,
    parent_in,
)
from searchlab.search.kernels.open_list import Entry, Heap, heap_drop_first, heap_push

BACKWARD = 8
"""The flag of backward nodes."""
MET = 16
"""The flag of nodes whose state both directions have met."""
MET_BIT = U(MET) << FLAGS_AT
SUCCESSORS, ESTIMATES, UPDATES, PRIORITIES, IS_GOAL, BOUND = 0, 2, 4, 6, 8, 9
"""Rows of `callees`. Two rows, forward and backward, each for moves, estimates, updates of estimates, and priorities;
then the goal test and the lower bound."""
BY_TURNS, BY_SIZE, BY_PRIORITY, PAIR, COVER = range(5)
"""The rules that choose the next node."""
LEAST_PRIORITY, LEAST_F, LEAST_G, EPSILON = 0, 2, 4, 6
"""Indices in `least`: the first of two values each for the smallest priority, f and g; and epsilon."""


class BidirectionalControl(GroupedControl):
    """The options, state and counts of a bidirectional search."""

    rule: int
    heap_of_f: int
    """The first heap by f, -1 for none; `heap_of_g` likewise."""
    heap_of_g: int
    nips: int
    """Whether a state that one direction has expanded is not open in the other."""
    asks_back: int
    """Whether a priority uses h_back; `asks_depth` likewise for the depth."""
    asks_depth: int
    updates_to_goal: int
    """Whether moves update the estimate to the goals; `updates_to_start` likewise."""
    updates_to_start: int
    is_whole: int
    """Whether costs are whole numbers, so that a lower bound is rounded up."""
    direction: int
    """The direction of the last expansion: 0 forward, 1 backward."""
    successors: int
    """The number of items in `rows`: the successors of `current` that do not lead straight back."""
    produced: int
    """The number of all successors of `current`."""
    out_first: int
    """The first row of the successors of `current`: 0 or `most_successors`, in turns."""
    prepared: int
    """The node whose successors were produced ahead of its expansion, -1 for none; `prepared_first` is their first row,
    and `prepared_successors` their number."""
    prepared_first: int
    prepared_successors: int
    preparing: int
    """The node whose successors are being produced, -1 for none."""
    looks_ahead: int
    """Whether the successors of the next node are produced before it is expanded."""
    described: int
    """How many numbers describe a move."""
    starts: int
    """The number of nodes at which the directions begin, which are entered first."""
    resets: int
    """Whether costs and ends have to be reset before each expansion, because only one direction writes them."""
    expanded_backward: int
    open_forward: int
    open_backward: int
    push_forward: int
    """How often nodes were put on the forward open list; `push_backward` likewise."""
    push_backward: int
    met: int
    """The node of the other direction with the same state as the successor, -1 for none."""
    meeting: int
    """The forward node where the two halves of the best solution meet; `meeting_backward` is the backward node."""
    meeting_backward: int
    improved: int
    """Whether there is a solution that Python has not recorded yet."""
    reached: int
    """The node by which this solution was found; it is opened in the next call."""
    second: int
    """The backward node of a pair whose forward node was expanded, -1 for none."""
    listed: int
    """The number of nodes in the cluster that is being expanded; `listed_at` is the position of the next."""
    listed_at: int
    most_listed: int
    epsilon: float
    bound: float
    incumbent: float
    drops_from: float
    """Nodes with this g + h or more are dropped."""
    lower_bound: float


class BidirectionalArrays(GroupedArrays):
    """The arrays of a search."""

    slots: Pointer = array(np.uint32, "slots")
    rows: Pointer = array(np.int64, "successors")  # of the successors that are being processed
    hashes: Pointer = array(np.uint64, "successors")
    values: Pointer = array(np.float64, 5)  # of a node, for a priority: g, h, depth, h_back, epsilon
    least: Pointer = array(np.float64, 7)  # for the lower bound: priorities, f and g of both directions, epsilon
    starts: Pointer = array(np.float64, "starts", 3)  # of the first nodes: h, h_back, the direction
    cluster: Pointer = array(np.int32, "listed")
    cluster_keys: Pointer = array(np.float64, "clusters")  # of the clusters of both directions: g,
    cluster_ties: Pointer = array(np.float64, "clusters")
    cluster_stamps: Pointer = array(np.int64, "clusters")
    cluster_items: Pointer = array(np.int32, "clusters")  # and their nodes
    by_f: Pointer = array(np.int64, "counts by f")
    control: BidirectionalControl = record(BidirectionalControl)


def bidirectional(s: BidirectionalArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    if c.nodes < c.starts:
        enter_starts(s)
    if c.improved:
        c.improved = 0
        drop_all(s)
        open_node(s, c.reached)
    while True:
        if c.successor + 1 >= c.successors:
            status = next_node(s, budget)
            if status != EXPANDING:
                return status
            expand(s, budget)
        node = c.current
        g = value_of(s, node, G)
        for k in range(c.successor + 1, c.successors):
            c.successor = k
            row = s.rows[k]
            over = c.direction == 0 and s.terminal[row] != 0
            c.generated += 1
            at = address_of(s.out, row * width), address_of(s.tiles, 0)
            if over and not call_is_goal(s.callees, IS_GOAL, at):
                continue
            old = find_both(s, row, TERMINAL if over else 0)
            if not reach(s, row, old, node, g + s.edge_costs[row], over):
                return Status.NOT_A_NUMBER
            if c.improved:
                return Status.GOAL


@called
def enter_starts(s: BidirectionalArrays) -> None:
    """Enter the start and the goals."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    mask = c.slots - 1
    c.met = -1
    for node in range(c.starts):
        backward = s.starts[3 * node + 2] != 0
        group = group_and_list(s, 0.0, s.starts[3 * node], s.starts[3 * node + 1], 1.0 if backward else 0.0)
        mixed = hash_of(s.records, node * stride, width)
        put(s.slots, mask, mixed, node)
        s.records[node * stride + width] = link_of(node, group, BACKWARD if backward else 0)
        c.direction = 1 if backward else 0
        open_node(s, node)
    c.nodes = c.starts
    c.direction = 1


def next_node(s: BidirectionalArrays, budget: int) -> int:
    """Set `current` to the next node to expand, and return EXPANDING; return a status if there is none now."""
    c = s.control
    node = chosen(s)
    if node < 0:
        return Status.EXHAUSTED
    if c.expanded >= budget:
        return Status.BUDGET
    more = c.most_successors + 1
    # The bits of a slot can number as many nodes as there are slots.
    if 8 * (c.nodes + more) > 5 * c.slots:
        return Status.TABLE_FULL
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    if c.rule == PAIR:
        if c.second >= 0:
            c.second = -1
        else:
            c.second = I(s.first_nodes[first_class(s, c.order_heap + 1)])
    elif c.rule == COVER:
        c.listed_at += 1
    c.current = node
    c.direction = (flags_in(s.records[node * (width + BESIDES) + width]) & BACKWARD) != 0
    return EXPANDING


def chosen(s: BidirectionalArrays) -> int:
    """Return the next node to be expanded, -1 if the search is over."""
    c = s.control
    if c.rule >= PAIR:
        return chosen_of_pairs(s)
    ahead, behind = first_class(s, c.order_heap), first_class(s, c.order_heap + 1)
    if ahead < 0 or behind < 0:
        c.lower_bound = inf
        return -1
    here = s.class_keys[c.order_heap * c.most_groups]
    there = s.class_keys[(c.order_heap + 1) * c.most_groups]
    if c.groups_changed:
        c.groups_changed = 0
        note_least(s, here, there)
    if is_good_enough(c):
        return -1
    backward = 1 - c.direction
    if c.rule == BY_SIZE:
        backward = c.open_backward < c.open_forward
    elif c.rule == BY_PRIORITY and here != there:
        backward = there < here
    return I(s.first_nodes[behind if backward else ahead])


def note_least(s: BidirectionalArrays, here: float, there: float) -> None:
    """Update the lower bound, given the smallest priority of each direction."""
    c = s.control
    changed = here != s.least[LEAST_PRIORITY] or there != s.least[LEAST_PRIORITY + 1]
    s.least[LEAST_PRIORITY] = here
    s.least[LEAST_PRIORITY + 1] = there
    if c.heap_of_f >= 0:
        changed |= note_keys(s, c.heap_of_f, LEAST_F)
    if c.heap_of_g >= 0:
        changed |= note_keys(s, c.heap_of_g, LEAST_G)
    if changed:
        c.lower_bound = call_key(s.callees, BOUND, (address_of(s.least, 0),))


def note_keys(s: BidirectionalArrays, heap: int, at: int) -> bool:
    """Write the smallest keys of the heaps of both directions to `least`; return whether a key has changed."""
    changed = False
    for direction in range(2):
        first_class(s, heap + direction)
        key = s.class_keys[(heap + direction) * s.control.most_groups]
        changed |= key != s.least[at + direction]
        s.least[at + direction] = key
    return changed


def is_good_enough(c: BidirectionalControl) -> bool:
    """Return whether there is a solution that costs at most `bound` times the lower bound."""
    if c.incumbent == inf or c.bound == inf:
        return c.incumbent < c.bound
    return not exceeds(c.incumbent, c.bound * rounded_up(c, c.lower_bound))


def rounded_up(c: BidirectionalControl, bound: float) -> float:
    """Return the smallest possible solution cost given a lower bound, see `Problem.rounded_up`."""
    if not (c.is_whole and 0 < bound < inf):
        return bound
    return np.ceil(bound - min(ROUNDING * bound, 0.25))


@called
def chosen_of_pairs(s: BidirectionalArrays) -> int:
    """Return the next node of a pair, or of a cluster of a cover; -1 if the search is over."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    if c.second >= 0 and s.records[c.second * stride + width] & OPEN_BIT and not is_good_enough(c):
        return c.second
    c.second = -1
    while c.listed_at < c.listed:
        node = I(s.cluster[c.listed_at])
        if s.records[node * stride + width] & OPEN_BIT and not is_good_enough(c):
            return node
        c.listed_at += 1
    if not has_pair(s) or is_good_enough(c):
        return -1
    if c.rule == PAIR:
        return I(s.first_nodes[first_class(s, c.order_heap)])
    list_cluster(s, 0 if begins_forward(s) else 1)
    return I(s.cluster[0])


def has_pair(s: BidirectionalArrays) -> bool:
    """Raise the lower bound to the bound of the best pair of open nodes; return whether there is a pair."""
    c = s.control
    while c.open_forward and c.open_backward:
        next_bound = inf
        for direction in range(2):
            next_bound = min(next_bound, make_ready(s, direction))
        ahead, behind = first_class(s, c.order_heap), first_class(s, c.order_heap + 1)
        if ahead >= 0 and behind >= 0:
            through = s.group_values[ahead * VALUES + G] + s.group_values[behind * VALUES + G] + c.epsilon
            if through <= c.lower_bound:
                return True
            next_bound = min(next_bound, through)
        c.lower_bound = next_bound
    c.lower_bound = inf
    return False


def make_ready(s: BidirectionalArrays, direction: int) -> float:
    """Make the nodes of a direction with an f within the lower bound ready; return the smallest f of the others."""
    c = s.control
    while True:
        group = first_class(s, direction)
        if group < 0:
            return inf
        f = s.class_keys[direction * c.most_groups]
        if f > c.lower_bound:
            return f
        leave_heap(s, direction, group)
        g, h = s.group_values[group * VALUES + G], s.group_values[group * VALUES + H]
        add_class(s, c.order_heap + direction, g, h, group)


def leave_heap(s: BidirectionalArrays, heap: int, group: int) -> None:
    """Remove the first group of a heap."""
    size = s.group_sizes[group]
    s.group_sizes[group] = 0
    first_class(s, heap)
    s.group_sizes[group] = size


@called
def begins_forward(s: BidirectionalArrays) -> bool:
    """Return whether to expand the first cluster of the forward direction, see the readable search."""
    c = s.control
    forward, backward = clusters(s, 0, 0), 0
    backward = clusters(s, 1, forward)
    fewest = inf
    has_forward = False
    has_backward = False
    before = 0
    needed_to = backward
    needed = 0
    for j in range(backward):
        needed += s.cluster_items[forward + j]
    for i in range(forward + 1):
        # A cover with the first i forward clusters needs the backward clusters that are in a pair with the next one.
        while needed_to and (
            i == forward or s.cluster_keys[i] + s.cluster_keys[forward + needed_to - 1] + c.epsilon > c.lower_bound
        ):
            needed_to -= 1
            needed -= s.cluster_items[forward + needed_to]
        nodes = before + needed
        if nodes < fewest:
            fewest = nodes
            has_forward = False
            has_backward = False
        if nodes == fewest:
            has_forward |= i > 0
            has_backward |= needed > 0
        if i < forward:
            before += s.cluster_items[i]
    if has_forward and has_backward:
        return s.cluster_items[0] < s.cluster_items[forward]
    return has_forward


@called
def clusters(s: BidirectionalArrays, direction: int, first: int) -> int:
    """Write g and the number of nodes of the clusters of a direction that are in a pair, by g; return their number."""
    c = s.control
    heap = c.order_heap + direction
    other = s.group_values[first_class(s, c.order_heap + 1 - direction) * VALUES + G]
    count = 0
    begin = heap * c.most_groups
    entries = Heap(
        pointer_to(address_of(s.cluster_keys, first), np.float64),
        pointer_to(address_of(s.cluster_ties, first), np.float64),
        pointer_to(address_of(s.cluster_stamps, first), np.int64),
        pointer_to(address_of(s.cluster_items, first), np.int32),
    )
    for at in range(s.class_counts[heap]):
        group = I(s.classes[begin + at])
        size = s.group_sizes[group]
        g = s.group_values[group * VALUES + G]
        if size and g + other + c.epsilon <= c.lower_bound:
            heap_push(entries, count, Entry(g, 0.0, 0, size))
            count += 1
    # Sort in place, the largest g first, then reverse.
    for left in range(count - 1, 0, -1):
        g = s.cluster_keys[first]
        size = s.cluster_items[first]
        heap_drop_first(entries, left + 1)
        s.cluster_keys[first + left] = g
        s.cluster_items[first + left] = size
    for k in range(count // 2):
        low, high = first + k, first + count - 1 - k
        g = s.cluster_keys[low]
        size = s.cluster_items[low]
        s.cluster_keys[low] = s.cluster_keys[high]
        s.cluster_items[low] = s.cluster_items[high]
        s.cluster_keys[high] = g
        s.cluster_items[high] = size
    kept = 0
    for k in range(count):
        if kept and s.cluster_keys[first + kept - 1] == s.cluster_keys[first + k]:
            s.cluster_items[first + kept - 1] += s.cluster_items[first + k]
        else:
            s.cluster_keys[first + kept] = s.cluster_keys[first + k]
            s.cluster_items[first + kept] = s.cluster_items[first + k]
            kept += 1
    return kept


@called
def list_cluster(s: BidirectionalArrays, direction: int) -> None:
    """List the ready nodes of a direction with the smallest g, in the order in which they are expanded."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    heap = c.order_heap + direction
    begin = heap * c.most_groups
    g = s.group_values[first_class(s, heap) * VALUES + G]
    count = 0
    for at in range(s.class_counts[heap]):
        group = I(s.classes[begin + at])
        if s.group_sizes[group] and s.class_keys[begin + at] == g:
            s.cluster_items[count] = s.first_nodes[group]
            count += 1
    listed = 0
    while count:
        best = 0
        for k in range(1, count):
            if comes_first(s, I(s.cluster_items[k]), I(s.cluster_items[best])):
                best = k
        node = I(s.cluster_items[best])
        s.cluster[listed] = node
        listed += 1
        if node == s.last_nodes[group_in(s.records[node * stride + width])]:
            count -= 1
            s.cluster_items[best] = s.cluster_items[count]
        else:
            s.cluster_items[best] = neighbors_of(s, node, width)[AFTER]
    c.listed = listed
    c.listed_at = 0
    c.most_listed = max(c.most_listed, listed)


def comes_first(s: BidirectionalArrays, node: int, other: int) -> bool:
    """Return whether a node comes before another node with the same g."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    tie, of_other = tie_of(c, value_of(s, node, H)), tie_of(c, value_of(s, other, H))
    if tie != of_other:
        return tie < of_other
    stride = width + BESIDES
    return I(s.records[node * stride + width + STAMP]) > I(s.records[other * stride + width + STAMP])


def expand(s: BidirectionalArrays, budget: int) -> None:
    """Close `current`, and list its successors or predecessors; produce those of the likely next node."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    node = c.current
    take_out(s, node, c.direction)
    s.records[node * stride + width] |= CLOSED_BIT
    enter_layer(c, s.by_f, c.lower_bound)
    c.expanded += 1
    c.expanded_backward += c.direction
    if c.prepared != node:
        prepare(s, node)
    c.prepared = -1
    c.out_first = c.prepared_first
    c.produced = c.prepared_successors
    leave_out_parent(s, node)
    if c.nips and s.records[node * stride + width] & MET_BIT:
        nip(s, node)
    if c.looks_ahead and c.expanded < budget:
        likely = likely_next(s)
        if likely >= 0:
            prepare(s, likely)


def leave_out_parent(s: BidirectionalArrays, node: int) -> None:
    """List the rows of the successors of a node, without the row that leads straight back."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    parent = parent_in(s.records[node * stride + width])
    kept = 0
    for row in range(c.out_first, c.out_first + c.produced):
        s.rows[kept] = row
        over = c.direction == 0 and s.terminal[row] != 0
        is_back = parent != node and same_words(s.out, row * width, s.records, parent * stride, width)
        kept += I(over or not is_back)
    c.successor = -1
    c.successors = kept


def likely_next(s: BidirectionalArrays) -> int:
    """Return the node that will most likely be expanded after `current`, -1 if there is no guess."""
    c = s.control
    if c.rule == PAIR and c.second >= 0:
        return c.second
    if c.rule == COVER:
        return I(s.cluster[c.listed_at]) if c.listed_at < c.listed else I(-1)
    backward = 1 - c.direction
    if c.rule == BY_SIZE:
        backward = c.open_backward < c.open_forward
    heap = c.order_heap + backward
    group = first_class(s, heap)
    return I(s.first_nodes[group]) if group >= 0 else I(-1)


def prepare(s: BidirectionalArrays, node: int) -> None:
    """Produce the successors or predecessors of a node, and fetch their slots and the records for its expansion."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    mask = c.slots - 1
    first = c.most_successors - c.out_first
    link = s.records[node * stride + width]
    prefetch(s.records, parent_in(link) * stride)
    prefetch(s.records, I(neighbors_of(s, node, width)[AFTER]) * stride)
    if c.resets:
        for row in range(first, first + c.most_successors):
            s.terminal[row] = 0
            s.edge_costs[row] = 1.0
    c.preparing = node
    count = call_successors(
        s.callees,
        SUCCESSORS + ((flags_in(link) & BACKWARD) != 0),
        (
            address_of(s.records, node * stride),
            address_of(s.out, first * width),
            address_of(s.tiles, 0),
            address_of(s.out_tiles, 0),
            address_of(s.terminal, first),
            address_of(s.edge_costs, first),
            address_of(s.moves, first * c.described),
        ),
    )
    c.preparing = -1
    if FIRST_SIBLING:
        reverse_successors(s, first, count, width)
    for row in range(first, first + count):
        s.hashes[row] = hash_of(s.out, row * width, width)
        prefetch(s.slots, slot_of(s.hashes[row], mask))
    c.prepared = node
    c.prepared_first = first
    c.prepared_successors = count


@called
def nip(s: BidirectionalArrays, node: int) -> None:
    """Remove the node of the other direction with the same state from its open list."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    mask = c.slots - 1
    mixed = hash_of(s.records, node * stride, width)
    slot = slot_of(mixed, mask)
    tag = tag_of(mixed, mask)
    while s.slots[slot] != 0:
        entry = I(s.slots[slot])
        if entry & ~mask == tag:
            other = node_in(entry, mask)
            if other != node and same_words(s.records, node * stride, s.records, other * stride, width):
                flags = flags_in(s.records[other * stride + width])
                if not flags & TERMINAL:
                    if flags & OPEN:
                        take_out(s, other, 1 - c.direction)
                    return
        slot = (slot + 1) & mask


def find_both(s: BidirectionalArrays, row: int, terminal: int) -> int:
    """Return the node of the successor in a row, or its slot as -1 - slot; set `met`.

    `met` is the node of the other direction with the same state, -1 for none.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    mask = c.slots - 1
    own = terminal | (BACKWARD if c.direction else 0)
    other = 0 if c.direction else BACKWARD
    slot = slot_of(s.hashes[row], mask)
    tag = tag_of(s.hashes[row], mask)
    found = I(-1)
    c.met = -1
    while s.slots[slot] != 0:
        entry = I(s.slots[slot])
        if entry & ~mask == tag:
            node = node_in(entry, mask)
            if same_words(s.out, row * width, s.records, node * stride, width):
                flags = flags_in(s.records[node * stride + width]) & (BACKWARD | TERMINAL)
                if flags == own:
                    found = node
                elif flags == other:
                    c.met = node
                if found >= 0 and c.met >= 0:
                    break
        slot = (slot + 1) & mask
    return found if found >= 0 else -1 - slot


def reach(s: BidirectionalArrays, row: int, old: int, node: int, g: float, over: bool) -> bool:
    """Store or improve the node of the successor in a row; return False if h is NaN.

    Args:
        old: the node of the successor, or its slot as -1 - slot.
        node: the parent.
        g: the cost of the path.
        over: whether the successor ends the game.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    stride = width + BESIDES
    flags = I(0)
    h = 0.0
    back = 0.0
    if old >= 0:
        at = old * stride + width
        values = group_in(s.records[at]) * VALUES
        if not is_shorter(g, s.group_values[values + G]):
            return True
        h, back = s.group_values[values + H], s.group_values[values + BACK]
        flags = flags_in(s.records[at])
        if flags & CLOSED:
            if not c.reopens:
                lose(c, g, h)
                return True
            c.reopened += 1
        if flags & OPEN:
            take_out(s, old, c.direction)
        flags &= BACKWARD | TERMINAL | MET
        new = old
    else:
        if c.estimates:
            h = evaluate(s, row, c.direction, node, H)
            if h != h:
                return False
            c.evaluated += 1
            if h == inf:
                c.dead_ends += 1
                lose(c, g, h)
                return True
            if c.asks_back:
                back = evaluate(s, row, 1 - c.direction, node, BACK)
                if back != back:
                    return False
                c.evaluated += 1
            c.best_h = min(c.best_h, h)
        new = c.nodes
        c.nodes += 1
        for word in range(width):
            s.records[new * stride + word] = s.out[row * width + word]
        s.slots[-1 - old] = entry_of(s.hashes[row], c.slots - 1, new)
        flags = (BACKWARD if c.direction else 0) | (TERMINAL if over else 0)
        if c.met >= 0:
            flags |= MET
            s.records[c.met * stride + width] |= MET_BIT
    depth = float(c.direction)
    if c.asks_depth:
        depth = value_of(s, node, DEPTH) + 2.0
    s.records[new * stride + width] = link_of(node, group_and_list(s, g, h, back, depth), flags)
    if c.met < 0 or not exceeds(c.incumbent, g + value_of(s, c.met, G)):
        open_node(s, new)
        return True
    c.meeting = c.met if c.direction else new
    c.meeting_backward = new if c.direction else c.met
    c.reached = new
    c.improved = 1
    return True


def evaluate(s: BidirectionalArrays, row: int, end: int, node: int, which: int) -> float:
    """Return the estimate of the successor in a row to an end: 0 the goals, 1 the start.

    Args:
        node: the parent.
        which: the index of this estimate in the values of a group.
    """
    c = s.control
    if c.updates_to_start if end else c.updates_to_goal:
        k = row - c.out_first
        move = c.produced - 1 - k if FIRST_SIBLING else k
        moves = address_of(s.moves, c.out_first * c.described)
        return call_update(s.callees, UPDATES + end, (moves, move, value_of(s, node, which)))
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    return call_estimate(s.callees, ESTIMATES + end, (address_of(s.out, row * width), address_of(s.tiles, 0)))


def value_of(s: BidirectionalArrays, node: int, which: int) -> float:
    """Return a value of a node, given its index in the values of a group."""
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    value: float = s.group_values[group_in(s.records[node * (width + BESIDES) + width]) * VALUES + which]
    return value


@called
def drop_all(s: BidirectionalArrays) -> None:
    """Drop the open nodes that cannot be part of a better solution."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    for node in range(c.nodes):
        link = s.records[node * (width + BESIDES) + width]
        if link & OPEN_BIT:
            group = group_in(link)
            g, h = s.group_values[group * VALUES + G], s.group_values[group * VALUES + H]
            if g + h >= c.drops_from:
                lose(c, g, h)
                take_out(s, node, I((flags_in(link) & BACKWARD) != 0))


def open_node(s: BidirectionalArrays, node: int) -> None:
    """Put a node on the open list of its direction, unless it cannot lead to a better solution."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    link = s.records[node * (width + BESIDES) + width]
    group = group_in(link)
    g, h = s.group_values[group * VALUES + G], s.group_values[group * VALUES + H]
    if g + h >= c.drops_from:
        lose(c, g, h)
        return
    if flags_in(link) & TERMINAL or is_nipped(s):
        return
    count = c.push_backward if c.direction else c.push_forward
    count += 1
    if c.direction:
        c.push_backward = count
        c.open_backward += 1
    else:
        c.push_forward = count
        c.open_forward += 1
    c.on_open = c.open_forward + c.open_backward
    c.most_on_open = max(c.most_on_open, c.on_open)
    is_new = s.group_sizes[s.group_lists[group]] == 0 or (s.group_sizes[group] == 0 and c.class_heaps > 2)
    join_group(s, node, width, group, stamp_of(count, c.random) if ORDER else count)
    if is_new:
        c.groups_changed = 1
        enter_heaps(s, group, g, h, c.direction)


def is_nipped(s: BidirectionalArrays) -> bool:
    """Return whether the other direction has expanded the state of the successor."""
    c = s.control
    if not c.nips or c.met < 0:
        return False
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    return flags_in(s.records[c.met * (width + BESIDES) + width]) & CLOSED != 0


def group_and_list(s: BidirectionalArrays, g: float, h: float, back: float, depth: float) -> int:
    """Return the group of nodes with these values; give it a list if it is new."""
    known = s.control.groups
    group = group_with(s, g, h, back, depth)
    if group >= known:
        s.group_lists[group] = list_of(s, group)
    return group


@called
def list_of(s: BidirectionalArrays, group: int) -> int:
    """Return the list for a new group: the group itself, or the list of its priority and tie-breaker."""
    c = s.control
    if not c.shares_lists:
        return group
    h = s.group_values[group * VALUES + H]
    depth = I(s.group_values[group * VALUES + DEPTH])
    direction = depth & 1
    s.values[0] = s.group_values[group * VALUES + G]
    s.values[1] = h
    s.values[2] = float(depth >> 1)
    s.values[3] = s.group_values[group * VALUES + BACK]
    s.values[4] = c.epsilon
    key = call_key(s.callees, PRIORITIES + direction, (address_of(s.values, 0),))
    return group_with(s, key, tie_of(c, h), 0.0, float(direction - 2))


@called
def enter_heaps(s: BidirectionalArrays, group: int, g: float, h: float, direction: int) -> None:
    """Put a group and its list into their heaps, unless they are there already."""
    c = s.control
    if c.rule >= PAIR:
        is_ready = g + h <= c.lower_bound
        heap = direction + (c.order_heap if is_ready else 0)
        if not s.class_places[heap * c.most_groups + group]:
            add_class(s, heap, g if is_ready else g + h, h, group)
        return
    list_group = I(s.group_lists[group])
    for heap in range(direction, c.class_heaps, 2):
        is_order = heap >= c.order_heap
        entered = list_group if is_order else group
        if s.class_places[heap * c.most_groups + entered]:
            continue
        key = g
        if is_order:
            key = s.group_values[list_group * VALUES + G]
        elif heap - direction == c.heap_of_f:
            key = g + h
        add_class(s, heap, key, h, entered)


def take_out(s: BidirectionalArrays, node: int, direction: int) -> None:
    """Remove a node from the open list of this direction."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    leave_group(s, node, width)
    if direction:
        c.open_backward -= 1
    else:
        c.open_forward -= 1
    c.on_open -= 1


FIRST_LEAST = {
    "priority": (LEAST_PRIORITY, LEAST_PRIORITY + 1),
    "f": (LEAST_F, LEAST_F + 1),
    "g": (LEAST_G, LEAST_G + 1),
    "epsilon": EPSILON,
}
"""The indices in `least` of the values that the lower bound may take by name."""
