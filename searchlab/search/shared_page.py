"""The page of memory that a program shares with the process that watches it.

The program writes there its deadline, how much memory it may take, and a pickled function that reports the outcome if
the program hangs (the fallback); a deadline costs no more than writing a number.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from functools import partial
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Fallback = Callable[[str, str], int]

LONGEST_REPORT = 10.0
"""Seconds in which an outcome has to be reported."""
ROUND = 0.05
"""Seconds between two checks by the watchdog thread, and by the watcher process."""
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


class SharedPage:
    """A page of memory that a process shares with those it forks off.

    Attributes:
        memory: its bytes.
        numbers: the numbers on it, at the places named above.
    """

    def __init__(self) -> None:
        import mmap

        self._function: Callable[..., int] | None = None
        self._pickled = b""
        self.memory = mmap.mmap(-1, PAGE)
        self.numbers = memoryview(self.memory)[: 8 * NUMBERS].cast("d")
        self.clear_deadlines()

    def set_exit_code(self, code: int) -> None:
        """Write the exit code with which the exit signal ends the program."""
        self.memory[EXIT_CODE : EXIT_CODE + 4] = code.to_bytes(4, sys.byteorder)

    def set_fallback(self, fallback: Fallback) -> None:
        """Write to the page how the outcome is reported if the program cannot: see `Watchdog`.

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
            self.memory[FALLBACK : FALLBACK + len(content)] = content
            self.numbers[FALLBACK_SIZE] = len(content)

    def fallback(self) -> Fallback | None:
        """Return the function that reports the outcome if the program cannot, None for none."""
        size = int(self.numbers[FALLBACK_SIZE])
        if not size:
            return None
        import io
        import pickle

        pickled = io.BytesIO(self.memory[FALLBACK : FALLBACK + size])
        function, known = pickle.load(pickled), pickle.load(pickled)
        return partial(function, *known)

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
