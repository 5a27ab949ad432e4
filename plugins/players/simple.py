"""Players that consider only the next board."""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from searchlab import Expectimax, LookAhead, Parameter, Player

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from searchlab import Board, BoundDomain, BoundHeuristic, Move


def any_move(board: Board, moves: tuple[Move, ...], random: Random) -> str:
    """Return a legal move; all moves are equally likely."""
    return random.choice(moves).action


def next_boards(
    board: Board, moves: tuple[Move, ...], domain: BoundDomain, heuristic: BoundHeuristic
) -> Iterator[float]:
    """Yield the heuristic value of the board after each move, negated if the heuristic estimates a cost.

    If the heuristic estimates the points to come, the points of the move are added.
    """
    heuristic.evaluate_together([move.board for move in moves])
    earns = heuristic.component.of_points
    for move in moves:
        yield (domain.points(board, move.board) if earns else 0) - heuristic.estimate(move.board)


@lru_cache(maxsize=32)
def next_boards_only(domain: BoundDomain, heuristic: BoundHeuristic) -> Expectimax:
    """Return an Expectimax with the same values, except at goals and dead ends, where a compiled game pauses."""
    return Expectimax(LookAhead(domain, heuristic, dead=-inf), depth=0)


PLAYERS = (
    Player("random", any_move, summary="a random legal move"),
    Player(
        "greedy",
        values=next_boards,
        looks_ahead=next_boards_only,
        parameters=(
            Parameter("heuristic", "", "what judges the boards; by default the domain's own", kind="heuristic"),
        ),
        summary="the move to the board with the best heuristic value",
    ),
)
