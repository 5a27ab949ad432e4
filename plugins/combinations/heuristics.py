"""The maximum and the sum of other heuristics.

The largest of several values that never exceed the cost of a solution does not, either, and where none of them drops by
more than a move costs, the largest does not. A sum may exceed the cost, as two heuristics may count the same moves. It
does not where their costs are disjoint, that is where no move counts in two of them, as in pattern databases of
different tiles (Korf and Felner 2002): `additive=yes` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import Heuristic, Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def are_all_admissible(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are admissible: then the largest is."""
    return all(part.admissible for part in of)


def are_all_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether all parts are consistent: then the largest is."""
    return all(part.consistent for part in of)


def is_sum_admissible(of: Sequence[BoundHeuristic], additive: bool) -> bool:
    """Return whether a sum is known to be admissible: it has one part, or no move counts in two of them."""
    return (additive or len(of) == 1) and all(part.admissible for part in of)


def is_sum_consistent(of: Sequence[BoundHeuristic]) -> bool:
    """Return whether a sum is known to be consistent: two parts that drop at the same move drop by more, together."""
    return len(of) == 1 and of[0].consistent


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
)
