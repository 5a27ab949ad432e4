"""The states of a game of chance by layers, and their exact values from the last layer back; see `games/exact.py`.

A move keeps the sum of the tiles, and chance adds to it. So boards with equal sums form a layer, and later boards have
larger sums. Turned and mirrored boards count as one if the domain is symmetric.

    source        [ b b b … ]                      the current layer: states, or boards after moves, one word each
    targets       [ address mask count sum | … ]   hash tables
      slots       [ b + 1 | … ]                    the boards of a table; 0 is empty. The second half holds the value of
                                                   each board, or the number of its value
    values        [ v v v … ]                      the values of the boards after moves, for all layers
    weights       [ p p p … ]                      with WEIGHS, the probability of each board of `source`; tables add
                                                   up the probabilities of their boards

If a table is too full, or chance leads to a sum without a table, the kernel returns and Python makes room.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.games.kernels.playing import scored_moves
from searchlab.games.kernels.rules import PLAIN_MOVES, RuleArrays, after_chance, is_won, rules_of
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import MULTIPLIER, I, U

CELLS = 1
BITS = 1
POWERS_OF_TWO = True
MOST_MOVES = 1
MOST_CHANCES = 1
NEW_LAYER, WRONG_SUM, NOT_REACHED = 20, 21, 22
"""Statuses: chance leads to a layer without a table; a move changes the sum of the tiles, or chance does not increase
the sum; a board after a move was not found before.
"""
ADDRESS, MASK, COUNT, SUM, TARGET = range(5)
"""The fields of a row of `targets`, and their number."""
NO_TABLE = -1
WEIGHS = False
"""Whether boards have probabilities."""


def canonical(word: Any) -> Any:
    """Placeholder for the function that turns and reflects a board, so that equivalent boards become equal."""
    return word


class SolverControl(Record):
    """The state of the work on a layer."""

    at: int
    """The position of the current state."""
    last: int
    """The end of the layer."""
    first: int
    """The position of the first value of the layer."""
    layer: int
    """The sum of the tiles of the layer."""
    targets: int
    """The number of hash tables."""
    sum: int
    """The sum without a table, or the wrong sum."""
    full: int
    """The table that has to grow."""
    furthest: int
    """The largest sum that chance leads to from the layer."""
    work: int
    """The number of boards processed so far, in all layers."""


class SolverArrays(RuleArrays):
    """The arrays of a solver."""

    source: Pointer = array(np.uint64, "source")
    state: Pointer = array(np.uint64, 1)
    targets: Pointer = array(np.uint64, "targets", TARGET)
    values: Pointer = array(np.float64, "values")
    weights: Pointer = array(np.float64, "weights")
    out: Pointer = array(np.uint64, "most written", 1)
    next_out: Pointer = array(np.uint64, "successors", 1)
    points: Pointer = array(np.float64, "successors")
    terminal: Pointer = array(np.uint8, "successors")
    probabilities: Pointer = array(np.float64, "chances")
    layer: SolverControl = record(SolverControl)


def sum_of(word: Any) -> int:
    """Return the sum of the tiles of a board."""
    total = I(0)
    for cell in range(CELLS):
        code = I((word >> U(cell * BITS)) & U((1 << BITS) - 1))
        if POWERS_OF_TWO:
            total += (I(1) << code) & ~I(1)
        else:
            total += code
    return total


def slot_of(slots: Any, mask: int, state: Any) -> int:
    """Return the slot that holds a state, or the empty slot for it."""
    slot = I((state * MULTIPLIER) >> U(20)) & mask
    while slots[slot] != 0 and slots[slot] != state + U(1):
        slot = (slot + 1) & mask
    return slot


def some_is_full(s: SolverArrays, step: int, more: int) -> bool:
    """Return whether any `step`-th table may lack room for more states; set `full` to the number of this table."""
    for target in range(0, s.layer.targets, step):
        slots = I(s.targets[target * TARGET + MASK]) + 1
        if (I(s.targets[target * TARGET + COUNT]) + more) * 4 > slots * 3:
            s.layer.full = target
            return True
    return False


def put(targets: Any, target: int, state: Any, weight: float) -> None:
    """Enter a state into a table unless it is there; with WEIGHS, add its probability."""
    slots = pointer_to(targets[target * TARGET + ADDRESS], np.uint64)
    slot = slot_of(slots, I(targets[target * TARGET + MASK]), state)
    if slots[slot] == 0:
        slots[slot] = state + U(1)
        targets[target * TARGET + COUNT] += U(1)
    if WEIGHS:
        weights = pointer_to(targets[target * TARGET + ADDRESS], np.float64)
        weights[I(targets[target * TARGET + MASK]) + 1 + slot] += weight


def weight_of(s: SolverArrays) -> float:
    """Return the probability of the current board."""
    return s.weights[s.layer.at] if WEIGHS else 0.0


def target_of(s: SolverArrays, layer: int) -> int:
    """Return the table of the states of a layer, or NO_TABLE."""
    for target in range(s.layer.targets):
        if I(s.targets[target * TARGET + SUM]) == layer:
            return target
    return NO_TABLE


def enter(s: SolverArrays, budget: int) -> int:
    """Enter states into the tables of their layers."""
    c = s.layer
    while c.at < c.last:
        if some_is_full(s, 1, 1):
            return Status.TABLE_FULL
        c.sum = sum_of(s.source[c.at])
        target = target_of(s, c.sum)
        if target == NO_TABLE:
            return NEW_LAYER
        put(s.targets, target, canonical(s.source[c.at]), weight_of(s))
        c.at += 1
    return Status.EXHAUSTED


def make_moves(s: SolverArrays, budget: int) -> int:
    """Enter the boards after the moves from the states of a layer into the first table."""
    c, rules = s.layer, rules_of(s)
    while c.at < c.last:
        if c.work >= budget:
            return Status.BUDGET
        if some_is_full(s, 1, MOST_MOVES):
            return Status.TABLE_FULL
        state = pointer_to(address_of(s.source, c.at), np.uint64)
        count = I(0)
        if not is_won(rules, state):
            count = scored_moves(rules, state, s.next_out, s.terminal, s.points)
        for move in range(count):
            after = s.next_out[move]
            if sum_of(after) != c.layer:
                c.sum = sum_of(after)
                return WRONG_SUM
            if PLAIN_MOVES or s.terminal[move] == 0:
                put(s.targets, 0, canonical(after), 0.0)
        c.at += 1
        c.work += 1
    return Status.EXHAUSTED


def let_chance(s: SolverArrays, budget: int) -> int:
    """Enter the random outcomes of the boards after moves of a layer."""
    c, rules = s.layer, rules_of(s)
    while c.at < c.last:
        if c.work >= budget:
            return Status.BUDGET
        if some_is_full(s, 1, MOST_CHANCES):
            return Status.TABLE_FULL
        state = pointer_to(address_of(s.source, c.at), np.uint64)
        count = I(0)
        if not is_won(rules, state):
            count = after_chance(rules, state, s.out, s.probabilities)
            if count == 0:
                c.sum = c.layer
                return WRONG_SUM
        # Missing tables are requested before any probability is added, because the board is processed again.
        for event in range(count if WEIGHS else 0):
            c.sum = sum_of(s.out[event])
            if c.sum > c.layer and target_of(s, c.sum) == NO_TABLE:
                return NEW_LAYER
        for event in range(count):
            layer = sum_of(s.out[event])
            target = target_of(s, layer)
            if layer <= c.layer or target == NO_TABLE:
                c.sum = layer
                return WRONG_SUM if layer <= c.layer else NEW_LAYER
            put(s.targets, target, canonical(s.out[event]), s.probabilities[event] * weight_of(s))
        c.at += 1
        c.work += 1
    return Status.EXHAUSTED


def evaluate(s: SolverArrays, budget: int) -> int:
    """Compute the values of the boards after moves of a layer: the mean over chance of the best next value.

    The tables come in pairs: a table of the states of a layer with known values, and a table of the boards after moves
    of this layer, with the places of their values.
    """
    c, rules = s.layer, rules_of(s)
    while c.at < c.last:
        if c.work >= budget:
            return Status.BUDGET
        if some_is_full(s, 2, MOST_CHANCES):
            return Status.TABLE_FULL
        state = pointer_to(address_of(s.source, c.at), np.uint64)
        count = I(0)
        if not is_won(rules, state):
            count = after_chance(rules, state, s.out, s.probabilities)
        expected = 0.0
        for event in range(count):
            layer = sum_of(s.out[event])
            target = target_of(s, layer)
            if target == NO_TABLE:
                c.sum = layer
                return NEW_LAYER
            c.furthest = max(c.furthest, layer)
            value = value_of(s, target, canonical(s.out[event]))
            if value != value:
                return NOT_REACHED
            expected += s.probabilities[event] * value
        s.values[c.first + c.at] = expected
        c.at += 1
        c.work += 1
    return Status.EXHAUSTED


def value_of(s: SolverArrays, target: int, state: Any) -> float:
    """Return the value of a state on which the player moves, or NaN if a board after a move is unknown.

    Args:
        target: the table of the states of the layer of this state.
    """
    slots = pointer_to(s.targets[target * TARGET + ADDRESS], np.uint64)
    known = pointer_to(s.targets[target * TARGET + ADDRESS], np.float64)
    mask = I(s.targets[target * TARGET + MASK])
    slot = slot_of(slots, mask, state)
    if slots[slot] != 0:
        return known[mask + 1 + slot]
    slots[slot] = state + U(1)
    s.targets[target * TARGET + COUNT] += U(1)
    best = best_of(s, target + 1, slot)
    known[mask + 1 + slot] = best
    return best


def best_of(s: SolverArrays, index: int, slot: int) -> float:
    """Return the value of the best move from the state in a slot of the table before `index`, or 0 without a move."""
    rules = rules_of(s)
    s.state[0] = pointer_to(s.targets[(index - 1) * TARGET + ADDRESS], np.uint64)[slot] - U(1)
    if is_won(rules, s.state):
        return 0.0
    places = pointer_to(s.targets[index * TARGET + ADDRESS], np.uint64)
    mask = I(s.targets[index * TARGET + MASK])
    best = 0.0
    count = scored_moves(rules, s.state, s.next_out, s.terminal, s.points)
    for move in range(count):
        value = s.points[move]
        if PLAIN_MOVES or s.terminal[move] == 0:
            at = slot_of(places, mask, canonical(s.next_out[move]))
            if places[at] == 0:
                return np.nan
            value += s.values[I(places[mask + 1 + at])]
        best = value if move == 0 else max(best, value)
    return best


def index(s: SolverArrays, address: int, mask: int, count: int, first: int) -> int:
    """Enter `count` boards of `source`, after moves of a layer, into a table with their numbers; return 0."""
    slots = pointer_to(U(address), np.uint64)
    for at in range(count):
        slot = slot_of(slots, mask, s.source[at])
        slots[slot] = s.source[at] + U(1)
        slots[mask + 1 + slot] = U(first + at)
    return 0


def rehash(s: SolverArrays, address: int, mask: int, new_address: int, new_mask: int) -> int:
    """Copy a table of `mask` + 1 slots into an empty table; return 0."""
    old, new = pointer_to(U(address), np.uint64), pointer_to(U(new_address), np.uint64)
    for slot in range(mask + 1):
        if old[slot] != 0:
            to = slot_of(new, new_mask, old[slot] - U(1))
            new[to] = old[slot]
            new[new_mask + 1 + to] = old[mask + 1 + slot]
    return 0
