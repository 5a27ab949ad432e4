"""The Towers of Hanoi with any number of pegs: the domain, its heuristics and its generator of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return the Towers of Hanoi."""
    from searchlab_plugins.hanoi.domain import DOMAIN

    return [DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics for them."""
    from searchlab_plugins.hanoi.heuristics import HEURISTICS

    return HEURISTICS


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generator of boards."""
    from searchlab_plugins.hanoi.domain import GENERATOR

    return [GENERATOR]
