"""XDP: bounded-suboptimal best-first search that may err most at the beginning of a path.

J. Chen and N. R. Sturtevant, "Conditions for Avoiding Node Re-expansions in Bounded Suboptimal Search", IJCAI 2019.

Weighted A* with a bound w lets a node cost w times too much anywhere between start and goal: the nodes with equal
priority lie on a straight line in the plane of h and g. Other curves from (h = C, g = 0) to (h = 0, g = w × C) keep the
same bound. If they meet some conditions, no closed node need be reopened with a consistent h. The curve of XDP is a
parabola: near the goal, where h is small, a path may cost almost 2w - 1 times the cheapest path; near the start hardly
more than the cheapest path.

    put the start on the open list
    until it is empty:
        take the node with the smallest (g + (2w - 1) h + sqrt((g - h)² + 4 w g h)) / 2w (ties: smaller h)
        if it is a goal: its cost is at most w × the optimum
        close it, and put each successor on the list that is new, or reached by a cheaper path than a known open node

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="xdp:bound=1.5")
>>> result.status, result.cost, result.bound <= 1.5, result.reopened
('solved', 40, True, 0)
"""

from __future__ import annotations

from math import sqrt

from searchlab import Frontier, Parameter
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def priority(g: float, h: float, bound: float = 2.0) -> float:
    """XDP: smallest for paths that may become a solution within the bound (Chen and Sturtevant 2019)."""
    # Scores may make the radicand negative, and a negative number has no root.
    root = sqrt(max(0.0, (g - h) * (g - h) + 4 * bound * g * h))
    return (g + (2 * bound - 1) * h + root) / (2 * bound)


XDP = Frontier(
    "xdp",
    priority,
    ties="low-h",
    duplicates="domain",
    reopen="unless-consistent",
    optimal_with="admissible",
    within=given_bound,
    parameters=(Parameter("bound", 2.0, "costs are within this factor of the optimum", check=check_bound),),
    summary="at most bound × the optimal cost, erring most near the goal (Chen and Sturtevant 2019)",
)
