"""`main`: runs the command line, and turns whatever goes wrong into one line and an exit code.

Exit codes: 0 done (solved), 1 unsolvable, 2 a usage error, 3 a limit was reached or the search is exhausted,
4 an error in a plugin (or in searchlab itself), 5 the machine failed (a full disk, a folder that is gone, worker
processes that die), 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import click

from searchlab.cli.group import searchlab
from searchlab.cli.messages import tell, tell_error, told_warnings, usage_error
from searchlab.cli.session import Session
from searchlab.errors import (
    MachineError,
    PluginError,
    SearchlabError,
    UsageError,
    is_from_elsewhere,
    shown,
    source_excerpt,
    with_type,
)
from searchlab.errors.control_characters import escaped
from searchlab.files import OF_THE_MACHINE

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE, LIMIT_REACHED, PLUGIN, MACHINE, INTERRUPTED, NOBODY_READS = 2, 3, 4, 5, 130, 141
OUTPUT_IS_LOST = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
"""What goes wrong with an open stream rather than with the name of a file."""
NEEDS_NO_WATCHER = {"--help", "-h", "--version"}
ASCII = str.maketrans(
    {
        **{"×": "x", "·": "-", "…": "...", "≥": ">=", "≤": "<=", "–": "-", "—": "-", "−": "-"},
        **{"─": "-", "│": "|", **dict.fromkeys("┌┬┐├┼┤└┴┘", "+")},
    }
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments after the program's name; without them those of the process, which is then a program of
            searchlab: it is ended from outside where a plugin lets nothing in it run.

    Returns:
        the exit code.
    """
    _write_what_the_terminal_can_show()
    if argv is not None:
        return _code(argv)
    if NEEDS_NO_WATCHER.intersection(sys.argv):
        return _code(sys.argv[1:])
    from searchlab.search.deadline import exit_at_ctrl_c, watch_program

    watch_program()
    _keep_streams_open()
    code = _code(sys.argv[1:])
    if code == INTERRUPTED:
        exit_at_ctrl_c()
    return code


def _keep_streams_open() -> None:
    """Let no plugin close standard output or standard error: what closes them writes what waits."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.close = stream.flush  # type: ignore[method-assign]


def _code(arguments: Sequence[str]) -> int:
    """Run the command line; return its exit code, whatever becomes of its output."""
    try:
        with told_warnings():
            code = _run(arguments, Session())
            if sys.stdout is not None:
                sys.stdout.flush()
            return code
    except KeyboardInterrupt:
        if sys.stderr is not None and sys.stderr.isatty():
            click.echo(err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_on_output()
        return NOBODY_READS
    except OSError as error:
        _give_up_on_output()
        tell_error(f"standard output: {error.strerror}")
        return MACHINE if error.errno in OF_THE_MACHINE else USAGE
    except ValueError:
        sys.stdout = None  # or the interpreter complains of it when it exits
        tell_error("standard output: closed by a plugin")
        return PLUGIN


def _run(arguments: Sequence[str], session: Session) -> int:
    """Run a command; return its exit code, or that of the error it ended with."""
    try:
        if any("\0" in argument for argument in arguments):
            raise UsageError("an argument cannot contain a null character")
        context = searchlab.make_context("searchlab", list(arguments), obj=session)
        with context:
            code = searchlab.invoke(context)
    except click.exceptions.Exit as asked:
        return asked.exit_code
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


def _is_lost_output(error: BaseException) -> bool:
    if isinstance(error, ValueError):
        return bool(getattr(sys.stdout, "closed", False))
    return isinstance(error, OSError) and error.filename is None and error.errno in OUTPUT_IS_LOST


def _known_error(error: click.ClickException | SearchlabError) -> int:
    """Say in one line what was wrong; return the exit code."""
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
        return MACHINE
    return PLUGIN if isinstance(error, PluginError) else USAGE


def _unknown_error(error: BaseException, session: Session) -> int:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({last[0].filename}, line {last[0].lineno})" if last else ""
    advice = "" if session.debug else "; run with --debug for the traceback"
    what = "the plugin's command failed" if session.is_of_plugin else "internal error"
    tell(f"{what}: {with_type(error)}{place}{advice}")
    return PLUGIN


def _trace(session: Session) -> None:
    if session.debug:
        import traceback

        click.echo(escaped(traceback.format_exc()), nl=False, err=True)


def _system_exit(asked: SystemExit) -> int:
    """Return the exit code of a plugin's command that called `sys.exit`."""
    if asked.code is None:
        return 0
    if isinstance(asked.code, int):
        return int.__index__(asked.code)
    tell_error(asked.code if isinstance(asked.code, str) else shown(asked.code))
    return 1


def _write_what_the_terminal_can_show() -> None:
    """Where an encoding lacks a character, write one it has instead of failing."""
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
    """Let what is still to be written go nowhere, or the interpreter complains of it when it exits."""
    if sys.stdout is not None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
