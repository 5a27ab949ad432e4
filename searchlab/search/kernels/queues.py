"""The compiled best-first driver with several queues: `search/readable/queues.py` on packed states.

Nodes are numbered, as in `best_first`, and have values, as in `node_values`; each open node has an entry in every
queue:

    node            0        1        2     …
    words        [ ···· | ···· | ···· | …     `width` uint64 per node: the packed state
    parents      [  -1  |   0  |   0  | …     the parent
    depths       [   0  |   1  |   1  | …     the number of moves on the path
    costs        [   0  |   1  |   1  | …     g
    estimates    [  43  |  42  |  44  | …     h, lower is better
    others       [ ···· | ···· | ···· | …     the values by further heuristics, `further` per node
    stamps       [   1  |   2  |   3  | …     when the node was last put into the queues
    flags        [   C  |   O  |   O  | …     OPEN, CLOSED, TERMINAL, POSTPONED

    heap            0         1 … queues              queues + 1 … 2 × queues
    keys …       [ by f    | by each priority …      | by f: beyond the limit of a focal queue …  ]     `capacity` each

A queue that draws nodes by their types has groups instead of a heap, see `node_types`. If priorities change during the
search, heaps may contain classes of nodes, see `node_classes`. If the limit of a focal queue follows another queue, the
nodes beyond the limit are ordered by the priority of that queue instead of f.

An entry is stale if its node has a newer entry or is not open. A heap whose first entry was taken has a hole there,
until another entry takes its place.
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, called, pointer_to
from searchlab.compiler.signatures import call_is_goal, call_key
from searchlab.model.costs import exceeds, is_shorter
from searchlab.model.randomness import next_raw
from searchlab.search.kernels.best_first import (
    EXPANDING,
    evaluate_successor,
    expand,
    find,
    is_met,
)
from searchlab.search.kernels.class_heaps import ClassEntry, add_class, class_at, first_class, put_class, sink
from searchlab.search.kernels.control import (
    FIXED_WIDTH,
    IS_GOAL,
    NEWEST,
    ORDER,
    Status,
    lose,
    stamp_of,
    tie_of,
)
from searchlab.search.kernels.groups import group_of
from searchlab.search.kernels.hash_table import CLOSED, OPEN, TERMINAL, I, U, entry_of, hash_of
from searchlab.search.kernels.node_classes import (
    AFTER,
    CLASS,
    LINKS,
    ClassArrays,
    ClassControl,
    end_waiting,
    join_class,
    leave_class,
    restamp_class,
)
from searchlab.search.kernels.node_types import add_to_type, drawn_entry, drawn_group
from searchlab.search.kernels.node_values import evaluate_others, key_of, store_successor, write_values
from searchlab.search.kernels.open_list import (
    Entry,
    Heap,
    entry_at,
    heap_drop_first,
    heap_push,
    heap_replace_first,
    is_live,
)

POSTPONED, SEEN = 16, 32
"""POSTPONED: a closed node with a cheaper path, or a goal, that waits for the next round. SEEN: a node of an earlier
round that this round, which begins at the start, has not met yet."""
HAS_TYPES = False
"""Whether a queue draws nodes by their types; a constant of a kernel."""
HAS_CLASSES = False
"""Whether heaps may contain classes of nodes; a constant of a kernel."""
FEW_CLASSES = 1 << 12
MOST_IN_NEW_CLASSES = 1 << 16
"""Classes may be given up while there are up to MOST_IN_NEW_CLASSES nodes, but more than FEW_CLASSES classes."""
RESOLUTION = 2.0**-53
SHIFT = U(11)
float64, int64, int32 = np.float64, np.int64, np.int32


class QueueControl(ClassControl):
    """The options, state and counts of a search with several queues."""

    capacity: int
    """The number of entries for which each heap has room."""
    by_f: int
    """Whether heap 0, by f, is used."""
    restarts: int
    """Whether a closed node with a cheaper path waits for the next round."""
    repeats: int
    """Whether each round begins at the start."""
    is_random: int
    """Whether queues are chosen at random instead of in turns."""
    is_first: int
    """Whether the first queue whose first node fulfils the condition of the queue gives the next node."""
    turn: int
    """The queue that gave the last node."""
    left: int
    """The number of nodes that this queue still gives in its turn."""
    taken: int
    """Whether `current` was taken and is not yet expanded."""
    goal: int
    """The goal that stays open although it is not below the incumbent, -1 for none."""
    good_enough: int
    """Whether the search is over because the incumbent is within the bound."""
    total_share: float
    drops_from: float
    """Nodes with this g + h or more are dropped."""
    bound: float
    lost_f: float
    """The same as `lost`, but h counts even if it is not declared admissible."""


class QueueArrays(ClassArrays):
    """The arrays of a search."""

    sizes: Pointer = array(np.int64, "heaps")
    holes: Pointer = array(np.int64, "heaps")  # whether the first entry may be replaced
    places: Pointer = array(np.int64, "queues")  # the heap of each queue
    shares: Pointer = array(np.float64, "queues")
    class_heaps: Pointer = array(np.int64, "queues")  # the heap of classes of each queue
    queue_of_heap: Pointer = array(np.int64, "heaps")  # the queue of each heap of classes, -1 for f
    focal: Pointer = array(np.float64, "queues")  # the factor of a focal queue, 0 for other queues
    followed: Pointer = array(np.int64, "queues")  # the queue that the limit of a focal queue follows, -1 for f
    limits: Pointer = array(np.float64, "queues")  # the limit of a focal queue on f, or the priority of that queue
    conditions: Pointer = array(np.int64, "queues")  # the row of `callees` with the condition, 0 for none
    changes: Pointer = array(np.int64, "queues")  # the values that priorities depend on: 1 f_min, 2 the incumbent
    control: QueueControl = record(QueueControl)


def queues(s: QueueArrays, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    if not c.push_count:
        push(s, 0)
    while True:
        status = next_node(s, budget)
        if status != EXPANDING:
            return status
        expand(s)
        node = c.current
        parent = s.parents[node]
        for k in range(c.successors):
            c.successor = k
            if not is_met(s, k, parent):
                continue
            cost = s.costs[node] + s.edge_costs[k]
            mixed = hash_of(s.out, k * width, width)
            old = find(s, s.out, k * width, TERMINAL if s.terminal[k] else 0, mixed)
            if old >= 0:
                reach_again(s, old, node, cost)
                continue
            estimate = evaluate_successor(s, k, cost) if c.estimates else 0.0
            if estimate != estimate:
                return Status.NOT_A_NUMBER
            if estimate == inf:
                continue
            if not evaluate_others(s, c.nodes, address_of(s.out, k * width)):
                return Status.NOT_A_NUMBER
            push(s, store_successor(s, k, entry_of(mixed, c.slots - 1, c.nodes), -1 - old, estimate))


def reach_again(s: QueueArrays, old: int, node: int, cost: float) -> None:
    """Give a known node the path through another node if it is cheaper, and put it into the queues again."""
    c = s.control
    if not cost < s.costs[old]:
        if s.flags[old] & SEEN:
            push(s, old)
        return
    closed = s.flags[old] & CLOSED
    # A path that is shorter only by rounding is no better, and it would change the priority of an open node.
    if not (is_shorter(cost, s.costs[old]) or s.flags[old] & SEEN):
        return
    if closed and not (c.reopens or c.restarts):
        lose_path(c, cost, s.estimates[old])
        return
    c.reopened += closed != 0 and not s.flags[old] & POSTPONED
    s.parents[old] = node
    s.costs[old] = cost
    s.depths[old] = s.depths[node] + 1
    if closed and c.restarts:
        postpone(s, old)
    else:
        push(s, old)


def postpone(s: QueueArrays, node: int) -> None:
    """Make a node wait for the next round."""
    c = s.control
    if HAS_CLASSES and c.in_classes and s.flags[node] & POSTPONED:
        leave_class(s, node)
    s.stamps[node] = next_stamp(c)
    s.flags[node] |= POSTPONED
    if HAS_CLASSES and c.in_classes:
        write_values(s, node)
        join_class(s, c.most_groups + group_of(s, 0), node)


def next_stamp(c: QueueControl) -> int:
    """Return the stamp for the next node that is put into the queues."""
    c.push_count += 1
    return stamp_of(c.push_count, c.random) if ORDER else I(c.push_count)


def lose_path(c: QueueControl, g: float, h: float) -> None:
    """Record that a path with this g and h is followed no further."""
    c.lost_f = min(c.lost_f, g + h)
    lose(c, g, h)


def next_node(s: QueueArrays, budget: int) -> int:
    """Set `current` to the next node to expand, and return EXPANDING; return a status if there is none now."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while True:
        if not c.taken:
            c.current = take(s)
            c.successor = -1
            c.successors = 0
            if c.current < 0:
                return Status.EXHAUSTED
            c.taken = 1
        at = address_of(s.words, c.current * width), address_of(s.tiles, 0)
        if call_is_goal(s.callees, IS_GOAL, at):
            c.taken = 0
            if c.restarts:
                if s.costs[c.current] < c.incumbent:
                    c.goal = c.current
                if c.goal == c.current:
                    postpone(s, c.goal)
            return Status.GOAL
        if c.expanded >= budget:
            return Status.BUDGET
        more = c.most_successors + 1
        # The bits of a slot can number as many nodes as there are slots.
        if 4 * (c.in_table + more) > 3 * c.slots or c.nodes + more > c.slots:
            return Status.TABLE_FULL
        c.taken = 0
        return EXPANDING


