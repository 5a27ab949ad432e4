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
    check_output,
    chosen_form,
    shows_colour,
)
from searchlab.cli.process import INTERRUPTED, LIMIT_REACHED, PLUGIN_FAILED, UNSOLVABLE, exit_now

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.cli.arguments import DomainChoice, NamedBoard
    from searchlab.cli.session import Session
    from searchlab.cli.summary import SearchSummary
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.search.problem import Problem

EXIT_CODES = {"solved": 0, "unsolvable": UNSOLVABLE, "error": PLUGIN_FAILED, "interrupted": INTERRUPTED}


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
    from searchlab.cli.summary import SearchSummary

    choice = DomainChoice(domain, goal, session.plugins)
    named = None if board is None else read_named_board(board)
    problem = named_problem(choice, named, heuristic, frontier)
    draws = drawer(problem.domain, renderer, session.plugins, colour=output is None and shows_colour(sys.stdout))
    if named and choice.is_guess(named):
        report_guess(problem.domain)
    limits = limits_of(time_limit, memory_limit, max_expansions)
    known = choice.known_optimum(named) if named else None

    def finish(result: Result) -> int:
        return _finish(SearchSummary(result, problem, limits, draws, known), form, output, record)

    from searchlab.search.solve import ObservedRun

    with ObservedRun(problem, limits, session.plugins, name=named.name if named else "") as run:
        run.result = search_and_show(
            problem,
            limits,
            engine,
            batch,
            lambda result: finish(run.finish(result)),
            partial(_finish_outside, limits=limits, form=form, output=output, record=record),
        )
    return finish(run.result)


def _finish(summary: SearchSummary, form: str, output: Path | None, record: Path | None) -> int:
    """Write a result and record it; return the exit code."""
    summary.write(form, output)
    if record:
        from searchlab.experiments.record import append

        append(record, summary.result)
    return EXIT_CODES.get(summary.result.status, LIMIT_REACHED)


def _finish_outside(result: Result, limits: Limits, form: str, output: Path | None, record: Path | None) -> int:
    """Do the same in another process, where no plugin is loaded: without renderers and metrics."""
    from searchlab.cli.summary import SearchSummary

    return _finish(SearchSummary(result, None, limits, None), form, output, record)


def named_problem(
    choice: DomainChoice, named: NamedBoard | None, heuristic: str | None, frontier: str | None
) -> Problem:
    """Return the problem that the arguments name; without a board it begins at the start of the domain."""
    from searchlab.search.solve import problem

    return problem(
        named.board if named else None,
        domain=choice.of(named) if named else choice.without_board(),
        heuristic=heuristic,
        frontier=frontier,
        plugins=choice.plugins,
    )


def search_and_show(
    problem: Problem,
    limits: Limits,
    engine: str,
    batch: int | None,
    finish: Callable[[Result], int],
    finish_outside: Callable[[Result], int],
) -> Result:
    """Search with a progress display; if the search hangs, report the result so far and exit."""
    from searchlab.cli.progress import search_progress
    from searchlab.search.solve import search

    with search_progress(limits) as progress:

        def report_and_exit(result: Result) -> None:
            if progress:
                progress.clear()
            exit_now(partial(finish, result))

        return search(
            problem,
            limits=limits,
            progress=progress,
            engine=engine,
            batch=batch,
            on_timeout=report_and_exit,
            fallback=finish_outside,
        )
