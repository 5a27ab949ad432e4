"""Standard input and output line by line, for a program at the other end that waits for answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.errors.control_characters import escaped
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE = 1 << 16
"""The longest line of standard input in bytes, with its end; no more of a line is kept in memory."""


def write_line(line: str) -> None:
    """Write a line and flush it; standard output may be closed."""
    stream = standard_output()
    if stream is not None:
        stream.write(f"{escaped(line)}\n")
        stream.flush()


def read_lines() -> Iterator[bytes | None]:
    """Yield the lines of standard input as they arrive, None for a line that is too long.

    Raises:
        UsageError: standard input cannot be read.
    """
    if sys.stdin is None:
        return
    stream = sys.stdin.buffer
    try:
        while line := stream.readline(LONGEST_LINE):
            is_whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
            yield line if is_whole else None
            while not is_whole:
                rest = stream.readline(LONGEST_LINE)
                is_whole = not rest or rest.endswith(b"\n")
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None
