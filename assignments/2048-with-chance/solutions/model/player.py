"""A player of 2048."""

from itertools import pairwise

import numpy as np

FEW = 2
"""Blank cells from which on the player looks at all that may follow."""


def chances(tiles):
    """Return all boards that can follow after a move, as pairs of probability and tiles."""
    blanks = np.argwhere(tiles == 0)
    found = []
    for row, column in blanks:
        for tile, share in ((2, 0.9), (4, 0.1)):
            after = tiles.copy()
            after[row, column] = tile
            found.append((share / len(blanks), after))
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
    return max(moves, key=lambda move: expected(move.board.tiles)).action


def expected(tiles):
    """Return the worth of a board after a move, on full boards the mean of all that may follow."""
    if (tiles == 0).sum() > FEW:
        return worth(tiles)
    return sum(probability * worth(after) for probability, after in chances(tiles))
