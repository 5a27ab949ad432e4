"""The analysis of a game: a player judges every position, and each move played is compared with the best."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import ceil, floor, inf, isfinite, log10, nan
from typing import TYPE_CHECKING, NamedTuple

from searchlab.errors import SearchlabWarning, UsageError
from searchlab.games.advice import PositionAdviser
from searchlab.games.expectimax import Expectimax
from searchlab.model.formatting import counted
from searchlab.reports.recording import POINTS, Curve, finite_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.games.advice import Answer
    from searchlab.model.games import Game
    from searchlab.reports.recording import Recording

TENTH = 0.1
"""Without a threshold a loss counts from this share of the range of the estimates on."""
EXTREME = 0.05
"""The share of the estimates at either end to omit from their range: a lost position is worth very little."""
MOST_DECIMALS = 8
MARGIN = 0.5
"""The margin that the graph shows beyond that range at either end, as a share of the range."""


class Position(NamedTuple):
    """A position of a game, as a player judges it.

    Attributes:
        played: the move that was made.
        best: the best move; if several are equally good, the one that was played; `""` if the game was over by the
            rules.
        values: the value of each move, the best first; empty if the game was over, or the player gave none.
        loss: the value of the best move minus the value of the move played; NaN without values.
    """

    played: str
    best: str
    values: Mapping[str, float]
    loss: float

    @property
    def estimate(self) -> float:
        """The value of the best move; NaN without values."""
        return self.values[self.best] if self.values else nan

    @property
    def is_other_move(self) -> bool:
        """Whether the player would have made another move, and gave no values."""
        return not self.values and self.best not in ("", self.played)


@dataclass(frozen=True)
class Analysis:
    """A game, judged position by position.

    Attributes:
        player: the player that judged.
        positions: the position before each move.
        threshold: the smallest loss that is a mistake.
        is_of_points: whether values are points still to come.
    """

    player: str
    positions: tuple[Position, ...]
    threshold: float
    is_of_points: bool = False

    @property
    def mistakes(self) -> list[int]:
        """The numbers of the moves that lose the threshold or more, the first move being 0; the largest loss first."""
        numbers = [number for number, position in enumerate(self.positions) if self.is_mistake(position)]
        return sorted(numbers, key=lambda number: -self.positions[number].loss)

    @property
    def other_moves(self) -> list[int]:
        """The numbers of the moves that the player would not have made, where it gave no values."""
        return [number for number, position in enumerate(self.positions) if position.is_other_move]

    @property
    def has_values(self) -> bool:
        """Whether the player gave the values of moves in any position."""
        return any(position.values for position in self.positions)

    def is_mistake(self, position: Position) -> bool:
        """Return whether the move from a position loses the threshold or more."""
        return position.loss > 0 and position.loss >= self.threshold

    @property
    def decimals(self) -> int:
        """The number of meaningful decimals: four digits of the threshold; none for integers."""
        values = [value for position in self.positions for value in position.values.values() if isfinite(value)]
        scale = self.threshold or max(map(abs, values), default=0.0)
        if scale == 0 or all(value.is_integer() for value in values):
            return 0
        return min(MOST_DECIMALS, max(0, 3 - floor(log10(scale))))

    @property
    def agreement(self) -> int:
        """The number of moves that the player would have made, or that are as good."""
        return sum(position.best == position.played for position in self.positions)

    @property
    def _facts(self) -> tuple[tuple[str, str], ...]:
        agreement = f"{self.agreement:,} of {len(self.positions):,}"
        if not self.has_values:
            return (("judged by", self.player), ("same moves", agreement))
        finite = [position.loss for position in self.positions if isfinite(position.loss)]
        mean = sum(finite) / len(finite) if finite else 0.0
        return (("judged by", self.player), ("best moves", agreement), ("mean loss", f"{mean:,.6g}"))

    @property
    def headline(self) -> str:
        """The number of mistakes, or of other moves than the player's, as one line."""
        others = len(self.other_moves)
        if not self.has_values:
            return f"{self.player} would make another move in {others:,} of {counted(len(self.positions), 'position')}"
        return f"{self._losses}; {counted(others, 'other move')} without values" if others else self._losses

    @property
    def _losses(self) -> str:
        """The number of mistakes and the largest loss, as one line."""
        mistakes = self.mistakes
        number = f"{len(mistakes):,} {'loss' if len(mistakes) == 1 else 'losses'}" if mistakes else "no loss"
        said = f"{number} of {self.threshold:,.6g} or more by the values of {self.player}"
        if not mistakes:
            return said
        worst = mistakes[0]
        return f"{said}, the largest at move {worst + 1:,} ({self.positions[worst].loss:,.6g})"

    def added_to(self, recording: Recording) -> Recording:
        """Return the recording of the game with the figures of the analysis and, if there are values, their curve."""
        facts = (*recording.facts, *self._facts)
        if not self.has_values:
            return replace(recording, facts=facts)
        scores = next((curve.values for curve in recording.curves if curve.unit == POINTS), ())
        curves = (*recording.curves, self._curve(scores or (None,) * (len(self.positions) + 1)))
        return replace(recording, curves=curves, facts=facts)

    def _curve(self, scores: Sequence[float | None]) -> Curve:
        """Return the curve of the estimate or, for a player that expects points, of the expected final score."""
        estimates = [position.estimate for position in self.positions]
        if self.is_of_points:
            expected = [estimate + (score or 0) for estimate, score in zip(estimates, scores, strict=False)]
            values = (*finite_values(expected), scores[-1])
            return Curve("expected", f"the score at the end, as {self.player} expects it", values, POINTS)
        explanation = f"the value of the best move to {self.player}"
        return Curve("estimate", explanation, (*finite_values(estimates), None), "value", _shown_range(estimates))


