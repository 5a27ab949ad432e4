"""Nothing waits for ever: how long a check may take, and what happens when a plugin's function does not come back."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlab.compiler.excuses import is_excused
from searchlab.errors import Cancelled
from searchlab.search.limits import share_of_memory
from searchlab.search.process_memory import resident_bytes
from searchlab.search.watchdog import COMPILED, LEAST_WATCHED, TOLERANCE, asked_by, note_call, where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.board.board import Board

T = TypeVar("T")

LONGEST_CALL = 10.0
"""Seconds after which a single call of a plugin's function is given up."""
LONGEST_PREPARATION = 60.0
"""Seconds after which work that may compile something first is given up."""
SLOWEST = 10.0
"""How many times as long on the clock as in the processor a share of the time may take: a function may sleep."""
LOOKS = 0.02
"""Seconds between two looks at a running check."""


class NoAnswer(Exception):
    """A plugin's function did not come back, or took all the memory it may.

    Attributes:
        board: what it was asked about, None where that is not known.
    """

    def __init__(self, what: str, board: Board | None, place: str = "") -> None:
        super().__init__(f"{what}: {place}" if place else what)
        self.board = board


class GivenUp(Cancelled):
    """Raised in a thread that is not waited for any more."""


class Clock:
    """The time a contract may take, shared by what it does.

    Args:
        seconds: about as long as all checks together may take in the processor, what is compiled aside.
        longest_call: seconds after which one call of a plugin's function is given up.
        memory: bytes the process may grow by; by default its share of what is available.
        thorough: every state is looked at, however long that takes.
    """

    def __init__(
        self, seconds: float, longest_call: float = LONGEST_CALL, memory: int | None = None, *, thorough: bool = False
    ) -> None:
        self.seconds, self.longest_call, self.thorough = seconds, longest_call, thorough
        self._memory = share_of_memory() if memory is None else memory
        self._most_bytes = resident_bytes() + TOLERANCE * max(self._memory, LEAST_WATCHED)
        self._began: float | None = None
        self._longest = longest_call
        self._board: Callable[[], Board] | None = None

    def until(self, share: float) -> Callable[[], bool]:
        """Return a function that says whether this share of the time, from now on, is left.

        To be asked between calls of a plugin's functions: it also notes that the last one came back.
        """
        seconds = share * self.seconds
        end = time.process_time() + seconds, time.monotonic() + SLOWEST * seconds

        def goes_on() -> bool:
            self.came_back()
            return time.process_time() < end[0] and time.monotonic() < end[1]

        return goes_on

    def in_turn(self, share: float, count: int) -> Iterator[Callable[[], bool]]:
        """Yield functions as `until` does, one for each of so many that look at boards in turn.

        What one does not need of this share of the time is there for the next. Whoever is thorough goes on to the end.
        """
        left = share
        for waiting in range(count, 0, -1):
            began = time.process_time()
            yield self._unlimited if self.thorough else self.until(left / waiting)
            left -= (time.process_time() - began) / max(self.seconds, 1e-9)

    def looking(self, share: float) -> Callable[[], bool]:
        """Return what `until` does for what looks at boards: whoever is thorough goes on to the end."""
        return next(self.in_turn(share, 1))

    def came_back(self) -> None:
        """Note that a plugin's function came back, and the next one is called."""
        if self._began is not None:
            self._began = time.monotonic()
            note_call(self._longest)

    def _unlimited(self) -> bool:
        self.came_back()
        return True

    @contextmanager
    def calling(self, board: Callable[[], Board] | None = None, *, prepares: bool = False) -> Iterator[None]:
        """Say that a plugin's function is running, which board it is asked about, and whether it may be compiled."""
        self._longest = LONGEST_PREPARATION if prepares else self.longest_call
        self._board, self._began = board, time.monotonic()
        note_call(self._longest)
        try:
            yield
        finally:
            self._began = None
            note_call(inf)

    def patiently(self, work: Callable[[], T]) -> T:
        """Return what `work` does, in a thread of its own so that one that hangs can be left behind.

        Raises:
            NoAnswer: one call of a plugin's function took too long, or too much memory is taken.
        """
        task = _Task(work)
        thread = threading.Thread(target=task.run, daemon=True)
        thread.start()
        excused = 0.0
        with asked_by(thread.ident or 0):
            while thread.is_alive():
                thread.join(LOOKS)
                began = self._began
                if is_excused():
                    excused = time.monotonic()
                    continue
                if not thread.is_alive():
                    break
                if resident_bytes() > self._most_bytes:
                    raise self._given_up(thread, f"it took more than its {self._memory / 2**20:,.0f} MiB of memory")
                if began is not None and time.monotonic() - max(began, excused) > self._longest:
                    raise self._given_up(thread, f"it did not come back within {self._longest:g} s")
        return task.result()

    def _given_up(self, thread: threading.Thread, what: str) -> NoAnswer:
        """Leave a thread behind; return why."""
        place = where(sys._current_frames().get(thread.ident or 0))
        board = self._board() if self._board and self._began is not None else None
        _end(thread)
        note_call(inf)
        return NoAnswer(what, board, "" if place == COMPILED else place)


def _end(thread: threading.Thread) -> None:
    """Make a thread end that runs in the interpreter; compiled code cannot be stopped and is left to itself."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(GivenUp))


class _Task(Generic[T]):
    """Some work, and how it ended."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - handed on to the thread that waits
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]
