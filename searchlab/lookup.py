"""Names of components: who claims one, how it is written in full, and what may have been meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from searchlab.components import Heuristic, Player
from searchlab.errors import did_you_mean
from searchlab.spelling import Spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def _function_names(component: Any) -> list[str]:
    """Return what the functions of a heuristic or a player are called in their file."""
    if not isinstance(component, Heuristic | Player):
        return []
    functions = (component.function, getattr(component, "batch", None))
    return [getattr(function, "__name__", "") for function in functions if function]
