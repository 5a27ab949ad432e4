"""The process of a command: its limit of memory, Ctrl-C, and its end where something never returns."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.errors import SearchlabError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.search.watch import Watch

T = TypeVar("T")
LIMIT_REACHED, FAILED, INTERRUPTED = 3, 4, 130


@contextmanager
def held_to_limits(
    memory: int | None, words: Callable[[], Callable[[str, str], int]], *, patient: bool = False
) -> Iterator[Watch]:
    """Hold what a command does to a limit of memory and to Ctrl-C, whatever plugins do; otherwise end the process.

    Args:
        memory: bytes it may take, by default its share of what is available.
        words: returns what tells the outcome so far, in this process or, pickled, in another: given the status and why
            it returns the exit code.
        patient: whether Ctrl-C lets what is under way be finished, and only a second one ends it.
    """
    from searchlab.model.limits import Limits
    from searchlab.search.deadline import Watchdog
    from searchlab.search.watch import Watch

    def bite(status: str, why: str) -> None:
        exit_now(partial(words(), status, why))

    watch = Watch(Limits(memory=memory))
    with Watchdog(watch, bite, words, patient=patient):
        yield watch


def within_limits(*, patient: bool = False) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Return what lets a command with the option --memory-limit run in `held_to_limits`."""

    def limited(command: Callable[..., T]) -> Callable[..., T]:
        @wraps(command)
        def run(*arguments: Any, memory_limit: int | None, **options: Any) -> T:
            words = partial(report_end, json=bool(options.get("json")))
            with held_to_limits(memory_limit, lambda: words, patient=patient):
                return command(*arguments, **options)

        return run

    return limited


def report_end(status: str, why: str, *, json: bool = False) -> int:
    """Tell how a command ended that did not come back; return the exit code."""
    from searchlab.cli.output import as_json, put, tell_error

    if json:
        put(as_json({"status": status, "reason": why}), end="")
    tell_error(f"{status}: {why}")
    return INTERRUPTED if status == "interrupted" else LIMIT_REACHED


def exit_now(last_words: Callable[[], int]) -> None:
    """End this process with the exit code of what is still to be done, or 4 where that fails."""
    code = FAILED
    try:
        code = last_words()
    except SearchlabError as error:
        from searchlab.cli.output import tell_error

        tell_error(str(error))
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
