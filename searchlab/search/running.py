"""What calling a kernel slice by slice takes, whatever its family.

Between slices Python checks limits, grows tables and moves the progress. A slice is as many expansions as take
about 20 ms, whatever the heuristic costs, so that Ctrl-C is prompt.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.kernels import best_first as bf
from searchlab.search.kernels import open_list
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from searchlab.board import Board
    from searchlab.search.limits import Watch
    from searchlab.search.machine import Machine
    from searchlab.search.problem import Problem
    from searchlab.search.result import Statistics

SLICE_SECONDS = 0.02
LARGEST_STEP = 8.0
"""So many times longer than the last a slice may be."""
CONTAINERS = {"heap": open_list.HEAP, "fifo": open_list.FIFO, "lifo": open_list.LIFO}


class Slices:
    """How many expansions the next slice may have, from how long the last one took."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._expansions = 1
        self._began = 0.0

    def budget(self, expanded: int, allowed: int) -> int:
        """Return the total of expansions at which the next slice ends."""
        self._began = time.perf_counter()
        return min(expanded + min(self._expansions, allowed), self._watch.expansions)

    def done(self) -> None:
        """Note that the slice is over."""
        seconds = max(time.perf_counter() - self._began, 1e-6)
        self._expansions = max(1, int(self._expansions * min(LARGEST_STEP, SLICE_SECONDS / seconds)))


def addresses(*arrays: Any) -> tuple[int, ...]:
    """Return where arrays begin, as kernels take them; the arrays must be kept while a kernel runs."""
    return tuple(array.ctypes.data for array in arrays)


def scratch(machine: Machine) -> tuple[Any, ...]:
    """Return the arrays an expansion works in: out, tiles, out_tiles, terminal, edge_costs."""
    cells, most = machine.packing.cells, machine.most
    return (
        np.zeros(most * machine.packing.words, np.uint64),
        np.zeros(cells, np.int64),
        np.zeros(most * cells, np.int64),
        np.zeros(most, np.uint8),
        np.ones(most),
    )


def fresh_control(machine: Machine, size: int) -> Any:
    """Return the control block of a search that has not begun."""
    problem = machine.problem
    component = problem.frontier.component
    control = np.zeros(size, np.int64)
    control[bf.WIDTH], control[bf.MOST_SUCCESSORS] = machine.packing.words, machine.most
    control[bf.LATE], control[bf.ESTIMATES] = problem.late, problem.estimates
    control[bf.LOW_H_TIES], control[bf.REOPENS] = component.ties == "low-h", component.reopens
    control[bf.BATCHES], control[bf.CONTAINER] = component.batches, CONTAINERS[component.container]
    control[bf.SIGN] = problem.sign
    control[bf.FREE] = -1
    return control


def count(statistics: Statistics, control: Any, figures: Any) -> None:
    """Take over the figures both families have."""
    statistics.expanded = int(control[bf.EXPANDED])
    statistics.generated = int(control[bf.GENERATED])
    statistics.evaluated = int(control[bf.EVALUATED])
    statistics.dead_ends = int(control[bf.DEAD_ENDS])
    statistics.best_h = float(figures[bf.BEST_H])


def explained(error: Exception, problem: Problem, board: Board) -> EvaluationError:
    """Return the error of a plugin's compiled function as its author would see it in Python.

    The function is called once more, interpreted, on the board it failed on: that names file and line.
    """
    try:
        problem.estimate(board)
    except EvaluationError as explained:
        return explained
    return EvaluationError(f"in compiled code: {type(error).__name__}: {error}", board)
