"""The kernel that evaluates all lines of cells, one after another; see `games/lines.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, array
from searchlab.search.kernels.hash_table import I, U

CELLS = 1
BITS = 1
VALUES = 2
POWERS_OF_TWO = False


def line(params: Any, tables: Any, tiles: Any) -> float:
    """Placeholder for the heuristic's line function."""
    return 0.0


class LineArrays(Arrays):
    """The arguments of a heuristic's line function, and the values of all lines."""

    params: Pointer = array(np.float64, "params")
    tables: Pointer = array(np.uint8, "tables")
    tiles: Pointer = array(np.int64, "cells")
    line_values: Pointer = array(np.float64, "lines")


def fill(s: LineArrays) -> int:
    """Evaluate the lines with codes below VALUES; other lines, which no board has, stay 0. Return 0."""
    for code in range(1 << (CELLS * BITS)):
        largest = I(0)
        for cell in range(CELLS):
            value = I((U(code) >> U(cell * BITS)) & U((1 << BITS) - 1))
            largest = max(largest, value)
            s.tiles[cell] = (I(1) << value) & I(-2) if POWERS_OF_TWO else value
        if largest < VALUES:
            s.line_values[code] = line(s.params, s.tables, s.tiles)
    return 0
