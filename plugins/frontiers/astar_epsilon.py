"""A*ε: of the nodes that may lead to a solution within the bound, take the node nearest to a goal (Pearl and Kim).

"Studies in Semi-Admissible Heuristics", IEEE PAMI 4(4), 1982. A focal list holds the open nodes whose g + h is at most
bound × the smallest g + h, so none is known to be too expensive. The search takes the node with the fewest moves to go
from this list. The bound is 1 + ε.

    open = {start}
    while open is not empty:
        f_min = the smallest g + h in open
        node = the node with the smallest d among those in open with g + h <= bound × f_min
        if node is a goal: it costs at most bound × f_min, and so at most bound × the optimum
        put its successors into open; states are expanded again for cheaper paths

d estimates the moves to go. If every move costs 1, the search's own heuristic is the usual choice, and the default. Of
nodes with equal d the newest is taken; Pearl and Kim leave this open. Nodes near a goal often have a g + h above the
limit. The search then returns to the start again and again, and with a small bound it expands more nodes than weighted
A*.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="astar-epsilon:bound=1.5")
>>> result.status, result.cost, result.bound <= 1.5
('solved', 42, True)
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def fewest_moves(d: float) -> float:
    """Return the estimated number of moves to go."""
    return d


ASTAR_EPSILON = Frontier(
    "astar-epsilon",
    queues=(Queue(fewest_moves, focal=given_bound),),
    bound=given_bound,
    reopen="yes",
    parameters=(
        Parameter("bound", 1.5, "the cost is at most this factor of the optimum", check=check_bound),
        Parameter("d", "", "estimates the moves to go; by default the search's own", kind="heuristic"),
    ),
    summary="the fewest moves to go among nodes within the bound (Pearl and Kim 1982)",
    aliases=("focal", "a*epsilon"),
)
