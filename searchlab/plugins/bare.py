"""Components around bare functions: what a file, or a function in Python, stands for where no hook hands it over."""

from __future__ import annotations

from inspect import signature
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
    from types import ModuleType

C = TypeVar("C")
SUCCESSORS = "successors"
"""What the function is called that stands for the domain of its file."""
LOOP = ("problem", "watch")
SUBJECTS = {"heuristic": (("tiles",),), "frontier": (("g", "h"), LOOP), "player": (("board", "moves"),)}
"""What the first arguments of a function are called that says which kind of component it is."""
FUNCTIONS_OF_A_DOMAIN = (
    "start",
    "why_invalid",
    "is_dead",
    "why_unsolvable",
    "lower_bound",
    "render",
    "solution_headline",
    "packed",
    "samples",
    "chance",
    "draw",
    "opening",
    "happen",
    "points",
    "printout",
)


def bare_component(kind: str, function: Callable[..., Any], name: str = "") -> Component:
    """Return the component of a kind, one of SUBJECTS, around a function that nothing declares.

    Args:
        name: what it is called; by default as the function is.

    Raises:
        UsageError: the function cannot be called as it will be, or says that it is of another kind.
    """
    name = name or getattr(function, "__name__", kind)
    if said_kind(function) not in ("", kind):
        wanted = ", or ".join(f"({', '.join(subjects)})" for subjects in SUBJECTS[kind])
        raise UsageError(f"a {kind} is a function {wanted}, not {name}({', '.join(_arguments(function))})")
    makers: dict[str, Callable[[str, Any], Component]] = {
        "heuristic": _heuristic,
        "frontier": _frontier,
        "player": _player,
    }
    return _made(lambda: makers[kind](name, function))


def said_kind(function: Any) -> str:
    """Return of which kind a function is, going by what its arguments are called; an empty text if they do not say."""
    arguments = _arguments(function)
    return next((k for k, known in SUBJECTS.items() for s in known if arguments[: len(s)] == s), "")


def kind_in_module(module: ModuleType, name: str) -> str:
    """Return of which kind that is what a name in a file stands for without a hook; an empty text if nobody says."""
    found = vars(module).get(name)
    if isinstance(found, Component):
        return component_kind(found)
    if name == SUCCESSORS and callable(found):
        return "domain"
    return said_kind(found)


def component_in_module(kind: str, module: ModuleType, name: str) -> Component | None:
    """Return what a name in a file stands for without a hook: a component made there, or one around a function.

    Raises:
        UsageError: the function is none for this kind.
    """
    found = vars(module).get(name)
    if isinstance(found, Component):
        return found if component_kind(found) == kind else None
    if not callable(found):
        return None
    if kind == "domain":
        return _domain(module) if name == SUCCESSORS else None
    return bare_component(kind, found, name) if kind in SUBJECTS else None


def names_in_module(module: ModuleType, kind: str = "") -> list[str]:
    """Return the names in a file that can stand for something without a hook.

    Args:
        kind: for a component of this kind; without it for one of whatever kind they say.
    """
    own = [name for name, value in vars(module).items() if is_own(value, module) and not name.startswith(f"{PROJECT}_")]
    if kind == "domain":
        return [name for name in own if name == SUCCESSORS]
    if kind:
        return own if kind in SUBJECTS else []
    made = [name for name, value in vars(module).items() if isinstance(value, Component)]
    return [*made, *(name for name in own if kind_in_module(module, name))]


def _heuristic(name: str, function: Any) -> Heuristic:
    """Return an estimate, or with `prefer=high` a score."""
    prefer = Parameter("prefer", "low", "low for an estimate, high for a score", ("low", "high"))
    taken = any(parameter.name == "prefer" for parameter in extra_parameters(function))
    return Heuristic(name, function, summary=_summary(function), parameters=() if taken else (prefer,))


def _frontier(name: str, function: Any) -> Frontier:
    """Return a strategy that promises nothing."""
    given: dict[str, Any] = {"run" if _arguments(function)[:2] == LOOP else "priority": function}
    return Frontier(name, summary=_summary(function), **given)


def _player(name: str, function: Any) -> Player:
    return Player(name, function, summary=_summary(function))


def _domain(module: ModuleType) -> Domain:
    """Return the domain of a file: its `successors(board)`, `is_goal(board)`, and what else it calls as a Domain does.

    Raises:
        UsageError: a function is missing, or cannot be called as it will be.
    """
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, "is_goal"):
        msg = "a domain of bare functions has successors(board) and is_goal(board); is_goal is missing"
        raise UsageError(msg)
    others = {field: getattr(module, field) for field in FUNCTIONS_OF_A_DOMAIN if hasattr(module, field)}
    return _made(lambda: Domain(name, module.successors, module.is_goal, summary=_summary(module), **others))


def _made(make: Callable[[], C]) -> C:
    """Return a component, or raise a UsageError on why there cannot be such a one."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error


def _arguments(function: Any) -> tuple[str, ...]:
    """Return what the arguments of a function are called."""
    try:
        return tuple(signature(function).parameters)
    except (TypeError, ValueError):  # no function, or one written in C
        return ()


def _summary(documented: Any) -> str:
    return (documented.__doc__ or "").strip().split("\n")[0]
