"""Watchdog: ends a search in which a plugin function hangs.

A search regularly asks its Watch whether to go on. It cannot ask while a plugin function runs, and Python does not
react to Ctrl-C then either. So everything with a deadline (searches, games, commands, worker processes) has a Watchdog.
One thread of the process, the `WatchdogThread`, checks all watchdogs. It ends a search that hangs in compiled code, or
in Python code that lets other threads run, and reports the outcome so far.

If a function lets no other thread run, the alarm ends the process: see `searchlab.errors.alarm`.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Self

from searchlab.errors.alarm import set_alarm
from searchlab.errors.interrupts import signal_handler
from searchlab.errors.suspension import awaited_now, is_suspended
from searchlab.search.call_stack import location, timeout_reason
from searchlab.search.watch import most_growth, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.search.watch import Watch

ROUND = 0.05
"""Seconds between two checks."""
GRACE = 3.0
"""Seconds that a search has to end by itself after its deadline."""
GRACE_FOR_MEMORY = 0.3
"""Seconds that a search has to end by itself after it has exceeded its memory."""
LONGEST_REPORT = 10.0
"""Seconds that `on_timeout` has to report the outcome."""
UNCAUGHT = 4
"""The exit code if the outcome cannot be reported, equal to the one for a failed plugin."""


class Watchdog:
    """A context manager that ends a search, or a whole command, that does not end by itself.

    Args:
        watch: the Watch of the search.
        on_timeout: called in another thread with (status, reason) when the search does not end by itself. It has to end
            the process, because nothing else stops compiled code.
        patient: whether the first Ctrl-C lets the current work finish, and only the second ends the search.
    """

    def __init__(
        self,
        watch: Watch,
        on_timeout: Callable[[str, str], None],
        *,
        patient: bool = False,
    ) -> None:
        self._watch, self._on_timeout = watch, on_timeout
        self._search_thread = threading.get_ident()
        self._is_over = False
        self._ending = threading.Lock()
        self._thread = watchdog_thread()
        self._hears_ctrl_c = False
        self._previous_wakeup_fd = -1
        self._interrupts = 0
        self._most_interrupts = 2 if patient else 1
        self._was_full = False
        self._searched = self._since_interrupt = self._since_full = 0.0
        self._last_check = time.monotonic()

    def __enter__(self) -> Self:
        watch = self._watch
        watch.resident, watch.is_full, watch.on_begin = resident_bytes(), self._is_full, self._begin
        if threading.current_thread() is threading.main_thread() and signal_handler(signal.SIGINT) != signal.SIG_IGN:
            self._hears_ctrl_c = True
            self._previous_wakeup_fd = signal.set_wakeup_fd(self._thread.wakeup_fd, warn_on_full_buffer=False)
        self._put_off_alarm()
        self._thread.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_on_timeout()
        finally:
            self._thread.remove(self)
            self._watch.is_full = self._watch.on_begin = (
                None  # otherwise the two would keep each other alive until the next garbage collection
            )
            self._put_off_alarm()
            if self._hears_ctrl_c:
                signal.set_wakeup_fd(self._previous_wakeup_fd)

    def _wait_for_on_timeout(self) -> None:
        # Once on_timeout has begun, it ends the process, and Ctrl-C must not interrupt the report.
        interrupted = False
        while True:
            try:
                with self._ending:
                    self._is_over = True
                break
            except KeyboardInterrupt:
                interrupted = True
        if interrupted:
            raise KeyboardInterrupt

    def check(self, interrupts: int) -> None:
        """End the search if it is overdue, or after Ctrl-C.

        Args:
            interrupts: the number of times that Ctrl-C was pressed since the last check.
        """
        now = time.monotonic()
        # A longer pause means that the whole process was stopped. That time does not count.
        awake, self._last_check = min(now - self._last_check, 2 * ROUND), now
        self._interrupts += interrupts if self._hears_ctrl_c else 0
        self._since_interrupt += awake if self._interrupts >= self._most_interrupts else 0.0
        if self._interrupts > self._most_interrupts or self._since_interrupt > GRACE:
            self._end("interrupted")
            return
        if is_suspended():
            return
        watch = self._watch
        self._searched += awake
        self._since_full += awake if self._was_full else 0.0
        if self._is_full():
            self._was_full = True
            watch.give_up("memory-limit")
        if self._since_full > GRACE_FOR_MEMORY:
            self._end("memory-limit")
        elif self._searched > watch.limits.seconds + GRACE:
            self._end("memory-limit" if self._was_full else "time-limit")
        else:
            self._put_off_alarm()

    def _begin(self) -> None:
        """Restart the clock when the preparation is over and the search begins."""
        self._searched = 0.0
        self._put_off_alarm()

    def _put_off_alarm(self) -> None:
        """Set the alarm to the deadline of this search; switch it off if the search is over."""
        seconds = self._watch.limits.seconds + GRACE - self._searched
        with self._ending:
            if self._watch.limits.seconds < inf:
                set_alarm(inf if self._is_over else seconds)

    @property
    def _most_growth(self) -> float:
        return most_growth(self._watch.memory)

    def _is_full(self) -> bool:
        return self._growth() > self._most_growth

    def _growth(self) -> int:
        """Return the bytes by which the process has grown since the search began."""
        return resident_bytes() - self._watch.resident

    def _end(self, status: str) -> None:
        with self._ending:
            if not self._is_over:
                self._is_over = True
                set_alarm(LONGEST_REPORT)
                try:
                    self._on_timeout(status, self._reason())
                except Exception:  # noqa: BLE001 - nothing else will ever end the process
                    sys.excepthook(*sys.exc_info())
                    os._exit(UNCAUGHT)

    def _reason(self) -> str:
        if is_suspended():
            return f"{awaited_now()} was not ready"
        return timeout_reason(
            location(sys._current_frames().get(_plugin_thread or self._search_thread)), self._growth()
        )


class WatchdogThread:
    """The thread that checks all running searches of this process, and sleeps while there are none.

    Starting a thread for each search would take longer than everything else around a short search. The single thread
    starts with the first search that has a Watchdog.

    Attributes:
        wakeup_fd: the end of a pipe for `signal.set_wakeup_fd`, which reports Ctrl-C while the main thread is busy.
    """

    def __init__(self) -> None:
        self._watchdogs: set[Watchdog] = set()
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._signals, self.wakeup_fd = os.pipe()
        for end in (self._signals, self.wakeup_fd):
            os.set_blocking(end, False)
        _thread.start_new_thread(self._run, ())  # threading.Thread.start would wait until the thread runs

    def add(self, watchdog: Watchdog) -> None:
        """Start checking a search."""
        with self._lock:
            self._watchdogs.add(watchdog)
            self._woken.set()

    def remove(self, watchdog: Watchdog) -> None:
        """Stop checking a search."""
        with self._lock:
            self._watchdogs.discard(watchdog)

    def abandon(self) -> None:
        """Release the parent's pipe in a forked process, in which the thread does not exist."""
        self._lock = threading.Lock()
        current = signal.set_wakeup_fd(-1)
        if current != self.wakeup_fd:
            signal.set_wakeup_fd(current)
        for end in (self._signals, self.wakeup_fd):
            os.close(end)

    def _run(self) -> None:
        while True:
            self._woken.wait()
            time.sleep(ROUND)
            self._check_all(self._interrupts())

    def _interrupts(self) -> int:
        """Return the number of times that Ctrl-C was pressed since the last call."""
        with suppress(BlockingIOError):
            return os.read(self._signals, 1024).count(signal.SIGINT)
        return 0

    def _check_all(self, interrupts: int) -> None:
        with self._lock:
            watchdogs = tuple(self._watchdogs)
            if not watchdogs:
                self._woken.clear()
        for each in watchdogs:
            try:
                each.check(interrupts)
            except Exception:  # noqa: BLE001 - the other watchdogs must be checked all the same
                sys.excepthook(*sys.exc_info())


_watchdog_thread: WatchdogThread | None = None


def watchdog_thread() -> WatchdogThread:
    """Return the watchdog thread of this process, started if necessary."""
    global _watchdog_thread
    _watchdog_thread = _watchdog_thread or WatchdogThread()
    return _watchdog_thread


_plugin_thread = 0


@contextmanager
def plugins_run_in(thread: int) -> Iterator[None]:
    """Declare for a block of code that plugin functions run in this thread, not in the one that searches."""
    global _plugin_thread
    _plugin_thread, before = thread, _plugin_thread
    try:
        yield
    finally:
        _plugin_thread = before


def _after_fork() -> None:
    # A process forked by a plugin or a library starts a watchdog thread of its own.
    global _watchdog_thread
    if _watchdog_thread is not None:
        _watchdog_thread.abandon()
        _watchdog_thread = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
