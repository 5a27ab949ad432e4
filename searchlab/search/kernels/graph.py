"""All states of a list at once: successors, kept apart by state, and a heuristic's values; and a state's chances."""

from __future__ import annotations

from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_chances, call_estimate, call_is_goal, call_successors
from searchlab.search.kernels.control import BATCH_AT, BATCH_SIZE, CURRENT, FIXED_WIDTH, IS_GOAL, SUCCESSORS, WIDTH

NO_MOVE, LIVE, ENDS, ENDS_IN_GOAL = range(4)
"""What a move is: none, one the game goes on after, or one with which it is over, without a goal or with one."""

_u8, _u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint8, types.uint64, types.int64, types.float64))
EXPAND_SIGNATURE = types.int64(
    *(_u64, _u64, _f64, _u8, _u8), *(_i64, _i64, _u8, _i64), *(_u64, _i64), *2 * (types.int64,)
)
CHANCES_SIGNATURE = types.int64(_u64, _u64, _i64, _i64, _f64, _u64)
EVALUATE_SIGNATURE = types.int64(_u64, _f64, _i64, _u64, _i64, types.int64)


def expand_states(
    states: Any,
    out: Any,
    costs: Any,
    kinds: Any,
    goals: Any,
    tiles: Any,
    out_tiles: Any,
    terminal: Any,
    moves: Any,
    callees: Any,
    control: Any,
    most: int,
    budget: int,
) -> int:
    """Expand up to `budget` further states; returns how many of all `BATCH_SIZE` are done.

    Args:
        states: the packed states.
        out: gets their successors, `most` to a state.
        costs: the costs of the moves to them, 1 unless written.
        kinds: gets what each move is. Goals have none: no search goes on from one.
        goals: gets which states are goals.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    tiles_at = address_of(tiles, 0)
    last = min(control[BATCH_AT] + budget, control[BATCH_SIZE])
    while control[BATCH_AT] < last:
        state = control[BATCH_AT]
        control[CURRENT] = state
        state_at = address_of(states, state * width)
        control[BATCH_AT] += 1
        if call_is_goal(callees, IS_GOAL, (state_at, tiles_at)):
            goals[state] = 1
            continue
        first = state * most
        for k in range(most):
            terminal[k] = 0
        count = call_successors(
            callees,
            SUCCESSORS,
            (
                state_at,
                address_of(out, first * width),
                tiles_at,
                address_of(out_tiles, 0),
                address_of(terminal, 0),
                address_of(costs, first),
                address_of(moves, 0),
            ),
        )
        for k in range(count):
            if terminal[k] == 0:
                kinds[first + k] = LIVE
            else:
                in_goal = call_is_goal(callees, IS_GOAL, (address_of(out, (first + k) * width), tiles_at))
                kinds[first + k] = ENDS_IN_GOAL if in_goal else ENDS
    return control[BATCH_AT]


def evaluate_states(states: Any, values: Any, tiles: Any, callees: Any, control: Any, budget: int) -> int:
    """Evaluate up to `budget` further states; returns how many of all `BATCH_SIZE` are done."""
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    tiles_at = address_of(tiles, 0)
    last = min(control[BATCH_AT] + budget, control[BATCH_SIZE])
    while control[BATCH_AT] < last:
        state = control[BATCH_AT]
        control[CURRENT] = state
        control[BATCH_AT] += 1
        values[state] = call_estimate(callees, 0, (address_of(states, state * width), tiles_at))
    return control[BATCH_AT]


def chances_of_state(state: Any, out: Any, tiles: Any, out_tiles: Any, probabilities: Any, callees: Any) -> int:
    """Write the states after each event to `out` and their probabilities; returns how many."""
    at = address_of(state, 0), address_of(out, 0), address_of(tiles, 0), address_of(out_tiles, 0)
    return call_chances(callees, 0, (*at, address_of(probabilities, 0)))
