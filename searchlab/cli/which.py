"""`searchlab plugins which`: the plugin and the file behind a name, and who else claims it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, json_option

if TYPE_CHECKING:
    from searchlab.cli.session import Session
    from searchlab.plugins.names import Registered
    from searchlab.plugins.registry import Plugins

LABEL_WIDTH = 12


@click.command(short_help="Say what a name means, and who else claims it.")
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME")
@json_option("what it means")
@common_options
@click.pass_obj
def which(session: Session, name: tuple[str, ...], json: bool) -> None:
    """Say what a name means: the plugin and the file it comes from, its full name and its aliases.

    What other plugins claim the name is said, too: a name claimed twice must be written in full. KIND (domain,
    heuristic, frontier, player, generator, executor, metric, renderer, learner) tells things of different kinds
    apart.
    """
    from searchlab.cli.found import found

    spelled, matches = found(session.plugins, name)
    meanings = [_meaning(session.plugins, kind, registered, spelled.name) for kind, registered in matches]
    if json:
        put(as_json(meanings), end="")
        return
    for number, meaning in enumerate(meanings):
        if number:
            put("")
        _print(meaning)


def _meaning(plugins: Plugins, kind: str, meant: Registered[Any], name: str) -> dict[str, Any]:
    """Return what a name means, and what else of the kind claims it."""
    from searchlab.binding.names import Spelled
    from searchlab.plugins.names import brings, full_name, source_of

    registered = plugins.all(kind)
    rivals = [r for r in registered if brings(r, Spelled(name)) and r.component is not meant.component]
    return {
        "kind": kind,
        "name": meant.component.name,
        "full_name": full_name(meant, registered),
        "aliases": list(meant.component.aliases),
        "plugin": meant.plugin.name,
        "version": meant.plugin.version,
        "file": source_of(meant.component) or meant.plugin.file,
        "claimed_by": [
            {"full_name": full_name(rival, registered), "file": source_of(rival.component) or rival.plugin.file}
            for rival in rivals
        ],
    }


def _print(meaning: dict[str, Any]) -> None:
    put(f"{meaning['kind']} {meaning['name']}")
    rivals = [f"{rival['full_name']} ({rival['file']})" for rival in meaning["claimed_by"]]
    labelled = {
        "full name": [meaning["full_name"]],
        "aliases": [", ".join(meaning["aliases"])],
        "plugin": [f"{meaning['plugin']} {meaning['version']}".strip()],
        "file": [meaning["file"]],
        "claimed by": [f"also {rival}" for rival in rivals],
    }
    for label, texts in labelled.items():
        for text in filter(None, texts):
            put(f"{label:{LABEL_WIDTH}}{text}")
