"""Names on the command line that shells complete: components of plugins, boards, and recorded results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click.shell_completion import CompletionItem

    from searchlab.plugins.registry import Plugins

    # Generic since Click 8.4 in its types only.
    Type = click.ParamType[Any]
else:
    Type = click.ParamType

VARIABLE = "_SEARCHLAB_COMPLETE"
"""The environment variable by which a shell asks for completions."""
BOARD, RESULTS, COMPONENT, KIND = "board", "results", "component", "kind"
NAMED = {
    **{("option", kind): kind for kind in ("heuristic", "frontier", "player", "domain", "renderer", "executor")},
    **{("option", "against"): "frontier", ("option", "advise"): "player", ("option", "board"): BOARD},
    **{("argument", "players"): "player", ("argument", "learner"): "learner", ("argument", "generator"): "generator"},
    **{("argument", "board"): BOARD, ("argument", "boards"): BOARD, ("argument", "what"): BOARD},
    **{("argument", "path"): RESULTS, ("argument", "paths"): RESULTS, ("argument", "other"): RESULTS},
    **{("argument", "name"): COMPONENT, ("argument", "names"): "heuristic", ("argument", "kind"): KIND},
}
"""The kind of name that an option or argument takes, by its name."""
ROOTS = ("results", "trained")
"""The folders that `run`, `tournament` and `train` write to unless they are told otherwise."""


class Name(Type):
    """A name that shells complete.

    Args:
        kind: a kind of component, or one of BOARD, RESULTS, COMPONENT (of any kind) and KIND; or the names themselves,
            each with a short description; `""` for a new name.
    """

    name = "text"

    def __init__(self, kind: str | Mapping[str, str]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as it is: commands look it up."""
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with a text, or let the shell complete a file name."""
        from click.shell_completion import CompletionItem

        try:
            found = dict(self._names(ctx))
        except Exception:  # noqa: BLE001 - whatever is wrong, a command says it and not the key Tab
            found = {}
        items = [CompletionItem(name, help=text) for name, text in found.items() if name.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="file")]

    def _names(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Yield names, each with a few words on it."""
        if self.kind == BOARD:
            yield from ((name, "") for name in shipped_names(ctx))
        elif self.kind == RESULTS:
            folders = (folder for root in ROOTS if Path(root).is_dir() for folder in sorted(Path(root).iterdir()))
            yield from ((str(folder), "") for folder in folders if folder.is_dir())
        elif not isinstance(self.kind, str):
            yield from self.kind.items()
        elif self.kind:
            yield from _of_plugins(ctx, self.kind)


class PathName(Name):
    """The path of what is read; shells complete it by a kind of name, too."""

    name = "path"

    def __init__(self, kind: str = "") -> None:
        super().__init__(kind)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path; an empty one, as of a variable of a shell that is not set, would be the current folder."""
        if value == "":
            self.fail("a name is missing", param, ctx)
        return super().convert(value, param, ctx)


def shipped_names(ctx: click.Context) -> list[str]:
    """Return the names of the boards and of the files of instances that ship."""
    from searchlab.board.files import shipped_boards, shipped_files
    from searchlab.plugins.domain_of_board import file_suffixes

    return [*shipped_boards(), *shipped_files(file_suffixes(_plugins(ctx)))]


def _of_plugins(ctx: click.Context, wanted: str) -> Iterator[tuple[str, str]]:
    """Yield the components of a kind that fit the domain, if one is given."""
    from searchlab.binding.names import parse_name
    from searchlab.model.component_types import COMPONENT_TYPES

    if wanted == KIND:
        yield from ((kind, "") for kind in COMPONENT_TYPES)
        return
    plugins = _plugins(ctx)
    domain = ctx.params.get("domain")
    suits = parse_name(domain).name if isinstance(domain, str) else ""
    for kind in COMPONENT_TYPES if wanted == COMPONENT else (wanted,):
        for found in plugins.all(kind):
            component = found.component
            domains = getattr(component, "domains", None)
            if not (suits and domains) or suits in domains:
                yield component.name, component.summary


def _plugins(ctx: click.Context) -> Plugins:
    """Return the plugins, without messages about their problems."""
    session = ctx.ensure_object(Session)
    session.reports_problems = session.reads_settings_file = False
    return session.plugins
