"""DVCBS: bidirectional search that expands a smallest vertex cover of the known pairs (Shperberg et al.).

S. S. Shperberg, A. Felner, N. R. Sturtevant, S. E. Shimony and A. Hayoun, "Enriching Non-Parametric Bidirectional
Search Algorithms", AAAI 2019.

NBS expands both nodes of a pair. DVCBS expands a smallest set of nodes that contains at least one node of each pair of
open nodes with the smallest lower bound. Unlike NBS it has no guarantee, but it mostly expands fewer nodes.

    two open lists, and the lower bound and the ready nodes as in NBS
    forever:
        cluster: the ready nodes of a direction with the same g
        pair: a cluster of each direction, if the sum of both g and epsilon is within the lower bound
        cover: the first clusters of one direction, and the clusters of the other direction that are paired with any of
            the remaining clusters; only the covers with the fewest nodes count
        choose the cluster with the smallest g of a direction, if it is in such a cover; if the clusters of both
            directions are, choose the cluster with fewer nodes
        expand the nodes of this cluster

The paper does not fix how much of a cover is expanded before it is computed again. This is the variant with one cluster
at a time, the default of the authors' code. In a cluster the nodes with the smaller h come first, then the newest
nodes.

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
