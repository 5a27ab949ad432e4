"""Potential search: any solution up to a cost, as soon as possible (Stern, Puzis and Felner).

R. Stern, R. Puzis and A. Felner, "Potential Search: A Bounded-Cost Search Algorithm", ICAPS 2011. A node at cost g has
cost - g left to spend, and h estimates how much of this is needed. The larger the ratio of the two, the likelier is a
goal below the node within the cost, and the sooner the node is expanded. Nodes that need more than is left are dropped.

    open = {start}
    while open is not empty:
        node = the node in open with the smallest h / (cost - g) (ties: smaller h)
        if node is a goal: it is a solution of cost g <= cost
        close node; put each successor that is new, or reached by a cheaper path than known, into open if g + h <= cost

If open becomes empty and h is admissible, no solution costs at most `cost`: `lower_bound` is above it. A more expensive
solution may exist, unless nothing was dropped. Without a cost the search is greedy.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="pts:cost=29")
>>> result.status, result.cost
('solved', 27)
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="pts:cost=26")
>>> result.status, result.cost, result.lower_bound
('exhausted', None, 27.0)
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Parameter, Queue


def need(g: float, h: float, cost: float) -> float:
    """PTS: the share of the remaining cost that h needs, the smallest first (Stern, Puzis and Felner 2011)."""
    if cost == inf:
        return h
    left = cost - g
    return h / left if left > 0 else 0.0


def cost_itself(cost: float) -> float:
    """Return the parameter itself: no solution costs more."""
    return cost


def check_cost(cost: float) -> str:
    """Return an error message for an invalid cost, or `""`."""
    return "" if cost >= 0 else "a cost is 0 or more"


PTS = Frontier(
    "pts",
    queues=(Queue(need),),
    ties="low-h",
    cost_limit=cost_itself,
    reopen="yes",
    parameters=(Parameter("cost", inf, "no solution costs more", check=check_cost),),
    summary="any solution that costs at most `cost`, likely goals first (Stern, Puzis and Felner 2011)",
    aliases=("potential-search",),
)
