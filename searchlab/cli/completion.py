"""`searchlab completion`: let a shell complete commands, options and names."""

from __future__ import annotations

import os

import click

from searchlab.cli.help import Command
from searchlab.cli.names import VARIABLE
from searchlab.cli.options import common_options
from searchlab.cli.output import put

SHELLS = ("bash", "zsh", "fish")


@click.command(
    cls=Command,
    examples=("searchlab completion bash", "searchlab completion fish"),
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
@common_options
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets a shell complete commands and names.

    The Tab key then completes commands, options, and the names of heuristics, frontier strategies, players, domains,
    boards and recorded results, including those of plugins.

    To switch it on in bash, add this line to ~/.bashrc: eval "$(searchlab completion bash)". In zsh, add the same with
    zsh to ~/.zshrc. In fish, run it once: searchlab completion fish > ~/.config/fish/completions/searchlab.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    put(found(context.find_root().command, {}, "searchlab", VARIABLE).source(), end="")


def complete(program: click.Command) -> int:
    """Print the completions of the command line that the shell put into the environment; return the exit code."""
    from click.shell_completion import shell_complete

    from searchlab.cli.session import Session

    return shell_complete(program, {"obj": Session()}, "searchlab", VARIABLE, os.environ[VARIABLE])
