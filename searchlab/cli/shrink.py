"""`searchlab shrink`: find a smaller board for which a claim about searches still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    OUTPUT_PATH,
    common_options,
    domain_options,
    json_option,
    limit_options,
    limits_of,
    renderer_option,
)
from searchlab.cli.output import as_json, check_output, put, put_wrapped, shows_colour, tell
from searchlab.cli.process import INTERRUPTED
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted, value

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.session import Session
    from searchlab.experiments.shrinking import Shrunk

DOES_NOT_HOLD = 1


@click.command(
    cls=Command,
    examples=(
        "searchlab shrink pancake/any-16 --that 'expanded[astar/gap] > 9 * expanded[astar/lookahead-gap]'",
        "searchlab shrink sliding-tile/puzzle8-31 --that 'cost[greedy] >= 2 * cost[astar]'",
        "searchlab shrink board.txt --that 'status[astar/mine.py:h] = error' --output small.txt",
    ),
    short_help="Find a smaller board for which a claim still holds.",
)
@click.argument("board", required=False, metavar="[BOARD]")
@click.option(
    "--that",
    required=True,
    metavar="CLAIM",
    help="Claim about figures of searches. A search is FRONTIER/HEURISTIC, or either alone.",
)
@domain_options
@limit_options
@click.option("--tries", type=click.IntRange(min=1), metavar="N", help="Boards to search at most (default 10,000).")
@click.option("--output", type=OUTPUT_PATH, metavar="FILE", help="Write the board to a file, too.")
@renderer_option
@json_option("the board")
@common_options
@click.pass_obj
def shrink(
    session: Session,
    board: str | None,
    that: str,
    domain: str | None,
    goal: str | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    tries: int | None,
    output: Path | None,
    renderer: str | None,
    json: bool,
) -> int:
    """Find a smaller board for which a claim still holds.

    BOARD is a board as for searchlab solve. A claim compares figures of searches of the same board: 'expanded[astar/h1]
    > 2 * expanded[astar/h2]', with + - * / and brackets, or states the status of a search: 'status[astar/mine.py:h] =
    error'. The figures are expanded, generated, evaluated, duplicates, reopened, stored, max_open, cost, moves and
    lower_bound.

    Boards one step smaller are tried (without a tile, a disc, a row …), then the boards along a solution. The first
    board for which the claim holds replaces BOARD; this is repeated until there is none. The limits apply to each
    search.

    Exit codes: 0 a board was found, 1 the claim does not hold for BOARD, 2 a usage error, 130 interrupted: the smallest
    board so far is shown.
    """
    from searchlab.cli.arguments import DomainChoice, read_named_board
    from searchlab.cli.progress import live_status
    from searchlab.experiments.shrinking import MOST_TRIED
    from searchlab.experiments.shrinking import shrink as shrunk
    from searchlab.files import write

    check_output(output)
    choice = DomainChoice(domain, goal, session.plugins)
    named = None if board is None else read_named_board(board, choice)
    bound = choice.of(named) if named else choice.without_board()
    start: Any = named.instance if named and named.instance.static else named.board if named else bound.start()
    with live_status() as show:
        found = shrunk(
            start,
            that,
            domain=bound,
            limits=limits_of(time_limit, memory_limit, max_expansions),
            most=tries or MOST_TRIED,
            progress=lambda tried: show(f"{counted(tried, 'board')} searched"),
            plugins=session.plugins,
        )
    of_found = bound.of(found.instance)
    text = of_found.format(found.instance.start)
    if output and found.holds:
        write(output, [f"{text.rstrip()}\n"])
    if json:
        put(as_json(_as_dict(found, of_found, that, text)), end="")
    else:
        _show(found, of_found, that, renderer, session)
        if output and found.holds:
            tell(f"written to {output}")
    if not found.holds:
        return DOES_NOT_HOLD
    return 0 if found.complete or found.tried >= (tries or MOST_TRIED) else INTERRUPTED


def _as_dict(found: Shrunk, domain: BoundDomain, that: str, text: str) -> dict[str, Any]:
    """Return the JSON values of the outcome."""
    return {
        "domain": str(domain),
        "that": that,
        "holds": found.holds,
        "board": text,
        "figures": dict(found.figures),
        "steps": found.steps,
        "tried": found.tried,
        "complete": found.complete,
    }


def _show(found: Shrunk, domain: BoundDomain, that: str, renderer: str | None, session: Session) -> None:
    """Print the board, the figures, and whether smaller boards are possible."""
    from searchlab.cli.drawing import drawer

    draws = drawer(domain, renderer, session.plugins, colour=shows_colour(standard_output()))
    caption = "the smallest board" if found.steps else "the board"
    for line in draws.titled([caption], [found.instance.start]):
        put(line)
    put("")
    width = max(map(len, found.figures))
    for name, figure in found.figures.items():
        shown = "unknown" if figure is None else figure if isinstance(figure, str) else value(figure)
        put(f"{name:{width}}  {shown}")
    for search, result in found.results.items():
        if result.status == "error":
            put_wrapped(f"{search}: {result.reason}")
    put("")
    if not found.holds:
        put_wrapped(f"it does not hold of this board: {that}")
        return
    way = f"{counted(found.steps, 'step')} down, {counted(found.tried, 'board')} searched"
    put_wrapped(f"{way}; {'no board one step smaller shows it' if found.complete else 'smaller boards may show it'}")
