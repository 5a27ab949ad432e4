"""Suspend deadlines during work that does not count as part of a run.

Examples are compiling machine code, loading libraries and building prepared tables.
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
        awaited: the thing that the block prepares, for error messages.
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
    """Return the thing that is being prepared, the latest of several, or `""` if the deadlines are not suspended."""
    return next(reversed(tuple(_awaited)), "")
