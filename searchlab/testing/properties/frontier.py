"""The properties of a frontier strategy: the order of nodes, guarantees, and termination."""

from __future__ import annotations

from functools import partial
from itertools import islice, product
from math import inf, isnan
from typing import TYPE_CHECKING

from searchlab.compiler.compile_errors import obstacle
from searchlab.compiler.functions import CannotCompile, compile_key, compile_priority
from searchlab.errors import PluginError
from searchlab.model.costs import exceeds
from searchlab.plugins.registry import Plugins
from searchlab.testing.evidence import (
    START,
    FrontierEvidence,
    difference_of_engines,
)
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped
from searchlab.testing.samples import Sample, readable_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.binding.frontier import BoundQueue

LIMIT = 5
MOST_SAMPLES = 1000
"""The most combinations of values for which a priority is computed."""
COSTS = (0.0, 1.0, 2.0, 3.5, 10.0, 1000.0)
LIMITS_REACHED = ("expansion-limit", "time-limit", "memory-limit")


def priority_is_number(evidence: FrontierEvidence) -> Finding:
    """Compute priorities over a range of values, twice."""
    priorities = list(_priorities(evidence))
    if not priorities:
        return skipped("it has no priority function")
    for names, samples, priority in priorities:
        for values in samples:
            of = ", ".join(f"{name} = {value:g}" for name, value in zip(names, values, strict=True))
            try:
                with evidence.clock.calling():
                    first, second = (priority(*values) for _ in range(2))
            except PluginError as error:
                return failed(str(error))
            try:
                value = float(first)
            except (TypeError, ValueError):
                return failed(f"the priority of {of} is {first!r:.40}, which is not a number")
            if isnan(value):
                return failed(f"the priority of {of} is NaN")
            if first != second:
                return failed(f"the priority of {of} is {first!r} and the next time {second!r}")
    asked = "every g and h" if evidence.component.priority else "all values"
    return passed(f"a number, always the same, for {asked} that was tried")


def _priorities(
    evidence: FrontierEvidence,
) -> Iterator[tuple[tuple[str, ...], Iterable[tuple[float, ...]], Callable[..., float]]]:
    """Yield the names of the arguments of each priority, values for them, and the priority."""
    component = evidence.component
    if component.priority is not None and not evidence.is_loop:
        yield ("g", "h"), product(COSTS, (*COSTS, -5.0)), evidence.frontier.priority
    for queue in next(evidence.problems(solvable=True)).queues:
        if queue.function is not None:
            yield tuple(queue.places), _samples(queue), partial(_key, queue)


def _key(queue: BoundQueue, *values: float) -> float:
    given = dict(zip(queue.places.values(), values, strict=True))
    return queue.key([given.get(place, 0.0) for place in range(max(given, default=0) + 1)])


def _samples(queue: BoundQueue) -> Iterator[tuple[float, ...]]:
    """Yield possible arguments of a priority: g + h is below the cost of the incumbent, which may be infinite."""
    sampled = {"h": (*COSTS, -5.0), "depth": COSTS[:3], "f_min": COSTS[:4], "incumbent": (2000.0, inf)}
    for values in islice(product(*(sampled.get(name, COSTS) for name in queue.places)), MOST_SAMPLES):
        given = dict(zip(queue.places, values, strict=True))
        if given.get("g", 0) + given.get("h", 0) < given.get("incumbent", inf):
            yield values


def compiles(evidence: FrontierEvidence) -> Finding:
    """Compile the priority functions."""
    if evidence.is_loop:
        return info("a loop of its own runs interpreted")
    function = evidence.component.priority
    queues = next(evidence.problems(solvable=True)).queues
    if function is None and not any(queue.function for queue in queues):
        return skipped("it has no priority function")
    try:
        if function is not None:
            compile_priority(function, evidence.frontier.values)
        for queue in queues:
            function = queue.function or function
            compile_key(queue.function, queue.places, queue.arguments)
    except CannotCompile as error:
        assert function is not None
        found = obstacle(error, function)
        said = f"it runs interpreted, about 100 times slower: {found.file}, {found}"
        facts = {"line": found.line, "what": found.what, "instead": found.instead}
        return failed(said, **facts) if evidence.must_compile else info(said, **facts)
    return passed("its priority becomes machine code" if not queues else "its priorities become machine code")


