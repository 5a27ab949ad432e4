"""Expectimax on packed states: the value of each move, its function and rules inlined; see `search/expectimax.py`.

A kernel is compiled for a domain and a heuristic; the constants and functions below stand in for what it is compiled
with. Level l looks at one board on which chance moves, with as many levels of chance below it as `control[DEPTH]` says
less l; it lies in arrays by level:

    level             0                     1            …
    boards        [   b         |           b            …    the board on which chance moves
    outcomes      [   o o o o … |           o o …        …    what may become of it, with `probabilities`
    afters        [   a a a a   |           a a          …    the boards after the moves from the outcome at work
    numbers       [ COUNT AT MOVES MOVE_AT  |            …    how many there are, and which are at work
    values        [ REACHED EXPECTED BEST   |            …    how likely the board is, the sum so far, the best so far

    slot of table [ words of the board | stamp | value ]      of boards on which chance has moved; one entry a slot
"""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any

import numpy as np
from numba import types

from searchlab.search.kernels.intrinsics import address_of, pointer_to
from searchlab.search.kernels.table import I, U, hash_of, same_words

WIDTH = 1
MOST_MOVES = 1
MOST_CHANCES = 1
PLAIN_MOVES = True
"""No move ends the game."""
DEAD_IS_EVALUATED = False
"""A board without moves is worth what the heuristic says, not `figures[DEAD]`."""
WHOLE = False
"""What an outcome adds to a sum is cut to a whole number."""


def after_move(
    params: Any, tables: Any, words: Any, out: Any, terminal: Any, tiles: Any, out_tiles: Any, costs: Any, moves: Any
) -> int:
    """Stand in for the domain's successor function on packed states; `costs` and `moves` are not read."""
    return 0


def after_chance(params: Any, tables: Any, words: Any, out: Any, probabilities: Any, tiles: Any, out_tiles: Any) -> int:
    """Stand in for the domain's function of what chance may do to a packed state; at least that it stays as it is."""
    return 0


def is_won(params: Any, tables: Any, words: Any, tiles: Any) -> bool:
    """Stand in for the domain's test for a goal."""
    return False


def judge(params: Any, tables: Any, words: Any, tiles: Any) -> float:
    """Stand in for the heuristic, more being better."""
    return 0.0


_control, _figure, _number, _value, _status = count(), count(), count(), count(), count()

DEPTH = next(_control)
"""Levels of chance that are looked through."""
MOVE = next(_control)
"""Which of the moves is at work, and behind the last one."""
LAST_MOVE = next(_control)
LEVEL = next(_control)
"""The level at work, -1 before a move is begun."""
STAMP = next(_control)
"""Of the entries in the table that count for the move at work, less its depth."""
SLOTS = next(_control)
"""A power of two, 0 for no table."""
TRIES = next(_control)
"""Swipes tried so far."""
FOUND = next(_control)
"""Boards whose value was in the table."""
JUDGED = next(_control)
"""Which board is at a plugin's function: 4 × its number in `roots`, `outcomes` or `afters`, plus which of these."""
CONTROLS = next(_control)

CUTOFF = next(_figure)
"""A board less likely than this is not looked beyond."""
DEAD = next(_figure)
"""The value of a board without moves, and of one the heuristic calls a dead end."""
WON = next(_figure)
"""The value of a board that is a goal."""
FIGURES = next(_figure)

COUNT = next(_number)
AT = next(_number)
MOVES = next(_number)
MOVE_AT = next(_number)
NUMBERS = next(_number)

REACHED = next(_value)
EXPECTED = next(_value)
BEST = next(_value)
VALUES = next(_value)

DONE = next(_status)
BUDGET = next(_status)
NOT_A_NUMBER = next(_status)

ROOTS, OUTCOMES, AFTERS = 0, 1, 2
STAMPS_A_MOVE = 64
"""The stamps of one move: one for each depth there may be."""

_u8, _i64, _u64, _f64 = (types.CPointer(t) for t in (types.uint8, types.int64, types.uint64, types.float64))
SIGNATURE = types.int64(
    *(_f64, _u8, _i64, _i64, _f64, _i64),
    *(_u64, _u8, _f64),
    *(_u64, _u64, _f64, _u64, _u8, _i64, _f64),
    *(_u64, _f64, _i64, _f64, types.int64),
)


