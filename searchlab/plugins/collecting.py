"""What a hook hands over: a list of things of the right kind, or one line on why it cannot be taken."""

from __future__ import annotations

from contextlib import contextmanager
from inspect import iscoroutine
from itertools import islice
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, shown
from searchlab.model.component import Component
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.loading import contained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.names import Registered

MOST = 10_000
"""Things of one hook beyond which it is thought to have no end of them."""
WANTED = "a hook returns a list, or yields"


def handed_over(hook: str, implementation: Callable[[], Any], file: str) -> list[Any]:
    """Return what a plugin's implementation of a hook hands over.

    Args:
        hook: its name.
        file: the plugin's file.

    Raises:
        UsageError: one line on why there is nothing that can be taken.
    """
    with _asking(hook, file):
        returned = implementation()
    if iscoroutine(returned):
        returned.close()
        raise UsageError(f"{hook} is an async function; {WANTED}")
    if isinstance(returned, str | bytes | dict) or not hasattr(returned, "__iter__"):
        one = f"; write yield {type(returned).__name__}(…)" if isinstance(returned, Component) else ""
        raise UsageError(f"{hook} returned {_of_type(returned)}; {WANTED}{one}")
    with _asking(hook, file):
        items = list(islice(returned, MOST + 1))
    if len(items) > MOST:
        raise UsageError(f"{hook} hands over more than {MOST:,} things: does it ever end?")
    return items


def why_refused(item: Any, kind: str, plugin: Plugin, before: Sequence[Registered[Any]]) -> str:
    """Return what is wrong with something a plugin's hook returned, after these others; else an empty text."""
    wanted = COMPONENT_TYPES[kind]
    if not isinstance(item, wanted):
        return f"returned {_of_type(item)}, not a {wanted.__name__}"
    taken = {name for r in before if r.plugin is plugin for name in (r.component.name, *r.component.aliases)}
    twice = next((name for name in (item.name, *item.aliases) if name in taken), "")
    if twice:
        return f"returned {twice!r} twice; the second was left out"
    if kind == "metric":  # a column cannot say whose it is
        column = item.name.casefold()
        rival = next((r for r in before if r.component.name.casefold() == column), None)
        if rival:
            return f"returned {item.name!r}, a metric that {rival.plugin} ({rival.plugin.file}) brings; it was left out"
    return ""


@contextmanager
def _asking(hook: str, file: str) -> Iterator[None]:
    """Contain the plugin's code, and say which hook it was that failed."""
    try:
        with contained(file):
            yield
    except UsageError as error:
        raise UsageError(f"{hook} failed: {error}") from error


def _of_type(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {shown(value, 40)}"
