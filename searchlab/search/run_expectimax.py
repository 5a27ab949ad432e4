"""Expectimax compiled: the arrays of one thread that looks ahead, and its slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import in_one_line
from searchlab.search.expectimax import Interrupted
from searchlab.search.kernels import expectimax as ex
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from searchlab.board import Board
    from searchlab.bound import Successor
    from searchlab.search.expectimax import LookAhead
    from searchlab.search.expectimax_kernel import ExpectimaxKernel

MOST_DEPTH = ex.STAMPS_A_MOVE - 1
TABLE_BITS = 18
"""The entries of the table of boards, 24 bytes each for boards of one word: they stay in the processor's cache."""
SLICE = 1 << 17
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
        levels, cells = MOST_DEPTH + 1, kernel.packing.cells
        table = np.zeros((1 << table_bits if table_bits else 0) * (width + 2) + 1, np.uint64)
        self._roots = np.zeros((moves, width), np.uint64)
        self._root_terminal = np.zeros(moves, np.uint8)
        self._root_values = np.zeros(moves)
        self._afters = np.zeros((levels, moves, width), np.uint64)
        self._outcomes = np.zeros((levels, chances, width), np.uint64)
        self._control = np.zeros(ex.CONTROLS, np.int64)
        self._control[ex.SLOTS] = 1 << table_bits if table_bits else 0
        self._figures = np.array([look_ahead.cutoff, look_ahead.worth_of_the_dead, look_ahead.won])
        self._arrays: tuple[NDArray[Any], ...] = (
            *(kernel.params, kernel.tables, np.zeros(cells, np.int64)),
            *(np.zeros(max(moves, chances) * cells, np.int64), np.zeros(moves), np.zeros(moves * 64, np.int64)),
            *(self._roots, self._root_terminal, self._root_values, np.zeros((levels, width), np.uint64)),
            *(self._outcomes, np.zeros((levels, chances)), self._afters, np.zeros((levels, moves), np.uint8)),
            *(
                np.zeros((levels, ex.NUMBERS), np.int64),
                np.zeros((levels, ex.VALUES)),
                table,
                table,
                self._control,
                self._figures,
            ),
        )
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
        count, control = len(edges), self._control
        self._roots[:count] = [self._kernel.packing.pack(edge.board) for edge in edges]
        self._root_terminal[:count] = [edge.terminal for edge in edges]
        control[[ex.DEPTH, ex.MOVE, ex.LAST_MOVE, ex.LEVEL]] = depth, 0, count, -1
        control[ex.STAMP] += ex.STAMPS_A_MOVE
        while (status := self._slice()) == ex.BUDGET:
            if not goes_on():
                raise Interrupted
        if status == ex.NOT_A_NUMBER:
            msg = f"heuristic {self._look_ahead.heuristic.name} returned NaN, which is no estimate"
            raise EvaluationError(msg, self._board())
        values: list[float] = self._root_values[:count].tolist()
        return values

    def _slice(self) -> int:
        try:
            status: int = self._kernel.call(*self._addresses, self.tries + SLICE)
        except Exception as error:
            raise EvaluationError(in_one_line(error), self._board()) from error
        return status

    def _board(self) -> Board:
        """Return the board at work when a plugin's function failed."""
        number, of = divmod(int(self._control[ex.JUDGED]), 4)
        boards = {ex.ROOTS: self._roots, ex.OUTCOMES: self._outcomes, ex.AFTERS: self._afters}[of]
        words = boards.reshape(-1, self._kernel.packing.words)[number]
        return self._kernel.packing.unpack(words[None])[0]
