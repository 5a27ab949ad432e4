"""Learning the values of afterstates from games, on packed states; see `searchlab/games/learning/td.py`.

A kernel is compiled for a domain and the shape of a network; the constants and functions below stand in for what it is
compiled with. It plays game after game from `start`, until a number of moves is made or the log is full:

    board         [ b ]                     on which a move is to be chosen
    afters        [ a a a a ]               after each of its moves, with `points` and `terminal`
    candidates    [ e … e | e … e | … ]     of each of these where its weights stand, LOOKUPS of them
    entries       [ e … e ]                 of the board after the move before: what is learned next
    weights       [ w w w … ]               float32
    errors        [ sum size | sum size … ] float32, of each weight: of the errors seen, and of their sizes
    log           [ moves score board ]     in three arrays, of each game that is over
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to, prefetch
from searchlab.games.kernels.rules import PLAIN_MOVES, RuleArrays, Rules, after_move, draw, is_won, rules_of
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import I

WIDTH = 1
TUPLES = 1
POSITIONS = 1
COHERENT = True
"""Each weight has a learning rate of its own."""


def is_outgrown(rules: Rules, words: Any) -> bool:
    """Stand in for the form's test for a board that wants another form."""
    return False


def look_up(words: Any, into: Any) -> None:
    """Stand in for what finds where a board's weights stand."""


class LearningControl(Record):
    """Where the games stand; whole numbers first, because a course keeps these and the others apart."""

    in_play: int
    """Whether a game has begun."""
    has_entries: int
    """Whether it had a move."""
    game_moves: int
    moves: int
    """Of all games."""
    logged: int
    """Games in the log."""
    log_size: int
    """Games there is room for in the log."""
    opening: int
    """How often something is drawn before the first move."""
    rate: float
    """The learning rate, divided among the weights of a board."""
    base: float
    score: float
    """Points of the game."""


class LearningArrays(RuleArrays):
    """The arrays of one learner."""

    start: Pointer = array(np.uint64, "width")
    board: Pointer = array(np.uint64, 2, "width")  # and what is drawn after a move
    afters: Pointer = array(np.uint64, "successors", "width")
    terminal: Pointer = array(np.uint8, "successors")
    points: Pointer = array(np.float64, "successors")
    candidates: Pointer = array(np.int64, "successors", "lookups")
    entries: Pointer = array(np.int64, "lookups")
    weights: Pointer = array(np.float32, "weights")
    errors: Pointer = array(np.float32, "weights", 2)
    random: Pointer = array(np.uint64, "random")
    log_moves: Pointer = array(np.int64, "log")
    log_scores: Pointer = array(np.float64, "log")
    log_boards: Pointer = array(np.uint64, "log", "width")
    control: LearningControl = record(LearningControl)


def learn(s: LearningArrays, budget: int) -> int:
    """Play and learn until `budget` moves have been made in all, or the log is full."""
    c, rules = s.control, rules_of(s)
    lookups = TUPLES * POSITIONS
    drawn = pointer_to(address_of(s.board, WIDTH), np.uint64)
    while True:
        if c.in_play == 0:
            if c.logged == c.log_size:
                return Status.TABLE_FULL
            for word in range(WIDTH):
                s.board[word] = s.start[word]
            for _ in range(c.opening):
                if draw(rules, s.board, drawn, s.random) == 0:
                    break
                for word in range(WIDTH):
                    s.board[word] = drawn[word]
                if is_won(rules, s.board):
                    break
            c.in_play, c.has_entries, c.game_moves = 1, 0, 0
            c.score = 0.0
        if c.moves >= budget:
            return Status.BUDGET
        moves = I(0)
        goes_on = not is_outgrown(rules, s.board)
        if goes_on and not is_won(rules, s.board):
            moves = after_move(rules, s.board, s.afters, s.terminal, s.points)
        for move in range(moves):
            look_up(
                pointer_to(address_of(s.afters, move * WIDTH), np.uint64),
                pointer_to(address_of(s.candidates, move * lookups), np.int64),
            )
            for lookup in range(lookups):
                prefetch(s.weights, s.candidates[move * lookups + lookup])
        if COHERENT and c.has_entries:
            for lookup in range(lookups):
                prefetch(s.errors, 2 * s.entries[lookup])
        best, chosen = -inf, I(-1)
        for move in range(moves):
            value = s.points[move] + value_of(s, s.candidates, move * lookups)
            if value > best:
                best, chosen = value, move
        if c.has_entries and goes_on:
            correct(s, best if chosen >= 0 else 0.0)
        is_last = chosen < 0
        if not is_last:
            c.moves += 1
            c.game_moves += 1
            c.has_entries = 1
            c.score += s.points[chosen]
            for lookup in range(lookups):
                s.entries[lookup] = s.candidates[chosen * lookups + lookup]
            after = pointer_to(address_of(s.afters, chosen * WIDTH), np.uint64)
            for word in range(WIDTH):
                s.board[word] = after[word]
            is_last = is_won(rules, after) or (not PLAIN_MOVES and s.terminal[chosen] != 0)
            if is_last:
                correct(s, 0.0)
            elif draw(rules, after, drawn, s.random):
                for word in range(WIDTH):
                    s.board[word] = drawn[word]
        if is_last:
            game = c.logged
            s.log_moves[game], s.log_scores[game] = c.game_moves, c.score
            for word in range(WIDTH):
                s.log_boards[game * WIDTH + word] = s.board[word]
            c.logged += 1
            c.in_play = 0


def value_of(s: LearningArrays, places: Pointer, at: int) -> float:
    """Return the value of the board whose weights stand in places, from `at` on."""
    total = s.control.base
    for k in range(TUPLES):
        of_tuple = 0.0
        for position in range(POSITIONS):
            of_tuple += s.weights[places[at + position * TUPLES + k]]
        total += of_tuple
    return total


def correct(s: LearningArrays, target: float) -> None:
    """Move the value of a board towards a target."""
    error = target - value_of(s, s.entries, 0)
    share = error * s.control.rate
    for lookup in range(TUPLES * POSITIONS):
        entry = s.entries[lookup]
        if COHERENT:
            total, size = np.float64(s.errors[2 * entry]), np.float64(s.errors[2 * entry + 1])
            step = share * (abs(total) / size) if size > 0.0 else share
            s.weights[entry] = np.float32(s.weights[entry] + step)
            s.errors[2 * entry] = np.float32(total + error)
            s.errors[2 * entry + 1] = np.float32(size + abs(error))
        else:
            s.weights[entry] = np.float32(s.weights[entry] + share)
