"""Greedy search that explores around one node whenever it is stuck (Xie, Müller and Holte).

"Adding Local Exploration to Greedy Best-First Search in Satisficing Planning", AAAI 2014 (GBFS-LE, with a local greedy
search). On a plateau the open list holds nodes of many regions, and greedy search jumps back and forth between them. A
local search looks only at the descendants of one node, until it has found a smaller h than any before or has used up
its budget. Its open nodes then go to the open list.

    open = {start}; best = h of the start; local = {}
    while there are nodes:
        after `stall` expansions without a smaller h, unless `tries` explorations in a row found none: explore
        node = the node with the smallest h, in local while exploring and if local is not empty, else in open
        if node is a goal: it is the solution
        put the successors of node with new states into local while exploring, else into open
        if a successor has an h below best: best = this h; the exploration has succeeded and is over
        if local is empty or `budget` nodes were expanded, the exploration is over
        once it is over, move the nodes of local into open

The loop takes one node at a time, so it is interpreted and expands a few thousand nodes per second.

>>> import searchlab as sl
>>> result = sl.solve("sliding-tile/puzzle15-40", frontier="local-exploration:stall=50,budget=100", engine="readable")
>>> result.status, result.moves
('solved', 206)
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from searchlab import Frontier, NodeStore, Outcome, Parameter


def run(problem: Any, watch: Any, stall: int, budget: int, tries: int) -> Outcome:
    """Search greedily, and explore locally when the search is stuck."""
    store = NodeStore(problem, watch, reopen=False)
    best, stalled, failed, left = float(store.h[0]), 0, 0, 0
    local: list[tuple[float, int, int]] = []  # h, negative number of the entry, node
    entered = 0
    store.push([0], [best])
    while True:
        if not left and stalled >= stall and failed < tries:
            left, stalled, failed = budget, 0, failed + 1
        nodes = [heappop(local)[2]] if local else store.take(1)
        if not len(nodes):
            return store.outcome("exhausted")
        if store.are_goals(nodes)[0]:
            return store.outcome("solved", nodes[0])
        if stopped := watch.stop(store.statistics, store.open_nodes + len(local)):
            return store.outcome(stopped)
        found = store.expand(nodes)
        values = store.h[found]
        if left:
            left -= 1
            for node, h in zip(found.tolist(), values.tolist(), strict=True):
                entered += 1
                heappush(local, (h, -entered, node))
        else:
            stalled += 1
            store.push(found, values)
        if len(found) and values.min() < best:
            best, stalled, failed, left = float(values.min()), 0, 0, 0
        if left and local:
            continue
        left = 0
        if local:
            waiting = [node for _, _, node in sorted(local, key=lambda entry: -entry[1])]
            store.push(waiting, store.h[waiting])
            local.clear()


def check_count(count: int) -> str:
    """Return an error message for an invalid number of nodes, or `""`."""
    return "" if count >= 1 else "a number of nodes is 1 or more"


LOCAL_EXPLORATION = Frontier(
    "local-exploration",
    run=run,
    parameters=(
        Parameter(
            "stall",
            1000,
            "expansions without a smaller h before it explores",
            check=check_count,
            low=10,
            high=100_000,
            log=True,
        ),
        Parameter("budget", 1000, "expansions of one exploration", check=check_count, low=10, high=100_000, log=True),
        Parameter("tries", 100, "explorations in a row that may find no smaller h"),
    ),
    summary="greedy search that explores around one node when it is stuck (Xie et al. 2014)",
    aliases=("gbfs-le",),
)
