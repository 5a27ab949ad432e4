"""Where a search hangs: the plugin's function in the call stack of the thread that searches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from searchlab.search.watch import LEAST_GROWTH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType


class Call(NamedTuple):
    """A function that has been called and has not returned.

    Attributes:
        file, line: where it is.
        name: its own.
    """

    file: str
    line: int
    name: str


def location(frame: FrameType | None) -> str:
    """Return the name, file and line of the plugin's function that a search has called, the innermost in its own file.

    Args:
        frame: the innermost frame of the thread that searches.
    """
    calls = []
    while frame is not None:
        calls.append(Call(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return location_in(calls)


COMPILED = "a compiled function of a plugin"
IN_SEARCH = f"{COMPILED} (the readable engine says which)"


def location_in(calls: Sequence[Call]) -> str:
    """Return the same as `location`, from the calls of a stack, the innermost first."""
    ours = os.path.join(Path(__file__).parents[1], "")
    ends = tuple(os.path.join(ours, name, "") for name in ("search", "cli"))
    called: list[Call] = []
    in_search = False
    for call in calls:
        if call.file.startswith(ours):
            if called or call.file.startswith(ends):
                in_search = call.file.startswith(ends[0])
                break
        elif os.path.exists(call.file) and not _is_standard_library(call.file):
            called.append(call)
    if not called:
        return IN_SEARCH if in_search else COMPILED
    innermost = next(call for call in called if call.file == called[-1].file)
    return f"{innermost.name} ({innermost.file}, line {innermost.line})"


def _is_standard_library(file: str) -> bool:
    # Other packages may be installed in a folder of the standard library's.
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file


def parse_stack(report: str, thread: int) -> list[Call]:
    """Return the calls of one thread in the report of `faulthandler`, the innermost first."""
    import re

    threads = re.split(r"(?m)^(?:Current thread|Thread) 0x([0-9a-f]+).*$", report)
    found = dict(zip(threads[1::2], threads[2::2], strict=False))
    stack = next((stack for ident, stack in found.items() if int(ident, 16) == thread), report)
    calls = re.findall(r'(?m)^  File "(.*)", line (\d+) in (.*)$', stack)
    return [Call(file, int(line), name) for file, line, name in calls]


def timeout_reason(place: str, growth: float) -> str:
    """Return why a search that hangs is ended.

    Args:
        place: where it hangs.
        growth: the bytes by which its process has grown, named if they are many.
    """
    reason = f"{place} did not return"
    return f"{reason}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_GROWTH else reason
