"""The command `searchlab`: its own commands are loaded when they run, those of plugins when they are asked for."""

from __future__ import annotations

from importlib import import_module

import click

import searchlab as package
from searchlab.cli.options import common_options
from searchlab.cli.session import Session
from searchlab.errors import did_you_mean
from searchlab.errors.control_characters import one_line

BUILT_IN = {
    "solve": "Search for a solution of a board.",
    "evaluate": "Show the values of heuristics on boards.",
    "neighbors": "Show the successors of a board with their actions.",
    "enumerate": "Visit the whole state space of a board, depth by depth.",
    "play": "Play a game, or let a player play it.",
    "advise": "Tell the best move of a board, and what every move is worth.",
    "boards": "Show boards, or generate new ones.",
    "train": "Let LEARNER learn a game by playing it.",
    "run": "Run an experiment; the same command continues it.",
    "tournament": "Let players play many games, and rank them.",
    "replay": "Show a recorded game, played again.",
    "results": "Show the results of an experiment, export or merge them.",
    "compare": "Compare two configurations of an experiment.",
    "plugins": "List plugins; show, check or write one of the things they bring.",
}
"""The commands of `searchlab.cli.NAME`, with the first lines of their help."""


class LazyGroup(click.Group):
    """A group whose commands need not be imported to be listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, ours first."""
        return [*BUILT_IN, *sorted(_of_plugins(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; plugins are loaded only for a name that is not ours."""
        if cmd_name in BUILT_IN:
            command: click.Command = getattr(import_module(f"searchlab.cli.{cmd_name}"), cmd_name)
            return command
        return _of_plugins(ctx).get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command the arguments begin with; a UsageError for one there is not."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            ctx.fail(f"no command is called {name!r}: {did_you_mean(name, self.list_commands(ctx))}")
        ctx.ensure_object(Session).is_of_plugin = name not in BUILT_IN
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; help runs nothing that only `searchlab.toml` in the current folder names."""
        ctx.ensure_object(Session).reads_settings_file = False
        of_plugins = {name: command for name, command in _of_plugins(ctx).items() if not command.hidden}
        with formatter.section("Commands"):
            formatter.write_dl(list(BUILT_IN.items()))
        if of_plugins:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(
                    [
                        (one_line(name), one_line(command.get_short_help_str(60)))
                        for name, command in sorted(of_plugins.items())
                    ]
                )


def _of_plugins(ctx: click.Context) -> dict[str, click.Command]:
    """Return the commands that plugins bring under names that are not ours."""
    return ctx.ensure_object(Session).commands(BUILT_IN)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGUMENTS]…",
)
@click.version_option(package.__version__, prog_name="searchlab", message="%(prog)s %(version)s")
@common_options
@click.pass_context
def searchlab(ctx: click.Context) -> None:
    """Experiments with heuristic search.

    Solve boards of 2048 and of the sliding-tile puzzle, or of a game a plugin brings, with any heuristic and
    frontier strategy: searchlab solve 2048/board10
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
