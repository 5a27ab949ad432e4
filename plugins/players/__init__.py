"""The players that ship with searchlab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Player


@hookimpl
def searchlab_players() -> Iterable[Player]:
    """Return the players."""
    from searchlab_plugins.players.expectimax import EXPECTIMAX
    from searchlab_plugins.players.simple import PLAYERS

    return (*PLAYERS, EXPECTIMAX)
