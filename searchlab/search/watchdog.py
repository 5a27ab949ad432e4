"""Deadlines: what holds a program to its limits and to Ctrl-C while a plugin's function does not return.

A search asks its Watch now and then whether to go on. While a plugin's function runs it cannot, and Python's own answer
to Ctrl-C has to wait as well. Two others look on, and everything that has a deadline uses them: searches and games,
commands, the checks of plugins, worker processes.

- The `Watchdog` of a search, looked after by the patrol, one thread of this process. It ends what hangs in compiled
  code or in Python code that lets other threads run, and tells the outcome so far.
- The `Watcher`, a process of its own, for functions that keep every other thread from running: a long call of a C
  function, a catastrophic regular expression. A command or a worker forks it off before it has imported much, which
  costs about a millisecond; a thread of C code (`faulthandler.dump_traceback_later`) could end the process as well, but
  always with exit code 1 and a traceback. The two share a page of memory. The program says there until when it has
  something to do, how much memory it may take, and how its outcome is told if it never comes back (`last words`, a
  pickled function); writing a number there is all that a deadline costs. The watcher hears of Ctrl-C by the pipe to
  which Python's signal handler writes, asks `faulthandler` for the place, which needs no other thread to run, tells the
  outcome, and ends the program.

The program's exit code has to be that of the outcome, although none of its own code can run. So the handler of a
signal of ours is a few bytes of machine code that call `_exit` with the number the watcher wrote on the page. Where
there is none for the processor, or the system does not let it run, the program is killed (exit code 137 in a shell).

A program that merely uses `searchlab` as a library is never watched, and never ended. Where there is no `os.fork`
(Windows) there is no watcher.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from searchlab.compiler.excuses import is_excused, notify_of_excuses
from searchlab.errors.control_characters import one_line
from searchlab.search.process_memory import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from searchlab.search.limits import Watch

GRACE = 3.0
"""Seconds a search has to hear that it is over."""
GRACE_FOR_MEMORY = 0.3
MARGIN = 1.0
"""Seconds by which the watcher lets the watchdog be first."""
MARGIN_FOR_INTERRUPTS = 0.3
SILENCE = 0.25
"""Seconds after which a patrol that has not been round can be taken to be kept from it."""
LONGEST_TELLING = 10.0
"""Seconds in which an outcome has to be told."""
MOST_INTERRUPTS = 3
"""The Ctrl-C that ends a program at once, whatever it does."""
FAILED = 4
"""The exit code where the outcome of a search that hangs cannot be told."""
LIMIT_REACHED, INTERRUPTED = 3, 130
LEAST_WATCHED = 256 * 2**20
"""Bytes a process may grow by whatever the limit: the interpreter and its libraries are not the search's."""
TOLERANCE = 1.1
"""What a search holds is known to this factor."""
ROUND = 0.05
"""Seconds between two rounds of the patrol and of the watcher."""
WORDS_EVERY = 1.0
"""Seconds after which the last words of a search are brought up to date."""
LONGEST_PLACE = 1 << 16
"""Bytes of a description of what all threads are doing."""
LAST_STREAM = 2
SHOWN_AGAIN = b"\r\x1b[K\x1b[?25h"
"""The cursor, on a terminal where a line was being redrawn."""
OTHER_SCREEN_DOWN = b"\x1b[0m\x1b[?7h\x1b[?1049l"
FORKS = hasattr(os, "fork") and hasattr(os, "register_at_fork")


