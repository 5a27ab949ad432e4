"""Compiled iterative deepening: iterations with growing thresholds, on one core or several.

On several cores, this module searches the top of the tree, and threads search the subtrees. Results equal a
single-threaded run. When a subtree finds a solution, later subtrees are cancelled and earlier subtrees finish first;
only work that a single thread would have done is counted.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import count
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError
from searchlab.model.results import Outcome, Statistics
from searchlab.search.compiled import in_place
from searchlab.search.compiled.kernel_run import KernelRun, Slices
from searchlab.search.compiled.subtrees import SearchTreeTop, SplitPoint, TopNode, add
from searchlab.search.compiled.walks import FramesWalk, InPlaceWalk, Walk, frames_kernel
from searchlab.search.kernels.control import Status
from searchlab.search.readable.deepening import least_f
from searchlab.search.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board.board import Board
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.watch import Watch

WORTH_SPLITTING = 100_000
"""An iteration is split if the last iteration expanded at least this many nodes; the next usually expands several times
as many."""
TASKS_A_THREAD, MOST_TASKS = 64, 1024
DEEPEST_SPLIT = 20
POLL_SECONDS = 0.02
USED_UP = "used up"
"""The reason for stopping the search of a subtree after the expansions that the rule of thresholds allows."""


class DeepeningSearch:
    """A search by iterative deepening.

    Attributes:
        walks: the searches of subtrees, one per thread.
        slices: the length of the slices on one core, from bound to bound.
    """

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        self.problem, self.watch = compiled.problem, watch
        threads = int(self.problem.frontier.values.get("threads", 1))
        self.walks = [new_walk(compiled) for _ in range(threads)]
        self.slices = Slices(watch.expansions)
        self.done = Statistics()
        """The counts of the finished iterations."""

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile all functions before the clock of the search starts."""
        if walks_in_place(compiled):
            compiled.in_place  # noqa: B018 - reading it compiles it
        else:
            compiled.callees  # noqa: B018 - reading them compiles them
            compiled.step  # noqa: B018
            frames_kernel(compiled)

    def run(self) -> Outcome:
        """Search below growing thresholds until the search is over or a limit is reached."""
        problem = self.problem
        root = TopNode((problem.board,), 0.0, problem.estimate_start() if problem.estimates else 0.0)
        if problem.estimates:
            self.done = Statistics(evaluated=1, dead_ends=int(root.h == inf), best_h=root.h)
        if problem.domain.is_goal(problem.board):
            self._report(Statistics())
            return Outcome("solved", self.watch.statistics, [problem.board], 0.0, lambda: inf)
        thresholds = Thresholds(problem, self.watch, root.h)
        whole, top = SearchTreeTop(problem, root, 0, self.watch), None
        while not thresholds.are_over:
            before = self.done.expanded
            self.watch.begin_iteration(thresholds.limit, self.done)
            outcome = self._iteration(top or whole, thresholds)
            if outcome:
                return outcome
            if self._worth_splitting(self.done.expanded - before):
                top = self._split(root, thresholds.limit)
        self._report(Statistics())
        return Outcome("exhausted", self.watch.statistics, least_f=least_f(problem, thresholds.lower))

    def _worth_splitting(self, expanded: int) -> bool:
        """Return whether to split the next iteration for several cores.

        A limit of expansions, a rule of thresholds and a table give exact results only on one core.
        """
        frontier = self.problem.frontier
        if self.watch.limits.expansions is not None or frontier.component.thresholds or frontier.table:
            return False
        return len(self.walks) > 1 and expanded >= WORTH_SPLITTING

    def _split(self, root: TopNode, bound: float) -> SearchTreeTop:
        """Return a top with enough subtrees to keep all cores busy until the end."""
        most = min(TASKS_A_THREAD * len(self.walks), MOST_TASKS)
        for depth in count(2, 2):
            top = SearchTreeTop(self.problem, root, depth, self.watch)
            if depth >= DEEPEST_SPLIT or sum(1 for _ in top.split(bound)) > most:
                return top
        raise AssertionError

    def _iteration(self, top: SearchTreeTop, thresholds: Thresholds) -> Outcome | None:
        """Search within a threshold; return the Outcome if the search has ended, else None."""
        lower, before = least_f(self.problem, thresholds.lower), self.done.expanded
        tasks = [SubtreeTask(point) for point in top.split(thresholds.limit)]
        status = self._one_by_one(tasks, thresholds) if top.depth == 0 else self._together(tasks, thresholds.most)
        if status:
            self._report(taken_by(tasks))
            return Outcome(status, self.watch.statistics, least_f=lower)
        last = next(task for task in tasks if task.ended)
        taken = taken_by(tasks[: tasks.index(last) + 1])
        add(self.done, taken)
        self._report(Statistics())
        if last.error:
            raise last.error
        if last.path:
            return Outcome("solved", self.watch.statistics, last.path, last.cost, lower)
        thresholds.end_iteration(
            self.done.expanded - before,
            min(task.next_bound for task in tasks),
            max(task.reached for task in tasks),
            is_complete=all(task.is_complete for task in tasks),
        )
        return None

    def _one_by_one(self, tasks: list[SubtreeTask], thresholds: Thresholds) -> str:
        """Search the subtrees in order until one ends the search; return the status if a limit is reached."""
        walk = self.walks[0]

        def stopped(wanted: int) -> str:
            self._report(taken_by(tasks))
            return self._stopped(wanted)

        def goes_on() -> bool:
            if thresholds.allow_none_below(walk.cost):
                return False
            self._report(taken_by(tasks))
            self.watch.improved(walk.cost, walk.path)
            walk.go_on_below(thresholds.most)
            return True

        for task in tasks:
            if task.ended:
                break
            status = task.search(
                walk, thresholds.most, self.slices, stopped, self.done.expanded, thresholds.expansions, goes_on
            )
            if status:
                return status
        return ""

    def _together(self, tasks: list[SubtreeTask], most: float) -> str:
        """Search the subtrees on all cores; return the status if a limit is reached."""
        waiting, lock, stop = iter(enumerate(tasks)), threading.Lock(), threading.Event()
        too_large = threading.Event()
        first_end = [next(k for k, task in enumerate(tasks) if task.ended)]

        def work(walk: Walk) -> None:
            slices = Slices(self.watch.expansions)

            def stopped(wanted: int) -> str:
                if stop.is_set() or k > first_end[0]:
                    return "cancelled"
                if wanted and self._held() + wanted > self.watch.memory:
                    too_large.set()
                    return "memory-limit"
                return ""

            while not (stop.is_set() or too_large.is_set()):
                with lock:
                    k, task = next(waiting, (len(tasks), None))
                if task is None or k >= first_end[0]:
                    return
                task.search(walk, most, slices, stopped)
                if task.ended:
                    with lock:
                        first_end[0] = min(first_end[0], k)

        with ThreadPoolExecutor(len(self.walks)) as pool:
            futures = [pool.submit(work, walk) for walk in self.walks]
            try:
                while wait(futures, POLL_SECONDS).not_done:
                    self._report(taken_by(tasks))
                    status = self._stopped()
                    if status or too_large.is_set():
                        return status or "memory-limit"
            finally:
                stop.set()
        for future in futures:
            future.result()
        return "memory-limit" if too_large.is_set() else ""

    def _stopped(self, wanted: int = 0) -> str:
        """Return the status if a limit is reached, given that `wanted` more bytes are needed."""
        if wanted and self._held() + wanted > self.watch.memory:
            return "memory-limit"
        return self.watch.stop(self.watch.statistics, max(walk.depth for walk in self.walks))

    def _held(self) -> int:
        return sum(walk.held for walk in self.walks)

    def _report(self, taken: Statistics) -> None:
        """Set the statistics to the counts of finished iterations plus the counts of the current iteration."""
        total = replace(self.done)
        add(total, taken)
        total.peak_bytes = max(total.peak_bytes, self._held())
        vars(self.watch.statistics).update(vars(total))


