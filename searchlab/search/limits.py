"""The Watch, which holds a running search to its limits."""

from __future__ import annotations

import signal
import threading
import time
from math import isfinite
from typing import TYPE_CHECKING, Self

from searchlab.errors import Cancelled
from searchlab.errors.interrupts import of_signal
from searchlab.model.limits import Limits, Progress
from searchlab.model.results import Statistics
from searchlab.search.process_memory import available_memory, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


REPORT_EVERY = 0.1
"""Seconds between two calls of a progress callback."""
SHARE_OF_MEMORY = 0.5
"""Of the memory available: what may be taken where no limit was given."""


class Stopped(Cancelled, Exception):
    """A search has to end in the middle of something.

    Attributes:
        status: the status it ends with.
    """

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class Watch:
    """Times a search, notes Ctrl-C, and says when a limit is reached.

    As a context manager around the search: while it is active in the main thread, Ctrl-C ends the search with
    the status `interrupted`, and a second Ctrl-C raises KeyboardInterrupt at once.

    Attributes:
        memory: the bytes the search may hold.
        expansions: the nodes it may expand.
        statistics: what it has done so far; search loops write here, so that an error loses nothing.
        began: when it did, on the clock of `time.perf_counter`; before that, when it was first prepared.
        resident: bytes the process occupied then.
        is_full: asked when the time is up: whether the process has taken the memory, too. None where no watchdog looks
            after the search: others may share the process.
        seconds, cpu_seconds: what it took, once it is over.
    """

    def __init__(self, limits: Limits, progress: Callable[[Progress], None] | None = None, sign: int = 1) -> None:
        self.limits = limits
        self.memory = limits.memory if limits.memory is not None else share_of_memory()
        self.expansions = limits.expansions if limits.expansions is not None else 2**62
        self.seconds = self.cpu_seconds = 0.0
        self.statistics = Statistics()
        self.is_full: Callable[[], bool] | None = None
        self._progress = progress
        self._sign = sign
        self._interrupted = False
        self._given_up = ""
        self._next_report = REPORT_EVERY
        self._previous: Callable[[int, FrameType | None], object] | int | None = None
        self.resident = resident_bytes()
        self.begin()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if previous not in (None, signal.SIG_IGN):  # a shell lets what runs in the background ignore Ctrl-C
                self._previous = previous
                signal.signal(signal.SIGINT, self._interrupt)
        self.resident = resident_bytes()
        self.begin()
        return self

    def begin(self) -> None:
        """Let the search begin now: what was prepared before does not count."""
        self.began, self._cpu_began = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.note_times()
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def note_times(self) -> None:
        """Note what the search has taken; done when it is over."""
        self.seconds = self.elapsed()
        self.cpu_seconds = time.process_time() - self._cpu_began

    def elapsed(self) -> float:
        """Return the seconds since the search began."""
        return time.perf_counter() - self.began

    def stop(self, statistics: Statistics, open_nodes: int = 0) -> str:
        """Return the status with which a search has to end now, an empty text if it may go on.

        To be asked before each expansion, or in compiled code between slices; passes on progress.
        """
        seconds = self.elapsed()
        overdue = self._overdue(seconds)
        if overdue:
            return overdue
        if statistics.expanded >= self.expansions:
            return "expansion-limit"
        if statistics.peak_bytes > self.memory:
            return "memory-limit"
        if self._progress and seconds >= self._next_report:
            self._next_report = seconds + REPORT_EVERY
            best = self._sign * statistics.best_h if isfinite(statistics.best_h) else None
            self._progress(Progress("searching", seconds, statistics.expanded, open_nodes, best, statistics.peak_bytes))
        return ""

    def check(self) -> None:
        """Raise Stopped if time is up or Ctrl-C was pressed; for what takes long between two expansions."""
        overdue = self._overdue(self.elapsed())
        if overdue:
            raise Stopped(overdue)

    def give_up(self, status: str) -> None:
        """Let the search end with this status when it next asks; to be called from another thread."""
        self._given_up = status

    def _overdue(self, seconds: float) -> str:
        if self._interrupted:
            return "interrupted"
        if self._given_up:
            return self._given_up
        if seconds <= self.limits.seconds:
            return ""
        return "memory-limit" if self.is_full and self.is_full() else "time-limit"

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._interrupted:
            raise of_signal(KeyboardInterrupt())
        self._interrupted = True


def share_of_memory() -> int:
    """Return the bytes that may be taken where no limit was given."""
    return int(SHARE_OF_MEMORY * available_memory())
