"""`ProcessState`: the state of the process that a plugin may change, saved before it runs and restored afterwards.

A plugin's function can turn warnings into errors, change the current folder or replace standard output. None of that
must reach the next run of a worker process, or the program that called a search.
"""

from __future__ import annotations

import locale
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.errors import garbage
from searchlab.errors.interrupts import signal_handler
from searchlab.plugins.loading import current_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STREAMS = ("stdin", "stdout", "stderr")
SIGNALS = ("INT", "TERM", "HUP", "QUIT", "ALRM", "VTALRM", "PROF", "USR1", "USR2", "CHLD", "PIPE")
"""The signals that programs handle; asking for all of them would take longer than a short run."""


class Item(NamedTuple):
    """A part of a process's state.

    Attributes:
        get: returns the current value.
        put: sets the value; None if it cannot be restored.
        is_plain: whether values are plain and compared by equality. Others are compared by identity, because comparing
            them would call code of plugins.
    """

    get: Callable[[], Any]
    put: Callable[[Any], object] | None
    is_plain: bool = True

    def is_same(self, value: Any, other: Any) -> bool:
        """Return whether two values of this part are the same."""
        return bool(value == other) if self.is_plain else value is other


class Items:
    """Parts of a process's state, in two groups: objects, and plain values.

    Args:
        items: the parts.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._all = sorted(items, key=lambda item: item.is_plain)
        self._objects = [item.get for item in self._all if not item.is_plain]
        self._plain = [item.get for item in self._all if item.is_plain]

    def with_more(self, items: Iterable[Item]) -> Items:
        """Return these parts and others."""
        return Items((*self._all, *items))

    def values(self) -> tuple[list[Any], list[Any]]:
        """Return the present values, of objects and plain ones."""
        return [get() for get in self._objects], [get() for get in self._plain]

    def are_as(self, values: tuple[list[Any], list[Any]]) -> bool:
        """Return whether these are the present values, which they are after nearly every run."""
        objects, plain = values
        return all(map(is_, [get() for get in self._objects], objects)) and [get() for get in self._plain] == plain

    def put(self, values: tuple[list[Any], list[Any]]) -> bool:
        """Set these values; return whether they are the present ones then."""
        is_restored = True
        for item, value in zip(self._all, (*values[0], *values[1]), strict=True):
            if not item.is_same(item.get(), value):
                if item.put is not None:
                    with suppress(OSError, ValueError, locale.Error):
                        item.put(value)
                is_restored &= item.is_same(item.get(), value)
        return is_restored


class ProcessState:
    """The state of the process when this is made, which takes some 10 µs.

    >>> state = ProcessState()
    >>> _ = np.seterr(all="raise")
    >>> state.restore()
    True
    >>> np.geterr()["over"]
    'warn'

    Args:
        items: the parts of it.
    """

    def __init__(self, items: Items | None = None) -> None:
        self._items = items or SHARED
        self._values = self._items.values()

    def restore(self) -> bool:
        """Restore everything that has changed; return whether all of the state is as before."""
        return self._items.are_as(self._values) or self._items.put(self._values)


class StateKept:
    """A context after which the state of the process is restored, whatever plugins do in it.

    It does nothing outside the main thread, because the program may change its state meanwhile, and in a worker
    process, which restores far more after each run.
    """

    is_worker = False
    _state: ProcessState | None = None

    def __enter__(self) -> None:
        if not self.is_worker and threading.current_thread() is threading.main_thread():
            self._state = ProcessState()

    def __exit__(self, *_: object) -> None:
        if self._state is not None:
            self._state.restore()


class _Filters(tuple[Any, ...]):
    """The filters of warnings, compared by identity: a category's class may define `==`."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and len(self) == len(other) and all(map(is_, self, other))


def _set_filters(filters: _Filters) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    with warnings.catch_warnings():
        pass  # makes Python forget which warnings the former filters have shown


def _is_closed(name: str) -> bool:
    return bool(getattr(getattr(sys, name, None), "closed", True))


def _file(number: int) -> int:
    """Return a number that identifies the file of a descriptor, -1 if it is closed."""
    try:  # `suppress` would take as long as the rest
        status = os.fstat(number)
    except OSError:
        return -1
    return (status.st_dev << 64) + status.st_ino


SHARED = Items(
    (
        Item(current_folder, os.chdir),
        Item(lambda: _Filters(warnings.filters), _set_filters),
        Item(lambda: warnings.showwarning, partial(setattr, warnings, "showwarning"), is_plain=False),
        Item(np.geterr, lambda errors: np.seterr(**errors)),
        Item(partial(locale.setlocale, locale.LC_ALL), partial(locale.setlocale, locale.LC_ALL)),
        Item(sys.getrecursionlimit, sys.setrecursionlimit),
        Item(garbage.is_wanted, garbage.want),
    )
)
"""The state that a plugin may change in any process, and that no program changes while it searches."""


def of_worker() -> Items:
    """Return all that is restored in a process that only plugins and searchlab use."""
    items = []
    for name in STREAMS:
        items.append(Item(partial(getattr, sys, name, None), partial(setattr, sys, name), is_plain=False))
    items += (Item(partial(_is_closed, name), None) for name in STREAMS)
    items += (Item(partial(_file, number), None) for number in range(len(STREAMS)))
    for name in SIGNALS:
        number = getattr(signal, f"SIG{name}", None)
        if number is not None:
            items.append(Item(partial(signal_handler, number), partial(signal.signal, number), is_plain=False))
    return SHARED.with_more(items)
