"""NBS: near-optimal bidirectional search, which expands at most twice the necessary nodes (Chen et al.).

J. Chen, R. C. Holte, S. Zilles and N. R. Sturtevant, "Front-to-End Bidirectional Heuristic Search with Near-Optimal
Node Expansions", IJCAI 2017.

A pair consists of an open node of each direction. A solution through both nodes costs at least the larger g + h, and at
least the sum of both g and epsilon, the smallest cost of a move. If this lower bound is below the optimum, one node of
the pair must be expanded. NBS expands both nodes. So, if h is consistent, it expands at most twice as many nodes as a
smallest cover of these pairs contains before the lower bound reaches the optimum.

    two open lists: the start, and all goals; no solution; lower bound = 0
    forever:
        ready: the open nodes with g + h up to the lower bound
        the pair: the ready node with the smallest g of each direction
        if there is no pair, or g + g + epsilon is above the lower bound:
            raise the lower bound to the smallest of this sum and the g + h of the nodes that are not ready; try again
        if the best solution costs at most the lower bound, it is optimal
        expand both nodes of the pair, the forward node first: put each neighbour that is reached by a cheaper path than
            known on the list of the node
        each state that both directions have met gives a solution, which costs the sum of both g

If nodes have equal g, the node with the smaller h comes first, as in the authors' code, then the newest.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="nbs", engine="readable")
>>> result.cost, result.optimal, result.expanded_backward > 0
(27, True, True)
"""

from __future__ import annotations

from searchlab import Frontier
from searchlab_plugins.frontiers.strategies import BOUND, given_bound

NBS = Frontier(
    "nbs",
    family="bidirectional",
    choose="pair",
    bound=given_bound,
    ties="low-h",
    reopen="unless-consistent",
    parameters=(BOUND,),
    summary="from both ends, with at most twice the necessary nodes (Chen et al. 2017)",
)
