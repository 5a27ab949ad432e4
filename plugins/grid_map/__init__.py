"""Paths on grid maps: the domain, its heuristics and its generators of maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the paths on grid maps."""
    from searchlab_plugins.grid_map.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return their heuristics."""
    from searchlab_plugins.grid_map.heuristics import HEURISTICS

    return HEURISTICS


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generators of maps."""
    from searchlab_plugins.grid_map.generators import GENERATORS

    return GENERATORS
