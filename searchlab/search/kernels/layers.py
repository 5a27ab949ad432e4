"""One layer of a state space expanded: the successors of all its states, one after another, repeats included.

Sorting and merging them is left to NumPy, whose sort is faster than what could be written here.
"""

from __future__ import annotations

from typing import Any

from numba import types

from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_is_goal, call_successors
from searchlab.search.kernels.control import (
    BATCH_AT,
    BATCH_SIZE,
    BITS,
    BUDGET,
    CURRENT,
    DEAD_ENDS,
    ENDED,
    ENDS_AT_GOAL,
    EXHAUSTED,
    FIXED_WIDTH,
    GENERATED,
    GOALS,
    IS_GOAL,
    LARGEST,
    NODES,
    SUCCESSORS,
    WIDTH,
)
from searchlab.search.kernels.hash_table import I, U

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
SIGNATURE = types.int64(
    *(_u64, _u64),
    *(_i64, _i64, types.CPointer(types.uint8), _f64, _i64),
    *(_u64, _u64, _i64, types.int64),
)


def expand_layer(
    layer: Any,
    out: Any,
    tiles: Any,
    out_tiles: Any,
    terminal: Any,
    costs: Any,
    moves: Any,
    even_cells: Any,
    callees: Any,
    control: Any,
    budget: int,
) -> int:
    """Expand the layer's states up to number `budget`; EXHAUSTED once all `BATCH_SIZE` are expanded.

    Args:
        layer: the packed states of one depth.
        out: gets their successors; `NODES` counts them.
        even_cells: one word with all bits of every other cell set.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    tiles_at = address_of(tiles, 0)
    while control[BATCH_AT] < min(budget, control[BATCH_SIZE]):
        state = control[BATCH_AT]
        control[CURRENT] = state
        state_at = address_of(layer, state * width)
        control[BATCH_AT] += 1
        if call_is_goal(callees, IS_GOAL, (state_at, tiles_at)):
            control[GOALS] += 1
            if control[ENDS_AT_GOAL]:
                continue
        first = control[NODES]
        count = call_successors(
            callees,
            SUCCESSORS,
            (
                state_at,
                address_of(out, first * width),
                tiles_at,
                address_of(out_tiles, 0),
                address_of(terminal, 0),
                address_of(costs, 0),
                address_of(moves, 0),
            ),
        )
        control[GENERATED] += count
        kept = first
        for k in range(count):
            for word in range(width):
                value = out[(first + k) * width + word]
                out[kept * width + word] = value
                if holds_more(value, even_cells[0], control[BITS], control[LARGEST]):
                    control[LARGEST] = largest(value, control[BITS])
            kept += terminal[k] == 0
        control[ENDED] += first + count - kept
        control[DEAD_ENDS] += kept == first
        control[NODES] = kept
    return EXHAUSTED if control[BATCH_AT] == control[BATCH_SIZE] else BUDGET


def holds_more(word: Any, even_cells: Any, bits: int, most: int) -> bool:
    """Return whether a cell of a word holds more than this: then adding what is missing makes it carry.

    Every other cell is looked at, so that there is room for the carry; then, shifted, those between.
    """
    full = (U(1) << U(bits)) - U(1)
    ones = even_cells // full
    missing = ones * (full - U(most))
    carries = ((word & even_cells) + missing) | (((word >> U(bits)) & even_cells) + missing)
    return ((carries >> U(bits)) & ones) != U(0)


def largest(word: Any, bits: int) -> int:
    """Return the largest value of a word's cells."""
    most = I(0)
    while word != U(0):
        most = max(most, I(word & ((U(1) << U(bits)) - U(1))))
        word >>= U(bits)
    return most
