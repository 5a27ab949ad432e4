"""`searchlab solve`: search for a solution of a board."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    DELAY,
    OUTPUT_PATH,
    batch_option,
    common_options,
    delay_option,
    domain_options,
    engine_option,
    json_option,
    limit_options,
    limits_of,
    output_option,
    renderer_option,
    search_options,
    to_option,
)
from searchlab.cli.output import (
    as_json,
    check_output,
    chosen_form,
    put,
    shows_colour,
    tell,
)
from searchlab.cli.process import INTERRUPTED, LIMIT_REACHED, PLUGIN_FAILED, UNSOLVABLE, exit_now
from searchlab.errors import PluginError, UsageError
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted, memory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.instance_files import NamedInstance
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.drawing import Drawer
    from searchlab.cli.session import Session
    from searchlab.cli.summary import SearchSummary
    from searchlab.model.limits import Limits
    from searchlab.model.results import Improvement, Result
    from searchlab.plugins.registry import Plugins
    from searchlab.reports.trace import TraceRecorder
    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import SearchObserver

EXIT_CODES = {"solved": 0, "unsolvable": UNSOLVABLE, "error": PLUGIN_FAILED, "interrupted": INTERRUPTED}
INTERPRETED_SECONDS = 0.3
"""The seconds that a search runs interpreted before its functions are compiled, if its result is only shown."""
ENDED_EARLY = ("time-limit", "memory-limit", "expansion-limit", "interrupted")
PLAN_ACTION = re.compile(r"\([^\s();]+( [^\s();]+)*\)")
"""An action as in the files of plans: a name and arguments."""
FEW_EXPANSIONS = 100
"""The limit of expansions below which hardly any search finds a solution, so that no other is recommended."""


@click.command(
    cls=Command,
    examples=(
        "searchlab solve 2048/board10",
        "searchlab solve sliding-tile/puzzle8-31 --frontier ida-star --transcript",
        "searchlab solve sliding-tile/puzzle8-31 --to '1 2 3/8 0 4/7 5 6'",
        "searchlab solve board.txt --heuristic mine.py:my_function --time-limit 1m",
    ),
)
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@to_option
@search_options
@engine_option("compiled if possible, but readable if that is faster than compiling")
@batch_option
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Random seed of a frontier with order=random (default 0)."
)
@limit_options
@json_option("the result")
@click.option("--improvements", is_flag=True, help="With --json: print each better solution as it is found, in a line.")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board of the solution.")
@click.option("--moves-only", is_flag=True, help="Print the moves in one line.")
@click.option("--watch", is_flag=True, help="Show the solution on the terminal, move by move.")
@delay_option
@renderer_option
@output_option
@click.option("--record", type=OUTPUT_PATH, metavar="FILE.csv", help="Append the run to a table, as a row.")
@click.option(
    "--plan-file",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write the plan of a planning task to a file, in the format that validators read.",
)
@click.option(
    "--certificate",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write a proof that the solution is optimal, or that there is none, for searchlab check-proof.",
)
@click.option(
    "--trace",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="Write every step of the search to FILE.trace.json, for searchlab view; it runs interpreted.",
)
@click.option(
    "--trace-limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of events to trace (default 20,000); after them the search goes on compiled.",
)
@common_options
@click.pass_context
def solve(
    context: click.Context,
    board: str | None,
    domain: str | None,
    goal: str | None,
    to: str | None,
    heuristic: str | None,
    frontier: str | None,
    engine: str,
    batch: int | None,
    seed: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    json: bool,
    improvements: bool,
    transcript: bool,
    moves_only: bool,
    watch: bool,
    delay: float | None,
    renderer: str | None,
    output: Path | None,
    record: Path | None,
    plan_file: Path | None,
    certificate: Path | None,
    trace: Path | None,
    trace_limit: int | None,
) -> int:
    """Search for a solution of a board.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard
    input; without it the search begins from the start board of the domain, by default 2048.

    Exit codes: 0 solved, 1 unsolvable, 2 a usage error, 3 a limit was reached or the search is exhausted,
    4 an error in a plugin, 5 the machine failed (a full disk), 130 interrupted.
    """
    session: Session = context.obj
    form = chosen_form(json=json, transcript=transcript, moves_only=moves_only)
    if improvements and (form != "json" or output):
        raise UsageError("--improvements is for --json, without --output")
    _check_watch(form, output, delay, watch=watch)
    _check_files(session, output, record)
    from searchlab.cli.arguments import DomainChoice, direction_hint, read_named_board, report_guess
    from searchlab.cli.drawing import drawer

    choice = DomainChoice(domain, goal, session.plugins, to=to)
    named = None if board is None else read_named_board(board, choice)
    problem = named_problem(choice, named, heuristic, frontier, seed)
    if watch:
        problem.domain.states.need_boards(problem.board, "--watch", "leave it out")
    draws = drawer(problem.domain, renderer, session.plugins, colour=output is None and shows_colour(standard_output()))
    if named and choice.is_guess(named):
        report_guess(problem.domain)
    if plan_file:
        check_plan_file(plan_file, problem)
    check_output(certificate)
    recorder = _recorder(trace, trace_limit, problem, engine, batch)
    if recorder:
        engine, batch = "readable", 1
    report = _SolveReport(
        problem=problem,
        limits=limits_of(time_limit, memory_limit, max_expansions),
        name=named.name if named else "",
        known_optimum=choice.known_optimum(named) if named else None,
        drawer=draws,
        form=form,
        output=output,
        record=record,
        plan_file=plan_file,
        trace=trace,
        recorder=recorder,
        hint=direction_hint(problem.heuristic, heuristic, session.plugins) if heuristic and problem.estimates else "",
        suggest=_suggestion(context),
    )
    interpreted_seconds = (
        INTERPRETED_SECONDS if is_installed(problem, session.plugins) and not (json or record) else 0.0
    )
    result = _search(report, engine, batch, interpreted_seconds, session.plugins, prints_improvements=improvements)
    if watch and result.actions:
        watch_solution(problem, result, draws, session, DELAY if delay is None else delay)
    code = report.finish(result)
    if certificate:
        _write_certificate(certificate, problem, result, memory_limit)
    if code == 0 and interpreted_seconds and engine == "auto" and went_without_compiling(problem, result):
        from searchlab.cli.warm_up import advise_once

        advise_once(went_without=True)
    return code


def _suggestion(context: click.Context) -> Callable[[Problem, str], None]:
    """Return the function that recommends a command with the same board, domain and limits."""
    given, session = context.params, context.obj
    seconds = given["time_limit"]
    options = {
        "domain": given["domain"],
        "goal": given["goal"],
        "to": given["to"],
        "time-limit": seconds and f"{seconds:g}s",
        "memory-limit": given["memory_limit"],
        "max-expansions": given["max_expansions"],
    }
    words = ["solve", *filter(None, [given["board"]])]
    return partial(suggest_another, words=words, options=options, files=session.files)


def _check_watch(form: str, output: Path | None, delay: float | None, *, watch: bool) -> None:
    """Raise a UsageError if the solution cannot be shown on the terminal, or not together with other options."""
    chosen_form(watch=watch, **{form: True} if form else {})
    chosen_form(watch=watch, output=output is not None)
    if delay is not None and not watch:
        raise UsageError("--delay is for --watch")
    if watch:
        from searchlab.cli.terminal.app import check_shows_games

        check_shows_games()


def _check_files(session: Session, output: Path | None, record: Path | None) -> None:
    """Raise a UsageError for a file to which the result cannot be written, or a table that cannot take its row."""
    check_output(output)
    if record:
        from searchlab.experiments.record import check

        check(record, [registered.component.name for registered in session.plugins.all("metric")])


class _SolveReport(NamedTuple):
    """The output of a search's result.

    Attributes:
        problem, limits: the problem and the limits.
        name: the name of the board, `""` for the start of the domain.
        known_optimum: the optimal solution cost, or None if unknown.
        drawer: draws boards.
        form, output: the form of the output, and its file.
        record: the table that the result is appended to.
        plan_file: the file for the plan.
        trace, recorder: the file for the steps of the search, and their recorder.
        hint: how to reverse the sense of the heuristic, `""` if it is clear.
        suggest: recommends a command that may do better, given a problem and the status of its search.
    """

    problem: Problem
    limits: Limits
    name: str
    known_optimum: float | None
    drawer: Drawer
    form: str
    output: Path | None
    record: Path | None
    plan_file: Path | None
    trace: Path | None
    recorder: TraceRecorder | None
    hint: str
    suggest: Callable[[Problem, str], None]

    def finish(self, result: Result) -> int:
        """Report the result; return the exit code."""
        from searchlab.cli.summary import SearchSummary

        if self.trace and self.recorder:
            _write_trace(self.trace, self.recorder, result, self.name)
        summary = SearchSummary(result, self.problem, self.limits, self.drawer, self.known_optimum)
        code = _finish(summary, self.form, self.output, self.record)
        if self.plan_file:
            write_plan(self.plan_file, self.problem, result)
        if self.hint and not self.form and result.status != "error":
            tell(self.hint)
        was_tried = result.status != "expansion-limit" or result.expanded >= FEW_EXPANSIONS
        if self.form != "json" and result.status in ENDED_EARLY and was_tried:
            self.suggest(self.problem, result.status)
        return code


def _search(
    report: _SolveReport,
    engine: str,
    batch: int | None,
    interpreted_seconds: float,
    plugins: Plugins,
    *,
    prints_improvements: bool,
) -> Result:
    """Search, with metrics and notices of plugins; if the search hangs, report the result so far and exit."""
    from searchlab.search.solve import ObservedRun

    with ObservedRun(report.problem, report.limits, plugins, name=report.name) as run:
        run.result = search_and_show(
            report.problem,
            report.limits,
            engine,
            batch,
            lambda result: report.finish(run.finish(result)),
            report.recorder,
            interpreted_seconds=interpreted_seconds,
            on_improvement=_print_improvement if prints_improvements else None,
        )
    return run.result


def _print_improvement(solution: Improvement) -> None:
    """Print a solution in a line of JSON, at once."""
    put(as_json({**solution.figures(), "moves": solution.moves, "actions": list(solution.actions)}), end="")
    stream = standard_output()
    if stream is not None:
        stream.flush()


def is_installed(problem: Problem, plugins: Plugins) -> bool:
    """Return whether all parts of a problem are installed plugins'.

    The author of a function in a file wants to know whether it can be compiled. An instance is compiled at once, too.
    """
    from searchlab.search.solve import are_installed

    parts = problem.domain, *problem.heuristic.members, problem.frontier
    return problem.domain.instance is None and are_installed(parts, plugins)


def went_without_compiling(problem: Problem, result: Result) -> bool:
    """Return whether a search ended before it was compiled, as opposed to one that cannot be compiled."""
    from searchlab.model.states import is_board  # late: it imports NumPy

    has_kernels = problem.frontier.component.run is None and is_board(problem.board)
    can_be = has_kernels and problem.domain.packed(problem.board) is not None
    return can_be and result.engine == "readable"


def watch_solution(problem: Problem, result: Result, drawer: Drawer, session: Session, delay: float) -> None:
    """Show a solution on the terminal, move by move."""
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.terminal.app import watch_moves

    assert result.actions is not None
    setup = GameSetup(problem.domain, problem.board, 0, drawer, session.plugins)
    watch_moves(setup, result.actions, delay, result.frontier)


def _recorder(
    trace: Path | None, limit: int | None, problem: Problem, engine: str, batch: int | None
) -> TraceRecorder | None:
    """Return the recorder of the search's events, or None if no trace is wanted."""
    if trace is None:
        if limit is not None:
            raise UsageError("--trace-limit is for --trace")
        return None
    if engine == "compiled":
        raise UsageError("--trace follows the readable engine, not the compiled one")
    if batch not in (None, 1):
        raise UsageError("--trace follows a search that evaluates its nodes one by one, not in batches")
    from searchlab.reports.trace import EVENTS, SUFFIX, TraceRecorder

    if not trace.name.endswith(SUFFIX):
        raise UsageError(f"{trace}: the name of a trace ends in {SUFFIX}")
    check_output(trace)
    return TraceRecorder(problem, EVENTS if limit is None else limit)


