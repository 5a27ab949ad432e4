"""The distances of some tiles of the 15-puzzle, by default six; what they took and found is printed as JSON.

python benchmarks/one_table.py places            # the search goes through the places of the blank
python benchmarks/one_table.py regions           # through its regions
python benchmarks/one_table.py regions 1,2,3     # of these tiles
"""

from __future__ import annotations

import json
import resource
import sys
from dataclasses import replace
from math import perm

import numpy as np
from cpu_time import cpu_seconds

import searchlab as sl

SOLVED = sl.Board(np.roll(np.arange(16), -1).reshape(4, 4))
SIX = "1,2,3,5,6,9"


def main() -> None:
    """Fill the table once."""
    way, tiles = [*sys.argv[1:], SIX][:2]
    charged = tuple(map(int, tiles.split(",")))
    # The number of placements of the tiles; the search by places also places the blank.
    states = perm(SOLVED.n**2, len(charged) + (way == "places"))
    domain = sl.domain("sliding-tile").component if way == "regions" else by_places()
    sl.distances(domain, board=SOLVED, keep=(1,), charge=(1,))  # fills the cache
    held = kilobytes()
    with cpu_seconds() as took:
        table = sl.distances(domain, board=SOLVED, keep=charged, charge=charged)
    grown = kilobytes() - held
    found = {"entries": len(table), "largest": len(table.levels) - 1, "sum": int(table.array.sum())}
    print(json.dumps({**took, **found, "bytes_a_node": 1024 * grown / states}))


def by_places() -> sl.Domain:
    """Return the domain without its declaration that tiles slide."""
    component = sl.domain("sliding-tile").component

    def packed(board: sl.Board, goal: str, cost: str) -> sl.PackedForm:
        assert component.packed is not None
        form: sl.PackedForm = component.packed(board, goal, cost)
        assert form.in_place is not None
        return replace(form, in_place=replace(form.in_place, slides=False))

    return replace(component, packed=packed)


def kilobytes() -> int:
    """Return the most memory that the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
