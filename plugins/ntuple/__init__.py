"""n-tuple networks for 2048: a learner, and a heuristic and a player that use the learned weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab import Heuristic, Learner, Player


@hookimpl
def searchlab_heuristics() -> Iterable[Heuristic]:
    """Return the heuristic."""
    from searchlab_plugins.ntuple.trained import HEURISTIC

    return (HEURISTIC,)


@hookimpl
def searchlab_players() -> Iterable[Player]:
    """Return the player."""
    from searchlab_plugins.ntuple.player import PLAYER

    return (PLAYER,)


@hookimpl
def searchlab_learners() -> Iterable[Learner]:
    """Return the learner."""
    from searchlab_plugins.ntuple.learner import LEARNER

    return (LEARNER,)
