"""A watchdog over a search: when a plugin's function does not return, or takes all memory, somebody has to notice.

A search asks its Watch now and then whether to go on. While a plugin's function runs it cannot, and Python's own
answer to Ctrl-C has to wait as well, for as long as compiled code runs. So the patrol, a thread of its own, looks after
it. The moments it was awake are added up, so that neither a computer that sleeps nor one that is busy makes a search
look hung.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from searchlab.search.patrol import ROUND, patrol
from searchlab.search.process_memory import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from searchlab.search.limits import Watch

GRACE = 3.0
"""Seconds a search has to hear that it is over."""
GRACE_FOR_MEMORY = 0.3
FAILED = 4
"""The exit code where the outcome of a search that hangs cannot be told."""
LEAST_WATCHED = 256 * 2**20
"""Bytes a process may grow by whatever the limit: the interpreter and its libraries are not the search's."""
TOLERANCE = 1.1
"""What a search holds is known to this factor."""

_excused = 0
_lock = threading.Lock()


@contextmanager
def excused() -> Iterator[None]:
    """Say that what goes on may take long and is no plugin's doing: machine code is made, libraries are loaded."""
    global _excused
    with _lock:
        _excused += 1
    try:
        yield
    finally:
        with _lock:
            _excused -= 1


def is_excused() -> bool:
    """Return whether something goes on now that may take long and is no plugin's doing."""
    return _excused > 0


class Watchdog:
    """Watches one search, as a context manager around it.

    Args:
        watch: the search's.
        bite: called in another thread, with the status the search has to end with and why, when it does not end by
            itself. It has to end the process: nothing else stops compiled code.
    """

    def __init__(self, watch: Watch, bite: Callable[[str, str], None]) -> None:
        self._watch, self._bite = watch, bite
        self._searcher = threading.get_ident()
        self._is_over = False
        self._biting = threading.Lock()
        self._patrol = patrol()
        self._hears_ctrl_c = False
        self._heard_before = -1
        self._interrupts = 0
        self._was_full = False
        self._began = watch.began
        self._searched = self._since_interrupt = self._since_full = 0.0
        self._looked = time.monotonic()

    def __enter__(self) -> Self:
        self._watch.is_full = self._is_full
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self._hears_ctrl_c = True
            self._heard_before = signal.set_wakeup_fd(self._patrol.mouth, warn_on_full_buffer=False)
        self._patrol.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_the_bite()
        finally:
            self._patrol.remove(self)
            self._watch.is_full = None  # or each would keep the other until somebody looks for cycles
            if self._hears_ctrl_c:
                signal.set_wakeup_fd(self._heard_before)

    def _wait_for_the_bite(self) -> None:
        """Once it has begun to bite the process ends there, whatever is pressed: half an outcome is none."""
        interrupted = False
        while True:
            try:
                with self._biting:
                    self._is_over = True
                break
            except KeyboardInterrupt:
                interrupted = True
        if interrupted:
            raise KeyboardInterrupt

    def look(self, interrupts: int) -> None:
        """Look after the search; Ctrl-C was heard so many times since the last look."""
        now = time.monotonic()
        awake, self._looked = min(now - self._looked, 2 * ROUND), now
        self._interrupts += interrupts if self._hears_ctrl_c else 0
        if is_excused():
            return
        watch = self._watch
        if watch.began != self._began:  # it has been prepared and begins now
            self._began, self._searched = watch.began, 0.0
        self._searched += awake
        self._since_interrupt += awake if self._interrupts else 0.0
        self._since_full += awake if self._was_full else 0.0
        if self._is_full():
            self._was_full = True
            watch.give_up("memory-limit")
        if self._interrupts > 1 or self._since_interrupt > GRACE:
            self._end("interrupted")
        elif self._since_full > GRACE_FOR_MEMORY:
            self._end("memory-limit")
        elif self._searched > watch.limits.seconds + GRACE:
            self._end("memory-limit" if self._was_full else "time-limit")

    def _is_full(self) -> bool:
        """Return whether the process has grown by more than the search may hold."""
        return self._growth() > TOLERANCE * max(self._watch.memory, LEAST_WATCHED)

    def _growth(self) -> int:
        """Return the bytes by which the process has grown since the search began."""
        return resident_bytes() - self._watch.resident

    def _end(self, status: str) -> None:
        with self._biting:
            if not self._is_over:
                self._is_over = True
                try:
                    self._bite(status, self._why())
                except Exception:  # noqa: BLE001 - nothing else will ever end the process
                    sys.excepthook(*sys.exc_info())
                    os._exit(FAILED)

    def _why(self) -> str:
        """Return where the search hangs, and what the process has taken meanwhile where that is much."""
        why = f"{where(sys._current_frames().get(self._searcher))} did not return"
        growth = self._growth()
        return f"{why}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_WATCHED else why


def where(frame: FrameType | None) -> str:
    """Return where the function of a plugin is that a search has called, innermost in its own file.

    Args:
        frame: the innermost of the thread that searches.
    """
    searches, ours = os.path.join(Path(__file__).parent, ""), os.path.join(Path(__file__).parents[1], "")
    called: list[FrameType] = []
    while frame is not None and not frame.f_code.co_filename.startswith(searches):
        file = frame.f_code.co_filename
        if os.path.exists(file) and not file.startswith(ours) and not _is_standard(file):
            called.append(frame)
        frame = frame.f_back
    if not called:
        return "a compiled function of a plugin (--engine readable says which)"
    file = called[-1].f_code.co_filename
    innermost = next(frame for frame in called if frame.f_code.co_filename == file)
    return f"{innermost.f_code.co_name} ({file}, line {innermost.f_lineno})"


def _is_standard(file: str) -> bool:
    """Return whether a file belongs to Python's own library, in whose folder others may be installed."""
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file