class Watchdog:
    """Watches one search, or a whole command, as a context manager around it.

    Args:
        watch: the search's.
        bite: called in another thread, with the status the search has to end with and why, when it does not end by
            itself. It has to end the process: nothing else stops compiled code.
        words: returns what the watcher does instead where no other thread can run: something that can be pickled, to be
            called in another process with the status and why, that returns the exit code.
        patient: whether Ctrl-C lets what is under way be finished, and only a second one ends it.
    """

    def __init__(
        self,
        watch: Watch,
        bite: Callable[[str, str], None],
        words: Callable[[], Callable[[str, str], int]] | None = None,
        *,
        patient: bool = False,
    ) -> None:
        self._watch, self._bite, self._words = watch, bite, words
        self._searcher = threading.get_ident()
        self._is_over = False
        self._biting = threading.Lock()
        self._patrol = patrol()
        self._hears_ctrl_c = False
        self._heard_before = -1
        self._interrupts = 0
        self._most_interrupts = 2 if patient else 1
        self._was_full = False
        self._began = watch.began
        self._searched = self._since_interrupt = self._since_full = 0.0
        self._looked = time.monotonic()
        self._worded = -inf

    def __enter__(self) -> Self:
        self._watch.is_full = self._is_full
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self._hears_ctrl_c = True
            self._heard_before = signal.set_wakeup_fd(self._patrol.mouth, warn_on_full_buffer=False)
        if _watcher is not None:
            _watcher.numbers[THREAD] = float(self._searcher)
            self._publish(_watcher)
        self._patrol.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait_for_the_bite()
        finally:
            self._patrol.remove(self)
            self._watch.is_full = None  # or each would keep the other until somebody looks for cycles
            if _watcher is not None:
                _watcher.forget()
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
        self._since_interrupt += awake if self._interrupts >= self._most_interrupts else 0.0
        if self._interrupts > self._most_interrupts or self._since_interrupt > GRACE:
            self._end("interrupted")
            return
        if is_excused():
            return
        watch = self._watch
        if watch.began != self._began:  # it has been prepared and begins now
            self._began, self._searched = watch.began, 0.0
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

    def _publish(self, watcher: Watcher) -> None:
        """Tell the watcher until when this search is to be over, and what is to be told of it otherwise."""
        numbers, now = watcher.numbers, time.monotonic()
        with self._biting:
            if self._is_over:
                return
            numbers[GRACE_LEFT], numbers[MOST_SOFT] = GRACE, self._most_interrupts if self._hears_ctrl_c else inf
            numbers[BEGAN], numbers[ALLOWED] = now, self._watch.limits.seconds + GRACE - self._searched
            numbers[MOST_BYTES] = self._watch.resident + self._most_growth()
            numbers[RESIDENT] = self._watch.resident
            if self._words and now - self._worded > WORDS_EVERY:
                self._worded = now
                watcher.prepare(self._words())

    def _is_full(self) -> bool:
        """Return whether the process has grown by more than the search may hold."""
        return self._growth() > self._most_growth()

    def _most_growth(self) -> float:
        return TOLERANCE * max(self._watch.memory, LEAST_WATCHED)

    def _growth(self) -> int:
        """Return the bytes by which the process has grown since the search began."""
        return resident_bytes() - self._watch.resident

    def _end(self, status: str) -> None:
        with self._biting:
            if not self._is_over:
                self._is_over = True
                if _watcher is not None:
                    _watcher.numbers[TELLING] = 1.0
                    give_back_terminal(_watcher.terminal)
                try:
                    self._bite(status, self._why())
                except Exception:  # noqa: BLE001 - nothing else will ever end the process
                    sys.excepthook(*sys.exc_info())
                    os._exit(FAILED)

    def _why(self) -> str:
        """Return where the search hangs, and what the process has taken meanwhile where that is much."""
        if is_excused():
            return "its machine code was not ready"
        return why(where(sys._current_frames().get(_asking or self._searcher)), self._growth())


def why(place: str, growth: float) -> str:
    """Return why what hangs at a place is ended, with the bytes its process has taken where that is much."""
    said = f"{place} did not return"
    return f"{said}; the process took {growth / 2**30:.1f} GiB" if growth > LEAST_WATCHED else said


class Call(NamedTuple):
    """A function that has been called and has not returned.

    Attributes:
        file, line: where it is.
        name: its own.
    """

    file: str
    line: int
    name: str


