"""The contract of a frontier strategy: it takes every node once in an order of its own, always the same."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any

from searchlab.binding.domain import BoundDomain
from searchlab.board.board import Board
from searchlab.compiler.functions import Callee, CannotCompile
from searchlab.errors import SearchlabWarning
from searchlab.model.costs import exceeds
from searchlab.model.limits import Limits
from searchlab.plugins.registry import Plugins
from searchlab.search.problem import Problem
from searchlab.search.solve import search
from searchlab.testing.explaining import obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped
from searchlab.testing.graphs import readable_space
from searchlab.testing.instances import Instance
from searchlab.testing.toys import ESTIMATES, GRIDS, NOWHERE, bound_estimate, bound_grid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.frontier import BoundFrontier
    from searchlab.model.results import Result
    from searchlab.search.deadline import Clock

EXPANSIONS = 2000
SIDE, SIDE_FOR_DEEPENING = 5, 3
START = Board([[0, 0]])
LIMIT = 5
LONGEST_SEARCH = 10.0
"""Seconds a search may take, however little time there is: what it does is asked, not how fast it is."""
COSTS = (0.0, 1.0, 2.0, 3.5, 10.0, 1000.0)
LIMITS_REACHED = ("expansion-limit", "time-limit", "memory-limit")


class FrontierEvidence:
    """A frontier strategy and the searches it is checked with."""

    def __init__(self, frontier: BoundFrontier, clock: Clock) -> None:
        self.frontier, self.clock = frontier, clock
        self.component = frontier.component
        self.side = SIDE_FOR_DEEPENING if self.component.family == "deepening" else SIDE

    def grounds(self) -> tuple[str, ...]:
        """Return what it was checked on, in words."""
        return (f"walks on a grid of {self.side} × {self.side} cells, with moves of equal and of different costs",)

    @property
    def is_loop(self) -> bool:
        """Whether it brings a loop of its own."""
        return self.component.run is not None

    def problems(self, *, solvable: bool) -> Iterator[Problem]:
        """Yield problems with every grid and estimate: with goals near and far, or with none."""
        for goal in (2, self.side**2 - 2) if solvable else (NOWHERE,):
            for grid in GRIDS:
                domain = bound_grid(grid, side=self.side, goal=goal)
                for heuristic in ESTIMATES:
                    yield Problem(START, domain, bound_estimate(heuristic, domain), self.frontier)

    def search(self, problem: Problem, engine: str = "readable", expansions: int = EXPANSIONS) -> Result:
        """Search a problem."""
        engine = "readable" if self.is_loop else engine
        limits = Limits(seconds=max(LONGEST_SEARCH, self.clock.seconds / 20), expansions=expansions)
        with (
            self.clock.calling(lambda: problem.board, prepares=engine != "readable"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", SearchlabWarning)
            return search(problem, limits=limits, engine="auto" if self.is_loop else engine)

    def followed(self, problem: Problem) -> tuple[Result, list[Board]]:
        """Search a problem, readable; return also the boards expanded, in order."""
        taken: list[Board] = []
        component = problem.domain.component

        def successors(board: Board, side: int, uneven: bool) -> Any:
            taken.append(board)
            return component.successors(board, side, uneven)

        watched = BoundDomain(replace(component, successors=successors), problem.domain.values)
        result = self.search(replace(problem, domain=watched))
        return result, taken[: result.expanded] if result.status != "error" else taken


def priority_is_number(evidence: FrontierEvidence) -> Finding:
    """Ask for priorities over a range of g and h, twice."""
    if evidence.component.priority is None or evidence.is_loop:
        return skipped("it has no priority function")
    for g in COSTS:
        for h in (*COSTS, -5.0):
            with evidence.clock.calling():
                first, second = (evidence.frontier.priority(g, h) for _ in range(2))
            try:
                value = float(first)
            except (TypeError, ValueError):
                return failed(f"the priority of g = {g:g}, h = {h:g} is {first!r:.40}, which is no number")
            if isnan(value):
                return failed(f"the priority of g = {g:g}, h = {h:g} is NaN")
            if first != second:
                return failed(f"the priority of g = {g:g}, h = {h:g} is {first!r} and the next time {second!r}")
    return passed("a number, always the same, for every g and h that was tried")


def compiles(evidence: FrontierEvidence) -> Finding:
    """Compile the priority function."""
    function = evidence.component.priority
    if evidence.is_loop:
        return info("a loop of its own runs interpreted")
    if function is None:
        return skipped("it has no priority function")
    try:
        Callee.priority(function, evidence.frontier.values)
    except CannotCompile as error:
        found = obstacle(error, function)
        return failed(f"{found.file}, {found}", line=found.line, what=found.what, instead=found.instead)
    return passed("its priority becomes machine code")


def expands_all(evidence: FrontierEvidence) -> Finding:
    """Search where there is no goal, and count the states that were expanded."""
    if not evidence.component.complete:
        return skipped("it declares complete=False: it may leave states out")
    there = evidence.side**2
    for problem in evidence.problems(solvable=False):
        result, taken = evidence.followed(problem)
        if result.status == "error":
            return failed(result.reason)
        met = len(set(taken))
        if met < there:
            said = f"{met} of {there} states were expanded before it ended with {result.status}"
            return failed(f"{said} ({problem.heuristic} on {problem.domain}): it is not complete")
    return passed(f"all {there} states are expanded, whatever the heuristic", states=there)


def deterministic(evidence: FrontierEvidence) -> Finding:
    """Search twice, and compare the order in which nodes were expanded."""
    orders = 0
    for solvable in (True, False):
        for problem in evidence.problems(solvable=solvable):
            (first, one), (_, other) = (evidence.followed(problem) for _ in range(2))
            if first.status == "error":
                return failed(first.reason)
            if one[: len(other)] != other[: len(one)]:
                at = next(k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
                said = f"searched twice, node {at + 1} that is expanded is another one"
                return failed(
                    f"{said} ({problem.heuristic} on {problem.domain})", ("first:", one[at]), ("then:", other[at])
                )
            orders += 1
    return passed(f"{orders} searches expand the same nodes in the same order when repeated", searches=orders)


def solves(evidence: FrontierEvidence) -> Finding:
    """Search where there is a goal."""
    solved = asked = 0
    for problem in evidence.problems(solvable=True):
        asked += 1
        result = evidence.search(problem)
        if result.status == "error":
            return failed(result.reason)
        if result.status not in ("solved", *LIMITS_REACHED) and evidence.component.complete:
            return failed(f"it declares complete=True, and ended with {result.status} where there is a solution")
        solved += result.status == "solved"
    if not solved:
        return failed(f"it found no solution of any of {asked} easy problems")
    return passed(f"{solved} of {asked} problems solved, and the solutions replay", solved=solved)


def optimal(evidence: FrontierEvidence) -> Finding:
    """Compare the costs of solutions with those of the cheapest, where it promises these."""
    promised = evidence.frontier.guarantee
    if promised == "never":
        return skipped("it promises no cheapest solution")
    compared = 0
    for problem in evidence.problems(solvable=True):
        if promised == "admissible" and not problem.heuristic.admissible:
            continue
        if promised == "unit-cost" and not problem.domain.component.unit_cost:
            continue
        result = evidence.search(problem)
        space = readable_space(
            Instance(problem.domain, START, Plugins(entry_points=())), evidence.side**2, lambda: True
        )
        if result.cost is None or space is None:
            continue
        least = float(space.costs[0])
        if exceeds(result.cost, least):
            said = f"it promises a cheapest solution ({promised}), but found one of cost {result.cost:g}, not {least:g}"
            return failed(f"{said} ({problem.heuristic} on {problem.domain})", cost=result.cost, least=least)
        compared += 1
    if not compared:
        return skipped("no problem was solved where it promises a cheapest solution")
    return passed(f"{compared} solutions are cheapest ones, as promised", solutions=compared)


def stops(evidence: FrontierEvidence) -> Finding:
    """Search with a limit of a few expansions."""
    for problem in evidence.problems(solvable=False):
        result = evidence.search(problem, expansions=LIMIT)
        if result.expanded > LIMIT or result.status not in ("expansion-limit", "exhausted"):
            said = f"limited to {LIMIT} expansions, it ended with {result.status} after {result.expanded}"
            return failed(f"{said}: a loop ends with the status that watch.stop(statistics) returns")
    return passed("it stops where it is told to")


def same_compiled(evidence: FrontierEvidence) -> Finding:
    """Search in both engines."""
    if evidence.is_loop:
        return skipped("a loop of its own runs interpreted")
    done = 0
    for solvable in (True, False):
        for problem in evidence.problems(solvable=solvable):
            readable = evidence.search(problem)
            if readable.status in LIMITS_REACHED:
                continue
            try:
                compiled = evidence.search(problem, "compiled")
            except ValueError as error:
                return skipped(str(error))
            figures = [(r.status, r.actions, r.expanded, r.generated, r.reopened) for r in (readable, compiled)]
            if figures[0] != figures[1]:
                said = f"readable {_figures(readable)}, compiled {_figures(compiled)}"
                return failed(f"{said} ({problem.heuristic} on {problem.domain})")
            done += 1
    if not done:
        return skipped("the searches are too long to compare")
    return passed(f"{done} searches do the same compiled and readable", searches=done)


def _figures(result: Result) -> str:
    return f"{result.status} with {result.expanded} expanded, {result.generated} generated"


FRONTIER_PROPERTIES = (
    Property("priority", "Is its priority a number for every g and h?", priority_is_number),
    Property("compiles", "Can its priority be compiled to machine code?", compiles),
    Property("expands-all", "Is every node eventually expanded?", expands_all),
    Property("deterministic", "Are ties always broken the same way?", deterministic),
    Property("solves", "Does it find solutions?", solves),
    Property("optimal", "Does it keep its promise of a cheapest solution?", optimal),
    Property("stops", "Does it stop where a limit is reached?", stops),
    Property("same-compiled", "Does it do the same compiled and readable?", same_compiled),
)
