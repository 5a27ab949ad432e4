"""Heuristics that are sums over rows and columns: tables of the values of all lines of cells, indexed by their bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.adapters import Adapter
from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.functions import compile_kernel, explaining
from searchlab.errors import PluginCode, PluginError
from searchlab.games.kernels import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.compiler.packing import Packing

MOST_LINE_BITS = 16


def has_line_table(packing: Packing) -> bool:
    """Return whether boards can have a table of lines: they fit into a word, and have few enough different lines."""
    is_square = packing.is_uniform and packing.rows == packing.columns
    return is_square and packing.words == 1 and packing.columns * packing.bits <= MOST_LINE_BITS


def table(
    function: Callable[..., Any], values: Mapping[str, Any], packing: Packing, sign: float
) -> NDArray[np.float64] | None:
    """Return the value of every line of cells, times `sign`, indexed by its bits, or None if the function fails.

    Args:
        function: the `line` function of a heuristic.
        values: the available arguments, by name.

    Raises:
        CannotCompile: the function cannot be compiled.
    """
    adapter = Adapter(packing)
    cells = f"read_only(carray(tiles, ({packing.columns},)))"
    body = f"\n    return {sign} * {adapter.call('line_function', function, values, [cells])}\n"
    constants = {
        **{"CELLS": packing.columns, "BITS": packing.bits, "VALUES": packing.values},
        "POWERS_OF_TWO": packing.powers_of_two,
        "line": adapter.replacing(lines.line, body),
    }
    with explaining(function):
        fill = compile_kernel(lines.fill, lines.LineArrays, constants=constants)
    s = allocate(
        lines.LineArrays,
        {"cells": packing.columns, "lines": 1 << (packing.columns * packing.bits)},
        params=adapter.params,
        tables=adapter.tables,
    )
    try:
        with PluginCode():
            fill(*addresses(s))
    except PluginError:  # maybe on a line that no board has; only the function knows which lines it can judge
        return None
    line_values: NDArray[np.float64] = s.line_values
    return line_values


def sum_source(packing: Packing, line_values: str) -> str:
    """Return source code that sets `total` to the sum of the values of a packed board's rows and columns.

    Args:
        line_values: source code of the table of line values.
    """
    bits = packing.columns * packing.bits
    places = [f"U({bits * row})" for row in range(packing.rows)]
    terms = [f"    total += line_values[({{}} >> {place}) & U({(1 << bits) - 1})]\n" for place in places]
    rows, columns = (
        "".join(terms).format(*["words[0]"] * len(terms)),
        "".join(terms).format(*["reflected"] * len(terms)),
    )
    return f"""
    line_values = {line_values}
    total = 0.0
{rows}{transpose_source(packing, "words[0]")}{columns}"""


def sums(line_values: NDArray[np.float64], states: NDArray[np.uint64], packing: Packing) -> NDArray[np.float64]:
    """Return the sums over rows and columns that compiled code computes, for packed states of shape (states, 1)."""
    side, bits = packing.columns, packing.bits
    cells = np.arange(packing.cells, dtype=np.uint64).reshape(packing.shape)
    codes = (states[:, :1] >> (np.uint64(bits) * cells.ravel())) & np.uint64((1 << bits) - 1)
    places = np.arange(side, dtype=np.uint64) * np.uint64(bits)
    total = np.zeros(len(states))
    for line in (*cells, *cells.T):
        total += line_values[np.bitwise_or.reduce(codes[:, line] << places, axis=1)]
    return total


def transpose_source(packing: Packing, word: str) -> str:
    """Return source code that sets `reflected` to the transpose of a packed board of one word."""
    side, bits = packing.columns, packing.bits
    if side & (side - 1):
        cells = [
            (bits * (row * side + column), bits * (column * side + row))
            for row in range(side)
            for column in range(side)
        ]
        moved = [f"(({word} >> U({place})) & U({(1 << bits) - 1})) << U({reflected})" for place, reflected in cells]
        return f"    reflected = {' | '.join(moved)}\n"
    source = f"    reflected = {word}\n"
    block = side // 2
    while block:  # exchange blocks on both sides of the diagonal, the largest blocks first
        swapped = [
            row * side + column for row in range(side) for column in range(side) if column & block and not row & block
        ]
        distance = bits * block * (side - 1)
        mask = sum(((1 << bits) - 1) << (bits * cell) for cell in swapped)
        source += f"    difference = (reflected ^ (reflected >> U({distance}))) & U({mask})\n"
        source += f"    reflected ^= difference ^ (difference << U({distance}))\n"
        block //= 2
    return source
