"""BAE*: bidirectional search that uses observed errors of the heuristic (Sadhukhan).

S. K. Sadhukhan, "A New Approach to Bidirectional Heuristic Search Using Error Functions", CSI 2012; the same algorithm
is DIBBS (Sewell and Jacobson 2021). V. Alcázar, P. J. Riddle and M. Barley, "A Unifying View on Individual Bounds and
Heuristic Inaccuracies in Bidirectional Search", AAAI 2020, explain its strength. The rules for the direction come from
S. Shperberg, L. Siag, N. R. Sturtevant and A. Felner, "On the Impact of Direction-Selection in BAE*", SoCS 2025.

A path also shows the error of a consistent h in the other direction. If a node was reached at cost g from the start,
and h estimates the cost back to the start as h_back, the error is g - h_back; likewise for nodes that were reached from
a goal. The errors of both directions add up.

    two open lists: the start, and all goals; no solution
    priority of a node: 2 g + h - h_back, with h to the end of the search and h_back to its beginning
    until the best solution costs at most half the sum of the smallest priorities of both lists:
        choose a list (direction), and take the node with the smallest priority from it
        close the node, and put each neighbour that is reached by a cheaper path than known on the same list, if its
            g + h is below the cost of the best solution, and the other direction has not closed the state
        each state that both directions have met gives a solution, which costs the sum of both g

Directions: `alternate` (the original, BAE*-a), `cardinality` (the list with fewer nodes, BAE*-p), `best-first` (the
list with the smaller priority, in turns if both are equal, BAE*-bfd). If every move costs 1, the lower bound is rounded
up. The papers do not fix the order of equal priorities: here the smaller h comes first, then the newest node; the
authors' code takes the larger g. Their code also leaves nodes on the open lists that cannot be part of a better
solution, and counts them in the size of a list; here they are removed, as in BS* (Kwa 1989). With `bound=` the search
ends when the solution costs at most this factor of the lower bound.

The lower bound needs a consistent heuristic. With any other admissible heuristic, the lower bound of a result follows
only from the g + h of the open nodes.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="bae-star", engine="readable")
>>> result.cost, result.optimal, result.expanded_backward > 0
(27, True, True)
"""

from __future__ import annotations

from searchlab import Frontier, Queue
from searchlab_plugins.frontiers.strategies import BOUND, given_bound


def with_errors(g: float, h: float, h_back: float) -> float:
    """BAE*: f plus the error of the heuristic on the path (Sadhukhan 2012)."""
    return 2 * g + h - h_back


def mean(priority: tuple[float, float]) -> float:
    """Return the lower bound on the cost of a solution through nodes of these priorities (Sadhukhan 2012)."""
    return (priority[0] + priority[1]) / 2


BAE_STAR = Frontier(
    "bae-star",
    family="bidirectional",
    queues=(Queue(with_errors),),
    lower_bound=mean,
    bound=given_bound,
    ties="low-h",
    reopen="unless-consistent",
    parameters=(BOUND,),
    summary="from both ends, by the errors of a consistent heuristic (Sadhukhan 2012)",
    aliases=("bae*",),
)
