"""The heuristic of a small game of chance that is solved: the points to come by best play."""

from __future__ import annotations

from math import inf
from typing import Any

from searchlab import Heuristic, exact_tables, exact_value

DOMAINS = frozenset({"2048-random"})
NEVER = -inf


def points_to_come(tiles: Any, solved_boards: Any, solved_values: Any) -> float:
    """Return the points to come, on average, after a move that led to a board; -inf if the game never leads to it."""
    value = exact_value(tiles, solved_boards, solved_values)
    return value if value == value else NEVER


HEURISTIC = Heuristic(
    "exact",
    points_to_come,
    tables=exact_tables(),
    of_points=True,
    domains=DOMAINS,
    prefer="high",
    summary="the exact expected points of best play, for small games such as 2048-random:n=3",
)
