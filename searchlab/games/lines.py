"""Heuristics that judge line by line: the value of every possible row in a table, indexed by the bits of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.adapters import Adapter
from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.functions import PLUGIN_OPTIONS, compile_kernel, explaining
from searchlab.errors import PluginCode, PluginError
from searchlab.games.kernels import lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.compiler.packing import Packing

MOST_LINE_BITS = 16


def has_line_table(packing: Packing) -> bool:
    """Return whether a table of all lines is small enough, and a packed board is one word."""
    is_square = packing.rows == packing.columns
    return is_square and packing.words == 1 and packing.columns * packing.bits <= MOST_LINE_BITS


def table(
    function: Callable[..., Any], values: Mapping[str, Any], packing: Packing, sign: float
) -> NDArray[np.float64] | None:
    """Return the value of each line of cells, times `sign`, by the bits of the line; None if the function fails on one.

    Args:
        function: a heuristic's `line`.
        values: the arguments it may ask for by name.

    Raises:
        CannotCompile: it cannot be compiled.
    """
    adapter = Adapter(packing, PLUGIN_OPTIONS)
    cells = f"read_only(carray(tiles, ({packing.columns},)))"
    body = f"\n    return {sign} * {adapter.call('judged', function, values, [cells])}\n"
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
    except PluginError:  # perhaps on a line that no board has: only the function knows which lines it can judge
        return None
    of_lines: NDArray[np.float64] = s.of_lines
    return of_lines


def sum_source(packing: Packing, of_lines: str) -> str:
    """Return source that leaves the sum of the values of a board's rows and columns in `total`.

    Args:
        of_lines: the source of the table.
    """
    bits = packing.columns * packing.bits
    places = [f"U({bits * row})" for row in range(packing.rows)]
    terms = [f"    total += of_lines[({{}} >> {place}) & U({(1 << bits) - 1})]\n" for place in places]
    rows, columns = "".join(terms).format(*["words[0]"] * len(terms)), "".join(terms).format(*["turned"] * len(terms))
    return f"""
    of_lines = {of_lines}
    total = 0.0
{rows}{transposing_source(packing, "words[0]")}{columns}"""


def sums(of_lines: NDArray[np.float64], states: NDArray[np.uint64], packing: Packing) -> NDArray[np.float64]:
    """Return the sums that compiled code computes, over the rows and columns of states of shape (states, 1)."""
    side, bits = packing.columns, packing.bits
    cells = np.arange(packing.cells, dtype=np.uint64).reshape(packing.shape)
    codes = (states[:, :1] >> (np.uint64(bits) * cells.ravel())) & np.uint64((1 << bits) - 1)
    places = np.arange(side, dtype=np.uint64) * np.uint64(bits)
    total = np.zeros(len(states))
    for line in (*cells, *cells.T):
        total += of_lines[np.bitwise_or.reduce(codes[:, line] << places, axis=1)]
    return total


def transposing_source(packing: Packing, word: str) -> str:
    """Return source that leaves the transpose of a packed board in `turned`."""
    side, bits = packing.columns, packing.bits
    if side & (side - 1):
        cells = [
            (bits * (row * side + column), bits * (column * side + row))
            for row in range(side)
            for column in range(side)
        ]
        moved = [f"(({word} >> U({place})) & U({(1 << bits) - 1})) << U({turned})" for place, turned in cells]
        return f"    turned = {' | '.join(moved)}\n"
    source = f"    turned = {word}\n"
    block = side // 2
    while block:  # blocks of cells beside the diagonal change places, the largest first
        swapped = [
            row * side + column for row in range(side) for column in range(side) if column & block and not row & block
        ]
        far = bits * block * (side - 1)
        mask = sum(((1 << bits) - 1) << (bits * cell) for cell in swapped)
        source += f"    apart = (turned ^ (turned >> U({far}))) & U({mask})\n"
        source += f"    turned ^= apart ^ (apart << U({far}))\n"
        block //= 2
    return source
