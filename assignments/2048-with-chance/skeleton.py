"""A player of 2048."""


def chances(tiles):
    """Return all boards that can follow after a move, as pairs of probability and tiles."""


def worth(tiles):
    """Return how good a board is; more is better."""


def player(board, moves):
    """Return the action of the best move."""
