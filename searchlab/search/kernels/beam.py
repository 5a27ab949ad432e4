"""The compiled form of beam search: `search/readable/beam.py` on packed states.

kept nodes   words, parents, costs       all layers one after another; the current one is FIRST … LAST
candidates   candidates, origins,        the next layer before it is cut: state, the kept node it was reached
             spent, keys, over           from, g, h and then the priority, whether the game is over
table        slots                       stamp << 32 | candidate + 1: entries of older layers count as empty, as do
                                         those of the smaller table that it was before

When a layer is expanded its candidates have their h: a compiled heuristic has been called for each as it came up, for
one in Python the kernel returns EVALUATE and is called again. Then the layer is settled: dead ends are left out.

A layer that is the same as an earlier one leads to the same layers again, so the search is over. Comparing each with
one that is replaced after 1, 2, 4, 8 … layers finds that out (Brent 1980); nearly all differ in the first node.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numba import types

from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_estimate, call_is_goal, call_priority, call_successors
from searchlab.search.kernels.control import (
    BATCH_AT,
    BATCH_SIZE,
    BEAM_WIDTH,
    BEST_H,
    BUDGET,
    BY_COST,
    CURRENT,
    DEAD_ENDS,
    DEEPER,
    DEPTHS,
    EARLIER_FIRST,
    EARLIER_LAST,
    ESTIMATE,
    ESTIMATES,
    EVALUATE,
    EVALUATED,
    EXHAUSTED,
    EXPANDED,
    FIRST,
    FIXED_WIDTH,
    FOUND,
    GENERATED,
    GOAL,
    IN_PYTHON,
    IS_GOAL,
    LAST,
    LAYERS_SINCE,
    LAYERS_UNTIL,
    MOST_CANDIDATES,
    MOST_ON_OPEN,
    MOST_SUCCESSORS,
    NODES,
    NOT_A_NUMBER,
    PRIORITY,
    SIGN,
    SLOTS,
    STAMP,
    SUCCESSOR,
    SUCCESSORS,
    TABLE_FULL,
    VALUED,
    WIDTH,
)
from searchlab.search.kernels.table import I, U, hash_of, same_words

_u64, _i64, _f64 = (types.CPointer(t) for t in (types.uint64, types.int64, types.float64))
_u32, _u8 = types.CPointer(types.uint32), types.CPointer(types.uint8)
SIGNATURE = types.int64(
    *(_u64, _u32, _f64),
    *(_u64, _i64, _f64, _f64, _u8),
    *(_u64, _f64),
    *(_u64, _i64, _i64, _u8, _f64, _i64),
    *(_u64, _i64, _f64, types.int64),
)
ENTER = types.void(_u64, _u64, types.int64, types.int64, _i64)
OF_CANDIDATE = -2
"""In place of a successor's number: `CURRENT` is a candidate."""


