"""Suspension of deadlines while something is made ready that no run is to blame for.

That is machine code that is compiled, libraries that are loaded, prepared tables that are built.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MACHINE_CODE = "its machine code"
_awaited: list[str] = []
_lock = threading.Lock()
_listener: Callable[[int], None] | None = None


@contextmanager
def suspended(awaited: str = MACHINE_CODE) -> Iterator[None]:
    """Suspend the deadlines of this process for a block of code.

    Args:
        awaited: what the block makes ready.
    """
    with _lock:
        _awaited.append(awaited)
        _notify()
    try:
        yield
    finally:
        with _lock:
            _awaited.remove(awaited)
            _notify()


def is_suspended() -> bool:
    """Return whether the deadlines of this process are suspended now."""
    return bool(_awaited)


def awaited_now() -> str:
    """Return what is being made ready, the latest first; `''` if the deadlines are not suspended."""
    return next(reversed(tuple(_awaited)), "")


def listen(listener: Callable[[int], None]) -> None:
    """Call a function with the number of blocks that suspend the deadlines, whenever that number changes."""
    global _listener
    with _lock:
        _listener = listener


def _notify() -> None:
    if _listener is not None:
        _listener(len(_awaited))
