"""What of a process a plugin may change while it runs, noted before and put back afterwards.

A plugin's function can turn warnings into errors, change the current folder or replace standard output. None of that
is to reach the next run of a worker process, or the program that called a search.
"""

from __future__ import annotations

import decimal
import gc
import locale
import os
import signal
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.errors.interrupts import signal_handler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STREAMS = ("stdin", "stdout", "stderr")
HOOKS = ("excepthook", "unraisablehook", "displayhook")
SIGNALS = ("INT", "TERM", "HUP", "QUIT", "ALRM", "VTALRM", "PROF", "USR1", "USR2", "CHLD", "PIPE")
"""Those a program handles; to ask for all there are would take longer than a short run."""
TIMERS = ("REAL", "VIRTUAL", "PROF")


class Item(NamedTuple):
    """Something that belongs to the state of a process.

    Attributes:
        get: returns its present value.
        put: sets it; None for what cannot be put back.
    """

    get: Callable[[], Any]
    put: Callable[[Any], object] | None


class ProcessState:
    """The state of the process when this is made, which takes some 30 µs.

    >>> state = ProcessState()
    >>> _ = np.seterr(all="raise")
    >>> state.restore()
    True
    >>> np.geterr()["over"]
    'warn'

    Args:
        items: what belongs to it.
    """

    def __init__(self, items: tuple[Item, ...] | None = None) -> None:
        self._items = SHARED if items is None else items
        self._values = [item.get() for item in self._items]

    def restore(self) -> bool:
        """Put back what is different; return whether all is as it was."""
        is_restored = True
        for item, value in zip(self._items, self._values, strict=True):
            if not _same(item.get(), value):
                if item.put is not None:
                    with suppress(OSError, ValueError, locale.Error):
                        item.put(value)
                is_restored &= _same(item.get(), value)
        return is_restored


@contextmanager
def state_kept() -> Iterator[None]:
    """Leave the state of the process as it was, whatever plugins do in this context.

    In a thread other than the main one nothing is done: the program may change its state meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    state = ProcessState()
    try:
        yield
    finally:
        state.restore()


def _same(value: Any, other: Any) -> bool:
    """Return whether a value is the same: plain ones are compared, all others have to be the same object."""
    if isinstance(value, tuple) and isinstance(other, tuple):
        return len(value) == len(other) and all(a is b for a, b in zip(value, other, strict=True))
    return value is other or (type(value) is type(other) and type(value) in (str, int, float, dict) and value == other)


def _current_folder() -> str:
    """Return the current folder, an empty text if it is gone."""
    with suppress(OSError):
        return os.getcwd()
    return ""


def _set_filters(filters: tuple[Any, ...]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    with warnings.catch_warnings():
        pass  # which lets Python forget what the filters before decided


def _is_closed(name: str) -> bool:
    return bool(getattr(getattr(sys, name, None), "closed", True))


def _file(number: int) -> int:
    """Return a number of what stands behind a file descriptor, -1 where it is closed."""
    with suppress(OSError):
        status = os.fstat(number)
        return (status.st_dev << 64) + status.st_ino
    return -1


def _runs(timer: int) -> bool:
    return signal.getitimer(timer)[0] > 0


def _switch(is_on: Any) -> None:
    if is_on:
        gc.enable()
    else:
        gc.disable()


def _decimal_item() -> Item:
    context = decimal.getcontext().copy()
    return Item(lambda: repr(decimal.getcontext()), lambda _: decimal.setcontext(context.copy()))


def _modules_are_there() -> bool:
    return sys.modules.get("numpy") is np and __name__ in sys.modules


SHARED = (
    Item(_current_folder, os.chdir),
    Item(lambda: tuple(warnings.filters), _set_filters),
    Item(lambda: warnings.showwarning, partial(setattr, warnings, "showwarning")),
    Item(np.geterr, lambda errors: np.seterr(**errors)),
    Item(partial(locale.setlocale, locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL)),
    Item(sys.getrecursionlimit, sys.setrecursionlimit),
    Item(gc.isenabled, _switch),
)
"""What a plugin may change in any process, and no program changes while it searches."""


def of_worker() -> tuple[Item, ...]:
    """Return all that is put back in a process that nobody but plugins and searchlab uses."""
    items = [*SHARED, _decimal_item(), Item(sys.gettrace, sys.settrace), Item(sys.getprofile, sys.setprofile)]
    items.append(Item(sys.getswitchinterval, sys.setswitchinterval))
    for name in (*STREAMS, *HOOKS):
        items.append(Item(partial(getattr, sys, name, None), partial(setattr, sys, name)))
    items += (Item(partial(_is_closed, name), None) for name in STREAMS)
    items += (Item(partial(_file, number), None) for number in range(len(STREAMS)))
    for name in SIGNALS:
        number = getattr(signal, f"SIG{name}", None)
        if number is not None:
            items.append(Item(partial(signal_handler, number), partial(signal.signal, number)))
    for name in TIMERS:
        timer = getattr(signal, f"ITIMER_{name}", None)
        if timer is not None:
            items.append(Item(partial(_runs, timer), partial(_stop, timer)))
    items.append(Item(_modules_are_there, None))
    return tuple(items)


def _stop(timer: int, _: Any) -> None:
    signal.setitimer(timer, 0)
