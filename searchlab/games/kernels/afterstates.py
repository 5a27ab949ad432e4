"""Learning the values of afterstates from games, on packed states; see `searchlab/games/learning/td.py`.

A kernel is compiled for a domain and the shape of a network, which replace the constants and functions below. It plays
game after game from `start` until a number of moves is made or the log is full:

    board         [ b ]                     the board on which a move is chosen
    afters        [ a a a a ]               the board after each move, with `points` and `terminal`
    candidates    [ p … p | p … p | … ]     the places of the weights of each of these boards, LOOKUPS per board: for
                                            each tuple in all positions, and for each whole tuple once; there is room
                                            for three moves, this move and the two moves before, which take turns
    places        [ p … p ]                 the places of the board after the last move, between two calls
    records       [ w sum size | … ]        float32, for each entry: the weight, the sum of its errors, the sum of
                                            their sizes; only the weight if not COHERENT
    log           [ moves score board ]     three arrays with an entry for each finished game

A weight lies beside its errors because they are changed together: a second array would cost a second cache miss. The
places of all positions of a tuple are adjacent.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to, prefetch
from searchlab.games.kernels.rules import (
    PLAIN_MOVES,
    RuleArrays,
    Rules,
    after_move,
    draw,
    is_outgrown,
    is_won,
    rules_of,
)
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.hash_table import I

WIDTH = 1
SUCCESSORS = 1
TUPLES = 1
"""The number of tuples that are looked up in each position."""
POSITIONS = 1
WHOLE = 0
"""The number of tuples after these that are looked up only once: their weights count once per position."""
COHERENT = True
"""Whether each weight has a learning rate of its own."""
STAGE = 0
"""The offset of a stage's records; 0 if there is one stage."""
PLACE = np.uint32
"""The type of a place in `records`."""


def look_up(words: Any, into: Any) -> None:
    """Placeholder for the function that finds the places of a board's weights."""


class LearningControl(Record):
    """The state of the games; integers come first, because a training keeps integers and other numbers apart."""

    in_play: int
    """Whether a game has begun."""
    has_places: int
    """Whether a move was made in the game."""
    game_moves: int
    moves: int
    """The moves of all games."""
    logged: int
    """The number of games in the log."""
    log_size: int
    """The number of games that the log has room for."""
    opening: int
    """The number of draws before the first move."""
    rate: float
    """The learning rate, divided among the weights of a board."""
    base: float
    score: float
    """The points of the game."""


class LearningArrays(RuleArrays):
    """The arrays of one learner."""

    start: Pointer = array(np.uint64, "width")
    board: Pointer = array(np.uint64, 2, "width")  # and the board after a draw
    afters: Pointer = array(np.uint64, "successors", "width")
    terminal: Pointer = array(np.uint8, "successors")
    points: Pointer = array(np.float64, "successors")
    candidates: Pointer = array(np.uint32, 3, "successors", "lookups")
    places: Pointer = array(np.uint32, "lookups")
    records: Pointer = array(np.float32, "entries", "record")
    random: Pointer = array(np.uint64, "random")
    log_moves: Pointer = array(np.int64, "log")
    log_scores: Pointer = array(np.float64, "log")
    log_boards: Pointer = array(np.uint64, "log", "width")
    control: LearningControl = record(LearningControl)


