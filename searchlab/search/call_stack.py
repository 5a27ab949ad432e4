"""Find the plugin's function in which a search hangs, in the call stack of the searching thread."""

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
    """Return the name, file and line of the plugin's function that a search has called, the innermost in its own file.

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
    # Other packages may be installed in a folder of the standard library's.
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file


def timeout_reason(place: str, growth: float) -> str:
    """Return the reason why a hanging search is ended.

    Args:
        place: the function in which it hangs.
        growth: the bytes by which the process has grown; named if they are many.
    """
    reason = f"{place} did not return"
    return f"{reason}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_GROWTH else reason
