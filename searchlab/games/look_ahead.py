"""Looking ahead: the value of a move is the mean, over all chance events, of the value of the best next move.

This module defines the values of expectimax, on Board objects. `games/expectimax_compiled.py` computes the same values
in compiled code.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, frexp, isinf, isnan, ldexp, trunc
from typing import TYPE_CHECKING

from searchlab.binding.chance import Event
from searchlab.errors import Cancelled
from searchlab.search.problem import EvaluationError, estimate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board

WON = 1e9
"""The value of a goal, unless another is given or points count."""
LOST = -1e9
"""The default value of a board without moves if the heuristic estimates a cost."""


class Interrupted(Cancelled, Exception):
    """Looking ahead was stopped before the end."""


@dataclass(frozen=True)
class LookAhead:
    """The definition of the value of a move.

    Attributes:
        domain: the game.
        heuristic: the heuristic for the boards at which looking ahead ends. An estimate of a cost is negated.
        cutoff: the probability below which a board is judged at once. Probabilities are rounded down, see `rung`.
        dead: the value of a board without moves, and of a dead end (infinite heuristic value). By default 0 if the
            heuristic is a score, else -10^9.
        dead_is_evaluated: whether the heuristic judges a board without moves.
        won: the value of a goal. By default 10^9, or 0 if the heuristic estimates points.
        whole: whether the value of each outcome times its probability is truncated to an integer.
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
        """Whether the points of moves count, because the heuristic estimates the points still to come."""
        return self.heuristic.component.of_points

    @property
    def worth_of_a_goal(self) -> float:
        """The value of a board that is a goal."""
        if self.won is not None:
            return self.won
        return 0.0 if self.earns else WON

    @property
    def worth_of_the_dead(self) -> float:
        """The value of a board without moves, if the heuristic does not judge it."""
        if self.dead is not None:
            return self.dead
        return 0.0 if self.heuristic.prefer == "high" else LOST

    def earned(self, board: Board, edge: Successor) -> float:
        """Return the points that a move earns, or 0 if points do not count."""
        return float(self.domain.points(board, edge.board)) if self.earns else 0.0


def rung(probability: float) -> float:
    """Return a probability rounded down to 1/2, 5/8, 6/8 or 7/8 times a power of 2.

    If unlikely boards are judged at once, the value of a board depends on its probability. With few different
    probabilities, values can often be reused. Values also do not depend on the boards that were looked at before.

    >>> rung(1.0), rung(0.9), rung(0.3)
    (1.0, 0.875, 0.25)
    """
    mantissa, exponent = frexp(probability)
    return ldexp(floor(8 * mantissa) / 8, exponent)


class ReadableExplorer:
    """Look ahead on Board objects. This class defines the values that the compiled explorer computes.

    Attributes:
        tries: the number of moves tried so far.
    """

    def __init__(self, look_ahead: LookAhead) -> None:
        self._look_ahead = look_ahead
        self._goes_on: Callable[[], bool] = bool
        self.tries = 0

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves, without the points of these moves.

        Args:
            edges: all or some of the moves from one board.
            depth: the largest number of chance moves after which boards are judged.
            goes_on: called now and then; it returns False to stop.

        Raises:
            Interrupted: `goes_on` returned False.
            PluginError: the domain or the heuristic failed.
        """
        self._goes_on = goes_on
        return [self.after(edge, depth, 1.0) for edge in edges]

    def values_from(self, board: Board, depth: int, goes_on: Callable[[], bool]) -> dict[str, float] | None:
        """Return the values of the moves from a board by action, points included, or None if `values` must be used.

        Compiled code may find the moves and their points without Board objects.
        """
        return None

    def forget(self) -> None:
        """Do nothing, because no values are kept."""

    def after(self, edge: Successor, depth: int, probability: float) -> float:
        """Return the value of a move reached with this probability: the mean over the chance events after it."""
        definition, board = self._look_ahead, edge.board
        if definition.domain.is_goal(board):
            return definition.worth_of_a_goal
        if depth == 0 or edge.terminal or probability < definition.cutoff:
            return self._judged(board)
        expected, reached = 0.0, rung(probability) if definition.cutoff else probability
        for event in definition.domain.chance(board) or [Event("nothing", board, 1.0)]:
            added = event.probability * self.best(event.board, depth - 1, reached * event.probability)
            expected += trunc(added) if definition.whole else added
        return expected

    def best(self, board: Board, depth: int, probability: float) -> float:
        """Return the value of the best move from a board."""
        if not self._goes_on():
            raise Interrupted
        definition = self._look_ahead
        values = [
            self.after(edge, depth, probability) + definition.earned(board, edge)
            for edge in definition.domain.edges(board)
        ]
        self.tries += len(values)
        if values:
            return max(values)
        return self._judged(board) if definition.dead_is_evaluated else definition.worth_of_the_dead

    def _judged(self, board: Board) -> float:
        value = -estimate_of(self._look_ahead.heuristic, board)
        if isnan(value):
            msg = f"heuristic {self._look_ahead.heuristic.name} returned NaN, which is not an estimate"
            raise EvaluationError(msg, board)
        return self._look_ahead.worth_of_the_dead if isinf(value) else value
