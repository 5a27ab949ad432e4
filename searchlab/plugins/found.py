"""Components that are found by name: `Found`, which names mean the same, and errors about names that mean nothing."""

from __future__ import annotations

import ast
import shlex
from contextlib import suppress
from inspect import getsourcefile
from itertools import islice
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from searchlab.binding.names import Spelled
from searchlab.errors import UsageError, did_you_mean
from searchlab.files import read_text
from searchlab.model.component_types import component_kind
from searchlab.plugins.hookspecs import PROJECT
from searchlab.plugins.loading import Plugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.component import Component

C = TypeVar("C")
NO_PLUGIN = Plugin("", "", "", ModuleType("none"))
"""Stands for the plugin of objects that no plugin brings."""
FUNCTIONS = ("function", "values", "batch", "run", "priority", "successors")
"""The fields of components with functions that give a component its name."""
HOW_TO_REGISTER = "write hooks = plugin(…) with its components"
MOST_NAMES = 12
"""How many names a message about an unknown name lists at most."""


class Found(NamedTuple, Generic[C]):
    """A component found by name, or brought by a plugin.

    Attributes:
        component: the component as declared, or a Click command.
        plugin: its plugin; NO_PLUGIN for a component or a function passed instead of a name.
        values: the parameter values, as far as they have been looked up.
        domain: the domain; None if it was not looked up, or if any domain will do.
    """

    component: C
    plugin: Plugin
    values: Mapping[str, Any] = MappingProxyType({})
    domain: BoundDomain | None = None

    @property
    def kind(self) -> str:
        """The kind of the component, such as "heuristic"."""
        component: Any = self.component
        return component_kind(component)

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases of the component."""
        component: Any = self.component
        return (component.name, *component.aliases)

    def is_called(self, name: Spelled, *, ignore_case: bool = False) -> bool:
        """Return whether a name is one of the component's names or aliases, and does not name another plugin."""
        if name.plugin not in ("", self.plugin.name):
            return False
        if ignore_case:
            return name.name.casefold() in (own.casefold() for own in self.names)
        return name.name in self.names


def serves(component: Any, domain: BoundDomain | None) -> bool:
    """Return whether a component supports a domain, directly or through `compatible_with`."""
    made_for = getattr(component, "domains", ())
    return domain is None or not made_for or not {domain.name, *domain.component.compatible_with}.isdisjoint(made_for)


def named_in_file(items: Iterable[Found[Any]], name: str) -> list[Found[Any]]:
    """Return the components of a file with this name, followed by those with a function of this name."""
    items = list(items)
    of_functions = [
        item for item in items if name in [getattr(f, "__name__", "") for f in functions_of(item.component)]
    ]
    return [item for item in items if item.is_called(Spelled(name))] + of_functions


def full_name(item: Found[Any], registered: Iterable[Found[Any]], name: str = "") -> str:
    """Return a unique spelling of the component: `plugin/name`, or else `FILE.py:name`.

    Args:
        registered: all components of the kind.
        name: the name to use; by default the first one.
    """
    name = name or item.component.name
    full = Spelled(name, item.plugin.name)
    meant = [other.component for other in registered if other.is_called(full)]
    only = len(meant) == 1 and meant[0] is item.component
    return f"{item.plugin.name}/{name}" if only else f"{item.plugin.file}:{name}"


def called(registered: Sequence[Found[Any]], spelled: Spelled) -> list[Found[Any]]:
    """Return the components with exactly this name, or else those with the name in another case."""
    exactly = [item for item in registered if item.is_called(spelled)]
    return exactly or [item for item in registered if item.is_called(spelled, ignore_case=True)]


def claimed_twice(kind: str, name: str, matches: Sequence[Found[Any]]) -> str:
    """Return the message of an error about a name that several components have."""
    if not all(match.is_called(Spelled(name)) for match in matches):
        names = (own for match in matches for own in match.names if own.casefold() == name.casefold())
        return f"{kind} {name!r} may be {' or '.join(map(repr, names))}: say which, in upper and lower case"
    sources = " and ".join(f"{full_name(match, matches, name)} ({match.plugin.file})" for match in matches)
    return f"{kind} {name!r} is claimed twice: say which, {sources}"


