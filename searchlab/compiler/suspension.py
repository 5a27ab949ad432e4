"""Suspension of deadlines while machine code is made or libraries are loaded: no plugin is to blame for that time."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_count = 0
_lock = threading.Lock()
_listener: Callable[[int], None] | None = None


@contextmanager
def suspended() -> Iterator[None]:
    """Suspend the deadlines of this process for a block of code."""
    _change_count(1)
    try:
        yield
    finally:
        _change_count(-1)


def is_suspended() -> bool:
    """Return whether the deadlines of this process are suspended now."""
    return _count > 0


def listen(listener: Callable[[int], None]) -> None:
    """Call a function with the number of blocks that suspend the deadlines, whenever that number changes."""
    global _listener
    with _lock:
        _listener = listener


def _change_count(change: int) -> None:
    global _count
    with _lock:
        _count += change
        if _listener is not None:
            _listener(_count)
