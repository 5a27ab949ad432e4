"""Expectimax on packed states: the value of each move, rules and heuristic inlined; see `games/look_ahead.py`.

A kernel is compiled for a domain and a heuristic, which replace the constants and functions below. Level 0 holds the
boards after the moves to be valued. A level l > 0 looks at a board on which chance moves, taken from the boards of the
level above. The data of all levels lie in arrays by level:

    level             0             1                   …
    boards        [ a           |   b                   …    the board to be valued, with `asked`; the boards on
                                                             which chance moves
    outcomes      [             |   o o o o …           …    its random outcomes, with `probabilities`
    afters        [   a a a a   |   a a a               …    the boards after the moves from the current outcome,
                                                             with their `points`, if points count
    numbers       [ COUNT AT MOVES MOVE_AT |            …    the number of outcomes and the current outcome; the same
                                                             for moves
    values        [ REACHED LIKELY EXPECTED BEST |      …    the probability of the board, and of the current
                                                             outcome; the sum over outcomes and the best move so far

    slot of table [ words of the board | looked | value ]    boards on which chance has moved; one entry per slot.
                                                             `looked` is the probability, rounded to a rung of the
                                                             ladder (0 without a cut-off), with the remaining number of
                                                             chance moves in its lowest bits. Each word is xor-ed with
                                                             the other two: threads share the table without locks, and
                                                             an entry that two threads wrote at the same time matches
                                                             no board (Hyatt and Mann 2002)

A value depends on nothing else, so values are found again when the next move is computed.

    memory        [ words of the board | value ]         judged boards, if judging takes longer than a look-up; the
                                                         value is NaN in an empty slot
    recalled      [ v v v v ]                            the values found there for the current boards after moves,
                                                         NaN if not found; their slots are in `places`

In games of 2048, 55 to 66 % of the boards to be judged are found in `memory`: a tile slides to the same cell from
several cells.

If a network judges, all leaves after a board are judged together, so that the reads of many weights overlap. A leaf is
a board after a move from an outcome that is not looked beyond:

    leaf_afters   [ a a a | a a | … ]                    the leaves, outcome by outcome, with `leaf_points`, and their
                                                         slots of `memory` in `places`
    leaf_moves    [ 3     | 2   | … ]                    the number of leaves of each outcome
    unknown       [ k k k … ]                            the numbers of the leaves that `memory` does not have
    leaf_bests    [ v v v … | v v v … | ]                by level, the value of the best leaf of each outcome

Threads share the outcomes of level 1, in two halves: outcomes with even numbers and outcomes with odd numbers. Each
outcome is a look of its own, at the moves of level 1. All arrays belong to one thread, except the table and the arrays
below; `claims`, `bests` and `likelihoods` are indexed by (half, move, outcome // 2):

    claims        [ n n m | n m … ]      the number of the last look in which a thread has begun with the outcome
    bests         [ v v   | v     ]      the value of the best move from the outcome
    likelihoods   [ p p   | p     ]      the probability of the outcome
    given         [ n d b | a t | … ]    the number of moves, the depth, the tries between two looks at the clock; the
                                         boards after the moves, and whether the game is over
    gate          [ look | inside | open ]    one number: the number of the look, the number of other threads that take
                                              part in it, and whether more threads may take part

The main thread opens the gate, processes unclaimed outcomes, closes the gate, waits until no thread is inside, and adds
up the values. The other threads wait at the gate for a while, because waking a thread can take longer than a look.

Reading memory that another core has written can take as long as trying 30 moves. So a thread begins with its own half,
and then takes the rest of the other half. Each half has its own half of the table. If either of two tiles can appear in
a cell, one outcome is in the even half and the other in the odd half. Few boards follow from both, so only 7 % more
boards are processed than with a common table.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, compare_and_swap, let_others_run, pointer_to, prefetch
from searchlab.games.kernels.rules import (
    PLAIN_MOVES,
    RuleArrays,
    after_chance,
    after_move,
    find,
    is_outgrown,
    is_won,
    judge,
    legal_moves,
    rules_of,
    sum_up,
)
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import I, U, hash_of, same_words

WIDTH = 1
MOST_MOVES = 1
MOST_CHANCES = 1
DEAD_IS_EVALUATED = False
"""Whether a board without moves has the heuristic's value, not `value_of_dead`."""
WHOLE = False
"""Whether the share of each outcome in a sum is truncated to an integer."""
IS_FINITE = False
"""Whether the heuristic never fails and has finite values only, so that nothing is checked."""
EARNS = False
"""Whether points of moves count; `answers` omits the points of the valued moves themselves."""
IN_THREADS = False
"""Whether threads may share the outcomes of level 1."""
LOOKUPS = 0
"""The number of weights in the value of a board, if a network judges."""
REMEMBERS = False
"""Whether values of boards are kept in `memory`."""
COUNT, AT, MOVES, MOVE_AT, NUMBERS = range(5)
"""The columns of `numbers`."""
REACHED, LIKELY, EXPECTED, BEST, VALUES = range(5)
"""The columns of `values`."""
OUTCOMES, AFTERS = 0, 1
TOGETHER = 8
"""The number of boards for which the weights of a network are found before the first weight is read."""
LEVELS = 64
"""The most levels."""
GIVEN = 3
"""The number of numbers at the beginning of `given`."""
OPEN, ONE_INSIDE, NEXT_LOOK = 1, 2, 1 << 16
"""The parts of the number at the gate."""
PATIENCE = 1 << 16
"""The number of times that a thread checks the gate before it gives up: half a millisecond."""
AT_ONCE = 1 << 10
"""The number of checks before a thread yields its core, which the thread that it waits for may need."""
RUNGS = 0xFFFC_0000_0000_0000
"""The bits of a float64 that remain when it is rounded down to a rung of the ladder: see `look_ahead.rung`."""


