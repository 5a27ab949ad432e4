"""InterpretedForm: call the functions of a packed form with boards, as plain Python.

A domain that has only rules for the compiled engine can then be searched by the readable one, too. The functions get
the same arguments from both: arrays to write to, and everything else by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.bound import fill_arguments
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.component import extra_parameters
from searchlab.model.formatting import counted
from searchlab.model.randomness import state_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from searchlab.model.packed import PackedForm
    from searchlab.model.randomness import Randomness

LISTED = {"successors": "successor", "inverse": "predecessor"}
"""The kinds of states that functions list, by field."""
ROOM_TRIED = 1000
"""The additional room for states when testing whether a function writes too many."""
UNWRITTEN = np.iinfo(np.int64).min
"""The content of cells before a function writes them; no tile is that small."""


@dataclass(frozen=True)
class Written:
    """A state that a function listed.

    Attributes:
        board: the state.
        cost: the cost of the move, an integer if it is whole.
        terminal: whether the move ends the game.
        points: the points of the move.
    """

    board: Board
    cost: float
    terminal: bool
    points: float


@dataclass(frozen=True)
class InterpretedForm:
    """A packed form whose functions of tiles can be called with boards.

    Attributes:
        owner: the name of the domain in error messages.
        form: the packed form.
        names: the available arguments by name.
    """

    owner: str
    form: PackedForm
    names: Mapping[str, Any]

    def successors(self, board: Board) -> Iterator[Written]:
        """Yield the successors of a board."""
        if self.form.successors is None:
            raise self._wrong("it needs successors(board): its packed form has successors only on words, not on tiles")
        yield from self.listed("successors", self.form.successors, self.form.max_successors, board)

    def listed(self, field: str, function: Callable[..., int], most: int, board: Board) -> Iterator[Written]:
        """Yield the states that a function like `successors` lists for a board.

        Args:
            field: the domain's field for the function, for error messages.
            most: the largest number of states that the form declares.

        Raises:
            PluginError: the function fails, or writes invalid data.
        """
        try:
            written = self._written(field, function, most, board)
        except PluginError as error:
            if isinstance(error.__cause__, IndexError):
                self._check_room(field, function, most, board)
            raise
        yield from written

    def _written(self, field: str, function: Callable[..., int], most: int, board: Board) -> list[Written]:
        """Return the states that a function listed, with room for `most`."""
        out = np.full((most, *board.shape), UNWRITTEN)
        costs, terminal, points = np.ones(most), np.zeros(most, np.uint8), np.zeros(most)
        moves = np.zeros((most, max(1, len(self.form.move))), np.int64)
        arrays = {"costs": costs, "terminal": terminal, "points": points, "moves": moves, "chosen": None}
        count = self._called(field, function, board, out, **arrays)
        boards = self._boards(field, out, count, most)
        return [
            Written(after, _number(costs[k]), bool(terminal[k]), _number(points[k])) for k, after in enumerate(boards)
        ]

    def _check_room(self, field: str, function: Callable[..., int], most: int, board: Board) -> None:
        """Raise a PluginError if a function lists more than `most` states once there is room for them."""
        try:
            count = len(self._written(field, function, most + ROOM_TRIED, board))
        except PluginError:
            return  # the first error is reported
        if count > most:
            raise self._wrong(self._too_small(field, most, count))

    def _too_small(self, field: str, most: int, count: int) -> str:
        found = counted(count, LISTED[field])
        return f"max_successors={most:,} of its packed form is too small: this board has {found}"

    def is_goal(self, board: Board) -> Any:
        """Return the result of the goal test for a board."""
        if self.form.is_goal is None:
            raise self._wrong("it needs is_goal(board): its packed form has is_goal only on words, not on tiles")
        return self._called("is_goal", self.form.is_goal, board)

    def events(self, board: Board) -> Iterator[tuple[Board, float]]:
        """Yield the board after each event, and its probability."""
        function, most = self.form.chances, self.form.most_chances
        if function is None:
            raise self._wrong("its Chance has no events, so its packed form needs chances(tiles, out, probabilities)")
        out, probabilities = np.full((most, *board.shape), UNWRITTEN), np.zeros(most)
        count = self._called("chances", function, board, out, probabilities)
        yield from zip(self._boards("chances", out, count, most), probabilities.tolist(), strict=False)

    def drawn(self, board: Board, random: Randomness) -> Board | None:
        """Return the board after the event drawn by the next random numbers, or None if nothing can happen."""
        function = self.form.draws
        if function is None:
            raise self._wrong("its Chance has no draw, so its packed form needs draws(tiles, out, random)")
        out, words = np.full((1, *board.shape), UNWRITTEN), words_of(random)
        count = self._called("draws", function, board, out, words)
        random.state = state_of(words)
        return next(iter(self._boards("draws", out, count, 1)), None)

    def _called(self, field: str, function: Callable[..., Any], board: Board, *written: Any, **arrays: Any) -> Any:
        """Call one of the functions, with integers wrapping around as in compiled code."""
        if function not in self._filled:
            self._filled[function] = fill_arguments(self.owner, function, 1 + len(written), arrays, self.names)
        filled = self._filled[function]
        arguments = {**filled, **{name: array for name, array in arrays.items() if name in filled}}
        failed = PluginCode(partial(self._failed, field))
        with failed, np.errstate(divide="raise", invalid="raise", over="ignore"):
            return function(board.tiles, *written, **arguments)

    @cached_property
    def _filled(self) -> dict[Callable[..., Any], dict[str, Any]]:
        """The arguments of each function by name."""
        return {}

    def _boards(self, field: str, out: NDArray[np.int64], count: Any, most: int) -> list[Board]:
        """Return the boards that a function says it wrote."""
        with PluginCode(lambda _: self._wrong(f"{field} returned {shown(count)}, not the number of boards it wrote")):
            number = index(count)
        if number > most and field in LISTED:
            raise self._wrong(self._too_small(field, most, number))
        if not 0 <= number <= most:
            raise self._wrong(f"{field} returned {number:,} as the number of boards it wrote, not 0 to {most:,}")
        for k in range(number):
            row, column = np.unravel_index(int(out[k].argmin()), out[k].shape)
            if out[k, row, column] == UNWRITTEN:
                raise self._wrong(f"{field} wrote nothing to out[{k}, {row}, {column}]")
        with PluginCode(lambda error: self._wrong(f"{field} wrote an impossible board: {in_one_line(error)}")):
            return [Board(tiles, self.form.is_signed) for tiles in out[:number]]

    def _failed(self, field: str, error: BaseException) -> PluginError:
        return self._wrong(f"{field} failed: {in_one_line(error)}")

    def _wrong(self, what: str) -> PluginError:
        return PluginError(f"{self.owner}: {what}")


def asks_for_points(function: Callable[..., int] | None) -> bool:
    """Return whether a successor function of a packed form also writes the points of moves."""
    return function is not None and any(parameter.name == "points" for parameter in extra_parameters(function, 2))


def _number(value: Any) -> float:
    """Return a floating-point number as an int where it is one."""
    return int(value) if float(value).is_integer() else float(value)
