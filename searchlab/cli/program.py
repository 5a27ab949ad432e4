"""The command `searchlab`: run the command line, and turn every failure into one line and an exit code.

Exit codes: 0 done (solved), 1 unsolvable, 2 a usage error, 3 a limit was reached or the search is exhausted, 4 an error
in a plugin (or in searchlab itself), 5 the machine failed (a full disk, a folder that is gone, worker processes that
die), 130 interrupted, 141 the output is no longer read.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

import searchlab as package
from searchlab.cli.names import VARIABLE
from searchlab.cli.options import common_options
from searchlab.cli.output import tell, tell_error, usage_error, warnings_as_messages
from searchlab.cli.process import (
    INTERRUPTED,
    LIMIT_REACHED,
    MACHINE_FAILED,
    OUTPUT_CLOSED,
    PLUGIN_FAILED,
    USAGE,
    exit_now,
    take_process,
)
from searchlab.cli.session import Session
from searchlab.errors import (
    MachineError,
    PluginError,
    SearchlabError,
    UsageError,
    did_you_mean,
    is_from_elsewhere,
    message_of,
    shown,
    source_excerpt,
    with_type,
)
from searchlab.errors.control_characters import escaped, one_line
from searchlab.errors.interrupts import raising_swallowed
from searchlab.errors.standard_error import can_redraw
from searchlab.errors.standard_output import terminal_columns
from searchlab.files import MACHINE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Sequence

OUTPUT_IS_LOST = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""Errors of an open stream, not of the name of a file."""
LEAST_HELP_WIDTH, MOST_HELP_WIDTH = 50, 80
SYSTEMS = {"linux", "darwin"}
"""The supported systems; elsewhere a line says that searchlab is untested."""
ASCII = str.maketrans(
    {
        **{"×": "x", "·": "-", "…": "...", "≥": ">=", "≤": "<=", "–": "-", "—": "-", "−": "-"},
        **{"─": "-", "│": "|", **dict.fromkeys("┌┬┐├┼┤└┴┘", "+")},
    }
)

FIRST_STEPS = """\
searchlab solve 2048/board10                  solve a board that ships
searchlab play                                play 2048 (h: a hint, q: quit)
searchlab plugins new mine --output mine.py   write a heuristic to begin with
searchlab plugins list heuristic              the names of all heuristics
searchlab --help                              all commands"""
"""The output without a command."""
BUILT_IN = {
    "solve": "Search for a solution of a board.",
    "check-proof": "Check a certificate that solve has written.",
    "conformance": "Check whether an environment of 2048 plays by the rules.",
    "shrink": "Find a smaller board for which a claim still holds.",
    "evaluate": "Show the values of heuristics on boards.",
    "neighbors": "Show the successors of a board with their actions.",
    "enumerate": "Visit the whole state space of a board, depth by depth.",
    "play": "Play a game, or let a player play it.",
    "advise": "Show the best move of a board and the value of every move.",
    "engine": "Let another program ask a player for moves, line by line.",
    "boards": "Show boards, check files of boards, or generate new ones.",
    "train": "Let LEARNER learn a game by playing it.",
    "run": "Run an experiment; rerun the command to resume it.",
    "tune": "Tune parameters of an experiment; rerun to resume.",
    "tournament": "Let players play many games, and rank them.",
    "exact": "Compute the exact mean scores of players of a small game.",
    "replay": "Show a recorded game or solution, move by move.",
    "view": "Write a page that shows a solution, a game or a search.",
    "results": "Show the results of an experiment, export or merge them.",
    "compare": "Compare two configurations of an experiment.",
    "archive": "Write an experiment with all it needs as one zip file.",
    "verify": "Repeat a sample of recorded runs, and compare their figures.",
    "plot": "Draw the results of an experiment, a heuristic or a search.",
    "report": "Write a report of experiments as one page.",
    "plugins": "List plugins; show, check or write a component.",
    "grade": "Grade students' files by a rubric; rerun to resume.",
    "cache": "Show and clear the cache: machine code and tables.",
    "warm-up": "Compile everything that ships, so that no command has to.",
    "completion": "Print a script that lets a shell complete commands and names.",
}
"""The commands of `searchlab.cli.NAME`, with the first lines of their help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; None for those of the process, which is this command's alone.

    Returns:
        the exit code.
    """
    _replace_unencodable_characters()
    if argv is not None:
        return _code(argv, Session(argv))
    if VARIABLE in os.environ:
        from searchlab.cli.completion import complete

        return complete(searchlab)
    if sys.platform not in SYSTEMS:
        tell(f"tested on Linux only, and this is {sys.platform}")
    session = Session(sys.argv[1:], owns_process=True)
    take_process()
    code = _code(sys.argv[1:], session)
    if can_redraw():
        from searchlab.cli.warm_up import advise_once

        advise_once()
    if code == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left to do
    checks = sys.modules.get("searchlab.testing.clock")
    if checks is not None and checks.is_checking():
        exit_now(lambda: code)  # a thread in C++ code may abort the process while the interpreter takes itself down
    session.end()
    return code


def _code(arguments: Sequence[str], session: Session) -> int:
    """Run the command line; return its exit code, even if its output cannot be written."""
    try:
        with warnings_as_messages():
            code = _run(arguments, session)
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
    except KeyboardInterrupt as interrupt:
        if sys.stderr is not None and sys.stderr.isatty():
            click.echo(err=True)  # after the ^C
        tell(": ".join(filter(None, ["interrupted", message_of(interrupt)])))
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_on_output()
        return OUTPUT_CLOSED
    except OSError as error:
        _give_up_on_output()
        tell_error(f"standard output: {error.strerror}")
        return MACHINE_FAILED if error.errno in MACHINE_ERRORS else USAGE
    except ValueError:
        sys.stdout = None  # or the interpreter complains of it when it exits
        tell_error("standard output: closed by a plugin")
        return PLUGIN_FAILED