def take(s: QueueArrays) -> int:
    """Take the first node of the queue whose turn it is; return -1 if there is none, or the solution is good enough."""
    c = s.control
    if c.by_f:
        first = first_in_class(s, 0) if HAS_CLASSES and c.in_classes else first_in(s, 0)
        if first < 0:
            return -1
        f_min = f_of(s, first)
        if c.incumbent < inf and not exceeds(c.incumbent, c.bound * min(f_min, c.lost_f)):
            c.good_enough = 1
            return -1
        if f_min != c.f_min:
            c.f_min = f_min
            update(s, 1)
    turn = first_ready(s) if c.is_first else next_turn(s)
    if HAS_TYPES and s.sets[turn] >= 0:
        return draw(s, I(s.sets[turn]))
    if HAS_CLASSES and c.in_classes:
        node = first_in_class(s, I(s.class_heaps[turn]))
        if node >= 0:
            take_out(s, node)
        return node
    heap = s.places[turn]
    if not has_best(s, turn):
        return -1
    node = I(s.entries[heap * c.capacity])
    s.holes[heap] = 1
    take_out(s, node)
    return node


def take_out(s: QueueArrays, node: int) -> None:
    """Make a node no longer open; its entries in heaps become stale."""
    c = s.control
    s.flags[node] &= ~OPEN
    c.on_open -= 1
    if HAS_CLASSES and c.in_classes:
        leave_class(s, node)


