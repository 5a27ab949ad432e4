"""The player and the heuristic of a small game of chance that is solved: no player earns more on average."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import (
    Board,
    Expectimax,
    Heuristic,
    LookAhead,
    Player,
    UsageError,
    exact_boards,
    exact_value,
    exact_values,
    heuristic,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import BoundDomain, Move

DOMAINS = frozenset({"2048-random"})
NEVER = -inf


def all_boards(progress: Any, domain: BoundDomain, rows: int, columns: int) -> Any:
    """Return the boards after moves of games on boards of a size, each with a number."""
    return exact_boards(domain, blank(rows, columns), progress=progress)


def all_values(progress: Any, domain: BoundDomain, rows: int, columns: int, solved_boards: Any) -> Any:
    """Return the points to come after each of these boards."""
    return exact_values(domain, blank(rows, columns), boards=solved_boards, progress=progress).array


def blank(rows: int, columns: int) -> Board:
    """Return the board on which a game begins."""
    return Board(np.zeros((rows, columns), np.int64))


def points_to_come(tiles: Any, solved_boards: Any, solved_values: Any) -> float:
    """Return the points to come, on average, after a move that led to a board; -inf if the game never leads to it."""
    value = exact_value(tiles, solved_boards, solved_values)
    return value if value == value else NEVER


def points_after(board: Board, moves: tuple[Move, ...], domain: BoundDomain, solved_values: Any) -> Iterable[float]:
    """Return what each move is worth, the points that it earns included."""
    values = looks_ahead(domain, solved_values).values(board).values()
    if NEVER in values:
        msg = f"{domain.name} never leads to this board: {board!r:.200}"
        raise UsageError(msg)
    return values


def looks_ahead(domain: BoundDomain, solved_values: Any) -> Expectimax:
    """Return what computes the values; it asks for those of the heuristic, so that they are there before a game."""
    return one_ply(domain)


@lru_cache(maxsize=8)
def one_ply(domain: BoundDomain) -> Expectimax:
    """Return what computes the values from those of the boards after the moves."""
    return Expectimax(LookAhead(domain, heuristic(HEURISTIC, domain=domain), dead=NEVER), depth=0)


TABLES: dict[str, Any] = {"solved_boards": all_boards, "solved_values": all_values}
HEURISTIC = Heuristic(
    "exact",
    points_to_come,
    tables=TABLES,
    of_points=True,
    domains=DOMAINS,
    prefer="high",
    summary="the points to come by best play, exactly: for games as small as 2048-random:n=3",
)
PLAYER = Player(
    "exact",
    values=points_after,
    tables=TABLES,
    looks_ahead=looks_ahead,
    domains=DOMAINS,
    summary="the best move, exactly: for games as small as 2048-random:n=3",
)
