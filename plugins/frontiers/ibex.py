"""Iterative budgeted exponential search: iterative deepening for costs of many values (Helmert et al. 2019).

M. Helmert, T. Lattimore, L. H. S. Lelis, L. Orseau and N. R. Sturtevant, "Iterative Budgeted Exponential Search",
IJCAI 2019; on trees it is BTS, budgeted tree search.

The next threshold of IDA* is the smallest f = g + h beyond the last threshold. If nearly every node has a different f,
each iteration adds a single node, and IDA* expands about N² / 2 nodes if N nodes have an f up to the optimal cost C.
Here each threshold is large enough for twice as many nodes as the last threshold, and a limit of nodes ends an
iteration with a threshold that is too large:

    budget = 0
    repeat:
        lower = the smallest f that was not searched yet; search up to the threshold `lower`, as IDA* does
        if this search expanded fewer than c1 × budget nodes:
            search up to lower + 1, lower + 2, lower + 4 …, each with at most c2 × budget nodes,
                until a search expands c1 × budget nodes or more, or stops at its limit
            if it stopped: search up to the middle between `lower` and the largest f that was reached, again and again,
                until a search ends with c1 × budget nodes or more, or nothing is in between
        budget = the nodes of the last search, and at least c1 × budget
        after a solution: drop nodes with an f that is not smaller; end when the solution costs at most `lower`

The guarantee: if h is admissible and no two f differ by less than e (e at most 1) unless they are equal, at most

    N × c1 / (c1 - 1) × (c1 + 2 × c2 × (2 + log2(max(1, C - h(start)) / e)))

nodes are expanded, which is O(N log C): budgets grow by the factor c1 and do not exceed N. Each budget has one search
without a limit, and a search with a limit for each doubled step and each halved interval. Sums of fractional costs
count as equal if they differ only by rounding.

The authors' program (HOG2, `generic/IBEX.h`) steps by 2, 4, 8 …; we step as the paper does. Both use c1 = 2 and c2 = 8.

>>> import searchlab as sl
>>> domain = sl.domain("sliding-tile:cost=inverse")
>>> def expanded(frontier):
...     return sl.solve("sliding-tile/puzzle8-20", domain=domain, frontier=frontier).expanded
>>> expanded("ida-star"), expanded("ibex")
(863, 336)
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from searchlab import Frontier, Parameter

if TYPE_CHECKING:
    from collections.abc import Generator


def thresholds(start_h: float, c1: float = 2.0, c2: float = 8.0) -> Generator[Any, Any, None]:
    """Yield thresholds, each with the most nodes to expand up to it (Helmert et al. 2019, algorithm 3)."""
    lower, budget = start_h, 0.0
    while True:
        done = yield lower
        if done.expanded < c1 * budget:
            step, upper = 1.0, inf
            while upper == inf and done.expanded < c1 * budget:
                done = yield done.lower + step, c2 * budget
                step *= 2
                upper = inf if done.is_complete else done.reached
            while done.lower < upper and not (done.is_complete and done.expanded >= c1 * budget):
                done = yield (done.lower + upper) / 2, c2 * budget
                upper = upper if done.is_complete else min(upper, done.reached)
        lower, budget = done.lower, max(done.expanded, c1 * budget)


def check_growth(c1: float) -> str:
    """Return an error message for an invalid least growth of the budget, or `""`."""
    return "" if 1 < c1 < inf else "the budget grows by a factor above 1"


def check_limit(c2: float) -> str:
    """Return an error message for an invalid limit of nodes, or `""`."""
    return "" if 1 < c2 < inf else "the limit of nodes is a factor above 1; above c1 it makes sense"


IBEX = Frontier(
    "ibex",
    family="deepening",
    thresholds=thresholds,
    parameters=(
        Parameter("c1", 2.0, "the factor by which the nodes of an iteration grow at least", check=check_growth),
        Parameter("c2", 8.0, "the factor by which they may grow before it is given up", check=check_limit),
    ),
    summary="depth-first below thresholds for twice as many nodes: costs of many values in little memory",
    aliases=("bts",),
)
