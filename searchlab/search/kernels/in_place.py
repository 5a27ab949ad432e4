"""Iterative deepening on a board that is changed in place and changed back: one bound at a time.

This is the fastest form of `kernels/deepening.py`, for domains that describe their moves as an InPlace. A kernel is
compiled for each problem. Plugin functions and constants of the problem replace the functions and constants below, and
are inlined. The board is in `cells`; the path is kept in frames by depth:

    frames             0                 1           …
      left          [ 1·4·1·9     |    1·2·10        …    the places still to be tried: fields of BITS bits,
                                                          lowest first, followed by a 1 as the end
      estimate      [  41         |      40          …    h
      place         [   5         |       6          …    the place of the board at that depth
      carried       [  ··         |      ··          …    the numbers carried besides h, if any

Values that change at every node are kept in local variables. A frame is written when the search goes deeper, and read
when it returns. The control record is written at the end of a call. Successors beyond the bound are only counted, and
the smallest f among them is kept.

`onward[place · PLACES + to]` holds the places to be tried after a move, without the place straight back.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to, record_at
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.deepening import DeepeningControl
from searchlab.search.kernels.hash_table import I, U

PLACES = 1
BITS = 1
ESTIMATES = True
"""Whether the search uses h."""
INCREMENTAL = False
"""Whether h of a successor is computed from h of the parent and the move."""
WHOLE = False
"""Whether h is an integer."""
VALUE: Any = np.float64
"""The type of h. Integers are computed faster than floats, and the next branch waits for h."""
NOTES_REACHED = False
"""Whether the largest f within the bound is recorded."""
FARTHEST = inf
"""A value beyond every bound, for dead ends: infinite, or very large for integers."""
END = 1


def make(params: Any, tables: Any, cells: Any, place: int, to: int) -> None:
    """Stand in for the domain's `InPlace.make`."""


def is_goal(params: Any, tables: Any, cells: Any, place: int) -> bool:
    """Stand in for the domain's `InPlace.is_goal`."""
    return False


def evaluate(params: Any, tables: Any, cells: Any) -> float:
    """Stand in for the heuristic."""
    return 0.0


def follow(params: Any, tables: Any, cells: Any, place: int, to: int, h: float, carried: Any, after: Any) -> float:
    """Placeholder for `incremental` after the domain's `InPlace.describe`; it writes the carried numbers to `after`."""
    return 0.0


def frame_of(value: Any, carries: int = 0) -> np.dtype[Any]:
    """Return the dtype of a frame.

    Args:
        value: the type of h.
        carries: the number of numbers carried besides h.
    """
    fields: list[Any] = [("left", np.uint64), ("estimate", value), ("place", np.int64)]
    return np.dtype([*fields, ("carried", np.int64, carries)] if carries else fields)


FRAME = frame_of(VALUE)
FRAME_BYTES = FRAME.itemsize
CARRIED_AT = 24
"""The position of the carried numbers in a frame."""


def limits_of(value: Any) -> np.dtype[Any]:
    """Return the dtype of the values with which nodes are compared: f and h, addresses of frames, and two counts.

    They seldom change. Kept in memory, they leave the registers to values that change at every node.
    """
    values: list[Any] = [("bound", value), ("next_bound", value), ("best", value)]
    frames = [("root", np.uint64), ("last", np.uint64), ("unused", np.uint64)]
    return np.dtype([*values, *frames, ("left", np.int64), ("dead_ends", np.int64), ("reached", value)])


LIMITS = limits_of(VALUE)


class InPlaceArrays(Arrays):
    """The arrays of a search; the layout of frames depends on the type of h and on the carried numbers."""

    params: Pointer = array(np.float64, "params")
    tables: Pointer = array(np.uint8, "tables")
    cells: Pointer = array(np.int64, "cells")
    frames: Pointer = array(FRAME, "depths")
    limits: Pointer = array(LIMITS, 1)
    onward: Pointer = array(np.uint64, "places", "places")
    control: DeepeningControl = record(DeepeningControl)


