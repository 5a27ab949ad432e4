"""An additive pattern database of the 15-puzzle: three groups of five tiles (Korf and Felner 2002).

The heuristic `pattern-database`, which ships, has any groups and mirror images; this is how such a plugin is written.
"""

import numpy as np

from searchlab import Heuristic, UsageError, distances, plugin

GROUPS = ((1, 4, 5, 8, 9), (2, 3, 6, 7, 10), (11, 12, 13, 14, 15))
# The place of a distance is a number to the base 16, a digit for the cell of each tile of the group.
WEIGHTS = np.array([[16 ** (4 - group.index(tile)) if tile in group else 0 for tile in range(16)] for group in GROUPS])


def build(progress, domain, goals, rows, columns):
    if (rows, columns) != (4, 4):
        raise UsageError("patterns is for boards of 4 × 4")
    groups = [distances(domain, board=goals[0], keep=group, charge=group, progress=progress) for group in GROUPS]
    return np.array([group.dense().ravel() for group in groups])


def places(tiles):
    """Return the place of each group's distance in its table."""
    a = b = c = 0
    for cell in range(16):
        tile = tiles[cell // 4, cell % 4]
        a += cell * WEIGHTS[0, tile]
        b += cell * WEIGHTS[1, tile]
        c += cell * WEIGHTS[2, tile]
    return a, b, c


def distance(tiles, database) -> int:
    """Return the sum of the groups' distances, each of which counts the moves of its own tiles only."""
    a, b, c = places(tiles)
    return int(database[0, a]) + int(database[1, b]) + int(database[2, c])


def moved(h, carried, tile, source, target, database):
    """Return the same after a move, which changes one of the places."""
    a, b, c = carried
    a += WEIGHTS[0, tile] * (target - source)
    b += WEIGHTS[1, tile] * (target - source)
    c += WEIGHTS[2, tile] * (target - source)
    return int(database[0, a]) + int(database[1, b]) + int(database[2, c]), (a, b, c)


# Not consistent: the tables do not know where the blank is.
FORMS = {"carry": places, "incremental": moved, "tables": {"database": build}}
hooks = plugin(Heuristic("patterns", distance, domains={"sliding-tile"}, admissible=True, **FORMS))
