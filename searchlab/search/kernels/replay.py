"""The replay of a solution by the compiled rules of its domain, and the search for its nodes."""

from __future__ import annotations

from math import floor

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Expansion, Status, successors
from searchlab.search.kernels.hash_table import I


class ReplayControl(Record):
    """The size of the solution that is replayed, and its cost."""

    width: int
    """The number of words per state."""
    states: int
    described: int
    """How many numbers describe a move."""
    action: int
    """The position of the number of the action among these numbers; -1 for none."""
    least_action: int
    """The smallest number of an action, at most 0; `largest_action` is the largest, at least -1."""
    largest_action: int
    is_whole: int
    """Whether the cost of each move is a whole number."""
    cost: float
    """The sum of the costs of the moves; of several moves to the same state the cheapest counts."""
    most: float
    """The same, but the most expensive move counts."""


class ReplayArrays(Expansion):
    """The states of a solution, and the number of each action."""

    path: Pointer = array(np.uint64, "states", "width")
    actions: Pointer = array(np.int64, "states")
    control: ReplayControl = record(ReplayControl)


class ChainControl(Record):
    """The beginning and the size of a chain of nodes."""

    node: int
    """The first node; afterwards the node at which the chain ends, or the first node for which there was no room."""
    stride: int
    """The number of items of `parents` from one node to the next."""
    count: int
    """The number of written nodes."""
    room: int
    """The number of nodes for which there is room."""


class ChainArrays(Arrays):
    """The parents of nodes, and a chain of nodes."""

    parents: Pointer = array(np.uint32, "nodes", "stride")
    chain: Pointer = array(np.int64, "room")
    control: ChainControl = record(ChainControl)


def follow_parents(s: ChainArrays) -> int:
    """Write the nodes from `node` back to the start; the start, which has number 0, is left out."""
    c = s.control
    node = c.node
    while node > 0 and c.count < c.room:
        s.chain[c.count] = node
        c.count += 1
        node = I(s.parents[node * c.stride])
    c.node = node
    return Status.GOAL


def replay(s: ReplayArrays) -> int:
    """Return GOAL if each state is a successor of the state before and the last state is a goal, else EXHAUSTED."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    last = c.states - 1
    c.cost = 0.0
    c.most = 0.0
    c.is_whole = 1
    c.least_action = 0
    c.largest_action = -1
    for at in range(last):
        after = (at + 1) * width
        count = successors(s, address_of(s.path, at * width), address_of(s.out, 0), address_of(s.edge_costs, 0))
        chosen = -1
        most = 0.0
        for k in range(count):
            same = at == last - 1 or s.terminal[k] == 0  # only the last state may end the game
            for word in range(width):
                same &= s.out[k * width + word] == s.path[after + word]
            if same:
                if chosen < 0 or s.edge_costs[k] < s.edge_costs[chosen]:
                    chosen = k
                most = max(most, s.edge_costs[k])
        if chosen < 0:
            return Status.EXHAUSTED
        c.cost += s.edge_costs[chosen]
        c.is_whole &= s.edge_costs[chosen] == floor(s.edge_costs[chosen])
        c.most += most
        action = s.moves[chosen * c.described + c.action] if c.action >= 0 else I(chosen)
        s.actions[at] = action
        c.least_action = min(c.least_action, action)
        c.largest_action = max(c.largest_action, action)
    is_goal = call_is_goal(s.callees, IS_GOAL, (address_of(s.path, last * width), address_of(s.tiles, 0)))
    return Status.GOAL if is_goal else Status.EXHAUSTED
