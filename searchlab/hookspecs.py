"""Every hook a plugin can implement, in one place.

A plugin is a module (an entry point of group `searchlab`, or a file) that implements any of these and marks
each with `@hookimpl`. Each is called on its own: one that fails is reported and the others are unaffected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

    from searchlab.components import Domain, Frontier, Heuristic, Player

PROJECT = "searchlab"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function as the implementation of the hook of the same name."""


@hookspec
def searchlab_domains() -> Iterable[Domain]:  # type: ignore[empty-body]
    """Return the domains this plugin brings."""


@hookspec
def searchlab_heuristics() -> Iterable[Heuristic]:  # type: ignore[empty-body]
    """Return the heuristics this plugin brings."""


@hookspec
def searchlab_frontiers() -> Iterable[Frontier]:  # type: ignore[empty-body]
    """Return the frontier strategies this plugin brings."""


@hookspec
def searchlab_players() -> Iterable[Player]:  # type: ignore[empty-body]
    """Return the players this plugin brings."""


@hookspec
def searchlab_commands() -> Iterable[click.Command]:  # type: ignore[empty-body]
    """Return further commands for the command line; each appears as `searchlab NAME`."""
