"""`searchlab boards`: `show` boards, or `generate` them from seeds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.options import common_options, domain_options, json_option, renderer_option
from searchlab.cli.output import as_json, put, shows_colour
from searchlab.errors import UsageError
from searchlab.errors.control_characters import one_line
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from searchlab.binding.extensions import BoundGenerator
    from searchlab.board.board import Board
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
    from searchlab.cli.arguments import DomainChoice, read_named_boards, report_guess
    from searchlab.cli.drawing import drawer

    choice = DomainChoice(domain, goal, session.plugins)
    named_boards = [(named, choice.of(named)) for named in read_named_boards(boards, choice)]
    domains = {str(d): d for _, d in named_boards}
    colour = shows_colour(sys.stdout)
    drawers = {name: drawer(d, renderer, session.plugins, colour=colour) for name, d in domains.items()}
    if json:
        listed = [{"board": s.name, "domain": str(d), "tiles": s.board.tiles.tolist()} for s, d in named_boards]
        put(as_json(listed), end="")
        return
    for guess in {str(d): d for s, d in named_boards if choice.is_guess(s)}.values():
        report_guess(guess)
    for name, draws in drawers.items():
        shown = [named for named, d in named_boards if str(d) == name]
        titles = [f"# {one_line(named.name)}" for named in shown]
        for line in draws.titled(titles, [named.board for named in shown]):
            put(line)


@boards.command(short_help="Generate boards.")
@click.argument("generator", metavar="GENERATOR")
@domain_options
@click.option("--count", type=click.IntRange(min=1), default=1, metavar="N", help="How many boards; by default 1.")
@click.option("--seed", type=click.IntRange(min=0), default=1, metavar="N", help="The first one's; by default 1.")
@click.option("--output", type=click.Path(path_type=Path), metavar="DIR", help="Write them into a new folder instead.")
@renderer_option
@json_option("the boards")
@common_options
@click.pass_obj
def generate(
    session: Session,
    generator: str,
    domain: str | None,
    goal: str | None,
    count: int,
    seed: int,
    output: Path | None,
    renderer: str | None,
    json: bool,
) -> None:
    """Generate boards, the same for the same seeds.

    GENERATOR is a name with its parameters, like shuffled:n=3 or played:moves=50. The boards have the seeds N, N + 1
    and so on. With --output they go into a new folder, a file each, with a set.toml that names the game.
    """
    from searchlab.cli.drawing import drawer

    if output:
        from searchlab.board.files import check_new_set

        check_new_set(output)
    bound = _bound(session, generator, domain, goal)
    assert bound.domain is not None
    draws = drawer(bound.domain, renderer, session.plugins, colour=shows_colour(sys.stdout))
    boards = {number: bound(number) for number in range(seed, seed + count)}
    if output:
        _write(output, boards, bound)
    elif json:
        listed = [
            {"seed": number, "domain": str(bound.domain), "tiles": board.tiles.tolist()}
            for number, board in boards.items()
        ]
        put(as_json(listed), end="")
    else:
        for line in draws.titled([f"# seed {number}" for number in boards], list(boards.values())):
            put(line)


def _bound(session: Session, name: str, domain: str | None, goal: str | None) -> BoundGenerator:
    """Return the named generator, for the named domain or else its own.

    Raises:
        UsageError: there is no such generator, or it needs a domain to be named.
    """
    from searchlab.cli.arguments import DomainChoice
    from searchlab.plugins import lookup

    bound = lookup.generator(name, domain=DomainChoice(domain, goal, session.plugins).named(), plugins=session.plugins)
    if bound.domain is None:
        raise UsageError(f"generator {bound.name} makes boards of several games: name one with --domain")
    if domain is None and goal is not None:
        of_goal = lookup.domain(bound.domain, plugins=session.plugins, goal=goal)
        return lookup.generator(bound, domain=of_goal, plugins=session.plugins)
    return bound


def _write(folder: Path, boards: dict[int, Board], bound: BoundGenerator) -> None:
    """Write boards into a folder, numbered from 1."""
    from searchlab import __version__
    from searchlab.board.files import write_boards

    first, last = min(boards), max(boards)
    seeds = f"seed {first}" if first == last else f"seeds {first} to {last}"
    digits = len(str(len(boards)))
    numbered = {f"{number:0{digits}}": board for number, board in enumerate(boards.values(), 1)}
    source = f"searchlab {__version__}, generator {bound}, {seeds}"
    write_boards(folder, numbered, domain=str(bound.domain), source=source)
    put(f"{counted(len(boards), 'board')} of {bound.domain} in {folder}: generator {bound}, {seeds}")
