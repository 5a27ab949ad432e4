"""Heuristics for the pancake puzzle; both are admissible and consistent for all costs of flips.

A flip separates a single pair of neighbours: the lowest flipped pancake and the pancake below, which may be the plate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab import Heuristic, Parameter

DOMAINS = frozenset({"pancake"})


def gap(tiles: Any, weights: Any, ignore: int = 0) -> int:
    """Count the neighbours that differ by more than 1 (Helmert 2010).

    With `cost=heavy` a pair counts the size of its smaller pancake. The flip that separates the pair lifts the upper
    pancake, so it costs at least this much.

    With `ignore=k` a pair with one of the k smallest pancakes does not count, unless the lower one is the plate. This
    is GAP-k (Holte, Felner, Sharon and Sturtevant 2016), with the plate as in the authors' programs.
    """
    n = tiles.shape[1]
    h = 0
    for place in range(n):
        h += apart(tiles[0, place], tiles[0, place + 1] if place + 1 < n else n + 1, weights, ignore)
    return h


def apart(upper: int, lower: int, weights: Any, ignore: int) -> int:
    """Return the count of a pair of neighbours: 0 if they belong together, or if the pair is ignored."""
    smaller = min(upper, lower)
    counts = abs(upper - lower) > 1 and (smaller > ignore or lower == len(weights) - 1)
    weight: int = weights[smaller]
    return weight if counts else 0


def gap_after(h: int, top: int, last: int, below: int, weights: Any, ignore: int) -> int:
    """Return the count after a flip."""
    return h - apart(last, below, weights, ignore) + apart(top, below, weights, ignore)


def gap_between(tiles: Any, other: Any, weights: Any, ignore: int) -> int:
    """Count the neighbours that are not neighbours in another stack; `ignore` skips the top of the other stack."""
    n = tiles.shape[1]
    place_in_other = places_in(other)
    h = 0
    for place in range(n):
        h += apart_in(place_in_other, tiles[0, place], tiles[0, place + 1] if place + 1 < n else n + 1, weights, ignore)
    return h


def places_in(stack: Any) -> Any:
    """Return the place of each pancake, by size, shape (n + 2,); the place of the plate is n."""
    n = stack.shape[1]
    places = np.zeros(n + 2, np.int64)
    for place in range(n):
        places[stack[0, place]] = place
    places[n + 1] = n
    return places


def apart_in(places: Any, upper: int, lower: int, weights: Any, ignore: int) -> int:
    """Return the count of a pair of neighbours: 0 if they are neighbours in the stack with these places or ignored."""
    first, second = places[upper], places[lower]
    counts = abs(first - second) > 1 and (min(first, second) >= ignore or lower == len(places) - 1)
    weight: int = weights[min(upper, lower)]
    return weight if counts else 0


def lookahead_gap(tiles: Any, weights: Any, is_heavy: bool) -> int:
    """Return the least sum of the cost of a flip and the gaps after this flip (Valenzano and Yang 2017)."""
    n = tiles.shape[1]
    h = gap(tiles, weights)
    if h == 0:
        return 0
    least: int = 2 * h + n * n
    lifted = tiles[0, 0]
    for count in range(2, n + 1):
        last, below = tiles[0, count - 1], tiles[0, count] if count < n else n + 1
        lifted += last
        least = min(least, gap_after(h, tiles[0, 0], last, below, weights, 0) + (lifted if is_heavy else 1))
    return least


def lookahead_gap_between(tiles: Any, other: Any, weights: Any, is_heavy: bool) -> int:
    """Return the least sum of the cost of a flip and the gaps between the stack after this flip and another stack."""
    n = tiles.shape[1]
    h = gap_between(tiles, other, weights, 0)
    if h == 0:
        return 0
    places = places_in(other)
    least: int = 2 * h + n * n
    top, lifted = tiles[0, 0], tiles[0, 0]
    for count in range(2, n + 1):
        last, below = tiles[0, count - 1], tiles[0, count] if count < n else n + 1
        lifted += last
        after = h - apart_in(places, last, below, weights, 0) + apart_in(places, top, below, weights, 0)
        least = min(least, after + (lifted if is_heavy else 1))
    return least


def check_ignored(ignore: int) -> str:
    """Return an error message for an invalid number of ignored pancakes, or `""`."""
    return "" if ignore >= 0 else "it is a number of pancakes, 0 or more"


def follows_costs() -> bool:
    """Return True: the heuristics take the costs of flips into account, so they are lower bounds for any costs."""
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
        parameters=(Parameter("ignore", 0, "smallest pancakes whose gaps do not count: GAP-k", check=check_ignored),),
        summary="the number of neighbours that differ by more than 1",
    ),
    Heuristic(
        "lookahead-gap",
        lookahead_gap,
        domains=DOMAINS,
        admissible=follows_costs,
        consistent=follows_costs,
        between=lookahead_gap_between,
        summary="the cost of the best flip, and the gaps left after it",
    ),
)