def analysis(
    game: Game,
    player: BoundPlayer,
    *,
    threshold: float | None = None,
    progress: Callable[[int], None] = lambda judged: None,
) -> Analysis:
    """Let a player judge every position of a game.

    Args:
        game: the game.
        player: a player of the same domain; its random numbers have the seed of the game.
        threshold: the smallest loss that is a mistake; by default a tenth of the range of the estimates, without their
            lowest and highest twentieth.
        progress: called with the number of positions judged.

    Raises:
        UsageError: the threshold is negative or not finite.
        PluginError: the player or the domain failed.
    """
    if threshold is not None and not 0 <= threshold < inf:
        raise UsageError(f"a threshold is a finite number, 0 or more, not {threshold:g}")
    adviser = PositionAdviser(player, game.seed)
    positions = []
    for number, (board, turn) in enumerate(zip(game.boards, game.turns, strict=False), 1):
        positions.append(_position(turn.action, adviser.answer(board)))
        progress(number)
    if threshold is not None and positions and not any(position.values for position in positions):
        said = f"player {player.name} gave no values of moves, so the threshold has no effect"
        warnings.warn(said, SearchlabWarning, stacklevel=2)
    if threshold is None:
        low, high = _range_of([position.estimate for position in positions]) or (0.0, 0.0)
        threshold = float(f"{TENTH * (high - low):.2g}")
    return Analysis(str(player), tuple(positions), threshold, _judges_by_points(player, game.boards[0]))


def _judges_by_points(player: BoundPlayer, board: Board) -> bool:
    """Return whether the values of a player's moves are points still to come."""
    ahead = player.looks_ahead(board)
    if isinstance(ahead, Expectimax):
        return ahead.definition.earns
    heuristics = player.heuristics.values()
    return bool(heuristics) and all(heuristic.component.of_points for heuristic in heuristics)


def _position(played: str, answer: Answer) -> Position:
    values = answer.values or {}
    if played not in values:
        return Position(played, answer.action, {}, nan)
    highest = max(values.values())
    if values[played] == highest:
        best, loss = played, 0.0
    else:
        best, loss = max(values, key=values.__getitem__), highest - values[played]
    return Position(played, best, dict(sorted(values.items(), key=lambda item: (-item[1], item[0] != best))), loss)


def _range_of(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the range of finite values without the extreme ones; None if there are none."""
    ordered = sorted(value for value in values if isfinite(value))
    if not ordered:
        return None
    left_out = ceil(EXTREME * (len(ordered) - 1)) if len(ordered) > 2 else 0
    return ordered[left_out], ordered[len(ordered) - 1 - left_out]


def _shown_range(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the range that a graph shows: somewhat more than `_range_of`, but no more than the data's own range."""
    limits = _range_of(values)
    if limits is None:
        return None
    low, high = limits
    finite = [value for value in values if isfinite(value)]
    margin = MARGIN * (high - low)
    return max(min(finite), low - margin), min(max(finite), high + margin)
