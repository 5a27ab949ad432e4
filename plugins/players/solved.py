"""The heuristic of small, solved games of chance: the points to come by best play."""

from __future__ import annotations

from searchlab import exact_heuristic

DOMAINS = frozenset({"2048-random"})
HEURISTIC = exact_heuristic(
    domains=DOMAINS,
    summary="the exact expected points of best play, for small games such as 2048-random:n=3",
)
