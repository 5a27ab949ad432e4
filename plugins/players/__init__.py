"""The players that ship with searchlab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Heuristic, Player


@hookimpl
def searchlab_players() -> Iterable[Player]:
    """Return the players."""
    from searchlab_plugins.players.exact import PLAYER
    from searchlab_plugins.players.expectimax import EXPECTIMAX
    from searchlab_plugins.players.simple import PLAYERS

    return (*PLAYERS, EXPECTIMAX, PLAYER)


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristic of solved games."""
    from searchlab_plugins.players.solved import HEURISTIC

    return (HEURISTIC,)
