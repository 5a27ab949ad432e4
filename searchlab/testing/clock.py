"""Limit the time and memory of a plugin's checks, which continue after a function that hangs."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from contextvars import copy_context
from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlab.errors import Cancelled
from searchlab.errors.alarm import set_alarm
from searchlab.errors.suspension import is_suspended
from searchlab.search.call_stack import COMPILED, IN_SEARCH, location
from searchlab.search.watch import most_growth, resident_bytes, share_of_memory
from searchlab.search.watchdog import plugins_run_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board

T = TypeVar("T")

LONGEST_CALL = 10.0
"""The seconds after which a check abandons a single call of a plugin's function."""
LONGEST_PREPARATION = 60.0
"""The seconds after which a check abandons work that may compile something first."""
SLOWEST = 10.0
"""The most seconds of wall time per second of processor time: a function may sleep."""
THREAD = "searchlab check"
"""The name of the threads in which plugins are checked."""
OVERALL = 60.0
"""The seconds of wall time that the checks of a component may take, beyond `SLOWEST` times their processor time."""
ROUND = 0.02
"""The seconds between two looks of a Clock at a running check."""


class NoAnswer(Exception):
    """A plugin's function did not return, or exceeded the memory limit.

    Attributes:
        board: the argument of the function, or None if unknown.
    """

    def __init__(self, what: str, board: Board | None, place: str = "") -> None:
        super().__init__(f"{what}: {place}" if place else what)
        self.board = board


class Abandoned(Cancelled):
    """Raised in a thread that no other thread waits for any more."""


class Clock:
    """The time and memory that all checks of a plugin may take, and a limit for each call of the plugin's functions.

    Only the processor time of the checking thread counts: an abandoned function may still be running in another thread.

    Args:
        seconds: the processor time that all checks together may take, without compiling.
        longest_call: the seconds after which a call of a plugin's function is abandoned.
        memory: the bytes by which the process may grow; by default a share of the available memory.
        thorough: whether to look at every state, however long that takes.
    """

    def __init__(
        self, seconds: float, longest_call: float = LONGEST_CALL, memory: int | None = None, *, thorough: bool = False
    ) -> None:
        self.seconds, self.longest_call, self.thorough = seconds, longest_call, thorough
        self._memory = share_of_memory() if memory is None else memory
        self._most_bytes = resident_bytes() + most_growth(self._memory)
        self._most_seconds = inf if thorough else OVERALL + SLOWEST * seconds
        self._spent = 0.0
        self._began: float | None = None
        self._longest = longest_call
        self._board: Callable[[], Board] | None = None

    def until(self, share: float) -> Callable[[], bool]:
        """Return a function that returns whether any time is left of this share, counted from now.

        Call the function between calls of a plugin's functions: it also notes that the last call returned.
        """
        seconds = share * self.seconds
        end = time.thread_time() + seconds, time.monotonic() + SLOWEST * seconds

        def has_time() -> bool:
            self.call_returned()
            return time.thread_time() < end[0] and time.monotonic() < end[1]

        return has_time

    def in_turn(self, share: float, count: int) -> Iterator[Callable[[], bool]]:
        """Yield `count` functions like `until` returns, for properties that look at boards one after another.

        Time of the share that a property does not use goes to the next property. A thorough check never ends early.
        """
        left = share
        for waiting in range(count, 0, -1):
            began = time.thread_time()
            yield self._unlimited if self.thorough else self.until(left / waiting)
            left -= (time.thread_time() - began) / max(self.seconds, 1e-9)

    def looking(self, share: float) -> Callable[[], bool]:
        """Return a function as `until` does, for a property that looks at boards; a thorough check never ends early."""
        return next(self.in_turn(share, 1))

    def call_returned(self) -> None:
        """Note that a plugin's function returned, and that the next call begins."""
        if self._began is not None:
            self._began = time.monotonic()
            set_alarm(self._longest)

    def _unlimited(self) -> bool:
        self.call_returned()
        return True

    @contextmanager
    def calling(self, board: Callable[[], Board] | None = None, *, prepares: bool = False) -> Iterator[None]:
        """Time a call of a plugin's function.

        Args:
            board: returns the argument of the function.
            prepares: whether something may be compiled first.
        """
        self._longest = LONGEST_PREPARATION if prepares else self.longest_call
        self._board, self._began = board, time.monotonic()
        set_alarm(self._longest)
        try:
            yield
        finally:
            self._began = None
            set_alarm(inf)

    def run(self, work: Callable[[], T]) -> T:
        """Call a function in a thread of its own, which is abandoned if it hangs, and return the result.

        Raises:
            NoAnswer: a call of a plugin's function, or all work together, took too long or too much memory.
        """
        task = _TimedCall(work)
        thread = threading.Thread(target=copy_context().run, args=(task.run,), name=THREAD, daemon=True)
        last_suspension, last_look = 0.0, time.monotonic()
        thread.start()
        with plugins_run_in(thread.ident or 0):
            while thread.is_alive():
                thread.join(ROUND)
                began, now = self._began, time.monotonic()
                if is_suspended():
                    last_suspension = last_look = now
                    continue
                self._spent += now - last_look
                last_look = now
                if not thread.is_alive():
                    break
                if resident_bytes() > self._most_bytes:
                    raise self._abandoned(thread, f"it took more than its {self._memory / 2**20:,.0f} MiB of memory")
                if began is not None and now - max(began, last_suspension) > self._longest:
                    raise self._abandoned(thread, f"it did not come back within {self._longest:g} s")
                if self._spent > self._most_seconds:
                    raise self._abandoned(thread, f"its check was not over within {self._most_seconds:g} s")
        return task.result()

    def _abandoned(self, thread: threading.Thread, what: str) -> NoAnswer:
        """Abandon a thread; return the exception with the reason."""
        import ctypes

        place = location(sys._current_frames().get(thread.ident or 0))
        board = self._board() if self._board and self._began is not None else None
        # This ends the thread if it runs in the interpreter; compiled code cannot be stopped and continues.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Abandoned))
        set_alarm(inf)
        return NoAnswer(what, board, "" if place in (COMPILED, IN_SEARCH) else place)


def is_checking() -> bool:
    """Return whether a thread still checks a plugin, because it was abandoned or Ctrl-C ended the wait for it."""
    return any(thread.name == THREAD for thread in threading.enumerate())


class _TimedCall(Generic[T]):
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
