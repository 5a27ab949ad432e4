"""Watchdog: ends a search that neither its limits nor Ctrl-C end, as a plugin's function does not return.

A search asks its Watch now and then whether to go on. It cannot ask while a plugin's function runs, and Python's own
reaction to Ctrl-C has to wait as well. So whatever has a deadline (searches, games, commands, worker processes) has a
Watchdog. It is checked by a thread of this process, the `WatchdogThread`, which ends what hangs in compiled code, or in
Python code that lets other threads run, and reports the outcome so far.

For functions that keep every other thread from running, the Watchdog writes its deadline where another process reads
it, the `WatcherProcess`. Only programs of searchlab have one.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Protocol, Self

from searchlab.errors.interrupts import signal_handler
from searchlab.errors.suspension import awaited_now, is_suspended
from searchlab.search.call_stack import location, timeout_reason
from searchlab.search.shared_page import (
    ALLOWED,
    BEGAN,
    ENDING,
    GRACE_LEFT,
    HANDLED_INTERRUPTS,
    HEARTBEAT,
    MOST_BYTES,
    RESIDENT,
    ROUND,
    THREAD,
)
from searchlab.search.wakeup_pipe import WakeupPipe
from searchlab.search.watch import most_growth, resident_bytes
from searchlab.search.watcher_process import (
    FORKS,
    GRACE_FOR_MEMORY,
    MOST_INTERRUPTS,
    abandon_watcher,
    current_watcher,
    start_watcher,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.search.shared_page import Fallback, SharedPage
    from searchlab.search.watch import Watch
    from searchlab.search.watcher_process import Ending

GRACE = 3.0
"""Seconds that a search has to end by itself after its deadline."""
FALLBACK_EVERY = 1.0
"""Seconds after which the fallback of a search is pickled anew."""
UNCAUGHT = 1
"""Python's exit code for an exception that nobody has caught."""


class Watchdog:
    """Watches one search, or a whole command; a context manager around it.

    Args:
        watch: the search's.
        on_timeout: called in another thread with (status, reason) when the search does not end by itself. It has to
            end the process: nothing else stops compiled code.
        make_fallback: returns the function that the watcher process calls instead where no thread of this process can
            run. It can be pickled, gets (status, reason) and returns the exit code.
        patient: whether the first Ctrl-C lets the work under way finish, and only the second one ends it.
    """

    def __init__(
        self,
        watch: Watch,
        on_timeout: Callable[[str, str], None],
        make_fallback: Callable[[], Fallback] | None = None,
        *,
        patient: bool = False,
    ) -> None:
        self._watch, self._on_timeout, self._make_fallback = watch, on_timeout, make_fallback
        self._search_thread = threading.get_ident()
        self._is_over = False
        self._ending = threading.Lock()
        self._thread = watchdog_thread()
        self._hears_ctrl_c = False
        self._previous_wakeup_fd = -1
        self._interrupts = 0
        self._most_interrupts = 2 if patient else 1
        self._was_full = False
        self._begun = watch.begun
        self._searched = self._since_interrupt = self._since_full = 0.0
        self._last_check = time.monotonic()
        self._fallback_made = -inf

    def __enter__(self) -> Self:
        self._watch.resident, self._watch.is_full = resident_bytes(), self._is_full
        if threading.current_thread() is threading.main_thread() and signal_handler(signal.SIGINT) != signal.SIG_IGN:
            self._hears_ctrl_c = True
            self._previous_wakeup_fd = signal.set_wakeup_fd(self._thread.wakeup_fd, warn_on_full_buffer=False)
        watcher = current_watcher()
        if watcher is not None:
            watcher.page.numbers[THREAD] = float(self._search_thread)
            self._publish(watcher.page)
        self._thread.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_on_timeout()
        finally:
            self._thread.remove(self)
            self._watch.is_full = None  # or the two would keep each other alive until the next garbage collection
            watcher = current_watcher()
            if watcher is not None:
                watcher.page.clear_deadlines()
            if self._hears_ctrl_c:
                signal.set_wakeup_fd(self._previous_wakeup_fd)

    def _wait_for_on_timeout(self) -> None:
        # Once on_timeout has begun the process ends there, whatever is pressed: half an outcome is none.
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
        """Check on the search.

        Args:
            interrupts: how often Ctrl-C was pressed since the last check.
        """
        now = time.monotonic()
        # A longer pause means that the whole process was stopped: that time does not count.
        awake, self._last_check = min(now - self._last_check, 2 * ROUND), now
        self._interrupts += interrupts if self._hears_ctrl_c else 0
        self._since_interrupt += awake if self._interrupts >= self._most_interrupts else 0.0
        if self._interrupts > self._most_interrupts or self._since_interrupt > GRACE:
            self._end("interrupted")
            return
        if is_suspended():
            return
        watch = self._watch
        if watch.begun != self._begun:  # the preparation is over and the search begins now
            self._begun, self._searched = watch.begun, 0.0
        self._searched += awake
        self._since_full += awake if self._was_full else 0.0
        if self._is_full():
            self._was_full = True
            watch.give_up("memory-limit")
        if self._since_full > GRACE_FOR_MEMORY:
            self._end("memory-limit")
        elif self._searched > watch.limits.seconds + GRACE:
            self._end("memory-limit" if self._was_full else "time-limit")
        elif not self._is_over and (watcher := current_watcher()) is not None:
            self._publish(watcher.page)

    def _publish(self, page: SharedPage) -> None:
        """Write the deadline of this search, and its fallback, to the page of the watcher process."""
        numbers, now = page.numbers, time.monotonic()
        with self._ending:
            if self._is_over or numbers[ENDING]:
                return
            numbers[GRACE_LEFT], numbers[HANDLED_INTERRUPTS] = (
                GRACE,
                self._most_interrupts if self._hears_ctrl_c else inf,
            )
            numbers[BEGAN], numbers[ALLOWED] = now, self._watch.limits.seconds + GRACE - self._searched
            numbers[MOST_BYTES] = self._watch.resident + self._most_growth
            numbers[RESIDENT] = self._watch.resident
            if self._make_fallback and now - self._fallback_made > FALLBACK_EVERY:
                self._fallback_made = now
                page.set_fallback(self._make_fallback())

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
            watcher = current_watcher()
            if not self._is_over and (watcher is None or watcher.page.leaves_report()):
                self._is_over = True
                if watcher is not None:
                    watcher.ending.restore_terminal()
                try:
                    self._on_timeout(status, self._reason())
                except Exception:  # noqa: BLE001 - nothing else will ever end the process
                    sys.excepthook(*sys.exc_info())
                    os._exit(UNCAUGHT if watcher is None else watcher.ending.failed)

    def _reason(self) -> str:
        if is_suspended():
            return f"{awaited_now()} was not ready"
        return timeout_reason(
            location(sys._current_frames().get(_plugin_thread or self._search_thread)), self._growth()
        )


