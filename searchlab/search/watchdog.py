"""A watchdog over a search: when a plugin's function does not return, or takes all memory, somebody has to notice.

A search asks its Watch now and then whether to go on. While a plugin's function runs it cannot, and Python's own
answer to Ctrl-C has to wait as well, for as long as compiled code runs. The watchdog is a thread of its own. It adds
up the moments it was awake, so that neither a computer that sleeps nor one that is busy makes a search look hung.
"""

from __future__ import annotations

import _thread
import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from searchlab.search.limits import Watch

GRACE = 3.0
"""Seconds a search has to hear that it is over."""
GRACE_FOR_MEMORY = 0.3
LOOKS = 0.05
"""Seconds between two looks."""
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
        self._over = threading.Event()
        self._biting = threading.Lock()
        self._ear: socket.socket | None = None
        self._mouth: socket.socket | None = None
        self._wakeup = -1
        self._base = 0

    def __enter__(self) -> Self:
        self._base = resident_bytes()
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self._ear, self._mouth = socket.socketpair()
            self._ear.setblocking(False)
            self._mouth.setblocking(False)
            self._wakeup = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        _thread.start_new_thread(
            self._run, ()
        )  # unlike a Thread's, this start is not waited for: searches can be short
        return self

    def __exit__(self, *_: object) -> None:
        with self._biting:  # once it has begun to bite the process ends there
            self._over.set()
        if self._mouth is not None:
            signal.set_wakeup_fd(self._wakeup)
            self._mouth.close()  # which wakes the thread

    def _run(self) -> None:
        try:
            self._watch_over()
        finally:
            if self._ear is not None:
                self._ear.close()

    def _watch_over(self) -> None:
        watch, began, interrupts = self._watch, self._watch.began, 0
        searched = since_interrupt = since_full = 0.0
        looked = time.monotonic()
        while not self._over.is_set():
            interrupts += self._heard()
            now = time.monotonic()
            awake, looked = min(now - looked, 2 * LOOKS), now
            if _excused:
                continue
            if watch.began != began:  # it has been prepared and begins now
                began, searched, self._base = watch.began, 0.0, resident_bytes()
            searched += awake
            since_interrupt += awake if interrupts else 0.0
            full = resident_bytes() - self._base > TOLERANCE * max(watch.memory, LEAST_WATCHED)
            if full:
                watch.give_up("memory-limit")
            since_full += awake if full or since_full else 0.0
            if interrupts > 1 or since_interrupt > GRACE:
                self._end("interrupted")
            elif since_full > GRACE_FOR_MEMORY:
                self._end("memory-limit")
            elif searched > watch.limits.seconds + GRACE:
                self._end("time-limit")

    def _heard(self) -> int:
        """Wait a moment; return how many times Ctrl-C was pressed meanwhile."""
        if self._ear is None:
            self._over.wait(LOOKS)
            return 0
        try:
            if select.select([self._ear], [], [], LOOKS)[0]:
                return self._ear.recv(64).count(signal.SIGINT)
        except OSError:
            pass
        return 0

    def _end(self, status: str) -> None:
        with self._biting:
            if not self._over.is_set():
                self._over.set()
                self._bite(status, f"{where(sys._current_frames().get(self._searcher))} did not return")


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


def resident_bytes(process: int = 0) -> int:
    """Return the bytes of memory a process occupies, by default this one; 0 where that is not known."""
    try:
        if process and process != os.getpid():
            content = Path(f"/proc/{process}/statm").read_bytes()
        else:
            content = os.pread(_own_statm(os.getpid()), 128, 0)
        return int(content.split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


@lru_cache(maxsize=1)
def _own_statm(process: int) -> int:
    """Return the open file that says what this process occupies; opening it costs a short search more than reading."""
    return os.open(f"/proc/{process}/statm", os.O_RDONLY)
