"""The maximum, the sum and the weighted sum of other heuristics.

The maximum of admissible heuristics is admissible, and the maximum of consistent heuristics is consistent. A sum may
exceed the cost, because two heuristics may count the same moves. It is admissible if the costs are disjoint, that is,
if no move counts in two heuristics, as in pattern databases of different tiles (Korf and Felner 2002). `additive=yes`
declares this; a part that knows otherwise refuses. A weighted mean is at most the largest of the values.
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
    """Return the largest value; a NaN comes through, as an error."""
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
    """Return the sum of all values, each times its weight."""
    result = 0.0
    for k in range(len(values)):
        result += factors[k] * values[k]
    return result


def factors(progress: object, of: Sequence[BoundHeuristic], weights: str) -> NDArray[np.float64]:
    """Return the weights, one for each part."""
    found = numbers_in(weights) or [1.0] * len(of)
    if len(found) != len(of):
        raise UsageError(f"weights={weights}: {len(of)} heuristics have a weight each, and {len(found)} are given")
    return np.array(found, np.float64)


def numbers_in(weights: str) -> list[float]:
    """Return the numbers that blanks separate."""
    return [float(weight) for weight in weights.split()]


def check_weights(weights: str) -> str:
    """Return an error message for weights that are invalid for any number of heuristics, or `""`."""
    try:
        are_finite = all(map(isfinite, numbers_in(weights)))
    except ValueError:
        are_finite = False
    return "" if are_finite else "it is a number for each heuristic, as [2 0.5]"


def are_all_admissible(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are admissible: then the largest is."""
    return all(part.admissible for part in of)


def are_all_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are consistent: then the largest is."""
    return all(part.consistent for part in of)


def is_sum_admissible(of: Sequence[BoundHeuristic], additive: bool) -> bool:
    """Return whether a sum is known to be admissible: it has one part, or no move counts in two of them.

    Raises:
        UsageError: it is declared so, and a part denies it.
    """
    if additive:
        for k, part in enumerate(of):
            others = [one for other in (*of[:k], *of[k + 1 :]) for one in simple_parts(other)]
            for one in simple_parts(part) if others else ():
                if one.admissible and not one.admissible_added_to(others):
                    raise UsageError(f"additive=yes: {one} is not admissible added to {', '.join(map(str, others))}")
    return (additive or len(of) == 1) and all(part.admissible for part in of)


def simple_parts(part: BoundHeuristic) -> list[BoundHeuristic]:
    """Return a heuristic or, if it combines others, its parts, recursively."""
    return [one for inner in part.parts for one in simple_parts(inner)] or [part]


def is_sum_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether a sum is known to be consistent: two parts that drop at the same move drop by more, together."""
    return len(of) == 1 and of[0].consistent


def is_mean(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether every bound of the parts also bounds their weighted sum."""
    found = numbers_in(weights) or [1.0] * len(of)
    return min(found) >= 0 and fsum(found) <= 1


def is_weighted_sum_admissible(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether a weighted sum is known to be admissible."""
    return is_mean(of, weights) and all(part.admissible for part in of)


def is_weighted_sum_consistent(of: Sequence[BoundHeuristic], weights: str) -> bool:
    """Return whether a weighted sum is known to be consistent: it drops by a mean of the drops of its parts."""
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
