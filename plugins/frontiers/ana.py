"""ANA*: anytime search without parameters (van den Berg, Shah, Huang and Goldberg).

"Anytime Nonparametric A*", AAAI 2011. With a solution of cost C, a node at cost g leads to a better solution only if
the remaining cost is below C - g. The larger (C - g) / h, the more h may underestimate the remaining cost. ANA* expands
the node with the largest (C - g) / h or, before the first solution, the node with the smallest h. So it begins
greedily, and becomes less greedy as solutions approach the optimum. ANA* is ARA* with a weight that follows from the
solutions instead of a schedule.

    open = {start}; C = infinite
    while open is not empty:
        node = the node in open with the largest (C - g) / h, or with the smallest h while C is infinite
        if node is a goal: C = g; drop all nodes with g + h >= C from open; the others get new priorities
        else put each successor that is new, or reached by a cheaper path than known, into open if g + h < C

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="ana")
>>> [solution.cost for solution in result.solutions], result.optimal, result.ended_by
([65, 29, 27], True, 'proof')
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Queue


def improvement(g: float, h: float, incumbent: float) -> float:
    """ANA*: the largest (incumbent - g) / h first, or the smallest h before the first solution."""
    return h if incumbent == inf else h / (incumbent - g)


ANA = Frontier(
    "ana",
    queues=(Queue(improvement),),
    ties="low-h",
    bound=1,
    reopen="yes",
    summary="better and better solutions, at last an optimal one, without parameters (van den Berg et al. 2011)",
    aliases=("ana*",),
)