def where(frame: FrameType | None) -> str:
    """Return where the function of a plugin is that a search has called, innermost in its own file.

    Args:
        frame: the innermost of the thread that searches.
    """
    calls = []
    while frame is not None:
        calls.append(Call(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return place_of(calls)


COMPILED = "a compiled function of a plugin (--engine readable says which)"


def place_of(calls: Sequence[Call]) -> str:
    """Return where the function of a plugin is among calls, the innermost first."""
    ours = os.path.join(Path(__file__).parents[1], "")
    ends = tuple(os.path.join(ours, name, "") for name in ("search", "cli"))
    called: list[Call] = []
    for call in calls:
        if call.file.startswith(ours):
            if called or call.file.startswith(ends):
                break
        elif os.path.exists(call.file) and not _is_standard(call.file):
            called.append(call)
    if not called:
        return COMPILED
    innermost = next(call for call in called if call.file == called[-1].file)
    return f"{innermost.name} ({innermost.file}, line {innermost.line})"


def _is_standard(file: str) -> bool:
    """Return whether a file belongs to Python's own library, in whose folder others may be installed."""
    return file.startswith(os.path.join(os.path.dirname(os.__file__), "")) and "site-packages" not in file


# The thread of this process.


class Watched(Protocol):
    """What a patrol goes round."""

    def look(self, interrupts: int) -> None:
        """Look after it; Ctrl-C was heard so many times since the last round."""


class Patrol:
    """The thread that goes round the searches under way in this process, and sleeps while there is none.

    A thread for each search would cost a short one more than all else around it. This one begins with the first search
    that is to be looked after, so that a process that searches nothing has none.

    Args:
        voice: by which it is woken, and told of signals.
        mouth: where signals can be told, as `signal.set_wakeup_fd` wants it, if not to that voice.

    Attributes:
        mouth: the same.
    """

    def __init__(self, voice: Voice | None = None, mouth: int | None = None) -> None:
        self._watched: set[Watched] = set()
        self._lock = threading.Lock()
        self._sleeps = True
        self._interrupts = 0
        self._voice = voice or Voice()
        self.mouth = self._voice.mouth if mouth is None else mouth
        _thread.start_new_thread(self._run, ())  # unlike a Thread's, this start is not waited for

    def add(self, watched: Watched) -> None:
        """Go round this one, too."""
        with self._lock:
            self._watched.add(watched)
            sleeps, self._sleeps = self._sleeps, False
        if sleeps:
            self._voice.say(b"\0")

    def remove(self, watched: Watched) -> None:
        """Go round this one no longer."""
        with self._lock:
            self._watched.discard(watched)

    def abandon(self) -> None:
        """In a process that was forked off, where the thread is not: hold up nobody, and hear no signals."""
        self._lock = threading.Lock()
        told = signal.set_wakeup_fd(-1)
        if told != self.mouth:
            signal.set_wakeup_fd(told)
        self._voice.close()

    def _run(self) -> None:
        while True:
            self._go_round(self._heard())

    def _go_round(self, interrupts: int) -> None:
        if _watcher is not None:
            self._interrupts += interrupts
            _watcher.numbers[BEAT] = time.monotonic()
            if self._interrupts >= MOST_INTERRUPTS or (self._interrupts > 1 and is_excused() and not self._watched):
                give_back_terminal(_watcher.terminal)
                os._exit(INTERRUPTED)
        with self._lock:
            watched = tuple(self._watched)
            self._sleeps = not watched
        for each in watched:
            try:
                each.look(interrupts)
            except Exception:  # noqa: BLE001 - the others are to be looked after all the same
                sys.excepthook(*sys.exc_info())

    def _heard(self) -> int:
        """Wait for the next round or a voice; return how many times Ctrl-C was pressed meanwhile."""
        return self._voice.hear(None if self._sleeps else ROUND).count(signal.SIGINT)


class Voice:
    """A pipe through which a thread is told something, and can wait for it for a while.

    Attributes:
        mouth: the end to which signals can be written.
    """

    def __init__(self) -> None:
        if os.name == "nt":  # where nobody can wait for a pipe
            import socket

            self._sockets = socket.socketpair()
            self._ear, self.mouth = (end.fileno() for end in self._sockets)
            self._sockets[1].setblocking(False)
        else:
            self._ear, self.mouth = _pipe()
            os.set_blocking(self.mouth, False)

    def say(self, what: bytes) -> None:
        """Say something; whoever has so much to hear already wakes anyway."""
        with suppress(BlockingIOError):
            if os.name == "nt":
                self._sockets[1].send(what)
            else:
                os.write(self.mouth, what)

    def hear(self, seconds: float | None) -> bytes:
        """Return what was said, waiting for it for so long; nothing if it was nothing."""
        import select

        if not select.select([self._ear], [], [], seconds)[0]:
            return b""
        return self._sockets[0].recv(64) if os.name == "nt" else os.read(self._ear, 64)

    def close(self) -> None:
        """Close it, in a process to which it does not belong."""
        if os.name == "nt":
            for end in self._sockets:
                end.close()
        else:
            os.close(self._ear)
            os.close(self.mouth)


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe; they never take the place of a standard stream that is closed."""
    ear, mouth = os.pipe()
    return _apart(ear), _apart(mouth)


def _apart(end: int) -> int:
    if end > LAST_STREAM:
        return end
    import fcntl

    other: int = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, LAST_STREAM + 1)
    os.close(end)
    return other


_patrol: Patrol | None = None


def patrol() -> Patrol:
    """Return the patrol of this process."""
    global _patrol
    _patrol = _patrol or Patrol()
    return _patrol


def give_back_terminal(settings: list[Any] | None) -> None:
    """Let a terminal be as it was: a line was being redrawn on it, or a game was played on its other screen."""
    with suppress(Exception):
        import termios

        shown = SHOWN_AGAIN
        # In a background job the settings are those of whoever has the terminal now, and to set them stops the process.
        if settings is not None and os.tcgetpgrp(0) == os.getpgrp() and termios.tcgetattr(0) != settings:
            termios.tcsetattr(0, termios.TCSANOW, settings)
            shown = OTHER_SCREEN_DOWN + shown
        terminal = next(stream for stream in (sys.stderr, sys.stdout) if stream is not None and stream.isatty())
        os.write(terminal.fileno(), shown)


def settings_of_terminal() -> list[Any] | None:
    """Return how the terminal is set from which keys come, None where there is none."""
    with suppress(Exception):
        import termios

        if os.isatty(0):
            return termios.tcgetattr(0)
    return None


# The process outside, and the page it shares with the program it watches.

NUMBERS = 16
(
    BEAT,  # when the patrol went round last; all times are those of time.monotonic
    EXCUSED,  # what goes on that may take long
    TELLING,  # 1 while the outcome is told
    THREAD,  # the thread that searches
    GRACE_LEFT,  # seconds from Ctrl-C to the end
    MOST_SOFT,  # the Ctrl-C the command ends by itself after; inf where it need not
    BEGAN,  # from when a search has
    ALLOWED,  # so many seconds
    CALL_BEGAN,  # and a single call of a plugin's function
    CALL_ALLOWED,  # so many
    RESIDENT,  # bytes of the process when the search began
    MOST_BYTES,  # bytes of the process that are too many
    WORDS,  # bytes of the last words, 0 where there are none
    HAS_EXIT,  # 1 if the signal for it ends the program with the exit code written
) = range(14)
EXIT_CODE = 8 * NUMBERS
LAST_WORDS = EXIT_CODE + 64
PAGE = 1 << 20
"""Bytes; memory that is never written takes none."""


class Watcher:
    """The process that watches this one, as this one sees it.

    Args:
        voice: of the patrol, to which the watcher tells what it has heard.

    Attributes:
        mouth: where this process tells it of signals, as `signal.set_wakeup_fd` wants it.
        numbers: those both know, at the places named above.
        terminal: how it was set at the beginning.
    """

    def __init__(self, voice: Voice) -> None:
        import mmap

        self.terminal = settings_of_terminal()
        self.page = mmap.mmap(-1, PAGE)
        self.numbers = memoryview(self.page)[: 8 * NUMBERS].cast("d")
        self.numbers[MOST_SOFT] = self.numbers[ALLOWED] = self.numbers[CALL_ALLOWED] = self.numbers[MOST_BYTES] = inf
        self.numbers[GRACE_LEFT], self.numbers[THREAD] = GRACE, float(threading.get_ident())
        signals, self.mouth = _pipe()  # the other end is closed when this process is over, however it ends
        os.set_blocking(self.mouth, False)
        place, told = _pipe()
        program = os.getpid()
        if not os.fork():
            try:
                os.close(self.mouth)
                os.close(told)
                _Outside(program, self, voice, signals, place).watch()
            finally:
                os._exit(0)
        os.close(signals)
        os.close(place)
        _explain(told)
        self.numbers[HAS_EXIT] = float(_exits_with(self.page))

    def prepare(self, words: Callable[[str, str], int] | None) -> None:
        """Say how the outcome is to be told where this process cannot: see `Watchdog`."""
        import pickle

        self.numbers[WORDS] = 0.0
        if words is not None:
            with suppress(Exception):  # what cannot be pickled cannot be told: the status can
                content = pickle.dumps(words)
                self.page[LAST_WORDS : LAST_WORDS + len(content)] = content
                self.numbers[WORDS] = len(content)

    def forget(self) -> None:
        """Say that nothing has a deadline any more."""
        for number in (MOST_SOFT, ALLOWED, CALL_ALLOWED, MOST_BYTES):
            self.numbers[number] = inf
        self.numbers[WORDS] = 0.0

    def abandon(self) -> None:
        """In a process that was forked off: this one is not watched."""
        with suppress(OSError):
            os.close(self.mouth)


class _Outside:
    """What the watcher does in its process.

    Args:
        program: the process it watches.
        watcher: as that process sees it.
        voice: of its patrol.
        signals: where it tells of signals; only that process has the other end.
        place: where `faulthandler` tells what that process is doing.
    """

    def __init__(self, program: int, watcher: Watcher, voice: Voice, signals: int, place: int) -> None:
        self._program, self._page, self._numbers = program, watcher.page, watcher.numbers
        self._voice, self._signals, self._place = voice, signals, place
        self._heard = self._pressed = 0
        self._last_excused = self._last_interrupt = -inf
        self._waited: dict[str, float] = {}
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:  # as in a job that a script runs in the background
            signal.signal(signal.SIGINT, self._press)
        for name in ("SIGTTOU", "SIGPIPE"):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        self._terminal = watcher.terminal

    def watch(self) -> None:
        """Look on until the program is over, or has to be."""
        looked = time.monotonic()
        while self._hears(ROUND) and os.getppid() == self._program:
            now = time.monotonic()
            awake, looked = min(now - looked, 2 * ROUND), now
            status = self._status(now, awake)
            if status and not self._is_stopped():
                self._end(status, at_once=self._interrupts() >= MOST_INTERRUPTS)
                return

    def _hears(self, seconds: float) -> bool:
        """Listen for so long to the signals the program gets, and tell its patrol; return whether it goes on."""
        import select

        if select.select([self._signals], [], [], seconds)[0]:
            signals = os.read(self._signals, 64)
            interrupts = signals.count(signal.SIGINT)
            self._heard += interrupts
            if interrupts:
                self._last_interrupt = time.monotonic()
            self._voice.say(signals)
            return bool(signals)
        return True

    def _press(self, *_: Any) -> None:
        """Count Ctrl-C of the terminal, which all its processes get."""
        self._pressed += 1

    def _interrupts(self) -> int:
        """Return how often the program was told of Ctrl-C, whether it could hear it or not."""
        return max(self._heard, self._pressed)

    def _status(self, now: float, awake: float) -> str:
        """Return the status the program has to be ended with, an empty text if it may go on."""
        numbers, interrupts = self._numbers, self._interrupts()
        excused = numbers[EXCUSED] > 0
        if excused:
            self._last_excused = now
        silent = now - numbers[BEAT] > SILENCE
        grace, soft = numbers[GRACE_LEFT], numbers[MOST_SOFT]
        telling = numbers[TELLING] > 0
        free = silent and not telling
        # A command without a Watchdog ends by itself after Ctrl-C, unless not even the patrol has run since.
        is_held = free and not excused and soft == inf and numbers[BEAT] < self._last_interrupt
        full = free and not excused and numbers[MOST_BYTES] < inf and self._resident() > numbers[MOST_BYTES]
        due = {
            "interrupted": (interrupts >= MOST_INTERRUPTS, MARGIN_FOR_INTERRUPTS),
            "interrupted twice": (free and interrupts > (1 if excused else soft), MARGIN),
            "interrupted once": (is_held or (free and interrupts >= soft), grace + MARGIN),
            "memory-limit": (full, GRACE_FOR_MEMORY),
            "time-limit": (free and not excused and self._is_late(now, BEGAN, ALLOWED), MARGIN),
            "time-limit of a call": (free and not excused and self._is_late(now, CALL_BEGAN, CALL_ALLOWED), MARGIN),
            "time-limit of telling": (telling, LONGEST_TELLING),
        }
        for what, (holds, _) in due.items():
            self._waited[what] = self._waited.get(what, 0.0) + awake if holds else 0.0
        over = [what for what, (holds, margin) in due.items() if holds and self._waited[what] > margin]
        if not over:
            return ""
        return "memory-limit" if full and over[0].startswith("time-limit") else over[0].partition(" ")[0]

    def _is_late(self, now: float, began: int, allowed: int) -> bool:
        return now > max(self._numbers[began], self._last_excused) + self._numbers[allowed]

    def _resident(self) -> int:
        return resident_bytes(self._program)

    def _is_stopped(self) -> bool:
        """Return whether the program was stopped by a signal: it has time until it goes on."""
        with suppress(OSError):
            return Path(f"/proc/{self._program}/stat").read_bytes().rpartition(b") ")[2][:1] in (b"T", b"t")
        return False

    def _end(self, status: str, *, at_once: bool) -> None:
        code = INTERRUPTED if status == "interrupted" else LIMIT_REACHED
        if not (at_once or self._numbers[TELLING]):
            code = self._told(status, why(self._where(), self._growth()), code)
        give_back_terminal(self._terminal)
        self._page[EXIT_CODE : EXIT_CODE + 4] = code.to_bytes(4, sys.byteorder)
        with suppress(ProcessLookupError):
            if self._numbers[HAS_EXIT]:
                os.kill(self._program, exit_signal())
                if self._ends_within(0.5):
                    return
            os.kill(self._program, signal.SIGKILL)

    def _ends_within(self, seconds: float) -> bool:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if not self._hears(ROUND):
                return True
        return False

    def _growth(self) -> float:
        return self._resident() - self._numbers[RESIDENT] if self._numbers[RESIDENT] else 0.0

    def _where(self) -> str:
        """Return what the program's searching thread is doing; `faulthandler` says it without its help."""
        import select

        with suppress(ProcessLookupError):
            os.kill(self._program, place_signal())
        said = b""
        while len(said) < LONGEST_PLACE and select.select([self._place], [], [], 0.3)[0]:
            said += os.read(self._place, LONGEST_PLACE)
        return place_of(_calls(said.decode(errors="replace"), int(self._numbers[THREAD])))

    def _told(self, status: str, why: str, code: int) -> int:
        """Tell the outcome in a process of its own, as that may hang, too; return the exit code."""
        teller = os.fork()
        if not teller:
            try:
                code = self._tell(status, why, code)
            finally:
                os._exit(code)
        ends = time.monotonic() + LONGEST_TELLING
        while time.monotonic() < ends and self._interrupts() < MOST_INTERRUPTS:
            done, ended = os.waitpid(teller, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(ended) if os.WIFEXITED(ended) else code
            self._hears(0.01)
        os.kill(teller, signal.SIGKILL)
        return code

    def _tell(self, status: str, why: str, code: int) -> int:
        size = int(self._numbers[WORDS])
        try:
            if size:
                import pickle

                code = pickle.loads(self._page[LAST_WORDS : LAST_WORDS + size])(status, why)
                if sys.stdout is not None:
                    sys.stdout.flush()
                return code
        except Exception as error:  # noqa: BLE001 - what can be told is told
            why = f"{why}; its outcome cannot be told: {error}"
        if sys.stderr is not None:
            sys.stderr.write(f"searchlab: error: {one_line(f'{status}: {why}')}\n")
            sys.stderr.flush()
        return code


_watcher: Watcher | None = None


def _note_excuses(count: int) -> None:
    if _watcher is not None:
        _watcher.numbers[EXCUSED] = count


notify_of_excuses(_note_excuses)


def watch_program() -> None:
    """Let this process be watched from outside from now on: it is a program of searchlab, not one that uses it.

    To be called in the main thread, before there are others. Where the system lets no further process start, the
    program runs without a watcher.
    """
    global _watcher, _patrol
    if not FORKS or _watcher is not None:
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # or what is not yet written is written twice
    try:
        voice = Voice()
        _watcher = Watcher(voice)
    except OSError:
        return
    _patrol = Patrol(voice, _watcher.mouth)
    signal.set_wakeup_fd(_patrol.mouth, warn_on_full_buffer=False)


_asking = 0


@contextmanager
def asked_by(thread: int) -> Iterator[None]:
    """Say that it is another thread in which a plugin's functions run now."""
    global _asking
    _asking, before = thread, _asking
    if _watcher is not None:
        _watcher.numbers[THREAD], searcher = float(thread), _watcher.numbers[THREAD]
    try:
        yield
    finally:
        _asking = before
        if _watcher is not None:
            _watcher.numbers[THREAD] = searcher


def note_call(seconds: float) -> None:
    """Say that a call of a plugin's function begins that may take so long, or with `inf` that it is over."""
    if _watcher is not None:
        _watcher.numbers[CALL_BEGAN] = time.monotonic()
        _watcher.numbers[CALL_ALLOWED] = seconds


def prepare_words(words: Callable[[str, str], int]) -> None:
    """Say how the outcome so far is told by another process if this one never comes back: see `Watchdog`."""
    if _watcher is not None:
        _watcher.prepare(words)


def _calls(said: str, thread: int) -> list[Call]:
    """Return what `faulthandler` said of a thread: the functions called, the innermost first."""
    import re

    threads = re.split(r"(?m)^(?:Current thread|Thread) 0x([0-9a-f]+).*$", said)
    found = dict(zip(threads[1::2], threads[2::2], strict=False))
    stack = next((stack for ident, stack in found.items() if int(ident, 16) == thread), said)
    calls = re.findall(r'(?m)^  File "(.*)", line (\d+) in (.*)$', stack)
    return [Call(file, int(line), name) for file, line, name in calls]


def exit_signal() -> int:
    """Return the signal that ends the program with the exit code on its page."""
    return getattr(signal, "SIGRTMAX", signal.SIGUSR2 + 1) - 1


def place_signal() -> int:
    """Return the signal after which the program says where it is."""
    return getattr(signal, "SIGRTMAX", signal.SIGUSR1 + 2) - 2


def _explain(told: int) -> None:
    """Let a signal write to a pipe what all threads are doing, whatever keeps them from running."""
    import faulthandler

    faulthandler.register(place_signal(), file=told, all_threads=True, chain=False)


def _exits_with(page: Any) -> bool:
    """Let a signal end this process with the exit code that stands on a page of memory; return whether it does.

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
        held = mmap.mmap(-1, mmap.PAGESIZE)
        held.write(content)
        address = ctypes.addressof(ctypes.c_char.from_buffer(held))
        if libc.mprotect(ctypes.c_void_p(address), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC):
            return False
        libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
        for memory in (page, held):  # a signal may come when the interpreter has already freed everything else
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(memory))
        libc.signal(exit_signal(), address)
        _leaving.extend((held, libc.signal, address))
    except (OSError, AttributeError, ValueError):
        return False
    return True


_leaving: list[Any] = []
"""The memory in which that machine code lies, what sets a handler, and its address."""


def leave_at_ctrl_c() -> None:
    """Let Ctrl-C end this process at once from now on: it was interrupted, and has nothing left to do."""
    if _watcher is not None and _leaving and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        _, set_handler, address = _leaving
        _watcher.page[EXIT_CODE : EXIT_CODE + 4] = INTERRUPTED.to_bytes(4, sys.byteorder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # or Python would do so once more when it ends
        set_handler(signal.SIGINT, address)


def _after_fork() -> None:
    """In a process that a plugin or a library has forked off: nobody is watched there."""
    global _patrol, _watcher
    if _patrol is not None:
        _patrol.abandon()
        _patrol = None
    if _watcher is not None:
        _watcher.abandon()
        _watcher = None


if FORKS:
    os.register_at_fork(after_in_child=_after_fork)
