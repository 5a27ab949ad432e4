"""A*ε: take the node nearest to a goal among the nodes that may lead to a solution within the bound (Pearl and Kim).

"Studies in Semi-Admissible Heuristics", IEEE PAMI 4(4), 1982. A focal list holds the open nodes with a g + h of at most
bound × the smallest g + h. No node in this list is known to be too expensive. The search takes the node with the fewest
moves to go from the list. The bound is 1 + ε.

    open = {start}
    while open is not empty:
        f_min = the smallest g + h in open
        node = the node with the smallest d among the nodes in open with g + h <= bound × f_min
        if node is a goal: its cost is at most bound × f_min, and so at most bound × the optimum
        put its successors into open; states are expanded again for cheaper paths

d estimates the moves to go. If every move costs 1, the search's own heuristic is the usual choice, and the default. The
newest of the nodes with equal d is taken; Pearl and Kim leave this open. Nodes near a goal often have a g + h above the
limit. The search then returns to nodes near the start again and again, and with a small bound it expands more nodes
than weighted A*.

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
