"""The sliding-tile puzzle: the domain, its heuristics and its generators of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the sliding-tile domain."""
    from searchlab_plugins.sliding_tile.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics for sliding tiles."""
    from searchlab_plugins.sliding_tile.heuristics import HEURISTICS
    from searchlab_plugins.sliding_tile.line_conflicts import LINEAR_CONFLICT
    from searchlab_plugins.sliding_tile.pattern_database import PATTERN_DATABASE
    from searchlab_plugins.sliding_tile.walking_distance import WALKING_DISTANCE

    return [*HEURISTICS, LINEAR_CONFLICT, WALKING_DISTANCE, PATTERN_DATABASE]


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generators of boards of the puzzle."""
    from searchlab_plugins.sliding_tile.generators import GENERATORS

    return GENERATORS
