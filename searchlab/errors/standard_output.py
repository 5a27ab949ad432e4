"""Standard output, which belongs to the answer of a command while that runs."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_reserved: TextIO | None = None
"""Standard output while it is reserved for the answer of a command."""


def standard_output() -> TextIO | None:
    """Return the stream for the answer of a command; None if there is none."""
    return sys.stdout if _reserved is None else _reserved


@contextmanager
def reserved_output(stand_in: Any, *, of_process: bool) -> Iterator[None]:
    """Reserve standard output for `standard_output`; all other output goes to standard error.

    Args:
        stand_in: the stream for other output.
        of_process: whether the process ends soon after. Output of C code then goes to standard error for good, too,
            because it may be written only at the end of the process.
    """
    global _reserved
    before = sys.stdout
    if before is None or _reserved is not None:
        yield
        return
    _reserved = _moved(before) if of_process else before
    sys.stdout = stand_in
    try:
        yield
    finally:
        sys.stdout, _reserved = _reserved, None


def terminal_columns() -> int:
    """Return the number of characters in a line of the terminal, 80 without one.

    It equals `shutil.get_terminal_size`, whose module takes a tenth of the time of `searchlab --help` to import.
    """
    try:
        columns = int(os.environ.get("COLUMNS", "0"))
    except ValueError:
        columns = 0
    stream = _reserved or sys.__stdout__
    if columns <= 0 and stream is not None:
        with suppress(OSError, ValueError, AttributeError):
            columns = os.get_terminal_size(stream.fileno()).columns
    return columns if columns > 0 else 80


def _moved(stream: TextIO) -> TextIO:
    """Return a stream that writes to the same file by another descriptor; this one becomes standard error."""
    try:
        stream.flush()
        descriptor = stream.fileno()
        moved = os.fdopen(
            os.dup(descriptor),
            "w",
            encoding=stream.encoding,
            errors=stream.errors,
            closefd=False,
        )
        if isinstance(stream, io.TextIOWrapper):
            moved.reconfigure(line_buffering=stream.line_buffering)
        os.dup2(2, descriptor)
    except (OSError, ValueError):  # it has no descriptor, or standard error is closed
        return stream
    return moved