def expectimax(
    params: Any,
    tables: Any,
    tiles: Any,
    out_tiles: Any,
    costs: Any,
    described: Any,
    roots: Any,
    root_terminal: Any,
    root_values: Any,
    boards: Any,
    outcomes: Any,
    probabilities: Any,
    afters: Any,
    terminal: Any,
    numbers: Any,
    values: Any,
    table: Any,
    table_values: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Look ahead from the boards after each move until all have values, or `budget` swipes have been tried in all.

    `table` and `table_values` are the same memory, once as words and once as numbers.
    """
    depth, cutoff = control[DEPTH], figures[CUTOFF]
    mask, stride = control[SLOTS] - 1, WIDTH + 2
    level, tries = control[LEVEL], control[TRIES]
    found = I(0)
    status = DONE
    while True:
        if level < 0:
            root = control[MOVE]
            if root == control[LAST_MOVE]:
                break
            control[JUDGED] = 4 * root + ROOTS
            value = leaf(params, tables, tiles, roots, root, root_terminal, depth == 0, figures)
            if value != value:
                status = NOT_A_NUMBER
                break
            if value != inf:
                root_values[root] = value
                control[MOVE] = root + 1
                control[STAMP] += STAMPS_A_MOVE
                continue
            level = I(0)
            values[REACHED] = 1.0
            enter(params, tables, tiles, out_tiles, roots, root, boards, outcomes, probabilities, numbers, values, 0)
        now, of_values = level * NUMBERS, level * VALUES
        if numbers[now + AT] == numbers[now + COUNT]:
            value = values[of_values + EXPECTED]
            if mask >= 0:
                at = I(hash_of(boards, level * WIDTH, WIDTH) & U(mask)) * stride
                for word in range(WIDTH):
                    table[at + word] = boards[level * WIDTH + word]
                table[at + WIDTH] = U(control[STAMP] + depth - level)
                table_values[at + WIDTH + 1] = value
            if level == 0:
                root_values[control[MOVE]] = value
                control[MOVE] += 1
                control[STAMP] += STAMPS_A_MOVE
                level = I(-1)
                continue
            level -= 1
            now, of_values = now - NUMBERS, of_values - VALUES
            values[of_values + BEST] = max(values[of_values + BEST], value)
        else:
            if tries >= budget:
                status = BUDGET
                break
            tries += MOST_MOVES
            outcome = level * MOST_CHANCES + numbers[now + AT]
            first = level * MOST_MOVES
            outcome_words = pointer_to(address_of(outcomes, outcome * WIDTH), np.uint64)
            control[JUDGED] = 4 * outcome + OUTCOMES
            legal = after_move(
                params,
                tables,
                outcome_words,
                pointer_to(address_of(afters, first * WIDTH), np.uint64),
                pointer_to(address_of(terminal, first), np.uint8),
                tiles,
                out_tiles,
                costs,
                described,
            )
            numbers[now + MOVES], numbers[now + MOVE_AT] = legal, 0
            best = -inf
            if legal == 0:
                best = worth_of_the_dead(params, tables, outcome_words, tiles, figures)
            likely = values[of_values + REACHED] * probabilities[outcome]
            no_further = level + 1 == depth or likely < cutoff
            if no_further:
                for k in range(legal):
                    control[JUDGED] = 4 * (first + k) + AFTERS
                    value = leaf(params, tables, tiles, afters, first + k, terminal, True, figures)
                    if value != value:
                        best = value
                        break
                    best = max(best, value)
                numbers[now + MOVE_AT] = legal
            if best != best:
                status = NOT_A_NUMBER
                break
            values[of_values + BEST] = best
        entered = False
        while numbers[now + MOVE_AT] < numbers[now + MOVES]:
            k = level * MOST_MOVES + numbers[now + MOVE_AT]
            numbers[now + MOVE_AT] += 1
            control[JUDGED] = 4 * k + AFTERS
            value = leaf(params, tables, tiles, afters, k, terminal, False, figures)
            if value == inf and mask >= 0:
                at = I(hash_of(afters, k * WIDTH, WIDTH) & U(mask)) * stride
                known = table[at + WIDTH] == U(control[STAMP] + depth - level - 1)
                if known and same_words(table, at, afters, k * WIDTH, WIDTH):
                    found += 1
                    value = table_values[at + WIDTH + 1]
            if value != value:
                status = NOT_A_NUMBER
                break
            if value != inf:
                values[of_values + BEST] = max(values[of_values + BEST], value)
                continue
            outcome = level * MOST_CHANCES + numbers[now + AT]
            values[of_values + VALUES + REACHED] = values[of_values + REACHED] * probabilities[outcome]
            level += 1
            enter(params, tables, tiles, out_tiles, afters, k, boards, outcomes, probabilities, numbers, values, level)
            entered = True
            break
        if status == NOT_A_NUMBER:
            break
        if not entered:
            outcome = level * MOST_CHANCES + numbers[now + AT]
            added = probabilities[outcome] * values[of_values + BEST]
            values[of_values + EXPECTED] += np.trunc(added) if WHOLE else added
            numbers[now + AT] += 1
    control[LEVEL], control[TRIES] = level, tries
    control[FOUND] += found
    return status


def enter(
    params: Any,
    tables: Any,
    tiles: Any,
    out_tiles: Any,
    afters: Any,
    after: int,
    boards: Any,
    outcomes: Any,
    probabilities: Any,
    numbers: Any,
    values: Any,
    level: int,
) -> None:
    """Begin to look at what chance may do to a board after a move."""
    for word in range(WIDTH):
        boards[level * WIDTH + word] = afters[after * WIDTH + word]
    first = level * MOST_CHANCES
    numbers[level * NUMBERS + COUNT] = after_chance(
        params,
        tables,
        pointer_to(address_of(boards, level * WIDTH), np.uint64),
        pointer_to(address_of(outcomes, first * WIDTH), np.uint64),
        pointer_to(address_of(probabilities, first), np.float64),
        tiles,
        out_tiles,
    )
    numbers[level * NUMBERS + AT] = 0
    numbers[level * NUMBERS + MOVES] = 0
    numbers[level * NUMBERS + MOVE_AT] = 0
    values[level * VALUES + EXPECTED] = 0.0


def leaf(
    params: Any, tables: Any, tiles: Any, afters: Any, after: int, terminal: Any, is_last: bool, figures: Any
) -> float:
    """Return the value of a board after a move that is looked at no further; infinite for one that is."""
    words = pointer_to(address_of(afters, after * WIDTH), np.uint64)
    if is_won(params, tables, words, tiles):
        return figures[WON]
    if not is_last and (PLAIN_MOVES or not terminal[after]):
        return inf
    value = judge(params, tables, words, tiles)
    return figures[DEAD] if abs(value) == inf else value


def worth_of_the_dead(params: Any, tables: Any, words: Any, tiles: Any, figures: Any) -> float:
    """Return the value of a board without moves."""
    if DEAD_IS_EVALUATED:
        value = judge(params, tables, words, tiles)
        if abs(value) < inf or value != value:
            return value
    return figures[DEAD]
