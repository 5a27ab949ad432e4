"""Heuristics for the 2 × 2 × 2 cube, from tables; all admissible and consistent.

The cube has two coordinates: the permutation of the corners, 0 … 5039, and the twists of the corners, 0 … 728. A turn
changes each coordinate independently of the other. The fewest moves that solve one coordinate are a lower bound (a
pattern database). The fewest moves that solve both are the distance, from a table of 3,674,160 entries.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic
from searchlab_plugins.cube2.domain import CORNERS, turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DOMAINS = frozenset({"cube2"})
TWISTS = 3 ** (CORNERS - 1)
"""The number of combinations of twists: the twist of the last corner follows from the others."""


def coordinates(tiles: Any, of_corners: Any, of_twists: Any) -> int:
    """Return the moves that the permutation or the twists need, whichever are more."""
    corners, twists = numbers(tiles)
    distance: int = max(of_corners[corners], of_twists[twists])
    return distance


def numbers(tiles: Any) -> tuple[int, int]:
    """Return the coordinates: the rank of the permutation in lexicographic order, and the twists, to base 3."""
    places = tiles.shape[1]
    corners, twists = 0, 0
    for place in range(places):
        smaller = 0
        for later in range(place + 1, places):
            smaller += tiles[0, later] < tiles[0, place]
        corners = corners * (places - place) + smaller
        if place < places - 1:
            twists = twists * 3 + tiles[1, place]
    return corners, twists


def coordinates_between(tiles: Any, other: Any, of_corners: Any, of_twists: Any) -> int:
    """Return the moves that the permutation or the twists need to become those of another cube, whichever are more."""
    corners, twists = numbers_between(tiles, other)
    distance: int = max(of_corners[corners], of_twists[twists])
    return distance


def distance_between(tiles: Any, other: Any, distances: Any) -> int:
    """Return the fewest moves from one cube to another."""
    corners, twists = numbers_between(tiles, other)
    moves: int = distances[corners, twists]
    return moves


def numbers_between(tiles: Any, other: Any) -> tuple[int, int]:
    """Return the coordinates of a cube if its corners are numbered, and twists counted, as if the other were solved."""
    places = tiles.shape[1]
    renamed = np.empty_like(tiles)
    for place in range(places):
        corner, twist = other[0, place], other[1, place]
        for at in range(places):
            if tiles[0, at] == corner:
                renamed[0, at] = place + 1
                renamed[1, at] = (tiles[1, at] - twist + 3) % 3
    return numbers(renamed)


def turned(
    h: int, carried: Any, turn: int, of_corners: Any, of_twists: Any, corner_turns: Any, twist_turns: Any
) -> tuple[int, tuple[int, int]]:
    """Return the value after a turn, and the coordinates."""
    corners, twists = corner_turns[carried[0], turn], twist_turns[carried[1], turn]
    return max(of_corners[corners], of_twists[twists]), (corners, twists)


def distance(tiles: Any, distances: Any) -> int:
    """Return the number of moves of a shortest solution."""
    corners, twists = numbers(tiles)
    moves: int = distances[corners, twists]
    return moves


def distance_after(
    h: int, carried: Any, turn: int, distances: Any, corner_turns: Any, twist_turns: Any
) -> tuple[int, tuple[int, int]]:
    """Return the distance after a turn, and the coordinates."""
    corners, twists = corner_turns[carried[0], turn], twist_turns[carried[1], turn]
    return distances[corners, twists], (corners, twists)


def corner_turns(progress: object) -> NDArray[np.int16]:
    """Return the permutation after each turn of each permutation, shape (5040, 9)."""
    orders = np.array(list(permutations(range(CORNERS))))
    digits = CORNERS ** np.arange(CORNERS)
    codes = orders @ digits
    by_code = np.argsort(codes)
    sources, _ = turns()
    after = [by_code[np.searchsorted(codes, orders[:, source] @ digits, sorter=by_code)] for source in sources]
    return np.stack(after, axis=1).astype(np.int16)


def twist_turns(progress: object) -> NDArray[np.int16]:
    """Return the twists after each turn of each combination of twists, shape (729, 9)."""
    digits = 3 ** np.arange(CORNERS - 2, -1, -1)
    twists = np.arange(TWISTS)[:, None] // digits % 3
    twists = np.column_stack([twists, -twists.sum(axis=1) % 3])
    after = [((twists[:, source] + twist) % 3)[:, :-1] @ digits for source, twist in zip(*turns(), strict=True)]
    return np.stack(after, axis=1).astype(np.int16)


def of_corners(progress: object, corner_turns: Any) -> NDArray[np.int16]:
    """Return the fewest moves that sort each permutation, shape (5040,)."""
    return moves_from(len(corner_turns), lambda wave: corner_turns[wave])


def of_twists(progress: object, twist_turns: Any) -> NDArray[np.int16]:
    """Return the fewest moves that undo each combination of twists, shape (729,)."""
    return moves_from(len(twist_turns), lambda wave: twist_turns[wave])


def distances(progress: object, corner_turns: Any, twist_turns: Any) -> NDArray[np.int16]:
    """Return the distance of each cube by coordinates, shape (5040, 729)."""

    def after(wave: NDArray[np.int64]) -> NDArray[np.int64]:
        corners, twists = np.divmod(wave, TWISTS)
        found: NDArray[np.int64] = corner_turns[corners].astype(np.int64) * TWISTS + twist_turns[twists]
        return found

    return moves_from(len(corner_turns) * TWISTS, after).reshape(-1, TWISTS)


def moves_from(count: int, after: Callable[[NDArray[np.int64]], NDArray[Any]]) -> NDArray[np.int16]:
    """Return the fewest moves from number 0 to each number below `count`, by breadth-first search."""
    moves = np.full(count, -1, np.int16)
    wave = np.zeros(1, np.int64)
    depth = 0
    while len(wave):
        moves[wave] = depth
        depth += 1
        reached = after(wave).ravel()
        moves[reached[moves[reached] < 0]] = depth
        wave = np.flatnonzero(moves == depth)
    return moves


TURNS_OF = {"corner_turns": corner_turns, "twist_turns": twist_turns}

HEURISTICS = (
    Heuristic(
        "cube2-coordinates",
        coordinates,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        carry=numbers,
        incremental=turned,
        between=coordinates_between,
        tables={**TURNS_OF, "of_corners": of_corners, "of_twists": of_twists},
        summary="the larger of the moves for the corners' places and for their twists",
    ),
    Heuristic(
        "cube2-distance",
        distance,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        carry=numbers,
        incremental=distance_after,
        between=distance_between,
        tables={**TURNS_OF, "distances": distances},
        summary="the exact number of moves, from a table",
    ),
)
