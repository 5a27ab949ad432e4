"""The player and the heuristic of a small game of chance that is solved: no player earns more on average."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from searchlab import (
    Expectimax,
    Heuristic,
    LookAhead,
    Player,
    PluginError,
    UsageError,
    exact_boards,
    exact_value,
    exact_values,
)
from searchlab import heuristic as find_heuristic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Board, BoundDomain, Move

DOMAINS = frozenset({"2048"})


def all_boards(progress: Any, domain: BoundDomain) -> Any:
    """Return the boards after moves, each with a number."""
    return exact_boards(domain, progress=progress)


def all_values(progress: Any, domain: BoundDomain, solved_boards: Any) -> Any:
    """Return the points to come after each of these boards."""
    return exact_values(domain, boards=solved_boards, progress=progress).array


def points_to_come(tiles: Any, solved_boards: Any, solved_values: Any) -> float:
    """Return the points to come, on average, after a move that led to a board."""
    return exact_value(tiles, solved_boards, solved_values)


def points_after(board: Board, moves: tuple[Move, ...], domain: BoundDomain) -> Iterable[float]:
    """Return what each move is worth, the points that it earns included."""
    try:
        return looks_ahead(domain).values(board).values()
    except PluginError:
        worth = find_heuristic(HEURISTIC, domain=domain)
        if all(worth.evaluate(move.board) == worth.evaluate(move.board) for move in moves):
            raise
    msg = f"{domain.name} never leads to this board: {board!r:.200}"
    raise UsageError(msg)


@lru_cache(maxsize=8)
def looks_ahead(domain: BoundDomain) -> Expectimax:
    """Return what computes the same values."""
    return Expectimax(LookAhead(domain, find_heuristic(HEURISTIC, domain=domain)), depth=0)


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
    looks_ahead=looks_ahead,
    domains=DOMAINS,
    summary="the best move, exactly: for games as small as 2048-random:n=3",
)
