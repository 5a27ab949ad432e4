"""`hooks = searchlab.plugin(DOMAIN, *HEURISTICS)`: make a plugin's hooks from the components that it registers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown
from searchlab.plugins.hookspecs import PROJECT, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from searchlab.model.component import Component
    from searchlab.model.report_section import ReportSection


class Hooks:
    """The hooks of a module that registers objects. Each hook returns the objects of its kind."""

    def __init__(self, objects: tuple[Any, ...]) -> None:
        by_hook: dict[str, list[Any]] = {}
        for item in objects:
            by_hook.setdefault(hook_of(item), []).append(item)
        for name, items in by_hook.items():
            setattr(self, name, hookimpl(_returning(items)))


def plugin(*objects: Component | click.Command | ReportSection) -> Hooks:
    """Register the components of a module. Assign the return value to `hooks`.

    This is equivalent to implementing a hook for each kind of object. The module may have other hooks, as functions
    marked with `@hookimpl`.

    Args:
        objects: domains, heuristics, frontier strategies, players, generators, executors, metrics, renderers and
            learners; also Click commands, and sections for all reports.

    Raises:
        TypeError: an object has another type.

    >>> import searchlab as sl
    >>> def left_heavy(tiles):
    ...     return tiles[:, 0].sum()
    >>> hooks = sl.plugin(sl.Heuristic("left-heavy", left_heavy, domains={"2048"}, prefer="high"))
    """
    return Hooks(objects)


def hook_of(item: object) -> str:
    """Return the name of the hook for objects of this type.

    Raises:
        TypeError: there is no such hook.
    """
    from searchlab.model.component import Component
    from searchlab.model.component_types import component_kind

    if isinstance(item, Component):
        return f"{PROJECT}_{component_kind(item)}s"
    click = sys.modules.get("click")
    if click is not None and isinstance(item, click.Command):
        return f"{PROJECT}_commands"
    sections = sys.modules.get("searchlab.model.report_section")
    if sections is not None and isinstance(item, sections.ReportSection):
        return f"{PROJECT}_report_sections"
    how = "write * before it" if isinstance(item, list | tuple) else "wanted a Domain, a Heuristic, …"
    msg = f"plugin() cannot register {type(item).__name__} {shown(item, 40)}: {how}"
    raise TypeError(msg)


def _returning(items: list[Any]) -> Callable[[], list[Any]]:
    def hook() -> list[Any]:
        return items

    return hook
