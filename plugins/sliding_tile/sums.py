"""Declarations about sums: heuristics of the puzzle that count moves of different tiles may be added.

Heuristics of other plugins are unknown here. A user who adds one declares that it counts other moves (Korf and Felner
2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab import UsageError
from searchlab_plugins.sliding_tile.domain import counts_no_more_than_it_costs
from searchlab_plugins.sliding_tile.patterns import NAMED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab import BoundHeuristic

OF_ALL_TILES = frozenset({"taxicab", "misplaced", "euclidean", "linear-conflict", "walking-distance"})
OF_GROUPS = "pattern-database"


def is_bound_with_costs(added_to: Sequence[BoundHeuristic] = ()) -> bool:
    """Return True, because the heuristic takes the costs of moves into account; refuse to be added to another."""
    refuse_same_tiles(None, added_to)
    return True


def is_bound_by_moves(cost: str, added_to: Sequence[BoundHeuristic] = ()) -> bool:
    """Return whether a count of moves of all tiles is admissible; refuse to be added to another."""
    refuse_same_tiles(None, added_to)
    return counts_no_more_than_it_costs(cost)


def is_bound_by_groups(groups: str, mirror: bool, dual: bool, added_to: Sequence[BoundHeuristic] = ()) -> bool:
    """Return True: a pattern database is admissible alone, and in a sum with databases of other tiles.

    Raises:
        UsageError: another heuristic of the sum counts moves of the same tiles.
    """
    if added_to and (mirror or dual):
        counted = f"with {'mirror' if mirror else 'dual'}=yes moves of other tiles count, too"
        raise UsageError(f"{counted}: only with mirror=no and dual=no can it be added to others")
    refuse_same_tiles(tiles_of(groups), added_to)
    return True


def refuse_same_tiles(tiles: set[int] | None, added_to: Sequence[BoundHeuristic]) -> None:
    """Refuse heuristics of the puzzle that count moves of any of these tiles; None stands for all tiles.

    Raises:
        UsageError: there is such a heuristic.
    """
    for other in added_to:
        if other.name in OF_ALL_TILES or other.name == OF_GROUPS:
            others = tiles_of(str(other.values["groups"])) if other.name == OF_GROUPS else None
            same = tiles & others if tiles is not None and others is not None else tiles or others
            if same is None:
                raise UsageError(f"it cannot be added to {other}: both count the moves of all tiles")
            if same:
                raise UsageError(f"it cannot be added to {other}: both count the moves of tile {min(same)}")


def tiles_of(groups: str) -> set[int] | None:
    """Return the tiles of listed groups, or None for all tiles if the groups have a name."""
    return None if groups in ("", *NAMED) else {int(tile) for tile in groups.replace("/", " ").split()}
