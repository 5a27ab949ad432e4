"""The heuristic of a small game of chance that is solved: the points to come by best play."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Heuristic, exact_value

if TYPE_CHECKING:
    from searchlab import BoundDomain

DOMAINS = frozenset({"2048-random"})
NEVER = -inf


def all_boards(progress: Any, domain: BoundDomain, rows: int, columns: int) -> Any:
    """Return the boards after moves of games on boards of a size, each with a number."""
    from searchlab import exact_boards  # late, as below: all heuristics are loaded for every search

    return exact_boards(domain, blank(rows, columns), progress=progress)


def all_values(progress: Any, domain: BoundDomain, rows: int, columns: int, solved_boards: Any) -> Any:
    """Return the points to come after each of these boards."""
    from searchlab import exact_values

    return exact_values(domain, blank(rows, columns), boards=solved_boards, progress=progress).array


def blank(rows: int, columns: int) -> Board:
    """Return the board on which a game begins."""
    return Board(np.zeros((rows, columns), np.int64))


def points_to_come(tiles: Any, solved_boards: Any, solved_values: Any) -> float:
    """Return the points to come, on average, after a move that led to a board; -inf if the game never leads to it."""
    value = exact_value(tiles, solved_boards, solved_values)
    return value if value == value else NEVER


TABLES: dict[str, Any] = {"solved_boards": all_boards, "solved_values": all_values}
HEURISTIC = Heuristic(
    "exact",
    points_to_come,
    tables=TABLES,
    of_points=True,
    domains=DOMAINS,
    prefer="high",
    summary="the exact expected points of best play, for small games such as 2048-random:n=3",
)
