"""Suspension of deadlines while something is made ready that no run is to blame for.

That is machine code that is compiled, libraries that are loaded, prepared tables that are built.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from searchlab.errors.alarm import hold_alarm, release_alarm

if TYPE_CHECKING:
    from collections.abc import Iterator

MACHINE_CODE = "its machine code"
_awaited: list[str] = []
_lock = threading.Lock()


@contextmanager
def suspended(awaited: str = MACHINE_CODE) -> Iterator[None]:
    """Suspend the deadlines of this process for a block of code.

    Args:
        awaited: what the block makes ready.
    """
    with _lock:
        _awaited.append(awaited)
    hold_alarm()
    try:
        yield
    finally:
        release_alarm()
        with _lock:
            _awaited.remove(awaited)


def is_suspended() -> bool:
    """Return whether the deadlines of this process are suspended now."""
    return bool(_awaited)


def awaited_now() -> str:
    """Return what is being made ready, the latest first; `''` if the deadlines are not suspended."""
    return next(reversed(tuple(_awaited)), "")
