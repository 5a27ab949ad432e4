"""From a problem to a Result: choose the driver, hold it to its limits, replay the solution it found."""

from __future__ import annotations

import platform
import time
import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import exact_number, plain_text
from searchlab.compiler.suspension import suspended
from searchlab.errors import PluginCode, PluginError, SearchlabWarning, UsageError, in_one_line, shown
from searchlab.errors.interrupts import handlers_pass
from searchlab.model.costs import same_but_rounded
from searchlab.model.limits import Limits, Progress
from searchlab.model.results import STATUSES, Outcome, Result, Statistics, counts
from searchlab.search.deadline import Watchdog
from searchlab.search.problem import EvaluationError, Problem
from searchlab.search.readable.beam import beam
from searchlab.search.readable.best_first import best_first
from searchlab.search.readable.deepening import deepening
from searchlab.search.watch import Stopped, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board.board import Board

    Loop = Callable[[Problem, Watch], Outcome]

READABLE: dict[str, Loop] = {"best-first": best_first, "deepening": deepening, "beam": beam}
ENGINES = ("auto", "compiled", "readable")


def search(
    problem: Problem,
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    engine: str = "auto",
    batch: int | None = None,
    hung: Callable[[Result], None] | None = None,
    told_outside: Callable[[Result], int] | None = None,
) -> Result:
    """Search for a solution of a problem; see `searchlab.solve`.

    Args:
        hung: called with the Result so far, in another thread, when a plugin's function does not return although
            the time is up, Ctrl-C was pressed or the memory is taken. It has to end the process.
        told_outside: the same where that function lets no other thread run: called in another process, so it can be
            pickled, if this process is one that is watched from outside. Returns the exit code.
    """
    problem = checked(problem, engine, batch)
    watch = Watch(limits or Limits(), progress, problem.sign)
    runs = "readable" if engine == "readable" else "compiled"

    def bite(status: str, why: str) -> None:
        assert hung is not None
        watch.note_times()
        hung(_result(problem, Outcome(status, watch.statistics), why, runs, watch))

    def words() -> Callable[[str, str], int]:
        assert told_outside is not None
        watch.note_times()
        so_far = _result(problem, Outcome("time-limit", watch.statistics), "", runs, watch)
        return partial(_tell_outside, told_outside, so_far, watch.began)

    guarded = Watchdog(watch, bite, words if told_outside else None) if hung else nullcontext()
    with handlers_pass(), guarded:
        reason = problem.domain.why_unsolvable(problem.board)
        if reason:
            return _result(problem, Outcome("unsolvable", Statistics()), reason, "readable")
        problem, runs, loop = _loop(problem, engine, progress, is_asked=batch is not None)
        return _searched(problem, loop, runs, watch)


def _tell_outside(tell: Callable[[Result], int], so_far: Result, began: float, status: str, why: str) -> int:
    """Tell how a search ended that never comes back, as far as it was known; return the exit code."""
    seconds = time.perf_counter() - began
    return tell(replace(so_far, status=status, reason=why, seconds=seconds))


def checked(problem: Problem, engine: str, batch: int | None) -> Problem:
    """Return a problem with the size of its batches decided, or raise a UsageError for what no search can do."""
    if engine not in ENGINES:
        raise UsageError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
    component = problem.frontier.component
    if engine == "compiled" and component.run is not None:
        raise UsageError(f"frontier {component.name} has no compiled form")
    return problem.in_batches(batch)


def _searched(problem: Problem, loop: Loop, engine: str, watch: Watch) -> Result:
    """Return what became of a search; what a plugin raises, replaying its solution included, is an outcome too."""
    try:
        return _result(problem, _outcome(problem, loop, watch), "", engine, watch)
    except PluginError as error:
        if isinstance(error.__cause__, MemoryError):
            return _result(problem, Outcome("memory-limit", watch.statistics), str(error), engine, watch)
        return _result(problem, Outcome("error", watch.statistics), _with_board(error), engine, watch)


def _outcome(problem: Problem, loop: Loop, watch: Watch) -> Outcome:
    try:
        with watch:
            return loop(problem, watch)
    except Stopped as stopped:
        return Outcome(stopped.status, watch.statistics)
    except MemoryError:
        return Outcome("memory-limit", watch.statistics)


def _loop(
    problem: Problem, engine: str, progress: Callable[[Progress], None] | None, *, is_asked: bool
) -> tuple[Problem, str, Loop]:
    """Return the problem as it will be searched, the engine that will run, and its loop.

    Says in a warning why an engine that was asked for cannot run.

    Args:
        is_asked: the size of the batches was asked for.
    """
    component = problem.frontier.component
    if component.run is not None:
        if engine == "auto":
            warnings.warn(f"frontier {component.name} has no compiled form: it runs interpreted", SearchlabWarning, 4)
        return problem, "readable", _run_of_plugin
    readable = READABLE[component.family]
    if engine == "readable":
        return problem, "readable", readable
    with suspended():
        from searchlab.compiler.functions import CannotCompile
        from searchlab.search.compiled.choosing import compiled_search
    try:
        problem, loop = compiled_search(problem, progress, is_asked=is_asked)
    except CannotCompile as error:
        if engine == "compiled":
            raise UsageError(str(error)) from None
        warnings.warn(f"{error}; the search runs interpreted, about 100 times slower", SearchlabWarning, 4)
        return problem, "readable", readable
    return problem, "compiled", loop


