"""`searchlab neighbors`: the successors of a board with their actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import common_options, domain_options, json_option, renderer_option
from searchlab.cli.output import as_json, put, shows_colour
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from searchlab.cli.session import Session


@click.command(
    cls=Command,
    examples=(
        "searchlab neighbors 2048/board10",
        "searchlab neighbors sliding-tile/puzzle8-20 --json",
    ),
)
@click.argument("board", metavar="BOARD|-")
@domain_options
@renderer_option
@json_option("the successors")
@common_options
@click.pass_obj
def neighbors(
    session: Session, board: str, domain: str | None, goal: str | None, renderer: str | None, json: bool
) -> None:
    """Show the successors of a board with their actions.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard
    input.
    """
    from searchlab.cli.arguments import DomainChoice, read_named_board, report_guess
    from searchlab.cli.drawing import drawer

    choice = DomainChoice(domain, goal, session.plugins)
    named = read_named_board(board, choice)
    chosen = choice.of(named)
    if choice.is_guess(named):
        report_guess(chosen)
    draws = drawer(chosen, renderer, session.plugins, colour=shows_colour(standard_output()))
    successors = list(chosen.edges(named.board))
    if json:
        listed = [
            {"action": s.action, "cost": s.cost, "terminal": s.terminal, "tiles": s.board.tiles.tolist()}
            for s in successors
        ]
        put(as_json({"board": named.name, "domain": str(chosen), "neighbors": listed}), end="")
        return
    if not successors:
        put("no successors: there is no move from this board")
    titles = [f"{s.action} (game over)" if s.terminal else s.action for s in successors]
    for line in draws.titled(titles, [s.board for s in successors]):
        put(line)
