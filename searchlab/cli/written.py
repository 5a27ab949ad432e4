"""How a result is handed over: which form was asked for, and whether to a file or to standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.messages import put
from searchlab.cli.styling import safe

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def form_asked(**asked: bool) -> str:
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


def hand_over(parts: Iterable[str], output: Path | None) -> None:
    """Print texts one after another, or write them to a file, their control characters escaped."""
    if output:
        from searchlab.files import write

        write(output, map(safe, parts))
        return
    for part in parts:
        put(part, end="")
