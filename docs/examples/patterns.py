"""An additive pattern database of the 15-puzzle: three groups of five tiles (Korf and Felner 2002).

A search carries a board as one number: four bits for the cell of each tile, the five tiles of a group side by side. The
20 bits of a group are the place of its distance in the table.
"""

import numpy as np

from searchlab import Heuristic, UsageError, distances, hookimpl

GROUPS = ((1, 4, 5, 8, 9), (2, 3, 6, 7, 10), (11, 12, 13, 14, 15))
ORDER = [tile for group in reversed(GROUPS) for tile in group]
SHIFTS = np.array([0, *(4 * (14 - ORDER.index(tile)) for tile in range(1, 16))])


def build(progress, domain, goals, rows, columns):
    if (rows, columns) != (4, 4):
        raise UsageError("patterns is for boards of 4 × 4")
    groups = [distances(goals[0], domain=domain, keep=group, charge=group, progress=progress) for group in GROUPS]
    return np.array([group.dense().ravel() for group in groups])


def cells(tiles):
    """Return the cells of all tiles in one number."""
    code = 0
    for cell in range(16):
        if tiles[cell // 4, cell % 4]:
            code |= cell << SHIFTS[tiles[cell // 4, cell % 4]]
    return (code,)


def distance(tiles, table) -> int:
    """Return the sum of the groups' distances, each of which counts the moves of its own tiles only."""
    return total(cells(tiles)[0], table)


def total(code, table):
    return int(table[0, code & 0xFFFFF]) + int(table[1, code >> 20 & 0xFFFFF]) + int(table[2, code >> 40 & 0xFFFFF])


def moved(h, carried, tile, source, target, table):
    code = carried[0] ^ (source ^ target) << SHIFTS[tile]
    return total(code, table), (code,)


@hookimpl
def searchlab_heuristics():
    # Not consistent: the tables do not know where the blank is.
    forms = {"carry": cells, "incremental": moved, "tables": {"table": build}}
    yield Heuristic("patterns", distance, domains={"sliding-tile"}, admissible=True, **forms)
