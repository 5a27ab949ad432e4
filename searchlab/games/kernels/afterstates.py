"""Learning the values of afterstates from games, on packed states; see `searchlab/games/learning/td.py`.

A kernel is compiled for a domain and the shape of a network; the constants and functions below stand in for what it is
compiled with. It plays game after game from `start`, until so many moves were made or the log is full:

    board         [ b ]                     on which a move is to be chosen
    afters        [ a a a a ]               after each of its moves, with `points` and `terminal`
    candidates    [ e … e | e … e | … ]     of each of these where its weights stand, LOOKUPS of them
    entries       [ e … e ]                 of the board after the move before: what is learned next
    weights       [ w w w … ]               float32
    errors        [ sum size | sum size … ] float32, of each weight: of the errors seen, and of their sizes
    log           [ moves score board ]     in three arrays, of each game that is over
"""

from __future__ import annotations

from itertools import count
from math import inf
from typing import Any

import numpy as np
from numba import types

from searchlab.compiler.intrinsics import address_of, pointer_to, prefetch
from searchlab.games.kernels.expectimax import after_move
from searchlab.search.kernels.hash_table import I

WIDTH = 1
TUPLES = 1
POSITIONS = 1
PLAIN_MOVES = True
"""No move ends the game."""
COHERENT = True
"""Each weight has a learning rate of its own."""


def draw(params: Any, tables: Any, words: Any, out: Any, random: Any, tiles: Any, out_tiles: Any) -> int:
    """Stand in for what the domain draws after a move."""
    return 0


def is_over(params: Any, tables: Any, words: Any, tiles: Any) -> bool:
    """Stand in for the domain's test for a goal."""
    return False


def is_outgrown(params: Any, tables: Any, words: Any) -> bool:
    """Stand in for the form's test for a board that wants another form."""
    return False


def look_up(words: Any, into: Any) -> None:
    """Stand in for what finds where a board's weights stand."""


_control, _figure, _status = count(), count(), count()

IN_PLAY = next(_control)
"""Whether a game has begun."""
HAS_ENTRIES = next(_control)
"""Whether it had a move."""
GAME_MOVES = next(_control)
MOVES = next(_control)
"""Of all games."""
LOGGED = next(_control)
"""Games in the log."""
LOG = next(_control)
"""Games there is room for in the log."""
OPENING = next(_control)
"""How often something is drawn before the first move."""
CONTROLS = next(_control)

RATE = next(_figure)
"""The learning rate, divided among the weights of a board."""
BASE = next(_figure)
SCORE = next(_figure)
"""Points of the game."""
FIGURES = next(_figure)

BUDGET = next(_status)
FULL = next(_status)

_u8, _i64, _u64, _f64 = (types.CPointer(t) for t in (types.uint8, types.int64, types.uint64, types.float64))
_f32 = types.CPointer(types.float32)
SIGNATURE = types.int64(
    *(_f64, _u8, _i64, _i64, _f64, _i64),
    *(_u64, _u64, _u64, _u8, _f64, _i64, _i64),
    *(_f32, _f32, _u64, _i64, _f64, _u64, _i64, _f64, types.int64),
)


def learn(
    params: Any,
    tables: Any,
    tiles: Any,
    out_tiles: Any,
    costs: Any,
    described: Any,
    start: Any,
    board: Any,
    afters: Any,
    terminal: Any,
    points: Any,
    candidates: Any,
    entries: Any,
    weights: Any,
    errors: Any,
    random: Any,
    log_moves: Any,
    log_scores: Any,
    log_boards: Any,
    control: Any,
    figures: Any,
    budget: int,
) -> int:
    """Play and learn until `budget` moves have been made in all, or the log is full."""
    lookups = TUPLES * POSITIONS
    drawn = pointer_to(address_of(board, WIDTH), np.uint64)
    while True:
        if control[IN_PLAY] == 0:
            if control[LOGGED] == control[LOG]:
                return FULL
            for word in range(WIDTH):
                board[word] = start[word]
            for _ in range(control[OPENING]):
                if draw(params, tables, board, drawn, random, tiles, out_tiles) == 0:
                    break
                for word in range(WIDTH):
                    board[word] = drawn[word]
                if is_over(params, tables, board, tiles):
                    break
            control[IN_PLAY], control[HAS_ENTRIES], control[GAME_MOVES] = 1, 0, 0
            figures[SCORE] = 0.0
        if control[MOVES] >= budget:
            return BUDGET
        moves = I(0)
        goes_on = not is_outgrown(params, tables, board)
        if goes_on and not is_over(params, tables, board, tiles):
            moves = after_move(params, tables, board, afters, terminal, points, tiles, out_tiles, costs, described)
        for move in range(moves):
            look_up(
                pointer_to(address_of(afters, move * WIDTH), np.uint64),
                pointer_to(address_of(candidates, move * lookups), np.int64),
            )
            for lookup in range(lookups):
                prefetch(weights, candidates[move * lookups + lookup])
        if COHERENT and control[HAS_ENTRIES]:
            for lookup in range(lookups):
                prefetch(errors, 2 * entries[lookup])
        best, chosen = -inf, I(-1)
        for move in range(moves):
            value = points[move] + value_of(weights, candidates, move * lookups, figures)
            if value > best:
                best, chosen = value, move
        if control[HAS_ENTRIES] and goes_on:
            correct(weights, errors, entries, best if chosen >= 0 else 0.0, figures)
        is_last = chosen < 0
        if not is_last:
            control[MOVES] += 1
            control[GAME_MOVES] += 1
            control[HAS_ENTRIES] = 1
            figures[SCORE] += points[chosen]
            for lookup in range(lookups):
                entries[lookup] = candidates[chosen * lookups + lookup]
            after = pointer_to(address_of(afters, chosen * WIDTH), np.uint64)
            for word in range(WIDTH):
                board[word] = after[word]
            is_last = is_over(params, tables, after, tiles) or (not PLAIN_MOVES and terminal[chosen] != 0)
            if is_last:
                correct(weights, errors, entries, 0.0, figures)
            elif draw(params, tables, after, drawn, random, tiles, out_tiles):
                for word in range(WIDTH):
                    board[word] = drawn[word]
        if is_last:
            game = control[LOGGED]
            log_moves[game], log_scores[game] = control[GAME_MOVES], figures[SCORE]
            for word in range(WIDTH):
                log_boards[game * WIDTH + word] = board[word]
            control[LOGGED] += 1
            control[IN_PLAY] = 0


def value_of(weights: Any, places: Any, at: int, figures: Any) -> float:
    """Return the value of the board whose weights stand in places, from `at` on."""
    total = figures[BASE]
    for k in range(TUPLES):
        of_tuple = 0.0
        for position in range(POSITIONS):
            of_tuple += weights[places[at + position * TUPLES + k]]
        total += of_tuple
    return total


def correct(weights: Any, errors: Any, entries: Any, target: float, figures: Any) -> None:
    """Move the value of a board towards a target."""
    error = target - value_of(weights, entries, 0, figures)
    share = error * figures[RATE]
    for lookup in range(TUPLES * POSITIONS):
        entry = entries[lookup]
        if COHERENT:
            total, size = np.float64(errors[2 * entry]), np.float64(errors[2 * entry + 1])
            step = share * (abs(total) / size) if size > 0.0 else share
            weights[entry] = np.float32(weights[entry] + step)
            errors[2 * entry] = np.float32(total + error)
            errors[2 * entry + 1] = np.float32(size + abs(error))
        else:
            weights[entry] = np.float32(weights[entry] + share)
