"""BAE*: bidirectional search by the errors that heuristics have shown (Sadhukhan).

S. K. Sadhukhan, "A New Approach to Bidirectional Heuristic Search Using Error Functions", CSI 2012; the same algorithm
is DIBBS (Sewell and Jacobson 2021). V. Alcázar, P. J. Riddle and M. Barley, "A Unifying View on Individual Bounds and
Heuristic Inaccuracies in Bidirectional Search", AAAI 2020, tell why it is strong. The rules for the direction are those
of S. Shperberg, L. Siag, N. R. Sturtevant and A. Felner, "On the Impact of Direction-Selection in BAE*", SoCS 2025.

A path also shows how much a consistent h errs in the other direction: for a node at g whose estimate back to its own
end is h_back, the error is g - h_back. The errors of both directions add up.

    two open lists: the start, and all goals; no solution
    priority of a node: 2 g + h - h_back, with h to the other end and h_back to its own
    until the best solution costs no more than half the sum of the smallest priorities of both lists:
        take a list (direction), and its node with the smallest priority
        close it, and put each neighbour with a cheaper path than known on the same list, if its g + h is below the cost
            of the best solution, and the other direction has not closed its state
        each state that both directions have met is a solution of g + g

Directions: `alternate` (the original, BAE*-a), `cardinality` (the list with fewer nodes, BAE*-p), `best-first` (the
smaller priority, in turns if they are equal, BAE*-bfd). Where every move costs 1 the lower bound is rounded up. Equal
priorities are not fixed by the papers: here the smaller h comes first, then the newest node; their code takes the
larger g. It also leaves nodes on the open lists that cannot be part of a better solution, which are removed here as in
BS* (Kwa 1989), and counts them in the size of a list. With `bound=` it ends when the solution costs at most this factor
of the lower bound.

The lower bound needs a consistent heuristic. With another one a result claims what its open nodes prove: if h is
admissible, by their g + h.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="bae-star", engine="readable")
>>> result.cost, result.optimal, result.expanded_backward > 0
(27, True, True)
"""

from __future__ import annotations

from searchlab import Frontier, Queue
from searchlab_plugins.frontiers.strategies import BOUND, given_bound


def with_errors(g: float, h: float, h_back: float) -> float:
    """BAE*: f, and what the heuristic has been wrong by on the path (Sadhukhan 2012)."""
    return 2 * g + h - h_back


def mean(priority: tuple[float, float]) -> float:
    """Return a cost that no solution through two such nodes is below (Sadhukhan 2012)."""
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
