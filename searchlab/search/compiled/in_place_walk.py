"""A depth-first search below one bound on one board, which it changes and changes back: the arrays it needs."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, in_one_line, shown
from searchlab.model.component import extra_parameters
from searchlab.search.compiled.walks import Walk
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import in_place
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.search.compiled.inlining import InPlaceKernel
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.compiled.subtrees import Node


class InPlaceWalk(Walk):
    """Keeps one board and changes it: for domains with moves in place."""

    def __init__(self, machine: CompiledProblem, kernel: InPlaceKernel, onward: Any) -> None:
        assert machine.form.in_place is not None
        self.kernel = kernel
        self.rules = machine.form.in_place
        self.onward = onward
        self.cells = np.zeros(machine.packing.cells, np.int64)
        self._failed: Board | None = None
        self._before: tuple[list[Any], int]
        super().__init__(machine)

    def _arrays(self, depths: int) -> Sequence[Any]:
        estimates = np.zeros(depths, np.int64 if self.kernel.whole else np.float64)
        return np.zeros(depths, np.uint16), np.zeros(depths, np.uint64), estimates

    def _given(self, arrays: Sequence[Any]) -> Sequence[Any]:
        return (self.kernel.params, self.kernel.tables, self.cells, *arrays, self.onward)

    def _place(self, node: Node, depth: int) -> None:
        self.cells[:] = node.board.tiles.ravel()
        _, left, estimates = self.arrays
        place = self._place_of(self.cells)
        neighbors = [to for to in self.rules.neighbors[place].tolist() if to >= 0]
        if depth:
            came_from = self._place_of(node.path[-2].tiles.ravel())
            neighbors = [to for to in neighbors if to != came_from]
        left[depth] = packed_places(neighbors, self.kernel.bits)
        estimates[depth] = node.h
        self.control[ct.PLACE] = place

    def _run(self, budget: int) -> int:
        self._before = self._state(), budget
        status: int = self.kernel.call(*self.addresses, budget)
        return status

    def _note_failure(self) -> None:
        before, budget = self._before
        self._return_to(before)
        self._approach(budget)
        self._failed = self._go_on_to_failure()

    def _state(self) -> list[Any]:
        """Return a copy of all that the kernel changes."""
        return [array.copy() for array in (self.cells, *self.arrays, self.control, self.figures)]

    def _return_to(self, state: list[Any]) -> None:
        for array, earlier in zip((self.cells, *self.arrays, self.control, self.figures), state, strict=True):
            array[:] = earlier

    def _approach(self, budget: int) -> None:
        """Search again to the last expansion before a plugin's function fails.

        In exchange for this, what the kernel counts need not be in memory while it searches.
        """
        reached, fails = self._state(), budget
        while fails - self.expanded > 1:
            middle = (self.expanded + fails) // 2
            try:
                with PluginCode():
                    self.kernel.call(*self.addresses, middle)
            except PluginError:  # the one that is looked for
                self._return_to(reached)
                fails = middle
            else:
                reached = self._state()
                if self.expanded < middle:
                    return  # a function that fails only sometimes

    def _go_on_to_failure(self) -> Board:
        """Search on in Python to the board on which a plugin's function fails, and count as the kernel does."""
        problem, control, (places, left, _) = self.problem, self.control, self.arrays
        depth, place = self.depth, int(control[ct.PLACE])
        if control[ct.ENTERING]:
            control[ct.EXPANDED] += 1
            control[ct.NODES] = max(control[ct.NODES], depth + 1)
        while True:
            word = int(left[depth])
            if word == in_place.END:
                if depth == control[ct.ROOT]:
                    return self._board()
                depth -= 1
                self._ask(self.rules.make, self.cells, place, int(places[depth]))
                place = int(places[depth])
                continue
            to, left[depth] = word & ((1 << self.kernel.bits) - 1), word >> self.kernel.bits
            control[ct.GENERATED] += 1
            self._ask(self.rules.make, self.cells, place, to)
            board = self._board()
            try:
                h = problem.estimate(board) if problem.estimates else 0.0
            except EvaluationError:
                return board
            control[ct.EVALUATED] += problem.estimates
            if depth + 1 + h <= self.figures[ct.BOUND]:
                return board  # the test for a goal failed
            control[ct.DEAD_ENDS] += h == inf
            self._ask(self.rules.make, self.cells, to, place)

    @property
    def cost(self) -> float:  # noqa: D102 - as above; every move costs 1
        return float(self.depth)

    def path(self) -> list[Board]:  # noqa: D102 - as above
        return [*self.node.path, *self._boards_since(self.cells.copy(), int(self.control[ct.PLACE]))]

    def _boards_since(self, cells: Any, place: int) -> list[Board]:
        """Return the boards after the node, found by taking the moves back."""
        boards = []
        for depth in range(self.depth, len(self.node.path) - 1, -1):
            boards.append(Board(cells.reshape(self.machine.packing.shape)))
            before = int(self.arrays[0][depth - 1])
            self._ask(self.rules.make, cells, place, before)
            place = before
        return boards[::-1]

    def _failing_board(self) -> Board:
        if self._failed is None and self.kernel.follows:
            self._ask(self.rules.make, self.cells, int(self.control[ct.PLACE]), int(self.control[ct.SUCCESSOR]))
        return self._failed or self._board()

    def _board(self) -> Board:
        return Board(self.cells.reshape(self.machine.packing.shape))

    def _ask(self, function: Callable[..., Any], *subjects: Any) -> Any:
        """Call one of the domain's functions in Python."""
        wanted = extra_parameters(function, len(subjects))
        what = f"{self.problem.domain.name}: {getattr(function, '__name__', 'its function')} failed"
        with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}")):
            return function(*subjects, **{p.name: self.machine.values.get(p.name, p.default) for p in wanted})

    def _place_of(self, cells: Any) -> int:
        """Return the place of a board, which the kernel takes as it is."""
        place, places = self._ask(self.rules.place, cells), len(self.rules.neighbors)
        if not isinstance(place, int | np.integer) or not 0 <= place < places:
            name = self.problem.domain.name
            raise PluginError(f"{name}: InPlace.place returned {shown(place)}, which is not one of {places} places")
        return int(place)


def onward_table(neighbors: Any, bits: int) -> Any:
    """Return the places to be tried after each move, by place and the place it leads to, as the kernel packs them."""
    places = len(neighbors)
    table = np.zeros((places, places), np.uint64)
    for place, reached in enumerate(neighbors.tolist()):
        for to in reached:
            if to >= 0:
                further = [k for k in neighbors[to].tolist() if k >= 0 and k != place]
                table[place, to] = packed_places(further, bits)
    return table.ravel()


def packed_places(places: list[int], bits: int) -> int:
    """Return places in fields of so many bits, the first lowest, and above them a 1."""
    word = 1
    for place in reversed(places):
        word = word << bits | place
    return word
