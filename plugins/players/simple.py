"""Players that look no further than the next board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import Parameter, Player

if TYPE_CHECKING:
    from random import Random

    from searchlab import Board, BoundHeuristic, Move


def any_move(board: Board, moves: tuple[Move, ...], random: Random) -> str:
    """Return a legal move, each as likely as the others."""
    return random.choice(moves).action


def best_move(board: Board, moves: tuple[Move, ...], heuristic: BoundHeuristic) -> str:
    """Return the move to the board that the heuristic prefers, of equally good ones the first."""
    heuristic.evaluate_together([move.board for move in moves])
    return min(moves, key=lambda move: heuristic.estimate(move.board)).action


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
