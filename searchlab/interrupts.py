"""Signals: Ctrl-C, heard, so that what runs comes to an end of its own; and what a program's own handlers raise."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class RaisedByHandler(BaseException):
    """What a program's signal handler raised, on its way to the program; no plugin raised it, so nobody contains it.

    Attributes:
        error: what the handler raised.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def handlers_pass() -> Iterator[None]:
    """Let what a signal handler of the program raises meanwhile reach the program, whatever code it interrupts.

    Python runs a handler in the middle of whatever the main thread does, a plugin's function for example. A service
    whose SIGTERM handler calls `sys.exit()` would otherwise seem to be a plugin that exits. Inside this context what
    leaves a handler is a `RaisedByHandler`; on the way out it becomes again what the handler raised. KeyboardInterrupt
    stays as it is: see `came_from_signal`.

    In a thread other than the main one nothing is changed: no handler runs there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wrapped: dict[signal.Signals, Handler] = {}
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler) and not isinstance(handler, Handler):
            wrapped[number] = Handler(handler)
    for number, wrapper in wrapped.items():
        signal.signal(number, wrapper)
    raised: BaseException
    try:
        yield
        return
    except RaisedByHandler as passing:
        raised = passing.error
    finally:
        for number in wrapped:
            present: Any = signal.getsignal(number)
            # Another one the program has set meanwhile; but what is set back to a handler as it stood in an earlier
            # context, as a generator does that outlives it, is wrapped as it was there.
            if isinstance(present, Handler):
                signal.signal(number, present.handler)
    raise raised from raised.__cause__


class Handler:
    """A program's signal handler, whose exceptions are known for what they are."""

    def __init__(self, handler: Callable[[int, Any], Any]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: Any) -> Any:
        """Call the handler."""
        try:
            return self.handler(number, frame)
        except RaisedByHandler:
            raise
        except KeyboardInterrupt as error:
            raise of_signal(error) from error.__cause__
        except BaseException as error:
            raise RaisedByHandler(error) from error


def of_signal(error: KeyboardInterrupt) -> KeyboardInterrupt:
    """Return a KeyboardInterrupt that is known to come from a signal."""
    error.of_signal = True  # type: ignore[attr-defined]
    return error


def came_from_signal(error: BaseException) -> bool:
    """Return whether an exception came out of a signal handler, and not out of the code that it interrupted.

    A KeyboardInterrupt is known to where its handler is ours, or was set before `handlers_pass` was entered.
    """
    return isinstance(error, RaisedByHandler) or getattr(error, "of_signal", False) is True


@contextmanager
def told_of_ctrl_c(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C while the context lasts; the second raises KeyboardInterrupt.

    In a thread other than the main one, and where Ctrl-C is ignored (a shell does so for what runs in the background),
    nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    heard = False

    def hear(*_: Any) -> None:
        nonlocal heard
        if heard:
            raise of_signal(KeyboardInterrupt())
        heard = True
        stop()

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
