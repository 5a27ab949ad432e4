"""`searchlab solve`: search for a solution of a board."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.options import (
    batch_option,
    common_options,
    domain_options,
    engine_option,
    json_option,
    limit_options,
    limits_of,
    renderer_option,
)
from searchlab.cli.output import (
    PLAIN_WIDTH,
    as_json,
    check_output,
    chosen_form,
    page_width,
    shows_colour,
    tell,
    tell_error,
    write_output,
)
from searchlab.cli.process import exit_now
from searchlab.cli.summary import SearchSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.cli.arguments import DomainChoice, NamedBoard
    from searchlab.cli.session import Session
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.search.problem import Problem

EXIT_CODES = {"solved": 0, "unsolvable": 1, "error": 4, "interrupted": 130}
LIMIT_REACHED = 3


@click.command()
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@click.option("--heuristic", metavar="NAME", help="By default the domain's own; FILE.py:function will do.")
@click.option("--frontier", metavar="NAME", help="The strategy: greedy, astar … By default the domain's own.")
@engine_option
@batch_option
@limit_options
@json_option("the result")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board of the solution.")
@click.option("--moves-only", is_flag=True, help="Print the moves in one line.")
@renderer_option
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file instead.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE.csv", help="Append the run as a row.")
@common_options
@click.pass_obj
def solve(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    heuristic: str | None,
    frontier: str | None,
    engine: str,
    batch: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    json: bool,
    transcript: bool,
    moves_only: bool,
    renderer: str | None,
    output: Path | None,
    record: Path | None,
) -> int:
    """Search for a solution of a board.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard
    input; without it the search begins from the start board of the domain, by default 2048.

    Exit codes: 0 solved, 1 unsolvable, 2 a usage error, 3 a limit was reached or the search is exhausted,
    4 an error in a plugin, 5 the machine failed (a full disk), 130 interrupted.
    """
    form = chosen_form(json=json, transcript=transcript, moves_only=moves_only)
    check_output(output)
    if record:
        from searchlab.experiments.record import check

        check(record, [registered.component.name for registered in session.plugins.all("metric")])
    from searchlab.cli.arguments import DomainChoice, read_named_board, report_guess
    from searchlab.cli.drawing import drawer

    choice = DomainChoice(domain, goal, session.plugins)
    named = None if board is None else read_named_board(board)
    problem = _problem(choice, named, heuristic, frontier)
    colour = output is None and shows_colour(sys.stdout)
    draws = drawer(problem.domain, renderer, session.plugins, colour=colour)
    if named and choice.is_guess(named):
        report_guess(problem.domain)
    limits = limits_of(time_limit, memory_limit, max_expansions)
    known = choice.known_optimum(named) if named else None

    def tell_result(result: Result) -> int:
        return _tell(SearchSummary(result, problem, limits, draws, known), form, output, record, colour=colour)

    from searchlab.search.solve import ObservedRun

    with ObservedRun(problem, limits, session.plugins, name=named.name if named else "") as run:
        run.result = _search(
            problem,
            limits,
            engine,
            batch,
            lambda result: tell_result(run.finish(result)),
            partial(_tell_outside, limits=limits, form=form, output=output, record=record, colour=colour),
        )
    return tell_result(run.result)


def _tell(report: SearchSummary, form: str, output: Path | None, record: Path | None, *, colour: bool) -> int:
    """Hand over a result and record it; return the exit code."""
    _show(report, form, output, colour=colour)
    if record:
        from searchlab.experiments.record import append

        append(record, report.result)
    return EXIT_CODES.get(report.result.status, LIMIT_REACHED)


def _tell_outside(
    result: Result, limits: Limits, form: str, output: Path | None, record: Path | None, *, colour: bool
) -> int:
    """The same in another process, where no plugin is loaded: without what they measure and draw."""
    return _tell(SearchSummary(result, None, limits, None), form, output, record, colour=colour)


def _problem(choice: DomainChoice, named: NamedBoard | None, heuristic: str | None, frontier: str | None) -> Problem:
    """Return the problem that was named; without a board it begins from the domain's start."""
    from searchlab.search.solve import problem

    return problem(
        named.board if named else None,
        domain=choice.of(named) if named else choice.without_board(),
        heuristic=heuristic,
        frontier=frontier,
        plugins=choice.plugins,
    )


def _search(
    problem: Problem,
    limits: Limits,
    engine: str,
    batch: int | None,
    tell_result: Callable[[Result], int],
    tell_outside: Callable[[Result], int],
) -> Result:
    """Search, and show how far it is to whoever watches; if that hangs, tell the result so far and be gone."""
    from searchlab.cli.progress import live_progress
    from searchlab.search.solve import search

    with live_progress(limits) as progress:

        def leave(result: Result) -> None:
            if progress:
                progress.clear()
            exit_now(partial(tell_result, result))

        return search(
            problem,
            limits=limits,
            progress=progress,
            engine=engine,
            batch=batch,
            on_timeout=leave,
            fallback=tell_outside,
        )


def _show(report: SearchSummary, form: str, output: Path | None, *, colour: bool) -> None:
    """Print a result, or write it to a file."""
    result = report.result
    if result.status == "error":
        tell_error(result.reason.splitlines()[0])
    elif form in ("transcript", "moves_only") and result.actions is None:
        tell(report.outcome)
    write_output(_content(report, form, PLAIN_WIDTH if output else page_width(), colour=colour), output)


def _content(report: SearchSummary, form: str, width: int, *, colour: bool) -> Iterator[str]:
    """Yield a result in the form that was asked for, piece by piece."""
    result = report.result
    if form == "json":
        yield as_json(result.as_dict())
    elif form == "moves_only" and result.actions is not None:
        yield " ".join(result.actions) + "\n"
    elif form == "transcript" and result.actions is not None and report.problem and report.drawer:
        yield report.problem.domain.solution_headline(len(result.actions), proved=result.optimal) + "\n"
        for board in result.boards:
            yield report.drawer.text(board)
            yield "\n"
    elif not form:
        yield report.text(width=width, colour=colour)