def _run_of_plugin(problem: Problem, watch: Watch) -> Outcome:
    """Run the loop that a frontier strategy brings; whatever goes wrong in it is a PluginError."""
    frontier = problem.frontier
    with PluginCode(lambda error: PluginError(f"frontier {frontier.name} failed: {in_one_line(error)}")):
        outcome = frontier.run(problem, watch)
        if isinstance(outcome, Outcome) and outcome.status in STATUSES:
            cost = None if outcome.cost is None else exact_number(outcome.cost)
            return Outcome(plain_text(outcome.status), _plain(outcome.statistics), list(outcome.boards()), cost)
    raise PluginError(f"frontier {frontier.name} returned {shown(outcome, 80)}, which is no Outcome of a search")


def _plain(statistics: Statistics) -> Statistics:
    """Return the statistics of a plugin's loop as numbers of Python's own."""
    if type(statistics) is not Statistics:
        msg = f"its statistics are {shown(statistics)}, which are no Statistics"
        raise TypeError(msg)
    figures: dict[str, Any] = {name: exact_number(value) for name, value in vars(statistics).items()}
    return Statistics(**figures)


def _result(problem: Problem, outcome: Outcome, reason: str, engine: str, watch: Watch | None = None) -> Result:
    """Return the Result of an outcome, its solution replayed through the domain's readable rules."""
    status = outcome.status
    actions: tuple[str, ...] | None = None
    cost, optimal = None, False
    if status == "exhausted" and problem.complete(outcome.statistics.dead_ends):
        status, reason = "unsolvable", "every state that can be reached was searched"
    boards = outcome.boards()
    if status == "solved":
        replayed = replay(problem, boards)
        wrong = replayed if isinstance(replayed, str) else _disagreement(problem, outcome, replayed, engine)
        if isinstance(replayed, str) or wrong:
            status, reason = "error", wrong
        else:
            actions, cost = replayed.actions, replayed.cost
            optimal = problem.optimal(cost, boards[-1], exact=outcome.cost in (None, cost))
    solved = actions is not None
    return Result(
        status=status,
        start=problem.board,
        domain=str(problem.domain),
        heuristic=str(problem.heuristic),
        frontier=str(problem.frontier),
        reason=reason,
        moves=None if actions is None else len(actions),
        cost=cost,
        actions=actions,
        boards=tuple(boards) if solved else (),
        optimal=optimal,
        seconds=watch.seconds if watch else 0.0,
        cpu_seconds=watch.cpu_seconds if watch else 0.0,
        engine=engine,
        batch=problem.batch,
        versions=dict(versions()),
        **counts(outcome.statistics),
    )


class Replayed(NamedTuple):
    """A solution, played through the domain's rules.

    Attributes:
        actions: the moves, the cheapest ones where several lead to the same board.
        cost: what they cost.
        most: what the dearest of these would cost.
    """

    actions: tuple[str, ...]
    cost: float
    most: float


def replay(problem: Problem, path: list[Board]) -> Replayed | str:
    """Play a solution through the domain's rules; return a line on which move is none, where that is so."""
    domain = problem.domain
    disagree = _disagree(problem)
    if not path or path[0] != problem.board:
        return f"{disagree}: its solution does not begin with the start board"
    actions: list[str] = []
    cost: float = 0
    most: float = 0
    for number, (board, after) in enumerate(pairwise(path), 1):
        final = number == len(path) - 1
        edges = (edge for edge in domain.edges(board) if edge.board == after and (final or not edge.terminal))
        moves = list(islice(edges, 1)) if domain.component.unit_cost else list(edges)
        if not moves:
            return f"{disagree}: move {number} of its solution is none"
        move = min(moves, key=lambda edge: edge.cost)
        actions.append(move.action)
        cost += move.cost
        most += max(edge.cost for edge in moves)
    if not domain.is_goal(path[-1]):
        return f"{disagree}: its solution does not end in a goal"
    return Replayed(tuple(actions), cost, most)


def _disagreement(problem: Problem, outcome: Outcome, replayed: Replayed, engine: str) -> str:
    """Return what is wrong with the cost of a solution, an empty text if it is what the search took it for.

    A search that reopens nodes may have found a shorter path to a node of the solution after it went on from there, so
    that the solution is cheaper than it knows.
    """
    known = outcome.cost
    low, high = replayed.cost, replayed.most
    if known is None or low <= known <= high or same_but_rounded(known, low) or same_but_rounded(known, high):
        return ""
    if known > high and outcome.statistics.reopened:
        return ""
    of_form = f"; the costs of {problem.domain.name}'s packed form are others" if engine == "compiled" else ""
    return f"{_disagree(problem)}: its solution costs {low:.10g}, and the search took it for {known:.10g}{of_form}"


def _disagree(problem: Problem) -> str:
    return f"the search and the rules of {problem.domain.name} disagree"


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of what a search computes with."""
    found = {"python": platform.python_version()}
    for name in ("searchlab", "numba", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return MappingProxyType(found)


def _with_board(error: PluginError) -> str:
    if isinstance(error, EvaluationError):
        return f"{error}\n{error.board}"
    return str(error)