def draw(s: QueueArrays, kind: int) -> int:
    """Draw a type of a set, then a node of this type, and take the node; return -1 if there is none."""
    while True:
        group = drawn_group(s, kind)
        if group < 0:
            return -1
        while s.group_sizes[group]:
            node, stamp = drawn_entry(s, kind, group)
            if is_live(s.flags, s.stamps, node, stamp) and not is_dropped(s, node):
                take_out(s, node)
                return node


def next_turn(s: QueueArrays) -> int:
    """Return the queue that gives the next node."""
    c = s.control
    if c.is_random:
        number = float64(next_raw(s.turns) >> SHIFT) * RESOLUTION * c.total_share
        for turn in range(c.queues):
            number -= s.shares[turn]
            if number < 0:
                return turn
        return c.queues - 1
    while c.left == 0:
        c.turn = (c.turn + 1) % c.queues
        c.left = I(s.shares[c.turn])
    c.left -= 1
    return I(c.turn)


def first_ready(s: QueueArrays) -> int:
    """Return the first queue whose first node fulfils the condition of the queue."""
    c = s.control
    for turn in range(c.queues):
        if HAS_TYPES and s.shares[turn] > 0 and s.sets[turn] >= 0:
            return turn
        if s.shares[turn] > 0 and has_best(s, turn):
            row = s.conditions[turn]
            if not row:
                return turn
            write_values(s, I(s.entries[s.places[turn] * c.capacity]))
            if call_key(s.callees, row, (address_of(s.values, 0),)) != 0:
                return turn
    return 0


