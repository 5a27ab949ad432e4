"""The loop that runs kernels in slices, and the common part of all searches by kernels.

Between slices Python checks limits, makes room and reports progress. A slice takes about 20 ms, however expensive the
heuristic is, so that Ctrl-C works promptly.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from searchlab.compiler.adapters import IS_NAN, has_unit_moves
from searchlab.compiler.arrays import addresses
from searchlab.compiler.functions import compile_kernel
from searchlab.errors import PluginCode, PluginError, with_type
from searchlab.model.results import Outcome
from searchlab.model.strategies import TIES
from searchlab.search.compiled.problem import check_moves_fit
from searchlab.search.kernels.control import BestFirstControl, SearchControl, Status
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.compiler.arrays import Written
    from searchlab.model.results import Statistics
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

S = TypeVar("S")

ORDERS = ("newest", "oldest", "random")
"""The values of `order`, in the order of their numbers in `kernels.best_first`."""
SLICE_SECONDS = 0.02
UNLIMITED = 2**62
LEAST_MEMORY = 2**20
LARGEST_STEP = 32.0
"""A slice is at most this many times as long as the last."""
LARGEST_FIRST = 4096
"""The largest number of expansions in a first slice, if earlier searches were fast. Most small searches end in it.

With a time limit, the first slice is a single expansion: a function may be a thousand times slower on the next board,
and only the first expansion shows this. The additional call of the kernel takes 5 % of the time of a small search.
"""
FIRST_RANGE = 4096
"""The number of items in the first range, which shows how long an item takes."""
Kernels = tuple[tuple[Callable[..., int], Any, Mapping[str, Any]], ...]
"""Kernels: the functions, the declarations of their arrays, and the values of the options for compiling them."""
RESUMED = (Status.BUDGET, Status.TABLE_FULL, Status.DEEPER)
"""The statuses after which a kernel is called again."""


@cache
def kernel(function: Callable[..., Any], takes: Any, width: int = 0, **options: Any) -> Callable[..., int]:
    """Return a kernel as machine code, for states of `width` words and with options; see `compile_kernel`."""
    return compile_kernel(function, takes, width=width, constants=options)


def order_options(compiled: CompiledProblem) -> dict[str, Any]:
    """Return the options of a kernel for the order of equal nodes; empty for the default order."""
    frontier = compiled.problem.frontier
    order = {} if frontier.order == "newest" else {"ORDER": ORDERS.index(frontier.order)}
    return {**order, "FIRST_SIBLING": True} if frontier.takes_first_sibling else order


class Slices:
    """Computes the number of expansions of the next slice from the duration of the last one.

    Args:
        most: the largest number of expansions in all.
        first: the number of expansions of the first slice.
    """

    def __init__(self, most: int = UNLIMITED, first: int = 1) -> None:
        self._most = most
        self._expansions = self._at_first = first
        self._began = 0.0
        self._first = 0

    def budget(self, expanded: int, allowed: int) -> int:
        """Return the total of expansions at which the next slice ends."""
        self._began, self._first = time.perf_counter(), expanded
        return min(expanded + min(self._expansions, allowed), self._most)

    def done(self, expanded: int) -> None:
        """Record the end of a slice, which may have ended before its budget was used up.

        A slice that is too short to measure changes nothing: a search with many small parts has a slice for each part.
        """
        seconds = max(time.perf_counter() - self._began, 1e-6)
        done = max(1, expanded - self._first)
        if done >= self._expansions or seconds >= SLICE_SECONDS:
            self._expansions = max(1, int(done * min(LARGEST_STEP, SLICE_SECONDS / seconds)))

    @property
    def first_of_next(self) -> int:
        """The number of expansions for the first slice of another search for the same problem.

        It is far smaller than the number that took 20 ms. If this search ended in its first slice, it is the same as
        here.
        """
        if self._expansions == self._at_first:
            return self._at_first
        return max(1, min(LARGEST_FIRST, self._expansions // 8))


class KernelRun(ABC):
    """Work that a kernel does in slices.

    Attributes:
        slices: computes the length of the slices.
    """

    slices: Slices

    @property
    @abstractmethod
    def done(self) -> int:
        """The count that budgets limit: the expansions, states or moves so far."""

    @abstractmethod
    def slice(self, budget: int) -> int:
        """Call the kernel until `done` is `budget`; return its status."""

    @abstractmethod
    def stopped(self) -> str:
        """Return the status with which the work has to end now, or `''` if it may go on."""

    def account(self) -> None:  # noqa: B027 - some work has no statistics
        """Update the statistics."""

    def allowed(self) -> int:
        """Return by how much `done` may certainly grow within the memory limit."""
        return UNLIMITED

    def grow(self, status: int) -> str:
        """Make the room that the kernel needs; return the status if the work has to end, else `''`."""
        raise NotImplementedError

    def advance(self, status: int) -> tuple[int, str]:
        """Continue from a status of the kernel until the work is over or has to end.

        Returns:
            the last status of the kernel, and the status of the limit that ends the work, or `""`.
        """
        while status in RESUMED:
            self.account()
            stopped = self.stopped() if status == Status.BUDGET else self.grow(status)
            allowed = 0 if stopped else self.allowed()
            if not allowed:
                return status, stopped or "memory-limit"
            status = self.slice(self.slices.budget(self.done, allowed))
            self.slices.done(self.done)
        return status, ""


class SearchRun(KernelRun):
    """One search by a kernel.

    Attributes:
        kernels: the kernels that the search may call, beginning with the main kernel.
        compiled: the problem, with its functions as machine code.
        kernel: the main kernel as machine code; called with the addresses of the arrays and a budget.
        arrays: the arrays of the kernel.
        control: the control record in the arrays.
        may_pause: whether a slice may end when waiting nodes are evaluated in Python.
        overwritten: the sizes of arrays whose items are always written before they are read, see `SpareArrays.put`.
    """

    kernels: ClassVar[Kernels]
    may_pause: ClassVar[bool] = False
    overwritten: ClassVar[tuple[str, ...]] = ()
    arrays: Any
    control: Any
    addresses: tuple[int, ...]

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        self.compiled, self.watch = compiled, watch
        self.problem = compiled.problem
        self.width = compiled.packing.words
        self.kernel = self.compiled_kernels(compiled)[0]
        first = 1 if isfinite(watch.limits.seconds) else compiled.first_slice[0]
        self.slices = Slices(watch.expansions, first)
        self.peak_bytes = 0

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile all functions before the clock of the search starts."""
        cls.compile_callees(compiled)
        cls.compiled_kernels(compiled)

    @classmethod
    def compiled_kernels(cls, compiled: CompiledProblem) -> list[Callable[..., int]]:
        """Return the kernels as machine code."""
        if cls not in compiled.kernels:
            more = cls.options(compiled)
            compiled.kernels[cls] = [
                kernel(function, takes, compiled.packing.words, **options, **more)
                for function, takes, options in cls.kernels
            ]
        return compiled.kernels[cls]

    @classmethod
    def options(cls, compiled: CompiledProblem) -> dict[str, Any]:
        """Return the options for compiling all kernels."""
        return order_options(compiled)

    @classmethod
    def compile_callees(cls, compiled: CompiledProblem) -> None:
        """Compile the plugin functions."""
        compiled.callees  # noqa: B018 - reading them compiles them

    def use(self, arrays: Any) -> None:
        """Use these arrays for the kernel."""
        self.arrays, self.control = arrays, arrays.control
        self.addresses = addresses(arrays)

    @abstractmethod
    def start(self) -> int:
        """Store the start, and do the work to which no limits apply; return the status to continue from."""

    def first_slice(self) -> int:
        """Call the kernel for the first time; it tests whether the start is a goal, regardless of limits."""
        allowed = 0 if self.stopped() else self.allowed()
        if not allowed:
            return self.slice(0)
        status = self.slice(self.slices.budget(0, allowed))
        self.slices.done(self.done)
        return status

    @abstractmethod
    def held(self) -> int:
        """Return the number of bytes in use."""

    @property
    @abstractmethod
    def cost(self) -> float:
        """The cost of the path to the goal."""

    @abstractmethod
    def path(self) -> Sequence[Board]:
        """Return the states from the start to the goal."""

    @abstractmethod
    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""

    @property
    def stored(self) -> int:
        """The number of nodes that are kept."""
        return int(self.control.nodes)

    @property
    def open_nodes(self) -> int:
        """The number of generated nodes that are not expanded."""
        return int(self.control.on_open)

    @property
    def done(self) -> int:
        """The number of expanded nodes."""
        return int(self.control.expanded)

    def run(self) -> Outcome:
        """Search until the search is over or a limit is reached."""
        return self.end(*self.advance(self.start()))

    def written(self) -> Written | None:
        """Return the items of reserved arrays that may be nonzero, see `SpareArrays.put`; None if unknown."""
        return None

    def give_back(self) -> None:
        """Give the arrays to the next search; this search cannot continue."""
        written = self.written()
        arrays, self.arrays, self.control, self.addresses = self.arrays, None, None, ()
        if written is not None:
            self.compiled.spare.put(arrays, written, self.overwritten)

    @abstractmethod
    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of the paths that were not searched, see `Outcome`.

        Args:
            is_solved: whether `current` is the goal that was found; then it does not count.
        """

    def end(self, status: int, stopped: str) -> Outcome:
        """Return the outcome, given the last status of the kernel, and the status of the limit that was reached.

        Raises:
            EvaluationError: h was NaN.
        """
        self.account()
        self.compiled.first_slice[0] = self.slices.first_of_next
        if status == Status.NOT_A_NUMBER:
            board = self.failing_board()
            for heuristic in self.problem.further:
                self.problem.by(heuristic).estimate(board)
            self.problem.checked(float("nan"), board)
        ended, statistics = stopped or "exhausted", self.watch.statistics
        if stopped or status != Status.GOAL:
            return Outcome(ended, statistics, least_f=self.least_f, release=self.give_back)
        return Outcome(
            "solved", statistics, self.path, self.cost, partial(self.least_f, is_solved=True), self.give_back
        )

    def slice(self, budget: int) -> int:
        """Call the kernel; whenever it returns because nodes have to be evaluated, evaluate them and call it again."""
        began = time.perf_counter()
        status = self.call(budget)
        while status == Status.EVALUATE:
            self.evaluate()
            if self.may_pause and time.perf_counter() - began > SLICE_SECONDS and self.done < self.watch.expansions:
                return Status.BUDGET
            status = self.call(budget)
        return status

    def call(self, budget: int) -> int:
        """Call the kernel.

        Raises:
            EvaluationError: a plugin function failed.
        """
        with PluginCode(self.explained):
            return self.kernel(*self.addresses, budget)

    def evaluate(self) -> None:
        """Evaluate the waiting nodes in Python."""
        raise NotImplementedError

    def explained(self, error: BaseException) -> EvaluationError:
        """Return the error of a plugin function as its author would see it in Python."""
        self.account()
        board = self.failing_board()
        for heuristic in self.problem.further:
            try:
                self.problem.by(heuristic).estimate(board)
            except EvaluationError as found:
                return found
        return explained(error, self.problem, board)

    def stopped(self) -> str:
        """Return the status of the watch."""
        return self.watch.stop(self.watch.statistics, self.open_nodes)

    def evaluate_start(self) -> float:
        """Evaluate the start, and count this; return h, or 0 for a search without a heuristic."""
        problem, control = self.problem, self.control
        h = problem.start_h if problem.estimates else 0.0
        control.evaluated, control.dead_ends = int(problem.estimates), int(h == inf)
        control.best_h = h if problem.estimates else inf
        if h == inf and not control.counts_h:
            control.lost = 0.0
        return h

    def dead_start(self) -> int:
        """Return the status of a search that begins at a dead end: solved if the start is a goal, else exhausted."""
        self.control.current = 0
        return Status.GOAL if self.problem.domain.is_goal(self.problem.board) else Status.EXHAUSTED

    def account(self) -> None:
        """Update the statistics."""
        self.peak_bytes = max(self.peak_bytes, self.held())
        statistics, control = self.watch.statistics, self.control
        count(statistics, control)
        statistics.stored = self.stored
        statistics.max_open = int(control.most_on_open)
        if isinstance(control, BestFirstControl):
            statistics.reopened, statistics.duplicates = int(control.reopened), int(control.duplicates)
        statistics.peak_bytes = self.peak_bytes


def count(statistics: Statistics, control: SearchControl) -> None:
    """Copy the counts that all kernels have in common."""
    statistics.expanded = control.expanded
    statistics.generated = control.generated
    statistics.evaluated = control.evaluated
    statistics.dead_ends = control.dead_ends
    statistics.best_h = control.best_h


def first_numbers(kind: type[SearchControl], compiled: CompiledProblem, **more: float) -> NDArray[np.int64]:
    """Return the initial content of the control record of a search, computed once.

    Args:
        kind: the class of the record.
        compiled: the problem.
        more: values of further fields; they must depend only on the other two arguments.
    """
    problem = compiled.problem
    key = kind, problem.batch
    known = compiled.first_numbers.get(key)
    if known is not None:
        return known
    control = kind(
        width=compiled.packing.words,
        most_successors=compiled.form.max_successors,
        estimates=problem.estimates,
        sign=problem.sign,
        best_h=inf,
        counts_h=problem.counts_h,
        lost=inf,
        **more,
    )
    if isinstance(control, BestFirstControl):
        control.late, control.reopens = problem.late, problem.reopens
        control.ties = TIES.index(problem.frontier.ties)
        control.batches = problem.frontier.takes_batches and problem.batch == 1
        control.unit_moves = has_unit_moves(compiled.form)
    return compiled.first_numbers.setdefault(key, control.content())


def explained(error: BaseException, problem: Problem, board: Board) -> EvaluationError:
    """Return the error of a compiled plugin function as its author would see it in Python.

    The function is called again, interpreted, on the board on which it failed. This gives the file and line.
    """
    try:
        problem.estimate(board)
    except EvaluationError as explained:
        return explained
    try:
        check_moves_fit(problem.domain, board)
    except PluginError as explained:
        return EvaluationError(str(explained), board)
    if isinstance(error, ValueError) and str(error).endswith(IS_NAN):
        return EvaluationError(f"frontier {problem.frontier.name}: {error}", board)
    whose = f"the rules of {problem.domain.name} or a function of {problem.frontier.name}"
    return EvaluationError(f"{whose}, compiled: {with_type(error)}", board)


def in_ranges(work: Callable[[int, int], None], count: int, most: int, watch: Watch, open_nodes: int) -> str:
    """Do work for the items 0 to count - 1, in ranges that each take about as long as a slice.

    Args:
        work: called with the first item and the end of a range.
        count: the number of items.
        most: the largest number of items in a range.
        watch: checked between ranges. The limit of expansions does not count, because the node after the last allowed
            expansion may be a goal.
        open_nodes: the number of open nodes, for the progress.

    Returns:
        the status of the watch if the search has to end, else `""`.
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


def within_memory(make: Callable[[], S], watch: Watch) -> S:
    """Return a new search; halve the memory limit for as long as there is not enough address space for its arrays."""
    while True:
        try:
            search = make()
            watch.begin()
            return search
        except MemoryError:
            if watch.memory < LEAST_MEMORY:
                raise
            watch.memory //= 2