def walks_in_place(compiled: CompiledProblem) -> bool:
    """Return whether a search changes one board in place."""
    return in_place.fits_in_place(compiled.form) and compiled.problem.domain.unit_cost and not has_table(compiled)


def has_table(compiled: CompiledProblem) -> bool:
    """Return whether a search has a transposition table, which needs packed states."""
    return compiled.problem.frontier.table > 0


def new_walk(compiled: CompiledProblem) -> Walk:
    """Return a walk; its functions are already compiled."""
    if walks_in_place(compiled):
        return InPlaceWalk(compiled, compiled.in_place)
    return FramesWalk(compiled, compiled.step)


class SubtreeTask:
    """A subtree to be searched below one bound, or the end of the top of the tree.

    Attributes:
        point: the position in the order of the search.
        taken: the counts of the subtree so far.
        next_bound: the smallest f beyond the bound.
        reached: the largest f of an entered node, in a search with a rule of thresholds.
        is_complete: whether the allowed expansions were enough.
        path: the boards of the solution that ends the search here, or empty.
        cost: the solution cost.
        error: the exception of a plugin that ends the search here, or None.
        ended: whether the search ends in this subtree, unless it ends in an earlier subtree.
    """

    def __init__(self, point: SplitPoint) -> None:
        self.point, self.taken = point, Statistics()
        self.next_bound, self.error = point.next_bound, point.error
        self.reached, self.is_complete = -inf, True
        self.path: list[Board] = list(point.node.path) if point.found and point.node else []
        self.cost = point.node.g if point.node else 0.0
        self.ended = point.found or point.node is None

    def search(
        self,
        walk: Walk,
        most: float,
        slices: Slices,
        stopped: Callable[[int], str],
        expanded_before: int = 0,
        expansions: float = inf,
        goes_on: Callable[[], bool] | None = None,
    ) -> str:
        """Search the subtree; return the reason if it was stopped, else `""`.

        Args:
            most: the largest f to follow.
            stopped: called before every slice with the number of bytes about to be allocated for longer paths; returns
                the reason to stop, or `""`.
            expanded_before: the number of earlier expansions, for budgets.
            expansions: the largest number of nodes to expand.
            goes_on: called at each goal; returns whether to go on, because a cheaper solution may follow.
        """
        assert self.point.node is not None
        walk.begin(self.point.node, most)
        try:
            run = SubtreeRun(self, walk, slices, stopped, expanded_before, expansions, goes_on)
            status, why = run.advance(Status.BUDGET)
        except PluginError as error:
            self.error, self.ended = error, True
            status, why = Status.EXHAUSTED, ""
        self.taken = walk.statistics
        if why == USED_UP:
            self.is_complete, why = False, ""
        if not why:
            self.next_bound, self.reached = min(self.next_bound, walk.next_bound), walk.reached
            if status == Status.GOAL:
                self.path, self.cost, self.ended = walk.path(), walk.cost, True
        return why


