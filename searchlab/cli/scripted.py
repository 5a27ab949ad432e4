"""`searchlab play --testing` and `--log`: games as lines of text, each written as soon as it is known."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board import Board
    from searchlab.bound import BoundDomain


def write_line(line: str) -> None:
    """Write a line for a program that reads along."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def play_by_script(domain: BoundDomain, start: Board | None) -> None:
    """Play the games of the script on standard input.

    Raises:
        UsageError: a line of it makes no sense where it stands.
    """
    from searchlab.event_script import Script, replay

    replay(Script(_lines(), "standard input"), domain, write_line, start)


def _lines() -> Iterator[str]:
    """Yield the lines of standard input as they come in."""
    if sys.stdin is None:
        return
    try:
        for line in sys.stdin.buffer:
            yield line.decode("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None