def _run(arguments: Sequence[str], session: Session) -> int:
    """Run a command; return its exit code, or the exit code of the error it raised."""
    try:
        if any("\0" in argument for argument in arguments):
            raise UsageError("an argument cannot contain a null character")
        context = searchlab.make_context("searchlab", list(arguments), obj=session, terminal_width=help_width())
        with raising_swallowed(), context:
            code = searchlab.invoke(context)
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.exceptions.NoArgsIsHelpError as instead:  # its message is the help of the command, many lines
        click.echo(instead.message)
        return 0
    except click.Abort:
        return INTERRUPTED
    except (click.ClickException, SearchlabError) as error:
        _trace(session)
        return _known_error(error)
    except MemoryError as error:
        _trace(session)
        tell_error(": ".join(filter(None, ["not enough memory", str(error)])))
        return LIMIT_REACHED
    except BaseException as error:  # the last resort: a bug of ours or of a plugin's
        if isinstance(error, SystemExit) and session.is_of_plugin:
            return _system_exit(error)
        if is_from_elsewhere(error) or _is_lost_output(error):
            raise
        _trace(session)
        return _unknown_error(error, session)
    return code if isinstance(code, int) else 0


def help_width() -> int:
    """Return the width of help, as Click has it by default: told, it need not find it out by a slow import."""
    return max(LEAST_HELP_WIDTH, min(terminal_columns(), MOST_HELP_WIDTH) - 2)


def _is_lost_output(error: BaseException) -> bool:
    if isinstance(error, ValueError):
        return bool(getattr(sys.stdout, "closed", False))
    return isinstance(error, OSError) and error.filename is None and error.errno in OUTPUT_IS_LOST


def _known_error(error: click.ClickException | SearchlabError) -> int:
    """Report an error in one line; return the exit code."""
    if isinstance(error, click.UsageError):
        tell_error(usage_error(error))
        return USAGE
    if isinstance(error, click.ClickException):
        tell_error(error.format_message())
        return error.exit_code
    tell_error(str(error))
    for line in source_excerpt(error):
        click.echo(f"    {escaped(line)}", err=True)
    if isinstance(error, MachineError):
        return MACHINE_FAILED
    return PLUGIN_FAILED if isinstance(error, PluginError) else USAGE


def _unknown_error(error: BaseException, session: Session) -> int:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({last[0].filename}, line {last[0].lineno})" if last else ""
    advice = "" if session.debug else "; run with --debug for the traceback"
    what = "the plugin's command failed" if session.is_of_plugin else "internal error"
    tell(f"{what}: {with_type(error)}{place}{advice}")
    return PLUGIN_FAILED


def _trace(session: Session) -> None:
    if session.debug:
        import traceback

        click.echo(escaped(traceback.format_exc()), nl=False, err=True)


def _system_exit(asked: SystemExit) -> int:
    """Return the exit code of a plugin's command that called `sys.exit`."""
    if asked.code is None:
        return 0
    if isinstance(asked.code, int):
        return int(asked.code)
    tell_error(asked.code if isinstance(asked.code, str) else shown(asked.code))
    return 1


def _replace_unencodable_characters() -> None:
    """Make the streams write a similar ASCII character if their encoding lacks one."""
    import codecs

    def in_ascii(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        text = error.object[error.start : error.end].translate(ASCII)
        return text.encode("ascii", "replace").decode(), error.end

    codecs.register_error("searchlab", in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="searchlab")


def _give_up_on_output() -> None:
    """Discard pending output; otherwise the interpreter complains about it at exit."""
    if sys.stdout is not None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def built_in(name: str) -> click.Command:
    """Import and return a built-in command."""
    name = name.replace("-", "_")
    command: click.Command = getattr(import_module(f"searchlab.cli.{name}"), name)
    return command


def _groups_with(name: str) -> list[str]:
    """Return the built-in groups that have a command of this name."""
    return [group for group in BUILT_IN if name in getattr(built_in(group), "commands", ())]


class LazyGroup(click.Group):
    """A group of commands that are imported when they run, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, ours first."""
        return [*BUILT_IN, *sorted(_of_plugins(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; plugins are loaded only if the name is not built in."""
        if cmd_name in BUILT_IN:
            return built_in(cmd_name)
        return _of_plugins(ctx).get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, or raise a UsageError."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            if within := _groups_with(name):
                ctx.fail(f"{name!r} is a command of {within[0]}: searchlab {within[0]} {name}")
            ctx.fail(f"no command is called {name!r}: {did_you_mean(name, self.list_commands(ctx))}")
        ctx.ensure_object(Session).is_of_plugin = name not in BUILT_IN
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; for help, plugins are not loaded because of a `searchlab.toml` in this folder."""
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
    """Return the commands of plugins, without those with the names of built-in commands."""
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

    Solve boards of 2048, sliding tiles and the other domains that ship, or of a domain of your own, with any heuristic
    and frontier strategy: searchlab solve 2048/board10. 'searchlab plugins list domain' lists the domains.
    """
    if ctx.invoked_subcommand is None:
        click.echo(FIRST_STEPS)
