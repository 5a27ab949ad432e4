"""Components with their parameters set; a plugin's functions ask for these by name, and each gets what it asks for."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from searchlab.components import own_parameters
from searchlab.errors import FAILURES, PluginError, UsageError, in_one_line, shown
from searchlab.parameters import extra_parameters
from searchlab.spelling import format_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.parameters import Parameter


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

        def call(*subjects: Any) -> Any:
            try:
                return function(*subjects, **filled)
            except FAILURES as error:
                raise self._failed(function, error) from error

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
        return returned

    def _failed(self, function: Callable[..., Any], error: BaseException) -> PluginError:
        name = getattr(function, "__name__", "its function")
        return PluginError(f"{self.name}: {name} failed: {in_one_line(error)}")


def _same(value: Any, default: Any) -> bool:
    """Return whether a value is the default; arrays are compared as a whole."""
    same: Any = value is default or value == default
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


def number(value: Any) -> float:
    """Return what a plugin's function returned as a number.

    Raises:
        TypeError, ValueError, OverflowError: it is none; a text is none, whatever it says.
    """
    if isinstance(value, str):
        raise TypeError
    return float(value)
