"""Deadlines: enforce limits and Ctrl-C while a plugin's function does not return.

A search asks its Watch now and then whether to go on. It cannot ask while a plugin's function runs, and Python's own
reaction to Ctrl-C has to wait as well. Everything that has a deadline (searches, games, commands, checks of plugins,
worker processes) therefore uses one of these:

- The `Watchdog` of a search, which runs in a thread of this process, the `WatchdogThread`. It ends what hangs in
  compiled code, or in Python code that lets other threads run, and reports the outcome so far.
- The `WatcherProcess`, for functions that keep every other thread from running: a long call of a C function, a
  catastrophic regular expression. A command or a worker forks it off before it has imported much, which costs about a
  millisecond. (A thread of C code, `faulthandler.dump_traceback_later`, could end the process as well, but always with
  exit code 1 and a traceback.) The two processes share a page of memory. The program writes there its deadline, how
  much memory it may take, and a pickled function that reports the outcome if the program hangs (the fallback); a
  deadline costs no more than writing a number. The watcher process learns of Ctrl-C from the pipe to which Python's
  signal handler writes, asks `faulthandler` for the stack, which needs no other thread to run, reports the outcome, and
  ends the program.
- The `Clock` of a plugin's checks, which runs each check in a thread of its own and abandons the thread if it hangs.

The program's exit code has to be that of the outcome, although none of its own code can run. So the handler of a
signal of ours is a few bytes of machine code that call `_exit` with the number the watcher process wrote on the page.
Where there is no such code for the processor, or the system forbids it, the program is killed (exit code 137 in a
shell).

A program that merely uses `searchlab` as a library is never watched from outside, and never ended. Where there is no
`os.fork` (Windows) there is no watcher process.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

from searchlab.errors import Cancelled, suspension
from searchlab.errors.control_characters import one_line
from searchlab.errors.interrupts import signal_handler
from searchlab.errors.suspension import awaited_now, is_suspended
from searchlab.search.watch import resident_bytes, share_of_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from searchlab.board.board import Board
    from searchlab.search.watch import Watch

    Fallback = Callable[[str, str], int]

T = TypeVar("T")

GRACE = 3.0
"""Seconds that a search has to end by itself after its deadline."""
GRACE_FOR_MEMORY = 0.3
MARGIN = 1.0
"""Seconds by which the watcher process lets the Watchdog act first."""
MARGIN_FOR_INTERRUPTS = 0.3
SILENCE = 0.25
"""Seconds without a heartbeat after which the watchdog thread is assumed to be blocked."""
LONGEST_REPORT = 10.0
"""Seconds in which an outcome has to be reported."""
MOST_INTERRUPTS = 3
"""The Ctrl-C that ends a program at once, whatever it does."""
FAILED = 4
"""The exit code if the outcome of a search that hangs cannot be reported."""
LIMIT_REACHED, INTERRUPTED = 3, 130
LEAST_GROWTH = 256 * 2**20
"""Bytes by which a process may always grow: the interpreter and its libraries are not the search's."""
TOLERANCE = 1.1
"""Factor by which a process may exceed its limit: what a search holds is not known more exactly."""
ROUND = 0.05
"""Seconds between two checks by the watchdog thread, and by the watcher process."""
FALLBACK_EVERY = 1.0
"""Seconds after which the fallback of a search is pickled anew."""
LONGEST_STACK = 1 << 16
"""Bytes of the stacks of all threads."""
LAST_STREAM = 2
SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"
"""Shows the cursor on a terminal where a line was being redrawn."""
LEAVE_OTHER_SCREEN = b"\x1b[0m\x1b[?7h\x1b[?1049l"
FORKS = hasattr(os, "fork") and hasattr(os, "register_at_fork")
EXIT_SIGNAL = getattr(signal, "SIGRTMAX", getattr(signal, "SIGUSR2", 0) + 1) - 1
"""The signal that ends the program with the exit code on its page."""
STACK_SIGNAL = getattr(signal, "SIGRTMAX", getattr(signal, "SIGUSR1", 0) + 2) - 2
"""The signal at which the program writes the stacks of its threads."""
LONGEST_CALL = 10.0
"""Seconds after which a check abandons a single call of a plugin's function."""
LONGEST_PREPARATION = 60.0
"""Seconds after which a check abandons work that may compile something first."""
SLOWEST = 10.0
"""The most seconds on the clock per second of processor time: a function may sleep."""
CLOCK_ROUND = 0.02
"""Seconds between two looks of a Clock at a running check."""


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
        if _watcher is not None:
            _watcher.numbers[THREAD] = float(self._search_thread)
            self._publish(_watcher)
        self._thread.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_on_timeout()
        finally:
            self._thread.remove(self)
            self._watch.is_full = None  # or the two would keep each other alive until the next garbage collection
            if _watcher is not None:
                _watcher.clear_deadlines()
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
        elif _watcher is not None and not self._is_over:
            self._publish(_watcher)

    def _publish(self, watcher: WatcherProcess) -> None:
        """Write the deadline of this search, and its fallback, to the page of the watcher process."""
        numbers, now = watcher.numbers, time.monotonic()
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
                watcher.set_fallback(self._make_fallback())

    @property
    def _most_growth(self) -> float:
        return TOLERANCE * max(self._watch.memory, LEAST_GROWTH)

    def _is_full(self) -> bool:
        return self._growth() > self._most_growth

    def _growth(self) -> int:
        """Return the bytes by which the process has grown since the search began."""
        return resident_bytes() - self._watch.resident

    def _end(self, status: str) -> None:
        with self._ending:
            if not self._is_over and (_watcher is None or _watcher.leaves_report()):
                self._is_over = True
                if _watcher is not None:
                    restore_terminal(_watcher.terminal)
                try:
                    self._on_timeout(status, self._reason())
                except Exception:  # noqa: BLE001 - nothing else will ever end the process
                    sys.excepthook(*sys.exc_info())
                    os._exit(FAILED)

    def _reason(self) -> str:
        if is_suspended():
            return f"{awaited_now()} was not ready"
        return timeout_reason(
            location(sys._current_frames().get(_plugin_thread or self._search_thread)), self._growth()
        )


