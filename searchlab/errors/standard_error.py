"""Lines on standard error: one after another, or a line that is redrawn on a terminal."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from searchlab.errors.control_characters import one_line
from searchlab.errors.standard_output import terminal_columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

REDRAWN_EVERY = 0.2
"""Seconds between two looks at a line that is redrawn."""
CLEARED = "\r\x1b[K"
"""Moves the cursor of a terminal to the beginning of its line, and clears the line."""


def can_redraw() -> bool:
    """Return whether standard error is a terminal on which a line can be redrawn."""
    # While rich redraws, a stream of its own takes the place of this one, which before rich 15 is no terminal.
    stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    return stream is not None and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


_is_drawn = False
"""Whether the last line of the terminal is being redrawn."""


def print_line(line: str) -> None:
    """Print a line on standard error, if there is one."""
    clear_line()
    _write(f"searchlab: {one_line(line)}\n")


def redraw(line: str) -> None:
    """Show a text in place of the last line of the terminal, cut to its width; an empty text clears the line."""
    global _is_drawn
    _is_drawn = bool(line)
    _write(f"{CLEARED}{one_line(line)[: terminal_columns() - 1]}")


def clear_line() -> None:
    """Clear the last line of the terminal if it is being redrawn, so that other lines can be printed."""
    if _is_drawn:
        redraw("")


def redraw_until(
    ended: Event,
    text: Callable[[], str],
    delay: float,
    *,
    draw: Callable[[str], None] = redraw,
    every: float = REDRAWN_EVERY,
) -> None:
    """Redraw a line until an event, from `delay` seconds on, and then clear it.

    Args:
        ended: the event.
        text: returns the line.
        delay: the seconds before the line appears.
        draw: draws the line, by default as the last one of the terminal; an empty line clears it.
        every: the seconds between two drawings.
    """
    is_drawn, wait = False, delay
    while not ended.wait(wait):
        draw(text())
        is_drawn, wait = True, every
    if is_drawn:
        draw("")


def _write(text: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # there is nowhere left to complain
            sys.stderr.write(text)
            sys.stderr.flush()
