"""A player of 2048."""

from itertools import pairwise

import numpy as np


def chances(tiles):
    """Return all boards that can follow after a move, as pairs of probability and tiles."""
    blanks = np.argwhere(tiles == 0)
    found = []
    for row, column in blanks:
        for tile, share in ((2, 0.9), (4, 0.1)):
            tiles[row, column] = tile
            found.append((share / len(blanks), tiles.copy()))
    return found


def worth(tiles):
    """Return how good a board is; more is better."""
    ranks = [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in tiles.tolist()]
    return sum(map(worth_of_line, ranks)) + sum(map(worth_of_line, zip(*ranks, strict=True)))


def worth_of_line(ranks):
    """Return the worth of a row or column: blank cells, equal neighbours, tiles in rising or falling order."""
    rises, falls, merges = 0.0, 0.0, 0
    for one, other in pairwise(ranks):
        merges += one == other != 0
        if one > other:
            falls += one**4 - other**4
        else:
            rises += other**4 - one**4
    return 270 * ranks.count(0) + 700 * merges - 47 * min(rises, falls) - 11 * sum(rank**3.5 for rank in ranks)


def player(board, moves):
    """Return the action of the best move."""
    return max(moves, key=lambda move: worth(move.board.tiles)).action
