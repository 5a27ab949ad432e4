"""2048 without chance, by A*."""


class Board:
    """A board, which does not change."""

    def __init__(self, rows):
        """Make a board of a list of rows; a blank cell is 0."""

    def tile_at(self, row, column):
        """Return the tile in a row and a column, counted from 0."""

    def largest_tile(self):
        """Return the largest tile, 0 for a blank board."""

    def neighbors(self):
        """Return a list of the boards after each possible move."""


def distance_weighted(tiles):
    """Return the sum of each tile times its distance from the upper right cell."""


def left_weighted(tiles):
    """Return the weighted first column, plus tiles that are about to merge into it, minus the lower right tile."""


def astar(start, goal, h):
    """Return the boards of a shortest game from `start` to a tile of at least `goal`, None if there is none."""


def transcript(boards):
    """Return the text of a game."""
