"""Dynamic weighting: A* with a weight that falls with the depth of a node (Pohl, IJCAI 1973).

"The avoidance of (relative) catastrophe, heuristic competence, genuine dynamic weighting and computational issues in
heuristic problem solving". Early in a path a wrong turn costs little, and a large weight keeps the search narrow; near
the goal h counts as it is. `length` is the expected number of moves of a solution; deeper nodes have the weight 1.

    put the start on the open list
    until it is empty:
        weight of a node = 1 + (bound - 1) × (1 - its depth / length), at least 1
        take the node with the smallest g + weight × h
        if it is a goal: its cost is at most bound × the optimum
        put each successor on the list that is new, or reached by a cheaper path than known

The weights of the nodes on a cheapest path differ, so states may have to be reopened even with a consistent h.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="dynamic-weighting:bound=1.5,length=40")
>>> result.status, result.cost <= 1.5 * 40, result.bound <= 1.5
('solved', True, True)
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def priority(g: float, h: float, depth: float, bound: float, length: float) -> float:
    """Weighted A* with a weight that falls from `bound` to 1 (Pohl 1973)."""
    return g + (1 + (bound - 1) * max(0.0, 1 - depth / length)) * h


def check_length(length: float) -> str:
    """Return an error message for an invalid length, or `""`."""
    return "" if 0 < length < inf else "a solution has a length above 0"


DYNAMIC_WEIGHTING = Frontier(
    "dynamic-weighting",
    queues=(Queue(priority),),
    ties="low-h",
    reopen="yes",
    optimal_with="admissible",
    within=given_bound,
    parameters=(
        Parameter("bound", 2.0, "costs are within this factor of the optimum", check=check_bound),
        Parameter(
            "length",
            50.0,
            "the moves that a solution is expected to take",
            check=check_length,
            low=5,
            high=500,
            log=True,
        ),
    ),
    summary="weighted A* whose weight falls with the depth, at most bound × the optimal cost (Pohl 1973)",
)
