"""Suspend garbage collection while a process creates many objects that it keeps: each collection scans all of them."""

from __future__ import annotations

import gc
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_lock = threading.RLock()  # reentrant: while it is held, a collection or a signal may run code that asks for it
_open = 0
_is_wanted = True
"""Whether collection is switched on again after the last open block."""


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Suspend garbage collection within a block of code, including the open blocks of other threads.

    >>> with no_garbage_collection():
    ...     gc.isenabled(), is_wanted()
    (False, True)
    """
    global _open, _is_wanted
    with _lock:
        if not _open:
            _is_wanted = gc.isenabled()
        _open += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _open -= 1
            if not _open and _is_wanted:
                gc.enable()


def is_wanted() -> bool:
    """Return whether garbage collection is on, or will be after the open blocks of all threads."""
    with _lock:
        return gc.isenabled() or (_open > 0 and _is_wanted)


def want(is_on: bool) -> None:
    """Switch garbage collection on or off: now, or after the open blocks of all threads."""
    global _is_wanted
    with _lock:
        if _open:
            _is_wanted = is_on
        if is_on and not _open:
            gc.enable()
        else:
            gc.disable()
