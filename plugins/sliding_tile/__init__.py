"""The sliding-tile puzzle: the domain and its heuristics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the sliding-tile domain."""
    from searchlab_plugins.sliding_tile.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics for sliding tiles."""
    from searchlab_plugins.sliding_tile.heuristics import HEURISTICS

    return HEURISTICS
