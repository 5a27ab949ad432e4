"""Heuristics for the pancake puzzle; both are admissible and consistent for all costs of flips.

A flip separates only one pair of neighbours: the last pancake that it turns and the one below, which may be the plate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab import Heuristic

DOMAINS = frozenset({"pancake"})


def gap(tiles: Any, weights: Any) -> int:
    """Count the neighbours that differ by more than 1 (Helmert 2010).

    With `cost=heavy` a pair counts as its smaller pancake. The flip that takes a pair apart lifts the upper one, so
    that it costs as much or more.
    """
    n = tiles.shape[1]
    h = 0
    for place in range(n):
        h += apart(tiles[0, place], tiles[0, place + 1] if place + 1 < n else n + 1, weights)
    return h


def apart(upper: int, lower: int, weights: Any) -> int:
    """Return the count of a pair of neighbours: 0 if they belong together."""
    weight: int = weights[min(upper, lower)]
    return weight if abs(upper - lower) > 1 else 0


def gap_after(h: int, top: int, last: int, below: int, weights: Any) -> int:
    """Return the count after a flip."""
    return h - apart(last, below, weights) + apart(top, below, weights)


def gap_between(tiles: Any, other: Any, weights: Any) -> int:
    """Count the neighbours that are no neighbours in another stack."""
    n = tiles.shape[1]
    place_in_other = np.zeros(n + 2, np.int64)
    for place in range(n):
        place_in_other[other[0, place]] = place
    place_in_other[n + 1] = n
    h = 0
    for place in range(n):
        upper, lower = tiles[0, place], tiles[0, place + 1] if place + 1 < n else n + 1
        if abs(place_in_other[upper] - place_in_other[lower]) > 1:
            h += weights[min(upper, lower)]
    return h


def lookahead_gap(tiles: Any, weights: Any, is_heavy: bool) -> int:
    """Return the least cost of a flip and the gaps that are left after it (Valenzano and Yang 2017)."""
    n = tiles.shape[1]
    h = gap(tiles, weights)
    if h == 0:
        return 0
    least: int = 2 * h + n * n
    lifted = tiles[0, 0]
    for count in range(2, n + 1):
        last, below = tiles[0, count - 1], tiles[0, count] if count < n else n + 1
        lifted += last
        least = min(least, gap_after(h, tiles[0, 0], last, below, weights) + (lifted if is_heavy else 1))
    return least


def follows_costs() -> bool:
    """Return True: the heuristics take the costs of flips into account, so that they are bounds for any costs."""
    return True


HEURISTICS = (
    Heuristic(
        "gap",
        gap,
        domains=DOMAINS,
        admissible=follows_costs,
        consistent=follows_costs,
        incremental=gap_after,
        between=gap_between,
        summary="the number of neighbours that differ by more than 1",
    ),
    Heuristic(
        "lookahead-gap",
        lookahead_gap,
        domains=DOMAINS,
        admissible=follows_costs,
        consistent=follows_costs,
        summary="the cost of the best flip, and the gaps left after it",
    ),
)
