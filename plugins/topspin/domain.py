"""The rules of TopSpin: sort a ring of n tokens with a turnstile that reverses k neighbouring tokens.

Turning the whole ring is free, so a board is the ring read from token 1: one row that begins with this token. Every
move reverses k neighbouring tokens.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, Generator, PackedForm, Parameter, Views
from searchlab_plugins.topspin.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from numpy.typing import NDArray

FEWEST_TOKENS, MOST_TOKENS = 3, 64


def start(n: int, seed: int, k: int) -> Board:
    """Return the ring after random reversals."""
    import random

    return turned(random.Random(seed), n, k)


def goals(board: Board) -> Iterator[Board]:
    """Yield the sorted ring."""
    yield Board([range(1, board.shape[1] + 1)])


def successors(board: Board, k: int) -> Iterator[tuple[str, Board]]:
    """Yield (action, board) for each place; `reverse-3` reverses k tokens from the third token on."""
    tokens = board.tiles[0].tolist()
    n = len(tokens)
    for first in range(n):
        ring = list(tokens)
        for step in range(min(k, n)):
            ring[(first + step) % n] = tokens[(first + k - 1 - step) % n]
        one = ring.index(1)
        yield f"reverse-{first + 1}", Board([ring[one:] + ring[:one]])


@lru_cache(maxsize=64)
def places(n: int, k: int) -> NDArray[np.int64]:
    """Return the place after each move of the token at each place, counted from token 1, shape (moves, n)."""
    ring = np.arange(n)
    table = []
    for first in range(n):
        after = np.where((ring - first) % n < k, (2 * first + k - 1 - ring) % n, ring)
        table.append((after - after[0]) % n)
    found = np.array(table)
    found.setflags(write=False)
    return found


def write_successors(tiles: Any, out: Any, moves: Any, chosen: Any, places: Any) -> int:
    """Write the boards after the same moves, or only after the chosen moves, and the number of each move."""
    n: int = tiles.shape[1]
    for move in range(n):
        if chosen is None or chosen[move]:
            for place in range(n):
                out[move, 0, places[move, place]] = tiles[0, place]
        moves[move, 0] = move
    return n


def packed(board: Board, k: int) -> PackedForm:
    """Return the compiled rules."""
    n = board.shape[1]
    return form(n, k)


@lru_cache(maxsize=64)
def form(n: int, k: int) -> PackedForm:
    """Return the compiled rules for n tokens, the same object each time."""
    return PackedForm(
        values=n + 1, max_successors=n, successors=write_successors, move=("turn",), tables={"places": places(n, k)}
    )


def why_invalid(board: Board, k: int) -> str:
    """Return an error message for a board that is not a ring read from token 1, or `""`."""
    rows, n = board.shape
    if rows != 1 or not FEWEST_TOKENS <= n <= MOST_TOKENS:
        return f"a ring is one row of {FEWEST_TOKENS} to {MOST_TOKENS} tokens"
    tokens = board.tiles[0].tolist()
    if sorted(tokens) != list(range(1, n + 1)):
        return f"a ring has each of the tokens 1 … {n} once"
    if tokens[0] != 1:
        return "a ring is written from token 1 on"
    return "" if k < n else f"the turnstile, k={k}, has to be shorter than the ring of {n}"


def smaller(board: Board) -> Iterator[Board]:
    """Yield the rings without a single token; larger tokens become one number smaller."""
    ring = board.tiles[0].tolist()
    for taken in range(len(ring), 1, -1):
        yield Board([[token - (token > taken) for token in ring if token != taken]])


def breaks(tiles: Any) -> int:
    """Return half the number of neighbours that differ by more than 1: a move separates two pairs."""
    n = tiles.shape[1]
    apart = 0
    for place in range(n):
        step = abs(tiles[0, place] - tiles[0, (place + 1) % n])
        apart += step not in (1, n - 1)
    return (apart + 1) // 2


def breaks_between(tiles: Any, other: Any) -> int:
    """Return half the number of neighbours that are not neighbours in another ring."""
    n = tiles.shape[1]
    place_in_other = places_in(other)
    apart = 0
    for place in range(n):
        step = abs(place_in_other[tiles[0, place]] - place_in_other[tiles[0, (place + 1) % n]])
        apart += step not in (1, n - 1)
    return (apart + 1) // 2


def places_in(ring: Any) -> Any:
    """Return the place of each token in a ring, by token, shape (n + 1,)."""
    places = np.zeros(ring.shape[1] + 1, np.int64)
    for place in range(ring.shape[1]):
        places[ring[0, place]] = place
    return places


def lower_bound(board: Board, listed_goals: NDArray[np.int64]) -> int:
    """Return the fewest moves that bring all neighbours together: a move separates two pairs, and joins two pairs."""
    return int(breaks_between(board.tiles, listed_goals[0]))


def why_unsolvable(board: Board, listed_goals: NDArray[np.int64], k: int) -> str:
    """Return the reason why a ring cannot be sorted, or `""`: reversals and turns may keep the parity."""
    n = board.shape[1]
    if n % 2 and k * (k - 1) // 2 % 2 == 0 and is_odd(places_in(listed_goals[0])[board.tiles[0]].tolist()):
        return f"the permutation has the wrong parity: a reversal of {k} of {n} tokens does not change it"
    return ""


def is_odd(tokens: list[int]) -> bool:
    """Return whether an odd number of exchanges sorts the tokens.

    >>> is_odd([1, 3, 2])
    True
    """
    inversions = sum(a > b for at, a in enumerate(tokens) for b in tokens[at + 1 :])
    return inversions % 2 == 1


def samples(k: int) -> Iterator[Board]:
    """Yield the sorted rings of 6 and of 7 tokens."""
    for n in (6, 7):
        if k < n:
            yield Board([range(1, n + 1)])


def turned(random: Random, n: int, k: int, moves: int = 50) -> Board:
    """Return the sorted ring after some random reversals; all places are equally likely."""
    tokens = np.arange(1, n + 1)
    for _ in range(moves):
        after = np.empty_like(tokens)
        after[places(n, k)[int(random.random() * n)]] = tokens
        tokens = after
    return Board([tokens])


def check_tokens(n: int) -> str:
    """Return an error message for an invalid number of tokens, or `""`."""
    return "" if FEWEST_TOKENS <= n <= MOST_TOKENS else f"there are {FEWEST_TOKENS} to {MOST_TOKENS} tokens"


def check_turnstile(k: int) -> str:
    """Return an error message for an invalid size of a turnstile, or `""`."""
    return "" if 2 <= k < MOST_TOKENS else f"a turnstile holds 2 to {MOST_TOKENS - 1} tokens"


def check_moves(moves: int) -> str:
    """Return an error message for an invalid number of moves, or `""`."""
    return "" if moves >= 0 else "it is a number of moves, 0 or more"


DOMAIN = Domain(
    "topspin",
    successors,
    summary="TopSpin: sort a ring of tokens by reversing a section",
    parameters=(
        Parameter("n", 10, "tokens of the start board, and of generated ones", check=check_tokens),
        Parameter("k", 4, "tokens that a move reverses", check=check_turnstile),
        Parameter("seed", 1, "which mixed ring the start board is"),
    ),
    start=start,
    goals=goals,
    packed=packed,
    why_invalid=why_invalid,
    lower_bound=lower_bound,
    why_unsolvable=why_unsolvable,
    smaller=smaller,
    samples=samples,
    inverse="same",
    views=Views(picture=picture, svg=svg, layer_columns={"dead ends": "", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/token-database"),
)

GENERATOR = Generator(
    "turned",
    turned,
    domains=frozenset({"topspin"}),
    parameters=(Parameter("moves", 50, "random reversals", check=check_moves),),
    summary="random reversals of the sorted ring",
)
