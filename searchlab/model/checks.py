"""What a component declares, checked as it is made: the error says which field it is, and what is wanted there."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown

if TYPE_CHECKING:
    from collections.abc import Container

SPELLING_MARKS = set(":/,=[]")
"""What has a meaning in `plugin/name:param=value,…` and so cannot be part of a name."""
PRESET = "preset"
"""What is given among the parameters of a component to choose one of its presets."""
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_name(kind: str, name: Any) -> None:
    """Refuse a name that could not be spelled.

    Raises:
        ValueError: it cannot be.
    """
    if not isinstance(name, str) or name != " ".join(name.split()) or not name or SPELLING_MARKS & set(name):
        msg = f"{kind} {shown(name)}: a name is a text without any of {' '.join(sorted(SPELLING_MARKS))}"
        raise ValueError(msg)


def check_names(component: Any) -> None:
    """Refuse names that could not be spelled, and anything but a tuple of them as aliases.

    Raises:
        TypeError, ValueError: one of them is wrong.
    """
    kind = type(component).__name__
    check_name(kind, component.name)
    if isinstance(component.aliases, str) or not isinstance(component.aliases, tuple | list | Set):
        raise _wrong(component, "aliases", "a tuple of names")
    for alias in component.aliases:
        check_name(kind, alias)


def check_choice(component: Any, field: str, known: tuple[str, ...]) -> None:
    """Refuse anything but one of these texts.

    Raises:
        ValueError: it is another.
    """
    value = getattr(component, field)
    if value not in known:
        names = ", ".join(name or "''" for name in known)
        msg = f"{_owner(component)}: {field} is one of {names}, not {shown(value)}"
        raise ValueError(msg)


def check_types(component: Any, wanted: type | tuple[type, ...], what: str, *fields: str) -> None:
    """Refuse a value of another type in any of these fields.

    Raises:
        TypeError: it is of another.
    """
    for field in fields:
        if not isinstance(getattr(component, field), wanted):
            raise _wrong(component, field, what)


def check_name_set(component: Any, field: str) -> None:
    """Refuse anything but a set of names, a single text above all.

    Raises:
        TypeError: it is something else.
    """
    value = getattr(component, field)
    is_list = isinstance(value, Set | tuple | list)
    if not is_list or not all(isinstance(name, str) for name in value):
        raise _wrong(component, field, "a set of names")


def check_parameters(component: Any, parameter: type, *, heuristics: bool = False) -> None:
    """Refuse anything but a tuple of parameters with different names.

    Args:
        heuristics: whether they can be names of heuristics.

    Raises:
        TypeError, ValueError: it is something else.
    """
    value = component.parameters
    if not isinstance(value, tuple | list) or not all(isinstance(item, parameter) for item in value):
        raise _wrong(component, "parameters", "a tuple of Parameter(…)")
    names = [item.name for item in value]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"{_owner(component)}: the parameter {twice!r} is declared twice"
        raise ValueError(msg)
    named = next((item.name for item in value if item.kind == "heuristic" and not heuristics), None)
    if named is not None:
        msg = f"{_owner(component)}: {named} cannot be the name of a heuristic: only a player's parameter can"
        raise ValueError(msg)


def check_function(
    component: Any, field: str, *subjects: str, known: Container[str] | None = None, needed: bool = False
) -> None:
    """Refuse what is no function of these subjects, with further parameters that can be given by name.

    Args:
        known: the names that will be given; None where that is not known yet.
        needed: whether None is refused too.

    Raises:
        TypeError: it cannot be called as it will be.
    """
    function = getattr(component, field)
    if function is None and not needed:
        return
    check_callable(_owner(component), field, function, *subjects, known=known)


def check_callable(owner: str, field: str, function: Any, *subjects: str, known: Container[str] | None = None) -> None:
    """Refuse what `check_function` refuses, given itself."""
    wanted = f"({', '.join(subjects)})"
    if not callable(function):
        msg = f"{owner}: {field} is {shown(function)}, not a function {wanted}"
        raise TypeError(msg)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not say
        return
    listed = signature.parameters.values()
    by_position = [parameter for parameter in listed if parameter.kind in BY_POSITION]
    takes_any = any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in listed)
    if len(by_position) < len(subjects) and not takes_any:
        msg = f"{owner}: {field} is a function {wanted}, not {getattr(function, '__name__', 'function')}{signature}"
        raise TypeError(msg)
    by_name = [parameter for parameter in listed if parameter.kind is inspect.Parameter.KEYWORD_ONLY]
    for further in (*by_position[len(subjects) :], *by_name):
        if further.kind is inspect.Parameter.POSITIONAL_ONLY:
            msg = f"{owner}: {field} is given {further.name} by its name, so no / may stand after it"
            raise TypeError(msg)
        if known is not None and further.default is inspect.Parameter.empty and further.name not in known:
            msg = f"{owner}: {field} asks for {further.name!r}, which is no parameter of it and has no default"
            raise TypeError(msg)


def check_offers(component: Any, known: Container[str]) -> None:
    """Refuse anything but functions of the board by the names of what they offer.

    Raises:
        TypeError, ValueError: it is something else.
    """
    if not isinstance(component.offers, Mapping):
        raise _wrong(component, "offers", "a dict of functions by name")
    for name, function in component.offers.items():
        check_name(f"{_owner(component)}: offer", name)
        check_callable(_owner(component), f"offers[{name!r}]", function, "board", known=known)


def check_presets(component: Any, known: Container[str]) -> None:
    """Refuse anything but values of these parameters by the names of presets.

    Raises:
        TypeError, ValueError: it is something else, or a parameter has the name that chooses a preset.
    """
    presets = component.presets
    if not isinstance(presets, Mapping) or not all(isinstance(values, Mapping) for values in presets.values()):
        raise _wrong(component, "presets", "a dict of parameters' values by name")
    if presets and PRESET in known:
        msg = f"{_owner(component)}: {PRESET} chooses one of its presets, so no parameter can be called that"
        raise ValueError(msg)
    for name, values in presets.items():
        check_name(f"{_owner(component)}: preset", name)
        unknown = next((parameter for parameter in values if parameter not in known), None)
        if unknown is not None:
            msg = f"{_owner(component)}: the preset {name!r} sets {shown(unknown)}, which is no parameter of it"
            raise ValueError(msg)


def _wrong(component: Any, field: str, wanted: str) -> TypeError:
    value = getattr(component, field)
    said = f"the text {value!r:.60}" if isinstance(value, str) else shown(value)
    return TypeError(f"{_owner(component)}: {field} is {wanted}, not {said}")


def _owner(component: Any) -> str:
    name = getattr(component, "name", None)
    return f"{type(component).__name__} {shown(name)}" if name is not None else type(component).__name__
