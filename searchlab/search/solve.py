"""Carry out a search: look up the components, choose the loop, run it, replay the solution, notify plugins."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import cache, partial
from importlib import import_module
from math import inf, isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from searchlab.binding.bound import exact_number
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.errors.caller import warn_caller
from searchlab.errors.garbage import no_garbage_collection
from searchlab.errors.interrupts import HandlersPass
from searchlab.errors.suspension import suspended
from searchlab.files.distributions import installed_version
from searchlab.model.costs import EXACT, exceeds, same_but_rounded
from searchlab.model.limits import Limits, Progress
from searchlab.model.preparation import TableProgress, has_listener_here, listening
from searchlab.model.results import STATUSES, Improvement, Iteration, Outcome, Result, Statistics, counts
from searchlab.model.run_info import RunInfo
from searchlab.model.states import is_board
from searchlab.model.strategies import Heuristic
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_state
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.process_state import StateKept
from searchlab.plugins.registry import given_or_installed
from searchlab.search.problem import EvaluationError, Problem, arithmetic
from searchlab.search.replay import OnBoards, Replayed, disagreement, packed
from searchlab.search.watch import UNDECIDED, Stopped, Watch
from searchlab.search.watchdog import Watchdog
from searchlab.search.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

    from searchlab.binding.bound import Bound
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.compiler.functions import CannotCompile
    from searchlab.model.domain import Domain
    from searchlab.model.extensions import Metric
    from searchlab.model.instance import Instance
    from searchlab.model.preparation import Preparation
    from searchlab.model.results import Value
    from searchlab.model.states import State
    from searchlab.model.strategies import Frontier
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins
    from searchlab.search.readable.node import SearchObserver

    Loop = Callable[[Problem, Watch], Outcome]
    Chosen = tuple[Problem, str, Loop]

READABLE = {
    "best-first": "best_first",
    "queues": "queues",
    "deepening": "deepening",
    "beam": "beam",
    "anytime-beam": "anytime_beam",
    "rectangle": "rectangle",
    "partial-expansion": "partial_expansion",
    "enhanced-partial-expansion": "partial_expansion",
    "bidirectional": "bidirectional",
}
"""By `Frontier.loop`: the module of a readable search, imported on demand; its function has the same name."""
ENGINES = ("auto", "compiled", "readable")
METRIC_KINDS = {"number": "a number", "whole": "a whole number", "text": "a text", "boolean": "True or False"}
ENDED_BY = {"solved": "solution", "unsolvable": "proof"}
"""`Result.ended_by` for these statuses of an outcome; for any other status it is the same word."""
NO_LIMITS = Limits()
LARGEST_WHOLE = 2**63 - 1
"""The largest whole number that a table column can hold."""


def problem(
    board: Board | Instance | str | Path | State | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
    seed: int | None = None,
    plugins: Plugins | None = None,
) -> Problem:
    """Return the Problem that `solve` would search with these arguments, with all parts looked up and checked."""
    given_or_installed(plugins).allow_files(part for part in (heuristic, frontier) if isinstance(part, str))
    start, bound_domain = named_state(board, domain, plugins, default=DEFAULT_DOMAIN)
    default = bound_domain.component.defaults
    wanted = (default.heuristic or NO_ESTIMATE) if heuristic is None else heuristic
    bound_heuristic = lookup.heuristic(wanted, domain=bound_domain, plugins=plugins)
    bound_frontier = seeded(default.frontier if frontier is None else frontier, seed, plugins)
    return Problem(start, bound_domain, bound_heuristic, bound_frontier)


def seeded(
    frontier: str | Frontier | BoundFrontier | Callable[..., float], seed: int | None, plugins: Plugins | None
) -> BoundFrontier:
    """Look up a frontier strategy, and set the seed of a random order unless it is None."""
    return lookup.frontier(frontier, plugins=plugins, **({} if seed is None else {"seed": seed}))


def are_installed(parts: Iterable[Bound], plugins: Plugins) -> bool:
    """Return whether components come from installed plugins, which do not change while a process runs."""
    return all(plugins.is_installed(part.component) for part in parts)


def no_estimate(tiles: Any) -> float:
    """Return 0 for every board: the heuristic for a domain without a default heuristic."""
    return 0.0


def no_estimate_between(tiles: Any, other: Any) -> float:
    """Return 0 for any two boards."""
    return 0.0


NO_ESTIMATE = Heuristic("no_estimate", no_estimate, between=no_estimate_between)


def search(
    problem: Problem,
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    engine: str = "auto",
    batch: int | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_timeout: Callable[[Result], None] | None = None,
    observer: SearchObserver | None = None,
    interpreted_seconds: float = 0.0,
    workspace: Workspace | None = None,
) -> Result:
    """Search for a solution of a problem; see `searchlab.solve`.

    Args:
        on_improvement: called with each solution that is cheaper than all before it, when it is found.
        on_timeout: called in another thread, with the Result so far, when a plugin function does not return although
            the time is up, Ctrl-C was pressed or the memory is exceeded. It must end the process.
        observer: notified of every step of a readable search, unless the frontier has its own loop. When the observer
            is full, the search restarts, compiled if possible; it expands the same nodes.
        interpreted_seconds: the time for the readable engine. If the search finishes within this time, nothing is
            compiled; otherwise it restarts, compiled. Ignored if everything is compiled already, or if an engine was
            chosen.
        workspace: the workspace of the searcher, with everything that earlier searches compiled and allocated.
    """
    problem = checked(problem, engine, batch)
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"limits are an sl.Limits, such as sl.Limits(seconds=5), not {shown(limits)}")
    with _preparations_shown(progress):
        problem.prepare()
        watch = Watch(limits or NO_LIMITS, progress, problem.sign)
        watch.observer, watch.on_improvement = observer, on_improvement
        engine_used = "readable" if engine == "readable" else "compiled"

        def end(status: str, reason: str) -> None:
            assert on_timeout is not None
            watch.note_times()
            on_timeout(_result(problem, Outcome(status, watch.statistics), reason, engine_used, watch))

        watchdog = Watchdog(watch, end) if on_timeout else nullcontext()
        with HandlersPass(), watchdog:
            reason = problem.domain.why_unsolvable(problem.board)
            if reason:
                return _result(problem, Outcome("unsolvable", Statistics()), reason, "readable")
            kept = Workspace() if workspace is None else workspace
            if observer is not None and problem.frontier.component.run is None:
                observed = _observed_search(problem, watch, kept)
                if observed is not None:
                    return observed
                engine, batch, engine_used = "auto", problem.batch, "compiled"
            choose = partial(_choose_loop, problem, engine, kept, batch_given=batch is not None)
            chosen = None
            if interpreted_seconds and engine == "auto":
                chosen = _compiling_nothing(choose)
                if chosen is None:
                    engine_used = "readable"
                    short = _short_search(problem, watch, kept, interpreted_seconds)
                    if short is not None:
                        return short
                    if progress:
                        progress(Progress("starting"))  # remove the progress of the abandoned search
            problem, engine_used, loop = chosen or choose()
            return _run(problem, loop, engine_used, watch, kept)


def _compiling_nothing(choose: Callable[[], Chosen]) -> Chosen | None:
    """Return the chosen loop if everything that it calls is already compiled, else None."""
    with suspended():
        from searchlab.compiler.cache import NotCompiledYet, compiling_nothing
    try:
        with compiling_nothing():
            return choose()
    except NotCompiledYet:
        return None


def _short_search(problem: Problem, watch: Watch, workspace: Workspace, seconds: float) -> Result | None:
    """Search with the readable engine; return None, with the watch reset, if the search is not over within `seconds`.

    A reached limit of time or memory is no result either, because the compiled engine gets much further within it.
    """
    watch.undecided_after = seconds
    result = _run(problem, _readable_loop(problem.frontier.component.loop), "readable", watch, workspace)
    if result.ended_by not in (UNDECIDED, "time-limit", "memory-limit"):
        return result
    watch.undecided_after = inf
    watch.restart()
    return None


def _observed_search(problem: Problem, watch: Watch, workspace: Workspace) -> Result | None:
    """Search with the readable engine; return None, with the watch reset, when the observer is full."""
    result = _run(problem, _readable_loop(problem.frontier.component.loop), "readable", watch, workspace)
    if result.ended_by != UNDECIDED:
        return result
    watch.observer = None
    watch.restart()
    return None


def _preparations_shown(progress: Callable[[Progress], None] | None) -> AbstractContextManager[None]:
    """Show preparations as a phase of the search, unless they are shown already."""
    if progress is None or has_listener_here():
        return nullcontext()

    def show(preparation: Preparation) -> None:
        if preparation.phase == "compiling":
            progress(Progress("compiling"))
        elif isinstance(preparation, TableProgress) and preparation.phase in ("waiting", "building"):
            progress(Progress(preparation.summary))

    return listening(show)


def checked(problem: Problem, engine: str, batch: int | None) -> Problem:
    """Return a problem with the size of batches decided; raise a UsageError if the engine cannot search the problem."""
    check_engine(engine)
    component = problem.frontier.component
    if engine == "compiled" and component.run is not None:
        raise UsageError(f"frontier {component.name} has no compiled form")
    if problem.counts_errors and not problem.trusts_consistency:
        what = f"{component.name} needs a consistent heuristic, and {problem.heuristic.name} is not declared consistent"
        warn_caller(f"{what}: it may end with a dearer solution, and claims nothing but what follows from g + h")
    return problem.in_batches(batch)


def check_engine(engine: str) -> None:
    """Raise a UsageError if no engine has this name."""
    if engine not in ENGINES:
        raise UsageError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")


def _choose_loop(problem: Problem, engine: str, workspace: Workspace, *, batch_given: bool) -> Chosen:
    """Return the problem to be searched, the name of the engine that runs, and the loop.

    If the search runs interpreted because it cannot be compiled, a warning gives the reason.

    Args:
        batch_given: whether the user gave the size of the batches.
    """
    component = problem.frontier.component
    has_boards = is_board(problem.board)
    if component.run is not None:
        if engine == "auto" and has_boards:
            warn_caller(f"frontier {component.name} has no compiled form: it runs interpreted")
        return problem, "readable", _run_of_plugin
    if engine == "compiled":
        problem.domain.states.need_boards(
            problem.board, "the compiled engine", "leave out engine=, or set it to readable"
        )
    if engine == "readable" or not has_boards:
        return problem, "readable", _readable_loop(component.loop)
    cannot_compile, compiled_search = _compiled_engine()
    try:
        problem, loop = compiled_search(problem, workspace, batch_given=batch_given)
    except cannot_compile as error:
        if engine == "compiled":
            raise UsageError(str(error)) from None
        warn_caller(f"{error}; the search runs interpreted, about 100 times slower")
        return problem, "readable", _readable_loop(component.loop)
    return problem, "compiled", loop


@cache
def _readable_loop(name: str) -> Loop:
    """Return the readable search of this name, see `Frontier.loop`."""
    module = READABLE[name]
    loop: Loop = getattr(import_module(f"searchlab.search.readable.{module}"), module)
    return loop


@cache
def _compiled_engine() -> tuple[type[CannotCompile], Callable[..., tuple[Problem, Loop]]]:
    """Import the compiled engine; return CannotCompile and `compiled_search`. The time of the import does not count."""
    with suspended(), no_garbage_collection():
        from searchlab.compiler.functions import CannotCompile
        from searchlab.search.compiled.families import compiled_search
    return CannotCompile, compiled_search


def _run(problem: Problem, loop: Loop, engine: str, watch: Watch, workspace: Workspace) -> Result:
    """Run a loop and return the Result; an exception of a plugin, even during the replay, becomes a Result, too."""
    statistics, watch.replay = watch.statistics, partial(_improvement, problem, engine, workspace)
    try:
        try:
            with watch, arithmetic() if engine == "readable" and loop is not _run_of_plugin else nullcontext():
                outcome = loop(problem, watch)
        except Stopped as stopped:
            outcome = Outcome(stopped.status, statistics)
        except MemoryError:
            outcome = Outcome("memory-limit", statistics)
        return _result(problem, outcome, "", engine, watch)
    except PluginError as error:
        if isinstance(error.__cause__, MemoryError):
            return _result(problem, Outcome("memory-limit", statistics), str(error), engine, watch)
        reason = f"{error}\n{error.board}" if isinstance(error, EvaluationError) else str(error)
        return _result(problem, Outcome("error", statistics), reason, engine, watch)


def _run_of_plugin(problem: Problem, watch: Watch) -> Outcome:
    """Run the own loop of a frontier strategy; every failure in it becomes a PluginError."""
    frontier = problem.frontier
    with PluginCode(lambda error: PluginError(f"frontier {frontier.name} failed: {in_one_line(error)}")):
        outcome = frontier.run(problem, watch)
        if isinstance(outcome, Outcome):
            if outcome.status not in STATUSES:
                wrong = (
                    f"an Outcome with the status {shown(outcome.status, 40)}, which is none of {', '.join(STATUSES)}"
                )
                raise PluginError(f"frontier {frontier.name} returned {wrong}")
            cost = None if outcome.cost is None else exact_number(outcome.cost)
            least = None if outcome.least_f is None else exact_number(outcome.least_f())
            least_f = None if least is None else partial(float, least)
            statistics = _plain_statistics(outcome.statistics)
            return Outcome(str(outcome.status), statistics, list(outcome.states()), cost, least_f)
    raise PluginError(f"frontier {frontier.name} returned {shown(outcome, 80)}, not an Outcome")


def _plain_statistics(statistics: Statistics) -> Statistics:
    # A plugin may count with numbers of its own types.
    if not isinstance(statistics, Statistics):
        msg = f"its statistics are {shown(statistics)}, not Statistics"
        raise TypeError(msg)
    figures: dict[str, Any] = {name: exact_number(value) for name, value in vars(statistics).items()}
    return Statistics(**figures)


def _result(problem: Problem, outcome: Outcome, reason: str, engine: str, watch: Watch | None = None) -> Result:
    """Return the Result of an outcome, after the solution is replayed through the rules of the domain."""
    status, ended_by = outcome.status, ENDED_BY.get(outcome.status, outcome.status)
    solutions = watch.solutions[:] if watch else []
    seconds, cpu_seconds = (watch.seconds, watch.cpu_seconds) if watch else (0.0, 0.0)
    if status == "solved" and (outcome.path or not solutions):
        assert watch is not None
        assert watch.replay is not None
        try:
            found = watch.replay(outcome.states(), outcome.cost, outcome.statistics, seconds)
            solutions.append(found)
            if watch.on_improvement:
                watch.on_improvement(found)
        except PluginError as error:
            status, ended_by, reason = "error", "error", str(error)
    elif status == "exhausted" and not solutions and is_complete(problem, outcome):
        status, ended_by, reason = "unsolvable", "proof", "every state that can be reached was searched"
        if not problem.domain.all_edges(problem.board):
            reason = "no move is possible from this board"
    best = solutions[-1] if solutions else None
    proved = NOTHING_PROVED
    if status not in ("unsolvable", "error"):
        proved = proved_of(problem, outcome, best) if best else Proved(lower_bound(problem, outcome)[0])
    layers = _layers(watch, outcome.statistics) if watch else ()
    if outcome.release:
        outcome.release()
    return Result.of_fields(
        status="solved" if best and status != "error" else status,
        start=problem.board,
        domain=str(problem.domain),
        heuristic=str(problem.heuristic) if problem.estimates else "",
        frontier=str(problem.frontier),
        reason=reason,
        direction=problem.heuristic.direction if problem.estimates else "",
        moves=best.moves if best else None,
        cost=best.cost if best else None,
        actions=best.unread("actions") if best else None,
        states=best.unread("states") if best else (),
        labels=_labels(problem, best),
        optimal=proved.bound == 1,
        lower_bound=proved.lower_bound,
        bound=proved.bound,
        bound_by=proved.by,
        ended_by="proof" if ended_by == "exhausted" and proved.bound == 1 else ended_by,
        solutions=tuple(solutions),
        layers=layers,
        met_at=outcome.met_at if best else None,
        met_cost=outcome.met_cost if best else None,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        engine=engine,
        batch=problem.batch,
        instance=problem.domain.instance,
        versions=dict(versions()),
        metrics={},
        **counts(outcome.statistics),
    )


def _layers(watch: Watch, statistics: Statistics) -> Any:
    """Return the counts of each iteration; for best-first searches a function that returns them by f, if complete."""
    if watch.layers_by_f:
        counts = watch.layers_by_f()
        watch.layers_by_f = None  # it would keep the nodes of the search in memory
        return partial(_by_f, counts) if sum(counts[::2]) == statistics.expanded else ()
    ends = [*watch.iterations[1:], (0.0, statistics.expanded, statistics.generated)]
    return tuple(
        Iteration(limit, end[1] - expanded, end[2] - generated)
        for (limit, expanded, generated), end in zip(watch.iterations, ends, strict=False)
    )


def _by_f(counts: list[int]) -> tuple[Iteration, ...]:
    each = enumerate(zip(counts[::2], counts[1::2], strict=True))
    return tuple(Iteration(f, expanded, generated) for f, (expanded, generated) in each if expanded)


def _improvement(
    problem: Problem,
    engine: str,
    workspace: Workspace,
    states: Sequence[State],
    cost: float | None,
    statistics: Statistics,
    seconds: float,
) -> Improvement:
    """Return a solution, replayed through the rules of the domain.

    Args:
        states: the states, start first.
        cost: the cost according to the search, None if unknown.
        statistics: the statistics when the solution was found.
        seconds: the time at which the solution was found.

    Raises:
        PluginError: the solution is invalid, or has another cost.
    """
    replayed = workspace.replays(problem.board).replay(problem, states)
    wrong = replayed if isinstance(replayed, str) else _wrong_cost(problem, cost, statistics, replayed, engine)
    if isinstance(replayed, str) or wrong:
        raise disagreement(problem, wrong)
    words = packed(states) if callable(replayed.actions) else None  # otherwise the replay has made boards
    actions: Any = replayed.actions
    boards: Any = words.boards if words else tuple(states)
    return Improvement(seconds, statistics.expanded, replayed.cost, actions, boards, len(states) - 1)


class Proved(NamedTuple):
    """The proved claims about the solution cost; see `Result`."""

    lower_bound: float | None
    bound: float | None = None
    by: str = ""


NOTHING_PROVED = Proved(None)


def is_complete(problem: Problem, outcome: Outcome) -> bool:
    """Return whether a search that ran out of nodes has proved that there is no solution."""
    if problem.complete(outcome.statistics.dead_ends):
        return True
    return problem.frontier.component.complete is not False and outcome.least_f is not None and outcome.least_f() == inf


def lower_bound(problem: Problem, outcome: Outcome) -> tuple[float, str]:
    """Return a lower bound on the solution cost, and its source: "search" or "domain"."""
    of_search = outcome.least_f() if outcome.least_f else 0.0
    of_domain = problem.lower_bound
    return (of_domain, "domain") if of_domain >= of_search else (of_search, "search")


def proved_of(problem: Problem, outcome: Outcome, solution: Improvement) -> Proved:
    """Return the proved claims about the cost of a solution."""
    cost = solution.cost
    if cost > EXACT:
        # Larger sums of whole numbers are rounded: another solution may be cheaper by one.
        return Proved(min(cost, lower_bound(problem, outcome)[0]))
    if not exceeds(cost, problem.lower_bound):
        return Proved(cost, 1.0, "domain")
    goal = None if _is_least_known(problem, outcome) else solution.states[-1]
    guaranteed = problem.guaranteed(cost, goal, exact=outcome.cost in (None, cost))
    if guaranteed <= 1:
        return Proved(cost, 1.0, "search")
    least, by = lower_bound(problem, outcome)
    if not exceeds(cost, least):
        return Proved(cost, 1.0, by)
    bound = cost / least if least > 0 else inf
    if bound <= guaranteed < inf or bound < inf == guaranteed:
        return Proved(least, bound, by)
    return Proved(least, guaranteed, "weight") if guaranteed < inf else Proved(least)


def _labels(problem: Problem, best: Improvement | None) -> tuple[str, ...]:
    """Return the texts of the states of a solution, or of the start, if they are not boards."""
    if is_board(problem.board):
        return ()
    return tuple(map(problem.domain.states.text, best.states if best else (problem.board,)))


def _is_least_known(problem: Problem, outcome: Outcome) -> bool:
    """Return whether a search has evaluated all nodes, including the goal, and found no h below 0."""
    component = problem.frontier.component
    return component.run is None and component.family == "best-first" and 0 <= outcome.statistics.best_h < inf


def _wrong_cost(
    problem: Problem, known: float | None, statistics: Statistics, replayed: Replayed | OnBoards, engine: str
) -> str:
    """Return an error message for a wrong solution cost, or ''."""
    low, high = replayed.cost, replayed.most
    if known is None or low <= known <= high or same_but_rounded(known, low) or same_but_rounded(known, high):
        return ""
    # A search that reopens nodes may find a shorter path to a node of the solution after it expanded that node. Then
    # the solution is cheaper than the search knows.
    if known > high and statistics.reopened:
        return ""
    of_form = f"; the costs of {problem.domain.name}'s packed form are others" if engine == "compiled" else ""
    return f"the solution costs {low:.10g}, but the search reported {known:.10g}{of_form}"


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of Python and of the packages that searches use."""
    found = {"python": sys.version.partition(" ")[0]}
    for name in ("searchlab", "numba", "numpy"):
        found[name] = installed_version(name) or "not installed"
    return MappingProxyType(found)


