"""Evaluate many boards in Python: by the batch form of a heuristic, or each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab.binding.heuristic import by_shape
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.model.states import is_board
from searchlab.search.problem import EvaluationError, estimate_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

PIECE = 64
"""The number of boards that are evaluated between two checks of the time limit and of Ctrl-C."""


def estimate_states(problem: Problem, boards: Sequence[State], watch: Watch) -> list[float]:
    """Return h of each state; lower is better, infinite means a dead end.

    Raises:
        EvaluationError: the heuristic failed on a state, or returned a value that is not a number.
        PluginError: the batch form did not return a number for each board.
        Stopped: a limit was reached or Ctrl-C pressed meanwhile.
    """
    if len(boards) == 1:
        return [problem.estimator(boards[0])]
    if boards and not is_board(boards[0]):
        return _one_by_one(problem, boards, watch)
    estimates = [0.0] * len(boards)
    for of_shape in by_shape(boards).values():
        values = estimate_tiles(problem, np.stack([boards[k].tiles for k in of_shape]), watch)
        for k, value in zip(of_shape, values.tolist(), strict=True):
            estimates[k] = value
    return estimates


def _one_by_one(problem: Problem, states: Sequence[State], watch: Watch) -> list[float]:
    estimates = []
    for number, state in enumerate(states):
        if number % PIECE == 0:
            watch.check()
        estimates.append(problem.estimator(state))
    return estimates


def estimate_tiles(problem: Problem, tiles: NDArray[np.int64], watch: Watch) -> NDArray[np.float64]:
    """Return h of k boards of one shape, shape (k,); raises the same exceptions as `estimate_boards`.

    Args:
        tiles: shape (k, rows, columns); must not be written to afterwards.
    """
    if problem.heuristic.component.batch:
        return _estimates(problem, tiles)
    estimates = np.empty(len(tiles))
    for first in range(0, len(tiles), PIECE):
        watch.check()
        estimates[first : first + PIECE] = _estimates(problem, tiles[first : first + PIECE])
    return estimates


def _estimates(problem: Problem, tiles: NDArray[np.int64]) -> NDArray[np.float64]:
    h = problem.sign * values_of_tiles(problem.heuristic, tiles)
    wrong = np.isnan(h)
    if wrong.any():
        problem.checked(float("nan"), Board(tiles[wrong.argmax()], signed=True))
    return h


def values_of_tiles(heuristic: BoundHeuristic, tiles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a heuristic's values of k boards of one shape, shape (k,); for a score, more is better.

    Args:
        tiles: shape (k, rows, columns); must not be written to afterwards.

    Raises:
        EvaluationError: the heuristic failed on a board, or returned a value that is not a number.
    """
    with PluginCode(lambda error: _explained(error, heuristic, tiles)):
        return heuristic.evaluate_tiles(tiles)


def _explained(error: BaseException, heuristic: BoundHeuristic, tiles: NDArray[np.int64]) -> EvaluationError:
    """Return the EvaluationError of a heuristic, with the board that causes it, found by bisection."""
    failing = tiles
    while len(failing) > 1:
        middle = len(failing) // 2
        halves = ((half, _failure(heuristic, half)) for half in (failing[:middle], failing[middle:]))
        half, why = next(((half, why) for half, why in halves if why), (failing, None))
        if why is None:
            break
        failing, error = half, why
    what = f"heuristic {heuristic.name}: {in_one_line(error)}"
    if len(failing) > 1:
        what += f"; none of the {len(tiles)} boards fails alone, the first is shown"
    elif heuristic.component.batch is None:
        try:
            estimate_of(heuristic, Board(failing[0], signed=True))
        except EvaluationError as explained:  # names the value, too, if it is not a number
            return explained
    return EvaluationError(what, Board(failing[0], signed=True))


def _failure(heuristic: BoundHeuristic, tiles: NDArray[np.int64]) -> BaseException | None:
    """Return the exception that a heuristic raises for these boards, or None."""
    try:
        with PluginCode():
            heuristic.evaluate_tiles(tiles)
    except PluginError as error:
        return error.__cause__ or error
    return None
