"""Iterative deepening on a board that is changed in place and changed back: one bound at a time.

The fastest form of `kernels/deepening.py`, for domains that describe their moves as an InPlace. A kernel is
compiled for each problem, its plugins' functions inlined; the constants and functions below stand in for what it
is compiled with. The board lies in `cells`; the path is kept in arrays by depth:

    depth             0              1        …
    places        [   5       |      6        …    where the board was at that depth
    left          [ 1·4·1·9   |   1·2·10      …    the places still to be tried: fields of BITS bits, lowest first,
    estimates     [  41       |     40        …    its h                                   above them a 1 as the end

`onward[place · PLACES + to]` holds the places to be tried after a move, going straight back left out.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import types

from searchlab.search.kernels.control import (
    BEST_H,
    BOUND,
    BUDGET,
    CURRENT,
    DEAD_ENDS,
    DEEPER,
    DEPTHS,
    ENTERING,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    GENERATED,
    GOAL,
    NEGATIVE,
    NEXT_BOUND,
    NODES,
    NOT_A_NUMBER,
    PLACE,
    ROOT,
    SUCCESSOR,
)
from searchlab.search.kernels.hash_table import I, U

PLACES = 1
BITS = 1
ESTIMATES = True
"""Whether the search asks for h."""
FOLLOWS = False
"""Whether h of a successor follows from its parent's and the move."""
VALUE: Any = np.float64
"""The type of h; a whole number is sooner known than a float, and the next branch waits for it."""
FARTHEST = inf
"""Beyond every bound, so a dead end: infinite, or in whole numbers very large."""
END = 1


def make(params: Any, tables: Any, cells: Any, place: int, to: int) -> None:
    """Stand in for the domain's `InPlace.make`."""


def is_goal(params: Any, tables: Any, cells: Any, place: int) -> bool:
    """Stand in for the domain's `InPlace.is_goal`."""
    return False


def evaluate(params: Any, tables: Any, cells: Any) -> float:
    """Stand in for the heuristic."""
    return 0.0


def follow(params: Any, tables: Any, cells: Any, place: int, to: int, h: float) -> float:
    """Stand in for the heuristic's `incremental` after the domain's `InPlace.describe`."""
    return 0.0


def signature(whole: bool) -> Any:
    """Return the kernel's signature, h being a whole number or not."""
    estimate = types.int64 if whole else types.float64
    pointers = (types.float64, types.uint8, types.int64, types.uint16, types.uint64, estimate, types.uint64)
    blocks = (types.int64, types.float64)
    return types.int64(*map(types.CPointer, (*pointers, *blocks)), types.int64)


def in_place(
    params: Any,
    tables: Any,
    cells: Any,
    places: Any,
    left: Any,
    estimates: Any,
    onward: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search below one bound, from depth `ROOT` on, until `budget` nodes are expanded or a status has to be returned.

    Called with the node at `CURRENT` being no goal or known to be none. Where a value is none a search can use,
    `SUCCESSOR` is the place of the board it is of. Where a plugin's function raises an exception, the blocks and
    the paths are left as they are, and what has been done is found out by doing it again.
    """
    root, depth, place = control[ROOT], control[CURRENT], control[PLACE]
    room = control[DEPTHS] - 1
    expanded, generated, longest = control[EXPANDED], control[GENERATED], control[NODES]
    before = generated
    dead_ends = I(0)
    bound, next_bound, best = VALUE(figures[BOUND]), VALUE(FARTHEST), VALUE(FARTHEST)
    cost = VALUE(depth + 1)
    words, h = left[depth], estimates[depth]
    if control[ENTERING]:
        control[ENTERING] = 0
        expanded += 1
        longest = max(longest, depth + 1)
    while True:
        if words == U(END):
            if depth == root:
                status = EXHAUSTED
                break
            depth -= 1
            cost -= 1
            back = I(places[depth])
            make(params, tables, cells, place, back)
            place = back
            words, h = left[depth], estimates[depth]
            continue
        to = I(words & U((1 << BITS) - 1))
        words >>= U(BITS)
        generated += 1
        if FOLLOWS:
            estimate = follow(params, tables, cells, place, to, h)
        else:
            make(params, tables, cells, place, to)
            estimate = evaluate(params, tables, cells)
        if not (estimate < FARTHEST and cost + estimate <= bound):
            if estimate != estimate or estimate < 0:
                status = NOT_A_NUMBER if estimate != estimate else NEGATIVE
                break
            if not FOLLOWS:
                make(params, tables, cells, to, place)
            if estimate < FARTHEST:
                next_bound = min(next_bound, cost + estimate)
            else:
                dead_ends += 1
            continue
        if estimate < best:
            if estimate < 0:
                status = NEGATIVE
                break
            best = estimate
        if FOLLOWS:
            make(params, tables, cells, place, to)
        left[depth], estimates[depth], places[depth] = words, h, place
        words = onward[place * PLACES + to]
        depth += 1
        cost += 1
        h, place = estimate, to
        if is_goal(params, tables, cells, place):
            status = GOAL
            break
        if expanded >= budget or depth >= room:
            control[ENTERING] = 1
            status = DEEPER if depth >= room else BUDGET
            break
        expanded += 1
        longest = max(longest, depth + 1)
    left[depth], estimates[depth] = words, h
    control[CURRENT], control[PLACE] = depth, place
    control[EXPANDED], control[GENERATED], control[NODES] = expanded, generated, longest
    control[DEAD_ENDS] += dead_ends
    if ESTIMATES:
        failed = status in (NOT_A_NUMBER, NEGATIVE)
        if failed:
            control[SUCCESSOR] = to
        control[EVALUATED] += generated - before - failed
        if best < FARTHEST:
            figures[BEST_H] = min(figures[BEST_H], best)
    if next_bound < FARTHEST:
        figures[NEXT_BOUND] = min(figures[NEXT_BOUND], next_bound)
    return status
