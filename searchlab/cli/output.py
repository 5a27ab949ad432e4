"""Output of the commands: results on standard output or in a file, messages on standard error.

Control characters are escaped in all output, except in `Styled` text: it was escaped before colours were added, so that
only our own escape sequences reach a terminal.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Mapping
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, TextIO

import click

from searchlab.errors import SearchlabWarning
from searchlab.errors.control_characters import escaped, one_line
from searchlab.errors.standard_error import clear_line
from searchlab.errors.standard_output import standard_output, terminal_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""The escape sequences of colours; as a group, so that `re.split` keeps them."""
NUMBERS = {"integer": "whole number", "float": "number"}
NO_NUMBER = re.compile(rf"is not a valid ({'|'.join(NUMBERS)})(?: range)?$")
"""Click's words for an invalid number."""

PLAIN_WIDTH = 80
"""The width of pages that are written to a file."""
LEAST_WIDTH = 20
AT_ONCE = 1000
"""Lines of a page that are written at once."""


class Styled(str):
    """Text in which only the escape sequences of colours are not escaped."""

    __slots__ = ()


def safe(text: str) -> Styled:
    """Return a text with control characters escaped, unless it is Styled."""
    return text if isinstance(text, Styled) else Styled(escaped(text))


def styled(text: str, **style: Any) -> Styled:
    """Return a text in a style; arguments as for `click.style`."""
    return Styled(click.style(escaped(text), **style))


def joined(separator: str, parts: Iterable[str]) -> Styled:
    """Join texts, each made safe to print."""
    texts = list(parts)
    is_safe = "".join(texts).isprintable()  # of many lines most are
    return Styled(separator.join(texts if is_safe else map(safe, texts)))


def with_colours(text: str) -> Styled:
    """Return a text with all control characters escaped but the escape sequences of colours."""
    pieces = COLOUR.split(text)
    return Styled("".join(piece if number % 2 else escaped(piece) for number, piece in enumerate(pieces)))


def page_width() -> int:
    """Return the width of the terminal, 80 characters without one, and at least 20."""
    return max(LEAST_WIDTH, terminal_columns())


def shows_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal on which colours are wanted (see no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()


def writes_to_terminal() -> bool:
    """Return whether standard output is a terminal."""
    stream = standard_output()
    return stream is not None and stream.isatty()


def put(text: str, *, end: str = "\n") -> None:
    """Print a part of a command's result."""
    click.echo(f"{safe(text)}{end}", nl=False, file=standard_output())


def put_lines(lines: Iterable[str]) -> None:
    """Print the lines of a page, which may be very many."""
    left = iter(lines)
    while part := list(islice(left, AT_ONCE)):
        put(joined("\n", part))


def put_wrapped(text: str, indent: str = "") -> None:
    """Print a part of a command's result in lines that fit the terminal, names and paths whole."""
    from textwrap import wrap

    for line in wrap(
        safe(text),
        page_width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ):
        put(line)


def put_exactly(text: str) -> None:
    """Print a text for other programs unchanged; on a terminal control characters are escaped."""
    stream = standard_output()
    if writes_to_terminal():
        put(text, end="")
    elif stream is not None:
        stream.write(text)


def tell(text: str) -> None:
    """Print a message on standard error, in one line."""
    clear_line()
    with contextlib.suppress(OSError, ValueError):  # there is nowhere left to complain
        click.echo(f"searchlab: {one_line(text)}", err=True, file=sys.stderr)


def tell_error(text: str) -> None:
    """Print an error message."""
    tell(f"error: {text}")


def warn(text: str) -> None:
    """Issue a warning; `warnings_as_messages` prints it, and prints it once."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", SearchlabWarning)  # a plugin may have turned warnings into errors
        warnings.warn(text, SearchlabWarning, stacklevel=2)


@contextlib.contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Print each distinct warning as a message of one line during the context."""
    printed: set[str] = set()

    def print_once(
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
        if text not in printed:
            printed.add(text)
            tell(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", SearchlabWarning)
        warnings.showwarning = print_once
        yield


def usage_error(error: click.UsageError) -> str:
    """Return Click's complaint about arguments in one line, with the command whose help explains them."""
    what = one_line(error.format_message()).removesuffix(".")
    what = what[:1].lower() + what[1:]
    what = NO_NUMBER.sub(lambda found: f"is not a {NUMBERS[found[1]]}", what)
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdigit():
        what += ": a board stands in a file, or comes from standard input, which is called -"
    elif isinstance(error, click.NoSuchOption) and error.option_name == "--heuristic":
        what += ": a player's heuristic is one of its parameters, as in greedy:heuristic=snake"
    return f"{what} (see {error.ctx.command_path} --help)" if error.ctx else what


def as_json(content: Any) -> str:
    """Return a line of JSON; numbers that JSON lacks become null."""
    import json

    return json.dumps(_plain(content), allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a value with NumPy numbers converted to Python numbers, and None for infinite ones and NaN."""
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
    """Return the name of the one option that was given, or `""`.

    Raises:
        click.UsageError: several options were given.
    """
    forms = [name for name, is_asked in asked.items() if is_asked]
    if len(forms) > 1:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in forms)
        raise click.UsageError(f"{options} exclude each other", click.get_current_context())
    return forms[0] if forms else ""


def check_output(output: Path | None) -> None:
    """Check, before the work, that the file can be written after it."""
    if output:
        from searchlab.files import check_writable

        check_writable(output)


def page_written(path: Path, *, opens: bool) -> None:
    """Print the location of a page, and open it in the browser if requested."""
    put(f"written to {path}")
    if not opens:
        return
    import webbrowser

    if not webbrowser.open(path.resolve().as_uri()):
        tell(f"no browser was found to open {path}")


def write_output(parts: Iterable[str], output: Path | None) -> None:
    """Print texts one after another, or write them to a file."""
    if output:
        from searchlab.files import write

        write(output, map(safe, parts))
        return
    for part in parts:
        put(part, end="")