class ObservedRun:
    """A context manager around a search that notifies plugins of the start and, once, of the end.

    Args:
        problem: the problem that is searched.
        limits: the limits of the search.
        plugins: the plugins that observe the run.
        name: the name of the board that the user gave.
        seed: the seed from which the board was generated.

    Attributes:
        result: the result of the search, set by the caller; metrics are added at the end of the context.
    """

    result: Result

    def __init__(
        self, problem: Problem, limits: Limits | None, plugins: Plugins, *, name: str = "", seed: int | None = None
    ) -> None:
        names = (str(problem.domain), str(problem.heuristic), str(problem.frontier))
        self._run = RunInfo(problem.board, *names, limits or NO_LIMITS, name, seed)
        self._plugins = plugins
        self._kept = StateKept()

    def __enter__(self) -> Self:
        self._plugins.notify("run_started", run=self._run)
        self._kept.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._kept.__exit__()
        if error is None:
            self.result = self.finish(self.result)
            return
        run = self._run
        names = run.domain, run.heuristic, run.frontier
        failed = Result("error", run.start, *names, in_one_line(error), ended_by="error")
        self._plugins.notify("run_failed", run=run, result=failed)

    def finish(self, result: Result) -> Result:
        """Notify plugins of a result; return it with its metrics."""
        result = measured(result, self._plugins)
        occasion = "run_failed" if result.status == "error" else "run_finished"
        self._plugins.notify(occasion, run=self._run, result=result)
        return result