def learn(s: LearningArrays, budget: int) -> int:
    """Play and learn until `budget` moves have been made in all, or the log is full.

    A correction waits until the places after the next moves are known: it is computed while the weights there are
    fetched, before they are read. `due` and `last` are the positions in `candidates` of the places to correct next, and
    of the places of the board after the last move; -1 means that no place is known.
    """
    c, rules = s.control, rules_of(s)
    lookups = TUPLES * POSITIONS + WHOLE
    drawn = pointer_to(address_of(s.board, WIDTH), np.uint64)
    due, last, target, turn = I(-1), I(-1), 0.0, I(0)
    if c.has_places:
        last = I(2 * SUCCESSORS * lookups)
        for lookup in range(lookups):
            s.candidates[last + lookup] = s.places[lookup]
    while True:
        if c.in_play == 0:
            if c.logged == c.log_size:
                return Status.TABLE_FULL
            open_game(rules, s.start, s.board, drawn, s.random, c.opening)
            c.in_play, c.game_moves = 1, 0
            c.score = 0.0
        if c.moves >= budget:
            if due >= 0:
                correct(s, due, target)
            for lookup in range(lookups if last >= 0 else 0):
                s.places[lookup] = s.candidates[last + lookup]
            return Status.BUDGET
        moves = I(0)
        goes_on = not is_outgrown(rules, s.board)
        if goes_on and not is_won(rules, s.board):
            moves = after_move(rules, s.board, s.afters, s.terminal, s.points)
        first = turn * SUCCESSORS * lookups
        for move in range(moves):
            look_up(
                pointer_to(address_of(s.afters, move * WIDTH), np.uint64),
                pointer_to(address_of(s.candidates, first + move * lookups), PLACE),
            )
            for place in range(first + move * lookups, first + (move + 1) * lookups):
                prefetch(s.records, I(s.candidates[place]))
        if due >= 0:
            correct(s, due, target)
        best, chosen = -inf, I(-1)
        for move in range(moves):
            if STAGE > 0:
                take_over(s, first + move * lookups)
            value = s.points[move] + value_of(s, first + move * lookups)
            if value > best:
                best, chosen = value, move
        due = last if goes_on else I(-1)
        target = best if chosen >= 0 else 0.0
        is_last = chosen < 0
        if not is_last:
            c.moves += 1
            c.game_moves += 1
            c.has_places = 1
            c.score += s.points[chosen]
            last = first + chosen * lookups
            turn = turn + 1 if turn < 2 else I(0)
            after = pointer_to(address_of(s.afters, chosen * WIDTH), np.uint64)
            for word in range(WIDTH):
                s.board[word] = after[word]
            is_last = is_won(rules, after) or (not PLAIN_MOVES and s.terminal[chosen] != 0)
            if is_last:
                if due >= 0:
                    correct(s, due, target)
                due, target = last, 0.0
            elif draw(rules, after, drawn, s.random):
                for word in range(WIDTH):
                    s.board[word] = drawn[word]
        if is_last:
            if due >= 0:
                correct(s, due, target)
            due, last, c.has_places = I(-1), I(-1), 0
            game = c.logged
            s.log_moves[game], s.log_scores[game] = c.game_moves, c.score
            for word in range(WIDTH):
                s.log_boards[game * WIDTH + word] = s.board[word]
            c.logged += 1
            c.in_play = 0


def open_game(rules: Rules, start: Any, board: Any, drawn: Any, random: Any, opening: int) -> None:
    """Set `board` to a start board with the opening drawn; `drawn` is working space for a board."""
    for word in range(WIDTH):
        board[word] = start[word]
    for _ in range(opening):
        if draw(rules, board, drawn, random) == 0:
            break
        for word in range(WIDTH):
            board[word] = drawn[word]
        if is_won(rules, board):
            break


def take_over(s: LearningArrays, first: int) -> None:
    """Set zero weights of a board in a later stage to the weights of the stage before, recursively."""
    if I(s.candidates[first]) < STAGE:  # then all places of the board are in the first stage
        return
    for place in range(first, first + TUPLES * POSITIONS + WHOLE):
        at = I(s.candidates[place])
        if s.records[at] == 0.0:
            source = at
            while source >= STAGE and s.records[source] == 0.0:
                source -= STAGE
            s.records[at] = s.records[source]


def value_of(s: LearningArrays, first: int) -> float:
    """Return the value of the board with places from `first` on in `candidates`."""
    total = s.control.base
    for k in range(TUPLES):
        of_tuple = 0.0
        for position in range(POSITIONS):
            of_tuple += s.records[I(s.candidates[first + k * POSITIONS + position])]
        total += of_tuple
    for k in range(WHOLE):
        total += POSITIONS * s.records[I(s.candidates[first + TUPLES * POSITIONS + k])]
    return total


def correct(s: LearningArrays, first: int, target: float) -> None:
    """Move the value of the board with places from `first` on in `candidates` towards a target."""
    error = target - value_of(s, first)
    share = error * s.control.rate
    for place in range(first, first + TUPLES * POSITIONS + WHOLE):
        at = I(s.candidates[place])
        step = share
        if COHERENT:
            total, size = np.float64(s.records[at + 1]), np.float64(s.records[at + 2])
            step = share * (abs(total) / size) if size > 0.0 else share
            s.records[at + 1] = np.float32(total + error)
            s.records[at + 2] = np.float32(size + abs(error))
        s.records[at] = np.float32(s.records[at] + step)
