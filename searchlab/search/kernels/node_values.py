"""Nodes with all values that the priority of a queue may use.

node            0        1        2     …
depths       [   0  |   1  |   1  | …     the number of moves on the path
others       [ ···· | ···· | ···· | …     the values by further heuristics, `further` per node
"""

from __future__ import annotations

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_estimate, call_key
from searchlab.search.kernels.best_first import NodeArrays, NodeControl
from searchlab.search.kernels.control import FIXED_WIDTH, PRIORITY
from searchlab.search.kernels.hash_table import TERMINAL

KEYS = PRIORITY + 1
"""The first row of `callees` with the priority of a queue. The rows of further heuristics follow the priorities."""
G, H, DEPTH, F_MIN, INCUMBENT, OTHERS = range(6)
"""The positions in `values`, see `strategies.QUEUE_VALUES`; the values by further heuristics begin at OTHERS."""


class ValuedControl(NodeControl):
    """The fields for further heuristics, and for values that do not depend on a node."""

    queues: int
    further: int
    """The number of further heuristics."""
    first_further: int
    """The row of `callees` with the first further heuristic."""
    failing: int
    """The number of the further heuristic that returned NaN, -1 for none."""
    f_min: float
    """The smallest f when the last node was taken."""
    incumbent: float


class ValuedArrays(NodeArrays):
    """The arrays of the nodes, and of the values of the present node."""

    depths: Pointer = array(np.int32, "nodes")
    others: Pointer = array(np.float64, "nodes", "further")
    signs: Pointer = array(np.float64, "further")
    values: Pointer = array(np.float64, "values")  # of the present node, then of the start
    control: ValuedControl = record(ValuedControl)


def store_successor(s: ValuedArrays, k: int, entry: int, slot: int, estimate: float) -> int:
    """Store the k-th successor of `current` as a new node, with this entry in a slot of the table; return the node."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    node = c.current
    new = c.nodes
    c.nodes += 1
    for word in range(width):
        s.words[new * width + word] = s.out[k * width + word]
    s.slots[slot] = entry
    c.in_table += 1
    s.parents[new] = node
    s.depths[new] = s.depths[node] + 1
    s.costs[new] = s.costs[node] + s.edge_costs[k]
    s.estimates[new] = estimate
    s.flags[new] = TERMINAL if s.terminal[k] else 0
    return new


def evaluate_others(s: ValuedArrays, node: int, words_at: int) -> bool:
    """Write the values of a node by the further heuristics; return False if a value is NaN."""
    c = s.control
    for k in range(c.further):
        c.failing = k
        value = s.signs[k] * call_estimate(s.callees, c.first_further + k, (words_at, address_of(s.tiles, 0)))
        if value != value:
            return False
        c.evaluated += 1
        s.others[node * c.further + k] = value
    c.failing = -1
    return True


def key_of(s: ValuedArrays, queue: int, node: int) -> float:
    """Return the priority of a node in a queue."""
    write_values(s, node)
    return call_key(s.callees, KEYS + queue, (address_of(s.values, 0),))


def write_values(s: ValuedArrays, node: int) -> None:
    """Write all values of a node that priorities may use to `values`."""
    c = s.control
    s.values[G] = s.costs[node]
    s.values[H] = s.estimates[node]
    s.values[DEPTH] = s.depths[node]
    s.values[F_MIN] = c.f_min
    s.values[INCUMBENT] = c.incumbent
    for k in range(c.further):
        s.values[OTHERS + k] = s.others[node * c.further + k]
