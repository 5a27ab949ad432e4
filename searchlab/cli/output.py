"""Output of the commands: results on standard output or in a file, messages on standard error, all of it escaped."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, TextIO

import click

from searchlab.errors import SearchlabWarning
from searchlab.errors.control_characters import escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""The escape sequences that choose colours; it is a group so that `re.split` keeps them."""


class Styled(str):
    """Text whose escape sequences are ours, and whose other control characters are escaped."""

    __slots__ = ()


def safe(text: str) -> Styled:
    """Return a text as it may be printed."""
    return text if isinstance(text, Styled) else Styled(escaped(text))


def styled(text: str, **style: Any) -> Styled:
    """Return a text in a style, which is said as to `click.style`."""
    return Styled(click.style(escaped(text), **style))


def joined(separator: str, parts: Iterable[str]) -> Styled:
    """Return texts as one, each as it may be printed."""
    return Styled(separator.join(map(safe, parts)))


def with_colours(text: str) -> Styled:
    """Return a text that may choose colours, and nothing else."""
    pieces = COLOUR.split(text)
    return Styled("".join(piece if number % 2 else escaped(piece) for number, piece in enumerate(pieces)))


PLAIN_WIDTH = 80


def page_width() -> int:
    """Return the width of the terminal, 80 characters where there is none."""
    return max(20, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns)


def shows_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that is to show colours (see no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()


def writes_to_terminal() -> bool:
    """Return whether somebody watches standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


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
def warnings_as_messages() -> Iterator[None]:
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


def as_json(content: Any) -> str:
    """Return one line of JSON; numbers that JSON does not have become null."""
    return json.dumps(_plain(content), allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a value with NumPy's numbers as Python's, and None for those that are not finite."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)


def chosen_form(**asked: bool) -> str:
    """Return the form of output that was asked for, an empty text for the one for people.

    Raises:
        click.UsageError: several were asked for.
    """
    forms = [name for name, is_asked in asked.items() if is_asked]
    if len(forms) > 1:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in forms)
        raise click.UsageError(f"{options} exclude each other", click.get_current_context())
    return forms[0] if forms else ""


def check_output(output: Path | None) -> None:
    """Find out before the work what keeps the file from being written after it."""
    if output:
        from searchlab.files import check_writable

        check_writable(output)


def write_output(parts: Iterable[str], output: Path | None) -> None:
    """Print texts one after another, or write them to a file, their control characters escaped."""
    if output:
        from searchlab.files import write

        write(output, map(safe, parts))
        return
    for part in parts:
        put(part, end="")