def timeout_reason(place: str, growth: float) -> str:
    """Return why a search that hangs is ended.

    Args:
        place: where it hangs.
        growth: the bytes by which its process has grown, named if they are many.
    """
    reason = f"{place} did not return"
    return f"{reason}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_GROWTH else reason


class Call(NamedTuple):
    """A function that has been called and has not returned.

    Attributes:
        file, line: where it is.
        name: its own.
    """

    file: str
    line: int
    name: str


def location(frame: FrameType | None) -> str:
    """Return the name, file and line of the plugin's function that a search has called, the innermost in its own file.

    Args:
        frame: the innermost frame of the thread that searches.
    """
    calls = []
    while frame is not None:
        calls.append(Call(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return location_in(calls)


COMPILED = "a compiled function of a plugin"
IN_SEARCH = f"{COMPILED} (--engine readable says which)"


def location_in(calls: Sequence[Call]) -> str:
    """Return the same as `location`, from the calls of a stack, the innermost first."""
    ours = os.path.join(Path(__file__).parents[1], "")
    ends = tuple(os.path.join(ours, name, "") for name in ("search", "cli"))
    called: list[Call] = []
    in_search = False
    for call in calls:
        if call.file.startswith(ours):
            if called or call.file.startswith(ends):
                in_search = call.file.startswith(ends[0])
                break
        elif os.path.exists(call.file) and not _is_standard_library(call.file):
            called.append(call)
    if not called:
        return IN_SEARCH if in_search else COMPILED
    innermost = next(call for call in called if call.file == called[-1].file)
    return f"{innermost.name} ({innermost.file}, line {innermost.line})"


def _is_standard_library(file: str) -> bool:
    # Other packages may be installed in a folder of the standard library's.
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file


# The thread of this process.


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
        if _watcher is not None:
            self._interrupts += interrupts
            _watcher.numbers[HEARTBEAT] = time.monotonic()
            if self._interrupts >= MOST_INTERRUPTS or (self._interrupts > 1 and is_suspended() and not self._watched):
                restore_terminal(_watcher.terminal)
                os._exit(INTERRUPTED)
        with self._lock:
            watched = tuple(self._watched)
            self._sleeps = not watched
        for each in watched:
            try:
                each.check(interrupts)
            except Exception:  # noqa: BLE001 - the others have to be checked all the same
                sys.excepthook(*sys.exc_info())


class WakeupPipe:
    """A pipe for which a thread can wait with a timeout.

    Attributes:
        fd: the end to which signal numbers can be written.
    """

    def __init__(self) -> None:
        if os.name == "nt":  # where `select` accepts sockets only
            import socket

            self._sockets = socket.socketpair()
            self._read_fd, self.fd = (end.fileno() for end in self._sockets)
            self._sockets[1].setblocking(False)
        else:
            self._read_fd, self.fd = _pipe()
            os.set_blocking(self.fd, False)

    def write(self, content: bytes) -> None:
        """Write to the pipe; if it is full nothing is written, as its reader wakes up anyway."""
        with suppress(BlockingIOError):
            if os.name == "nt":
                self._sockets[1].send(content)
            else:
                os.write(self.fd, content)

    def read(self, seconds: float | None) -> bytes:
        """Return what was written, or b'' if that is nothing within `seconds`; None waits for ever."""
        import select

        if not select.select([self._read_fd], [], [], seconds)[0]:
            return b""
        return self._sockets[0].recv(64) if os.name == "nt" else os.read(self._read_fd, 64)

    def close(self) -> None:
        """Close both ends, in a process to which the pipe does not belong."""
        if os.name == "nt":
            for end in self._sockets:
                end.close()
        else:
            os.close(self._read_fd)
            os.close(self.fd)


def _pipe() -> tuple[int, int]:
    """Return the file descriptors of a pipe, to read and to write; they are never those of a standard stream."""
    import fcntl

    ends = list(os.pipe())
    for k, fd in enumerate(ends):
        if fd <= LAST_STREAM:
            ends[k] = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, LAST_STREAM + 1)
            os.close(fd)
    return ends[0], ends[1]


_watchdog_thread: WatchdogThread | None = None


def watchdog_thread() -> WatchdogThread:
    """Return the watchdog thread of this process, started if necessary."""
    global _watchdog_thread
    _watchdog_thread = _watchdog_thread or WatchdogThread()
    return _watchdog_thread


def restore_terminal(settings: list[Any] | None) -> None:
    """Restore a terminal on which a line was being redrawn, or a game was played on the alternate screen."""
    with suppress(Exception):
        import termios

        shown = SHOW_CURSOR
        # In a background job the settings are those of whoever has the terminal now, and to set them stops the process.
        if settings is not None and os.tcgetpgrp(0) == os.getpgrp() and termios.tcgetattr(0) != settings:
            termios.tcsetattr(0, termios.TCSANOW, settings)
            shown = LEAVE_OTHER_SCREEN + shown
        terminal = next(stream for stream in (sys.stderr, sys.stdout) if stream is not None and stream.isatty())
        os.write(terminal.fileno(), shown)


# The watcher process, and the page of memory it shares with the program.

NUMBERS = 16
(
    HEARTBEAT,  # when the watchdog thread checked last; all times are those of time.monotonic
    SUSPENSIONS,  # blocks of code that suspend the deadlines
    REPORTING,  # 1 while the outcome is reported
    THREAD,  # the thread that searches
    GRACE_LEFT,  # seconds from Ctrl-C to the end
    HANDLED_INTERRUPTS,  # the Ctrl-C after which the command ends by itself; inf if it need not
    BEGAN,  # when the search began; it may take
    ALLOWED,  # seconds from then
    CALL_BEGAN,  # when a single call of a plugin's function began; it may take
    CALL_ALLOWED,  # seconds from then
    RESIDENT,  # bytes of the process when the search began
    MOST_BYTES,  # bytes that the process may occupy
    FALLBACK_SIZE,  # bytes of the pickled fallback, its function and its arguments; 0 if there is none
    HAS_EXIT,  # 1 if the exit signal ends the program with the exit code on the page
    ENDING,  # 1 while the watcher process reports the outcome and ends the program
) = range(15)
EXIT_CODE = 8 * NUMBERS
FALLBACK = EXIT_CODE + 64
PAGE = 1 << 20
"""Bytes; memory that is never written takes none."""


class WatcherProcess:
    """The process that watches this one, as this one sees it.

    Args:
        wakeup: the pipe of the watchdog thread, to which the watcher process passes on signals.

    Attributes:
        wakeup_fd: where this process tells it of signals, for `signal.set_wakeup_fd`.
        numbers: the numbers on the shared page, at the places named above.
        terminal: the settings of the terminal that was the standard input at the start, None if that was no terminal.
    """

    def __init__(self, wakeup: WakeupPipe) -> None:
        import mmap

        self._function: Callable[..., int] | None = None
        self._pickled = b""
        self.terminal: list[Any] | None = None
        with suppress(Exception):
            import termios

            self.terminal = termios.tcgetattr(0) if os.isatty(0) else None
        self.page = mmap.mmap(-1, PAGE)
        self.numbers = memoryview(self.page)[: 8 * NUMBERS].cast("d")
        self.clear_deadlines()
        self.numbers[GRACE_LEFT], self.numbers[THREAD] = GRACE, float(threading.get_ident())
        signals, self.wakeup_fd = _pipe()  # the system closes our end when this process is over, however it ends
        os.set_blocking(self.wakeup_fd, False)
        stacks, stacks_written = _pipe()
        program = os.getpid()
        if not os.fork():
            try:
                os.close(self.wakeup_fd)
                os.close(stacks_written)
                _Watcher(program, self, wakeup, signals, stacks).watch()
            finally:
                os._exit(0)
        os.close(signals)
        os.close(stacks)
        import faulthandler

        # Writes the stacks of all threads at a signal, whatever keeps the threads from running.
        faulthandler.register(STACK_SIGNAL, file=stacks_written, all_threads=True, chain=False)
        self.numbers[HAS_EXIT] = float(_install_exit_handler(self.page))

    def set_fallback(self, fallback: Fallback) -> None:
        """Write to the page how the outcome is reported if this process cannot: see `Watchdog`.

        The function is pickled once for all searches whose fallback is a `partial` of it. That takes far longer than
        its arguments do, if they are plain values.
        """
        import pickle

        function, known = fallback, ()
        if isinstance(fallback, partial) and not fallback.keywords:
            function, known = fallback.func, fallback.args
        self.numbers[FALLBACK_SIZE] = 0.0
        with suppress(Exception):  # without a fallback, the status is reported
            if function is not self._function:
                self._function, self._pickled = function, pickle.dumps(function)
            content = self._pickled + pickle.dumps(known)
            self.page[FALLBACK : FALLBACK + len(content)] = content
            self.numbers[FALLBACK_SIZE] = len(content)

    def clear_deadlines(self) -> None:
        """Remove all deadlines and the fallback from the page, unless the watcher process ends this one."""
        for number in (HANDLED_INTERRUPTS, ALLOWED, CALL_ALLOWED, MOST_BYTES):
            self.numbers[number] = inf
        self._wait_while_ending()
        self.numbers[FALLBACK_SIZE] = 0.0

    def leaves_report(self) -> bool:
        """Note that this process reports the outcome; return False if the watcher process does so already.

        Both sides first write their own mark and then read the other's, so that never both report.
        """
        self.numbers[REPORTING] = 1.0
        if self.numbers[ENDING]:
            self.numbers[REPORTING] = 0.0
            return False
        return True

    def _wait_while_ending(self) -> None:
        # The signal that asks for the stack has woken this process, and the watcher process reports the outcome.
        ends = time.monotonic() + 2 * LONGEST_REPORT  # but for a watcher that has died
        while self.numbers[ENDING] and time.monotonic() < ends:
            with suppress(KeyboardInterrupt):
                time.sleep(ROUND)

    def abandon(self) -> None:
        """Close the pipe in a forked process, which is not watched."""
        with suppress(OSError):
            os.close(self.wakeup_fd)


class _Watcher:
    """What runs in the watcher process.

    Args:
        program: the process it watches.
        process: this process, as the program sees it.
        wakeup: the pipe of the program's watchdog thread.
        signals: the pipe from which it reads the program's signals; only the program has the other end.
        stacks: the pipe from which it reads the program's stacks.
    """

    def __init__(self, program: int, process: WatcherProcess, wakeup: WakeupPipe, signals: int, stacks: int) -> None:
        self._program, self._page, self._numbers = program, process.page, process.numbers
        self._wakeup, self._signals, self._stacks = wakeup, signals, stacks
        self._passed_on = self._pressed = 0
        self._last_suspension = self._last_interrupt = -inf
        self._waited: dict[str, float] = {}
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # which a script's background job ignores
            signal.signal(signal.SIGINT, self._count_interrupt)
        for name in ("SIGTTOU", "SIGPIPE"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        self._terminal = process.terminal

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
        code = INTERRUPTED if status == "interrupted" else LIMIT_REACHED
        if not (at_once or self._numbers[REPORTING]):
            code = self._reported(status, timeout_reason(self._location(), self._growth()), code)
        restore_terminal(self._terminal)
        self._page[EXIT_CODE : EXIT_CODE + 4] = code.to_bytes(4, sys.byteorder)
        with suppress(ProcessLookupError):
            if self._numbers[HAS_EXIT]:
                os.kill(self._program, EXIT_SIGNAL)
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
        return location_in(_parse_stack(report.decode(errors="replace"), int(self._numbers[THREAD])))

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
        size = int(self._numbers[FALLBACK_SIZE])
        try:
            if size:
                import io
                import pickle

                pickled = io.BytesIO(self._page[FALLBACK : FALLBACK + size])
                function, known = pickle.load(pickled), pickle.load(pickled)
                code = function(*known, status, reason)
                if sys.stdout is not None:
                    sys.stdout.flush()
                return code
        except Exception as error:  # noqa: BLE001 - the status is reported below
            reason = f"{reason}; its outcome cannot be told: {error}"
        if sys.stderr is not None:
            sys.stderr.write(f"searchlab: error: {one_line(f'{status}: {reason}')}\n")
            sys.stderr.flush()
        return code


_watcher: WatcherProcess | None = None


def _note_suspensions(count: int) -> None:
    if _watcher is not None:
        _watcher.numbers[SUSPENSIONS] = count


suspension.listen(_note_suspensions)


def watch_program() -> None:
    """Let a watcher process watch this one from now on: it is a program of searchlab, not one that uses it.

    Call it in the main thread, before there are others. If the system refuses another process, the program runs
    without a watcher.
    """
    global _watcher, _watchdog_thread
    if not FORKS or _watcher is not None:
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or both processes would write what is in the buffer
    try:
        wakeup = WakeupPipe()
        _watcher = WatcherProcess(wakeup)
    except OSError:
        return
    _watchdog_thread = WatchdogThread(wakeup, _watcher.wakeup_fd)
    signal.set_wakeup_fd(_watchdog_thread.wakeup_fd, warn_on_full_buffer=False)


_plugin_thread = 0


@contextmanager
def plugins_run_in(thread: int) -> Iterator[None]:
    """Declare for a block of code that a plugin's functions run in another thread than the one that searches."""
    global _plugin_thread
    _plugin_thread, before = thread, _plugin_thread
    if _watcher is not None:
        _watcher.numbers[THREAD], searcher = float(thread), _watcher.numbers[THREAD]
    try:
        yield
    finally:
        _plugin_thread = before
        if _watcher is not None:
            _watcher.numbers[THREAD] = searcher


def note_call(seconds: float) -> None:
    """Note that a call of a plugin's function begins, with the seconds it may take; `inf` if it is over."""
    if _watcher is not None:
        _watcher.numbers[CALL_BEGAN] = time.monotonic()
        _watcher.numbers[CALL_ALLOWED] = seconds


def set_fallback(fallback: Fallback) -> None:
    """Set how another process reports the outcome so far if this one hangs: see `Watchdog`."""
    if _watcher is not None:
        _watcher.set_fallback(fallback)


def _parse_stack(report: str, thread: int) -> list[Call]:
    """Return the calls of one thread in the report of `faulthandler`, the innermost first."""
    import re

    threads = re.split(r"(?m)^(?:Current thread|Thread) 0x([0-9a-f]+).*$", report)
    found = dict(zip(threads[1::2], threads[2::2], strict=False))
    stack = next((stack for ident, stack in found.items() if int(ident, 16) == thread), report)
    calls = re.findall(r'(?m)^  File "(.*)", line (\d+) in (.*)$', stack)
    return [Call(file, int(line), name) for file, line, name in calls]


def _install_exit_handler(page: Any) -> bool:
    """Let a signal end this process with the exit code that stands on a page of memory; return whether that works.

    The handler has to run without Python. It is the machine code of `_exit(*code)`.
    """
    import ctypes
    import mmap

    try:
        libc = ctypes.CDLL(None)
        code = ctypes.addressof(ctypes.c_char.from_buffer(page, EXIT_CODE)).to_bytes(8, "little")
        leave = (ctypes.cast(libc._exit, ctypes.c_void_p).value or 0).to_bytes(8, "little")
        machine = os.uname().machine.lower()
        if machine in ("x86_64", "amd64"):
            # endbr64; mov rax, code; mov edi, [rax]; mov rax, _exit; jmp rax
            content = b"\xf3\x0f\x1e\xfa\x48\xb8" + code + b"\x8b\x38\x48\xb8" + leave + b"\xff\xe0"
        elif machine in ("arm64", "aarch64"):
            # ldr x1, code; ldr w0, [x1]; ldr x16, _exit; br x16
            words = (0x58000081, 0xB9400020, 0x58000090, 0xD61F0200)
            content = b"".join(word.to_bytes(4, "little") for word in words) + code + leave
        else:
            return False
        handler = mmap.mmap(-1, mmap.PAGESIZE)
        handler.write(content)
        address = ctypes.addressof(ctypes.c_char.from_buffer(handler))
        if libc.mprotect(ctypes.c_void_p(address), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
            return False
        libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        for memory in (page, handler):  # a signal may come when the interpreter has already freed everything else
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
        libc.signal(EXIT_SIGNAL, address)
        _exit_handler.extend((handler, libc.signal, address))
    except (OSError, AttributeError, ValueError):
        return False
    return True


_exit_handler: list[Any] = []
"""The memory that holds that machine code, the C function that sets a handler, and the code's address."""


def exit_at_ctrl_c() -> None:
    """Let Ctrl-C end this process at once from now on: it was interrupted, and has nothing left to do."""
    if _watcher is not None and _exit_handler and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        _, set_handler, address = _exit_handler
        _watcher.page[EXIT_CODE : EXIT_CODE + 4] = INTERRUPTED.to_bytes(4, sys.byteorder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # or Python would do so once more when it ends
        set_handler(signal.SIGINT, address)


def _after_fork() -> None:
    # A process that a plugin or a library has forked off is not watched.
    global _watchdog_thread, _watcher
    if _watchdog_thread is not None:
        _watchdog_thread.abandon()
        _watchdog_thread = None
    if _watcher is not None:
        _watcher.abandon()
        _watcher = None


if FORKS:
    os.register_at_fork(after_in_child=_after_fork)


# The checks of a plugin, which go on after a function that hangs.


class NoAnswer(Exception):
    """A plugin's function did not return, or took all the memory it may.

    Attributes:
        board: its argument, None if that is not known.
    """

    def __init__(self, what: str, board: Board | None, place: str = "") -> None:
        super().__init__(f"{what}: {place}" if place else what)
        self.board = board


class Abandoned(Cancelled):
    """Raised in a thread that nobody waits for any more."""


class Clock:
    """The time and memory a plugin's checks may take together, and a limit for each call of its functions.

    Args:
        seconds: the processor time that all checks together may take, without compiling.
        longest_call: seconds after which one call of a plugin's function is abandoned.
        memory: bytes the process may grow by; by default its share of what is available.
        thorough: every state is looked at, however long that takes.
    """

    def __init__(
        self, seconds: float, longest_call: float = LONGEST_CALL, memory: int | None = None, *, thorough: bool = False
    ) -> None:
        self.seconds, self.longest_call, self.thorough = seconds, longest_call, thorough
        self._memory = share_of_memory() if memory is None else memory
        self._most_bytes = resident_bytes() + TOLERANCE * max(self._memory, LEAST_GROWTH)
        self._began: float | None = None
        self._longest = longest_call
        self._board: Callable[[], Board] | None = None

    def until(self, share: float) -> Callable[[], bool]:
        """Return a function that returns whether any of this share of the time, counted from now, is left.

        Call it between calls of a plugin's functions: it also notes that the last one returned.
        """
        seconds = share * self.seconds
        end = time.process_time() + seconds, time.monotonic() + SLOWEST * seconds

        def has_time() -> bool:
            self.call_returned()
            return time.process_time() < end[0] and time.monotonic() < end[1]

        return has_time

    def in_turn(self, share: float, count: int) -> Iterator[Callable[[], bool]]:
        """Yield `count` functions like that of `until`, for properties that look at boards one after another.

        What one property leaves of this share of the time goes to the next. A thorough check has no end.
        """
        left = share
        for waiting in range(count, 0, -1):
            began = time.process_time()
            yield self._unlimited if self.thorough else self.until(left / waiting)
            left -= (time.process_time() - began) / max(self.seconds, 1e-9)

    def looking(self, share: float) -> Callable[[], bool]:
        """Return a function like that of `until`, for a property that looks at boards; a thorough check has no end."""
        return next(self.in_turn(share, 1))

    def call_returned(self) -> None:
        """Note that a plugin's function returned, and the next one is called."""
        if self._began is not None:
            self._began = time.monotonic()
            note_call(self._longest)

    def _unlimited(self) -> bool:
        self.call_returned()
        return True

    @contextmanager
    def calling(self, board: Callable[[], Board] | None = None, *, prepares: bool = False) -> Iterator[None]:
        """Time a call of a plugin's function.

        Args:
            board: returns the function's argument.
            prepares: whether something may be compiled first.
        """
        self._longest = LONGEST_PREPARATION if prepares else self.longest_call
        self._board, self._began = board, time.monotonic()
        note_call(self._longest)
        try:
            yield
        finally:
            self._began = None
            note_call(inf)

    def run(self, work: Callable[[], T]) -> T:
        """Call a function in a thread of its own, which is abandoned if it hangs, and return what it returns.

        Raises:
            NoAnswer: one call of a plugin's function took too long, or too much memory is taken.
        """
        task = _Task(work)
        thread = threading.Thread(target=copy_context().run, args=(task.run,), daemon=True)
        thread.start()
        last_suspension = 0.0
        with plugins_run_in(thread.ident or 0):
            while thread.is_alive():
                thread.join(CLOCK_ROUND)
                began = self._began
                if is_suspended():
                    last_suspension = time.monotonic()
                    continue
                if not thread.is_alive():
                    break
                if resident_bytes() > self._most_bytes:
                    raise self._abandoned(thread, f"it took more than its {self._memory / 2**20:,.0f} MiB of memory")
                if began is not None and time.monotonic() - max(began, last_suspension) > self._longest:
                    raise self._abandoned(thread, f"it did not come back within {self._longest:g} s")
        return task.result()

    def _abandoned(self, thread: threading.Thread, what: str) -> NoAnswer:
        """Abandon a thread; return the exception that says why."""
        import ctypes

        place = location(sys._current_frames().get(thread.ident or 0))
        board = self._board() if self._board and self._began is not None else None
        # Ends the thread if it runs in the interpreter; compiled code cannot be stopped and runs on.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Abandoned))
        note_call(inf)
        return NoAnswer(what, board, "" if place in (COMPILED, IN_SEARCH) else place)


class _Task(Generic[T]):
    """A call in another thread, and its result or exception."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]
