"""Notices of compiling: the function, the time, and that it happens once on a machine.

The watching function is called when a function begins to be compiled and when that is over; see
`searchlab.model.preparation`. If nothing watches, a `CompileNotice` prints it on standard error.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from searchlab.errors.standard_error import can_redraw, print_line, redraw_until
from searchlab.model.preparation import CompileProgress, listener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELAY = 0.3
"""Seconds of compiling after which a terminal shows it."""
SHORTEST_DELAY = 0.2
"""Seconds that each function is compiled before it is shown."""
SECONDS_VARIABLE = "SEARCHLAB_NOTICE_SECONDS"
"""The environment variable that sets PATIENCE."""
LONGEST = 1e6


def _patience() -> float:
    try:
        return min(float(os.environ.get(SECONDS_VARIABLE, "2")), LONGEST)
    except ValueError:
        return 2.0


PATIENCE = _patience()
"""The seconds of compiling after which a line is printed if there is no terminal."""

_lock = Lock()
_seconds = 0.0
_functions = 0


def compiled_functions() -> int:
    """Return how many functions this process has compiled."""
    return _functions


def compile_seconds() -> float:
    """Return the wall time in seconds that this process has spent compiling."""
    return _seconds


@contextmanager
def announced(function: str) -> Iterator[None]:
    """Tell whoever watches that a function is compiled in the context, and when that is over."""
    global _seconds, _functions
    tell = listener() or notice
    began = time.perf_counter()
    tell(CompileProgress(function, "compiling", _seconds))
    try:
        yield
        _functions += 1
    finally:
        with _lock:
            _seconds += time.perf_counter() - began
        tell(CompileProgress(function, "compiled", _seconds))


class CompileNotice:
    """Prints on standard error that a function is being compiled.

    On a terminal it is a line that is redrawn, and removed at the end; elsewhere a single line per process, after two
    seconds of compiling.

    Args:
        redraws: returns whether a line can be redrawn.
        tell: prints a line.
    """

    def __init__(self, redraws: Callable[[], bool] = can_redraw, tell: Callable[[str], None] = print_line) -> None:
        self._redraws, self._tell = redraws, tell
        self._ended = Event()
        self._taking_note = Lock()  # several threads may compile
        self._thread: Thread | None = None
        self._is_told = False

    def __call__(self, progress: CompileProgress) -> None:
        """Take note that a function begins to be compiled, or that this is over."""
        with self._taking_note:
            self._end()
            if progress.phase == "compiling":
                self._ended = Event()
                follow = self._follow_on_terminal if self._redraws() else self._follow
                self._thread = Thread(target=follow, args=(progress, self._ended), daemon=True)
                self._thread.start()

    def _end(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _follow(self, progress: CompileProgress, ended: Event) -> None:
        """Print a line if the process has compiled for long before the function is finished."""
        if not self._is_told and not ended.wait(PATIENCE - progress.seconds):
            self._is_told = True
            self._tell(progress.summary(max(PATIENCE, progress.seconds)))

    def _follow_on_terminal(self, progress: CompileProgress, ended: Event) -> None:
        """Redraw a line until the function is finished, then remove it."""
        began = time.perf_counter()

        def text() -> str:
            return progress.summary(progress.seconds + time.perf_counter() - began)

        redraw_until(ended, text, max(SHORTEST_DELAY, DELAY - progress.seconds))


notice = CompileNotice()
"""The notice of this process."""
