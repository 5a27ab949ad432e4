"""Complete anytime beam search (Zhang, *Complete anytime beam search*, AAAI 1998).

A beam keeps the best few nodes of each layer. It is fast, but may lose the best solution, or all solutions. A wider
beam loses less. So beams of width 1, 2, 4 … run one after another, each pruned by the best solution so far:

    incumbent = infinite
    for width in 1, 2, 4 …:
        for each layer, until it is empty:
            expand all nodes; drop successors with a g + h that is not below the incumbent
            if there is a goal: the cheapest goal is the incumbent; report it
            keep the `width` nodes with the smallest g + h; drop states of earlier layers unless the path is cheaper
        if the beam was wide enough for all nodes with a g + h below the incumbent: end

In the end no node can lead to a cheaper solution: the incumbent is optimal, or there is no solution. The h in g + h
counts as a bound only if the heuristic is declared admissible; the order of the nodes does not depend on that. A wide
beam repeats the work of all narrower beams, which together take about as long as the wide beam.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle8-27", frontier="cabs", engine="readable")
>>> [solution.cost for solution in result.solutions], result.ended_by
([47, 39, 27], 'proof')
"""

from __future__ import annotations

from searchlab import Frontier
from searchlab_plugins.frontiers.strategies import total

CABS = Frontier(
    "cabs",
    total,
    family="anytime-beam",
    summary="beams of width 1, 2, 4 …: better and better solutions, in the end a proof",
)
