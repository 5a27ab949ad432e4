"""2048, deterministic and with random tiles: the domains, their heuristics and generators of boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Domain, Generator, Heuristic, Player


@hookimpl
def searchlab_domains() -> Iterable[Domain]:
    """Return 2048 and 2048 with random tiles."""
    from searchlab_plugins.twenty48 import domain, random_domain

    return [domain.DOMAIN, random_domain.DOMAIN]


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics for 2048."""
    from searchlab_plugins.twenty48.heuristics import HEURISTICS
    from searchlab_plugins.twenty48.smooth import SMOOTH
    from searchlab_plugins.twenty48.tutorial import HEURISTIC

    return (*HEURISTICS, SMOOTH, HEURISTIC)


@hookimpl
def searchlab_players() -> Iterable[Player]:
    """Return the player that is made for 2048 alone."""
    from searchlab_plugins.twenty48.tutorial import PLAYER

    return [PLAYER]


@hookimpl
def searchlab_generators() -> Iterable[Generator]:
    """Return the generators of boards of 2048."""
    from searchlab_plugins.twenty48.generators import GENERATORS

    return GENERATORS
