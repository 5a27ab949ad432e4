"""Alternation: several orders of the open nodes take turns.

Without a bound, there is one queue for each heuristic (Röger and Helmert, "The More, the Merrier: Combining Heuristic
Estimators for Satisficing Planning", ICAPS 2010). With a bound, it resembles the round-robin search of Fickert, Gu and
Ruml ("New Results in Bounded-Suboptimal Search", AAAI 2022): a queue by f = g + h, which raises the lower bound, takes
turns with queues of the nodes that may still lead to a solution within the bound. In the paper a third queue is ordered
by an f that is corrected by observed errors of h; here further heuristics take the place of this queue.

    open = {start}; incumbent = none
    while open is not empty:
        f_min = the smallest g + h in open
        stop if incumbent <= bound × f_min
        node = by turns
            the node of open with the smallest g + h              (only with a bound)
            for each heuristic: the node with the smallest value among the nodes with g + h <= bound × f_min
        if node is a goal: incumbent = node; drop all nodes with g + h >= incumbent from open
        else put its successors into open; states are expanded again for cheaper paths

>>> import searchlab as sl
>>> board = sl.read_board("sliding-tile/puzzle8-27")
>>> either = sl.solve(board, domain="sliding-tile", frontier="alternating:heuristics=[taxicab,misplaced]")
>>> within = sl.solve(board, domain="sliding-tile", frontier="alternating:bound=1.2")
>>> either.moves, within.moves, within.bound <= 1.2
(65, 27, True)
"""

from __future__ import annotations

from math import inf

from searchlab import Frontier, Parameter, Queue
from searchlab_plugins.frontiers.strategies import given_bound


def listed(heuristics: float) -> float:
    """Return the value of the queue's heuristic."""
    return heuristics


def turns_of_f(bound: float) -> int:
    """Return how many nodes in a row are taken by f: 0 if no bound is to be proved."""
    return 1 if bound < inf else 0


def check_bound(bound: float) -> str:
    """Return an error message for an invalid bound, or `""`."""
    return "" if bound >= 1 else "a bound is at least 1, for an optimal solution; inf for none"


ALTERNATING = Frontier(
    "alternating",
    queues=(Queue(share=turns_of_f), Queue(listed, focal=given_bound)),
    bound=given_bound,
    reopen="yes",
    parameters=(
        Parameter("heuristics", "", "one queue for each; by default the search's own", kind="heuristics"),
        Parameter("bound", inf, "the cost is at most this factor of the lower bound", check=check_bound),
    ),
    summary="several heuristics take turns; with a bound, until the cost is proved to be within it",
)
