"""Optimistic search: a large weight finds a solution, then the smallest g + h proves that it is good (Thayer and Ruml).

"Faster than Weighted A*: An Optimistic Approach to Bounded Suboptimal Search", ICAPS 2008. Weighted A* with a weight w
mostly finds solutions that are much better than w times the optimum. So a weight above the bound often finds a solution
within the bound, and finds it sooner. To prove that the solution is within the bound, nodes are expanded that raise the
smallest g + h, the lower bound of the optimum. As in the paper, the weight is 2 × bound - 1: twice as far above 1 as
the bound.

    open = {start}; incumbent = none
    while open is not empty and incumbent > bound × the smallest g + h in open:
        node = the node in open with the smallest g + weight × h
        if its g + weight × h is not below the cost of the incumbent:
            node = the node in open with the smallest g + h
        if node is a goal: incumbent = node
        else put the successors into open that have a g + h below the cost of the incumbent

States are expanded again for cheaper paths. If nodes have equal priorities, the node with the smaller h is taken first.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="optimistic:bound=1.1")
>>> result.status, result.cost, result.bound <= 1.1
('solved', 40, True)
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def hopeful(g: float, h: float, bound: float) -> float:
    """Return g + weight × h, the cost of a solution through the node if h is far too small."""
    return g + (2 * bound - 1) * h


def may_be_cheaper(g: float, h: float, bound: float, incumbent: float) -> bool:
    """Return whether the large weight promises a solution that is cheaper than the incumbent."""
    return hopeful(g, h, bound) < incumbent


OPTIMISTIC = Frontier(
    "optimistic",
    queues=(Queue(hopeful, when=may_be_cheaper), Queue()),
    choose="first",
    ties="low-h",
    bound=given_bound,
    reopen="yes",
    parameters=(Parameter("bound", 1.5, "the cost is at most this factor of the optimum", check=check_bound),),
    summary="a weight above the bound, then the proof that the solution is within it (Thayer and Ruml 2008)",
)
