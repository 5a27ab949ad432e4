"""Build components from plain functions, and from modules of them, that no hook declares."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.errors import UsageError
from searchlab.model.component import Component, Parameter, extra_parameters
from searchlab.model.component_types import component_kind
from searchlab.model.domain import Domain
from searchlab.model.strategies import Frontier, Heuristic, Player
from searchlab.plugins.hookspecs import PROJECT
from searchlab.plugins.loading import is_own

if TYPE_CHECKING:
    from collections.abc import Callable

C = TypeVar("C")
SUCCESSORS = "successors"
"""The name of the function that makes a file a domain."""
LOOP = ("problem", "watch")
SUBJECTS = {"heuristic": (("tiles",),), "frontier": (("g", "h"), LOOP), "player": (("board", "moves"),)}
"""The names of a function's first arguments, by the kind of component they imply."""
OF_A_DOMAIN = {field.name for field in fields(Domain)} - {"name", SUCCESSORS, "is_goal"}
"""The variables of a module that become fields of the domain in its file."""


def component_from_function(kind: str, function: Callable[..., Any], name: str = "") -> Component:
    """Return a component of a kind, one of SUBJECTS, made from a plain function.

    Args:
        name: the name of the component; by default that of the function.

    Raises:
        UsageError: the function does not take the required arguments, or its arguments imply another kind.
    """
    name = name or getattr(function, "__name__", kind)
    if kind_of_function(function) not in ("", kind):
        wanted = ", or ".join(f"({', '.join(subjects)})" for subjects in SUBJECTS[kind])
        raise UsageError(f"a {kind} is a function {wanted}, not {name}({', '.join(_arguments(function))})")
    makers: dict[str, Callable[[str, Any], Component]] = {
        "heuristic": _heuristic,
        "frontier": _frontier,
        "player": _player,
    }
    return _made(lambda: makers[kind](name, function))


def kind_of_function(function: Any) -> str:
    """Return the component kind that the names of a function's arguments imply, or `''`."""
    arguments = _arguments(function)
    return next((k for k, known in SUBJECTS.items() for s in known if arguments[: len(s)] == s), "")


def kind_in_module(module: ModuleType, name: str) -> str:
    """Return the component kind that a name in a module implies without a hook, or `''`."""
    value = vars(module).get(name)
    if isinstance(value, Component):
        return component_kind(value)
    if name == SUCCESSORS and callable(value):
        return "domain"
    return kind_of_function(value)


def component_in_module(kind: str, module: ModuleType, name: str) -> Component | None:
    """Return the component of a name in a module without a hook: a declared one, or one made from a function.

    Raises:
        UsageError: no component of this kind can be made from the function.
    """
    found = vars(module).get(name)
    if isinstance(found, Component):
        return found if component_kind(found) == kind else None
    if not callable(found):
        return None
    if kind == "domain":
        return _domain(module) if name == SUCCESSORS else None
    return component_from_function(kind, found, name) if kind in SUBJECTS else None


def names_in_module(module: ModuleType, kind: str = "") -> list[str]:
    """Return the names of possible components in a module without a hook.

    Args:
        kind: the kind of the components; by default any kind that their functions imply.
    """
    own = [name for name, value in vars(module).items() if is_own(value, module) and not name.startswith(f"{PROJECT}_")]
    if kind == "domain":
        return [name for name in own if name == SUCCESSORS]
    if kind:
        return own if kind in SUBJECTS else []
    made = [name for name, value in vars(module).items() if isinstance(value, Component)]
    return [*made, *(name for name in own if kind_in_module(module, name))]


def _heuristic(name: str, function: Any) -> Heuristic:
    """Return an estimate, or a score with the parameter `prefer=high`."""
    prefer = Parameter("prefer", "low", "low for an estimate, high for a score", ("low", "high"))
    taken = any(parameter.name == "prefer" for parameter in extra_parameters(function))
    return Heuristic(name, function, summary=_summary(function), parameters=() if taken else (prefer,))


def _frontier(name: str, function: Any) -> Frontier:
    given: dict[str, Any] = {"run" if _arguments(function)[:2] == LOOP else "priority": function}
    return Frontier(name, summary=_summary(function), **given)


def _player(name: str, function: Any) -> Player:
    return Player(name, function, summary=_summary(function))


def _domain(module: ModuleType) -> Domain:
    """Return the domain of a module with `successors(board)`, `is_goal(board)`, and others of a Domain's fields.

    Raises:
        UsageError: a function is missing, or cannot be called as it will be; or a field has another type.
    """
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, "is_goal"):
        msg = "a domain of bare functions has successors(board) and is_goal(board); is_goal is missing"
        raise UsageError(msg)
    given: dict[str, Any] = {"summary": _summary(module)}
    for field, value in vars(module).items():
        if field in OF_A_DOMAIN and not isinstance(value, type | ModuleType):
            given[field] = value
    return _made(lambda: Domain(name, module.successors, module.is_goal, **given))


def _made(make: Callable[[], C]) -> C:
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error


def _arguments(function: Any) -> tuple[str, ...]:
    try:
        return tuple(signature(function).parameters)
    except (TypeError, ValueError):  # no function, or one written in C
        return ()


def _summary(documented: Any) -> str:
    return (documented.__doc__ or "").strip().split("\n")[0]
