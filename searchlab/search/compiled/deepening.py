"""Iterative deepening compiled: one bound after another, on one core or on several.

On several the upper part of the tree is searched here and its subtrees by threads. The solution and the figures
are those of one core: a solution in one subtree cancels those after it and waits for those before it, and what
counts is what lies before it.
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
from searchlab.search.compiled import inlining
from searchlab.search.compiled.in_place_walk import InPlaceWalk, onward_table
from searchlab.search.compiled.kernel_run import Slices
from searchlab.search.compiled.subtrees import Node, Part, UpperPart, add
from searchlab.search.compiled.walks import FramesWalk, Walk, frames_kernel
from searchlab.search.kernels import control as ct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

UNLIMITED = 2**62
WORTH_SPLITTING = 100_000
"""Expansions of the last bound from which the next is split; one beyond it takes several times as many."""
PARTS_A_THREAD, MOST_PARTS = 64, 1024
DEEPEST_SPLIT = 20
POLL_SECONDS = 0.02


def maker(machine: CompiledProblem) -> Callable[[], Walk]:
    """Compile what a search needs, and return what makes its walks, one a thread."""
    rules = machine.form.in_place
    if rules is not None and inlining.suits(machine.form) and machine.problem.domain.component.unit_cost:
        kernel = machine.in_place
        onward = onward_table(rules.neighbors, kernel.bits)
        return lambda: InPlaceWalk(machine, kernel, onward)
    frames_kernel(machine.packing.words)
    step = machine.step
    machine.compile()
    return lambda: FramesWalk(machine, step)


class DeepeningSearch:
    """One search by iterative deepening.

    Args:
        walks: what searches subtrees, one a thread.
    """

    def __init__(self, problem: Problem, walks: list[Walk], watch: Watch) -> None:
        self.problem, self.walks, self.watch = problem, walks, watch
        self.done = Statistics()
        """What the bounds before have taken."""

    def run(self) -> Outcome:
        """Search below one bound after another until it is over or a limit is reached."""
        problem = self.problem
        root = Node((problem.board,), 0.0, problem.estimate_start() if problem.estimates else 0.0)
        if problem.estimates:
            self.done = Statistics(evaluated=1, dead_ends=int(root.h == inf), best_h=root.h)
        if problem.domain.is_goal(problem.board):
            self._report(Statistics())
            return Outcome("solved", self.watch.statistics, [problem.board], 0.0)
        bound, whole, upper = root.h, UpperPart(problem, root, 0, self.watch), None
        while bound < inf:
            before = self.done.expanded
            outcome, bound = self._iteration(upper or whole, bound)
            if outcome:
                return outcome
            if self._worth_splitting(self.done.expanded - before):
                upper = self._split(root, bound)
        self._report(Statistics())
        return Outcome("exhausted", self.watch.statistics)

    def _worth_splitting(self, expanded: int) -> bool:
        """Return whether the next bound is for several cores; a limit of expansions is exact on one only."""
        return len(self.walks) > 1 and expanded >= WORTH_SPLITTING and self.watch.limits.expansions is None

    def _split(self, root: Node, bound: float) -> UpperPart:
        """Return an upper part with enough subtrees for all cores to be busy till the end."""
        most = min(PARTS_A_THREAD * len(self.walks), MOST_PARTS)
        for depth in count(2, 2):
            upper = UpperPart(self.problem, root, depth, self.watch)
            if depth >= DEEPEST_SPLIT or sum(1 for _ in upper.parts(bound)) > most:
                return upper
        raise AssertionError

    def _iteration(self, upper: UpperPart, bound: float) -> tuple[Outcome | None, float]:
        """Search below a bound; return how the search ended, if it did, and the next bound."""
        parts = list(upper.parts(bound))
        turns = [Turn(part) for part in parts]
        status = self._one_by_one(turns, bound) if upper.depth == 0 else self._together(turns, bound)
        if status:
            self._report(taken_by(turns))
            return Outcome(status, self.watch.statistics), inf
        last = next(turn for turn in turns if turn.ended)
        taken = taken_by(turns[: turns.index(last) + 1])
        add(self.done, taken)
        self._report(Statistics())
        if last.error:
            raise last.error
        if last.path:
            return Outcome("solved", self.watch.statistics, last.path, last.cost), inf
        return None, min(turn.next_bound for turn in turns)

    def _one_by_one(self, turns: list[Turn], bound: float) -> str:
        """Search the subtrees in their order until one ends the search; return the status if a limit does."""
        slices = Slices(self.watch.expansions)
        for turn in turns:
            if turn.ended:
                break
            for wanted in turn.slices(self.walks[0], bound, slices, self.done.expanded):
                self._report(taken_by(turns))
                status = self._stopped(wanted)
                if status:
                    return status
        return ""

    def _together(self, turns: list[Turn], bound: float) -> str:
        """Search the subtrees on all cores; return the status if a limit ends the search."""
        waiting, lock, stop = iter(enumerate(turns)), threading.Lock(), threading.Event()
        too_large = threading.Event()
        first_end = [next(k for k, turn in enumerate(turns) if turn.ended)]

        def work(walk: Walk) -> None:
            slices = Slices(self.watch.expansions)
            while not stop.is_set():
                with lock:
                    k, turn = next(waiting, (len(turns), None))
                if turn is None or k >= first_end[0]:
                    return
                for wanted in turn.slices(walk, bound, slices, 0):
                    if stop.is_set() or k > first_end[0]:
                        break
                    if wanted and self._held() + wanted > self.watch.memory:
                        too_large.set()
                        return
                if turn.ended:
                    with lock:
                        first_end[0] = min(first_end[0], k)

        with ThreadPoolExecutor(len(self.walks)) as pool:
            futures = [pool.submit(work, walk) for walk in self.walks]
            try:
                while wait(futures, POLL_SECONDS).not_done:
                    self._report(taken_by(turns))
                    status = self._stopped()
                    if status or too_large.is_set():
                        return status or "memory-limit"
            finally:
                stop.set()
        for future in futures:
            future.result()
        return "memory-limit" if too_large.is_set() else ""

    def _stopped(self, wanted: int = 0) -> str:
        """Return the status with which a limit ends the search, if so many bytes more are taken."""
        if wanted and self._held() + wanted > self.watch.memory:
            return "memory-limit"
        return self.watch.stop(self.watch.statistics, max(walk.depth for walk in self.walks))

    def _held(self) -> int:
        return sum(walk.held for walk in self.walks)

    def _report(self, taken: Statistics) -> None:
        """Bring the statistics up to date: the bounds before, and what this one has taken."""
        total = replace(self.done)
        add(total, taken)
        total.peak_bytes = max(total.peak_bytes, self._held())
        vars(self.watch.statistics).update(vars(total))


class Turn:
    """A part of one bound's search as it is being done.

    Attributes:
        part: where in the order it stands.
        taken: what its subtree has taken so far.
        next_bound: the smallest f beyond the bound.
        path: the boards of the solution that ended the search here, empty if none did.
        cost: what it costs.
        error: what a plugin raised here.
        ended: whether the search is over with it, if those before do not end it.
    """

    def __init__(self, part: Part) -> None:
        self.part, self.taken = part, Statistics()
        self.next_bound, self.error = part.next_bound, part.error
        self.path: list[Board] = list(part.node.path) if part.found and part.node else []
        self.cost = part.node.g if part.node else 0.0
        self.ended = part.found or part.node is None

    def slices(self, walk: Walk, bound: float, slices: Slices, expanded_before: int) -> Iterator[int]:
        """Search the subtree; yields before every slice the bytes it is about to take for longer paths."""
        assert self.part.node is not None
        walk.begin(self.part.node, bound)
        status = ct.BUDGET
        while status in (ct.BUDGET, ct.DEEPER):
            yield 2 * walk.held if status == ct.DEEPER else 0
            if status == ct.DEEPER:
                walk.grow()
            try:
                total = slices.budget(expanded_before + walk.expanded, UNLIMITED)
                status = walk.slice(total - expanded_before)
            except PluginError as error:
                self.error, self.ended = error, True
                status = ct.EXHAUSTED
            self.taken = walk.statistics
            slices.done(expanded_before + walk.expanded)
        self.next_bound = min(self.next_bound, walk.next_bound)
        if status == ct.GOAL:
            self.path, self.cost, self.ended = walk.path(), walk.cost, True


def taken_by(turns: list[Turn]) -> Statistics:
    """Return what the upper part has taken up to the last of these turns, and their subtrees."""
    total = replace(turns[-1].part.before)
    for turn in turns:
        add(total, turn.taken)
    return total
