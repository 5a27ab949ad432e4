"""Learning depth-first search on packed states; see `searchlab/games/learning/depth_first.py`.

The kernel plays a game, goes back from its last board, and plays the next game, until the requested work is done or
the log is full:

    stack         [ b b b … ]               the boards of the current line on which a move is chosen; `depth` of them
    state         [ b | a | d ]             the current board, the board after its best move, and a drawn board
    out           [ b b b … ]               the boards after each random tile, with their `probabilities`
    places        [ p p p p | … ]           the places of the boards after the moves from each of these boards, -1 for a
                                            move that ends the game, with the points of the moves in `earned`
    records       [ w final | … ]           float32, for each board after a move: the weight, and 1 if it is final
    log           [ moves score board ]     three arrays with an entry for each finished game

A weight lies beside its mark because they are read together: a second array would cost a second cache miss.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to, prefetch
from searchlab.games.kernels.afterstates import POSITIONS, SUCCESSORS, WIDTH, look_up, open_game
from searchlab.games.kernels.rules import (
    PLAIN_MOVES,
    RuleArrays,
    after_chance,
    after_move,
    draw,
    is_outgrown,
    is_won,
    rules_of,
)
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import I

BEGIN, PLAY, GO_BACK = range(3)
"""The phases of a game: it begins, moves are made, boards are valued."""
ENDS = -1
"""The place of a board that ends the game."""
OUTGROWN = 20
"""The status if a board is packed in another form."""


class DepthFirstControl(Record):
    """The state of the game; integers come first, because a training keeps integers and other numbers apart."""

    phase: int
    depth: int
    """The number of boards on the stack."""
    stack_size: int
    """The number of boards that the stack has room for."""
    game_moves: int
    backups: int
    """The number of boards valued since the game was over."""
    most_backups: int
    """The most backups after a game."""
    work: int
    """The number of moves and backups of all games."""
    logged: int
    """The number of games in the log."""
    log_size: int
    """The number of games that the log has room for."""
    opening: int
    """The number of draws before the first move."""
    base: float
    """The value of a board that was not valued yet."""
    score: float
    """The points of the game."""


class DepthFirstArrays(RuleArrays):
    """The arrays of a learner."""

    start: Pointer = array(np.uint64, "width")
    state: Pointer = array(np.uint64, 3, "width")
    stack: Pointer = array(np.uint64, "stack", "width")
    afters: Pointer = array(np.uint64, "successors", "width")
    terminal: Pointer = array(np.uint8, "successors")
    points: Pointer = array(np.float64, "successors")
    out: Pointer = array(np.uint64, "chances", "width")
    probabilities: Pointer = array(np.float64, "chances")
    counts: Pointer = array(np.int64, "chances")
    places: Pointer = array(np.int64, "chances", "successors")
    earned: Pointer = array(np.float64, "chances", "successors")
    place: Pointer = array(np.uint64, 1)
    records: Pointer = array(np.float32, "entries", "record")
    random: Pointer = array(np.uint64, "random")
    log_moves: Pointer = array(np.int64, "log")
    log_scores: Pointer = array(np.float64, "log")
    log_boards: Pointer = array(np.uint64, "log", "width")
    control: DepthFirstControl = record(DepthFirstControl)


def learn_depth_first(s: DepthFirstArrays, budget: int) -> int:
    """Play and value boards until `budget` moves and backups have been made in all, or the log or the stack is full."""
    c, rules = s.control, rules_of(s)
    after = pointer_to(address_of(s.state, WIDTH), np.uint64)
    drawn = pointer_to(address_of(s.state, 2 * WIDTH), np.uint64)
    while True:
        if c.work >= budget:
            return Status.BUDGET
        if c.depth + 1 >= c.stack_size:
            return Status.DEEPER
        if c.phase == BEGIN:
            if c.logged == c.log_size:
                return Status.TABLE_FULL
            open_game(rules, s.start, s.state, drawn, s.random, c.opening)
            c.phase, c.game_moves, c.backups = PLAY, 0, 0
            c.score = 0.0
        elif c.phase == PLAY:
            if is_outgrown(rules, s.state):
                return OUTGROWN
            best = best_move(s, 0, find_moves(s, s.state, 0))
            if best < 0:
                c.phase = GO_BACK
                continue
            copy(s.state, pointer_to(address_of(s.stack, c.depth * WIDTH), np.uint64))
            copy(pointer_to(address_of(s.afters, best * WIDTH), np.uint64), s.state)
            c.depth += 1
            c.game_moves += 1
            c.work += 1
            c.score += s.points[best]
            if s.places[best] == ENDS or is_won(rules, s.state):
                c.phase = GO_BACK
            elif draw(rules, s.state, drawn, s.random):
                copy(drawn, s.state)
        elif c.depth > 0 and c.backups < c.most_backups:
            board = pointer_to(address_of(s.stack, (c.depth - 1) * WIDTH), np.uint64)
            best = best_move(s, 0, find_moves(s, board, 0))
            place = s.places[best] if best >= 0 else I(ENDS)
            if place == ENDS or s.records[2 * place + 1] != 0.0:
                c.depth -= 1
                continue
            copy(pointer_to(address_of(s.afters, best * WIDTH), np.uint64), after)
            c.backups += 1
            c.work += 1
            unknown = back_up(s, after, place)
            if unknown >= 0:
                copy(
                    pointer_to(address_of(s.out, unknown * WIDTH), np.uint64),
                    pointer_to(address_of(s.stack, c.depth * WIDTH), np.uint64),
                )
                c.depth += 1
        else:
            game = c.logged
            s.log_moves[game], s.log_scores[game] = c.game_moves, c.score
            copy(s.state, pointer_to(address_of(s.log_boards, game * WIDTH), np.uint64))
            c.logged += 1
            c.phase, c.depth = BEGIN, 0


def copy(board: Any, to: Any) -> None:
    """Copy a packed board."""
    for word in range(WIDTH):
        to[word] = board[word]


def find_moves(s: DepthFirstArrays, board: Any, event: int) -> int:
    """Write the moves from a board to `places` and `earned` of an event, and return their number."""
    rules = rules_of(s)
    if is_won(rules, board):
        return 0
    count = after_move(rules, board, s.afters, s.terminal, s.points)
    for move in range(count):
        at = event * SUCCESSORS + move
        s.earned[at] = s.points[move]
        if PLAIN_MOVES or s.terminal[move] == 0:
            look_up(pointer_to(address_of(s.afters, move * WIDTH), np.uint64), s.place)
            s.places[at] = I(s.place[0])
            prefetch(s.records, 2 * s.places[at])
        else:
            s.places[at] = ENDS
    return count


def best_move(s: DepthFirstArrays, event: int, count: int) -> int:
    """Return the first move with the largest sum of points and value, or -1 if there is no move."""
    best, chosen = -inf, I(-1)
    for move in range(count):
        value = value_of_move(s, event * SUCCESSORS + move)
        if value > best:
            best, chosen = value, move
    return chosen


def value_of_move(s: DepthFirstArrays, at: int) -> float:
    """Return the points of a move plus the value of the board after it."""
    value = s.earned[at]
    if s.places[at] != ENDS:
        value += s.control.base + POSITIONS * np.float64(s.records[2 * s.places[at]])
    return value


def back_up(s: DepthFirstArrays, after: Any, place: int) -> int:
    """Set the value of a board after a move; return the first event with a best move whose value is not final.

    Return -1 if there is no such event; then the value of the board is final.
    """
    rules = rules_of(s)
    count = I(0)
    if not is_won(rules, after):
        count = after_chance(rules, after, s.out, s.probabilities)
    for event in range(count):
        s.counts[event] = find_moves(s, pointer_to(address_of(s.out, event * WIDTH), np.uint64), event)
    expected, unknown = 0.0, I(-1)
    for event in range(count):
        best = best_move(s, event, s.counts[event])
        if best >= 0:
            at = event * SUCCESSORS + best
            expected += s.probabilities[event] * value_of_move(s, at)
            if unknown < 0 and s.places[at] != ENDS and s.records[2 * s.places[at] + 1] == 0.0:
                unknown = event
    s.records[2 * place] = np.float32((expected - s.control.base) / POSITIONS)
    if unknown < 0:
        s.records[2 * place + 1] = np.float32(1.0)
    return unknown
