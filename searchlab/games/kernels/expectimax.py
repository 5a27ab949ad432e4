"""Expectimax on packed states: the value of each move, rules and heuristic inlined; see `games/look_ahead.py`.

A kernel is compiled for a domain and a heuristic; the constants and functions below stand in for what it is compiled
with. Level 0 holds the boards after the moves that are asked about; level l > 0 looks at one board on which chance
moves, reached by one of the boards of the level above. What a level knows lies in arrays by level:

    level             0             1                   …
    boards        [             |   b                   …    the board on which chance moves
    outcomes      [             |   o o o o …           …    what may become of it, with `probabilities`
    afters        [   a a a a   |   a a a               …    the boards after the moves from the outcome at work,
                                                             with what they earn in `points`, where that counts
    numbers       [ COUNT AT MOVES MOVE_AT |            …    how many there are of both, and which are at work
    values        [ REACHED LIKELY EXPECTED BEST |      …    how likely the board is, and the outcome at work;
                                                             the sum over outcomes so far; the best move so far

    slot of table [ words of the board | stamp | value ]     of boards on which chance has moved; one entry a slot
"""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any

import numpy as np
from numba import types

from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.search.kernels.hash_table import I, U, hash_of, same_words

WIDTH = 1
MOST_MOVES = 1
MOST_CHANCES = 1
PLAIN_MOVES = True
"""No move ends the game."""
DEAD_IS_EVALUATED = False
"""A board without moves is worth what the heuristic says, not `figures[DEAD]`."""
WHOLE = False
"""What an outcome adds to a sum is cut to a whole number."""
EARNS = False
"""What moves earn counts; in `answers` what those asked about earn themselves is left out."""


