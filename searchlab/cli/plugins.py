"""`searchlab plugins`: what there is, and `searchlab plugins show`: all that is known of one thing.

Its other commands have modules of their own: `check` and `new`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.check import check
from searchlab.cli.messages import put
from searchlab.cli.new import new
from searchlab.cli.options import common_options, json_option
from searchlab.cli.session import Session
from searchlab.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from searchlab.plugins import Plugins, Registered

KIND_WIDTH = 10


@click.group(invoke_without_command=True, subcommand_metavar="[show|check|new NAME]")
@json_option("the list")
@common_options
@click.pass_context
def plugins(ctx: click.Context, json: bool) -> None:
    """List plugins; show, check or write one of the things they bring."""
    if ctx.invoked_subcommand is None:
        session = ctx.ensure_object(Session)
        session.tells_problems = False
        listed = _listed(session)
        if json:
            put(as_json(listed), end="")
        else:
            _print_list(listed)


@plugins.command(short_help="Show one of the things plugins bring.")
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME")
@json_option("what is known of it")
@common_options
@click.pass_obj
def show(session: Session, name: tuple[str, ...], json: bool) -> None:
    """Show what is known of a domain, a heuristic or a frontier strategy: parameters, properties, source.

    Where a name stands for several things all are shown; KIND (domain, heuristic, frontier) tells them apart.
    """
    from searchlab.cli.described import described, description_lines
    from searchlab.cli.layout import page_width

    found = [described(kind, registered) for kind, registered in _find(session.plugins, name)]
    if json:
        put(as_json(found), end="")
        return
    for number, facts in enumerate(found):
        if number:
            put("")
        for line in description_lines(facts, page_width()):
            put(line)


plugins.add_command(check)
plugins.add_command(new)


def _listed(session: Session) -> dict[str, Any]:
    """Return every plugin with what it brings, and what was left out."""
    from searchlab.cli.group import BUILT_IN
    from searchlab.plugins import KINDS

    host = session.plugins
    brought = [(kind, registered) for kind in KINDS for registered in host.all(kind)]
    commands = host.registered_commands(BUILT_IN)
    listed = [
        {
            "name": plugin.name,
            "version": plugin.version,
            "module": plugin.module.__name__,
            "file": plugin.file,
            **{
                f"{kind}s": [
                    {"name": r.component.name, "aliases": list(r.component.aliases), "summary": r.component.summary}
                    for k, r in brought
                    if k == kind and r.plugin is plugin
                ]
                for kind in KINDS
            },
            "commands": [
                {"name": name, "aliases": [], "summary": command.component.get_short_help_str(200)}
                for name, command in commands.items()
                if command.plugin is plugin
            ],
        }
        for plugin in host.loaded
    ]
    return {"plugins": listed, "problems": [{"source": p.source, "what": p.what} for p in host.problems]}


def _print_list(listed: dict[str, Any]) -> None:
    from searchlab.cli.layout import page_width

    width = page_width()
    kinds = ("domain", "heuristic", "frontier", "command")
    names = [thing["name"] for plugin in listed["plugins"] for kind in kinds for thing in plugin[f"{kind}s"]]
    name_width = max(map(len, names), default=0)
    for number, plugin in enumerate(listed["plugins"]):
        if number:
            put("")
        where = plugin["module"] if plugin["version"] else plugin["file"]
        put(f"{plugin['name']} {plugin['version']}".strip() + f" ({where})")
        for kind in kinds:
            for thing in plugin[f"{kind}s"]:
                _print_thing(f"  {kind:{KIND_WIDTH}} {thing['name']:{name_width}}  ", thing, width)
    if listed["problems"]:
        put("\nleft out:")
        for problem in listed["problems"]:
            put(f"  plugin {problem['source']}: {problem['what']}")


def _print_thing(head: str, thing: dict[str, Any], width: int) -> None:
    """Print what a plugin brings: its kind and name, and beside them its summary."""
    from textwrap import wrap

    aliases = f"also {', '.join(thing['aliases'])}" if thing["aliases"] else ""
    text = "; ".join(part for part in (thing["summary"].rstrip("."), aliases) if part)
    for number, line in enumerate(wrap(text, max(20, width - len(head))) or [""]):
        put(f"{head if number == 0 else ' ' * len(head)}{line}".rstrip())


def _find(plugins: Plugins, words: tuple[str, ...]) -> list[tuple[str, Registered[Any]]]:
    """Return everything of a name, with its kind; `words` may begin with the kind."""
    from searchlab.plugins import KINDS
    from searchlab.spelling import parse_name

    kinds = [words[0]] if len(words) > 1 and words[0] in KINDS else list(KINDS)
    if len(words) > 2 or (len(words) == 2 and words[0] not in KINDS):
        raise UsageError(f"{' '.join(words)!r}: write one NAME, or KIND NAME with KIND one of {', '.join(KINDS)}")
    spelled = parse_name(words[-1])
    if spelled.file:
        return [(kinds[0] if len(kinds) == 1 else "heuristic", plugins.get("heuristic", spelled))]
    found = [
        (kind, registered)
        for kind in kinds
        for registered in plugins.all(kind)
        if spelled.name in (registered.component.name, *registered.component.aliases)
        and spelled.plugin in ("", registered.plugin.name)
    ]
    if not found:
        names = [n for k in kinds for r in plugins.all(k) for n in (r.component.name, *r.component.aliases)]
        raise UsageError(f"nothing is called {words[-1]!r}: {did_you_mean(spelled.name, names)}")
    return found
