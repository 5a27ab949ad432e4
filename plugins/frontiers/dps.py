"""Dynamic potential search: bounded-suboptimal, guided by the chance that a node keeps the bound (Gilon et al.).

D. Gilon, A. Felner and R. Stern, "Dynamic Potential Search: A New Bounded Suboptimal Search", SoCS 2016. The optimum is
at least f_min, so a solution of cost bound × f_min is within the bound. A node at cost g has bound × f_min - g left to
spend. Its potential is this budget divided by the estimate h. The larger the potential, the likelier is a goal below
the node within the bound.

    open = {start}
    while open is not empty:
        f_min = the smallest g + h in open
        node = the node in open with the largest (bound × f_min - g) / h (ties: smaller h)
        if node is a goal: its cost is at most bound × f_min
        close node; put each successor that is new, or reached by a cheaper path than known, into open

The node with f_min has a potential of at least 1, so no node with g + h above bound × f_min is taken. Nodes with h = 0
come first if g is within this limit, and last otherwise.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="dps:bound=1.5")
>>> result.status, result.cost, result.bound <= 1.5
('solved', 40, True)
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def potential(g: float, h: float, f_min: float, bound: float) -> float:
    """DPS: the largest (bound × f_min - g) / h first (Gilon, Felner and Stern 2016)."""
    most = max(f_min, bound * f_min)  # scores are below 0
    if h > 0:
        return (g - most) / h
    return -inf if g <= most else inf


DPS = Frontier(
    "dps",
    queues=(Queue(potential),),
    ties="low-h",
    reopen="yes",
    optimal_with="admissible",
    within=given_bound,
    parameters=(Parameter("bound", 2.0, "costs are within this factor of the optimum", check=check_bound),),
    summary="at most bound × the optimal cost, likely goals first (Gilon, Felner and Stern 2016)",
)
