"""Times that no plugin is to blame for: machine code is made, libraries are loaded."""

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
def excused() -> Iterator[None]:
    """Say that what goes on may take long and is no plugin's doing."""
    _excuse(1)
    try:
        yield
    finally:
        _excuse(-1)


def is_excused() -> bool:
    """Return whether something goes on now that may take long and is no plugin's doing."""
    return _count > 0


def notify_of_excuses(listener: Callable[[int], None]) -> None:
    """Call a function with the number of such things that go on, whenever it changes: who looks from outside."""
    global _listener
    with _lock:
        _listener = listener


def _excuse(more: int) -> None:
    global _count
    with _lock:
        _count += more
        if _listener is not None:
            _listener(_count)
