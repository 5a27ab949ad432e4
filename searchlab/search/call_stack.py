"""Find the plugin function in which a search hangs, from the call stack of the searching thread."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.search.watch import LEAST_GROWTH

if TYPE_CHECKING:
    from types import FrameType


COMPILED = "a compiled function of a plugin"
IN_SEARCH = f"{COMPILED} (the readable engine says which)"


def location(frame: FrameType | None) -> str:
    """Return the name, file and line of the plugin function that a search has called.

    If the function calls others in the same file, the innermost of them is named.

    Args:
        frame: the innermost frame of the thread that searches.
    """
    ours = os.path.join(Path(__file__).parents[1], "")
    ends = tuple(os.path.join(ours, name, "") for name in ("search", "cli"))
    called: list[FrameType] = []
    in_search = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(ours):
            if called or file.startswith(ends):
                in_search = file.startswith(ends[0])
                break
        elif os.path.exists(file) and not _is_standard_library(file):
            called.append(frame)
        frame = frame.f_back
    if not called:
        return IN_SEARCH if in_search else COMPILED
    file = called[-1].f_code.co_filename
    innermost = next(call for call in called if call.f_code.co_filename == file)
    return f"{innermost.f_code.co_name} ({file}, line {innermost.f_lineno})"


def _is_standard_library(file: str) -> bool:
    # Other packages may be installed in a subfolder of the standard library.
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file


def timeout_reason(place: str, growth: float) -> str:
    """Return the reason to report for a search that hangs.

    Args:
        place: the function in which the search hangs.
        growth: the number of bytes by which the process has grown; part of the reason if it is large.
    """
    reason = f"{place} did not return"
    return f"{reason}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_GROWTH else reason
