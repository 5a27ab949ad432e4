"""Expectimax: how good each move is if chance does what it may and the player then makes the best of it.

What it computes is defined here, on Board objects; `games/run_expectimax.py` computes the same, compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, isnan, trunc
from typing import TYPE_CHECKING

from searchlab.binding.domain import Event
from searchlab.errors import Cancelled
from searchlab.search.problem import EvaluationError, estimate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board

WON = 1e9
"""The value of a goal, unless another is given or points count."""
LOST = -1e9
"""The value of a board without moves where the heuristic is an estimate of a cost, unless another is given."""


class Interrupted(Cancelled, Exception):
    """Looking ahead was told to stop."""


@dataclass(frozen=True)
class LookAhead:
    """What the value of a move is.

    Attributes:
        domain: the game.
        heuristic: what judges the boards that are looked at no further; of an estimate of a cost the negative counts.
        cutoff: boards that are less likely than this are looked at no further.
        dead: the value of a board without moves, and of one the heuristic calls a dead end (infinite). By default 0
            where the heuristic is a score, else -10^9.
        dead_is_evaluated: a board without moves is worth what the heuristic says.
        won: the value of a board that is a goal. By default 10^9, and 0 where the heuristic is one of points.
        whole: the value of each outcome, multiplied by how likely it is, is cut to a whole number.
    """

    domain: BoundDomain
    heuristic: BoundHeuristic
    cutoff: float = 0.0
    dead: float | None = None
    dead_is_evaluated: bool = False
    won: float | None = None
    whole: bool = False

    @property
    def earns(self) -> bool:
        """Whether what moves earn counts: the heuristic is one of the points still to come."""
        return self.heuristic.component.of_points

    @property
    def worth_of_a_goal(self) -> float:
        """The value of a board that is a goal."""
        if self.won is not None:
            return self.won
        return 0.0 if self.earns else WON

    @property
    def worth_of_the_dead(self) -> float:
        """The value of a board without moves, where the heuristic is not asked."""
        if self.dead is not None:
            return self.dead
        return 0.0 if self.heuristic.prefer == "high" else LOST

    def earned(self, board: Board, edge: Successor) -> float:
        """Return what counts of the points that a move earns."""
        return float(self.domain.points(board, edge.board)) if self.earns else 0.0


class ReadableExplorer:
    """Looks ahead on Board objects: the definition of what the compiled one computes.

    Attributes:
        tries: moves tried so far.
    """

    def __init__(self, look_ahead: LookAhead) -> None:
        self._look_ahead = look_ahead
        self._goes_on: Callable[[], bool] = bool
        self.tries = 0

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves, without what they themselves earn.

        Args:
            edges: all or some of the moves from one board.
            depth: how often chance moves, at most, before boards are judged.
            goes_on: asked now and then.

        Raises:
            Interrupted: it does not go on.
            PluginError: the domain or the heuristic failed.
        """
        self._goes_on = goes_on
        return [self.after(edge, depth, 1.0) for edge in edges]

    def after(self, edge: Successor, depth: int, likely: float) -> float:
        """Return the value of a move that is reached so likely: the mean over what chance may do after it."""
        wanted, board = self._look_ahead, edge.board
        if wanted.domain.is_goal(board):
            return wanted.worth_of_a_goal
        if depth == 0 or edge.terminal or likely < wanted.cutoff:
            return self._judged(board)
        expected = 0.0
        for _, outcome, probability in wanted.domain.chance(board) or [Event("nothing", board, 1.0)]:
            added = probability * self.best(outcome, depth - 1, likely * probability)
            expected += trunc(added) if wanted.whole else added
        return expected

    def best(self, board: Board, depth: int, likely: float) -> float:
        """Return the value of the best move from a board."""
        if not self._goes_on():
            raise Interrupted
        edges, wanted = self._look_ahead.domain.edges(board), self._look_ahead
        values = [self.after(edge, depth, likely) + wanted.earned(board, edge) for edge in edges]
        self.tries += len(values)
        if values:
            return max(values)
        return self._judged(board) if self._look_ahead.dead_is_evaluated else self._look_ahead.worth_of_the_dead

    def _judged(self, board: Board) -> float:
        value = -estimate_of(self._look_ahead.heuristic, board)
        if isnan(value):
            msg = f"heuristic {self._look_ahead.heuristic.name} returned NaN, which is no estimate"
            raise EvaluationError(msg, board)
        return self._look_ahead.worth_of_the_dead if isinf(value) else value