def measured(result: Result, plugins: Plugins) -> Result:
    """Return a result with the values of all metrics. A failed metric has no value, and is reported once."""
    values: dict[str, Value] = {}
    for registered in plugins.all("metric"):
        metric, plugin = registered.component, registered.plugin
        try:
            with PluginCode(partial(_metric_failure, plugin), ()):
                values[metric.name] = metric_value(metric, result)
        except PluginError as error:
            values[metric.name] = None
            what = f"metric {metric.name!r} failed: {error}; its value is missing"
            plugins.report(plugin, what, about=f"metric {metric.name}")
    return result.with_metrics(values) if values else result


def _metric_failure(plugin: Plugin, error: BaseException) -> PluginError:
    return PluginError(in_one_line(error, plugin.file))


def metric_value(metric: Metric, result: Result) -> Value:
    """Return the value of a metric in a built-in type, a text in one line; None for a missing value and for NaN.

    Raises:
        TypeError: the value is not of the kind that the metric declares.
    """
    returned: Any = metric.function(result)
    value = returned.item() if hasattr(returned, "item") else returned
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if not _is_of_kind(value, metric.kind):
        wanted = f"kind={metric.kind!r} means {METRIC_KINDS[metric.kind]}"
        msg = f"it returned {type(returned).__name__} {shown(returned, 40)}, and {wanted}"
        raise TypeError(msg)
    if metric.kind == "number":
        return float(value)
    if metric.kind == "text":
        return " ".join(str(value).splitlines())
    return value if metric.kind == "boolean" else int(value)


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    if kind == "whole":
        return isinstance(value, int) and abs(value) <= LARGEST_WHOLE
    return isinstance(value, int | float)
