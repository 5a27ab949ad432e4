"""The properties of `chances`, by the rules of 2048."""

import numpy as np

import searchlab as sl

TILES = np.array([[2, 4, 8, 16], [0, 2, 0, 4], [0, 0, 2, 2], [1024, 0, 0, 2]])
FULL = np.array([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 0]])
"""Boards with several blank cells, and with one."""


def listed(module, tiles):
    """Return what follows from a board, and fail if the board was changed."""
    given = tiles.copy()
    found = [(float(probability), np.array(after)) for probability, after in module.chances(given)]
    assert (given == tiles).all(), ("chances() changes the tiles it is given", sl.Board(tiles))
    return found


def adds_up(module):
    """Something always happens."""
    for tiles in (TILES, FULL):
        total = sum(probability for probability, _ in listed(module, tiles))
        assert abs(total - 1) < 1e-9, (f"the probabilities add up to {total:.6g}", sl.Board(tiles))


def each_cell(module):
    """Each blank cell has the same chance, and nine of ten new tiles are a 2; the order does not matter."""
    for tiles in (TILES, FULL):
        found = {}
        for probability, after in listed(module, tiles):
            changed = np.argwhere(after != tiles)
            assert len(changed) == 1, ("not one tile more than before:", sl.Board(after))
            (cell,) = map(tuple, changed.tolist())
            assert tiles[cell] == 0, ("the new tile is in a cell that was not blank:", sl.Board(after))
            found[cell, int(after[cell])] = found.get((cell, int(after[cell])), 0) + probability
        blanks = list(map(tuple, np.argwhere(tiles == 0).tolist()))
        for cell in blanks:
            for tile, share in ((2, 0.9), (4, 0.1)):
                wanted, got = share / len(blanks), found.pop((cell, tile), 0)
                said = f"a {tile} appears in row {cell[0] + 1}, column {cell[1] + 1} with probability {got:.4g}"
                assert abs(got - wanted) < 1e-9, (f"{said}, and {wanted:.4g} is right", sl.Board(tiles))
        assert not found, f"there are tiles besides 2 and 4: {sorted({tile for _, tile in found})}"
