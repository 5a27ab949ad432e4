"""Explicit estimation search: take the nearest of the nodes that are likely to lead to a solution within the bound.

J. T. Thayer and W. Ruml, "Bounded Suboptimal Search: A Direct Approach Using Inadmissible Estimates", IJCAI 2011. An h
that never exceeds the cost to go is mostly too small, so nodes within a bound of the smallest g + h rarely lead to a
solution within this bound. EES has three estimates of a node: g + h, which proves; f_hat, a better guess of the cost of
a solution through the node; and d_hat, a guess of the moves to go. It takes the node that is likely to be nearest to a
goal, among those that are likely to be good enough. It expands another node only if that node is the reason why the
bound fails.

    open = {start}
    while open is not empty:
        f_min = the smallest g + h in open
        best_f_hat = the node in open with the smallest f_hat
        best_d_hat = the node with the smallest d_hat among those with f_hat <= bound × the f_hat of best_f_hat
        node = best_d_hat if its f_hat <= bound × f_min, else
               best_f_hat if its f_hat <= bound × f_min, else the node with the smallest g + h
        if node is a goal that costs at most bound × f_min: it is the solution
        put its successors into open; states are expanded again for cheaper paths

The guesses follow from the path to the node (the path-based correction of Thayer, Dionne and Ruml, "Learning
Inadmissible Heuristics During Search", ICAPS 2011). With a perfect h no move would raise g + h, and each would lower d
by 1. On average over the moves of the path, g + h rose by e_h and d fell by 1 - e_d. If this continues, there are
d_hat = d / (1 - e_d) moves to go, and they cost h + d_hat × e_h. The errors of the moves add up to the difference
between both ends of the path, so nothing has to be recorded: e_h = (g + h - h(start)) / depth. The paper takes the
error of the best successor of each node on the path; we take the error of the next node on the path, as the authors'
program does.

d estimates the moves to go. If every move costs 1, the search's own heuristic is the usual choice, and the default. If
nodes have equal d_hat, f_hat or g + h, the node with the smaller h is taken.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="ees:bound=1.5")
>>> result.status, result.cost, result.bound <= 1.5
('solved', 40, True)
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import check_bound, given_bound


def d_hat(d: float, depth: float, start_d: float) -> float:
    """Return the likely number of moves to go, or infinity if d did not fall along the path."""
    error = max(0.0, (depth + d - start_d) / max(1.0, depth))
    if d <= 0:
        return 0.0
    return d / (1 - error) if error < 1 else inf


def f_hat(g: float, h: float, d: float, depth: float, start_h: float, start_d: float) -> float:
    """Return the likely cost of a solution through the node."""
    error = max(0.0, (g + h - start_h) / max(1.0, depth))
    return g + h + d_hat(d, depth, start_d) * error if error > 0 else g + h


def is_likely(
    g: float, h: float, d: float, depth: float, start_h: float, start_d: float, bound: float, f_min: float
) -> bool:
    """Return whether the node is likely to lead to a solution within the bound."""
    return f_hat(g, h, d, depth, start_h, start_d) <= bound * f_min


EES = Frontier(
    "ees",
    queues=(
        Queue(d_hat, focal=given_bound, of=f_hat, when=is_likely),
        Queue(f_hat, when=is_likely),
        Queue(),
    ),
    choose="first",
    ties="low-h",
    bound=given_bound,
    reopen="yes",
    parameters=(
        Parameter("bound", 1.5, "the cost is at most this factor of the optimum", check=check_bound),
        Parameter("d", "", "estimates the moves to go; by default the search's own", kind="heuristic"),
    ),
    summary="the nearest node that is likely to be within the bound (Thayer and Ruml 2011)",
)
