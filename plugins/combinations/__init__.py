"""Heuristics that combine other heuristics of any domain: their maximum, and their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Heuristic


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristics that combine others."""
    from searchlab_plugins.combinations.heuristics import HEURISTICS

    return HEURISTICS
