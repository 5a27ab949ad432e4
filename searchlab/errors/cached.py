"""A cached property without a lock, so that no thread waits for another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - it is used as the one of functools is
        """`functools.cached_property` of Python 3.12 and newer, also on Python 3.11.

        In 3.11 all instances of a class share a lock while the value of one is computed. A plugin's function that hangs
        meanwhile, in a thread that was abandoned, would make every later instance wait for ever.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            if self.name not in instance.__dict__:
                # Replaces a value that the property of a base class has stored under the same name meanwhile.
                instance.__dict__[self.name] = self.function(instance)
            return instance.__dict__[self.name]


__all__ = ["cached_property"]
