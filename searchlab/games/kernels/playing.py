"""Whole games on packed states by a player that looks ahead, rules and heuristic inlined; see `games/compiled_game.py`.

Level 0 of expectimax holds the boards after the moves from the board of the game:

    board         [ b | d ]          the board on which a move is chosen, and the board drawn after it
    afters        [ a a a a | … ]    of expectimax; the first are the boards after the moves from `board`
    earned        [ p p p p ]        the points of these moves
    log_boards    [ b b b … ]        the boards on which moves were chosen
    log_chosen    [ k k k … ]        the number of the chosen move among the legal moves
    log_legal     [ n n n … ]        the legal actions as bits, or their number if the form does not give the actions

For a player that does not look beyond its own move, this kernel judges level 0; the weights of a network are prefetched
for all boards after moves before the first weight is read.

If anything but an ordinary move follows (the game is over, a move ends it, the form changes, a value is infinite), the
kernel returns GOAL: this move is made on Board objects.

`choose_all` makes the same choices on many boards of one word, for `games/exact_play.py`:

    source        [ b b b … ]        the boards; `logged` of `log_size` boards are done
    chosen        [ b b b … ]        the boards after the chosen moves
    points_of     [ p p p … ]        the points of the chosen moves
    answer        [ k k k … ]        MOVED, OVER (there is no move) or ON_BOARDS (the player is asked on Board objects)
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.games.kernels.expectimax import (
    EARNS,
    LOOKUPS,
    MOST_MOVES,
    MOVES,
    WIDTH,
    ExpectimaxArrays,
    begin_level_0,
    expectimax,
    find_all,
    looked_up,
)
from searchlab.games.kernels.rules import PLAIN_MOVES, Rules, draw, is_outgrown, is_won, judge, legal_moves, rules_of
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import I, U

CELLS = 1
BITS = 1
LEAST_DEPTH = LEFT_OUT = MOST_DEPTH = 0
"""Placeholders for the numbers of `searchlab.games.expectimax`, with which the kernel is compiled."""
MOVED, OVER, ON_BOARDS = range(3)
"""The answers of `choose_all`."""


def scored_moves(rules: Rules, words: Any, out: Any, terminal: Any, points: Any) -> int:
    """Placeholder for the domain's successor function with points."""
    return 0


class GameControl(Record):
    """The state of the game."""

    by_board: int
    """Whether the depth is the number of different tiles minus `LEFT_OUT`, and at least `LEAST_DEPTH`."""
    thinking: int
    """Whether a move is being chosen."""
    moves: int
    most_moves: int
    logged: int
    log_size: int
    chosen: int
    """The number of the chosen move among the legal moves."""
    score: float


class GameArrays(ExpectimaxArrays):
    """The arrays of a game."""

    board: Pointer = array(np.uint64, 2, "width")
    earned: Pointer = array(np.float64, "successors")
    random: Pointer = array(np.uint64, 4)
    log_boards: Pointer = array(np.uint64, "log", "width")
    log_chosen: Pointer = array(np.uint32, "log")
    log_legal: Pointer = array(np.uint64, "log")
    game: GameControl = record(GameControl)


class PolicyArrays(GameArrays):
    """The arrays of a player that is asked about many boards of one word."""

    source: Pointer = array(np.uint64, "source")
    chosen: Pointer = array(np.uint64, "source")
    points_of: Pointer = array(np.float64, "source")
    answer: Pointer = array(np.uint8, "source")


def play(s: GameArrays, budget: int) -> int:
    """Play until `budget` moves have been tried in all, the log is full, or a move must be made on Board objects."""
    c, g, rules = s.control, s.game, rules_of(s)
    drawn = pointer_to(address_of(s.board, WIDTH), np.uint64)
    while True:
        if g.thinking == 0:
            if g.moves >= g.most_moves:
                return Status.EXHAUSTED
            if g.logged == g.log_size:
                return Status.TABLE_FULL
            if c.tries >= budget:
                return Status.BUDGET
            if not begin_move(s):
                return Status.GOAL
        status = choose(s, budget)
        if status != Status.EXHAUSTED:
            return status
        chosen = g.chosen
        legal = legal_moves(rules, s.board)
        for word in range(WIDTH):
            s.log_boards[g.logged * WIDTH + word] = s.board[word]
            s.board[word] = s.afters[chosen * WIDTH + word]
        s.log_chosen[g.logged], s.log_legal[g.logged] = chosen, legal if legal >= 0 else s.numbers[MOVES]
        if draw(rules, s.board, drawn, s.random):
            for word in range(WIDTH):
                s.board[word] = drawn[word]
        g.logged += 1
        g.moves += 1
        g.score += s.earned[chosen]


