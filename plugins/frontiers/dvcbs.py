"""DVCBS: bidirectional search that expands a smallest cover of the known pairs (Shperberg et al.).

S. S. Shperberg, A. Felner, N. R. Sturtevant, S. E. Shimony and A. Hayoun, "Enriching Non-Parametric Bidirectional
Search Algorithms", AAAI 2019.

DVCBS does not expand both nodes of a pair, as NBS does. It expands a smallest set of nodes that covers all pairs of
open nodes with the smallest lower bound. It has no guarantee, and mostly expands fewer nodes than NBS.

    two open lists, and the lower bound and the ready nodes as in NBS
    forever:
        ready nodes of a direction with the same g are a cluster; pairs: clusters whose g + g + epsilon is within the
            lower bound
        the covers of all pairs with the fewest nodes: the first clusters of one direction, and of the other one those
            in a pair with a cluster that is left out
        of the two clusters with the smallest g take the one that is in such a cover; of both the one with fewer nodes
        expand its nodes

The paper does not fix how much of a cover is expanded before it is computed again. This is the variant with one cluster
at a time, the default of the authors' code. In a cluster the nodes with the smaller h come first, then the newest.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="dvcbs", engine="readable")
>>> result.cost, result.optimal, result.expanded_backward > 0
(27, True, True)
"""

from __future__ import annotations

from searchlab import Frontier
from searchlab_plugins.frontiers.strategies import BOUND, given_bound

DVCBS = Frontier(
    "dvcbs",
    family="bidirectional",
    choose="cover",
    bound=given_bound,
    ties="low-h",
    reopen="unless-consistent",
    parameters=(BOUND,),
    summary="from both ends, by smallest covers of the pairs that are known (Shperberg et al. 2019)",
)
