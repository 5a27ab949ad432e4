"""Components and their plugins: who claims a name, how it is written in full, what was meant, where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getsourcefile
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from searchlab.binding.names import Spelled
from searchlab.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.model.component import Component
    from searchlab.plugins.loading import Plugin

C = TypeVar("C")
FUNCTIONS = ("function", "values", "batch", "run", "priority", "successors")
"""The fields of components whose functions a component may be named after."""


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
    """Return what a file brings under this name, and after it what has a function of this name."""
    named = [item for item in brought if brings(item, Spelled(name))]
    return named + [
        item for item in brought if name in [getattr(f, "__name__", "") for f in functions_of(item.component)]
    ]


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


def functions_of(component: Component) -> list[Any]:
    """Return the functions a component may be named after in its file; the first is the one that matters most."""
    return [function for field in FUNCTIONS if (function := getattr(component, field, None))]


def source_of(component: Component) -> str:
    """Return the file a component's code stands in, an empty text if that is not known."""
    try:
        return next((getsourcefile(function) or "" for function in functions_of(component)), "")
    except TypeError:
        return ""
