"""A depth-first search below one bound, compiled: the arrays it needs and what they say, for any domain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arguments import has_plain_moves
from searchlab.compiler.arrays import addresses
from searchlab.compiler.functions import compile_kernel
from searchlab.errors import PluginCode
from searchlab.model.results import Statistics
from searchlab.search.compiled.kernel_run import explained
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import deepening as dp
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.board.board import Board
    from searchlab.compiler.functions import Callee
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.compiled.subtrees import Node

FIRST_DEPTHS = 256
COSTS, ESTIMATES, OUT = 1, 2, 6
"""Where these stand among the arrays by depth."""


@cache
def frames_kernel(width: int) -> Callable[..., int]:
    """Return the kernel as machine code, for states of so many words."""
    return compile_kernel(dp.deepening, dp.SIGNATURE, width=width)


class Walk(ABC):
    """Searches the subtree of one node at a time, slice by slice.

    Attributes:
        control, figures: the kernel's blocks; the counts in them are those of this subtree and bound.
    """

    def __init__(self, machine: CompiledProblem) -> None:
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
        with PluginCode(self._explained):
            status = self._run(budget)
        if status in (ct.NOT_A_NUMBER, ct.NEGATIVE):
            board = self._failing_board()
            h = self.problem.checked(self.problem.estimate(board), board)
            value = "NaN" if status == ct.NOT_A_NUMBER else "below 0"
            what = f"heuristic {self.problem.heuristic.name}: compiled, or from its parent's value, h is {value}"
            raise EvaluationError(f"{what}; the function itself says {h:g}", board)
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
        self.addresses = addresses((*self._given(arrays), self.control, self.figures))

    @property
    @abstractmethod
    def cost(self) -> float:
        """What the path to the node costs that is being worked on."""

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
    def _note_failure(self) -> None:
        """Bring what is counted up to where a plugin's function failed."""

    def _explained(self, error: BaseException) -> EvaluationError:
        self._note_failure()
        return explained(error, self.problem, self._failing_board())

    @abstractmethod
    def _failing_board(self) -> Board:
        """Return the board that was being worked on when a plugin's function failed."""


class FramesWalk(Walk):
    """Keeps the packed successors of every node on the path: for any domain."""

    def __init__(self, machine: CompiledProblem, step: Callee) -> None:
        self.width = machine.packing.words
        _, tiles, out_tiles, _, _, moves = scratch(machine)
        self.scratch = tiles, out_tiles, moves
        self.step = step
        self.callees = machine.callee_rows(step)
        super().__init__(machine)

    def _arrays(self, depths: int) -> Sequence[Any]:
        most = self.machine.most_successors
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
        return frames_kernel(self.width)(*self.addresses, budget)

    def _note_failure(self) -> None:
        self.control[ct.EXPANDED] += 1  # the kernel counts a node once its successors are evaluated

    @property
    def cost(self) -> float:  # noqa: D102 - as above
        return float(self.arrays[COSTS][self.depth])

    def path(self) -> list[Board]:  # noqa: D102 - as above
        width, root, depth = self.width, len(self.node.path), self.depth
        states = self.arrays[0][root * width : (depth + 1) * width].reshape(-1, width)
        return [*self.node.path, *self.machine.packing.unpack(states)]

    def _failing_board(self) -> Board:
        depth, successor = self.depth, int(self.control[ct.SUCCESSOR])
        words, at = (
            (self.arrays[0], depth)
            if successor < 0
            else (self.arrays[OUT], depth * self.machine.most_successors + successor)
        )
        return self.machine.board_of(words[at * self.width : (at + 1) * self.width].copy())


def scratch(compiled: CompiledProblem) -> tuple[Any, ...]:
    """Return the arrays an expansion works in."""
    cells, most = compiled.packing.cells, compiled.most_successors
    return (
        np.zeros(most * compiled.packing.words, np.uint64),
        np.zeros(cells, np.int64),
        np.zeros(most * cells, np.int64),
        np.zeros(most, np.uint8),
        np.ones(most),
        np.zeros(most * max(1, len(compiled.form.move)), np.int64),
    )


def fresh_control(compiled: CompiledProblem) -> Any:
    """Return the control block of a walk."""
    problem = compiled.problem
    control = np.zeros(ct.CONTROLS, np.int64)
    control[ct.WIDTH], control[ct.MOST_SUCCESSORS] = compiled.packing.words, compiled.most_successors
    control[ct.ESTIMATES] = problem.estimates
    control[ct.SIGN] = problem.sign
    control[ct.PLAIN_MOVES] = has_plain_moves(compiled.form)
    return control


def count(statistics: Statistics, control: Any, figures: Any) -> None:
    """Copy the counts."""
    statistics.expanded = int(control[ct.EXPANDED])
    statistics.generated = int(control[ct.GENERATED])
    statistics.evaluated = int(control[ct.EVALUATED])
    statistics.dead_ends = int(control[ct.DEAD_ENDS])
    statistics.best_h = float(figures[ct.BEST_H])
