"""Heuristics for TopSpin; both are admissible and consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError
from searchlab_plugins.topspin.domain import breaks, breaks_between, places_in
from searchlab_plugins.topspin.domain import places as places_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DOMAINS = frozenset({"topspin"})
MOST_ENTRIES = 2**28
PLACE_BITS = 6
"""The bits of a place. If places need more than 3 bits, `MOST_ENTRIES` allows at most 8 tokens besides token 1."""
PLACE_MASK = 2**PLACE_BITS - 1


def token_database(tiles: Any, moves_of_tokens: Any, weights: Any) -> int:
    """Return the number of moves that the first tokens need, ignoring all other tokens."""
    moves: int = moves_of_tokens[index(tiles, weights)]
    return moves


def token_database_between(tiles: Any, other: Any, moves_of_tokens: Any, weights: Any) -> int:
    """Return the number of moves that the first tokens of another ring need to get to their places in that ring."""
    place_in_other = places_in(other)
    at = 0
    for place in range(tiles.shape[1]):
        at += place * weights[place_in_other[tiles[0, place]] + 1]
    moves: int = moves_of_tokens[at]
    return moves


def index(tiles: Any, weights: Any) -> int:
    """Return the index in the table for the places of the first tokens."""
    at = 0
    for place in range(tiles.shape[1]):
        at += place * weights[tiles[0, place]]
    return at


def packed_places(tiles: Any, weights: Any) -> tuple[int]:
    """Return the places of the first tokens, 6 bits each, except of token 1, which is always at place 0."""
    packed = 0
    for place in range(tiles.shape[1]):
        if weights[tiles[0, place]]:
            packed |= place << PLACE_BITS * (tiles[0, place] - 2)
    return (packed,)


def token_database_after(
    h: int, carried: tuple[int], turn: int, moves_of_tokens: Any, weights: Any, places: Any
) -> tuple[int, tuple[int]]:
    """Return the value after a move, and the places of the first tokens after it."""
    before, after = carried[0], 0
    at = 0
    for token in range(2, len(weights)):
        if weights[token] == 0:
            break
        place = places[turn, before & PLACE_MASK]
        before >>= PLACE_BITS
        at += place * weights[token]
        after |= place << PLACE_BITS * (token - 2)
    moves: int = moves_of_tokens[at]
    return moves, (after,)


def weights(progress: object, columns: int, tokens: int) -> NDArray[np.int64]:
    """Return the factor of each token's place in the index, shape (n + 1,); token 1 is always at place 0."""
    table = np.zeros(columns + 1, np.int64)
    table[2 : tokens + 1] = columns ** np.arange(min(tokens, columns) - 1)
    return table


def moves_of_tokens(progress: Callable[[float, float], None], columns: int, k: int, tokens: int) -> NDArray[np.int16]:
    """Return the moves that tokens 1 … `tokens` need from all places, by breadth-first search from the goal."""
    n, tokens = columns, min(tokens, columns)
    if n ** (tokens - 1) > MOST_ENTRIES:
        raise UsageError(f"tokens={tokens}: a table of {n}^{tokens - 1} entries is more than {MOST_ENTRIES:,}")
    digits = n ** np.arange(tokens - 1)
    moves = np.full(n ** (tokens - 1), -1, np.int16)
    wave = np.array([np.arange(1, tokens) @ digits])
    depth = done = 0
    while len(wave):
        moves[wave] = depth
        done += len(wave)
        progress(done, len(moves))
        depth += 1
        at = wave[:, None] // digits % n
        for after in places_of(n, k):
            reached = after[at] @ digits
            moves[reached[moves[reached] < 0]] = depth
        wave = np.flatnonzero(moves == depth)
    return moves


def check_tokens(tokens: int) -> str:
    """Return an error message for an invalid number of tokens, or `""`."""
    return "" if tokens >= 2 else "a table is about two tokens at least"


HEURISTICS = (
    Heuristic(
        "breaks",
        breaks,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=breaks_between,
        summary="half the number of neighbours that differ by more than 1",
    ),
    Heuristic(
        "token-database",
        token_database,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=token_database_between,
        carry=packed_places,
        incremental=token_database_after,
        tables={"moves_of_tokens": moves_of_tokens, "weights": weights},
        parameters=(Parameter("tokens", 6, "tokens whose places the table is about, at most", check=check_tokens),),
        summary="the exact moves of the first tokens, from a table",
    ),
)