def has_best(s: QueueArrays, queue: int) -> bool:
    """Return whether a queue has a node to give, which is then the first in its heap."""
    if s.focal[queue] > 0:
        sort_out(s, queue)
    return has_node(s, s.places[queue])


@called
def sort_out(s: QueueArrays, queue: int) -> None:
    """Update the limit of a focal queue, and move nodes so that the first node of its heap is within the limit."""
    c = s.control
    heap = s.places[queue]
    beyond = c.queues + 1 + queue
    least = c.f_min
    if s.followed[queue] >= 0:
        other = s.places[s.followed[queue]]
        least = s.keys[other * c.capacity] if has_node(s, other) else inf
    limit = max(least, s.focal[queue] * least)
    s.limits[queue] = limit
    while has_node(s, beyond) and s.keys[beyond * c.capacity] <= limit:
        node = I(s.entries[beyond * c.capacity])
        s.holes[beyond] = 1
        insert(s, heap, key_of(s, queue, node), node)
    while has_node(s, heap):
        node = I(s.entries[heap * c.capacity])
        value = limited_value(s, queue, node)
        if value <= limit:
            break
        s.holes[heap] = 1
        insert(s, beyond, value, node)


def limited_value(s: QueueArrays, queue: int, node: int) -> float:
    """Return the value of a node to which the limit of a focal queue applies."""
    followed = I(s.followed[queue])
    return f_of(s, node) if followed < 0 else key_of(s, followed, node)


def has_node(s: QueueArrays, heap: int) -> bool:
    """Remove stale entries from the front of a heap; return whether a node is left.

    A node that cannot lead to a cheaper solution is dropped.
    """
    entries = heap_at(s, heap)
    while True:
        if s.holes[heap]:
            heap_drop_first(entries, s.sizes[heap])
            s.sizes[heap] -= 1
            s.holes[heap] = 0
        if s.sizes[heap] == 0:
            return False
        node = I(entries.items[0])
        if is_live(s.flags, s.stamps, node, entries.stamps[0]) and not is_dropped(s, node):
            return True
        s.holes[heap] = 1


def is_dropped(s: QueueArrays, node: int) -> bool:
    """Drop an open node if no solution through it is expected to be cheaper and within the cost limit."""
    c = s.control
    if f_of(s, node) < c.drops_from or node == c.goal:
        return False
    take_out(s, node)
    lose_path(c, s.costs[node], s.estimates[node])
    return True


@called
def push(s: QueueArrays, node: int) -> None:
    """Put a node into all queues, unless no cheaper solution is expected; earlier entries of the node become stale."""
    c = s.control
    if f_of(s, node) >= c.drops_from and node != c.goal:
        lose_path(c, s.costs[node], s.estimates[node])
        if not s.flags[node] & OPEN:
            s.flags[node] &= ~(CLOSED | SEEN)
        return
    if HAS_CLASSES and c.in_classes and s.flags[node] & OPEN:
        leave_class(s, node)
    s.stamps[node] = next_stamp(c)
    if not s.flags[node] & OPEN:
        c.on_open += 1
        c.most_on_open = max(c.most_on_open, c.on_open)
    s.flags[node] = (s.flags[node] | OPEN) & ~(CLOSED | SEEN)
    enter(s, node)


def enter(s: QueueArrays, node: int) -> None:
    """Put entries of an open node into all queues."""
    if HAS_TYPES:
        enter_types(s, node)
    if HAS_CLASSES and s.control.in_classes:
        enter_class(s, node)
        return
    enter_heaps(s, node)


def enter_types(s: QueueArrays, node: int) -> None:
    """Put entries of an open node into all queues that draw types."""
    write_values(s, node)
    for queue in range(s.control.queues):
        if s.sets[queue] >= 0:
            add_to_type(s, I(s.sets[queue]), node)


