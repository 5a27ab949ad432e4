"""ARA*: weighted A* with a falling weight, which reuses earlier work (Likhachev, Gordon and Thrun).

"ARA*: Anytime A* with Provable Bounds on Sub-Optimality", NIPS 2003. Each round ends with a solution, or with the proof
that no solution is cheaper within its weight. The next round begins with the known paths; a state is expanded at most
once in a round.

    open = {start}; incumbent = none
    for weight from the first in steps down to 1:
        while the smallest g + weight × h in open is below the cost of the incumbent:
            take this node and close it
            if it is a goal: incumbent = node, and this round is over
            for each successor that is reached by a cheaper path than known, if g + h is below the incumbent's cost:
                put it into open, or into postponed if the state was closed in this round
        open = open and postponed, in the order of the next weight; no node is closed
    repeat the last round until the incumbent costs at most the smallest g + h (at most once with a consistent h)

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="ara:weight=5,step=1")
>>> [solution.cost for solution in result.solutions], result.optimal, result.ended_by
([33, 27], True, 'proof')
"""

from __future__ import annotations

from math import inf
from typing import Any

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_weight, weighted_total


def next_weight(weight: float, step: float) -> dict[str, Any] | None:
    """Return the weight of the next round, down to 1."""
    return {"weight": max(1.0, weight - step)} if weight > 1 else None


def check_step(step: float) -> str:
    """Return an error message for an invalid step, or `""`."""
    return "" if 0 < step < inf else "a step is above 0"


ARA = Frontier(
    "ara",
    queues=(Queue(weighted_total),),
    ties="low-h",
    bound=1,
    restart=next_weight,
    parameters=(
        Parameter("weight", 5.0, "how much h counts in the first round", check=check_weight, low=1, high=20, log=True),
        Parameter(
            "step",
            0.5,
            "by how much the weight falls from round to round",
            check=check_step,
            low=0.05,
            high=5,
            log=True,
        ),
    ),
    summary="weighted A* with a falling weight: better and better solutions, at last an optimal one",
    aliases=("ara*",),
)