def beam(
    words: Any,
    parents: Any,
    costs: Any,
    candidates: Any,
    origins: Any,
    spent: Any,
    keys: Any,
    over: Any,
    slots: Any,
    ranked: Any,
    out: Any,
    tiles: Any,
    out_tiles: Any,
    terminal: Any,
    edge_costs: Any,
    moves: Any,
    callees: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Search until `budget` nodes are expanded in all, or a status has to be returned.

    A goal among the candidates is put behind the kept nodes, as `CURRENT`.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else control[WIDTH]
    mask = control[SLOTS] - 1
    tiles_at = address_of(tiles, 0)
    while True:
        while control[BATCH_AT] < control[LAST]:
            if control[EXPANDED] >= budget:
                return BUDGET
            if 2 * (control[BATCH_SIZE] + control[MOST_SUCCESSORS]) > control[SLOTS]:
                return TABLE_FULL
            node = control[BATCH_AT]
            control[CURRENT] = node
            control[SUCCESSOR] = -1
            control[EXPANDED] += 1
            control[BATCH_AT] += 1
            parent = I(parents[node])
            count = call_successors(
                callees,
                SUCCESSORS,
                (
                    address_of(words, node * width),
                    address_of(out, 0),
                    tiles_at,
                    address_of(out_tiles, 0),
                    address_of(terminal, 0),
                    address_of(edge_costs, 0),
                    address_of(moves, 0),
                ),
            )
            for k in range(count):
                control[SUCCESSOR] = k
                out_at = address_of(out, k * width)
                if node > 0 and not terminal[k] and same_words(out, k * width, words, parent * width, width):
                    continue
                control[GENERATED] += 1
                if terminal[k] and not call_is_goal(callees, IS_GOAL, (out_at, tiles_at)):
                    continue
                slot = I(hash_of(out, k * width, width) & U(mask))
                known = False
                while slots[slot] >> U(32) == U(control[STAMP]):
                    other = I(slots[slot] & U(0xFFFFFFFF)) - 1
                    if over[other] == terminal[k] and same_words(out, k * width, candidates, other * width, width):
                        known = True
                        break
                    slot = (slot + 1) & mask
                if known:
                    continue
                estimate = 0.0
                if control[ESTIMATES] and not control[IN_PYTHON]:
                    estimate = control[SIGN] * call_estimate(callees, ESTIMATE, (out_at, tiles_at))
                new = control[BATCH_SIZE]
                slots[slot] = U(control[STAMP]) << U(32) | U(new + 1)
                for word in range(width):
                    candidates[new * width + word] = out[k * width + word]
                origins[new] = node
                spent[new] = costs[node] + edge_costs[k]
                over[new] = terminal[k]
                keys[new] = estimate
                control[BATCH_SIZE] += 1
        if control[IN_PYTHON] and control[BATCH_SIZE] > 0 and not control[VALUED]:
            return EVALUATE
        control[VALUED] = 0
        if not settle(candidates, origins, spent, keys, over, tiles_at, callees, control, figures, width):
            return NOT_A_NUMBER
        size = control[BATCH_SIZE]
        if control[NODES] + min(size, control[BEAM_WIDTH]) + 1 > control[DEPTHS]:
            return DEEPER
        if control[FOUND] >= 0:
            keep(words, parents, costs, candidates, origins, spent, control[FOUND], control[NODES], width)
            control[CURRENT] = control[NODES]
            return GOAL
        if size == 0:
            return EXHAUSTED
        worst = inf
        among_worst = size
        if size > control[BEAM_WIDTH]:
            for k in range(size):
                ranked[k] = keys[k]
            worst = smallest(ranked, size, control[BEAM_WIDTH])
            among_worst = control[BEAM_WIDTH]
            for k in range(size):
                among_worst -= keys[k] < worst
        control[FIRST] = control[NODES]
        for k in range(size):
            if keys[k] < worst or (keys[k] == worst and among_worst > 0) or size <= control[BEAM_WIDTH]:
                among_worst -= keys[k] == worst
                keep(words, parents, costs, candidates, origins, spent, k, control[NODES], width)
                control[NODES] += 1
        control[BATCH_AT] = control[FIRST]
        control[LAST] = control[NODES]
        control[BATCH_SIZE] = 0
        control[STAMP] += 1
        if comes_again(words, parents, costs, control, width):
            return EXHAUSTED


def comes_again(words: Any, parents: Any, costs: Any, control: Any, width: int) -> bool:
    """Return whether the layer is the earlier one over again, so that the same follows; else count it.

    What follows depends on the states in their order, on the states they were reached from, to which no move leads
    straight back, and on the costs where the priority does.
    """
    first = control[FIRST]
    earlier = control[EARLIER_FIRST]
    size = control[LAST] - first
    same = size == control[EARLIER_LAST] - earlier
    for k in range(size):
        if not same:
            break
        same = (
            same_words(words, (first + k) * width, words, (earlier + k) * width, width)
            and same_words(words, I(parents[first + k]) * width, words, I(parents[earlier + k]) * width, width)
            and (not control[BY_COST] or costs[first + k] == costs[earlier + k])
        )
    if same:
        return True
    control[LAYERS_SINCE] += 1
    if control[LAYERS_SINCE] == control[LAYERS_UNTIL]:
        control[LAYERS_SINCE] = 0
        control[LAYERS_UNTIL] *= 2
        control[EARLIER_FIRST] = first
        control[EARLIER_LAST] = control[LAST]
    return False


def enter_candidates(slots: Any, candidates: Any, first: int, last: int, control: Any) -> None:
    """Enter the candidates `first` … `last` - 1 into the table."""
    width = control[WIDTH]
    mask = control[SLOTS] - 1
    for k in range(first, last):
        slot = I(hash_of(candidates, k * width, width) & U(mask))
        while slots[slot] >> U(32) == U(control[STAMP]):
            slot = (slot + 1) & mask
        slots[slot] = U(control[STAMP]) << U(32) | U(k + 1)


def settle(
    candidates: Any,
    origins: Any,
    spent: Any,
    keys: Any,
    over: Any,
    tiles_at: Any,
    callees: Any,
    control: Any,
    figures: Any,
    width: int,
) -> bool:
    """Leave out the candidates that are dead ends; of the others let `keys` be the priority, and find a goal.

    Returns False if h of `CURRENT` is NaN.
    """
    live = 0
    control[MOST_CANDIDATES] = max(control[MOST_CANDIDATES], control[BATCH_SIZE])
    control[SUCCESSOR] = OF_CANDIDATE
    for k in range(control[BATCH_SIZE]):
        control[CURRENT] = k
        estimate = keys[k]
        if estimate != estimate:
            return False
        if estimate == inf:
            continue
        for word in range(width):
            candidates[live * width + word] = candidates[k * width + word]
        origins[live] = origins[k]
        spent[live] = spent[k]
        over[live] = over[k]
        keys[live] = call_priority(callees, PRIORITY, (spent[live], estimate))
        if control[ESTIMATES]:
            figures[BEST_H] = min(figures[BEST_H], estimate)
        if control[FOUND] < 0 and call_is_goal(callees, IS_GOAL, (address_of(candidates, live * width), tiles_at)):
            control[FOUND] = live
        live += 1
    if control[ESTIMATES]:
        control[EVALUATED] += control[BATCH_SIZE]
    control[DEAD_ENDS] += control[BATCH_SIZE] - live
    control[BATCH_SIZE] = live
    control[MOST_ON_OPEN] = max(control[MOST_ON_OPEN], live)
    return True


def keep(
    words: Any,
    parents: Any,
    costs: Any,
    candidates: Any,
    origins: Any,
    spent: Any,
    candidate: int,
    node: int,
    width: int,
) -> None:
    """Make a candidate the kept node of this number."""
    for word in range(width):
        words[node * width + word] = candidates[candidate * width + word]
    parents[node] = np.uint32(origins[candidate])
    costs[node] = spent[candidate]


def smallest(values: Any, size: int, rank: int) -> float:
    """Return the rank-th smallest (from 1) of so many values, which are put in another order (Hoare 1961)."""
    low = 0
    high = size - 1
    wanted = rank - 1
    while low < high:
        middle = values[(low + high) >> 1]
        first = values[low]
        last = values[high]
        pivot = max(min(first, last), min(max(first, last), middle))
        left = low
        right = high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                swapped = values[left]
                values[left] = values[right]
                values[right] = swapped
                left += 1
                right -= 1
        if wanted <= right:
            high = right
        elif wanted >= left:
            low = left
        else:
            break
    return values[wanted]
