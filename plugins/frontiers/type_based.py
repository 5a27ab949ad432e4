"""Greedy search that also explores types of nodes (Xie, Müller, Holte and Imai).

"Type-Based Exploration with Multiple Search Queues for Satisficing Planning", AAAI 2014 (Type-GBFS). Greedy search is
lost if h is wrong: on a plateau, or if h falls towards a dead end, it first expands everything that looks good. Here
every second node is drawn at random. Nodes with equal h and g form a type, and all types are equally likely, however
many nodes they have. So rare nodes are expanded as often as the many nodes of a plateau.

    open = {start}
    while open is not empty:
        node = by turns
            the node in open with the smallest h (ties: the newest)
            a random node in open of a random type (h, g)
        if node is a goal: it is the solution
        put the successors of node with new states into open

>>> import searchlab as sl
>>> results = [sl.solve("sliding-tile/puzzle8-27", frontier="type-based", seed=seed) for seed in (0, 1)]
>>> [(result.status, result.moves) for result in results]
[('solved', 81), ('solved', 35)]
"""

from __future__ import annotations

from searchlab import Frontier, Queue
from searchlab_plugins.frontiers.strategies import estimate

TYPE_BASED = Frontier(
    "type-based",
    queues=(Queue(estimate), Queue(types=("h", "g"))),
    summary="the smallest h, and a random node of a random type, by turns (Xie et al. 2014)",
    aliases=("type-gbfs",),
)
