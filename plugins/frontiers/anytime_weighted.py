"""Anytime weighted A*: weighted A* that goes on after its first solution (Hansen and Zhou).

E. A. Hansen and R. Zhou, "Anytime Heuristic Search", Journal of Artificial Intelligence Research 28, 2007. The weight
never changes; only nodes that may lead to a cheaper solution are kept.

    open = {start}; incumbent = none
    until open is empty:
        take the node with the smallest g + weight × h (ties: smaller h)
        drop it if g + h is not below the cost of the incumbent
        if it is a goal: incumbent = node
        for each successor that is reached by a cheaper path than known:
            put it into open if g + h is below the cost of the incumbent

In the end no node can lead to a cheaper solution: the incumbent is optimal if h is admissible.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="anytime-weighted:weight=5")
>>> [solution.cost for solution in result.solutions], result.optimal, result.ended_by
([33, 29, 27], True, 'proof')
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_weight, weighted_total

ANYTIME_WEIGHTED = Frontier(
    "anytime-weighted",
    queues=(Queue(weighted_total),),
    ties="low-h",
    bound=1,
    reopen="yes",
    parameters=(Parameter("weight", 2.0, "how much h counts", check=check_weight, low=1, high=10, log=True),),
    summary="weighted A* that goes on after its first solution, at last to an optimal one",
    aliases=("awastar", "awa*"),
)
