"""The help of a command: description, examples, options, and finally the options for plugins."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.names import NAMED, Name, PathName
from searchlab.cli.session import Session
from searchlab.errors.printed import PrintedByPlugins
from searchlab.errors.standard_output import reserved_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.shell_completion import CompletionItem

FOR_PLUGINS = {"plugin", "plugins_dir", "no_plugins", "p"}
"""The names of the options that say which plugins are loaded."""


class WithExamples(click.Command):
    """A command that shows examples first in its help, and whose names shells complete.

    Args:
        examples: complete commands.
        arguments: as for `click.Command`.
    """

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **further: Any) -> None:
        super().__init__(*arguments, **further)
        self.examples = tuple(examples)
        for parameter in self.params:
            kind = NAMED.get((parameter.param_type_name, parameter.name or ""))
            if kind and isinstance(parameter.type, PathName):
                parameter.type = PathName(kind)
            elif kind and isinstance(parameter.type, type(click.STRING)):
                parameter.type = Name(kind)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first paragraph of the help, the examples, and the rest of the help."""
        summary, _, rest = inspect.cleandoc(self.help or "").partition("\n\n")
        _write_indented(formatter, summary)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        if rest:
            _write_indented(formatter, rest)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, ending with the options that select plugins."""
        own: list[tuple[str, str]] = []
        for_plugins: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                (for_plugins if parameter.name in FOR_PLUGINS else own).append(record)
        for heading, records in (("Options", own), ("Plugins", for_plugins)):
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class Command(WithExamples):
    """A command with examples that owns standard output while it runs: the prints of plugins go elsewhere."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with reserved_output(PrintedByPlugins(), of_process=ctx.ensure_object(Session).owns_process):
            return super().invoke(ctx)


class Group(WithExamples, click.Group):
    """A group of commands with examples.

    Attributes:
        completed: the kind of names that the first argument may have instead of a command, one of
            `searchlab.cli.names`; `""` for none.
    """

    command_class = Command
    completed = ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and the names that begin with a text."""
        commands = super().shell_complete(ctx, incomplete)
        names = Name(self.completed).shell_complete(ctx, self.params[0], incomplete) if self.completed else []
        return [*commands, *(item for item in names if item.type == "plain" or not commands)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of the group before its options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def _write_indented(formatter: click.HelpFormatter, text: str) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(text)
