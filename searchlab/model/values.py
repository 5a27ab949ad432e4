"""Parameter values: from the text that was typed to a value of the parameter's type, checked."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from searchlab.errors import PluginCode, PluginError, UsageError, did_you_mean, in_one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searchlab.model.parameters import Parameter

TRUE = ("yes", "true", "on", "1")
FALSE = ("no", "false", "off", "0")


def resolve(owner: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each parameter: the given one, converted and checked, or its default.

    Args:
        owner: whose parameters these are, for errors.
        given: values by name, as texts or already typed.

    Raises:
        UsageError: an unknown parameter, or a value that does not fit.
        PluginError: the plugin's check of a value fails.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            raise UsageError(f"{owner} has no parameter {name!r}: {did_you_mean(name, known)}")
    return {name: _value(owner, p, given[name]) if name in given else p.default for name, p in known.items()}


def _value(owner: str, parameter: Parameter, given: Any) -> Any:
    """Return a given value in the parameter's type, checked."""
    value = _typed(owner, parameter, given)
    if parameter.choices and value not in (parameter.default, *parameter.choices):
        choices = ", ".join(map(str, parameter.choices))
        raise UsageError(f"{owner}: {parameter.name} is one of {choices}, not {value}")
    what = f"{owner}: the check of {parameter.name}={value} failed"
    with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}")):
        wrong = str(parameter.check(value) or "") if parameter.check else ""
    if wrong:
        raise UsageError(f"{owner}: {parameter.name}={value}: {wrong}")
    return value


def _typed(owner: str, parameter: Parameter, given: Any) -> Any:
    default = parameter.default
    if parameter.kind and not isinstance(given, str):
        return given
    if default is inspect.Parameter.empty or not isinstance(default, bool | int | float | str):
        if isinstance(given, str):
            raise UsageError(f"{owner}: {parameter.name} cannot be given as text")
        return given
    text = str(given).strip()
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() in TRUE + FALSE:
            return text.lower() in TRUE
        raise UsageError(f"{owner}: {parameter.name} is yes or no, not {text!r}")
    try:
        number = float(text)
        whole = int(text) if number.is_integer() and not any(c in text for c in ".eE_") else None
    except (ValueError, OverflowError):
        raise UsageError(f"{owner}: {parameter.name} is a number, not {text!r}") from None
    if number != number:
        raise UsageError(f"{owner}: {parameter.name} is a number, not {text!r}")
    if isinstance(default, float):
        return number
    if whole is None:
        raise UsageError(f"{owner}: {parameter.name} is a whole number, not {text!r}")
    return whole
