"""Components and their plugins: who claims a name, how it is written in full, what was meant, where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getsourcefile
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from searchlab.accessories import Metric
from searchlab.components import Domain, Frontier, Heuristic
from searchlab.errors import did_you_mean
from searchlab.spelling import Spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.components import Component
    from searchlab.loading import Plugin

C = TypeVar("C")


@dataclass(frozen=True)
class Registered(Generic[C]):
    """A component and the plugin that brought it."""

    component: C
    plugin: Plugin


def brings(item: Registered[Any], spelled: Spelled) -> bool:
    """Return whether this is a component that a name may stand for."""
    names = (item.component.name, *item.component.aliases)
    return spelled.name in names and spelled.plugin in ("", item.plugin.name)


def called(brought: Iterable[Registered[Any]], name: str) -> list[Registered[Any]]:
    """Return what a file brings under this name, and after it heuristics and players whose functions have it."""
    named = [item for item in brought if brings(item, Spelled(name))]
    return named + [item for item in brought if name in _function_names(item.component)]


def full_name(item: Registered[Any], registered: Iterable[Registered[Any]], name: str = "") -> str:
    """Return the spelling that stands for this component only: `plugin/name`, or else `FILE.py:name`.

    Args:
        registered: all components of its kind.
        name: which of its names to write; by default the first.
    """
    name = name or item.component.name
    full = Spelled(name, item.plugin.name)
    meant = [other.component for other in registered if brings(other, full)]
    only = len(meant) == 1 and meant[0] is item.component
    return f"{item.plugin.name}/{name}" if only else f"{item.plugin.file}:{name}"


def claimed_twice(kind: str, name: str, matches: Sequence[Registered[Any]]) -> str:
    """Return an error about a name that stands for several components."""
    sources = " and ".join(f"{full_name(match, matches, name)} ({match.plugin.file})" for match in matches)
    return f"{kind} {name!r} is claimed twice: say which, {sources}"


def unknown(kind: str, spelled: Spelled, registered: Sequence[Registered[Any]]) -> str:
    """Return an error about a name that stands for nothing."""
    if spelled.name.endswith(".py"):
        return f"a {kind} in a file is named with its function: {spelled.name}:FUNCTION"
    named = [item for item in registered if brings(item, Spelled(spelled.name))]
    if spelled.plugin and named:
        sources = [item.plugin.name for item in named]
        return f"plugin {spelled.plugin!r} brings no {kind} {spelled.name!r}: {did_you_mean(spelled.plugin, sources)}"
    names = [name for item in registered for name in (item.component.name, *item.component.aliases)]
    return f"no {kind} is called {spelled.name!r}: {did_you_mean(spelled.name, names)}"


def why_refused(item: Any, kind: type[Any], plugin: Plugin, before: Sequence[Registered[Any]]) -> str:
    """Return what is wrong with something a plugin's hook returned, after these others; else an empty text."""
    if not isinstance(item, kind):
        return f"returned {type(item).__name__} {item!r:.40}, not a {kind.__name__}"
    taken = {name for r in before if r.plugin is plugin for name in (r.component.name, *r.component.aliases)}
    twice = next((name for name in (item.name, *item.aliases) if name in taken), "")
    if twice:
        return f"returned {twice!r} twice; the second was left out"
    if kind is Metric:  # a column cannot say whose it is
        column = item.name.casefold()
        rival = next((r for r in before if r.component.name.casefold() == column), None)
        if rival:
            return f"returned {item.name!r}, a metric that {rival.plugin} ({rival.plugin.file}) brings; it was left out"
    return ""


def _function_names(component: Component) -> list[str]:
    """Return what the functions of a component of a single purpose are called in their file."""
    functions = (getattr(component, form, None) for form in ("function", "batch"))
    return [getattr(function, "__name__", "") for function in functions if function]


def source_of(component: Component) -> str:
    """Return the file a component's code stands in."""
    if isinstance(component, Heuristic):
        function: Any = component.function or component.batch
    elif isinstance(component, Domain):
        function = component.successors
    elif isinstance(component, Frontier):
        function = component.run or component.priority
    else:
        function = component.function
    try:
        return getsourcefile(function) or "" if function else ""
    except TypeError:
        return ""
