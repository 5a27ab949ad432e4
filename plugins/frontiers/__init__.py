"""The frontier strategies that ship with searchlab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Frontier


@hookimpl
def searchlab_frontiers() -> Iterable[Frontier]:
    """Return the frontier strategies."""
    from searchlab_plugins.frontiers.strategies import FRONTIERS

    return FRONTIERS
