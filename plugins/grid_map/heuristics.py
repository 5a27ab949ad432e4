"""Heuristics for paths on grid maps: the cost of a path without obstacles."""

from __future__ import annotations

from math import sqrt
from typing import Any

from searchlab import Heuristic

DOMAINS = frozenset({"grid-map"})
DETOUR = sqrt(2) - 1
"""The additional cost of a diagonal step over a straight one."""


def octile(tiles: Any, other: Any) -> float:
    """Return the cost of the cheapest path in 8 directions without walls: diagonal steps first, then straight ones."""
    right, down = abs(tiles[0, 0] - other[0, 0]), abs(tiles[0, 1] - other[0, 1])
    distance: float = max(right, down) + DETOUR * min(right, down)
    return distance


def manhattan(tiles: Any, other: Any) -> int:
    """Return the cost of the cheapest path in 4 directions without walls."""
    distance: int = abs(tiles[0, 0] - other[0, 0]) + abs(tiles[0, 1] - other[0, 1])
    return distance


def has_no_diagonals(ways: int) -> bool:
    """Return whether the Manhattan distance never exceeds the true cost."""
    return ways == 4


HEURISTICS = (
    Heuristic(
        "octile",
        between=octile,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        summary="the cost in 8 directions without walls",
    ),
    Heuristic(
        "manhattan-distance",
        between=manhattan,
        domains=DOMAINS,
        admissible=has_no_diagonals,
        consistent=has_no_diagonals,
        summary="the cost in 4 directions without walls",
    ),
)
