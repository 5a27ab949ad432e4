"""The player of small, solved games of chance: no player earns more points on average."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

from searchlab import Expectimax, LookAhead, Player, UsageError, exact_tables, heuristic
from searchlab_plugins.players.solved import DOMAINS, HEURISTIC

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Board, BoundDomain, Move

NEVER = -inf
"""The value of a board that no game leads to."""


def points_after(board: Board, moves: tuple[Move, ...], domain: BoundDomain, solved_values: Any) -> Iterable[float]:
    """Return the value of each move, points of the move included."""
    values = looks_ahead(domain, solved_values).values(board).values()
    if NEVER in values:
        msg = f"{domain.name} never leads to this board: {board!r:.200}"
        raise UsageError(msg)
    return values


def looks_ahead(domain: BoundDomain, solved_values: Any) -> Expectimax:
    """Return an Expectimax that computes the values; the table of the heuristic is built before a game."""
    return one_ply(domain)


@lru_cache(maxsize=8)
def one_ply(domain: BoundDomain) -> Expectimax:
    """Return an Expectimax that computes the values of moves from the values of the boards after the moves."""
    return Expectimax(LookAhead(domain, heuristic(HEURISTIC, domain=domain), dead=NEVER), depth=0)


PLAYER = Player(
    "exact",
    values=points_after,
    tables=exact_tables(),
    looks_ahead=looks_ahead,
    domains=DOMAINS,
    summary="the exact best move, for small games such as 2048-random:n=3",
)
