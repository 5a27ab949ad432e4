"""MM: bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon and Sturtevant).

"Bidirectional Search That Is Guaranteed to Meet in the Middle", AAAI 2016; with N. R. Sturtevant, Artificial
Intelligence 252, 2017. This is MM with epsilon, the smallest cost of a move.

No direction expands a node with a g above half of the optimum, because the priority counts the rest of a solution as at
least as expensive as the path to the node.

    two open lists: the start, and all goals; no solution
    priority of a node: the larger of g + h and 2 g + epsilon, with h to the other end
    until the best solution costs at most the largest of
            the smallest priority of both lists
            the smallest g + h of the forward list, and the smallest g + h of the backward list
            the sum of the smallest g of each list and epsilon:
        take the node with the smallest priority
        close it, and put each neighbour that is reached by a cheaper path than known on the same list
        each state that both directions have met gives a solution, which costs the sum of both g

The papers do not fix the order of equal priorities: here the smaller h comes first, then the newest node. If both lists
begin with the same priority, they take turns.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="mm", engine="readable")
>>> result.cost, result.optimal, result.met_cost
(27, True, 14.0)
"""

from __future__ import annotations

from searchlab import Frontier, Queue
from searchlab_plugins.frontiers.strategies import BOUND, given_bound


def from_the_middle(g: float, h: float, epsilon: float) -> float:
    """MM: f, but at least twice the cost of the path (Holte et al. 2016)."""
    return max(g + h, 2 * g + epsilon)


def of_middle(priority: tuple[float, float], f: tuple[float, float], g: tuple[float, float], epsilon: float) -> float:
    """Return the lower bound on the cost of all solutions that are not known yet (Holte et al. 2016)."""
    return max(min(priority[0], priority[1]), f[0], f[1], g[0] + g[1] + epsilon)


MM = Frontier(
    "mm",
    family="bidirectional",
    queues=(Queue(from_the_middle),),
    lower_bound=of_middle,
    choose="best-first",
    bound=given_bound,
    ties="low-h",
    reopen="unless-consistent",
    parameters=(BOUND,),
    summary="from both ends, and neither goes beyond the middle (Holte et al. 2016)",
)
