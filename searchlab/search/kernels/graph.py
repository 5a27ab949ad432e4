"""Kernels on lists of states: all moves of each state, the values by a heuristic, and the random events of a state."""

from __future__ import annotations

from math import nan

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_chances, call_estimate, call_is_goal
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Expansion, PluginArrays, Status, successors

NO_MOVE, LIVE, ENDS, ENDS_IN_GOAL = range(4)
"""Kinds of moves: none, a move after which the game continues, and moves that end it without and with a goal."""


class ListControl(Record):
    """The progress in a list of states."""

    width: int
    """The number of words per state."""
    states: int
    done: int
    current: int
    """The state that is being processed."""


class MoveControl(ListControl):
    """The progress in finding the moves of a list of states."""

    most_successors: int


class MoveArrays(Expansion):
    """The arrays for the moves of states."""

    states: Pointer = array(np.uint64, "states", "width")
    out: Pointer = array(np.uint64, "states", "successors", "width")
    edge_costs: Pointer = array(np.float64, "states", "successors", fill=1)
    kinds: Pointer = array(np.uint8, "states", "successors")  # the kind of each move
    goals: Pointer = array(np.uint8, "states")  # goals have no moves, because no search continues from a goal
    control: MoveControl = record(MoveControl)


class ValueArrays(PluginArrays):
    """The arrays for the values of states."""

    states: Pointer = array(np.uint64, "states", "width")
    values: Pointer = array(np.float64, "states", fill=nan)
    control: ListControl = record(ListControl)


class ChanceArrays(PluginArrays):
    """The arrays for the random outcomes of a state."""

    state: Pointer = array(np.uint64, "width")
    out: Pointer = array(np.uint64, "events", "width")
    out_tiles: Pointer = array(np.int64, "events", "cells")
    probabilities: Pointer = array(np.float64, "events", fill=nan)


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
    """Write the states after each event, and their probabilities; return the number of events."""
    at = address_of(s.state, 0), address_of(s.out, 0), address_of(s.tiles, 0), address_of(s.out_tiles, 0)
    return call_chances(s.callees, 0, (*at, address_of(s.probabilities, 0)))
