"""A depth-first search below one bound, compiled: the arrays it needs, for either kernel of iterative deepening.

`FramesWalk` keeps the successors of every node on the path (any domain), `InPlaceWalk` one board, which it
changes and changes back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.board import Board
from searchlab.components import extra_parameters
from searchlab.search import inlining
from searchlab.search.compiling import compile_kernel
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import deepening as dp
from searchlab.search.kernels import in_place
from searchlab.search.problem import EvaluationError
from searchlab.search.result import Statistics
from searchlab.search.running import addresses, count, explained, fresh_control, scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.search.compiling import Callee
    from searchlab.search.inlining import InPlaceKernel
    from searchlab.search.machine import Machine
    from searchlab.search.subtrees import Node

FIRST_DEPTHS = 256
ESTIMATES, OUT = 2, 6
"""Where these stand among the arrays by depth."""


@cache
def frames_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(dp.deepening, dp.SIGNATURE, width=width)


def maker(machine: Machine) -> Callable[[], Walk]:
    """Compile what a search needs, and return what makes its walks, one a thread."""
    rules = machine.form.in_place
    if rules is not None and inlining.suits(machine.form) and machine.problem.domain.component.unit_cost:
        kernel = machine.in_place()
        onward = onward_table(rules.neighbors, kernel.bits)
        return lambda: InPlaceWalk(machine, kernel, onward)
    frames_kernel(machine.packing.words)
    step = machine.step()
    machine.callees  # noqa: B018 - compiled before the search begins
    return lambda: FramesWalk(machine, step)


class Walk(ABC):
    """Searches the subtree of one node at a time, slice by slice.

    Attributes:
        control, figures: the kernel's blocks; the counts in them are those of this subtree and bound.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.problem = machine.problem
        self.control = fresh_control(machine)
        self.figures = np.full(ct.FIGURES, inf)
        self.node: Node
        self._use(self._arrays(FIRST_DEPTHS))

    @property
    def expanded(self) -> int:
        """How many nodes of this subtree are expanded."""
        return int(self.control[ct.EXPANDED])

    @property
    def depth(self) -> int:
        """How deep the node is that is being worked on."""
        return int(self.control[ct.CURRENT])

    @property
    def next_bound(self) -> float:
        """The smallest f met beyond the bound."""
        return float(self.figures[ct.NEXT_BOUND])

    @property
    def statistics(self) -> Statistics:
        """What this subtree has taken so far."""
        taken = Statistics(stored=int(self.control[ct.NODES]), peak_bytes=self.held)
        count(taken, self.control, self.figures)
        return taken

    @property
    def held(self) -> int:
        """The bytes of its arrays."""
        return sum(array.nbytes for array in self.arrays)

    def begin(self, node: Node, bound: float) -> None:
        """Set out from a node, which is no goal."""
        self.node = node
        depth = len(node.path) - 1
        while depth + 2 > self.control[ct.DEPTHS]:
            self.grow()
        control = self.control
        control[[ct.EXPANDED, ct.GENERATED, ct.EVALUATED, ct.DEAD_ENDS, ct.NODES]] = 0
        control[ct.CURRENT] = control[ct.ROOT] = depth
        control[ct.ENTERING] = 1
        self.figures[:] = inf
        self.figures[ct.BOUND] = bound
        self._place(node, depth)

    def slice(self, budget: int) -> int:
        """Search until so many nodes are expanded; return the kernel's status.

        Raises:
            EvaluationError: a plugin's function failed.
        """
        try:
            status = self._run(budget)
        except Exception as error:
            raise explained(error, self.problem, self._failing_board()) from error
        if status in (ct.NOT_A_NUMBER, ct.NEGATIVE):
            board = self._failing_board()
            self.problem.checked(self.problem.estimate(board), board)
        return status

    def grow(self) -> None:
        """Make room for paths twice as long."""
        larger = self._arrays(2 * int(self.control[ct.DEPTHS]))
        for new, old in zip(larger, self.arrays, strict=True):
            new[: len(old)] = old
        self._use(larger)

    def _use(self, arrays: Sequence[Any]) -> None:
        """Let the kernel use these arrays by depth."""
        self.arrays = arrays
        self.control[ct.DEPTHS] = len(arrays[1])
        self.addresses = addresses(*self._given(arrays), self.control, self.figures)

    @abstractmethod
    def path(self) -> list[Board]:
        """Return the boards from the start to the node that is being worked on."""

    @abstractmethod
    def _arrays(self, depths: int) -> Sequence[Any]:
        """Return the kernel's arrays by depth; the second has one entry a depth."""

    @abstractmethod
    def _given(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """Return all the kernel's arrays but its blocks, in its order."""

    @abstractmethod
    def _place(self, node: Node, depth: int) -> None:
        """Put a node where the kernel begins."""

    @abstractmethod
    def _run(self, budget: int) -> int:
        """Call the kernel."""

    @abstractmethod
    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""


class FramesWalk(Walk):
    """Keeps the packed successors of every node on the path: for any domain."""

    def __init__(self, machine: Machine, step: Callee) -> None:
        self.width = machine.packing.words
        _, tiles, out_tiles, _, _, moves = scratch(machine)
        self.scratch = tiles, out_tiles, moves
        self.step = step
        self.callees = machine.callee_rows(step)
        super().__init__(machine)

    def _arrays(self, depths: int) -> Sequence[Any]:
        most = self.machine.most
        return (
            np.zeros(depths * self.width, np.uint64),
            np.zeros(depths),
            np.zeros(depths),
            np.zeros(depths, np.uint8),
            np.zeros(depths, np.int64),
            np.zeros(depths, np.int64),
            np.zeros(depths * most * self.width, np.uint64),
            np.zeros(depths * most),
            np.zeros(depths * most, np.uint8),
            np.ones(depths * most),
        )

    def _given(self, arrays: Sequence[Any]) -> Sequence[Any]:
        return (*arrays, *self.scratch, self.callees)

    def _place(self, node: Node, depth: int) -> None:
        path, costs, estimates, over, *_ = self.arrays
        for at in range(max(0, depth - 1), depth + 1):
            path[at * self.width : (at + 1) * self.width] = self.machine.packing.pack(node.path[at])
        costs[depth], estimates[depth], over[depth] = node.g, node.h, node.terminal

    def _run(self, budget: int) -> int:
        try:
            return frames_kernel(self.width)(*self.addresses, budget)
        except Exception:
            self.control[ct.EXPANDED] += 1  # the kernel counts a node once its successors are evaluated
            raise

    def path(self) -> list[Board]:  # noqa: D102 - as above
        width, root, depth = self.width, len(self.node.path), self.depth
        states = self.arrays[0][root * width : (depth + 1) * width].reshape(-1, width)
        return [*self.node.path, *self.machine.packing.unpack(states)]

    def _failing_board(self) -> Board:
        depth, successor = self.depth, int(self.control[ct.SUCCESSOR])
        words, at = (
            (self.arrays[0], depth) if successor < 0 else (self.arrays[OUT], depth * self.machine.most + successor)
        )
        return self.machine.board_of(words[at * self.width : (at + 1) * self.width].copy())


class InPlaceWalk(Walk):
    """Keeps one board and changes it: for domains with moves in place."""

    def __init__(self, machine: Machine, kernel: InPlaceKernel, onward: Any) -> None:
        assert machine.form.in_place is not None
        self.kernel = kernel
        self.rules = machine.form.in_place
        self.onward = onward
        self.cells = np.zeros(machine.packing.cells, np.int64)
        self._failed: Board | None = None
        super().__init__(machine)

    def _arrays(self, depths: int) -> Sequence[Any]:
        estimates = np.zeros(depths, np.int64 if self.kernel.whole else np.float64)
        return np.zeros(depths, np.uint16), np.zeros(depths, np.uint64), estimates

    def _given(self, arrays: Sequence[Any]) -> Sequence[Any]:
        return (self.kernel.params, self.kernel.tables, self.cells, *arrays, self.onward)

    def _place(self, node: Node, depth: int) -> None:
        self.cells[:] = node.board.tiles.ravel()
        _, left, estimates = self.arrays
        place = self._ask(self.rules.place, self.cells)
        neighbors = [to for to in self.rules.neighbors[place].tolist() if to >= 0]
        if depth:
            came_from = self._ask(self.rules.place, node.path[-2].tiles.ravel())
            neighbors.remove(came_from)
        left[depth] = packed_places(neighbors, self.kernel.bits)
        estimates[depth] = node.h
        self.control[ct.PLACE] = place

    def _run(self, budget: int) -> int:
        before = self._state()
        try:
            status: int = self.kernel.call(*self.addresses, budget)
        except Exception:
            self._return_to(before)
            self._approach(budget)
            self._failed = self._go_on_to_failure()
            raise
        return status

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
                self.kernel.call(*self.addresses, middle)
            except Exception:  # noqa: BLE001 - the one that is looked for
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
        return function(*subjects, **{p.name: self.machine.values.get(p.name, p.default) for p in wanted})


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
