"""The watcher process: ends a program while one of its functions lets no other thread of it run.

That is a long call of a C function, or a catastrophic regular expression. A program forks the process off before it
has imported much, which costs about a millisecond. (A thread of C code, `faulthandler.dump_traceback_later`, could end
the program as well, but always with exit code 1 and a traceback.) The two share a page of memory, where the program
writes its deadline. The watcher process learns of Ctrl-C from the pipe to which Python's signal handler writes, asks
`faulthandler` for the stack, which needs no other thread to run, reports the outcome, and ends the program.

The program's exit code has to be that of the outcome, although none of its own code can run: see
`searchlab.search.exit_signal`. Where that signal has no handler, the program is killed (exit code 137 in a shell).

A program that merely uses `searchlab` as a library is never watched from outside, and never ended. Where there is no
`os.fork` (Windows) there is no watcher process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.errors import suspension
from searchlab.search import exit_signal
from searchlab.search.call_stack import location_in, parse_stack, timeout_reason
from searchlab.search.shared_page import (
    ALLOWED,
    BEGAN,
    CALL_ALLOWED,
    CALL_BEGAN,
    ENDING,
    GRACE_LEFT,
    HANDLED_INTERRUPTS,
    HAS_EXIT,
    HEARTBEAT,
    LONGEST_REPORT,
    MOST_BYTES,
    REPORTING,
    RESIDENT,
    ROUND,
    SUSPENSIONS,
    THREAD,
    SharedPage,
)
from searchlab.search.wakeup_pipe import pipe
from searchlab.search.watch import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.shared_page import Fallback
    from searchlab.search.wakeup_pipe import WakeupPipe

MARGIN = 1.0
"""Seconds by which the watcher process lets the Watchdog act first."""
MARGIN_FOR_INTERRUPTS = 0.3
GRACE_FOR_MEMORY = 0.3
"""Seconds that a search has to end by itself after it has exceeded its memory."""
SILENCE = 0.25
"""Seconds without a heartbeat after which the watchdog thread is assumed to be blocked."""
MOST_INTERRUPTS = 3
"""The Ctrl-C that ends a program at once, whatever it does."""
LONGEST_STACK = 1 << 16
"""Bytes of the stacks of all threads."""
FORKS = hasattr(os, "fork") and hasattr(os, "register_at_fork")
STACK_SIGNAL = getattr(signal, "SIGRTMAX", getattr(signal, "SIGUSR1", 0) + 2) - 2
"""The signal at which the program writes the stacks of its threads."""


class Ending(NamedTuple):
    """How a program is ended where it cannot end itself.

    Attributes:
        interrupted, limit_reached, failed: the exit codes after Ctrl-C, at a limit, and if the outcome cannot be
            reported.
        report: called with (status, reason) where the program has set no fallback.
        restore_terminal: called before the program ends.
    """

    interrupted: int
    limit_reached: int
    failed: int
    report: Callable[[str, str], None]
    restore_terminal: Callable[[], None]


class WatcherProcess:
    """The process that watches this one, as this one sees it.

    Args:
        wakeup: the pipe of the watchdog thread, to which the watcher process passes on signals.
        ending: how this process is ended.
        grace: seconds that a search has to end by itself after Ctrl-C, until it has a Watchdog.

    Attributes:
        wakeup_fd: where this process tells it of signals, for `signal.set_wakeup_fd`.
        page: what the two processes tell each other.
    """

    def __init__(self, wakeup: WakeupPipe, ending: Ending, grace: float) -> None:
        self.ending = ending
        self.page = SharedPage()
        self.page.numbers[GRACE_LEFT], self.page.numbers[THREAD] = grace, float(threading.get_ident())
        signals, self.wakeup_fd = pipe()  # the system closes our end when this process is over, however it ends
        os.set_blocking(self.wakeup_fd, False)
        stacks, stacks_written = pipe()
        program = os.getpid()
        if not os.fork():
            try:
                os.close(self.wakeup_fd)
                os.close(stacks_written)
                _Watcher(program, self.page, ending, wakeup, signals, stacks).watch()
            finally:
                os._exit(0)
        os.close(signals)
        os.close(stacks)
        import faulthandler

        # Writes the stacks of all threads at a signal, whatever keeps the threads from running.
        faulthandler.register(STACK_SIGNAL, file=stacks_written, all_threads=True, chain=False)
        self.page.numbers[HAS_EXIT] = float(exit_signal.install_handler(self.page))

    def exit_interrupted(self) -> None:
        """End this process at once, as Ctrl-C was pressed more than often enough."""
        self.ending.restore_terminal()
        os._exit(self.ending.interrupted)

    def exit_at_ctrl_c(self) -> None:
        """Let Ctrl-C end this process at once from now on: it was interrupted, and has nothing left to do."""
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self.page.set_exit_code(self.ending.interrupted)
            exit_signal.handle_also(signal.SIGINT)

    def abandon(self) -> None:
        """Close the pipe in a forked process, which is not watched."""
        with suppress(OSError):
            os.close(self.wakeup_fd)


class _Watcher:
    """What runs in the watcher process.

    Args:
        program: the process it watches.
        page: what the two processes tell each other.
        ending: how the program is ended.
        wakeup: the pipe of the program's watchdog thread.
        signals: the pipe from which it reads the program's signals; only the program has the other end.
        stacks: the pipe from which it reads the program's stacks.
    """

    def __init__(
        self, program: int, page: SharedPage, ending: Ending, wakeup: WakeupPipe, signals: int, stacks: int
    ) -> None:
        self._program, self._page, self._numbers, self._ending = program, page, page.numbers, ending
        self._wakeup, self._signals, self._stacks = wakeup, signals, stacks
        self._passed_on = self._pressed = 0
        self._last_suspension = self._last_interrupt = -inf
        self._waited: dict[str, float] = {}
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # which a script's background job ignores
            signal.signal(signal.SIGINT, self._count_interrupt)
        for name in ("SIGTTOU", "SIGPIPE"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)

    def watch(self) -> None:
        """Watch the program until it is over, or has to be ended."""
        last_round = time.monotonic()
        while self._passes_on_signals(ROUND) and os.getppid() == self._program:
            now = time.monotonic()
            awake, last_round = min(now - last_round, 2 * ROUND), now
            status = self._status(now, awake)
            if status and not self._is_stopped():
                self._numbers[ENDING] = 1.0
                if self._status(time.monotonic(), 0.0):  # still, now that the program knows
                    self._end(status, at_once=self._interrupts() >= MOST_INTERRUPTS)
                    return
                self._numbers[ENDING] = 0.0

    def _passes_on_signals(self, seconds: float) -> bool:
        """Wait for signals of the program and pass them on to its thread; return whether the program still runs."""
        import select

        if select.select([self._signals], [], [], seconds)[0]:
            signals = os.read(self._signals, 64)
            interrupts = signals.count(signal.SIGINT)
            self._passed_on += interrupts
            if interrupts:
                self._last_interrupt = time.monotonic()
            self._wakeup.write(signals)
            return bool(signals)
        return True

    def _count_interrupt(self, *_: Any) -> None:
        self._pressed += 1  # all processes of a terminal get its Ctrl-C

    def _interrupts(self) -> int:
        """Return how often Ctrl-C was pressed, whether the program noticed it or not."""
        return max(self._passed_on, self._pressed)

    def _status(self, now: float, awake: float) -> str:
        """Return the status with which the program has to be ended, or '' if it may continue."""
        numbers, interrupts = self._numbers, self._interrupts()
        is_suspended = numbers[SUSPENSIONS] > 0
        if is_suspended:
            self._last_suspension = now
        silent = now - numbers[HEARTBEAT] > SILENCE
        grace, handled = numbers[GRACE_LEFT], numbers[HANDLED_INTERRUPTS]
        reporting = numbers[REPORTING] > 0
        free = silent and not reporting
        # A command without a Watchdog ends by itself after Ctrl-C, unless not even the thread has run since.
        is_blocked = free and not is_suspended and handled == inf and numbers[HEARTBEAT] < self._last_interrupt
        full = free and not is_suspended and numbers[MOST_BYTES] < inf and self._resident() > numbers[MOST_BYTES]
        late = free and not is_suspended and self._is_late(now, BEGAN, ALLOWED)
        call_is_late = free and not is_suspended and self._is_late(now, CALL_BEGAN, CALL_ALLOWED)
        due = {
            "interrupted": (interrupts >= MOST_INTERRUPTS, MARGIN_FOR_INTERRUPTS),
            "interrupted twice": (free and interrupts > (1 if is_suspended else handled), MARGIN),
            "interrupted once": (is_blocked or (free and interrupts >= handled), grace + MARGIN),
            "memory-limit": (full, GRACE_FOR_MEMORY),
            "time-limit": (late, MARGIN),
            "time-limit of a call": (call_is_late, MARGIN),
            "time-limit of the report": (reporting, LONGEST_REPORT),
        }
        for what, (holds, _) in due.items():
            self._waited[what] = self._waited.get(what, 0.0) + awake if holds else 0.0
        over = [what for what, (holds, margin) in due.items() if holds and self._waited[what] > margin]
        if not over:
            return ""
        return "memory-limit" if full and over[0].startswith("time-limit") else over[0].partition(" ")[0]

    def _is_late(self, now: float, began: int, allowed: int) -> bool:
        return now > max(self._numbers[began], self._last_suspension) + self._numbers[allowed]

    def _resident(self) -> int:
        return resident_bytes(self._program)

    def _is_stopped(self) -> bool:
        """Return whether a signal has stopped the program: its time does not run until it continues."""
        with suppress(OSError):
            return Path(f"/proc/{self._program}/stat").read_bytes().rpartition(b") ")[2][:1] in (b"T", b"t")
        return False

    def _end(self, status: str, *, at_once: bool) -> None:
        code = self._ending.interrupted if status == "interrupted" else self._ending.limit_reached
        if not (at_once or self._numbers[REPORTING]):
            code = self._reported(status, timeout_reason(self._location(), self._growth()), code)
        self._ending.restore_terminal()
        self._page.set_exit_code(code)
        with suppress(ProcessLookupError):
            if self._numbers[HAS_EXIT]:
                os.kill(self._program, exit_signal.EXIT_SIGNAL)
                if self._ends_within(0.5):
                    return
            os.kill(self._program, signal.SIGKILL)

    def _ends_within(self, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if not self._passes_on_signals(ROUND):
                return True
        return False

    def _growth(self) -> float:
        return self._resident() - self._numbers[RESIDENT] if self._numbers[RESIDENT] else 0.0

    def _location(self) -> str:
        """Return where the program's search thread is; `faulthandler` reports it without the program's help."""
        import select

        with suppress(ProcessLookupError):
            os.kill(self._program, STACK_SIGNAL)
        report = b""
        while len(report) < LONGEST_STACK and select.select([self._stacks], [], [], 0.3)[0]:
            part = os.read(self._stacks, LONGEST_STACK)
            if not part:  # the program has ended by itself in the meantime
                break
            report += part
        return location_in(parse_stack(report.decode(errors="replace"), int(self._numbers[THREAD])))

    def _reported(self, status: str, reason: str, code: int) -> int:
        """Report the outcome in a process of its own, as the report may hang, too; return the exit code."""
        reporter = os.fork()
        if not reporter:
            try:
                code = self._report(status, reason, code)
            finally:
                os._exit(code)
        ends = time.monotonic() + LONGEST_REPORT
        while time.monotonic() < ends and self._interrupts() < MOST_INTERRUPTS:
            done, ended = os.waitpid(reporter, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(ended) if os.WIFEXITED(ended) else code
            self._passes_on_signals(0.01)
        os.kill(reporter, signal.SIGKILL)
        return code

    def _report(self, status: str, reason: str, code: int) -> int:
        try:
            fallback = self._page.fallback()
            if fallback:
                code = fallback(status, reason)
                if sys.stdout is not None:
                    sys.stdout.flush()
                return code
        except Exception as error:  # noqa: BLE001 - the status is reported below
            reason = f"{reason}; its outcome cannot be told: {error}"
        self._ending.report(status, reason)
        return code


_watcher: WatcherProcess | None = None


def current_watcher() -> WatcherProcess | None:
    """Return the process that watches this one, None if there is none."""
    return _watcher


def start_watcher(wakeup: WakeupPipe, ending: Ending, grace: float) -> WatcherProcess:
    """Let a watcher process watch this one from now on.

    Raises:
        OSError: the system refuses another process.
    """
    global _watcher
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or both processes would write what is in the buffer
    _watcher = WatcherProcess(wakeup, ending, grace)
    return _watcher


def abandon_watcher() -> None:
    """Forget the watcher process, in a forked process, which is not watched."""
    global _watcher
    if _watcher is not None:
        _watcher.abandon()
        _watcher = None


def exit_at_ctrl_c() -> None:
    """Let Ctrl-C end this process at once from now on if it is watched: see `WatcherProcess`."""
    if _watcher is not None:
        _watcher.exit_at_ctrl_c()


def note_call(seconds: float) -> None:
    """Note that a call of a plugin's function begins, with the seconds it may take; `inf` if it is over."""
    if _watcher is not None:
        _watcher.page.numbers[CALL_BEGAN] = time.monotonic()
        _watcher.page.numbers[CALL_ALLOWED] = seconds


def set_fallback(fallback: Fallback) -> None:
    """Set how another process reports the outcome so far if this one hangs: see `Watchdog`."""
    if _watcher is not None:
        _watcher.page.set_fallback(fallback)


def _note_suspensions(count: int) -> None:
    if _watcher is not None:
        _watcher.page.numbers[SUSPENSIONS] = count


suspension.listen(_note_suspensions)
