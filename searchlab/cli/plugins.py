"""`searchlab plugins`: what there is, and `searchlab plugins show`: all that is known of one thing.

Its other commands have modules of their own: `listing`, `which`, `check` and `new`.
"""

from __future__ import annotations

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.check import check
from searchlab.cli.listing import list_plugins, put_list
from searchlab.cli.messages import put
from searchlab.cli.new import new
from searchlab.cli.options import common_options, json_option
from searchlab.cli.session import Session
from searchlab.cli.which import which


@click.group(invoke_without_command=True, subcommand_metavar="[list|show|which|check|new]")
@json_option("the list")
@common_options
@click.pass_context
def plugins(ctx: click.Context, json: bool) -> None:
    """List plugins; show, check or write one of the things they bring."""
    if ctx.invoked_subcommand is None:
        put_list(ctx.ensure_object(Session), json=json)


@plugins.command(short_help="Show one of the things plugins bring.")
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME")
@json_option("what is known of it")
@common_options
@click.pass_obj
def show(session: Session, name: tuple[str, ...], json: bool) -> None:
    """Show what is known of a component: its parameters, properties and source.

    Where a name stands for several things all are shown; KIND (domain, heuristic, frontier, player, generator,
    executor, metric, renderer, learner) tells them apart.
    """
    from searchlab.cli.described import described, description_lines
    from searchlab.cli.found import found
    from searchlab.cli.layout import page_width

    _, matches = found(session.plugins, name)
    pages = [described(kind, registered) for kind, registered in matches]
    if json:
        put(as_json(pages), end="")
        return
    for number, facts in enumerate(pages):
        if number:
            put("")
        for line in description_lines(facts, page_width()):
            put(line)


for command in (list_plugins, which, check, new):
    plugins.add_command(command)
