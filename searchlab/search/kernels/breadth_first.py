"""Breadth-first search with unit costs: nodes are expanded in the order of their numbers.

Later paths are never shorter, so nodes never change, and only their states are kept. If a move ends the game, a
successor that is not a goal is dropped. A goal that ends the game is a different node from the same state reached
otherwise.

    node            0        1        2     …
    words        [ ···· | ···· | ···· | …     `width` uint64 per node: the packed state
    children     [   2  |   1  |   2  | …     of an expanded node: the number of nodes first reached from it; ENDED for
                                              a goal reached by a move that ends the game
    slots                                     the hash table of all nodes, see `hash_table`

The open list consists of the nodes from number `expanded` on. The children of a node are adjacent, and the children of
the next node follow them. So one byte per node, its number of children, is enough to find the parent of each node.

Up to `EXPANSION_BATCH` nodes are expanded together, and each step prefetches the memory for the next: `generate` their
successors, `probe_all` the slots of the successors, then `store` the new nodes one by one. Nothing is stored before all
successors of the batch are generated. So if a plugin function fails, the same nodes can be expanded again, one at a
time, and the counts are exact up to the failure.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of, prefetch
from searchlab.compiler.signatures import call_is_goal
from searchlab.search.kernels.control import (
    EXPANSION_BATCH,
    FIXED_WIDTH,
    IS_GOAL,
    BestFirstControl,
    Expansion,
    Status,
    enter_layer,
    successors,
)
from searchlab.search.kernels.hash_table import I, entry_of, hash_of, node_in, same_words, slot_of, tag_of

MOST_CHILDREN = 254
ENDED = 255


class BreadthFirstControl(BestFirstControl):
    """The state of a breadth-first search."""

    one_by_one: int
    """Whether nodes are expanded one at a time, to find the node for which a plugin function fails."""
    expanding: int
    """Whether successors are being generated; otherwise a failure is in the goal test."""
    parent: int
    """The parent of the next node, or a node before it."""
    parent_ends: int
    """The end of the parent's children."""
    goal: int
    """Whether the batch ends before a goal."""
    produced: int
    """The number of successors of the node being expanded, up to the successor being tested for a goal."""
    kept: int
    """The number of earlier successors that may be new nodes."""
    layer_ends: int
    """The end of the nodes of the same depth as the next node."""
    ended: int
    """The number of nodes reached by a move that ends the game."""


class BreadthFirst(Expansion):
    """The arrays of a search."""

    words: Pointer = array(np.uint64, "nodes", "width")
    children: Pointer = array(np.uint8, "nodes")
    slots: Pointer = array(np.uint32, "slots")
    out: Pointer = array(np.uint64, "batch", "successors", "width")
    hashes: Pointer = array(np.uint64, "batch", "successors")
    places: Pointer = array(np.int64, "batch", "successors")
    ends: Pointer = array(np.uint8, "batch", "successors")  # whether the move ends the game
    counts: Pointer = array(np.int64, "batch")  # the kept successors; below, all of them
    generated: Pointer = array(np.int64, "batch")
    by_f: Pointer = array(np.int64, "counts by f")
    control: BreadthFirstControl = record(BreadthFirstControl)


