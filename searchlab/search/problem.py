"""Problem: what a search is given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING

from searchlab.binding.bound import NoNumber, number
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.model.costs import EXACT, exceeds

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board


BATCH = 1000
"""So many nodes are expanded before the new ones are evaluated, where Python evaluates them."""
LARGEST_BATCH = 2**62
"""Larger than any search; numbers beyond would not fit into a machine's word."""


class EvaluationError(PluginError):
    """A heuristic failed on a board, or returned something that is no number.

    Attributes:
        board: the board it was asked about.
    """

    def __init__(self, message: str, board: Board) -> None:
        super().__init__(message)
        self.board = board


def estimate_of(heuristic: BoundHeuristic, board: Board) -> float:
    """Return the value of a board, computed anew, lower being better.

    Raises:
        EvaluationError: the heuristic raised, or its value is no number; NaN is not looked for.
    """
    with PluginCode(lambda error: EvaluationError(f"heuristic {heuristic.name}: {in_one_line(error)}", board)):
        value = heuristic.evaluate(board)
    try:
        h = number(value)
    except NoNumber as error:
        raise EvaluationError(f"heuristic {heuristic.name} returned {error}", board) from error
    return -h if heuristic.prefer == "high" else h


@dataclass(frozen=True)
class Problem:
    """A start board, a domain, a heuristic and a frontier strategy.

    Attributes:
        batch: how many nodes are expanded before their new successors are evaluated together; 1 evaluates each at
            once.

    Raises:
        UsageError: when combined in a way that makes no sense.
    """

    board: Board
    domain: BoundDomain
    heuristic: BoundHeuristic
    frontier: BoundFrontier
    batch: int = 1

    def __post_init__(self) -> None:
        if self.domain.is_of_chance:
            raise UsageError(self.domain.why_not_searched)
        if not isinstance(self.batch, int) or not 1 <= self.batch <= LARGEST_BATCH:
            raise UsageError(f"a batch is a whole number of nodes, 1 or more, not {self.batch!r:.40}")
        if self.batch > 1 and self.takes_batches and self._asks_for_late:
            raise UsageError(
                f"{self.frontier.name} cannot detect duplicates late in batches of {self.batch}: "
                "leave out duplicates=late, or set batch to 1"
            )
        if not self.estimates:
            return
        for form in self.heuristic.forms:
            self.heuristic.arguments(self.board, form)  # refuses one that asks for what nobody gives
        _ = self.heuristic.admissible  # refused before the search, rather than when its solution is judged
        if self.frontier.component.family == "deepening" and self.heuristic.prefer == "high":
            raise UsageError(
                f"{self.frontier.name} needs an estimate of the cost to go, and {self.heuristic.name} is a score "
                "(higher is better); take another heuristic or frontier"
            )

    @property
    def estimates(self) -> bool:
        """Whether the search asks for h at all."""
        return self.frontier.component.uses_heuristic

    @property
    def sign(self) -> int:
        """What turns the heuristic's value into one of which lower is better."""
        return -1 if self.heuristic.prefer == "high" else 1

    @property
    def late(self) -> bool:
        """Whether duplicates are detected when a node is taken rather than when it is generated."""
        return self.batch == 1 and self.frontier.duplicates(self.domain) == "late"

    @property
    def takes_batches(self) -> bool:
        """Whether its strategy is one for which nodes can be evaluated in batches: an order by g and h."""
        component = self.frontier.component
        best_first = component.family == "best-first" and component.run is None
        return self.estimates and best_first and component.container == "heap"

    def in_batches(self, asked: int | None, default: int = 1) -> Problem:
        """Return the problem with the size of its batches decided.

        Args:
            asked: what the user wants, None for the default.
            default: unless the heuristic can only be evaluated in batches.

        Raises:
            UsageError: what was asked for makes no sense.
        """
        if asked is not None:
            asked_for = replace(self, batch=asked)
            return asked_for if self.takes_batches else self
        if self.heuristic.component.function is None:
            default = BATCH
        return replace(self, batch=default) if self.takes_batches and not self._asks_for_late else self

    @property
    def _asks_for_late(self) -> bool:
        """Whether late detection was asked for, rather than recommended by the domain."""
        return self.frontier.values.get("duplicates") == "late"

    def estimate(self, board: Board) -> float:
        """Return h, lower being better; infinite for a dead end.

        Raises:
            EvaluationError: the heuristic raised, or its value is no number.
        """
        return self.checked(estimate_of(self.heuristic, board), board)

    def estimate_start(self) -> float:
        """Return h of the start. One that is a goal is solved whatever its h is, as long as that is a number."""
        h = estimate_of(self.heuristic, self.board)
        return h if h < 0 and self.domain.is_goal(self.board) else self.checked(h, self.board)

    def checked(self, h: float, board: Board) -> float:
        """Return h if a search can use it, else raise an EvaluationError."""
        if isnan(h):
            raise EvaluationError(f"heuristic {self.heuristic.name} returned NaN, which is no estimate", board)
        if h < 0 and self.frontier.component.family == "deepening":
            raise EvaluationError(
                f"heuristic {self.heuristic.name} returned {h:g}, and {self.frontier.name} needs estimates >= 0",
                board,
            )
        return h

    def optimal(self, cost: float, goal: Board | None = None, *, exact: bool = True) -> bool:
        """Return whether a solution of this cost that the search found first is known to be a cheapest one.

        Args:
            goal: the board it ends in.
            exact: whether it is exactly what the search took it to cost.
        """
        if cost > EXACT:
            return False  # sums of whole numbers are rounded here: another solution may be cheaper by one
        bound = self.domain.lower_bound(self.board)
        if not (exceeds(cost, bound) or isnan(bound)):
            return True
        guarantee = self.frontier.guarantee
        return exact and (
            guarantee == "always"
            or (guarantee == "unit-cost" and self.domain.component.unit_cost)
            or (guarantee == "admissible" and self._is_admissible and self._is_last(cost, goal))
        )

    @property
    def _is_admissible(self) -> bool:
        return self.heuristic.admissible and self.sign == 1

    def _is_last(self, cost: float, goal: Board | None) -> bool:
        """Return whether a goal was taken for what it costs: a negative h would let it come before cheaper ones."""
        return goal is None or not self.estimates or not exceeds(cost, cost + self.estimate(goal))

    def complete(self, dead_ends: int) -> bool:
        """Return whether a search that ran out of nodes has proved that there is no solution.

        Args:
            dead_ends: how many successors were left out because their h was infinite.
        """
        trusted = not dead_ends or self._is_admissible
        component = self.frontier.component
        return component.complete and component.family != "beam" and trusted  # a beam leaves out all but the best