def _write_trace(trace: Path, recorder: TraceRecorder, result: Result, name: str) -> None:
    from searchlab.files import write

    write(trace, recorder.parts(result, name))
    if recorder.is_full:
        tell(f"{trace}: the first {len(recorder.events) - 1:,} events (--trace-limit); the search went on")


def check_plan_file(path: Path, problem: Problem) -> None:
    """Raise a UsageError if no file can be written here, or the domain's actions are not those of a plan."""
    check_output(path)
    for action, _ in problem.domain.successors(problem.board)[:1]:
        check_plan([action], problem)


def check_plan(actions: Sequence[str], problem: Problem) -> None:
    """Raise a UsageError if an action is not written as in plans, like `(move rooma roomb)`."""
    other = next((action for action in actions if not PLAN_ACTION.fullmatch(action)), None)
    if other is not None:
        raise UsageError(
            f"--plan-file is for actions like '(move rooma roomb)', and {problem.domain.name} has {other!r}: "
            f"use --moves-only --output FILE"
        )


def write_plan(path: Path, problem: Problem, result: Result) -> None:
    """Write a solution in the format of the International Planning Competition: an action a line, and the cost."""
    from searchlab.files import write

    if result.actions is None:
        tell(f"{path}: not written, there is no plan")
        return
    check_plan(result.actions, problem)
    kind = "unit cost" if problem.domain.unit_cost else "general cost"
    lines = [*(action.lower() for action in result.actions), f"; cost = {result.cost:.15g} ({kind})"]
    write(path, (f"{line}\n" for line in lines))


