"""Deterministic 2048: the domain and its heuristics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the 2048 domain."""
    from searchlab_plugins.twenty48.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics for 2048."""
    from searchlab_plugins.twenty48.heuristics import HEURISTICS

    return HEURISTICS
