"""Hooks that are told of something rather than asked: which there are, who listens, and calling one of them."""

from __future__ import annotations

from inspect import getdoc, isgenerator, signature
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.plugins import hookspecs
from searchlab.plugins.loading import HOOKS, contained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pluggy

    from searchlab.plugins.loading import Plugin

    Implementations = Callable[[str], Iterable[tuple[pluggy.HookImpl, Plugin]]]

TOLD = tuple(name for name in HOOKS if signature(getattr(hookspecs, name)).parameters)
"""The hooks that are told of something: those with arguments."""


def told_of(plugin: Plugin, implementations: Implementations) -> dict[str, str]:
    """Return the hooks by which a plugin is told of something, with the first lines of their docstrings.

    Args:
        implementations: returns those of a hook, each with its plugin.
    """
    return {
        hook: (getdoc(implementation.function) or "").partition("\n")[0]
        for hook in TOLD
        for implementation, listener in implementations(hook)
        if listener is plugin
    }


def why_untold(implementation: pluggy.HookImpl, what: Mapping[str, Any], file: str) -> str:
    """Call a hook with those arguments it asks for.

    Args:
        what: all arguments by name.
        file: the plugin's, for the place where it failed.

    Returns:
        what went wrong in one line, an empty text if nothing did.
    """
    try:
        with contained(file):
            returned = implementation.function(*[what[name] for name in implementation.argnames])
    except UsageError as error:
        return str(error)
    return "it yields, so that nothing in it runs" if isgenerator(returned) else ""
