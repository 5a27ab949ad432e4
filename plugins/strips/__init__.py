"""Planning tasks in PDDL: the domain, its heuristics and its generators of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return planning tasks."""
    from searchlab_plugins.strips.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return their heuristics."""
    from searchlab_plugins.strips.heuristics import HEURISTICS

    return HEURISTICS


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generators of tasks."""
    from searchlab_plugins.strips.generators import GENERATORS

    return GENERATORS
