"""Heuristics for Lights Out; both admissible and consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, UsageError, one_bits
from searchlab_plugins.lights_out.linear import equations

if TYPE_CHECKING:
    from numpy.typing import NDArray

DOMAINS = frozenset({"lights-out"})
MOST_LIGHTS = 62
"""The most lights of a set, which is a signed integer of 64 bits."""
MOST_QUIET = 20


def lights(tiles: Any) -> int:
    """Return the number of lights that are on, divided by 5 and rounded up: a press changes at most 5."""
    rows, columns = tiles.shape
    on = 0
    for row in range(rows):
        for column in range(columns):
            on += tiles[row, column]
    return (on + 4) // 5


def lights_between(tiles: Any, other: Any) -> int:
    """Return the number of lights that differ, divided by 5 and rounded up."""
    rows, columns = tiles.shape
    differ = 0
    for row in range(rows):
        for column in range(columns):
            differ += tiles[row, column] != other[row, column]
    return (differ + 4) // 5


def fewest_presses(tiles: Any, solver: Any, quiet: Any) -> int:
    """Count the presses of a shortest solution, by combining a solution with each quiet set."""
    return presses_for(lights_on(tiles), tiles.size, solver, quiet)


def fewest_presses_between(tiles: Any, other: Any, solver: Any, quiet: Any) -> int:
    """Count the presses of a shortest path to another board: they turn off the lights that differ."""
    return presses_for(lights_on(tiles) ^ lights_on(other), tiles.size, solver, quiet)


def lights_on(tiles: Any) -> int:
    """Return the lights that are on, as bits."""
    columns = tiles.shape[1]
    on = 0
    for cell in range(tiles.size):
        on |= tiles[cell // columns, cell % columns] << cell
    return on


def presses_for(on: int, count: int, solver: Any, quiet: Any) -> int:
    """Return the fewest presses that turn off a set of lights, out of `count` lights."""
    solution = 0
    for cell in range(count):
        solution |= (one_bits(on & solver[cell]) & 1) << cell
    fewest = count
    for change in quiet:
        fewest = min(fewest, one_bits(solution ^ change))
    return fewest


def solver(progress: object, rows: int, columns: int) -> NDArray[np.int64]:
    """Return a set of lights for each light, shape (lights,): the light is pressed if the set has an odd number on."""
    if rows * columns > MOST_LIGHTS:
        raise UsageError(f"fewest-presses is for up to {MOST_LIGHTS} lights, not {rows} × {columns}")
    return np.array(equations(rows, columns).solver, np.int64)


def quiet(progress: object, rows: int, columns: int) -> NDArray[np.int64]:
    """Return all sets of presses without effect, shape (sets,)."""
    sets = np.zeros(1, np.int64)
    basis = equations(rows, columns).quiet
    if len(basis) > MOST_QUIET:
        raise UsageError(f"fewest-presses: {rows} × {columns} has 2^{len(basis)} quiet sets, too many to look at")
    for generator in basis:
        sets = np.concatenate([sets, sets ^ generator])
    return sets


HEURISTICS = (
    Heuristic(
        "lights",
        lights,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=lights_between,
        summary="the number of lights that are on, divided by 5",
    ),
    Heuristic(
        "fewest-presses",
        fewest_presses,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=fewest_presses_between,
        tables={"solver": solver, "quiet": quiet},
        summary="the exact number of presses, by linear algebra",
    ),
)
