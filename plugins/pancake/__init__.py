"""The pancake puzzle: the domain, its heuristics and its generator of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the pancake puzzle."""
    from searchlab_plugins.pancake.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return its heuristics."""
    from searchlab_plugins.pancake.heuristics import HEURISTICS

    return HEURISTICS


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generator of boards."""
    from searchlab_plugins.pancake.domain import GENERATOR

    return [GENERATOR]
