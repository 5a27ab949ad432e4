"""The process of a command: its exit codes, its limit of memory, Ctrl-C, and its end if a plugin never returns."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.errors import SearchlabError
from searchlab.errors.interrupts import limit_ctrl_c
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.search.watch import Watch

T = TypeVar("T")
UNSOLVABLE, USAGE, LIMIT_REACHED, PLUGIN_FAILED, MACHINE_FAILED, INTERRUPTED, OUTPUT_CLOSED = 1, 2, 3, 4, 5, 130, 141
"""The exit codes besides 0; `searchlab.cli.program` says what they mean."""
REFUSED = 1
"""The exit code if some boards were refused and the others used."""
SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"
"""Shows the cursor on a terminal where a line was being redrawn."""
LEAVE_OTHER_SCREEN = b"\x1b[0m\x1b[?7h\x1b[?1049l"


_settings: list[Any] | None = None
_owns_process = False


def take_process() -> None:
    """Set up a process that runs one command line: how it ends after a crash, a hang or Ctrl-C."""
    from searchlab.errors import alarm

    global _settings, _owns_process
    _settings, _owns_process = _terminal_settings(), True
    alarm.set_up()
    limit_ctrl_c()


def _terminal_settings() -> list[Any] | None:
    """Return the settings of the terminal that is the standard input, None if it is no terminal."""
    with suppress(Exception):
        import termios

        return termios.tcgetattr(0) if os.isatty(0) else None
    return None


def _restore_terminal() -> None:
    """Restore a terminal on which a line was being redrawn, or a game was played on the alternate screen."""
    with suppress(Exception):
        import termios

        shown = SHOW_CURSOR
        # In a background job the settings are those of whoever has the terminal now, and to set them stops the process.
        if _settings is not None and os.tcgetpgrp(0) == os.getpgrp() and termios.tcgetattr(0) != _settings:
            termios.tcsetattr(0, termios.TCSANOW, _settings)
            shown = LEAVE_OTHER_SCREEN + shown
        terminal = next(stream for stream in (sys.stderr, standard_output()) if stream is not None and stream.isatty())
        os.write(terminal.fileno(), shown)


@contextmanager
def held_to_limits(memory: int | None, finish: Callable[[str, str], int], *, patient: bool = False) -> Iterator[Watch]:
    """End the process if the code in the context exceeds its memory or ignores Ctrl-C, whatever plugins do.

    Args:
        memory: limit of memory in bytes; None for the share of what is available.
        finish: called with (status, reason); reports the outcome so far and returns the exit code.
        patient: whether the first Ctrl-C lets the work under way finish, and only the second one ends it.
    """
    from searchlab.model.limits import Limits
    from searchlab.search.watch import Watch
    from searchlab.search.watchdog import Watchdog

    def report_and_exit(status: str, reason: str) -> None:
        exit_now(partial(finish, status, reason))

    watch = Watch(Limits(memory=memory))
    with Watchdog(watch, report_and_exit, patient=patient):
        yield watch


def within_limits(*, patient: bool = False, gets_watch: bool = False) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a command that has the option --memory-limit: run it in `held_to_limits`.

    Args:
        patient: see there.
        gets_watch: whether the command is called with `watch`, which holds it to its limits.
    """

    def limited(command: Callable[..., T]) -> Callable[..., T]:
        @wraps(command)
        def run(*arguments: Any, memory_limit: int | None, **options: Any) -> T:
            finish = partial(report_end, json=bool(options.get("json")))
            with held_to_limits(memory_limit, finish, patient=patient) as watch:
                return command(*arguments, **options, **({"watch": watch} if gets_watch else {}))

        return run

    return limited


def report_end(status: str, reason: str, *, json: bool = False) -> int:
    """Report the end of a command that did not return; return the exit code."""
    from searchlab.cli.output import as_json, put, tell_error
    from searchlab.cli.progress import evaluated_now

    if status == "interrupted":
        reason = evaluated_now() or reason
    if json:
        put(as_json({"status": status, "reason": reason}), end="")
    tell_error(f"{status}: {reason}" + ("; --memory-limit allows more" if status == "memory-limit" else ""))
    return INTERRUPTED if status == "interrupted" else LIMIT_REACHED


def exit_now(finish: Callable[[], int]) -> None:
    """Exit without unwinding the stack or waiting for threads, since something in them does not return.

    Args:
        finish: called first; returns the exit code, which is 4 if it fails.
    """
    code = PLUGIN_FAILED
    if _owns_process:
        _restore_terminal()
    try:
        code = finish()
    except SearchlabError as error:
        from searchlab.cli.output import tell_error

        tell_error(str(error))
    finally:
        _flush_output()
        os._exit(code)


def end_by(number: int) -> None:
    """End the process by a signal, so that whoever started the process sees which one."""
    _flush_output()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def _flush_output() -> None:
    for stream in filter(None, (standard_output(), sys.stderr)):
        with suppress(OSError, ValueError):
            stream.flush()