def in_place(s: InPlaceArrays, budget: int) -> int:
    """Search within one bound, from depth `root` on, until `budget` nodes are expanded or a status must be returned.

    The node at `current` must not be a goal. If a value is invalid for searches, `successor` is the place of its board.
    If a plugin function raises an exception, the control record stays unchanged; the work done is found by repeating
    it.
    """
    c = s.control
    mask = (1 << BITS) - 1
    size = U(FRAME_BYTES)
    first = address_of(s.frames, 0)
    at = address_of(s.frames, c.current)
    limits = record_at(address_of(s.limits, 0), LIMITS)
    # A dead end is beyond any bound.
    limits.bound, limits.next_bound, limits.best = VALUE(min(c.bound, FARTHEST / 2)), VALUE(FARTHEST), VALUE(FARTHEST)
    if NOTES_REACHED:
        limits.reached = VALUE(c.reached)
    limits.root, limits.last = address_of(s.frames, c.root), address_of(s.frames, c.most_depths - 1)
    limits.unused = max(address_of(s.frames, c.nodes), at + size) if c.entering else address_of(s.frames, c.nodes)
    allowed = budget - c.expanded - c.entering
    limits.left, limits.dead_ends = allowed, 0
    leaves = 0
    frame = record_at(at, FRAME)
    # A place is masked whenever it is read from memory, so that the compiler knows that it is not negative.
    words, h, place = frame.left, frame.estimate, c.place & mask
    # g of the successors, and the largest h for which f is within the bound; each kernel uses one of them.
    g = VALUE(c.current + 1)
    room = limits.bound - g
    to, estimate = I(0), VALUE(0)
    while True:
        # An inner loop for leaves, because most variables stay the same from leaf to leaf.
        while words != U(END):
            to = I(words & U(mask))
            words >>= U(BITS)
            if INCREMENTAL:
                carried = pointer_to(at + U(CARRIED_AT), np.int64)
                after = pointer_to(at + size + U(CARRIED_AT), np.int64)
                estimate = follow(s.params, s.tables, s.cells, place, to, h, carried, after)
            else:
                make(s.params, s.tables, s.cells, place, to)
                estimate = evaluate(s.params, s.tables, s.cells)
            # The critical branch. With integers nothing is added before it; with fractions this would change rounding.
            if WHOLE:
                if estimate <= room:
                    break
            elif g + estimate <= limits.bound and estimate < FARTHEST:
                break
            # An integer h is not negative here, because it exceeds `room`, and f of the parent is within the bound.
            if not WHOLE and not estimate >= 0:
                break
            if not INCREMENTAL:
                make(s.params, s.tables, s.cells, to, place)
            leaves += 1
            if estimate < FARTHEST:
                limits.next_bound = min(limits.next_bound, (limits.bound - room if WHOLE else g) + estimate)
            else:
                limits.dead_ends += 1
        else:
            if at == limits.root:
                status = Status.EXHAUSTED
                break
            at -= size
            g -= VALUE(1)
            room += VALUE(1)
            frame = record_at(at, FRAME)
            back = frame.place & mask
            make(s.params, s.tables, s.cells, place, back)
            words, h, place = frame.left, frame.estimate, back
            continue
        if not estimate >= limits.best:
            if not estimate >= 0:
                status = Status.NOT_A_NUMBER if estimate != estimate else Status.NEGATIVE
                break
            limits.best = estimate
        if NOTES_REACHED:
            limits.reached = max(limits.reached, (limits.bound - room if WHOLE else g) + estimate)
        if INCREMENTAL:
            make(s.params, s.tables, s.cells, place, to)
        frame = record_at(at, FRAME)
        frame.left, frame.estimate, frame.place = words, h, place
        words = s.onward[place * PLACES + to]
        at += size
        g += VALUE(1)
        room -= VALUE(1)
        h, place = estimate, to
        limits.left -= 1
        if is_goal(s.params, s.tables, s.cells, place):
            status = Status.GOAL
            break
        if limits.left < 0:
            status = Status.DEEPER if at >= limits.last else Status.BUDGET
            break
        if at >= limits.unused:
            if at >= limits.last:
                status = Status.DEEPER
                break
            limits.unused = at + size
    frame = record_at(at, FRAME)
    frame.left, frame.estimate = words, h
    c.current, c.place, c.nodes = I((at - first) // size), place, I((limits.unused - first) // size)
    entered = allowed - limits.left
    c.expanded += c.entering + entered - (status in (Status.GOAL, Status.BUDGET, Status.DEEPER))
    c.entering = status in (Status.BUDGET, Status.DEEPER)
    c.generated += leaves + entered
    c.dead_ends += limits.dead_ends
    if status in (Status.NOT_A_NUMBER, Status.NEGATIVE):
        c.generated += 1
        c.successor = to
    if ESTIMATES:
        c.evaluated += leaves + entered
        if limits.best < FARTHEST:
            c.best_h = min(c.best_h, limits.best)
    if limits.next_bound < FARTHEST:
        c.next_bound = min(c.next_bound, limits.next_bound)
    if NOTES_REACHED:
        c.reached = limits.reached
    return status
