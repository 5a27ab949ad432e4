"""Iterative deepening on a board that is changed in place and changed back: one bound at a time.

The fastest form of `kernels/deepening.py`, for domains that describe their moves as an InPlace. A kernel is
compiled for each problem, its plugins' functions inlined; the constants and functions below stand in for what it
is compiled with. The board lies in `cells`; the path is kept in arrays by depth:

    depth             0              1        …
    places        [   5       |      6        …    where the board was at that depth
    left          [ 1·4·1·9   |   1·2·10      …    the places still to be tried: fields of BITS bits, lowest first,
    estimates     [  41       |     40        …    its h                                   above them a 1 as the end
    carried       [  ··       |     ··        …    the numbers that are kept beside h

`onward[place · PLACES + to]` holds the places to be tried after a move, going straight back left out.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array, record
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.deepening import DeepeningControl
from searchlab.search.kernels.hash_table import I, U

PLACES = 1
BITS = 1
ESTIMATES = True
"""Whether the search asks for h."""
INCREMENTAL = False
"""Whether h of a successor follows from its parent's and the move."""
WHOLE = False
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


def follow(params: Any, tables: Any, cells: Any, place: int, to: int, h: float, carried: Any, depth: int) -> float:
    """Stand in for `incremental` after the domain's `InPlace.describe`; it writes what is carried at depth + 1."""
    return 0.0


class InPlaceArrays(Arrays):
    """The arrays of a search; where h is a whole number, `estimates` are. The numbers beside h may be none."""

    params: Pointer = array(np.float64, "params")
    tables: Pointer = array(np.uint8, "tables")
    cells: Pointer = array(np.int64, "cells")
    places: Pointer = array(np.uint16, "depths")
    left: Pointer = array(np.uint64, "depths")
    estimates: Pointer = array(np.float64, "depths")
    carried: Pointer = array(np.int64, "depths", "carried")
    onward: Pointer = array(np.uint64, "places", "places")
    control: DeepeningControl = record(DeepeningControl)


def in_place(s: InPlaceArrays, budget: int) -> int:
    """Search below one bound, from depth `root` on, until `budget` nodes are expanded or a status has to be returned.

    Called with the node at `current` being no goal or known to be none. Where a value is none a search can use,
    `successor` is the place of the board it is of. Where a plugin's function raises an exception, the record and
    the paths are left as they are, and what has been done is found out by doing it again.
    """
    c = s.control
    mask = (1 << BITS) - 1
    # Masked wherever it comes from memory: then the compiler knows that no place is negative.
    root, depth, place = c.root, c.current, c.place & mask
    room = c.most_depths - 1
    expanded, generated, longest = c.expanded, c.generated, c.nodes
    before = generated
    dead_ends = I(0)
    bound, next_bound, best = VALUE(c.bound), VALUE(FARTHEST), VALUE(FARTHEST)
    words, h = s.left[depth], s.estimates[depth]
    if c.entering:
        c.entering = 0
        expanded += 1
        longest = max(longest, depth + 1)
    while True:
        if words == U(END):
            if depth == root:
                status = Status.EXHAUSTED
                break
            depth -= 1
            back = I(s.places[depth]) & mask
            make(s.params, s.tables, s.cells, place, back)
            place = back
            words, h = s.left[depth], s.estimates[depth]
            continue
        to = I(words & U(mask))
        words >>= U(BITS)
        generated += 1
        if INCREMENTAL:
            estimate = follow(s.params, s.tables, s.cells, place, to, h, s.carried, depth)
        else:
            make(s.params, s.tables, s.cells, place, to)
            estimate = evaluate(s.params, s.tables, s.cells)
        if not (VALUE(depth + 1) + estimate <= bound and estimate < FARTHEST):
            # A whole number is not below 0 here: f of the parent is within the bound.
            if not WHOLE and (estimate != estimate or estimate < 0):
                status = Status.NOT_A_NUMBER if estimate != estimate else Status.NEGATIVE
                break
            if not INCREMENTAL:
                make(s.params, s.tables, s.cells, to, place)
            if estimate < FARTHEST:
                next_bound = min(next_bound, VALUE(depth + 1) + estimate)
            else:
                dead_ends += 1
            continue
        if estimate < best:
            if estimate < 0:
                status = Status.NEGATIVE
                break
            best = estimate
        if INCREMENTAL:
            make(s.params, s.tables, s.cells, place, to)
        s.left[depth], s.estimates[depth], s.places[depth] = words, h, place
        words = s.onward[place * PLACES + to]
        depth += 1
        h, place = estimate, to
        if is_goal(s.params, s.tables, s.cells, place):
            status = Status.GOAL
            break
        if expanded >= budget or depth >= room:
            c.entering = 1
            status = Status.DEEPER if depth >= room else Status.BUDGET
            break
        expanded += 1
        longest = max(longest, depth + 1)
    s.left[depth], s.estimates[depth] = words, h
    c.current, c.place = depth, place
    c.expanded, c.generated, c.nodes = expanded, generated, longest
    c.dead_ends += dead_ends
    if ESTIMATES:
        failed = status in (Status.NOT_A_NUMBER, Status.NEGATIVE)
        if failed:
            c.successor = to
        c.evaluated += generated - before - failed
        if best < FARTHEST:
            c.best_h = min(c.best_h, best)
    if next_bound < FARTHEST:
        c.next_bound = min(c.next_bound, next_bound)
    return status