def _write_certificate(path: Path, problem: Problem, result: Result, memory_limit: int | None) -> None:
    """Write the certificate of a result, or print a line that says why there is none."""
    from searchlab.cli.progress import live_status
    from searchlab.files import file_error
    from searchlab.model.limits import Limits
    from searchlab.search import certificate
    from searchlab.search.closed_states import CheaperSolution
    from searchlab.search.watch import Stopped, Watch

    why = certificate.why_no_certificate(result)
    try:
        if not why:
            with live_status() as show:
                show(f"{path}: the states that prove it …")
                states = certificate.write_certificate(path, problem, result, Watch(Limits(memory=memory_limit)))
            tell(f"{path}: {counted(states, 'closed state')}, {memory(path.stat().st_size)}")
            return
    except OSError as error:
        raise file_error(path, error) from None
    except Stopped as stopped:
        why = "the closed states need more memory" if stopped.status == "memory-limit" else stopped.status
    except CheaperSolution as found:
        raise PluginError(f"{path}: not written, the result is wrong: {found}\n{found.state}") from None
    tell(f"{path}: not written: {why}")


def _finish(summary: SearchSummary, form: str, output: Path | None, record: Path | None) -> int:
    """Write a result and record it; return the exit code."""
    summary.write(form, output)
    if record:
        from searchlab.experiments.record import append

        append(record, summary.result)
    return EXIT_CODES.get(summary.result.status, LIMIT_REACHED)