def breadth_first(s: BreadthFirst, budget: int) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned."""
    c = s.control
    while c.expanded < c.nodes:
        c.on_open = c.nodes - c.expanded - 1
        if c.expanded == c.layer_ends:
            c.layer_ends = c.nodes
            enter_layer(c, s.by_f, c.layer + 1)
        size = 1 if c.one_by_one else min(EXPANSION_BATCH, c.layer_ends - c.expanded)
        more = size * c.most_successors
        # The bits of a slot can number as many nodes as there are slots.
        if 4 * (c.nodes + more) > 3 * c.slots:
            return Status.TABLE_FULL
        size = generate(s, size, budget)
        probe_all(s, size)
        store(s, size)
        if c.goal:
            c.current = c.expanded
            c.on_open = c.nodes - c.expanded - 1
            return Status.GOAL
        if size == 0:
            return Status.BUDGET
    c.on_open = 0
    return Status.EXHAUSTED


def generate(s: BreadthFirst, most: int, budget: int) -> int:
    """Produce the successors of the next nodes, except their parents, and fetch the slots.

    Returns:
        the number of expanded nodes; expansion stops before a goal and at the budget.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    most_successors = c.most_successors
    parent, parent_ends = c.parent, c.parent_ends
    first_node = c.expanded
    tiles_at = address_of(s.tiles, 0)
    size = 0
    while size < most:
        node = first_node + size
        c.current = node
        state_at = address_of(s.words, node * width)
        if call_is_goal(s.callees, IS_GOAL, (state_at, tiles_at)):
            c.goal = 1
            break
        if node >= budget:
            break
        while node >= parent_ends:
            parent += 1
            parent_ends += I(s.children[parent])
        first = size * most_successors
        c.expanding = 1
        count = successors(s, state_at, address_of(s.out, first * width), address_of(s.edge_costs, 0))
        kept = first
        produced = 0
        for k in range(first, first + count):
            over = not c.unit_moves and s.terminal[k - first] != 0
            if node > 0 and not over and same_words(s.out, k * width, s.words, parent * width, width):
                continue
            produced += 1
            if over:
                c.successor, c.produced, c.kept = k - first, produced, kept - first
                if not call_is_goal(s.callees, IS_GOAL, (address_of(s.out, k * width), tiles_at)):
                    continue
            s.ends[kept] = over
            for word in range(width):
                s.out[kept * width + word] = s.out[k * width + word]
            mixed = hash_of(s.out, kept * width, width)
            prefetch(s.slots, slot_of(mixed, mask))
            s.hashes[kept] = mixed
            kept += 1
        c.expanding, c.successor, c.produced, c.kept = 0, -1, 0, 0
        s.counts[size] = kept - first
        s.generated[size] = produced
        size += 1
    c.parent = parent  # only now, because after a failure the batch is generated again
    c.parent_ends = parent_ends
    return size


def probe_all(s: BreadthFirst, size: int) -> None:
    """Probe for each successor of the batch up to the first node that is likely equal, and fetch this node."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    most_successors = c.most_successors
    for position in range(size):
        first = position * most_successors
        for k in range(first, first + s.counts[position]):
            slot = slot_of(s.hashes[k], mask)
            tag = tag_of(s.hashes[k], mask)
            entry = I(s.slots[slot])
            while entry != 0 and entry & ~mask != tag:
                slot = (slot + 1) & mask
                entry = I(s.slots[slot])
            s.places[k] = slot
            if entry != 0:
                prefetch(s.words, node_in(entry, mask) * width)


def store(s: BreadthFirst, size: int) -> None:
    """Count the nodes of the batch as expanded, and number their new successors."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    mask = c.slots - 1
    most_successors = c.most_successors
    nodes = c.nodes
    node = c.expanded
    generated = c.generated
    most_on_open = c.most_on_open
    for position in range(size):
        first = position * most_successors
        known = nodes
        for k in range(first, first + s.counts[position]):
            slot = empty_slot(s, s.places[k], k, width, mask)
            if slot < 0:
                continue
            s.slots[slot] = entry_of(s.hashes[k], mask, nodes)
            if s.ends[k]:
                s.children[nodes] = ENDED
                c.ended += 1
            for word in range(width):
                s.words[nodes * width + word] = s.out[k * width + word]
            nodes += 1
        s.children[node] = nodes - known
        generated += s.generated[position]
        node += 1
        most_on_open = max(most_on_open, nodes - node)
    c.nodes = nodes
    c.expanded = node
    c.generated = generated
    c.most_on_open = most_on_open


def empty_slot(s: BreadthFirst, slot: int, k: Any, width: int, mask: int) -> int:
    """Return the empty slot for the k-th successor, searching from a slot on; -1 if its state is known."""
    tag = tag_of(s.hashes[k], mask)
    entry = I(s.slots[slot])
    while entry != 0:
        if entry & ~mask == tag:
            node = node_in(entry, mask)
            if same_words(s.words, node * width, s.out, k * width, width) and ends_alike(s, node, k):
                return -1
        slot = (slot + 1) & mask
        entry = I(s.slots[slot])
    return slot


def ends_alike(s: BreadthFirst, node: int, k: Any) -> bool:
    """Return whether a node and the k-th successor are both reached by a move that ends the game, or neither is."""
    return not (s.control.ended or s.ends[k]) or (s.children[node] == ENDED) == (s.ends[k] != 0)
