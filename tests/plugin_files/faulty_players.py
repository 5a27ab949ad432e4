"""Players that break their contract, each in one way."""

import itertools
import random as chance
import time

from searchlab import Board

TURN = itertools.count()


def good(board, moves, random):
    return random.choice(moves).action


def fails_on_large_tiles(board, moves):
    assert board.largest_tile() < 8
    return moves[0].action


def always_left(board, moves):
    return "left"


def by_chance(board, moves):
    return chance.choice(moves).action


def takes_turns(board, moves):
    return moves[next(TURN) % len(moves)].action


def clears_the_board(board, moves):
    tiles = board.tiles if board.tiles.base is None else board.tiles.base
    tiles.setflags(write=True)
    tiles[0, 0] = 2
    return moves[0].action


def writes(board, moves):
    board.tiles[0, 0] = 2
    return moves[0].action


def writes_ahead(board, moves):
    for move in moves:
        if move.board.tiles.flags.writeable:
            move.board.tiles[0, 0] = 2
    return moves[0].action


def back_and_forth(board, moves):
    return moves[0].action


def sleeps(board, moves):
    if board.largest_tile() >= 8:
        while True:
            time.sleep(0.001)
    return moves[0].action


def wants_the_moon(board, moves, moon):
    return moves[0].action


def plays_pancakes(board, moves, goal_row):
    assert isinstance(board, Board)
    return moves[len(goal_row) % len(moves)].action
