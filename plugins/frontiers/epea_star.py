"""Enhanced partial expansion A*: produces only the successors whose turn has come.

A. Felner, M. Goldenberg, G. Sharon, R. Stern, T. Beja, N. Sturtevant, J. Schaeffer and R. Holte, "Partial-Expansion A*
with Selective Node Generation", AAAI 2012; M. Goldenberg et al., "Enhanced Partial Expansion A*", JAIR 50, 2014.

Partial expansion (`pea_star`) produces all successors of a node each time the node is taken, and drops the successors
whose turn has not come. Here an operator selection function names the moves with the right f before anything is
produced:

    least(start) = h(start); put the start on the open list
    until it is empty:
        take the node with the smallest `least`, of equal ones that with the smaller least - g
        if it is a goal: it is a cheapest one
        find f after each move; produce the successors with an f up to least + cutoff, but for those of earlier turns,
            and put them on the open list if they are new, or their path is shorter than a known one
        if others are left: least = the smallest f among them; put the node back; else close it

The selection function follows from declarations: `Heuristic.incremental` computes h after a move from h before it and
the numbers of `PackedForm.move`, and the successor function then writes the `chosen` states. All moves are looked at
("full checking" in the paper of 2014), which costs a few instructions each.

The same nodes are stored as by `pea-star`, and each successor is produced once. It is not known which move leads back
to the parent before it is produced, so this successor waits for its turn like the others. If states have few
successors, a node is taken a little more often than by `pea-star`.

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
