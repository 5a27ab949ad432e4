"""The distances of six tiles of the 15-puzzle and the blank; what they took and found is printed as JSON."""

from __future__ import annotations

import json
import resource

import numpy as np
from cpu_time import cpu_seconds

import searchlab as sl

SOLVED = sl.Board(np.roll(np.arange(16), -1).reshape(4, 4))
SIX = (1, 2, 3, 5, 6, 9)
STATES = 57_657_600
"""16! / 9!: the ways in which the six tiles and the blank lie on the board."""


def main() -> None:
    """Fill the table once."""
    sl.distances(SOLVED, domain="sliding-tile", keep=(1,), charge=(1,))  # fills the cache
    held = kilobytes()
    with cpu_seconds() as took:
        table = sl.distances(SOLVED, domain="sliding-tile", keep=SIX, charge=SIX)
    grown = kilobytes() - held
    found = {"entries": len(table), "largest": len(table.levels) - 1, "sum": int(table.array.sum())}
    print(json.dumps({**took, **found, "bytes_a_node": 1024 * grown / STATES}))


def kilobytes() -> int:
    """Return the most memory that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
