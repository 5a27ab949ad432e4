"""XUP: bounded-suboptimal best-first search that may err most at the end of a search, where h is small.

J. Chen and N. R. Sturtevant, "Conditions for Avoiding Node Re-expansions in Bounded Suboptimal Search", IJCAI 2019.

As in `xdp`, the nodes with equal priority lie on a curve from (h = C, g = 0) to (h = 0, g = w × C), and no closed node
need be reopened with a consistent h. XUP bends the line of weighted A* the other way: near the start a path may cost
almost 2w - 1 times the cheapest path; near the goal hardly more than the cheapest path.

    put the start on the open list
    until it is empty:
        take the node with the smallest (g + h + sqrt((g + h)² + 4 w (w - 1) h²)) / 2w (ties: smaller h)
        if it is a goal: its cost is at most w × the optimum
        close it, and put each successor on the list that is new, or reached by a cheaper path than a known open node

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="xup:bound=1.5")
>>> result.status, result.cost <= 1.5 * 40, result.bound <= 1.5, result.reopened
('solved', True, True, 0)
"""

from __future__ import annotations

from math import sqrt

from searchlab import Frontier, Parameter
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def priority(g: float, h: float, bound: float = 2.0) -> float:
    """XUP: smallest for paths that may become a solution within the bound (Chen and Sturtevant 2019)."""
    # A bound below 1 could make the radicand negative, and a negative number has no root.
    root = sqrt(max(0.0, (g + h) * (g + h) + 4 * bound * (bound - 1) * h * h))
    return (g + h + root) / (2 * bound)


XUP = Frontier(
    "xup",
    priority,
    ties="low-h",
    duplicates="domain",
    reopen="unless-consistent",
    optimal_with="admissible",
    within=given_bound,
    parameters=(Parameter("bound", 2.0, "costs are within this factor of the optimum", check=check_bound),),
    summary="at most bound × the optimal cost, erring most near the start (Chen and Sturtevant 2019)",
)