class Watched(Protocol):
    """What the watchdog thread checks on: a Watchdog."""

    def check(self, interrupts: int) -> None:
        """Check on it; Ctrl-C was pressed `interrupts` times since the last check."""


class WatchdogThread:
    """The thread that checks on all searches under way in this process, and sleeps while there are none.

    A thread for each search would cost a short one more than all else around it. This one starts with the first search
    that has a Watchdog, so a process that searches nothing has none.

    Args:
        wakeup: the pipe that wakes the thread and tells it of signals.
        wakeup_fd: the file descriptor for `signal.set_wakeup_fd` if signals do not go to that pipe directly.

    Attributes:
        wakeup_fd: the file descriptor for `signal.set_wakeup_fd`.
    """

    def __init__(self, wakeup: WakeupPipe | None = None, wakeup_fd: int | None = None) -> None:
        self._watched: set[Watched] = set()
        self._lock = threading.Lock()
        self._sleeps = True
        self._interrupts = 0
        self._wakeup = wakeup or WakeupPipe()
        self.wakeup_fd = self._wakeup.fd if wakeup_fd is None else wakeup_fd
        _thread.start_new_thread(self._run, ())  # threading.Thread.start would wait until the thread runs

    def add(self, watched: Watched) -> None:
        """Begin to check on a search."""
        with self._lock:
            self._watched.add(watched)
            sleeps, self._sleeps = self._sleeps, False
        if sleeps:
            self._wakeup.write(b"\0")

    def remove(self, watched: Watched) -> None:
        """Check on a search no longer."""
        with self._lock:
            self._watched.discard(watched)

    def abandon(self) -> None:
        """Release what belongs to the parent in a forked process, where the thread does not exist."""
        self._lock = threading.Lock()
        current = signal.set_wakeup_fd(-1)
        if current != self.wakeup_fd:
            signal.set_wakeup_fd(current)
        self._wakeup.close()

    def _run(self) -> None:
        while True:
            self._check_all(self._wakeup.read(None if self._sleeps else ROUND).count(signal.SIGINT))

    def _check_all(self, interrupts: int) -> None:
        watcher = current_watcher()
        if watcher is not None:
            self._interrupts += interrupts
            watcher.page.numbers[HEARTBEAT] = time.monotonic()
            if self._interrupts >= MOST_INTERRUPTS or (self._interrupts > 1 and is_suspended() and not self._watched):
                watcher.exit_interrupted()
        with self._lock:
            watched = tuple(self._watched)
            self._sleeps = not watched
        for each in watched:
            try:
                each.check(interrupts)
            except Exception:  # noqa: BLE001 - the others have to be checked all the same
                sys.excepthook(*sys.exc_info())


_watchdog_thread: WatchdogThread | None = None


def watchdog_thread() -> WatchdogThread:
    """Return the watchdog thread of this process, started if necessary."""
    global _watchdog_thread
    _watchdog_thread = _watchdog_thread or WatchdogThread()
    return _watchdog_thread


def watch_program(ending: Ending) -> None:
    """Let a watcher process watch this one from now on: it is a program of searchlab, not one that uses it.

    Call it in the main thread, before there are others. If the system refuses another process, the program runs
    without a watcher.

    Args:
        ending: how the program is ended where it cannot end itself.
    """
    global _watchdog_thread
    if not FORKS or current_watcher() is not None:
        return
    try:
        wakeup = WakeupPipe()
        watcher = start_watcher(wakeup, ending, GRACE)
    except OSError:
        return
    _watchdog_thread = WatchdogThread(wakeup, watcher.wakeup_fd)
    signal.set_wakeup_fd(_watchdog_thread.wakeup_fd, warn_on_full_buffer=False)


_plugin_thread = 0


@contextmanager
def plugins_run_in(thread: int) -> Iterator[None]:
    """Declare for a block of code that a plugin's functions run in another thread than the one that searches."""
    global _plugin_thread
    _plugin_thread, before = thread, _plugin_thread
    watcher = current_watcher()
    if watcher is not None:
        watcher.page.numbers[THREAD], searcher = float(thread), watcher.page.numbers[THREAD]
    try:
        yield
    finally:
        _plugin_thread = before
        if watcher is not None:
            watcher.page.numbers[THREAD] = searcher


def _after_fork() -> None:
    # A process that a plugin or a library has forked off is not watched.
    global _watchdog_thread
    if _watchdog_thread is not None:
        _watchdog_thread.abandon()
        _watchdog_thread = None
    abandon_watcher()


if FORKS:
    os.register_at_fork(after_in_child=_after_fork)