class ExpectimaxControl(Record):
    """The task of the kernel, and its current state."""

    depth: int
    """The most chance moves before boards are judged."""
    level: int
    """The current level."""
    base: int
    """The level whose moves get `answers`: 1 for an outcome that threads share, else 0."""
    slots: int
    """The slots of the table: a power of two, or 0 for no table."""
    tries: int
    """The number of moves tried so far, legal or not."""
    found: int
    """The number of boards with a value in the table."""
    asked: int
    """Whether the moves from `boards[0]` must be found first."""
    legal: int
    """The legal actions as bits; negative if the packed form cannot tell."""
    shares: int
    """Whether threads share the outcomes of level 1."""
    serves: int
    """The number of this thread among the threads that take part in a look of the main thread, which has number 0."""
    opens: int
    """Whether the gate must be opened first."""
    closes: int
    """Whether the gate must be closed, and nothing more is looked at."""
    leaves: int
    """Whether this thread must only leave."""
    inside: int
    """Whether this thread takes part in a look."""
    look: int
    """The number of the last look in which this thread took part."""
    half: int
    """The half of the outcomes of level 1 in progress, if threads share them."""
    is_second_half: int
    """Whether this half is the thread's second half."""
    at_once: int
    """The number of moves that the other threads try between two looks at the clock."""
    last_place: int
    """The last slot of `memory`; the number of slots is a power of two."""
    judged: int
    """The board in a plugin's function: 2 × its number in `outcomes` or `afters`, plus the index of the array."""
    cutoff: float
    """A board less likely than this is not looked beyond."""
    value_of_dead: float
    """The value of a board without moves, and of a board that the heuristic calls a dead end."""
    value_of_goal: float


class ExpectimaxArrays(RuleArrays):
    """The arrays of one thread that looks ahead."""

    boards: Pointer = array(np.uint64, "levels", "width")
    outcomes: Pointer = array(np.uint64, "levels", "chances", "width")
    probabilities: Pointer = array(np.float64, "levels", "chances")
    afters: Pointer = array(np.uint64, "levels", "successors", "width")
    terminal: Pointer = array(np.uint8, "levels", "successors")
    points: Pointer = array(np.float64, "levels", "successors")
    numbers: Pointer = array(np.int64, "levels", NUMBERS)
    values: Pointer = array(np.float64, "levels", VALUES, fill=1)
    bits: Pointer = array(np.uint64, "levels", VALUES)  # the same memory as `values`
    answers: Pointer = array(np.float64, 2, "successors")
    lookups: Pointer = array(np.uint32, "boards together", "lookups")
    recalled: Pointer = array(np.float64, "successors")
    places: Pointer = array(np.int64, "leaves")
    leaf_bests: Pointer = array(np.float64, "levels", "chances")
    leaf_moves: Pointer = array(np.int64, "chances")
    leaf_afters: Pointer = array(np.uint64, "leaves", "width")
    leaf_terminal: Pointer = array(np.uint8, "leaves")
    leaf_points: Pointer = array(np.float64, "leaves")
    unknown: Pointer = array(np.int64, "leaves")
    memory: Pointer = array(np.uint64, "memory")
    memory_values: Pointer = array(np.float64, "memory")  # the same memory as `memory`
    claims: Pointer = array(np.uint64, 2, "successors", "half of chances")
    bests: Pointer = array(np.float64, 2, "successors", "half of chances")
    likelihoods: Pointer = array(np.float64, 2, "successors", "half of chances")
    given: Pointer = array(np.uint64, "given")
    gate: Pointer = array(np.uint64, 1)
    table: Pointer = array(np.uint64, "table")
    control: ExpectimaxControl = record(ExpectimaxControl)


