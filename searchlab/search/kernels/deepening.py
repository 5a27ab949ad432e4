"""The compiled form of iterative deepening: `search/readable/deepening.py` on packed states, one bound at a time.

`CURRENT` is the depth, `NODES` the length of the longest path. The current path lies in arrays by depth; frame
d holds the successors of the node at depth d:

    depth             0                1         …
    path          [ ··· |          ··· |         …    `width` words: the node
    costs         [  0  |           1  |         …    its g
    over          [  0  |           0  |         …    whether it is terminal
    counts, next  [ 4, 1|         3, 0 |         …    how many successors, which is tried next
    out           [ ··· ··· ··· ··· |  ··· ···   …    `most × width` words: the successors
    out_estimates, terminal, edge_costs               one a successor
"""

from __future__ import annotations

from math import inf
from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal, call_step
from searchlab.search.kernels.control import (
    BEST_H,
    BOUND,
    BUDGET,
    CURRENT,
    DEAD_ENDS,
    DEEPER,
    DEPTHS,
    ENTERING,
    ESTIMATES,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIXED_WIDTH,
    GENERATED,
    GOAL,
    IS_GOAL,
    MOST_SUCCESSORS,
    NEGATIVE,
    NEXT_BOUND,
    NODES,
    NOT_A_NUMBER,
    ROOT,
    STEP,
    SUCCESSOR,
    WIDTH,
)
from searchlab.search.kernels.hash_table import I

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_u8 = types.CPointer(types.uint8)
SIGNATURE = types.int64(
    *(_u64, _f64, _f64, _u8, _i64, _i64),
    *(_u64, _f64, _u8, _f64),
    *(_i64, _i64, _i64),
    *(_u64, _i64, _f64, types.int64),
)


def deepening(
    path: Any,
    costs: Any,
    estimates: Any,
    over: Any,
    counts: Any,
    following: Any,
    out: Any,
    out_estimates: Any,
    terminal: Any,
    edge_costs: Any,
    tiles: Any,
    out_tiles: Any,
    moves: Any,
    callees: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search below one bound until `budget` nodes are expanded in all, or a status has to be returned.

    EXHAUSTED means that nothing is left below this bound; `figures[NEXT_BOUND]` is the next.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    most = control[MOST_SUCCESSORS]
    tiles_at = address_of(tiles, 0)
    while True:
        depth = control[CURRENT]
        if control[ENTERING]:
            control[SUCCESSOR] = -1
            node_at = address_of(path, depth * width)
            if over[depth] or control[EXPANDED] >= budget:
                if call_is_goal(callees, IS_GOAL, (node_at, tiles_at)):
                    return GOAL
                return BUDGET
            if depth + 2 > control[DEPTHS]:
                return DEEPER
            first = depth * most
            count = call_step(
                callees,
                STEP,
                (
                    node_at,
                    address_of(path, max(0, depth - 1) * width),
                    I(depth > 0),
                    estimates[depth],
                    address_of(out, first * width),
                    address_of(out_estimates, first),
                    tiles_at,
                    address_of(out_tiles, 0),
                    address_of(terminal, first),
                    address_of(edge_costs, first),
                    address_of(moves, 0),
                    address_of(control, SUCCESSOR),
                ),
            )
            if count < 0:
                return GOAL
            control[EXPANDED] += 1
            control[NODES] = max(control[NODES], depth + 1)
            control[ENTERING] = 0
            following[depth] = 0
            counts[depth] = count
        while following[depth] == counts[depth]:
            depth -= 1
            if depth < control[ROOT]:
                return EXHAUSTED
        k = depth * most + following[depth]
        following[depth] += 1
        control[CURRENT] = depth
        control[GENERATED] += 1
        if terminal[k] and not call_is_goal(callees, IS_GOAL, (address_of(out, k * width), tiles_at)):
            continue
        estimate = out_estimates[k]
        if control[ESTIMATES]:
            control[SUCCESSOR] = following[depth] - 1
            if estimate != estimate:
                return NOT_A_NUMBER
            if estimate < 0:
                return NEGATIVE
            control[EVALUATED] += 1
            control[DEAD_ENDS] += estimate == inf
        cost = costs[depth] + edge_costs[k]
        if cost + estimate > figures[BOUND]:
            figures[NEXT_BOUND] = min(figures[NEXT_BOUND], cost + estimate)
            continue
        if control[ESTIMATES]:
            figures[BEST_H] = min(figures[BEST_H], estimate)
        depth += 1
        for word in range(width):
            path[depth * width + word] = out[k * width + word]
        costs[depth] = cost
        estimates[depth] = estimate
        over[depth] = terminal[k]
        control[CURRENT] = depth
        control[ENTERING] = 1