def after_move(
    params: Any,
    tables: Any,
    words: Any,
    out: Any,
    terminal: Any,
    points: Any,
    tiles: Any,
    out_tiles: Any,
    costs: Any,
    moves: Any,
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
"""How often chance moves, at most, before boards are judged."""
LEVEL = next(_control)
"""The level at work."""
STAMP = next(_control)
"""Of the entries in the table that count for the move at work; added to it is how often chance moves on from there."""
SLOTS = next(_control)
"""A power of two, 0 for no table."""
TRIES = next(_control)
"""Moves tried so far, legal or not."""
FOUND = next(_control)
"""Boards whose value was in the table."""
JUDGED = next(_control)
"""Which board is at a plugin's function: 2 × its number in `outcomes` or `afters`, plus which of them."""
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
LIKELY = next(_value)
EXPECTED = next(_value)
BEST = next(_value)
VALUES = next(_value)

DONE = next(_status)
BUDGET = next(_status)
NOT_A_NUMBER = next(_status)

OUTCOMES, AFTERS = 0, 1
STAMPS_A_MOVE = 64
"""The stamps of one move: one for each depth there may be."""

_u8, _i64, _u64, _f64 = (types.CPointer(t) for t in (types.uint8, types.int64, types.uint64, types.float64))
SIGNATURE = types.int64(
    *(_f64, _u8, _i64, _i64, _f64, _i64),
    *(_u64, _u64, _f64, _u64, _u8, _f64, _i64, _f64),
    *(_f64, _u64, _f64, _i64, _f64, types.int64),
)


def expectimax(
    params: Any,
    tables: Any,
    tiles: Any,
    out_tiles: Any,
    costs: Any,
    described: Any,
    boards: Any,
    outcomes: Any,
    probabilities: Any,
    afters: Any,
    terminal: Any,
    points: Any,
    numbers: Any,
    values: Any,
    answers: Any,
    table: Any,
    table_values: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Look ahead until each board of level 0 has its value in `answers`, or `budget` moves have been tried in all.

    `table` and `table_values` are the same memory, once as words and once as numbers.
    """
    depth, cutoff = control[DEPTH], figures[CUTOFF]
    mask, stride = control[SLOTS] - 1, WIDTH + 2
    level, tries = control[LEVEL], control[TRIES]
    takes_outcome = level > 0
    status = -1
    while status < 0:
        now, of_values = level * NUMBERS, level * VALUES
        first = level * MOST_MOVES
        outcome = level * MOST_CHANCES + numbers[now + AT]
        if takes_outcome:
            takes_outcome = False
            if numbers[now + AT] == numbers[now + COUNT]:
                value = values[of_values + EXPECTED]
                if mask >= 0:
                    at = I(hash_of(boards, level * WIDTH, WIDTH) & U(mask)) * stride
                    for word in range(WIDTH):
                        table[at + word] = boards[level * WIDTH + word]
                    table[at + WIDTH] = U(control[STAMP] + depth - level + 1)
                    table_values[at + WIDTH + 1] = value
                level -= 1
                if EARNS and level > 0:
                    value += points[level * MOST_MOVES + numbers[level * NUMBERS + MOVE_AT] - 1]
                values[level * VALUES + BEST] = max(values[level * VALUES + BEST], value)
                if level == 0:
                    answers[numbers[MOVE_AT] - 1] = value
                continue
            if tries >= budget:
                status = BUDGET
                break
            tries += MOST_MOVES
            control[JUDGED] = 2 * outcome + OUTCOMES
            words = pointer_to(address_of(outcomes, outcome * WIDTH), np.uint64)
            numbers[now + MOVES] = after_move(
                params,
                tables,
                words,
                pointer_to(address_of(afters, first * WIDTH), np.uint64),
                pointer_to(address_of(terminal, first), np.uint8),
                pointer_to(address_of(points, first), np.float64),
                tiles,
                out_tiles,
                costs,
                described,
            )
            numbers[now + MOVE_AT] = 0
            values[of_values + LIKELY] = values[of_values + REACHED] * probabilities[outcome]
            values[of_values + BEST] = -inf
            if numbers[now + MOVES] == 0:
                values[of_values + BEST] = worth_of_the_dead(params, tables, words, tiles, figures)
        is_last = level == depth or values[of_values + LIKELY] < cutoff
        best = values[of_values + BEST]
        goes_deeper = False
        for k in range(numbers[now + MOVE_AT], numbers[now + MOVES]):
            after = first + k
            control[JUDGED] = 2 * after + AFTERS
            value = worth(params, tables, tiles, afters, after, terminal, is_last, figures)
            if value == inf and mask >= 0:
                at = I(hash_of(afters, after * WIDTH, WIDTH) & U(mask)) * stride
                known = table[at + WIDTH] == U(control[STAMP] + depth - level)
                if known and same_words(table, at, afters, after * WIDTH, WIDTH):
                    control[FOUND] += 1
                    value = table_values[at + WIDTH + 1]
            if value == inf:
                numbers[now + MOVE_AT] = k + 1
                goes_deeper = True
                break
            if level == 0:
                answers[k] = value
            elif EARNS:
                value += points[after]
            best = value if value != value else max(best, value)
            if best != best:
                break
        values[of_values + BEST] = best
        takes_outcome = True
        if best != best:
            status = NOT_A_NUMBER
        elif goes_deeper:
            if level == 0:
                control[STAMP] += STAMPS_A_MOVE
            level += 1
            k = first + numbers[now + MOVE_AT] - 1
            for word in range(WIDTH):
                boards[level * WIDTH + word] = afters[k * WIDTH + word]
            numbers[now + NUMBERS + COUNT] = after_chance(
                params,
                tables,
                pointer_to(address_of(boards, level * WIDTH), np.uint64),
                pointer_to(address_of(outcomes, level * MOST_CHANCES * WIDTH), np.uint64),
                pointer_to(address_of(probabilities, level * MOST_CHANCES), np.float64),
                tiles,
                out_tiles,
            )
            numbers[now + NUMBERS + AT] = 0
            values[of_values + VALUES + REACHED] = values[of_values + LIKELY]
            values[of_values + VALUES + EXPECTED] = 0.0
        elif level == 0:
            status = DONE
        else:
            added = probabilities[outcome] * best
            values[of_values + EXPECTED] += np.trunc(added) if WHOLE else added
            numbers[now + AT] += 1
    control[LEVEL], control[TRIES] = level, tries
    return status


def worth(
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
        if abs(value) != inf:
            return value
    return figures[DEAD]
