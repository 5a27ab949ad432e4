"""The maximum, the sum and the weighted sum of other heuristics.

The maximum of admissible heuristics is admissible, and the maximum of consistent heuristics is consistent. A sum may
exceed the cost, because two heuristics may count the same moves. It is admissible if the costs are disjoint, that is,
if no move counts in two heuristics, as in pattern databases of different tiles (Korf and Felner 2002). `additive=yes`
declares this; a heuristic that knows otherwise refuses to be a part. A weighted mean never exceeds the largest value.
"""

from __future__ import annotations

from math import fsum, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab import BoundHeuristic


def largest(values: Any) -> int:
    """Return the largest value, or NaN if one of the values is NaN: the search reports it as an error."""
    result: int = values[0]
    for k in range(1, len(values)):
        if result == result and not values[k] <= result:
            result = values[k]
    return result


def total(values: Any) -> int:
    """Return the sum of all values."""
    result: int = values[0]
    for k in range(1, len(values)):
        result += values[k]
    return result


def weighted_total(values: Any, factors: Any) -> float:
    """Return the sum of all values, each multiplied by its weight."""
    result = 0.0
    for k in range(len(values)):
        result += factors[k] * values[k]
    return result


def factors(progress: object, of: Sequence[BoundHeuristic], weights: str) -> NDArray[np.float64]:
    """Return the weights of the parts, shape (parts,); each is 1 if none is given."""
    found = numbers_in(weights) or [1.0] * len(of)
    if len(found) != len(of):
        raise UsageError(f"weights={weights}: {len(of)} heuristics have a weight each, and {len(found)} are given")
    return np.array(found, np.float64)


def numbers_in(weights: str) -> list[float]:
    """Parse numbers that are separated by blanks."""
    return [float(weight) for weight in weights.split()]


def check_weights(weights: str) -> str:
    """Return an error message for weights that are invalid for any number of heuristics, or `""`."""
    try:
        are_finite = all(map(isfinite, numbers_in(weights)))
    except ValueError:
        are_finite = False
    return "" if are_finite else "it is a number for each heuristic, as [2 0.5]"


def are_all_admissible(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are admissible, so that their maximum is."""
    return all(part.admissible for part in of)


def are_all_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are consistent, so that their maximum is."""
    return all(part.consistent for part in of)


def is_sum_admissible(of: Sequence[BoundHeuristic], additive: bool) -> bool:
    """Return whether a sum is known to be admissible: it has a single part, or no move counts in two parts.

    Raises:
        UsageError: the user declares the parts additive, and a part knows that it is not.
    """
    if additive:
        for k, part in enumerate(of):
            others = [simple for other in (*of[:k], *of[k + 1 :]) for simple in simple_parts(other)]
            for simple in simple_parts(part) if others else ():
                if simple.admissible and not simple.admissible_added_to(others):
                    raise UsageError(f"additive=yes: {simple} is not admissible added to {', '.join(map(str, others))}")
    return (additive or len(of) == 1) and all(part.admissible for part in of)


def simple_parts(part: BoundHeuristic) -> list[BoundHeuristic]:
    """Return the parts of a combination, recursively; a heuristic that combines no others is its only part."""
    return [simple for inner in part.parts for simple in simple_parts(inner)] or [part]


def is_sum_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether a sum is known to be consistent: if two parts drop at one move, their sum may drop too far."""
    return len(of) == 1 and of[0].consistent


def is_mean(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether a common upper bound of the parts also bounds their weighted sum."""
    found = numbers_in(weights) or [1.0] * len(of)
    return min(found) >= 0 and fsum(found) <= 1


def is_weighted_sum_admissible(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether a weighted sum is known to be admissible."""
    return is_mean(of, weights) and all(part.admissible for part in of)


def is_weighted_sum_consistent(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether a weighted sum is known to be consistent: a mean drops at most as far as one of its parts."""
    return is_mean(of, weights) and all(part.consistent for part in of)


OF = Parameter("of", "", "the heuristics, as [NAME,NAME]; by default the domain's own", kind="heuristics")

HEURISTICS = (
    Heuristic(
        "max",
        combine=largest,
        admissible=are_all_admissible,
        consistent=are_all_consistent,
        parameters=(OF,),
        summary="the largest value of several heuristics",
    ),
    Heuristic(
        "sum",
        combine=total,
        admissible=is_sum_admissible,
        consistent=is_sum_consistent,
        parameters=(
            OF,
            Parameter("additive", False, "no move counts in two of them, so it is admissible"),
        ),
        summary="the sum of the values of several heuristics",
    ),
    Heuristic(
        "weighted-sum",
        combine=weighted_total,
        admissible=is_weighted_sum_admissible,
        consistent=is_weighted_sum_consistent,
        parameters=(
            OF,
            Parameter("weights", "", "a number for each, as [2 0.5]; by default 1", check=check_weights),
        ),
        tables={"factors": factors},
        summary="the weighted sum of the values of several heuristics",
    ),
)