def look(s: ExpectimaxArrays, budget: int) -> int:
    """Look ahead; if `asked`, find the moves first, and return GOAL if they must be found on Board objects.

    The budget applies to the main thread, which gives the other threads theirs.
    """
    c, rules = s.control, rules_of(s)
    if c.asked != 0:
        if is_outgrown(rules, s.boards) or is_won(rules, s.boards):
            return Status.GOAL
        c.legal = legal_moves(rules, s.boards)
        begin_level_0(s, after_move(rules, s.boards, s.afters, s.terminal, s.points))
        c.asked = 0
    return look_in_threads(s, budget) if IN_THREADS else expectimax(s, budget)


def look_in_threads(s: ExpectimaxArrays, budget: int) -> int:
    """Look ahead as the main thread with other threads, or as one of these other threads."""
    c = s.control
    if c.opens != 0:
        open_gate(s)
        c.opens = 0
    if c.leaves != 0:
        leave(s)
        c.leaves = 0
        return Status.EXHAUSTED
    status = I(Status.EXHAUSTED)
    while True:
        if c.serves != 0 and c.inside == 0 and not enter(s):
            return Status.EXHAUSTED
        if c.closes == 0 and c.shares != 0:
            status = look_at_shared(s, budget if c.serves == 0 else c.tries + c.at_once)
        elif c.closes == 0:
            status = expectimax(s, budget)
        if c.serves == 0 or status != Status.EXHAUSTED:
            break
        leave(s)
    if c.shares != 0 and c.serves == 0 and status == Status.EXHAUSTED:
        c.closes = 1  # if other threads are still working, the next call continues here
        if not close_gate(s):
            return Status.BUDGET
        c.closes = 0
        add_up(s)
    return status


def at_gate(s: ExpectimaxArrays) -> Any:
    """Return the number at the gate."""
    return compare_and_swap(s.gate, I(0), U(0), U(0))


def claim(s: ExpectimaxArrays, outcome: int) -> bool:
    """Claim a shared outcome; return False if another thread has claimed it in this look."""
    look, before = U(s.control.look), s.claims[outcome]
    return before != look and compare_and_swap(s.claims, outcome, before, look) == before