class SubtreeRun(KernelRun):
    """The search of a task's subtree; arguments as for `SubtreeTask.search`."""

    def __init__(
        self,
        task: SubtreeTask,
        walk: Walk,
        slices: Slices,
        stopped: Callable[[int], str],
        expanded_before: int,
        expansions: float,
        goes_on: Callable[[], bool] | None,
    ) -> None:
        self.task, self.walk, self.slices = task, walk, slices
        self._stopped, self._expanded_before = stopped, expanded_before
        self._expansions, self._goes_on = expansions, goes_on

    @property
    def done(self) -> int:
        """The number of expanded nodes, including earlier expansions."""
        return self._expanded_before + self.walk.expanded

    def slice(self, budget: int) -> int:
        """Continue in the subtree, even after a goal if a cheaper solution may follow."""
        budget = int(min(budget - self._expanded_before, self._expansions))
        status = self.walk.slice(budget)
        while status == Status.GOAL and self._goes_on and self._after_goal(self._goes_on):
            status = self.walk.slice(budget)
        return status

    def _after_goal(self, goes_on: Callable[[], bool]) -> bool:
        self.account()
        return goes_on()

    def account(self) -> None:
        """Update the statistics of the task."""
        self.task.taken = self.walk.statistics

    def stopped(self) -> str:
        """Return the reason to stop, or `''`."""
        return self._stopped(0) or (USED_UP if self.walk.expanded >= self._expansions else "")

    def grow(self, status: int) -> str:
        """Make room for longer paths if there is memory; return the status if there is not, else `''`."""
        stopped = self._stopped(2 * self.walk.held)
        if not stopped:
            self.walk.grow()
        return stopped


def taken_by(tasks: list[SubtreeTask]) -> Statistics:
    """Return the counts of the top of the tree up to the last of these tasks, plus the counts of their subtrees."""
    total = replace(tasks[-1].point.before)
    for task in tasks:
        add(total, task.taken)
    return total
