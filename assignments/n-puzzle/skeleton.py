"""The n-puzzle by A*."""


def taxicab(tiles):
    """Return the sum of the distances of all tiles but the blank from their places."""


def neighbors(board):
    """Return a list of the boards after each possible move; a board is a tuple of rows."""


def is_solvable(board):
    """Return whether the goal can be reached from a board."""


def solve(board):
    """Return the boards of a shortest solution, the given one first; None if there is none."""
