"""The n-puzzle by A*."""

from heapq import heappop, heappush

import numpy as np


def taxicab(tiles):
    """Return the sum of the distances of all tiles but the blank from their places."""
    n = tiles.shape[0]
    total = 0
    for row in range(n):
        for column in range(n):
            tile = tiles[row, column]
            if tile != 0:
                total += abs((tile - 1) // n - row) + abs((tile - 1) % n - column)
    return total


def neighbors(board):
    """Return a list of the boards after each possible move; a board is a tuple of rows."""
    n = len(board)
    row, column = next((r, c) for r in range(n) for c in range(n) if board[r][c] == 0)
    found = []
    for other_row, other_column in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
        if 0 <= other_row < n and 0 <= other_column < n:
            rows = [list(each) for each in board]
            rows[row][column], rows[other_row][other_column] = rows[other_row][other_column], 0
            found.append(tuple(map(tuple, rows)))
    return found


def is_solvable(board):
    """Return whether the goal can be reached from a board."""
    tiles = [tile for row in board for tile in row if tile]
    inversions = sum(first > second for k, first in enumerate(tiles) for second in tiles[k + 1 :])
    return inversions % 2 == 0


def solve(board):
    """Return the boards of a shortest solution, the given one first; None if there is none."""
    if not is_solvable(board):
        return None
    n = len(board)
    goal = tuple(tuple((row * n + column + 1) % (n * n) for column in range(n)) for row in range(n))
    came_from, moves = {board: None}, {board: 0}
    waiting = [(taxicab(np.array(board)), 0, 0, board)]
    number = 0
    while waiting:
        _, g, _, at = heappop(waiting)
        if -g > moves[at]:
            continue
        if at == goal:
            boards = []
            while at is not None:
                boards.append(at)
                at = came_from[at]
            return boards[::-1]
        for after in neighbors(at):
            if after not in moves or moves[at] + 1 < moves[after]:
                number += 1
                moves[after], came_from[after] = moves[at] + 1, at
                heappush(waiting, (moves[after] + taxicab(np.array(after)), -moves[after], number, after))
    return None
