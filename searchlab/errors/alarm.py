"""The alarm: SIGALRM ends this process if a function hangs and lets no other thread run.

An example is a long call of a C function, such as a catastrophic regular expression. No Python code can stop it, so the
system does: `faulthandler`, which is written in C, prints the tracebacks of all threads, and the process dies of the
signal (exit code 142 in a shell). As long as other threads can run, one of them postpones the alarm.

Only the command line has an alarm: a program that uses searchlab as a library never calls `set_up`. Windows has no
SIGALRM.
"""

from __future__ import annotations

import faulthandler
import signal
import sys
import threading
from contextlib import suppress
from math import inf, isfinite
from typing import Any

MARGIN = 2.0
"""Seconds between the deadline and the alarm, in which the Watchdog can act."""
_is_set_up = _is_stopped = False
_lock = threading.Lock()
_seconds = inf
_held = 0


def set_up() -> None:
    """Enable the alarm of this process, and print the tracebacks of all threads if it crashes."""
    global _is_set_up
    if _is_set_up or sys.stderr is None:
        return
    with suppress(OSError, ValueError):  # standard error is no file
        faulthandler.enable()
        if hasattr(signal, "SIGALRM") and hasattr(signal, "setitimer"):
            for number in (signal.SIGALRM, signal.SIGQUIT):  # Ctrl-\\ at a terminal
                faulthandler.register(number, all_threads=True, chain=True)
            # The alarm would go off as soon as a process continues that Ctrl-Z has stopped for long.
            if signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL:
                signal.signal(signal.SIGTSTP, _stop)
            _is_set_up = True


def set_alarm(seconds: float) -> None:
    """Set the alarm to go off after this many seconds from now, instead of the time set before; `inf` disables it."""
    global _seconds
    with _lock:
        _seconds = seconds
        _start_timer()


def hold_alarm() -> None:
    """Pause the alarm until `release_alarm` has been called as often as this function."""
    global _held
    with _lock:
        _held += 1
        _start_timer()


def release_alarm() -> None:
    """Restart the alarm with its full time, unless it is still held."""
    global _held
    with _lock:
        _held -= 1
        _start_timer()


def _start_timer() -> None:
    if _is_set_up:
        is_on = isfinite(_seconds) and not _held and not _is_stopped
        signal.setitimer(signal.ITIMER_REAL, max(_seconds, 0.0) + MARGIN if is_on else 0.0)


def _stop(number: int, _: Any) -> None:
    # Takes no lock, as the thread that runs this may have it. The timer starts again when the alarm is next set.
    global _is_stopped
    _is_stopped = True
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)  # the process continues here
    signal.signal(number, _stop)
    _is_stopped = False
