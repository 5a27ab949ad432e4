"""Lights Out as linear equations modulo 2: find the presses that turn a set of lights off.

A set of lights is a number with a bit for each light, row by row. The effect of a set of presses is the exclusive or of
the effects of all presses. So it is a product with a matrix of bits, and Gaussian elimination finds the presses for a
given effect (Anderson and Feil 1998). Sets of presses without effect are called quiet: two solutions of a board differ
by a quiet set.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from searchlab import Board


class Equations(NamedTuple):
    """The solution of the equations for boards of one shape.

    Attributes:
        solver: a set of lights for each light: the light is pressed if an odd number of this set is on.
        quiet: sets of presses without effect that generate all such sets.
    """

    solver: tuple[int, ...]
    quiet: tuple[int, ...]


@lru_cache(maxsize=64)
def toggles(rows: int, columns: int) -> tuple[int, ...]:
    """Return the lights that each press changes."""
    cells = [divmod(cell, columns) for cell in range(rows * columns)]
    return tuple(
        sum(1 << other for other, (r, c) in enumerate(cells) if abs(r - row) + abs(c - column) <= 1)
        for row, column in cells
    )


@lru_cache(maxsize=64)
def equations(rows: int, columns: int) -> Equations:
    """Return the solution for boards of a shape.

    >>> [len(equations(n, n).quiet) for n in range(1, 7)]
    [0, 0, 0, 4, 2, 0]
    """
    size = rows * columns
    # A line says that two parities are equal: of the presses in the low bits, and of the lights in the bits above.
    lines = [changed | 1 << size + light for light, changed in enumerate(toggles(rows, columns))]
    presses = (1 << size) - 1
    pivots: dict[int, int] = {}
    for light in range(size):
        line = lines[light]
        for press, pivot in pivots.items():
            if line >> press & 1:
                line ^= pivot
        if line & presses:
            press = (line & presses & -(line & presses)).bit_length() - 1
            for earlier, pivot in pivots.items():
                if pivot >> press & 1:
                    pivots[earlier] = pivot ^ line
            pivots[press] = line
    solver = tuple(pivots[press] >> size if press in pivots else 0 for press in range(size))
    quiet = tuple(
        1 << free | sum(1 << press for press, line in pivots.items() if line >> free & 1)
        for free in range(size)
        if free not in pivots
    )
    return Equations(solver, quiet)


def lights_of(board: Board) -> int:
    """Return the set of the lights that are on."""
    return sum(1 << cell for cell, light in enumerate(board.tiles.ravel().tolist()) if light)


def is_solvable(board: Board) -> bool:
    """Return whether a board has a solution: each quiet set must contain an even number of the lights."""
    lights = lights_of(board)
    return all((quiet & lights).bit_count() % 2 == 0 for quiet in equations(*board.shape).quiet)


def shortest_solution(board: Board) -> int:
    """Return the number of presses of a shortest solution of a board that has one.

    Two solutions differ by a quiet set, so combining any solution with each quiet set gives all solutions.

    >>> from searchlab import Board
    >>> shortest_solution(Board([[1] * 5] * 5))
    15
    """
    solver, quiet = equations(*board.shape)
    lights = lights_of(board)
    solutions = [sum(1 << press for press, asked in enumerate(solver) if (asked & lights).bit_count() % 2)]
    for change in quiet:
        solutions += [solution ^ change for solution in solutions]
    return min(solution.bit_count() for solution in solutions)
