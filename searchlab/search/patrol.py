"""The patrol: one thread that goes round the searches under way in this process, and sleeps while there is none.

A thread for each search would cost a short one more than all else around it. This one begins with the first search
that is to be looked after, so that a process that searches nothing has none.
"""

from __future__ import annotations

import _thread
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Protocol

ROUND = 0.05
"""Seconds between two rounds."""


class Watched(Protocol):
    """What a patrol goes round."""

    def look(self, interrupts: int) -> None:
        """Look after it; Ctrl-C was heard so many times since the last round."""


class Patrol:
    """The thread, and what it goes round.

    Attributes:
        mouth: where signals can be told, as `signal.set_wakeup_fd` wants it.
    """

    def __init__(self) -> None:
        self._watched: set[Watched] = set()
        self._lock = threading.Lock()
        self._sleeps = True
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)
        self.mouth = self._mouth.fileno()
        _thread.start_new_thread(self._run, ())  # unlike a Thread's, this start is not waited for

    def add(self, watched: Watched) -> None:
        """Go round this one, too."""
        with self._lock:
            self._watched.add(watched)
            sleeps, self._sleeps = self._sleeps, False
        if sleeps:
            with suppress(BlockingIOError):  # so much is unheard that it will wake anyway
                self._mouth.send(b"\0")

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
        self._ear.close()
        self._mouth.close()

    def _run(self) -> None:
        while True:
            self._go_round(self._heard())

    def _go_round(self, interrupts: int) -> None:
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
        self._ear.settimeout(None if self._sleeps else ROUND)
        try:
            return self._ear.recv(64).count(signal.SIGINT)
        except TimeoutError:
            return 0


_patrol: Patrol | None = None


def patrol() -> Patrol:
    """Return the patrol of this process."""
    global _patrol
    _patrol = _patrol or Patrol()
    return _patrol


def _after_fork() -> None:
    global _patrol
    if _patrol is not None:
        _patrol.abandon()
        _patrol = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
