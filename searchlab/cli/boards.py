"""`searchlab boards show`: boards as people see them; `boards generate` has a module of its own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.generate import generate
from searchlab.cli.layout import shows_colour
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, domain_options, json_option, renderer_option
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from searchlab.cli.session import Session


@click.group(subcommand_metavar="show|generate")
@common_options
def boards() -> None:
    """Show boards, or generate new ones."""


@boards.command(short_help="Show boards.")
@click.argument("boards", nargs=-1, required=True, metavar="BOARD…")
@domain_options
@renderer_option
@json_option("the boards")
@common_options
@click.pass_obj
def show(
    session: Session, boards: tuple[str, ...], domain: str | None, goal: str | None, renderer: str | None, json: bool
) -> None:
    """Show boards.

    BOARD is a board file, a folder or a pattern of such files, the name of boards that ship with searchlab
    (2048/board10, or all of 2048), or - for standard input.
    """
    from searchlab.cli.drawing import drawer
    from searchlab.cli.subjects import Choice, read_subjects, tell_guess

    choice = Choice(domain, goal, session.plugins)
    subjects = [(subject, choice.of(subject)) for subject in read_subjects(boards)]
    domains = {str(d): d for _, d in subjects}
    colour = shows_colour(sys.stdout)
    drawers = {name: drawer(d, renderer, session.plugins, colour=colour) for name, d in domains.items()}
    if json:
        listed = [{"board": s.name, "domain": str(d), "tiles": s.board.tiles.tolist()} for s, d in subjects]
        put(as_json(listed), end="")
        return
    for guess in {str(d): d for s, d in subjects if choice.is_guess(s)}.values():
        tell_guess(guess)
    for name, draws in drawers.items():
        shown = [subject for subject, d in subjects if str(d) == name]
        titles = [f"# {one_line(subject.name)}" for subject in shown]
        for line in draws.titled(titles, [subject.board for subject in shown]):
            put(line)


boards.add_command(generate)