def open_gate(s: ExpectimaxArrays) -> None:
    """Give the other threads the moves of level 0; no thread is inside."""
    c, moves = s.control, s.numbers[MOVES]
    begin_half(s, I(0))
    s.given[0], s.given[1], s.given[2] = U(moves), U(c.depth), U(c.at_once)
    for move in range(moves):
        at = GIVEN + move * (WIDTH + 1)
        for word in range(WIDTH):
            s.given[at + word] = s.afters[move * WIDTH + word]
        s.given[at + WIDTH] = U(s.terminal[move])
    number = at_gate(s) + U(NEXT_LOOK)
    c.look = I(number // U(NEXT_LOOK))
    compare_and_swap(s.gate, I(0), number - U(NEXT_LOOK), number | U(OPEN))


def enter(s: ExpectimaxArrays) -> bool:
    """Wait for a while for a look that is new to this thread, and read its moves; return False if there was none."""
    c = s.control
    for waited in range(PATIENCE):
        if waited % AT_ONCE == AT_ONCE - 1:
            let_others_run()
        number = at_gate(s)
        if number & U(OPEN) == U(0) or I(number // U(NEXT_LOOK)) == c.look:
            continue
        if compare_and_swap(s.gate, I(0), number, number + U(ONE_INSIDE)) != number:
            continue
        c.inside, c.look, c.shares = 1, I(number // U(NEXT_LOOK)), 1
        begin_half(s, c.serves % 2)
        moves, c.depth, c.at_once = I(s.given[0]), I(s.given[1]), I(s.given[2])
        for move in range(moves):
            at = GIVEN + move * (WIDTH + 1)
            for word in range(WIDTH):
                s.afters[move * WIDTH + word] = s.given[at + word]
            s.terminal[move] = np.uint8(s.given[at + WIDTH])
        begin_level_0(s, moves)
        return True
    return False


def begin_half(s: ExpectimaxArrays, half: int) -> None:
    """Begin with the outcomes of a half, before the first move."""
    s.control.half, s.control.is_second_half = half, 0
    s.numbers[NUMBERS + COUNT] = s.numbers[NUMBERS + AT] = 0


def leave(s: ExpectimaxArrays) -> None:
    """Stop taking part in the look."""
    left = False
    while not left:
        number = at_gate(s)
        left = compare_and_swap(s.gate, I(0), number, number - U(ONE_INSIDE)) == number
    s.control.inside = 0


def close_gate(s: ExpectimaxArrays) -> bool:
    """Let no more threads in, and wait for a while; return whether all threads have left."""
    number = at_gate(s)
    while number & U(OPEN) != U(0):
        compare_and_swap(s.gate, I(0), number, number - U(OPEN))
        number = at_gate(s)
    left = PATIENCE
    while left > 0 and at_gate(s) % U(NEXT_LOOK) != U(0):
        left -= 1
        if left % AT_ONCE == 0:
            let_others_run()
    return left > 0


def add_up(s: ExpectimaxArrays) -> None:
    """Write the values of the moves to `answers`, adding up their outcomes in order."""
    look = U(s.control.look)
    for move in range(s.numbers[MOVES]):
        count, outcome = I(0), shared(move, I(0))
        expected = 0.0
        while count < MOST_CHANCES and s.claims[outcome] == look:
            added = s.likelihoods[outcome] * s.bests[outcome]
            expected += np.trunc(added) if WHOLE else added
            count += 1
            outcome = shared(move, count)
        if count > 0:
            s.answers[move] = expected


def look_at_shared(s: ExpectimaxArrays, budget: int) -> int:
    """Process the outcomes of level 1 that no other thread has claimed until none is left; otherwise as `expectimax`.

    Each outcome is a look of its own, at the moves of level 1. `add_up` computes the answers of level 0.
    """
    c = s.control
    while True:
        if c.base == 0:
            if c.tries >= budget:
                return Status.BUDGET
            status = begin_outcome(s)
            if c.base == 0:
                return status
        status = expectimax(s, budget)
        if status != Status.EXHAUSTED:
            return status
        best = -inf
        for k in range(s.numbers[NUMBERS + MOVES]):
            value = s.answers[MOST_MOVES + k]
            if EARNS:
                value += s.points[MOST_MOVES + k]
            best = max(best, value)
        end_outcome(s, best)


def begin_outcome(s: ExpectimaxArrays) -> int:
    """Begin the next outcome of level 1, from the thread's own half if possible.

    Returns:
        EXHAUSTED if all outcomes are claimed, or NOT_A_NUMBER if the value of a board is NaN; `base` is still 0 in both
            cases.
    """
    c, rules = s.control, rules_of(s)
    while True:
        move, at = s.numbers[MOVE_AT] - 1, s.numbers[NUMBERS + AT]
        while at < s.numbers[NUMBERS + COUNT]:
            if not claim(s, shared(move, at)):
                at += 2
                continue
            s.numbers[NUMBERS + AT] = at
            c.tries += MOST_MOVES
            outcome = MOST_CHANCES + at
            c.judged = 2 * outcome + OUTCOMES
            words = pointer_to(address_of(s.outcomes, outcome * WIDTH), np.uint64)
            s.numbers[NUMBERS + MOVES] = after_move(
                rules,
                words,
                pointer_to(address_of(s.afters, MOST_MOVES * WIDTH), np.uint64),
                pointer_to(address_of(s.terminal, MOST_MOVES), np.uint8),
                pointer_to(address_of(s.points, MOST_MOVES), np.float64),
            )
            s.values[VALUES + LIKELY] = s.values[VALUES + REACHED] * s.probabilities[outcome]
            if s.numbers[NUMBERS + MOVES] > 0:
                s.numbers[NUMBERS + MOVE_AT] = 0
                c.level, c.base = 1, 1
                return Status.BUDGET
            best = worth_of_the_dead(s, words)
            if best != best:
                return Status.NOT_A_NUMBER
            end_outcome(s, best)
            at += 2
        status = begin_outcomes(s)
        if status != Status.BUDGET:
            return status


def begin_outcomes(s: ExpectimaxArrays) -> int:
    """Find the random outcomes after the next move of level 0; after the last move, begin with the other half.

    Returns:
        BUDGET, or the status of `begin_outcome` if there are no more outcomes or a value is NaN.
    """
    c = s.control
    s.numbers[NUMBERS + COUNT] = s.numbers[NUMBERS + AT] = 0
    if s.numbers[MOVE_AT] == s.numbers[MOVES]:
        if c.is_second_half != 0:
            return Status.EXHAUSTED
        c.half, c.is_second_half = 1 - c.half, 1
        s.numbers[MOVE_AT] = 0
        return Status.BUDGET
    move = s.numbers[MOVE_AT]
    s.numbers[MOVE_AT] = move + 1
    c.judged = 2 * move + AFTERS
    is_last = c.depth == 0 or s.values[LIKELY] < c.cutoff
    value = worth(s, move) if is_last else worth_at_once(s, move)
    if is_last or value != inf:
        s.answers[move] = value
        return Status.NOT_A_NUMBER if value != value else Status.BUDGET
    for word in range(WIDTH):
        s.boards[WIDTH + word] = s.afters[move * WIDTH + word]
    s.bits[VALUES + REACHED] = s.bits[LIKELY] & (U(RUNGS) if c.cutoff > 0.0 else U(0))
    s.numbers[NUMBERS + AT] = c.half
    s.numbers[NUMBERS + COUNT] = after_chance(
        rules_of(s),
        pointer_to(address_of(s.boards, WIDTH), np.uint64),
        pointer_to(address_of(s.outcomes, MOST_CHANCES * WIDTH), np.uint64),
        pointer_to(address_of(s.probabilities, MOST_CHANCES), np.float64),
    )
    return Status.BUDGET


def end_outcome(s: ExpectimaxArrays, best: float) -> None:
    """Store the value of the best move from the current outcome, for the thread that adds up."""
    at = s.numbers[NUMBERS + AT]
    outcome = shared(s.numbers[MOVE_AT] - 1, at)
    s.bests[outcome], s.likelihoods[outcome] = best, s.probabilities[MOST_CHANCES + at]
    s.numbers[NUMBERS + AT] = at + 2
    s.control.level, s.control.base = 0, 0


def begin_level_0(s: ExpectimaxArrays, moves: int) -> None:
    """Begin with level 0, which already holds the boards after the moves to be valued."""
    s.control.level, s.control.base = 0, 0
    s.numbers[MOVES], s.numbers[MOVE_AT] = moves, 0
    for k in range(VALUES):
        s.values[k] = 1.0


def expectimax(s: ExpectimaxArrays, budget: int) -> int:
    """Look ahead until each board of level `base` has its value in `answers`, or `budget` moves have been tried in all.

    The current level is kept in local variables, and in `numbers` and `values` while a deeper level is processed.
    """
    c, rules = s.control, rules_of(s)
    depth, cutoff = c.depth, c.cutoff
    mask, table, stride = c.slots - 1, s.table, WIDTH + 2
    if IN_THREADS and c.shares != 0:
        mask = c.slots // 2 - 1
        table = pointer_to(address_of(s.table, c.half * (c.slots // 2) * stride), np.uint64)
    base_level = c.base if IN_THREADS else I(0)
    rungs = U(RUNGS) if cutoff > 0.0 else U(0)
    level, tries = c.level, c.tries
    first, base = level * MOST_MOVES, level * MOST_CHANCES
    count, at = s.numbers[level * NUMBERS + COUNT], s.numbers[level * NUMBERS + AT]
    moves, move_at = s.numbers[level * NUMBERS + MOVES], s.numbers[level * NUMBERS + MOVE_AT]
    reached, expected = s.values[level * VALUES + REACHED], s.values[level * VALUES + EXPECTED]
    likely, best = s.values[level * VALUES + LIKELY], -inf
    looks_on = level == base_level
    status = -1
    while status < 0:
        while not looks_on and at < count:
            if tries >= budget:
                status = Status.BUDGET
                break
            tries += MOST_MOVES
            outcome = base + at
            probability = s.probabilities[outcome]
            likely, best = reached * probability, -inf
            is_last = level == depth or likely < cutoff
            if LOOKUPS > 0 and is_last:
                best = s.leaf_bests[outcome]
            else:
                c.judged = 2 * outcome + OUTCOMES
                words = pointer_to(address_of(s.outcomes, outcome * WIDTH), np.uint64)
                moves = after_move(
                    rules,
                    words,
                    pointer_to(address_of(s.afters, first * WIDTH), np.uint64),
                    pointer_to(address_of(s.terminal, first), np.uint8),
                    pointer_to(address_of(s.points, first), np.float64),
                )
                if moves == 0:
                    best = worth_of_the_dead(s, words)
                if not is_last:
                    looks_on, move_at = True, I(0)
                    break
                best = best_judged(s, first, moves, best)
                if best != best:
                    status = Status.NOT_A_NUMBER
                    break
            added = probability * best
            expected += np.trunc(added) if WHOLE else added
            at += 1
        if status >= 0:
            break
        now, of_values = level * NUMBERS, level * VALUES
        if not looks_on:
            if mask >= 0:
                slot = I(hash_of(s.boards, level * WIDTH, WIDTH) & U(mask)) * stride
                s.values[of_values + EXPECTED] = expected
                keep(s, table, level, slot, s.bits[of_values + REACHED] | U(depth - level + 1))
            value = expected
            level -= 1
            now, of_values = now - NUMBERS, of_values - VALUES
            first, base = first - MOST_MOVES, base - MOST_CHANCES
            count, at = s.numbers[now + COUNT], s.numbers[now + AT]
            moves, move_at = s.numbers[now + MOVES], s.numbers[now + MOVE_AT]
            reached, likely = s.values[of_values + REACHED], s.values[of_values + LIKELY]
            expected, best = s.values[of_values + EXPECTED], s.values[of_values + BEST]
            if level == base_level:
                s.answers[first + move_at - 1] = value
            elif EARNS:
                value += s.points[first + move_at - 1]
            best = max(best, value)
        s.values[of_values + LIKELY] = likely
        rung = s.bits[of_values + LIKELY] & rungs
        is_last = level == depth or likely < cutoff
        if move_at == 0 and mask >= 0 and not is_last:
            for k in range(moves):  # slots are looked up one by one, with much other work in between
                prefetch(table, I(hash_of(s.afters, (first + k) * WIDTH, WIDTH) & U(mask)) * stride)
        goes_deeper = False
        while move_at < moves:
            after = first + move_at
            move_at += 1
            c.judged = 2 * after + AFTERS
            value = worth(s, after) if is_last else worth_at_once(s, after)
            if value == inf and mask >= 0:
                slot = I(hash_of(s.afters, after * WIDTH, WIDTH) & U(mask)) * stride
                value = kept(s, table, after, slot, rung | U(depth - level), level)
                c.found += value != inf
            if value == inf:
                goes_deeper = True
                break
            if level == base_level:
                s.answers[after] = value
            elif EARNS:
                value += s.points[after]
            best = value if value != value else max(best, value)
            if best != best:
                break
        if best != best:
            status = Status.NOT_A_NUMBER
        elif goes_deeper:
            s.numbers[now + COUNT], s.numbers[now + AT] = count, at
            s.numbers[now + MOVES], s.numbers[now + MOVE_AT] = moves, move_at
            s.values[of_values + EXPECTED], s.values[of_values + BEST] = expected, best
            k = first + move_at - 1
            level += 1
            first, base = first + MOST_MOVES, base + MOST_CHANCES
            for word in range(WIDTH):
                s.boards[level * WIDTH + word] = s.afters[k * WIDTH + word]
            count = after_chance(
                rules,
                pointer_to(address_of(s.boards, level * WIDTH), np.uint64),
                pointer_to(address_of(s.outcomes, base * WIDTH), np.uint64),
                pointer_to(address_of(s.probabilities, base), np.float64),
            )
            s.bits[of_values + VALUES + REACHED] = rung
            at, reached, expected = I(0), s.values[of_values + VALUES + REACHED], 0.0
            looks_on = False
            if LOOKUPS > 0:
                judge_leaves(s, base, count, reached, inf if level == depth else cutoff)
        elif level == base_level:
            status = Status.EXHAUSTED
        else:
            probability = s.probabilities[base + at]
            added = probability * best
            expected += np.trunc(added) if WHOLE else added
            at += 1
            looks_on = False
    s.numbers[level * NUMBERS + COUNT], s.numbers[level * NUMBERS + AT] = count, at
    s.values[level * VALUES + EXPECTED] = expected
    c.level, c.tries = level, tries
    return status


def best_judged(s: ExpectimaxArrays, first: int, moves: int, best: float) -> float:
    """Return the best of a value and the values of boards after moves, judged directly, or NaN if any is NaN."""
    recall_all(s, first, moves)
    # The number of moves is unpredictable: judging the last board again is faster than a branch that stops.
    rounds = MOST_MOVES if IS_FINITE else moves
    for k in range(rounds if moves > 0 else 0):
        after = first + (min(k, moves - 1) if IS_FINITE else k)
        if not IS_FINITE:
            s.control.judged = 2 * after + AFTERS
        value = worth_remembered(s, after, k) if REMEMBERS else worth(s, after)
        if EARNS:
            value += s.points[after]
        if not IS_FINITE and value != value:
            return value
        best = value if value > best else best
    return best


def judge_leaves(s: ExpectimaxArrays, base: int, count: int, reached: float, least: float) -> None:
    """Write the best value after each outcome that is not looked beyond, as judged by a network, to `leaf_bests`.

    Args:
        base: the first outcome.
        count: the number of outcomes.
        reached: the probability of the board before them.
        least: outcomes less likely than this are not looked beyond.
    """
    rules, found = rules_of(s), I(0)
    for at in range(count):
        moves = I(0)
        if reached * s.probabilities[base + at] < least:
            s.control.judged = 2 * (base + at) + OUTCOMES
            moves = after_move(
                rules,
                pointer_to(address_of(s.outcomes, (base + at) * WIDTH), np.uint64),
                pointer_to(address_of(s.leaf_afters, found * WIDTH), np.uint64),
                pointer_to(address_of(s.leaf_terminal, found), np.uint8),
                pointer_to(address_of(s.leaf_points, found), np.float64),
            )
        s.leaf_moves[at] = moves
        for leaf in range(found, found + moves):
            s.places[leaf] = I(hash_of(s.leaf_afters, leaf * WIDTH, WIDTH) & U(s.control.last_place)) * (WIDTH + 1)
        found += moves
    remember_leaves(s, found)
    leaf = I(0)
    for at in range(count):
        best = -inf
        if s.leaf_moves[at] == 0:
            best = worth_of_the_dead(s, pointer_to(address_of(s.outcomes, (base + at) * WIDTH), np.uint64))
        for _ in range(s.leaf_moves[at]):
            words = pointer_to(address_of(s.leaf_afters, leaf * WIDTH), np.uint64)
            value = s.memory_values[s.places[leaf] + WIDTH]
            if not same_words(s.memory, s.places[leaf], s.leaf_afters, leaf * WIDTH, WIDTH):
                value = judged(s, words)  # another leaf has taken the slot
            if is_won(rules, words):
                value = s.control.value_of_goal
            if EARNS:
                value += s.leaf_points[leaf]
            best = max(best, value)
            leaf += 1
        s.leaf_bests[base + at] = best


def remember_leaves(s: ExpectimaxArrays, count: int) -> None:
    """Write the values of leaves to `memory`; if several leaves have the same slot, the last leaf gets it."""
    unknown = I(0)
    for leaf in range(count):  # without a branch, because it is unpredictable whether a board is known
        place = s.places[leaf]
        s.unknown[unknown] = leaf
        unknown += not same_words(s.memory, place, s.leaf_afters, leaf * WIDTH, WIDTH)
        for word in range(WIDTH):
            s.memory[place + word] = s.leaf_afters[leaf * WIDTH + word]
    for first in range(0, unknown, TOGETHER):
        together = min(TOGETHER, unknown - first)
        for k in range(together):
            find_one(s, pointer_to(address_of(s.leaf_afters, s.unknown[first + k] * WIDTH), np.uint64), k)
        for k in range(together):
            leaf = s.unknown[first + k]
            value = looked_up(s, k)
            if same_words(s.memory, s.places[leaf], s.leaf_afters, leaf * WIDTH, WIDTH):
                s.memory_values[s.places[leaf] + WIDTH] = value


def keep(s: ExpectimaxArrays, table: Any, level: int, slot: int, looked: Any) -> None:
    """Keep the value of the board of a level, which is in `EXPECTED`, in the table, with probability and depth."""
    value_bits = s.bits[level * VALUES + EXPECTED]
    for word in range(WIDTH):
        table[slot + word] = s.boards[level * WIDTH + word] ^ looked ^ value_bits
    table[slot + WIDTH], table[slot + WIDTH + 1] = looked, value_bits


def kept(s: ExpectimaxArrays, table: Any, after: int, slot: int, looked: Any, level: int) -> float:
    """Return the value of a board after a move if the table has it with this probability and depth, else infinity."""
    value_bits = table[slot + WIDTH + 1]  # read once: another thread may write at the same time
    known = table[slot + WIDTH] == looked
    for word in range(WIDTH):
        known &= table[slot + word] ^ looked ^ value_bits == s.afters[after * WIDTH + word]
    if not known:
        return inf
    s.bits[level * VALUES + EXPECTED] = value_bits
    return s.values[level * VALUES + EXPECTED]


def shared(move: int, at: int) -> int:
    """Return the index of an outcome of level 1 in the arrays that threads share."""
    half = (MOST_CHANCES + 1) // 2
    return (at % 2 * MOST_MOVES + move) * half + at // 2


def worth(s: ExpectimaxArrays, after: int) -> float:
    """Return the value of a board after a move without looking further."""
    c = s.control
    words = pointer_to(address_of(s.afters, after * WIDTH), np.uint64)
    if is_won(rules_of(s), words):
        return c.value_of_goal
    value = judged(s, words)
    return c.value_of_dead if not IS_FINITE and abs(value) == inf else value


def judged(s: ExpectimaxArrays, words: Any) -> float:
    """Return the heuristic's value of a board; a network's weights overwrite those of the first board."""
    if LOOKUPS > 0:
        find(s.params, s.tables, words, s.lookups)
        return looked_up(s, 0)
    return judge(s.params, s.tables, words, s.tiles)


def recall_all(s: ExpectimaxArrays, first: int, count: int) -> None:
    """Recall the values of boards after moves."""
    for k in range(count if REMEMBERS else 0):
        at = (first + k) * WIDTH
        place = I(hash_of(s.afters, at, WIDTH) & U(s.control.last_place)) * (WIDTH + 1)
        value = s.memory_values[place + WIDTH]
        if not same_words(s.memory, place, s.afters, at, WIDTH):
            value = nan
        s.places[k], s.recalled[k] = place, value


def worth_remembered(s: ExpectimaxArrays, after: int, k: int) -> float:
    """Return the same value as `worth`, for the `k`-th board of `recall_all`."""
    words = pointer_to(address_of(s.afters, after * WIDTH), np.uint64)
    if is_won(rules_of(s), words):
        return s.control.value_of_goal
    value = s.recalled[k]
    if value != value:
        value = judge(s.params, s.tables, words, s.tiles)
        for word in range(WIDTH):
            s.memory[s.places[k] + word] = words[word]
        s.memory_values[s.places[k] + WIDTH] = value
    return s.control.value_of_dead if abs(value) == inf else value


def find_all(s: ExpectimaxArrays, first: int, count: int) -> None:
    """Find the weights of boards after moves, if a network judges."""
    for k in range(count if LOOKUPS > 0 else 0):
        find_one(s, pointer_to(address_of(s.afters, (first + k) * WIDTH), np.uint64), k)


def find_one(s: ExpectimaxArrays, words: Any, k: int) -> None:
    """Find the weights of a board, and write them as the weights of the `k`-th board."""
    find(s.params, s.tables, words, pointer_to(address_of(s.lookups, k * LOOKUPS), np.uint32))


def looked_up(s: ExpectimaxArrays, k: int) -> float:
    """Return the network's value of the `k`-th board, from the weights that were found."""
    return sum_up(s.params, s.tables, pointer_to(address_of(s.lookups, k * LOOKUPS), np.uint32))


def worth_at_once(s: ExpectimaxArrays, after: int) -> float:
    """Return the value of a board after a move if it is known without looking further, else infinity."""
    words = pointer_to(address_of(s.afters, after * WIDTH), np.uint64)
    if is_won(rules_of(s), words):
        return s.control.value_of_goal
    return inf if PLAIN_MOVES or not s.terminal[after] else worth(s, after)


def worth_of_the_dead(s: ExpectimaxArrays, words: Any) -> float:
    """Return the value of a board without moves."""
    c = s.control
    if DEAD_IS_EVALUATED:
        value = judged(s, words)
        if abs(value) != inf:
            return value
    return c.value_of_dead
