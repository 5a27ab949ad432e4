"""Lists of states at once: a layer expanded, moves kept apart by state, a heuristic's values; and a state's chances.

A layer's successors come one after another, repeats included. Sorting and merging them is left to NumPy, whose sort is
faster than what could be written here.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_chances, call_estimate, call_is_goal
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Expansion, PluginArrays, Status, successors
from searchlab.search.kernels.hash_table import I, U

NO_MOVE, LIVE, ENDS, ENDS_IN_GOAL = range(4)
"""What a move is: none, one the game goes on after, or one with which it is over, without a goal or with one."""


class ListControl(Record):
    """How far a list of states is done."""

    width: int
    """Words a state."""
    states: int
    done: int
    current: int
    """The state that is being worked on."""


class MoveControl(ListControl):
    """How far the moves of a list of states are found."""

    most_successors: int


RANGED = False
"""Whether each cell has a range of its own: a constant of the machine code, as it is asked for each successor."""


class LayerControl(ListControl):
    """How far a layer is expanded, and what has been counted."""

    bits: int
    """Bits a cell."""
    ranged: int
    """Cells that have a range each; 0 where all are alike."""
    ends_at_goal: int
    """Whether goals are not expanded."""
    produced: int
    """Successors in `out`."""
    generated: int
    dead_ends: int
    goals: int
    ended: int
    """Moves that ended the game."""
    largest: int
    """The largest value of a cell so far."""


class LayerArrays(Expansion):
    """The arrays with which a layer is expanded."""

    layer: Pointer = array(np.uint64, "states", "width")  # the packed states of one depth
    out: Pointer = array(np.uint64, "room", "width")  # gets their successors
    even_cells: Pointer = array(np.uint64, 1)  # a word with all bits of every other cell set; none where `ranged`
    ranged_cells: Pointer = array(np.int64, "ranged", 4)  # of each cell with a range of its own: a `PackedCell`
    control: LayerControl = record(LayerControl)


class MoveArrays(Expansion):
    """The arrays that get the moves of states."""

    states: Pointer = array(np.uint64, "states", "width")
    out: Pointer = array(np.uint64, "states", "successors", "width")
    edge_costs: Pointer = array(np.float64, "states", "successors", fill=1)
    kinds: Pointer = array(np.uint8, "states", "successors")  # what each move is
    goals: Pointer = array(np.uint8, "states")  # goals have no moves: no search goes on from one
    control: MoveControl = record(MoveControl)


class ValueArrays(PluginArrays):
    """The arrays that get the values of states."""

    states: Pointer = array(np.uint64, "states", "width")
    values: Pointer = array(np.float64, "states", fill=nan)
    control: ListControl = record(ListControl)


class ChanceArrays(PluginArrays):
    """The arrays that get what chance may do to a state."""

    state: Pointer = array(np.uint64, "width")
    out: Pointer = array(np.uint64, "events", "width")
    out_tiles: Pointer = array(np.int64, "events", "cells")
    probabilities: Pointer = array(np.float64, "events", fill=nan)


def expand_layer(s: LayerArrays, budget: int) -> int:
    """Expand the layer's states up to number `budget`."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while c.done < min(budget, c.states):
        state_at = address_of(s.layer, c.done * width)
        c.current = c.done
        c.done += 1
        if call_is_goal(s.callees, IS_GOAL, (state_at, address_of(s.tiles, 0))):
            c.goals += 1
            if c.ends_at_goal:
                continue
        first = c.produced
        count = successors(s, state_at, address_of(s.out, first * width), address_of(s.edge_costs, 0))
        c.generated += count
        kept = first
        for k in range(count):
            for word in range(width):
                value = s.out[(first + k) * width + word]
                s.out[kept * width + word] = value
                if holds_more(value, s.even_cells[0], c.bits, c.largest):
                    c.largest = largest(value, c.bits)
            if RANGED:
                c.largest = max(c.largest, largest_of_ranges(s, kept * width))
            kept += s.terminal[k] == 0
        c.ended += first + count - kept
        c.dead_ends += kept == first
        c.produced = kept
    return Status.EXHAUSTED if c.done == c.states else Status.BUDGET


def expand_states(s: MoveArrays, budget: int) -> int:
    """Find the moves of the states up to number `budget`."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    tiles_at = address_of(s.tiles, 0)
    most = c.most_successors
    while c.done < min(budget, c.states):
        state = c.done
        state_at = address_of(s.states, state * width)
        c.current = state
        c.done += 1
        if call_is_goal(s.callees, IS_GOAL, (state_at, tiles_at)):
            s.goals[state] = True
            continue
        first = state * most
        for k in range(most):
            s.terminal[k] = 0
        count = successors(s, state_at, address_of(s.out, first * width), address_of(s.edge_costs, first))
        for k in range(count):
            if s.terminal[k] == 0:
                s.kinds[first + k] = LIVE
            else:
                in_goal = call_is_goal(s.callees, IS_GOAL, (address_of(s.out, (first + k) * width), tiles_at))
                s.kinds[first + k] = ENDS_IN_GOAL if in_goal else ENDS
    return Status.EXHAUSTED if c.done == c.states else Status.BUDGET


def evaluate_states(s: ValueArrays, budget: int) -> int:
    """Evaluate the states up to number `budget`."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while c.done < min(budget, c.states):
        state = c.done
        c.current = state
        c.done += 1
        at = address_of(s.states, state * width), address_of(s.tiles, 0)
        s.values[state] = call_estimate(s.callees, 0, at)
    return Status.EXHAUSTED if c.done == c.states else Status.BUDGET


def chances_of_state(s: ChanceArrays) -> int:
    """Write the states after each event to `out` and their probabilities; return how many there are."""
    at = address_of(s.state, 0), address_of(s.out, 0), address_of(s.tiles, 0), address_of(s.out_tiles, 0)
    return call_chances(s.callees, 0, (*at, address_of(s.probabilities, 0)))


def holds_more(word: Any, even_cells: Any, bits: int, most: int) -> bool:
    """Return whether a cell of a word holds more than this: then adding what is missing makes it carry.

    Every other cell is looked at, so that there is room for the carry; then, shifted, those between.
    """
    full = (U(1) << U(bits)) - U(1)
    ones = even_cells // full
    missing = ones * (full - U(most))
    carries = ((word & even_cells) + missing) | (((word >> U(bits)) & even_cells) + missing)
    return ((carries >> U(bits)) & ones) != U(0)


def largest_of_ranges(s: LayerArrays, state: int) -> int:
    """Return the largest value of a state, whose cells have a range each; `state` is where it lies in `out`."""
    most = s.control.largest
    for cell in range(s.control.ranged):
        at = 4 * cell
        bits = U(s.ranged_cells[at + 2])
        if bits != U(0):
            code = (s.out[state + s.ranged_cells[at]] >> U(s.ranged_cells[at + 1])) << (U(64) - bits) >> (U(64) - bits)
            most = max(most, I(code) + s.ranged_cells[at + 3])
    return most


def largest(word: Any, bits: int) -> int:
    """Return the largest value of a word's cells."""
    most = I(0)
    while word != U(0):
        most = max(most, I(word & ((U(1) << U(bits)) - U(1))))
        word >>= U(bits)
    return most
