"""A heuristic on its grounds: its values interpreted and compiled, each computed once."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding import bound as binding
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.model.costs import ROUNDING
from searchlab.search.state_space import CompiledEstimate, wide_packing
from searchlab.testing.findings import failed, share_of
from searchlab.testing.grounds import Survey, look_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.search.deadline import Clock
    from searchlab.testing.findings import Finding
    from searchlab.testing.grounds import Ground

OWN, OTHERS = 0.5, 0.15
"""Shares of the time for looking at boards, with the parameters asked for and with others."""
TIMED = 50_000
"""Calls that are timed compiled."""
ODD = " (a legal board, though no search from the boards it is checked on meets it)"
NOISE = 1e-6
"""How much of the rounding that is allowed of a value is allowed of the largest."""
DIFFERENCES = "compiled, whole numbers wrap around at 64 bits, and two truth values add up to 2"


class Unanswered(Exception):
    """A heuristic gave no number for a board.

    Attributes:
        board: the board it was asked about.
    """

    def __init__(self, message: str, board: Board) -> None:
        super().__init__(message)
        self.board = board


@dataclass(frozen=True)
class Values:
    """The values of the states of a space, lower being better.

    Attributes:
        numbers: NaN for those not evaluated.
        evaluated: which were.
    """

    numbers: NDArray[np.float64]
    evaluated: NDArray[np.bool_]


class Estimates:
    """A heuristic on one ground.

    Attributes:
        heuristic: bound to the ground's domain.
        ground: what it is checked on.
        evidence: what is known of it on all grounds, once it is there.
    """

    evidence: HeuristicEvidence

    def __init__(self, heuristic: BoundHeuristic, ground: Ground) -> None:
        self.heuristic, self.ground, self.clock = heuristic, ground, ground.clock

    @property
    def function(self) -> Callable[..., Any]:
        """The author's function; of one with a batch form only, that form for a single board."""
        component = self.heuristic.component
        if component.function:
            return component.function
        batch = self.heuristic.forms[0]
        return lambda tiles, **arguments: batch(tiles[None], **arguments)[0]

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """What the function gets after the tiles."""
        return self.heuristic.arguments(self.ground.instance.board, self.heuristic.forms[0])

    def value(self, board: Board) -> float:
        """Return the value of a board, interpreted.

        Raises:
            Unanswered: it raised, or returned no number.
        """
        with self.clock.calling(lambda: board):
            with PluginCode(lambda error: Unanswered(in_one_line(error), board), ()):
                value = self.heuristic.evaluate(board)
            return number(value, board)

    def call(self, tiles: NDArray[np.int64], board: Board) -> Any:
        """Call the function itself on tiles it may write to."""
        with self.clock.calling(lambda: board), np.errstate(all="ignore"):
            return self.function(tiles, **self.arguments)

    def value_if_any(self, board: Board) -> float | None:
        """Return the value of a board, interpreted; None if it has none."""
        try:
            return self.value(board)
        except Unanswered:
            return None

    @cached_property
    def compiled(self) -> CompiledEstimate | CannotCompile:
        """The function compiled for boards of any tiles, or why it cannot be."""
        return self._compiled_for(wide_packing(self.ground.instance.board))

    def _compiled_for(self, packing: Any) -> CompiledEstimate | CannotCompile:
        if self.heuristic.component.function is None:
            return CannotCompile("it has a batch form only")
        try:
            return CompiledEstimate(self.function, self.arguments, packing)
        except CannotCompile as error:
            return error

    def compiled_values(self, boards: list[Board]) -> NDArray[np.float64]:
        """Return the values of boards, compiled.

        Raises:
            Unanswered: it raised.
        """
        estimate = self.compiled
        assert isinstance(estimate, CompiledEstimate)
        states = np.stack([estimate.packing.pack(board) for board in boards])
        return self._run(estimate, states, lambda number: boards[number])

    @cached_property
    def everywhere(self) -> Values:
        """The values of the states of the space: of all where compiled, else of as many as there is time for.

        Raises:
            Unanswered: it raised or gave no number.
        """
        if isinstance(self.compiled_everywhere, Unanswered):
            raise self.compiled_everywhere
        if isinstance(self.compiled_everywhere, Values):
            return self.compiled_everywhere
        _ = self.evidence.surveys
        if "answers" in self.survey.faults:
            raise Unanswered(self.survey.faults["answers"].message, self.survey.faults["answers"].boards[0][1])
        return self._signed(self.survey.numbers, ~np.isnan(self.survey.numbers))

    @cached_property
    def compiled_everywhere(self) -> Values | Unanswered | None:
        """The values of the states of the space, compiled; why there are none; None where it cannot be compiled."""
        space = self.ground.space
        estimate = self._compiled_for(space.packing)
        if isinstance(estimate, CannotCompile):
            return None
        try:
            numbers = self._run(estimate, space.states, space.board)
            evaluated = np.arange(len(space)) < estimate.done
            if isnan(numbers[evaluated].sum()) and np.isnan(numbers[evaluated]).any():
                board = space.board(int(np.flatnonzero(np.isnan(numbers) & evaluated)[0]))
                self._complain(board)
                return Unanswered("compiled, it is NaN, which is no number", board)
        except Unanswered as error:
            return error
        return self._signed(numbers, evaluated)

    @cached_property
    def survey(self) -> HeuristicSurvey:
        """What it answers, interpreted, on one board after another; whoever has all estimates lets it look."""
        return HeuristicSurvey(self)

    def _run(self, estimate: CompiledEstimate, states: Any, board_of: Callable[[int], Board]) -> NDArray[np.float64]:
        def unanswered(error: BaseException) -> Unanswered:
            board = board_of(estimate.current)
            try:
                self._complain(board)
            except Unanswered as complaint:
                return complaint
            return Unanswered(f"compiled, it raises {in_one_line(error)}", board)

        with PluginCode(unanswered, ()), self.clock.calling(lambda: board_of(estimate.current)):
            return estimate.values(states, self.clock.looking(1 / 5))

    def _complain(self, board: Board) -> None:
        """Raise what the function says of a board, interpreted: that names file and line."""
        self.value(board)

    def _signed(self, numbers: NDArray[np.float64], evaluated: NDArray[np.bool_]) -> Values:
        return Values(-numbers if self.heuristic.prefer == "high" else numbers, evaluated)

    def seconds_a_call(self) -> tuple[float, float | None]:
        """Return the processor seconds of a call, interpreted and compiled; None where it does not compile."""
        boards = self.ground.boards
        began = time.process_time()
        for board in boards:
            self.value_if_any(board)
        interpreted = (time.process_time() - began) / len(boards)
        estimate = self.compiled
        if isinstance(estimate, CannotCompile):
            return interpreted, None
        states = np.tile(np.stack([estimate.packing.pack(board) for board in boards]), (TIMED // len(boards) + 1, 1))
        began = time.process_time()
        self._run(estimate, states, lambda number: boards[number % len(boards)])
        return interpreted, (time.process_time() - began) / len(states)


def number(value: Any, board: Board) -> float:
    """Return a heuristic's value as a number.

    Raises:
        Unanswered: it is none.
    """
    try:
        found = binding.number(value)
    except binding.NoNumber as error:
        raise Unanswered(f"it returned {error}", board) from error
    if isnan(found):
        raise Unanswered("it returned NaN, which is no number", board)
    return found


def differ(one: NDArray[np.float64], other: NDArray[np.float64], rounding: float = ROUNDING) -> NDArray[np.bool_]:
    """Return where two forms of a heuristic differ: whole numbers at all, others by more than rounding.

    Rounding is relative to the two values, and to the largest there is: what adds up to next to nothing may have been
    the difference of two large numbers.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(one - other)
        size = np.maximum(np.abs(one), np.abs(other))
        largest = size[np.isfinite(size)].max(initial=0)
        is_exact = ((one == np.floor(one)) & (other == np.floor(other))) | ~np.isfinite(apart)
        within = ~is_exact & ((apart <= rounding * size) | (apart <= rounding * NOISE * largest))
    alike: NDArray[np.bool_] = (one == other) | within | (np.isnan(one) & np.isnan(other))
    return ~alike


class HeuristicSurvey(Survey):
    """What a heuristic answers, interpreted, on one board after another of its ground.

    Each is asked about twice, the second time in the opposite order and with tiles that can be written to, and compared
    with what the compiled function says of it.

    Attributes:
        numbers: its values by the numbers of the states, NaN for those not looked at or without a value.
        odd: legal boards that no search meets, looked at besides.
    """

    def __init__(self, on: Estimates) -> None:
        super().__init__()
        self.on = on
        self.numbers = np.full(len(on.ground.space), np.nan)
        self.odd = 0

    def _look_at_all(self) -> Iterator[None]:
        on, space = self.on, self.on.ground.space
        compiled = on.compiled_everywhere
        self._look_at_odd_boards()
        if isinstance(compiled, Unanswered) and (value := on.value_if_any(compiled.board)) is not None:
            self._blame("same-compiled", f"{compiled}; interpreted, it is {as_text(value)}", compiled.board)
        for numbers in on.ground.in_order():
            boards = space.boards(numbers)
            values = self._asked(boards, "")
            self.numbers[numbers] = values
            self.looked += len(boards)
            if isinstance(compiled, Values):
                sign = -1 if on.heuristic.prefer == "high" else 1
                values[~compiled.evaluated[numbers]] = nan
                self._compare(boards, values, sign * compiled.numbers[numbers])
            yield

    def _look_at_odd_boards(self) -> None:
        boards = self.on.ground.odd_boards
        values = self._asked(boards, ODD)
        self.odd = len(boards)
        answered = ~np.isnan(values)
        asked = [board for board, answers in zip(boards, answered, strict=True) if answers]
        if not asked or isinstance(self.on.compiled, CannotCompile):
            return
        try:
            self._compare(asked, values[answered], self.on.compiled_values(asked))
        except Unanswered as error:
            value = values[[board == error.board for board in boards]]
            said = f"; interpreted, it is {as_text(float(value[0]))}" if value.size else ""
            self._blame("same-compiled", f"{error}{said}", error.board)

    def _asked(self, boards: list[Board], kind: str) -> NDArray[np.float64]:
        """Return the values of boards, NaN for none, and note what is wrong with the answers."""
        on = self.on
        values = np.full(len(boards), np.nan)
        for k, board in enumerate(boards):
            try:
                values[k] = on.value(board)
            except Unanswered as error:
                self._blame("answers", f"{error}{kind}", board)
        for k in reversed(range(len(boards))):
            self._ask_again(boards[k], float(values[k]))
        return values

    def _ask_again(self, board: Board, value: float) -> None:
        """Ask about a board once more, with tiles that can be written to."""
        tiles = board.tiles.copy()
        again = nan
        with contextlib.suppress(PluginError), PluginCode():  # what it raises was told when it was first asked
            again = number(self.on.call(tiles, board), board)
        if (tiles != board.tiles).any():
            row, column = np.argwhere(tiles != board.tiles)[0].tolist()
            changed = f"the tile at row {row}, column {column} from {board.tiles[row, column]} to {tiles[row, column]}"
            self._blame("pure", f"it changes {changed}; work on tiles.copy()", board)
            return
        if again != value and isnan(again) != isnan(value):  # it may be a matter of whether tiles can be written to
            answer = self.on.value_if_any(board)
            again = nan if answer is None else answer
        if again != value and not (isnan(again) and isnan(value)):
            self._blame("deterministic", f"{as_text(value)} the first time and {as_text(again)} the second", board)

    def _compare(self, boards: list[Board], values: NDArray[np.float64], compiled: NDArray[np.float64]) -> None:
        """Compare values with compiled ones; boards without a value count as nothing to compare."""
        if "same-compiled" in self.faults:
            return
        for k in np.flatnonzero(differ(compiled, values) & ~np.isnan(values)):
            if self.on.value_if_any(boards[k]) == values[k]:  # else it has no fixed value to compare
                said = (
                    f"{as_text(float(compiled[k]))} compiled, {as_text(float(values[k]))} interpreted ({DIFFERENCES})"
                )
                self._blame("same-compiled", said, boards[k])
                return

    def _blame(self, name: str, said: str, board: Board) -> None:
        self.faults.setdefault(name, failed(said, (f"on this board of {self.on.ground.domain}:", board)))


def as_text(value: float | None) -> str:
    """Return a value as it is told."""
    return "no number" if value is None or isnan(value) else f"{value:.10g}"


class HeuristicEvidence:
    """What is known of a heuristic on all its grounds.

    Args:
        on: the heuristic on each ground.
        others: the same with other parameters, of its own or of its domain, for which there is less time.

    Attributes:
        allow_interpreted: whether it may do without being compiled, as one with a batch form only does.
    """

    def __init__(self, on: list[Estimates], others: list[Estimates], clock: Clock, *, allow_interpreted: bool) -> None:
        self.on, self.others, self.clock = on, others, clock
        for estimates in self.every:
            estimates.evidence = self
        self.allow_interpreted = allow_interpreted or on[0].heuristic.component.function is None

    @property
    def every(self) -> list[Estimates]:
        """All of them."""
        return self.on + self.others

    @cached_property
    def surveys(self) -> list[HeuristicSurvey]:
        """What it answers on each ground, those with other parameters last."""
        for on in self.every:
            for board in on.ground.boards:
                on.value_if_any(board)  # interpreted first: what does not come back compiled cannot be ended
            _ = on.compiled_everywhere, on.ground.order, on.ground.odd_boards, on.compiled
        surveys = [on.survey for on in self.every]
        look_in_turn(surveys[: len(self.on)], self.clock, OWN)
        look_in_turn(surveys[len(self.on) :], self.clock, OTHERS)
        return surveys

    def fault(self, name: str) -> Finding | None:
        """Return what is wrong with one property, None if nothing was found."""
        return next((survey.faults[name] for survey in self.surveys if name in survey.faults), None)

    @property
    def looked(self) -> int:
        """How many states were looked at, interpreted."""
        return sum(survey.looked for survey in self.surveys)

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(len(on.ground.space) for on in self.every)

    @property
    def share(self) -> str:
        """How many of all boards were looked at, in words."""
        odd = sum(survey.odd for survey in self.surveys)
        beside = f" and {odd:,} that no search meets" if odd else ""
        return share_of(self.looked, self.states) + beside

    @property
    def component(self) -> Any:
        """The heuristic's declaration."""
        return self.on[0].heuristic.component

    @property
    def is_score(self) -> bool:
        """Whether higher is better."""
        return self.on[0].heuristic.prefer == "high"

    def grounds(self) -> tuple[str, ...]:
        """Return what it was checked on, in words."""
        own = [on.ground.extent() for on in self.on]
        return (*own, *(f"{on.ground.extent()} ({on.heuristic})" for on in self.others))
