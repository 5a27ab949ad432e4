"""Bidirectional breadth-first search: from the start and from the goals at once, without a heuristic (Pohl 1971).

I. Pohl, "Bi-directional Search", Machine Intelligence 6, 1971. If costs differ, it is Dijkstra's algorithm from both
ends (T. A. J. Nicholson, "Finding the Shortest Route between Two Points in a Network", Computer Journal 9, 1966).

    two open lists: the start, and all goals; no solution
    until no solution through an open node of each list can be cheaper than the best solution:
        choose the list with fewer nodes, and take the node with the smallest g from it
        close the node, and put each neighbour that is reached by a cheaper path than known on the same list
        each state that both directions have met gives a solution, which costs the sum of both g

If every move costs 1, a new solution takes at least one move more than the two smallest g together. In a tree with b
successors per node, a search from both ends expands about 2 b^(d/2) nodes for a solution of d moves; a search from one
end expands b^d.

>>> import searchlab as sl
>>> both = sl.solve("sliding-tile/puzzle8-27", frontier="bidirectional-breadth-first", engine="readable")
>>> both.cost, both.optimal, both.expanded < sl.solve("sliding-tile/puzzle8-27", frontier="breadth-first").expanded / 10
(27, True, True)
"""

from __future__ import annotations

from searchlab import Frontier, Queue
from searchlab_plugins.frontiers.strategies import BOUND, given_bound


def path_cost(g: float) -> float:
    """The cheapest path first."""
    return g


def two_paths_and_a_move(g: tuple[float, float], epsilon: float) -> float:
    """The least cost of a solution that is not known yet: a path of each direction, and a move between their ends."""
    return g[0] + g[1] + epsilon


BIDIRECTIONAL_BREADTH_FIRST = Frontier(
    "bidirectional-breadth-first",
    family="bidirectional",
    queues=(Queue(path_cost),),
    lower_bound=two_paths_and_a_move,
    choose="cardinality",
    bound=given_bound,
    reopen="unless-consistent",
    uses_heuristic=False,
    parameters=(BOUND,),
    summary="from the start and from the goals at once, without a heuristic (Pohl 1971)",
    aliases=("bidirectional-uniform-cost",),
)
