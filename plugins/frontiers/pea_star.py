"""Partial expansion A*: stores a successor only when its turn has come.

P. Yoshizumi, T. Miura and T. Ishida, "A* with Partial Expansion for Large Branching Factor Problems", AAAI 2000.

When A* expands a node, it stores all successors. If there are many, most of them have an f above the optimal cost and
are never expanded. Here a node waits for each value of f among its successors in turn:

    least(start) = h(start); put the start on the open list
    until it is empty:
        take the node with the smallest `least` (ties: smaller least - g)
        if it is a goal: no solution is cheaper
        generate all successors; put the successors with an f up to least + cutoff on the open list if they are new, or
            reached by a cheaper path than known
        if successors are left: least = the smallest f among them; put the node back; else close it

The same nodes with an f up to the solution cost are expanded as by A*, and few other nodes are stored. A node is
expanded once for each value of f among its successors, up to the solution cost. With a `cutoff` it is expanded less
often, and more nodes are stored; an infinite cutoff gives A*.

Each expansion generates and evaluates all successors, and drops a successor that has to wait for its turn before it is
looked up. If domain and heuristic allow it, enhanced partial expansion (`epea_star`) generates each successor only
once.

>>> import searchlab as sl
>>> board, found = sl.generator("any-stack", domain="pancake:n=20").instance(1).start, {}
>>> for frontier in ("astar", "pea-star"):
...     result = sl.solve(board, domain="pancake:n=20", frontier=frontier)
...     found[frontier] = result.cost, result.stored
>>> found
{'astar': (17, 1188), 'pea-star': (17, 71)}
"""

from __future__ import annotations

from searchlab import Frontier, Parameter


def check_cutoff(cutoff: float) -> str:
    """Return an error message for an invalid cutoff, or `""`."""
    return "" if cutoff >= 0 else "a cutoff is 0 or more; with inf all successors are stored, as in A*"


PEA_STAR = Frontier(
    "pea-star",
    family="partial-expansion",
    optimal_with="admissible",
    parameters=(
        Parameter("cutoff", 0.0, "successors up to this much above the f of their node are stored", check=check_cutoff),
    ),
    summary="A* that stores a successor when its turn has come: many successors in less memory",
    aliases=("pea*",),
)
