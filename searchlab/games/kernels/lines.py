"""The values of all lines of cells, one after another, into a table; see `games/lines.py`."""

from __future__ import annotations

from typing import Any

from numba import types

from searchlab.search.kernels.hash_table import I, U

CELLS = 1
BITS = 1
VALUES = 2
POWERS_OF_TWO = False


def line(params: Any, tables: Any, tiles: Any) -> float:
    """Stand in for the heuristic's function of a line."""
    return 0.0


_u8, _i64, _f64 = (types.CPointer(t) for t in (types.uint8, types.int64, types.float64))
SIGNATURE = types.void(_f64, _u8, _i64, _f64)


def fill(params: Any, tables: Any, tiles: Any, of_lines: Any) -> None:
    """Evaluate the lines whose codes are all below VALUES; the others, which no board has, stay as they are."""
    for code in range(1 << (CELLS * BITS)):
        largest = I(0)
        for cell in range(CELLS):
            value = I((U(code) >> U(cell * BITS)) & U((1 << BITS) - 1))
            largest = max(largest, value)
            tiles[cell] = (I(1) << value) & I(-2) if POWERS_OF_TWO else value
        if largest < VALUES:
            of_lines[code] = line(params, tables, tiles)