def enter_heaps(s: QueueArrays, node: int) -> None:
    """Put entries of an open node into all queues with a heap."""
    c = s.control
    if c.by_f:
        insert(s, 0, f_of(s, node), node)
    for queue in range(c.queues):
        if s.places[queue] == 0 or (HAS_TYPES and s.sets[queue] >= 0):
            continue
        if s.focal[queue] > 0:
            value = limited_value(s, queue, node)
            if value > s.limits[queue]:
                insert(s, c.queues + 1 + queue, value, node)
                continue
        insert(s, s.places[queue], key_of(s, queue, node), node)


def enter_class(s: QueueArrays, node: int) -> None:
    """Put an open node into its class."""
    c = s.control
    write_values(s, node)
    group = group_of(s, 0)
    was_empty = s.group_sizes[group] == 0
    join_class(s, group, node)
    if was_empty or ORDER == NEWEST:
        restamp_class(s, group, s.stamps[node])
    if not was_empty:
        return
    for heap in range(c.class_heaps):
        if not s.class_places[heap * c.most_groups + group]:
            add_class(s, heap, key_in_heap(s, heap, node), s.estimates[node], group)
    if c.filled_classes > FEW_CLASSES and c.nodes <= MOST_IN_NEW_CLASSES and 2 * c.filled_classes > c.on_open:
        give_up_classes(s)


def key_in_heap(s: QueueArrays, heap: int, node: int) -> float:
    """Return the priority of a node in a heap of classes."""
    queue = I(s.queue_of_heap[heap])
    return f_of(s, node) if queue < 0 else key_of(s, queue, node)


@called
def give_up_classes(s: QueueArrays) -> None:
    """Put the nodes of all classes into the heaps one by one."""
    c = s.control
    c.in_classes = 0
    for group in range(s.groups[0]):
        node = I(s.first_nodes[group])
        for _ in range(s.group_sizes[group]):
            enter_heaps(s, node)
            node = I(s.links[LINKS * node + AFTER])


def f_of(s: QueueArrays, node: int) -> float:
    """Return g + h of a node."""
    return s.costs[node] + s.estimates[node]


def insert(s: QueueArrays, heap: int, key: float, node: int) -> None:
    """Put an entry of a node into a heap."""
    c = s.control
    entry = Entry(key, tie_of(c, s.estimates[node]), s.stamps[node], node)
    if s.holes[heap]:
        heap_replace_first(heap_at(s, heap), s.sizes[heap], entry)
        s.holes[heap] = 0
        return
    heap_push(heap_at(s, heap), s.sizes[heap], entry)
    s.sizes[heap] += 1


def heap_at(s: QueueArrays, heap: int) -> Heap:
    """Return a heap by its number."""
    at = heap * s.control.capacity
    return Heap(
        pointer_to(address_of(s.keys, at), float64),
        pointer_to(address_of(s.ties, at), float64),
        pointer_to(address_of(s.entry_stamps, at), int64),
        pointer_to(address_of(s.entries, at), int32),
    )


def first_in(s: QueueArrays, heap: int) -> int:
    """Return the first node of a heap, -1 if there is none."""
    return I(s.entries[heap * s.control.capacity]) if has_node(s, heap) else I(-1)


@called
def first_in_class(s: QueueArrays, heap: int) -> int:
    """Return the first node of the first class of a heap, -1 if there is none; drop nodes before it if possible."""
    while True:
        group = first_class(s, heap)
        if group < 0:
            return I(-1)
        node = I(s.first_nodes[group])
        if not is_dropped(s, node):
            return node


@called
def update(s: QueueArrays, value: int) -> None:
    """Compute again the priorities that depend on a value that has changed: 1 for f_min, 2 for the incumbent."""
    for queue in range(s.control.queues):
        if s.changes[queue] & value:
            if HAS_CLASSES and s.control.in_classes:
                update_classes(s, I(s.class_heaps[queue]))
            else:
                update_queue(s, queue)


def update_classes(s: QueueArrays, heap: int) -> None:
    """Compute again the priorities of all classes in a heap."""
    first = heap * s.control.most_groups
    count = s.class_counts[heap]
    s.class_counts[heap] = 0
    for at in range(first, first + count):
        s.class_places[first + s.classes[at]] = 0
    left = 0
    for at in range(first, first + count):
        group = I(s.classes[at])
        while s.group_sizes[group] and is_dropped(s, I(s.first_nodes[group])):
            pass
        left = list_class(s, heap, left, group)
    order_classes(s, heap, left)


