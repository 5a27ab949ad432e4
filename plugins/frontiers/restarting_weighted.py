"""Restarting weighted A*: weighted A* with a falling weight, from the start again after each solution.

S. Richter, J. T. Thayer and W. Ruml, "The Joy of Forgetting: Faster Anytime Search via Restarting", ICAPS 2010. A large
weight may have misled the search near the start. So each round begins at the start again, and decides anew which states
it expands. The values and the best paths of known states are kept.

    incumbent = none; known = {start}
    for weight in the list of weights:
        open = {start}; no node is closed
        until a goal is taken, or open is empty (in the last round, until open is empty):
            take the node with the smallest g + weight × h (ties: smaller h)
            drop it if g + h is not below the cost of the incumbent
            if it is a goal: incumbent = node, and this round is over
            for each successor with a g + h below the cost of the incumbent:
                if the state is new: evaluate it
                put it into open if the path is cheaper than known, or the state is met for the first time in this round

In the end no node can lead to a cheaper solution: the incumbent is optimal if h is admissible.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="restarting-weighted")
>>> [solution.cost for solution in result.solutions], result.optimal, result.ended_by
([33, 27], True, 'proof')
"""

from __future__ import annotations

from typing import Any

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_weight, weighted_total


def next_weight(weight: float, factor: float) -> dict[str, Any] | None:
    """Return the weight of the next round, down to 1."""
    return {"weight": max(1.0, weight * factor)} if weight > 1 else None


def check_factor(factor: float) -> str:
    """Return an error message for an invalid factor, or `""`."""
    return "" if 0 <= factor < 1 else "a factor is at least 0, for a weight of 1 in the second round, and below 1"


RESTARTING_WEIGHTED = Frontier(
    "restarting-weighted",
    queues=(Queue(weighted_total),),
    ties="low-h",
    reopen="yes",
    bound=1,
    restart=next_weight,
    restart_from="start",
    parameters=(
        Parameter("weight", 5.0, "how much h counts in the first round", check=check_weight, low=1, high=20, log=True),
        Parameter(
            "factor",
            0.6,
            "the weight of a round over that of the one before, down to 1",
            check=check_factor,
            low=0.1,
            high=0.95,
        ),
    ),
    summary="weighted A* with a falling weight, from the start again after each solution, at last to an optimal one",
    aliases=("rwastar", "rwa*"),
)
