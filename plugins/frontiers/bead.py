"""Bead search (Lemons, Linares López, Holte and Ruml, *Beam Search: Faster and Monotonic*, ICAPS 2022).

If moves differ in cost, the cheapest way to a goal may be a long one. A beam that keeps the nodes with the fewest moves
to go finds a goal sooner than a beam that keeps the nodes with the smallest cost to go:

    for each layer, until there is a goal:
        expand all its nodes
        keep the `width` nodes with the smallest d

The moves to go, `d`, are the search's own h unless another heuristic is named. This is right if every move costs 1;
bead search is then beam search. If nodes have equal d, the earliest generated nodes stay. The authors' program keeps
the nodes with the larger g, and always has a closed list (here `closed=yes`).

>>> import searchlab as sl
>>> heavy = sl.domain("sliding-tile:cost=heavy")
>>> for frontier in ("bead:width=10", "bead:width=10,d=misplaced"):
...     result = sl.solve("sliding-tile/puzzle8-27", domain=heavy, frontier=frontier, engine="readable")
...     print(frontier, result.cost, result.expanded)
bead:width=10 118 249
bead:width=10,d=misplaced 134 269
"""

from __future__ import annotations

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.rectangle import MOVES_TO_GO, moves_to_go
from searchlab_plugins.frontiers.strategies import check_width

BEAD = Frontier(
    "bead",
    queues=(Queue(moves_to_go),),
    family="beam",
    parameters=(
        Parameter("width", 100, "how many nodes of a layer are kept", check=check_width, low=2, high=10_000, log=True),
        MOVES_TO_GO,
    ),
    summary="layer by layer, keeping only the states with the fewest moves to go",
)
