"""Signals: Ctrl-C as a request to stop, and exceptions that a program's own signal handlers raise."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType


OURS = f"{os.path.dirname(os.path.dirname(__file__))}{os.sep}"
"""The folder of searchlab's own files."""
SIGNALS = tuple(int(number) for number in signal.valid_signals())
signal_handler: Callable[[int], Any] = getattr(sys.modules.get("_signal"), "getsignal", signal.getsignal)
"""CPython's own function if there is one: `signal.getsignal`, which returns an enumeration, takes ten times longer."""
set_handler: Callable[[int, Any], Any] = getattr(sys.modules.get("_signal"), "signal", signal.signal)
"""The same for `signal.signal`."""
_known: tuple[list[Any], list[tuple[int, Callable[[int, Any], Any]]]] = [], []
"""The last known handlers of all signals, and those of them that are written in Python; replaced together."""


class RaisedByHandler(BaseException):
    """Carries an exception from a program's signal handler to the program, past the handling of plugin errors.

    Attributes:
        error: the handler's exception.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class HandlersPass:
    """A context in which exceptions of signal handlers reach the program, not the code that they interrupt.

    Python runs a handler in the middle of whatever the main thread does, a plugin's function for example. A service
    whose SIGTERM handler calls `sys.exit()` would otherwise look like a plugin that exits. Inside this context a
    handler's exception is a `RaisedByHandler`; outside it is the original again. KeyboardInterrupt is not wrapped: see
    `came_from_signal`.

    In a thread other than the main one nothing is changed, because no handler runs there.
    """

    _wrapped: tuple[int, ...] = ()
    """The signals whose handlers are wrapped."""

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        wrapped = [(number, handler) for number, handler in handlers() if type(handler) is not Handler]
        self._wrapped = tuple([number for number, _ in wrapped])
        for number, handler in wrapped:
            set_handler(number, Handler(handler))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number in self._wrapped:
            present = signal_handler(number)
            # A handler that the program has set meanwhile stays. But a generator that outlives an earlier context
            # may have set back the wrapper of that context, which is unwrapped.
            if isinstance(present, Handler):
                set_handler(number, present.handler)
        if isinstance(error, RaisedByHandler) and threading.current_thread() is threading.main_thread():
            raise error.error from error.error.__cause__


class Handler:
    """A program's signal handler, whose exceptions become RaisedByHandler."""

    def __init__(self, handler: Callable[[int, Any], Any]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: Any) -> Any:
        """Call the handler."""
        try:
            return self.handler(number, frame)
        except (RaisedByHandler, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise RaisedByHandler(error) from error


def came_from_signal(error: BaseException) -> bool:
    """Return whether an exception was raised by a signal handler, not by the code that it interrupted.

    Every KeyboardInterrupt is considered Ctrl-C. Another exception comes from a handler if `HandlersPass` has wrapped
    it, or if the code of a present handler is in the traceback.
    """
    if isinstance(error, RaisedByHandler | KeyboardInterrupt):
        return True
    if threading.current_thread() is not threading.main_thread():
        return False  # handlers run in the main one
    known = {_code_of(handler) for _, handler in handlers()}
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code not in known:
        at = at.tb_next
    return at is not None


def handlers() -> list[tuple[int, Callable[[int, Any], Any]]]:
    """Return the signals with handlers written in Python, and these handlers."""
    global _known
    present = [*map(signal_handler, SIGNALS)]
    known, in_python = _known
    if len(known) != len(present) or not all(map(is_, present, known)):  # they hardly ever change
        in_python = [(number, handler) for number, handler in zip(SIGNALS, present, strict=True) if callable(handler)]
        _known = present, in_python
    return in_python


def _code_of(handler: Any) -> Any:
    """Return the code object of a signal handler, None for a handler that is not written in Python."""
    while isinstance(handler, partial):
        handler = handler.func
    if not hasattr(handler, "__code__") and not hasattr(handler, "__func__"):
        handler = getattr(type(handler), "__call__", None)  # noqa: B004 - of an object that can be called
    return getattr(getattr(handler, "__func__", handler), "__code__", None)


_presses = 0
_is_limited = False


def limit_ctrl_c() -> None:
    """Let the third Ctrl-C kill this process, whatever it is doing. Only programs call this, not libraries."""
    global _is_limited
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _is_limited = True
        signal.signal(signal.SIGINT, _raise_interrupt)


def note_ctrl_c() -> None:
    """Count a Ctrl-C. Every handler of Ctrl-C has to call this."""
    global _presses
    _presses += 1
    if _is_limited and _presses > 1:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if _presses > 2:  # another handler was set after the second
            signal.raise_signal(signal.SIGINT)


def _raise_interrupt(*_: Any) -> None:
    note_ctrl_c()
    raise KeyboardInterrupt


@contextmanager
def on_ctrl_c(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C within this context; the second one raises KeyboardInterrupt.

    Nothing changes in a thread other than the main one, or in a process that ignores Ctrl-C, such as a background job
    of a shell.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    was_pressed = False

    def handle(*_: Any) -> None:
        nonlocal was_pressed
        note_ctrl_c()
        if was_pressed:
            raise KeyboardInterrupt
        was_pressed = True
        stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def on_sigterm(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `stop` at the first SIGTERM within this context; the second one ends the process.

    Nothing changes in a thread other than the main one, or in a program that handles or ignores SIGTERM.

    Yields:
        an event that is set when SIGTERM arrives.
    """
    arrived, number = threading.Event(), signal.SIGTERM
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(number) is not signal.SIG_DFL:
        yield arrived
        return

    def handle(*_: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        arrived.set()
        stop()

    signal.signal(number, handle)
    try:
        yield arrived
    finally:
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def raising_swallowed() -> Iterator[None]:
    """Raise a KeyboardInterrupt that C code has swallowed again at the end of this context.

    An exception in a callback from C reaches no caller: Python prints a traceback and continues. An extension module
    that is being imported, and imports NumPy, prints it too, and raises an ImportError instead. Nothing changes in a
    thread other than the main one, because no signal handler runs there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ignore, show, swallowed = sys.unraisablehook, sys.excepthook, False

    def ignored(unraisable: sys.UnraisableHookArgs) -> None:
        nonlocal swallowed
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            swallowed = True
        else:
            ignore(unraisable)

    def shown(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        nonlocal swallowed
        if issubclass(kind, KeyboardInterrupt):
            swallowed = True
        else:
            show(kind, error, traceback)

    sys.unraisablehook, sys.excepthook = ignored, shown
    try:
        yield
    except BaseException as error:
        if swallowed and any(isinstance(one, ImportError) for one in (error, error.__cause__)):
            raise KeyboardInterrupt from error
        raise
    finally:
        if sys.unraisablehook is ignored:
            sys.unraisablehook = ignore
        if sys.excepthook is shown:
            sys.excepthook = show
    if swallowed:
        raise KeyboardInterrupt
