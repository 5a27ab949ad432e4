"""What is said: results on standard output, all else on standard error in lines that begin with `searchlab: `."""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import TYPE_CHECKING, TextIO

import click

from searchlab.cli.layout import writes_to_terminal
from searchlab.cli.styling import safe
from searchlab.errors import SearchlabWarning
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


def put(text: str, *, end: str = "\n") -> None:
    """Print what a command was asked for, its control characters escaped."""
    click.echo(f"{safe(text)}{end}", nl=False, file=sys.stdout)


def put_exactly(text: str) -> None:
    """Print a text for other programs: as it is, but on a terminal with its control characters escaped."""
    if writes_to_terminal():
        put(text, end="")
    elif sys.stdout is not None:
        sys.stdout.write(text)


def tell(text: str) -> None:
    """Say something on standard error, whatever it is in one line."""
    with contextlib.suppress(OSError, ValueError):  # there is nowhere left to complain
        click.echo(f"searchlab: {one_line(text)}", err=True, file=sys.stderr)


def tell_error(text: str) -> None:
    """Say what was wrong."""
    tell(f"error: {text}")


def warn(text: str) -> None:
    """Say something once that the user should know; it goes where all warnings go."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SearchlabWarning)  # a plugin may have turned warnings into errors
        warnings.warn(text, SearchlabWarning, stacklevel=2)


@contextlib.contextmanager
def told_warnings() -> Iterator[None]:
    """Show warnings as one line each, and each only once, for as long as the context lasts."""
    told: set[str] = set()

    def tell_once(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = str(message)
        if not issubclass(category, SearchlabWarning):
            text = f"{category.__name__}: {text} ({filename}, line {lineno})"
        if text not in told:
            told.add(text)
            tell(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", SearchlabWarning)
        warnings.showwarning = tell_once
        yield


def usage_error(error: click.UsageError) -> str:
    """Return what Click found wrong with the arguments, and where to read on, in one line."""
    what = one_line(error.format_message()).removesuffix(".")
    what = what[:1].lower() + what[1:]
    return f"{what} (see {error.ctx.command_path} --help)" if error.ctx else what
