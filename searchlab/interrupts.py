"""Ctrl-C, heard: what runs comes to an end of its own."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def told_of_ctrl_c(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C while the context lasts; the second raises KeyboardInterrupt.

    In a thread other than the main one, and where Ctrl-C is ignored (a shell does so for what runs in the background),
    nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    heard = False

    def hear(*_: Any) -> None:
        nonlocal heard
        if heard:
            raise KeyboardInterrupt
        heard = True
        stop()

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
