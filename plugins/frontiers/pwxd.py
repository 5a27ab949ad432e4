"""PWXD: bounded-suboptimal best-first search that is A* as long as h is above g, and errs near the goal.

J. Chen and N. R. Sturtevant, "Conditions for Avoiding Node Re-expansions in Bounded Suboptimal Search", IJCAI 2019.

As in `xdp`, the nodes with equal priority lie on a curve from (h = C, g = 0) to (h = 0, g = w × C), and no closed node
need be reopened with a consistent h. Here the curve consists of two straight lines, so that no square root is needed:
the line of A* in the half with h above g, and the line of weighted A* with the weight 2w - 1 in the other half.

    put the start on the open list
    until it is empty:
        take the node with the smallest priority (ties: smaller h)
            g + h                    if h > g
            (g + (2w - 1) h) / w     otherwise
        if it is a goal: its cost is at most w × the optimum
        close it, and put each successor on the list that is new, or reached by a cheaper path than a known open node

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="pwxd:bound=1.5")
>>> result.status, result.cost <= 1.5 * 40, result.bound <= 1.5, result.reopened
('solved', True, True, 0)
"""

from __future__ import annotations

from searchlab import Frontier, Parameter
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def priority(g: float, h: float, bound: float = 2.0) -> float:
    """PWXD: A* in the first half of a path, weighted A* in the second (Chen and Sturtevant 2019)."""
    if h > g:
        return g + h
    return (g + (2 * bound - 1) * h) / bound


PWXD = Frontier(
    "pwxd",
    priority,
    ties="low-h",
    duplicates="domain",
    reopen="unless-consistent",
    optimal_with="admissible",
    within=given_bound,
    parameters=(Parameter("bound", 2.0, "costs are within this factor of the optimum", check=check_bound),),
    summary="at most bound × the optimal cost, A* at first, then weighted (Chen and Sturtevant 2019)",
)
