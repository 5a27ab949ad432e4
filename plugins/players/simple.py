"""Players that look no further than the next board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import Parameter, Player

if TYPE_CHECKING:
    from random import Random

    from searchlab import Board, BoundDomain, BoundHeuristic, Move


def any_move(board: Board, moves: tuple[Move, ...], random: Random) -> str:
    """Return a legal move, each as likely as the others."""
    return random.choice(moves).action


def best_move(board: Board, moves: tuple[Move, ...], domain: BoundDomain, heuristic: BoundHeuristic) -> str:
    """Return the move to the board that the heuristic prefers, of equally good ones the first.

    Where it estimates the points to come, those the move earns count as well.
    """
    heuristic.evaluate_together([move.board for move in moves])
    earns = heuristic.component.of_points

    def estimate(move: Move) -> float:
        return heuristic.estimate(move.board) - (domain.points(board, move.board) if earns else 0)

    return min(moves, key=estimate).action


PLAYERS = (
    Player("random", any_move, summary="any legal move, each as likely as the others"),
    Player(
        "greedy",
        best_move,
        parameters=(
            Parameter("heuristic", "", "what judges the boards; by default the domain's own", kind="heuristic"),
        ),
        summary="the move to the best next board by a heuristic",
    ),
)
