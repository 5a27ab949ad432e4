"""What calling a kernel slice by slice takes, whatever its family.

Between slices Python checks limits, grows tables and moves the progress. A slice is as many expansions as take
about 20 ms, whatever the heuristic costs, so that Ctrl-C is prompt.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from searchlab.compiler.arguments import has_plain_moves
from searchlab.errors import PluginError, with_type
from searchlab.search.kernels import control as ct
from searchlab.search.kernels import open_list
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board.board import Board
    from searchlab.model.results import Statistics
    from searchlab.search.compiled.machine import Machine
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

S = TypeVar("S")

SLICE_SECONDS = 0.02
LEAST_MEMORY = 2**20
LARGEST_STEP = 32.0
"""So many times longer than the last a slice may be."""
FIRST_RANGE = 4096
"""So many items at first, to see how long they take."""
CONTAINERS = {"heap": open_list.HEAP, "fifo": open_list.FIFO, "lifo": open_list.LIFO}


class Slices:
    """How many expansions the next slice may have, from how long the last one took."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._expansions = 1
        self._began = 0.0
        self._first = 0

    def budget(self, expanded: int, allowed: int) -> int:
        """Return the total of expansions at which the next slice ends."""
        self._began, self._first = time.perf_counter(), expanded
        return min(expanded + min(self._expansions, allowed), self._watch.expansions)

    def done(self, expanded: int) -> None:
        """Note that the slice is over, which may have ended before its budget was used."""
        seconds = max(time.perf_counter() - self._began, 1e-6)
        done = max(1, expanded - self._first)
        self._expansions = max(1, int(done * min(LARGEST_STEP, SLICE_SECONDS / seconds)))


def in_ranges(work: Callable[[int, int], None], count: int, most: int, watch: Watch, open_nodes: int) -> str:
    """Do work for 0 … count - 1, a range `(first, last)` of at most `most` at a time, each about as long as a slice.

    Returns the status with which the search has to end, as the watch gives it between ranges, or an empty text. The
    limit of expansions does not count: the node after the last one allowed may be a goal.
    """
    first, size = 0, FIRST_RANGE
    while first < count:
        began = time.perf_counter()
        last = min(count, first + size)
        work(first, last)
        stopped = watch.stop(watch.statistics, open_nodes)
        if stopped not in ("", "expansion-limit"):
            return stopped
        seconds = max(time.perf_counter() - began, 1e-6)
        size = max(1, min(most, int((last - first) * min(LARGEST_STEP, SLICE_SECONDS / seconds))))
        first = last
    return ""


def roomy(make: Callable[[], S], watch: Watch) -> S:
    """Return a search with its arrays reserved; where so many addresses are not to be had, for less memory."""
    while True:
        try:
            search = make()
            watch.begin()
            return search
        except MemoryError:
            if watch.memory < LEAST_MEMORY:
                raise
            watch.memory //= 2


def addresses(*arrays: Any) -> tuple[int, ...]:
    """Return where arrays begin, as kernels take them; the arrays must be kept while a kernel runs."""
    return tuple(array.ctypes.data for array in arrays)


def scratch(machine: Machine) -> tuple[Any, ...]:
    """Return the arrays an expansion works in: out, tiles, out_tiles, terminal, edge_costs, moves."""
    cells, most = machine.packing.cells, machine.most
    return (
        np.zeros(most * machine.packing.words, np.uint64),
        np.zeros(cells, np.int64),
        np.zeros(most * cells, np.int64),
        np.zeros(most, np.uint8),
        np.ones(most),
        np.zeros(most * max(1, len(machine.form.move)), np.int64),
    )


def fresh_control(machine: Machine) -> Any:
    """Return the control block of a search that has not begun."""
    problem = machine.problem
    component = problem.frontier.component
    control = np.zeros(ct.CONTROLS, np.int64)
    control[ct.WIDTH], control[ct.MOST_SUCCESSORS] = machine.packing.words, machine.most
    control[ct.LATE], control[ct.ESTIMATES] = problem.late, problem.estimates
    control[ct.LOW_H_TIES], control[ct.REOPENS] = component.ties == "low-h", component.reopens
    control[ct.BATCHES] = component.batches and problem.batch == 1
    control[ct.CONTAINER] = CONTAINERS[component.container]
    control[ct.IN_PYTHON], control[ct.BATCH] = machine.in_python, problem.batch
    control[ct.SIGN] = problem.sign
    control[ct.PLAIN_MOVES] = has_plain_moves(machine.form)
    control[ct.FREE] = -1
    return control


def count(statistics: Statistics, control: Any, figures: Any) -> None:
    """Take over the figures both families have."""
    statistics.expanded = int(control[ct.EXPANDED])
    statistics.generated = int(control[ct.GENERATED])
    statistics.evaluated = int(control[ct.EVALUATED])
    statistics.dead_ends = int(control[ct.DEAD_ENDS])
    statistics.best_h = float(figures[ct.BEST_H])


def path_to(node: int, machine: Machine, words: Any, parents: Any) -> list[Board]:
    """Return the boards from the start to a node, by the numbers of the nodes they were reached from."""
    nodes = []
    while node > 0:
        nodes.append(node)
        node = int(parents[node])
    states = words.reshape(-1, machine.packing.words)[np.array(nodes[::-1], np.int64)]
    return [machine.problem.board, *machine.packing.unpack(states)]


def explained(error: BaseException, problem: Problem, board: Board) -> EvaluationError:
    """Return the error of a plugin's compiled function as its author would see it in Python.

    The function is called once more, interpreted, on the board it failed on: that names file and line.
    """
    try:
        problem.estimate(board)
    except EvaluationError as explained:
        return explained
    try:
        for _ in problem.domain.edges(board):
            pass
    except PluginError as explained:
        return EvaluationError(str(explained), board)
    whose = f"the rules of {problem.domain.name} or the priority of {problem.frontier.name}"
    return EvaluationError(f"{whose}, compiled: {with_type(error)}", board)
