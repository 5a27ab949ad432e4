"""Walks: compiled depth-first searches within a fixed bound, each through the subtree of a node."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.board.board import Board
from searchlab.compiler.adapters import numbers_in
from searchlab.compiler.arrays import addresses, allocate, nbytes, resized
from searchlab.errors import PluginCode, PluginError, in_one_line, shown
from searchlab.model.component import extra_parameters
from searchlab.model.results import Statistics
from searchlab.search.compiled.in_place import packed_places
from searchlab.search.compiled.kernel_run import count, explained, first_numbers, kernel
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.deepening import DeepeningControl, Frames, deepening
from searchlab.search.kernels.in_place import END
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.compiler.machine_code import MachineCode
    from searchlab.search.compiled.in_place import InPlaceKernel
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.compiled.subtrees import TopNode

FIRST_DEPTHS = 256


class Walk(ABC):
    """Searches the subtree of a node, slice by slice.

    Attributes:
        kernel: called with the addresses of the arrays and a budget.
        arrays: the arrays of the kernel; the control record counts the work in this subtree, within this bound.
        node: the root of the subtree.
    """

    arrays: Any
    node: TopNode

    def __init__(self, compiled: CompiledProblem, kernel: Callable[..., int]) -> None:
        self.compiled, self.problem = compiled, compiled.problem
        self.kernel = kernel

    @property
    def control(self) -> DeepeningControl:
        """The state of the walk."""
        control: DeepeningControl = self.arrays.control
        return control

    @property
    def expanded(self) -> int:
        """The number of expanded nodes of this subtree."""
        return self.control.expanded

    @property
    def depth(self) -> int:
        """The depth of the current node."""
        return self.control.current

    @property
    def next_bound(self) -> float:
        """The smallest f met beyond the bound."""
        return self.control.next_bound

    @property
    def statistics(self) -> Statistics:
        """The counts of this subtree so far."""
        control = self.control
        statistics = Statistics(stored=control.nodes, duplicates=control.duplicates, peak_bytes=self.held)
        count(statistics, control)
        return statistics

    @property
    def held(self) -> int:
        """The number of bytes of the arrays whose size depends on the depth."""
        return nbytes(self.arrays, "depths")

    @property
    def reached(self) -> float:
        """The largest f of an entered node, in a search with a rule of thresholds."""
        return self.control.reached

    def begin(self, node: TopNode, most: float) -> None:
        """Begin at a node, which must not be a goal, and follow nodes with an f up to `most`."""
        self.node = node
        depth = len(node.path) - 1
        while depth + 2 > self.control.most_depths:
            self.grow()
        self.control.update(
            **{"expanded": 0, "generated": 0, "evaluated": 0, "dead_ends": 0, "nodes": 0, "best_h": inf},
            **{"current": depth, "root": depth, "entering": 1, "next_bound": inf, "reached": node.g + node.h},
            **{"bound": most, "duplicates": 0, "iteration": self.control.iteration + 1},
        )
        self._place(node, depth)

    def go_on_below(self, most: float) -> None:
        """Leave the goal at which the kernel stopped, and follow nodes with an f up to `most` from now on."""
        self.control.update(bound=most, entering=0)
        self._leave()

    def slice(self, budget: int) -> int:
        """Search until `budget` nodes are expanded; return the status of the kernel.

        Raises:
            EvaluationError: a plugin function failed.
        """
        with PluginCode(self._explained):
            status = self._run(budget)
        if status in (Status.NOT_A_NUMBER, Status.NEGATIVE):
            board = self._failing_board()
            h = self.problem.checked(self.problem.estimate(board), board)
            value = "NaN" if status == Status.NOT_A_NUMBER else "below 0"
            what = f"heuristic {self.problem.heuristic.name}: compiled, or from its parent's value, h is {value}"
            raise EvaluationError(f"{what}; the function itself says {h:g}", board)
        return status

    def grow(self) -> None:
        """Make room for paths twice as long."""
        depths = 2 * self.control.most_depths
        self._use(resized(self.arrays, "depths", depths), depths)

    def _use(self, arrays: Any, depths: int) -> None:
        """Make the kernel use these arrays, which have room for paths of `depths` nodes."""
        self.arrays, self.addresses = arrays, addresses(arrays)
        self.control.most_depths = depths

    def _run(self, budget: int) -> int:
        return self.kernel(*self.addresses, budget)

    @property
    @abstractmethod
    def cost(self) -> float:
        """The cost of the path to the current node."""

    @abstractmethod
    def path(self) -> list[Board]:
        """Return the boards from the start to the current node."""

    @abstractmethod
    def _place(self, node: TopNode, depth: int) -> None:
        """Put the root of a subtree into the arrays of the kernel, at its depth."""

    @abstractmethod
    def _leave(self) -> None:
        """Skip the successors of the current node that are still to be tried."""

    @abstractmethod
    def _note_failure(self) -> None:
        """Update the counts up to the failure of a plugin function."""

    def _explained(self, error: BaseException) -> EvaluationError:
        self._note_failure()
        return explained(error, self.problem, self._failing_board())

    @abstractmethod
    def _failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""


def frames_kernel(compiled: CompiledProblem) -> Callable[..., int]:
    """Return the kernel that keeps the packed successors of every node on the path."""
    frontier = compiled.problem.frontier
    options = {"TABLE": frontier.table > 0, "NOTES_REACHED": frontier.component.thresholds is not None}
    return kernel(deepening, Frames, compiled.packing.words, **{name: True for name, is_on in options.items() if is_on})


class FramesWalk(Walk):
    """A walk that keeps the packed successors of every node on the path; for any domain."""

    arrays: Frames

    def __init__(self, compiled: CompiledProblem, step: MachineCode) -> None:
        super().__init__(compiled, frames_kernel(compiled))
        self.step = step  # kept alive, because the kernel calls it
        places = self.problem.frontier.table
        self._use(
            allocate(
                Frames,
                {**compiled.sizes, "depths": FIRST_DEPTHS, "table": places},
                callees=compiled.callee_rows(step),
                control=first_numbers(DeepeningControl, compiled, table_size=places),
            ),
            FIRST_DEPTHS,
        )

    @property
    def held(self) -> int:  # noqa: D102 - as above, with the table
        return super().held + nbytes(self.arrays, "table")

    def _leave(self) -> None:
        self.arrays.following[self.depth] = self.arrays.counts[self.depth] = 0

    def _place(self, node: TopNode, depth: int) -> None:
        s = self.arrays
        for at in range(max(0, depth - 1), depth + 1):
            s.path[at] = self.compiled.packing.pack(node.path[at])
        s.costs[depth], s.estimates[depth], s.over[depth] = node.g, node.h, node.terminal

    def _note_failure(self) -> None:
        self.control.expanded += 1  # the kernel counts a node once its successors are evaluated

    @property
    def cost(self) -> float:  # noqa: D102 - as above
        return float(self.arrays.costs[self.depth])

    def path(self) -> list[Board]:  # noqa: D102 - as above
        states = self.arrays.path[len(self.node.path) : self.depth + 1]
        return [*self.node.path, *self.compiled.packing.unpack(states)]

    def _failing_board(self) -> Board:
        s, depth, successor = self.arrays, self.depth, self.control.successor
        return self.compiled.board_of((s.path[depth] if successor < 0 else s.out[depth, successor]).copy())


class InPlaceWalk(Walk):
    """A walk that changes and restores a single board; for domains with moves in place."""

    def __init__(self, compiled: CompiledProblem, kernel: InPlaceKernel) -> None:
        super().__init__(compiled, kernel.call)
        assert compiled.form.in_place is not None
        self.in_place = kernel
        self.rules = compiled.form.in_place
        self._failed: Board | None = None
        self._arguments: dict[Callable[..., Any], dict[str, Any]] = {}
        self._before: tuple[list[Any], int]
        self._use(
            allocate(
                kernel.takes,
                {**compiled.sizes, "depths": FIRST_DEPTHS},
                params=kernel.params,
                tables=kernel.tables,
                onward=kernel.onward,
                control=first_numbers(DeepeningControl, compiled),
            ),
            FIRST_DEPTHS,
        )

    def _place(self, node: TopNode, depth: int) -> None:
        s = self.arrays
        s.cells[:] = node.board.tiles.ravel()
        place = self._place_of(s.cells)
        neighbors = [to for to in self.rules.neighbors[place].tolist() if to >= 0]
        if depth:
            came_from = self._place_of(node.path[-2].tiles.ravel())
            neighbors = [to for to in neighbors if to != came_from]
        s.frames["left"][depth] = packed_places(neighbors, self.in_place.bits)
        s.frames["estimate"][depth] = node.h
        if self.in_place.carries:
            if node.carried is None:
                node.carried = numbers_in(self.compiled.carried(node.board))
            s.frames["carried"][depth] = node.carried
        self.control.place = place

    def _leave(self) -> None:
        self.arrays.frames["left"][self.depth] = END

    def _run(self, budget: int) -> int:
        self._before = self._state(), budget
        return super()._run(budget)

    def _note_failure(self) -> None:
        before, budget = self._before
        self._return_to(before)
        self._repeat_until_failure(budget)
        self._failed = self._go_on_to_failure()

    def _changing_arrays(self) -> list[Any]:
        """Return the arrays that the kernel changes."""
        s = self.arrays
        return [s.cells, s.frames, s.control.block]

    def _state(self) -> list[Any]:
        return [array.copy() for array in self._changing_arrays()]

    def _return_to(self, state: list[Any]) -> None:
        for array, earlier in zip(self._changing_arrays(), state, strict=True):
            array[:] = earlier

    def _repeat_until_failure(self, budget: int) -> None:
        """Repeat the search up to the last expansion before a plugin function fails.

        Thanks to this, the kernel can keep its counts in registers while it searches.
        """
        reached, fails = self._state(), budget
        while fails - self.expanded > 1:
            middle = (self.expanded + fails) // 2
            try:
                with PluginCode():
                    self.kernel(*self.addresses, middle)
            except PluginError:  # the failure is before `middle`
                self._return_to(reached)
                fails = middle
            else:
                reached = self._state()
                if self.expanded < middle:
                    return  # the function fails only sometimes

    def _go_on_to_failure(self) -> Board:
        """Continue in Python to the board on which a plugin function fails, and count as the kernel does."""
        problem, control, s = self.problem, self.control, self.arrays
        depth, place = self.depth, control.place
        if control.entering:
            control.expanded += 1
            control.nodes = max(control.nodes, depth + 1)
        while True:
            word = int(s.frames["left"][depth])
            if word == END:
                if depth == control.root:
                    return self._board()
                depth -= 1
                self._call_rule(self.rules.make, s.cells, place, int(s.frames["place"][depth]))
                place = int(s.frames["place"][depth])
                continue
            to, s.frames["left"][depth] = word & ((1 << self.in_place.bits) - 1), word >> self.in_place.bits
            control.generated += 1
            self._call_rule(self.rules.make, s.cells, place, to)
            board = self._board()
            try:
                h = problem.estimate(board) if problem.estimates else 0.0
            except EvaluationError:
                return board
            control.evaluated += problem.estimates
            if depth + 1 + h <= control.bound:
                return board  # the goal test fails
            control.dead_ends += h == inf
            self._call_rule(self.rules.make, s.cells, to, place)

    @property
    def cost(self) -> float:  # noqa: D102 - as above; every move costs 1
        return float(self.depth)

    def path(self) -> list[Board]:  # noqa: D102 - as above
        return [*self.node.path, *self._boards_since(self.arrays.cells.copy(), self.control.place)]

    def _boards_since(self, cells: Any, place: int) -> list[Board]:
        """Return the boards after the root, found by undoing the moves."""
        boards = []
        for depth in range(self.depth, len(self.node.path) - 1, -1):
            boards.append(self._board_of(cells))
            before = int(self.arrays.frames["place"][depth - 1])
            self._call_rule(self.rules.make, cells, place, before)
            place = before
        return boards[::-1]

    def _failing_board(self) -> Board:
        if self._failed is None and self.in_place.incremental:
            self._call_rule(self.rules.make, self.arrays.cells, self.control.place, self.control.successor)
        return self._failed or self._board()

    def _board(self) -> Board:
        return self._board_of(self.arrays.cells)

    def _board_of(self, cells: Any) -> Board:
        packing = self.compiled.packing
        return Board(cells.reshape(packing.shape), packing.is_signed)

    def _call_rule(self, function: Callable[..., Any], *subjects: Any) -> Any:
        arguments = self._arguments.get(function)
        if arguments is None:
            wanted, values = extra_parameters(function, len(subjects)), self.compiled.values
            arguments = self._arguments[function] = {p.name: values.get(p.name, p.default) for p in wanted}

        def failed(error: BaseException) -> PluginError:
            name = getattr(function, "__name__", "its function")
            return PluginError(f"{self.problem.domain.name}: {name} failed: {in_one_line(error)}")

        with PluginCode(failed):
            return function(*subjects, **arguments)

    def _place_of(self, cells: Any) -> int:
        """Return the place of a board, after checking it, because the kernel relies on it."""
        place, places = self._call_rule(self.rules.place, cells), len(self.rules.neighbors)
        if not isinstance(place, int | np.integer) or not 0 <= place < places:
            name = self.problem.domain.name
            raise PluginError(f"{name}: InPlace.place returned {shown(place)}, which is not one of {places} places")
        return int(place)
