"""`searchlab plugins list`: every plugin with what it brings, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, json_option

if TYPE_CHECKING:
    from searchlab.cli.session import Session

KIND_WIDTH = 10


@click.command("list", short_help="List plugins and what they bring.")
@click.option("--failed", is_flag=True, help="List only what was left out, and why.")
@json_option("the list")
@common_options
@click.pass_obj
def list_plugins(session: Session, failed: bool, json: bool) -> None:
    """List plugins with what they bring, and what was left out; `searchlab plugins` alone does the same."""
    put_list(session, json=json, failed=failed)


def put_list(session: Session, *, json: bool, failed: bool = False) -> None:
    """Print every plugin with what it brings, and what was left out; with `failed` only the latter."""
    session.tells_problems = False
    listed = _listed(session)
    if failed:
        del listed["plugins"]
    if json:
        put(as_json(listed), end="")
    elif failed:
        _print_failed(listed["problems"])
    else:
        _print_list(listed)


def _listed(session: Session) -> dict[str, Any]:
    """Return every plugin with what it brings, and what was left out."""
    from searchlab.cli.group import BUILT_IN
    from searchlab.model.kinds import KINDS
    from searchlab.plugins.notifying import told_of

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
            "hooks": [
                {"name": name, "aliases": [], "summary": summary}
                for name, summary in told_of(plugin, host.implementations).items()
            ],
        }
        for plugin in host.loaded
    ]
    return {"plugins": listed, "problems": [{"source": p.source, "what": p.what} for p in host.problems]}


def _print_list(listed: dict[str, Any]) -> None:
    from searchlab.cli.layout import page_width
    from searchlab.model.kinds import KINDS

    width = page_width()
    kinds = (*KINDS, "command", "hook")
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


def _print_failed(problems: list[dict[str, str]]) -> None:
    for problem in problems:
        put(f"plugin {problem['source']}: {problem['what']}")
    if not problems:
        put("nothing was left out")


def _print_thing(head: str, thing: dict[str, Any], width: int) -> None:
    """Print what a plugin brings: its kind and name, and beside them its summary."""
    from textwrap import wrap

    aliases = f"also {', '.join(thing['aliases'])}" if thing["aliases"] else ""
    text = "; ".join(part for part in (thing["summary"].rstrip("."), aliases) if part)
    for number, line in enumerate(wrap(text, max(20, width - len(head))) or [""]):
        put(f"{head if number == 0 else ' ' * len(head)}{line}".rstrip())