def expands_all(evidence: FrontierEvidence) -> Finding:
    """Search without a goal, and count the expanded states."""
    if not evidence.component.is_complete:
        return skipped("it does not declare that it is complete: it may leave states out")
    if evidence.component.is_bidirectional:
        return skipped("from both ends no direction need expand all states")
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
    """Search with a goal."""
    solved = asked = 0
    for problem in evidence.problems(solvable=True):
        asked += 1
        result = evidence.search(problem)
        if result.status == "error":
            return failed(result.reason)
        if result.status not in ("solved", *LIMITS_REACHED) and evidence.component.is_complete:
            return failed(f"it is declared to be complete, and ended with {result.status} where there is a solution")
        solved += result.status == "solved"
    if not solved:
        return failed(f"it found no solution of any of {asked} easy problems")
    return passed(f"{solved} of {asked} problems solved, and the solutions replay", solved=solved)


def optimal(evidence: FrontierEvidence) -> Finding:
    """Compare the costs of solutions with the least costs, if the frontier guarantees anything about them."""
    frontier = evidence.frontier
    promised, factor = frontier.guarantee, frontier.within
    if promised == "never" and frontier.bound < inf:
        promised, factor = "admissible", frontier.bound
    needs_consistency = next(evidence.problems(solvable=True)).counts_errors
    if promised == "never":
        return skipped("it promises no cheapest solution, and none within a factor")
    compared = 0
    for problem in evidence.costly_problems():
        if promised == "admissible" and not problem.heuristic.admissible:
            continue
        if needs_consistency and not problem.heuristic.consistent:
            continue
        if promised == "unit-cost" and not problem.domain.unit_cost:
            continue
        result = evidence.search(problem)
        space = readable_space(Sample(problem.domain, START, Plugins(entry_points=())), evidence.side**2, lambda: True)
        if result.cost is None or space is None:
            continue
        least = float(space.costs[0])
        if exceeds(result.cost, factor * least):
            wanted = f"{least:g}" if factor == 1 else f"at most {factor:g} × {least:g}"
            what = "a cheapest solution" if factor == 1 else f"a solution within {factor:g} × the optimum"
            said = f"it promises {what} ({promised}), but found one of cost {result.cost:g}, not {wanted}"
            moves = " ".join(result.actions or ())
            return failed(f"{said} ({problem.heuristic} on {problem.domain}: {moves})", cost=result.cost, least=least)
        compared += 1
    if not compared:
        return skipped("no problem was solved where it promises something of the cost")
    are = "cheapest ones" if factor == 1 else f"within {factor:g} × the optimum"
    return passed(f"{compared} solutions are {are}, as promised", solutions=compared)


def stops(evidence: FrontierEvidence) -> Finding:
    """Search with a limit of a few expansions."""
    # A search from both ends without a goal ends at once.
    is_bidirectional = evidence.component.is_bidirectional
    for problem in evidence.problems(solvable=is_bidirectional):
        result = evidence.search(problem, expansions=LIMIT)
        ended = ("expansion-limit", "exhausted", *(("solution", "proof") if is_bidirectional else ()))
        if result.expanded > LIMIT or result.ended_by not in ended:
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
            difference = difference_of_engines(compiled, readable)
            if difference:
                return failed(f"{difference} ({problem.heuristic} on {problem.domain})")
            done += 1
    if not done:
        return skipped("the searches are too long to compare")
    return passed(f"{done} searches do the same compiled and readable", searches=done)


FRONTIER_PROPERTIES = (
    Property("priority", "Is its priority a number for every g and h?", priority_is_number),
    Property("compiles", "Can its priority be compiled to machine code?", compiles),
    Property("expands-all", "Is every node eventually expanded?", expands_all),
    Property("deterministic", "Are ties always broken the same way?", deterministic),
    Property("solves", "Does it find solutions?", solves),
    Property("optimal", "Does it keep its promise of the cost?", optimal),
    Property("stops", "Does it stop where a limit is reached?", stops),
    Property("same-compiled", "Does it do the same compiled and readable?", same_compiled),
)