def suggest_another(
    problem: Problem, status: str, words: Sequence[str], options: Mapping[str, object], files: Sequence[str]
) -> None:
    """Print a command that may do better than a search that was ended early, if one is known.

    Args:
        problem: the problem.
        status: the status of the search.
        words: the command and its arguments.
        options: its options by name; None for options that were not given.
        files: the plugin files it loads.
    """
    import shlex

    other = another_search(problem, status)
    if other is None:
        return
    heuristic, frontier, why = other
    given = {**options, "heuristic": heuristic, "frontier": frontier}
    listed = [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    loaded = [word for file in files for word in ("--plugin", file)]
    tell(f"this may help ({why}): {shlex.join(['searchlab', *loaded, *words, *listed])}")


def another_search(problem: Problem, status: str) -> tuple[str, str, str] | None:
    """Return the heuristic and the frontier that may do better than a search that was ended early, and why."""
    defaults, heuristic = problem.domain.component.defaults, problem.heuristic
    frontier = problem.frontier.name
    if not defaults.heuristic:
        return None
    own = short_name(defaults.heuristic), short_name(defaults.frontier)
    used = (heuristic.name if problem.estimates else "", frontier)
    if used != own:
        return *own, f"{problem.domain.name} recommends them"
    if status == "memory-limit" and heuristic.prefer == "low":
        return own[0], "ida-star", "it needs hardly any memory"
    if frontier != "greedy":
        return own[0], "greedy", "it finds a solution sooner, not always a shortest one"
    return None


def short_name(name: str) -> str:
    """Return the name of a shipped component without the plugin, as users write it."""
    return name.removeprefix("searchlab/")


def named_problem(
    choice: DomainChoice,
    named: NamedInstance | None,
    heuristic: str | None,
    frontier: str | None,
    seed: int | None = None,
) -> Problem:
    """Return the problem that the arguments name; without a board it begins at the start of the domain."""
    from searchlab.cli.progress import evaluation_progress
    from searchlab.search.solve import problem

    domain = choice.of(named) if named else choice.without_board()
    if named is None and heuristic and choice.named() is None:
        _check_made_for(heuristic, domain, choice.plugins)
    with evaluation_progress() as show:
        show(f"board {named.name} of {domain}" if named else f"start board of {domain}")
        return problem(
            named.board if named else None,
            domain=domain,
            heuristic=heuristic,
            frontier=frontier,
            seed=seed,
            plugins=choice.plugins,
        )


def _check_made_for(heuristic: str, domain: BoundDomain, plugins: Plugins) -> None:
    """Raise a UsageError if a heuristic is made for other domains than this one, which is only the default."""
    from searchlab.binding.names import parse_name
    from searchlab.plugins.found import serves

    try:
        component = plugins.get("heuristic", parse_name(heuristic), domain).component
    except UsageError:  # raised again with the board
        return
    if not serves(component, domain):
        made_for = ", ".join(sorted(component.domains))
        raise UsageError(
            f"heuristic {component.name!r} is made for {made_for}, and without a board {domain.name} is searched: "
            f"name a board ('searchlab boards' lists some) or a --domain"
        )


def search_and_show(
    problem: Problem,
    limits: Limits,
    engine: str,
    batch: int | None,
    finish: Callable[[Result], int],
    observer: SearchObserver | None = None,
    interpreted_seconds: float = 0.0,
    on_improvement: Callable[[Improvement], None] | None = None,
) -> Result:
    """Search with a progress display; if the search hangs, report the result so far and exit."""
    from searchlab.cli.progress import search_progress
    from searchlab.search.solve import search

    with search_progress(limits) as progress:

        def report_and_exit(result: Result) -> None:
            progress.clear()
            exit_now(partial(finish, result))

        return search(
            problem,
            limits=limits,
            progress=progress,
            on_improvement=on_improvement or progress.improved,
            engine=engine,
            batch=batch,
            on_timeout=report_and_exit,
            observer=observer,
            interpreted_seconds=interpreted_seconds,
        )
