"""The compiled form of iterative deepening: `search/readable/deepening.py` on packed states, one bound at a time.

`current` is the depth, `nodes` the length of the longest path. The current path is in arrays indexed by depth; frame d
holds the successors of the node at depth d:

    depth             0                1         …
    path          [ ··· |          ··· |         …    `width` words: the node
    costs         [  0  |           1  |         …    its g
    over          [  0  |           0  |         …    whether it is terminal
    counts        [  4  |           3  |         …    the number of successors
    following     [  1  |           0  |         …    the next successor to try
    out           [ ··· ··· ··· ··· |  ··· ···   …    `most × width` words: the successors
    out_estimates, terminal, edge_costs               one item per successor

Compiled with TABLE, the kernel has a transposition table with one state per place, see
`search/readable/transposition_table.py`:

    place            0      1      2     …
    table_words   [ ··· | ···· | ···· |  …    the state
    table_costs   [  5  |   0  |   9  |  …    the g by which it was entered
    entered_in    [  3  |   0  |   2  |  …    the number of the iteration in which it was entered, 0 for none
"""

from __future__ import annotations

from math import inf

import numpy as np

from searchlab.compiler.arrays import Pointer, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal
from searchlab.model.costs import is_shorter
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, EvaluatedExpansion, SearchControl, Status, step
from searchlab.search.kernels.hash_table import I, U, hash_of, same_words

TABLE = False
"""Whether there is a transposition table; a constant of a kernel."""
NOTES_REACHED = False
"""Whether the largest f within the bound is recorded; a constant of a kernel."""


class DeepeningControl(SearchControl):
    """The options and the state of the search within one bound; `current` is a depth."""

    bound: float
    next_bound: float
    """The smallest f met beyond the bound."""
    root: int
    """The depth of the root of the subtree, where the search begins and ends."""
    entering: int
    """Whether the node at depth `current` is about to be entered; otherwise its successors are being tried."""
    most_depths: int
    """The length of the arrays by depth."""
    place: int
    """The place of the board; only for moves in place."""
    reached: float
    """The largest f of an entered node, with NOTES_REACHED."""
    table_size: int
    """The number of places of the transposition table."""
    iteration: int
    """The number of this iteration, from 1."""
    duplicates: int
    """The number of nodes that were not entered because of the table."""


class Frames(EvaluatedExpansion):
    """The arrays of a search that keeps the successors of all nodes on the path."""

    path: Pointer = array(np.uint64, "depths", "width")
    costs: Pointer = array(np.float64, "depths")
    estimates: Pointer = array(np.float64, "depths")
    over: Pointer = array(np.uint8, "depths")
    counts: Pointer = array(np.int64, "depths")
    following: Pointer = array(np.int64, "depths")
    out: Pointer = array(np.uint64, "depths", "successors", "width")
    out_estimates: Pointer = array(np.float64, "depths", "successors")
    terminal: Pointer = array(np.uint8, "depths", "successors")
    edge_costs: Pointer = array(np.float64, "depths", "successors", fill=1)
    table_words: Pointer = array(np.uint64, "table", "width")
    table_costs: Pointer = array(np.float64, "table")
    entered_in: Pointer = array(np.int32, "table")
    control: DeepeningControl = record(DeepeningControl)


def deepening(s: Frames, budget: int) -> int:
    """Search within one bound until `budget` nodes are expanded in all, or a status must be returned.

    EXHAUSTED means that no node is left within this bound; `next_bound` is the next bound.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    most = c.most_successors
    tiles_at = address_of(s.tiles, 0)
    while True:
        depth = c.current
        if c.entering:
            c.successor = -1
            node_at = address_of(s.path, depth * width)
            if s.over[depth] or c.expanded >= budget:
                if call_is_goal(s.callees, IS_GOAL, (node_at, tiles_at)):
                    return Status.GOAL
                return Status.BUDGET
            if depth + 2 > c.most_depths:
                return Status.DEEPER
            first = depth * most
            parent_at = address_of(s.path, max(0, depth - 1) * width)
            count = step(s, node_at, parent_at, I(depth > 0), s.estimates[depth], first)
            if count < 0:
                return Status.GOAL
            c.expanded += 1
            c.nodes = max(c.nodes, depth + 1)
            c.entering = 0
            s.following[depth] = 0
            s.counts[depth] = count
        while s.following[depth] == s.counts[depth]:
            depth -= 1
            if depth < c.root:
                return Status.EXHAUSTED
        k = depth * most + s.following[depth]
        s.following[depth] += 1
        c.current = depth
        c.generated += 1
        if s.terminal[k] and not call_is_goal(s.callees, IS_GOAL, (address_of(s.out, k * width), tiles_at)):
            continue
        estimate = s.out_estimates[k]
        if c.estimates:
            c.successor = s.following[depth] - 1
            if estimate != estimate:
                return Status.NOT_A_NUMBER
            if estimate < 0:
                return Status.NEGATIVE
            c.evaluated += 1
            c.dead_ends += estimate == inf
        cost = s.costs[depth] + s.edge_costs[k]
        if cost + estimate > c.bound:
            c.next_bound = min(c.next_bound, cost + estimate)
            continue
        if TABLE and not s.terminal[k] and is_in_table(s, k * width, cost):
            c.duplicates += 1
            continue
        if NOTES_REACHED:
            c.reached = max(c.reached, cost + estimate)
        if c.estimates:
            c.best_h = min(c.best_h, estimate)
        depth += 1
        for word in range(width):
            s.path[depth * width + word] = s.out[k * width + word]
        s.costs[depth] = cost
        s.estimates[depth] = estimate
        s.over[depth] = s.terminal[k]
        c.current = depth
        c.entering = 1


def is_in_table(s: Frames, at: int, cost: float) -> bool:
    """Return whether this iteration has entered a successor by a path that is no longer; if not, record it.

    Args:
        at: the position of the successor in `out`, in words.
        cost: the g of the successor.
    """
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    place = I(((hash_of(s.out, at, width) >> U(32)) * U(c.table_size)) >> U(32))
    if s.entered_in[place] == c.iteration:
        if same_words(s.out, at, s.table_words, place * width, width):
            if not is_shorter(cost, s.table_costs[place]):
                return True
        elif s.table_costs[place] < cost:
            return False
    for word in range(width):
        s.table_words[place * width + word] = s.out[at + word]
    s.table_costs[place] = cost
    s.entered_in[place] = c.iteration
    return False