def unknown_name(
    kind: str, spelled: Spelled, registered: Sequence[Found[Any]], without_hooks: Sequence[Plugin] = ()
) -> str:
    """Return the message of an error about a name that nothing has.

    Args:
        registered: the components that could be meant.
        without_hooks: loaded plugins that register nothing, one of which may be meant to have the name.
    """
    path = Path(spelled.plugin, spelled.name)
    if path.suffix == ".py":
        return f"a {kind} in a file is named with its function: {_functions_in(path, kind)}{_how_to_load(path)}"
    if beside := _beside(path, kind, registered):
        return f"no {kind} is called {str(path)!r}; {beside}"
    named = called(registered, Spelled(spelled.name))
    if spelled.plugin and named:
        sources = [item.plugin.name for item in named]
        return f"plugin {spelled.plugin!r} brings no {kind} {spelled.name!r}: {did_you_mean(spelled.plugin, sources)}"
    names = [item.component.name for item in registered]
    aliases = [alias for item in registered for alias in item.component.aliases]
    known = did_you_mean(spelled.name, names, aliases, MOST_NAMES)
    if without_hooks:
        known += f"; {Path(without_hooks[0].file).name} registers nothing: {HOW_TO_REGISTER}"
    elif not known.startswith("did"):
        known += "; --plugin FILE.py loads a file of yours"
    return f"no {kind} is called {spelled.name!r}: {known}"


def _beside(path: Path, kind: str, registered: Sequence[Found[Any]]) -> str:
    """Return the possible meaning of the name of a folder, or of a Python file without suffix; else `""`."""
    with suppress(OSError, ValueError):
        if path.is_dir():
            files = sorted(each.name for each in islice(path.glob("*.py"), MOST_NAMES))
            return f"it is a folder: name a file in it{f', such as {path / files[0]}' if files else ''}"
        file = Path(f"{path}.py")
        if file.is_file():
            brought = [item.component.name for item in registered if item.plugin.file == str(file.resolve())]
            if brought:
                return f"{file}, which is loaded, brings {' and '.join(brought)}"
            how_to_load = _how_to_load(file)
            if how_to_load and kind == "domain":
                return how_to_load.removeprefix("; ")
            return f"a function in the file is named {_functions_in(file, kind)}{how_to_load}"
    return ""


def _statements(file: Path) -> list[ast.stmt]:
    """Return the statements of a file, without running it; none if it cannot be read."""
    with suppress(UsageError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.parse(read_text(file)).body
    return []


def how_to_load_file(file: str) -> str:
    """Return how to load a plugin file, on the command line and in Python."""
    return f"add --plugin {shlex.quote(file)} (in Python: plugins=searchlab.Plugins([{file!r}]))"


def _how_to_load(file: Path) -> str:
    """Return how to use the components that a file registers, `""` if it registers none."""
    for each in _statements(file):
        is_hook = isinstance(each, ast.FunctionDef) and each.name.startswith(f"{PROJECT}_")
        if is_hook or (isinstance(each, ast.Assign) and "hooks" in [getattr(one, "id", "") for one in each.targets]):
            return f"; to use what {file.name} registers, {how_to_load_file(str(file))}"
    return ""


def _functions_in(file: Path, kind: str) -> str:
    """Return the names of a file's functions that may be a component of a kind; else `FILE:FUNCTION`."""
    functions = [each.name for each in _statements(file) if isinstance(each, ast.FunctionDef)]
    if kind == "domain":
        functions = [name for name in functions if name == "successors"]
    found = [f"{file}:{name}" for name in functions if not name.startswith(("_", f"{PROJECT}_"))]
    if len(found) > MOST_NAMES:
        found[MOST_NAMES:] = [f"{len(found) - MOST_NAMES} more"]
    return " or ".join(filter(None, (", ".join(found[:-1]), *found[-1:]))) or f"{file}:FUNCTION"


def functions_of(component: Component) -> list[Any]:
    """Return the functions that may give a component its name in a file, the most important one first."""
    from searchlab.model.strategies import NEAREST_OF

    functions = [function for field in FUNCTIONS if callable(function := getattr(component, field, None))]
    return [getattr(function, NEAREST_OF, function) for function in functions]


def source_of(component: Component) -> str:
    """Return the file of a component's code, `''` if it is not known."""
    try:
        return next((getsourcefile(function) or "" for function in functions_of(component)), "")
    except TypeError:
        return ""