def list_class(s: QueueArrays, heap: int, count: int, group: int) -> int:
    """Append a class with nodes to an unordered heap of `count` classes; return the new number of classes."""
    if s.group_sizes[group] == 0:
        return count
    c = s.control
    key = key_in_heap(s, heap, I(s.first_nodes[group]))
    tie = tie_of(c, s.group_values[group * c.values_of_group + 1])
    put_class(s, heap * c.most_groups, count, ClassEntry(key, tie, group))
    return count + 1


def order_classes(s: QueueArrays, heap: int, count: int) -> None:
    """Make a heap of the first `count` classes, which are in any order."""
    first = heap * s.control.most_groups
    s.class_counts[heap] = count
    for k in range(count):
        at = count - 1 - k
        sink(s, first, count, at, class_at(s, first + at))


def update_queue(s: QueueArrays, queue: int) -> None:
    """Compute again all priorities of a queue."""
    heap = s.places[queue]
    entries = heap_at(s, heap)
    size = 0
    for at in range(s.holes[heap], s.sizes[heap]):
        entry = entry_at(entries, at)
        if is_live(s.flags, s.stamps, entry.item, entry.stamp) and not is_dropped(s, entry.item):
            # Entries before `at` were read already, so they may be overwritten.
            heap_push(entries, size, Entry(key_of(s, queue, entry.item), entry.tie, entry.stamp, entry.item))
            size += 1
    s.holes[heap] = 0
    s.sizes[heap] = size


def update_all(s: QueueArrays, value: int) -> int:
    """Call `update`; this is a kernel of its own."""
    update(s, value)
    return Status.BUDGET


def reopen_range(s: QueueArrays, first: int, last: int) -> int:
    """Begin a round, for the nodes from `first` to `last` - 1: close none, and give open nodes new priorities.

    If rounds begin at the start, only the start is open.
    """
    c = s.control
    for node in range(first, last):
        flags = s.flags[node]
        if c.repeats:
            s.flags[node] = (flags & ~(OPEN | CLOSED)) | SEEN
            if node == 0:
                push(s, node)
            continue
        s.flags[node] = flags & ~(OPEN | CLOSED | POSTPONED)
        if flags & (OPEN | POSTPONED):
            if f_of(s, node) >= c.drops_from and node != c.goal:
                lose_path(c, s.costs[node], s.estimates[node])
                continue
            s.flags[node] |= OPEN
            c.on_open += 1
            c.most_on_open = max(c.most_on_open, c.on_open)
            if not (HAS_CLASSES and c.in_classes):
                enter(s, node)
            elif HAS_TYPES:
                enter_types(s, node)
    return Status.BUDGET


def reopen_classes(s: QueueArrays, first: int, last: int) -> int:
    """Begin a round, after all nodes, for the classes from `first` to `last` - 1; after the last, fill the heaps."""
    c = s.control
    for group in range(first, last):
        waiting = c.most_groups + group
        for heap in range(c.class_heaps):
            s.class_places[heap * c.most_groups + group] = 0
        if s.group_sizes[group] + s.group_sizes[waiting] == 0:
            continue
        if f_of(s, I(s.first_nodes[group if s.group_sizes[group] else waiting])) >= c.drops_from:
            drop_class(s, group)
        elif s.group_sizes[waiting]:
            end_waiting(s, group)
        if s.group_sizes[group]:
            s.class_stamps[group] = s.stamps[s.first_nodes[group]]
    if last == s.groups[0]:
        for heap in range(c.class_heaps):
            count = I(0)
            for group in range(last):
                count = list_class(s, heap, count, group)
            order_classes(s, heap, count)
    return Status.BUDGET


def drop_class(s: QueueArrays, group: int) -> None:
    """Empty a class whose nodes were dropped, except for the goal that stays open."""
    c = s.control
    waiting = c.most_groups + group
    c.filled_classes -= s.group_sizes[group] > 0
    s.group_sizes[group] = 0
    s.group_sizes[waiting] = 0
    if c.goal >= 0 and s.links[LINKS * c.goal + CLASS] % c.most_groups == group:
        join_class(s, group, c.goal)
