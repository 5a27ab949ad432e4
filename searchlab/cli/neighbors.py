"""`searchlab neighbors`: the successors of a board with their actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, domain_options, json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.bound import BoundDomain, Successor
    from searchlab.cli.session import Session


@click.command()
@click.argument("board", metavar="BOARD|-")
@domain_options
@json_option("the successors")
@common_options
@click.pass_obj
def neighbors(session: Session, board: str, domain: str | None, goal: str | None, json: bool) -> None:
    """Show the successors of a board with their actions.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard
    input.
    """
    from searchlab.cli.subjects import Choice, read_subject, tell_guess

    choice = Choice(domain, goal, session.plugins)
    subject = read_subject(board)
    chosen = choice.of(subject)
    if choice.is_guess(subject):
        tell_guess(chosen)
    successors = list(chosen.edges(subject.board))
    if json:
        listed = [
            {"action": s.action, "cost": s.cost, "terminal": s.terminal, "tiles": s.board.tiles.tolist()}
            for s in successors
        ]
        put(as_json({"board": subject.name, "domain": str(chosen), "neighbors": listed}), end="")
        return
    for line in _lines(successors, chosen):
        put(line)


def _lines(successors: list[Successor], domain: BoundDomain) -> Iterator[str]:
    """Yield the lines that show successors: to people side by side, to a program one below the other."""
    from searchlab.cli.boards import board_blocks
    from searchlab.cli.layout import page_width, side_by_side, writes_to_terminal

    if not successors:
        yield "no successors: there is no move from this board"
        return
    titles = [f"{s.action} (game over)" if s.terminal else s.action for s in successors]
    if writes_to_terminal():
        width = page_width()
        blocks = board_blocks([s.board for s in successors], domain, width)
        yield from side_by_side([[title, *block] for title, block in zip(titles, blocks, strict=True)], width)
        return
    for title, successor in zip(titles, successors, strict=True):
        yield title
        yield domain.render(successor.board)
