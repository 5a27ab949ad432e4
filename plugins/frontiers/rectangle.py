"""Rectangle search (Lemons, Ruml, Holte and Linares López, *Rectangle Search: An Anytime Beam Search*, AAAI 2024).

A beam needs a width. Rectangle search widens and deepens at once, and returns to all depths again and again, so that it
also leaves deep local minima. The nodes of each depth wait in a separate queue, the node with the fewest moves to go
first:

    expand the start; its successors wait at depth 1
    for round = 1, 2, 3 … until no node waits:
        expand the best node of each depth that earlier rounds have reached
        go deeper by `aspect` depths; expand the best `round` nodes at each of these depths
    when a goal is generated that is cheaper than the incumbent: it is the new incumbent; report it
    drop nodes with a g + h that is not below the incumbent

After n rounds, n nodes of each of the first aspect × n depths are expanded. In the end no node can lead to a cheaper
solution: the incumbent is optimal, or there is no solution. The h in g + h counts as a bound only if the heuristic is
declared admissible. The moves to go, `d`, are the search's own h unless another heuristic is named; this is right if
every move costs 1.

Duplicates are treated differently from the authors' program, which records states when they are expanded: here a state
has one node from the time it is generated. A cheaper path moves the node to the depth of that path, even if it was
expanded before; any other path is dropped. If nodes have equal moves to go, the smaller g + h comes first, then the
newest.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-24", frontier="rectangle", engine="readable")
>>> [solution.cost for solution in result.solutions], result.ended_by
([26, 24], 'proof')
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue


def moves_to_go(d: float) -> float:
    """Return the estimated number of moves to a goal."""
    return d


def check_aspect(aspect: int) -> str:
    """Return an error message for an invalid aspect, or `""`."""
    return "" if 1 <= aspect < 2**31 else "a round goes deeper by 1 to 2^31 - 1 depths"


MOVES_TO_GO = Parameter("d", "", "estimates the moves to go; by default the search's own", kind="heuristic")
RECTANGLE = Frontier(
    "rectangle",
    queues=(Queue(moves_to_go),),
    family="rectangle",
    parameters=(
        Parameter("aspect", 1, "by how many depths a round goes deeper, for one more node at each", check=check_aspect),
        MOVES_TO_GO,
    ),
    summary="wider and deeper at once: better and better solutions, in the end a proof",
)