def choose_all(s: PolicyArrays, budget: int) -> int:
    """Choose a move from each board of `source`, until `budget` moves have been tried in all."""
    c, g, rules = s.control, s.game, rules_of(s)
    while g.logged < g.log_size:
        at = g.logged
        status = I(Status.GOAL)
        answer = I(ON_BOARDS)
        if g.thinking == 0:
            if c.tries >= budget:
                return Status.BUDGET
            s.board[0] = s.source[at]
            if not is_outgrown(rules, s.board):
                if is_won(rules, s.board):
                    answer = I(OVER)
                elif begin_move(s):
                    status = I(Status.EXHAUSTED)
                elif s.numbers[MOVES] == 0:
                    answer = I(OVER)
        if g.thinking != 0 or status == Status.EXHAUSTED:
            status = choose(s, budget)
            if status == Status.BUDGET:
                return Status.BUDGET
        if status == Status.EXHAUSTED:
            answer = I(MOVED)
            s.chosen[at], s.points_of[at] = s.afters[g.chosen], s.earned[g.chosen]
        s.answer[at] = answer
        g.logged += 1
    return Status.EXHAUSTED


def choose(s: GameArrays, budget: int) -> int:
    """Write the number of the best move to `chosen`.

    Returns:
        EXHAUSTED; BUDGET if `budget` moves were tried before the best move is known; GOAL if the move must be chosen
            on Board objects.
    """
    g, count = s.game, s.numbers[MOVES]
    if count > 1:
        status = judge_moves(s, count) if s.control.depth == 0 else expectimax(s, budget)
        g.thinking = status == Status.BUDGET
        if status == Status.BUDGET:
            return Status.BUDGET
        if status != Status.EXHAUSTED:
            return Status.GOAL
    g.thinking = 0
    best, chosen = -inf, I(0)
    for move in range(count if count > 1 else 0):
        value = s.answers[move]
        if EARNS:
            value += s.earned[move]
        if abs(value) == inf:
            return Status.GOAL
        if value > best:
            best, chosen = value, move
    g.chosen = chosen
    return Status.EXHAUSTED


def nothing_ahead(s: GameArrays, budget: int) -> int:
    """Placeholder for `expectimax` if no player looks beyond its own move."""
    return Status.EXHAUSTED


def begin_move(s: GameArrays) -> bool:
    """Write the boards after the moves to level 0; return False if the move must be made on Board objects."""
    c, rules = s.control, rules_of(s)
    if is_outgrown(rules, s.board) or is_won(rules, s.board):
        return False
    count = scored_moves(rules, s.board, s.afters, s.terminal, s.earned)
    ordinary = count > 0
    for move in range(count):
        after = pointer_to(address_of(s.afters, move * WIDTH), np.uint64)
        ordinary &= not is_won(rules, after) and (PLAIN_MOVES or s.terminal[move] == 0)
    c.tries += MOST_MOVES
    if s.game.by_board != 0:
        c.depth = min(I(MOST_DEPTH), max(I(LEAST_DEPTH), different_tiles(s) - LEFT_OUT))
    begin_level_0(s, count)
    return ordinary


def judge_moves(s: GameArrays, count: int) -> int:
    """Write the values of the boards after the moves to `answers`, as `expectimax` does at depth 0."""
    find_all(s, 0, count)
    for move in range(count):
        if LOOKUPS > 0:
            value = looked_up(s, move)
        else:
            after = pointer_to(address_of(s.afters, move * WIDTH), np.uint64)
            value = judge(s.params, s.tables, after, s.tiles)
        if value != value:
            return Status.NOT_A_NUMBER
        s.answers[move] = s.control.value_of_dead if abs(value) == inf else value
    return Status.EXHAUSTED


def different_tiles(s: GameArrays) -> int:
    """Return the number of different tiles on the board, ignoring blanks."""
    codes = U(0)
    for cell in range(CELLS):
        at = U(cell % (64 // BITS) * BITS)
        codes |= U(1) << ((s.board[cell // (64 // BITS)] >> at) & U((1 << BITS) - 1))
    codes &= ~U(1)
    count = I(0)
    while codes != U(0):
        codes &= codes - U(1)
        count += 1
    return count
