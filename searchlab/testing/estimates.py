"""A heuristic on its grounds: its values interpreted and compiled, each computed once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import binding
from searchlab.errors import PluginCode, in_one_line
from searchlab.search.compiling import CannotCompile
from searchlab.search.state_space import CompiledEstimate, wide_packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from searchlab.board import Board
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.testing.grounds import Ground
    from searchlab.testing.patience import Clock

TIMED = 50_000
"""Calls that are timed compiled."""


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
    """

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

    def values(self, boards: list[Board]) -> dict[Board, float]:
        """Return the values of those of these boards that have one, interpreted."""
        found = {}
        for board in boards:
            try:
                found[board] = self.value(board)
            except Unanswered:
                continue
        return found

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
        space = self.ground.space
        estimate = self._compiled_for(space.packing)
        if isinstance(estimate, CannotCompile):
            return self._signed(*self._interpreted())
        numbers = self._run(estimate, space.states, space.board)
        evaluated = np.arange(len(space)) < estimate.done
        if isnan(numbers[evaluated].sum()):
            board = space.board(int(np.flatnonzero(np.isnan(numbers) & evaluated)[0]))
            self._complain(board)
            msg = "compiled, it is NaN, which is no number"
            raise Unanswered(msg, board)
        return self._signed(numbers, evaluated)

    def _run(self, estimate: CompiledEstimate, states: Any, board_of: Callable[[int], Board]) -> NDArray[np.float64]:
        def unanswered(error: BaseException) -> Unanswered:
            board = board_of(estimate.current)
            try:
                self._complain(board)
            except Unanswered as complaint:
                return complaint
            return Unanswered(f"compiled, it raises {in_one_line(error)}", board)

        with PluginCode(unanswered, ()), self.clock.calling(lambda: board_of(estimate.current)):
            return estimate.values(states, self.clock.until(1 / 5))

    def _complain(self, board: Board) -> None:
        """Raise what the function says of a board, interpreted: that names file and line."""
        self.value(board)

    def _interpreted(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Evaluate what there is time for: first boards near a goal, then boards at random and their successors."""
        space = self.ground.space
        numbers, evaluated = np.full(len(space), np.nan), np.zeros(len(space), bool)
        for order in (space.by_cost, _with_successors(space.successors)):
            goes_on = self.clock.until(1 / 10)
            for state in order:
                if not goes_on():
                    break
                if not evaluated[state]:
                    numbers[state], evaluated[state] = self.value(space.board(int(state))), True
        return numbers, evaluated

    def _signed(self, numbers: NDArray[np.float64], evaluated: NDArray[np.bool_]) -> Values:
        return Values(-numbers if self.heuristic.prefer == "high" else numbers, evaluated)

    def seconds_a_call(self) -> tuple[float, float | None]:
        """Return the processor seconds of a call, interpreted and compiled; None where it does not compile."""
        boards = self.ground.boards
        began = time.process_time()
        self.values(boards)
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


def _with_successors(successors: NDArray[np.int64]) -> Iterator[int]:
    """Yield states at random, each with its successors, so that there are moves between those evaluated."""
    for state in np.random.default_rng(0).permutation(len(successors)):
        yield state
        yield from (other for other in successors[state] if other >= 0)


class HeuristicEvidence:
    """What is known of a heuristic on all its grounds.

    Attributes:
        on: the heuristic on each ground.
        allow_interpreted: whether it may do without being compiled, as one with a batch form only does.
    """

    def __init__(self, on: list[Estimates], clock: Clock, *, allow_interpreted: bool) -> None:
        self.on, self.clock = on, clock
        self.allow_interpreted = allow_interpreted or on[0].heuristic.component.function is None

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
        return tuple(estimates.ground.extent() for estimates in self.on)
