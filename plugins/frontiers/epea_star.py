"""Enhanced partial expansion A*: generates a successor only when its turn has come.

A. Felner, M. Goldenberg, G. Sharon, R. Stern, T. Beja, N. Sturtevant, J. Schaeffer and R. Holte, "Partial-Expansion A*
with Selective Node Generation", AAAI 2012; M. Goldenberg et al., "Enhanced Partial Expansion A*", JAIR 50, 2014.

Partial expansion (`pea_star`) generates all successors of a node each time the node is taken, and drops the successors
that have to wait for their turn. Here an operator selection function finds the moves with the right f before any
successor is generated:

    least(start) = h(start); put the start on the open list
    until it is empty:
        take the node with the smallest `least` (ties: smaller least - g)
        if it is a goal: no solution is cheaper
        compute f after each move; generate the successors with an f up to least + cutoff, except those of earlier
            turns, and put them on the open list if they are new, or reached by a cheaper path than known
        if successors are left: least = the smallest f among them; put the node back; else close it

The selection function follows from declarations: `Heuristic.incremental` computes h after a move from h before the move
and the numbers of `PackedForm.move`, and the successor function then writes the `chosen` states. All moves are examined
("full checking" in the paper of 2014), at a few instructions per move.

The same nodes are stored as by `pea-star`, and each successor is generated once. Before a successor is generated, it is
not known whether the move leads back to the parent, so the parent waits for its turn like the other successors. If
states have few successors, a node is taken a little more often than by `pea-star`.

>>> import searchlab as sl
>>> board, found = sl.generator("any-stack", domain="pancake:n=20").instance(1).start, {}
>>> for frontier in ("astar", "pea-star", "epea-star"):
...     result = sl.solve(board, domain="pancake:n=20", frontier=frontier)
...     found[frontier] = result.cost, result.stored, result.generated
>>> found
{'astar': (17, 1188, 1189), 'pea-star': (17, 71, 1189), 'epea-star': (17, 71, 71)}
"""

from __future__ import annotations

from dataclasses import replace

from searchlab_plugins.frontiers.pea_star import PEA_STAR

EPEA_STAR = replace(
    PEA_STAR,
    name="epea-star",
    family="enhanced-partial-expansion",
    summary="A* that produces a successor when its turn has come: many successors in less time and memory",
    aliases=("epea*",),
)
