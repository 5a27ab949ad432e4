"""Snapshots: the dependencies of a compiled function, so that it is not captured and hashed again while they hold.

A search in a loop asks for the same functions thousands of times, and between two searches anybody may give a global
another value, redefine a helper, or write into an array. Each value that was read is noted with the place it was read
from. Checking that place takes 0.1 µs per value; hashing everything again takes a hundred times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.global_arrays import LARGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MISSING = object()
"""Stands for a global that was not there."""


class Snapshot:
    """Values with the places they were read from.

    Attributes:
        is_small: whether there is no large array among them. With one a snapshot is useless: it is never current,
            because keeping it would keep the array alive.

    >>> settings, weights = {"scale": 2}, np.zeros(3)
    >>> snapshot = Snapshot()
    >>> snapshot.note_name(settings, "scale")
    >>> snapshot.note_array(weights)
    >>> snapshot.is_current()
    True
    >>> weights[1] = 0.5
    >>> snapshot.is_current()
    False
    """

    def __init__(self) -> None:
        self.is_small = True
        self._names: list[tuple[Mapping[str, Any], str, Any]] = []
        self._attributes: list[tuple[Any, str, Any]] = []
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._arrays: list[tuple[NDArray[Any], tuple[Any, ...]]] = []

    def note_name(self, scope: Mapping[str, Any], name: str) -> None:
        """Note the value of a name, or that it has none."""
        self._names.append((scope, name, scope.get(name, MISSING)))

    def note_attribute(self, owner: Any, name: str) -> None:
        """Note the value of an attribute."""
        self._attributes.append((owner, name, getattr(owner, name)))

    def note_list(self, items: list[Any]) -> None:
        """Note the items of a list; the content of an item is not noted with it."""
        self._lists.append((items, tuple(items)))

    def note_array(self, array: NDArray[Any]) -> None:
        """Note the content of an array."""
        if array.nbytes > LARGE:
            self.is_small = False
        else:
            self._arrays.append((array, _content(array)))

    def is_current(self) -> bool:
        """Return whether all is as it was."""
        try:
            return self.is_small and (
                all(scope.get(name, MISSING) is value for scope, name, value in self._names)
                and all(getattr(owner, name) is value for owner, name, value in self._attributes)
                and all(_same_items(items, noted) for items, noted in self._lists)
                and all(_content(array) == noted for array, noted in self._arrays)
            )
        except (AttributeError, ValueError):  # an attribute is gone; a closure's variable has no value
            return False


def _content(array: NDArray[Any]) -> tuple[Any, ...]:
    return array.dtype, array.shape, np.ascontiguousarray(array).tobytes()


def _same_items(items: list[Any], noted: tuple[Any, ...]) -> bool:
    return len(items) == len(noted) and all(a is b for a, b in zip(items, noted, strict=True))
