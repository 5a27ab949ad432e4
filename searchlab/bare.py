"""Components around bare functions: what a file, or a function in Python, stands for where no hook hands it over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.components import Domain, Frontier, Heuristic, Parameter, extra_parameters
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from searchlab.components import Component

C = TypeVar("C")
SUCCESSORS = "successors"
"""What the function is called that stands for the domain of its file."""
PRIORITY_OR_LOOP = (["g", "h"], ["problem", "watch"])
"""What the first arguments are called of a function in a file that stands for a frontier strategy."""
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
)
FUNCTIONS = ("function", "batch", "priority", "run", "successors")
"""The fields of components whose functions a component may be named after."""


def bare_component(kind: str, module: ModuleType, name: str) -> Component | None:
    """Return what a name in a file stands for without a hook: a component made there, or one around a function.

    Raises:
        UsageError: the function is none for this kind.
    """
    found = getattr(module, name, None)
    if isinstance(found, Domain | Heuristic | Frontier):
        return found if type(found).__name__.lower() == kind else None
    if not callable(found):
        return None
    if kind == "heuristic":
        return bare_heuristic(name, found)
    if kind == "frontier":
        named = [parameter.name for parameter in extra_parameters(found, 0)]
        if named[:2] not in PRIORITY_OR_LOOP:
            raise UsageError(f"a frontier is a function (g, h), or (problem, watch), not {name}({', '.join(named)})")
        return bare_frontier(name, found)
    return bare_domain(module) if name == SUCCESSORS else None


def bare_heuristic(name: str, function: Any) -> Heuristic:
    """Return the heuristic around a function that nothing declares: an estimate, or with `prefer=high` a score.

    Raises:
        UsageError: it is no function of the tiles.
    """
    prefer = Parameter("prefer", "low", "low for an estimate, high for a score", ("low", "high"))
    taken = any(parameter.name == "prefer" for parameter in extra_parameters(function))
    parameters = () if taken else (prefer,)
    return _made(lambda: Heuristic(name, function, summary=_summary(function), parameters=parameters))


def bare_frontier(name: str, function: Any) -> Frontier:
    """Return the strategy around a priority `(g, h)` or a loop `(problem, watch)`, which promises nothing.

    Raises:
        UsageError: it is neither.
    """
    named = [parameter.name for parameter in extra_parameters(function, 0)]
    field = "run" if named[:2] == PRIORITY_OR_LOOP[1] else "priority"
    given: dict[str, Any] = {field: function}
    return _made(lambda: Frontier(name, summary=_summary(function), **given))


def bare_domain(module: ModuleType) -> Domain:
    """Return the domain of a file: its `successors(board)`, `is_goal(board)`, and what else it calls as a Domain does.

    Raises:
        UsageError: a function is missing, or cannot be called as it will be.
    """
    name = module.__name__.rpartition(".")[2]
    if not hasattr(module, "is_goal"):
        msg = "a domain of bare functions has successors(board) and is_goal(board); is_goal is missing"
        raise UsageError(msg)
    others = {field: getattr(module, field) for field in FUNCTIONS_OF_A_DOMAIN if hasattr(module, field)}
    summary = _summary(module)
    return _made(lambda: Domain(name, module.successors, module.is_goal, summary=summary, **others))


def function_names(component: Component) -> list[str]:
    """Return what the functions of a component are called that it may be named after."""
    functions = (getattr(component, field, None) for field in FUNCTIONS)
    return [getattr(function, "__name__", "") for function in functions if function]


def _made(make: Callable[[], C]) -> C:
    """Return a component, or raise a UsageError on why there cannot be such a one."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from error


def _summary(documented: Any) -> str:
    return (documented.__doc__ or "").strip().split("\n")[0]
