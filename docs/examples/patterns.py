"""An additive pattern database of the 15-puzzle: three groups of five tiles (Korf and Felner 2002)."""

import numpy as np

from searchlab import Board, Heuristic, distances, hookimpl

GROUPS = ((1, 4, 5, 8, 9), (2, 3, 6, 7, 10), (11, 12, 13, 14, 15))
GOAL = Board(np.arange(16).reshape(4, 4))
PATTERNS = [distances(GOAL, domain="sliding-tile:goal=blank-first", keep=group, charge=group) for group in GROUPS]
FLAT = np.array([pattern.dense().ravel() for pattern in PATTERNS])  # 3 × 16⁵ bytes
WEIGHTS = np.array([pattern.weights for pattern in PATTERNS])  # by group and tile: 0 for tiles of other groups


def place(tiles, group):
    """Return where the distance of a group is found: a number to the base 16, a digit for the cell of each tile."""
    index = 0
    for cell in range(16):
        index += cell * WEIGHTS[group, tiles[cell // 4, cell % 4]]
    return index


def pattern_distance(tiles):
    """Return the sum of the groups' distances, each of which counts the moves of its own tiles only."""
    if len(tiles) != 4:  # there are no tables for boards of other sizes
        return 0
    return FLAT[0, place(tiles, 0)] + FLAT[1, place(tiles, 1)] + FLAT[2, place(tiles, 2)]


def is_admissible(goal):
    return goal == "blank-first"  # the distances are those to this goal


@hookimpl
def searchlab_heuristics():
    # It is not consistent: where the blank is, a table of distances without it does not know.
    yield Heuristic("patterns", pattern_distance, domains={"sliding-tile"}, admissible=is_admissible)
