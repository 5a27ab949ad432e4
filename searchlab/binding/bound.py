"""Components with their parameters set; a plugin's functions ask for these by name, and each gets what it asks for."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.names import format_name
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.model.kinds import own_parameters
from searchlab.model.parameters import extra_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.model.parameters import Parameter


NUMBERS = "biuf"
"""The kinds of NumPy's types that are numbers: truth values, whole ones of two sorts, floating-point."""


LARGEST_INT = 2**1023
"""Smaller whole numbers are floating-point numbers, too."""


@dataclass(frozen=True, eq=False)
class Bound:
    """A component with a value for each of its parameters."""

    component: Any
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The component's name."""
        return str(self.component.name)

    def __str__(self) -> str:
        return self._spelled

    @cached_property
    def _spelled(self) -> str:
        return format_name(self.name, self._changed)

    @property
    def _changed(self) -> dict[str, Any]:
        """The values that are not the defaults."""
        defaults = {p.name: p.default for p in own_parameters(self.component)}
        given = {name: value for name, value in self.values.items() if name in defaults}
        return {name: value for name, value in given.items() if not _same(value, defaults[name])}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _calling(self, function: Callable[..., Any], subjects: int = 1) -> Callable[..., Any]:
        """Return a plugin's function with what it asks for after its subjects filled in; it raises PluginErrors."""
        filled = self._asked(function, subjects)
        contained = PluginCode(partial(self._failed, function))

        def call(*subjects: Any) -> Any:
            with contained:
                return function(*subjects, **filled)

        return call

    def _asked(self, function: Callable[..., Any], subjects: int) -> dict[str, Any]:
        """Return what a plugin's function asks for after its subjects."""
        return filled_parameters(self.name, extra_parameters(function, subjects), self.values)

    def _text(self, field: str, *subjects: Any) -> str:
        """Return the text that one of a plugin's functions returns; None says nothing of what is wrong."""
        returned = self._calling(getattr(self.component, field), len(subjects))(*subjects)
        if returned is None and field.startswith("why_"):
            return ""
        if not isinstance(returned, str):
            raise PluginError(f"{self.name}: {field} returned {shown(returned)}, which is no text")
        return plain_text(returned)

    def _failed(self, function: Callable[..., Any], error: BaseException) -> PluginError:
        name = getattr(function, "__name__", "its function")
        return PluginError(f"{self.name}: {name} failed: {in_one_line(error)}")


def _same(value: Any, default: Any) -> bool:
    """Return whether a value is the default; arrays are compared as a whole."""
    if value is default:
        return True
    with PluginCode():
        same: Any = value == default
        return bool(same.all()) if hasattr(same, "all") else bool(same)


def filled_parameters(owner: str, wanted: tuple[Parameter, ...], *sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each wanted parameter: from the first source that has it, else its default."""
    filled = {}
    for parameter in wanted:
        source = next((source for source in sources if parameter.name in source), None)
        value = parameter.default if source is None else source[parameter.name]
        if value is inspect.Parameter.empty:
            raise UsageError(f"{owner} asks for {parameter.name!r}, which has no default and no value here")
        filled[parameter.name] = value
    return filled


class NoNumber(ValueError):
    """What a plugin's function returned is no number; its text shows it, and says so.

    Attributes:
        shown: what was returned, in one line.
        why: the error that converting it to a number raised; the empty string if there was none.
    """

    def __init__(self, value: object, why: str = "") -> None:
        self.shown, self.why = shown(value), why
        super().__init__(f"{self.shown}, which is no number{why and f' ({why})'}")


def number(value: Any) -> float:
    """Return what a plugin's function returned as a number.

    Texts and bytes are none, whatever they say; nor are complex numbers, dates, and arrays of more than one number.

    Raises:
        NoNumber: it is none, or none as far as it can be computed with, or it fails when it is asked.
    """
    kind = type(value)
    if kind is float:
        found: float = value
        return found
    if kind is int and -LARGEST_INT < value < LARGEST_INT:
        return float(value)
    with PluginCode(partial(_no_number, value), (NoNumber,)):
        if isinstance(value, np.generic | np.ndarray):
            is_number = value.dtype.kind in NUMBERS and value.size == 1
        else:  # what has neither is read as a text
            is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
        if not is_number:
            raise NoNumber(value)
        return float(value.item() if isinstance(value, np.ndarray) else value)


def exact_number(value: Any) -> float:
    """Return what a plugin's function returned as a number; a whole number stays one, and exact.

    Raises:
        NoNumber: see `number`.
    """
    found = number(value)
    if isinstance(value, int):
        return int.__index__(value)
    return int(value) if isinstance(value, np.integer) else found


def _no_number(value: Any, error: BaseException) -> NoNumber:
    """Return what is said of a value that fails when it is made a number of."""
    if type(error) is OverflowError and isinstance(value, int):
        return NoNumber(value, "too large to compute with")
    return NoNumber(value, in_one_line(error))


def plain_text(text: str) -> str:
    """Return a text as one of Python's own: a subclass of a plugin's may fail when it is compared."""
    return text if type(text) is str else str.__str__(text)
