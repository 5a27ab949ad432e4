"""Expectimax compiled: the arrays of one thread that looks ahead, and its slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, in_one_line
from searchlab.games.kernels import expectimax as ex
from searchlab.games.look_ahead import Interrupted
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.domain import Successor
    from searchlab.board.board import Board
    from searchlab.games.expectimax_kernel import ExpectimaxKernel
    from searchlab.games.look_ahead import LookAhead

TABLE_BITS = 18
"""The entries of the table of boards, 24 bytes each for boards of one word: they stay in the processor's cache."""
SLICE = 1 << 15
"""Swipes between two looks at the clock."""


class CompiledExplorer:
    """Looks ahead in one thread.

    Args:
        kernel: compiled for the boards' shape.
        look_ahead: what is computed.
        table_bits: of the table of boards whose values are known; 0 for none.

    Attributes:
        tries: moves tried so far, those that change nothing included.
        found: boards whose value was known.
    """

    def __init__(self, kernel: ExpectimaxKernel, look_ahead: LookAhead, table_bits: int = TABLE_BITS) -> None:
        self._kernel = kernel
        self._look_ahead = look_ahead
        width, moves, chances = kernel.packing.words, kernel.most_moves, kernel.most_chances
        levels, cells = ex.STAMPS_A_MOVE, kernel.packing.cells
        slots = 1 << table_bits if table_bits else 0
        table = np.zeros(slots * (width + 2) + 1, np.uint64)
        self._outcomes = np.zeros((levels, chances, width), np.uint64)
        self._afters = np.zeros((levels, moves, width), np.uint64)
        self._terminal = np.zeros((levels, moves), np.uint8)
        self._numbers = np.zeros((levels, ex.NUMBERS), np.int64)
        self._values = np.ones((levels, ex.VALUES))
        self._answers = np.zeros(moves)
        self._control = np.zeros(ex.CONTROLS, np.int64)
        self._control[ex.SLOTS] = slots
        figures = np.array([look_ahead.cutoff, look_ahead.worth_of_the_dead, look_ahead.worth_of_a_goal])
        scratch: tuple[NDArray[Any], ...] = (
            np.zeros(cells, np.int64),
            np.zeros(max(moves, chances) * cells, np.int64),
            np.zeros(moves),
            np.zeros(moves * max(1, kernel.described), np.int64),
        )
        by_level: tuple[NDArray[Any], ...] = (
            np.zeros((levels, width), np.uint64),
            self._outcomes,
            np.zeros((levels, chances)),
            self._afters,
            self._terminal,
            np.zeros((levels, moves)),
            self._numbers,
            self._values,
        )
        found: tuple[NDArray[Any], ...] = (self._answers, table, table, self._control, figures)
        self._arrays: tuple[NDArray[Any], ...] = (kernel.params, kernel.tables, *scratch, *by_level, *found)
        self._addresses = [array.ctypes.data for array in self._arrays]

    @property
    def tries(self) -> int:
        """Moves tried so far, those that change nothing included."""
        return int(self._control[ex.TRIES])

    @property
    def found(self) -> int:
        """Boards so far whose value was known already."""
        return int(self._control[ex.FOUND])

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves; as `ReadableExplorer.values`."""
        count = len(edges)
        self._afters[0, :count] = self._kernel.packing.pack_all([edge.board for edge in edges])
        self._terminal[0, :count] = [edge.terminal for edge in edges]
        self._numbers[0, ex.MOVES], self._numbers[0, ex.MOVE_AT] = count, 0  # one by one is faster than by a list
        self._values[0] = 1.0
        self._control[ex.DEPTH], self._control[ex.LEVEL] = depth, 0
        while (status := self._slice()) == ex.BUDGET:
            if not goes_on():
                raise Interrupted
        if status == ex.NOT_A_NUMBER:
            msg = f"heuristic {self._look_ahead.heuristic.name} returned NaN, which is no estimate"
            raise EvaluationError(msg, self._board())
        values: list[float] = self._answers[:count].tolist()
        return values

    def _slice(self) -> int:
        with PluginCode(lambda error: EvaluationError(in_one_line(error), self._board())):
            status: int = self._kernel.call(*self._addresses, self.tries + SLICE)
            return status

    def _board(self) -> Board:
        """Return the board at work when a plugin's function failed."""
        number, of = divmod(int(self._control[ex.JUDGED]), 2)
        boards = self._afters if of == ex.AFTERS else self._outcomes
        words = boards.reshape(-1, self._kernel.packing.words)[number]
        return self._kernel.packing.unpack(words[None])[0]
