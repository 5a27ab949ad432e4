"""Redirect prints of plugins to standard error, because standard output belongs to answers, and limit their number."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from searchlab.errors.standard_error import clear_line, print_line

if TYPE_CHECKING:
    from types import FrameType

MOST_LINES = 20
"""The number of lines of a plugin to show: a heuristic that prints does so for each of millions of boards."""
OURS = "searchlab"
PASSED_OVER = {"numba", "numpy", *sys.stdlib_module_names}
"""Packages that print on behalf of plugins."""


class Aside:
    """A stand-in for standard output that writes to standard error; closing it closes nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Aside:
        """A stand-in for the stream of bytes."""
        return Aside(getattr(self._stream, "buffer", None))

    def write(self, text: Any) -> int:
        """Write a text, or bytes."""
        return self._stream.write(text) if self._stream else len(text)

    def flush(self) -> None:
        """Flush the stream."""
        if self._stream:
            self._stream.flush()

    def close(self) -> None:
        """Flush, and stay open."""
        self.flush()


class PrintedByPlugins(Aside):
    """A replacement of standard output that writes the first lines of each plugin to standard error.

    A plugin is identified by the file whose code prints. Compiled code has no file: all of it counts as one plugin.
    """

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()

    @property
    def _stream(self) -> Any:
        return sys.stderr

    def write(self, text: Any) -> int:
        """Write the text as far as the printing plugin has lines left, and report once that there are more."""
        file = _printing_file(sys._getframe(1))
        lines = self._lines[file]
        if lines > MOST_LINES:
            return len(text)
        shown = "".join(text.splitlines(keepends=True)[: MOST_LINES - lines])
        if shown:
            clear_line()
            super().write(shown)
        if shown != text:
            self._lines[file] = MOST_LINES + 1
            print_line(f"{_name(file)} prints more than {MOST_LINES} lines; the rest is left out")
        else:
            self._lines[file] += text.count("\n")
        return len(text)


def _name(file: str) -> str:
    if not file:
        return "a plugin"
    try:
        return os.path.relpath(file)
    except (OSError, ValueError):  # the current folder is gone, or the file is on another drive
        return file


def _printing_file(frame: FrameType | None) -> str:
    """Return the file of the printing code, `""` if it does not belong to a plugin."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in PASSED_OVER:
            return "" if package == OURS else frame.f_code.co_filename
        frame = frame.f_back
    return ""
