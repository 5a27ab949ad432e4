"""The rules of the pancake puzzle: flip the top of a stack of pancakes until it is sorted, the largest at the bottom.

A board is one row with the sizes 1 … n, the top of the stack on the left. A flip costs 1; with `cost=heavy` it costs
the sum of the sizes of the lifted pancakes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, Generator, PackedForm, Parameter, Views
from searchlab_plugins.pancake.heuristics import gap_between
from searchlab_plugins.pancake.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from numpy.typing import NDArray

UNIT, HEAVY = "unit", "heavy"
MOST_PANCAKES = 64
MOVE = ("top", "last", "below")
"""The uppermost pancake, the lowest flipped pancake, and the pancake below, which may be the plate, n + 1."""


def start(n: int, seed: int) -> Board:
    """Return a stack in random order."""
    import random

    return any_stack(random.Random(seed), n)


def goals(board: Board) -> Iterator[Board]:
    """Yield the sorted stack."""
    yield Board([range(1, board.shape[1] + 1)])


def successors(board: Board, cost: str) -> Iterator[tuple[str, Board, int]]:
    """Yield (action, board, cost) for each flip; `flip-3` turns the three uppermost pancakes over."""
    stack = board.tiles[0].tolist()
    for count in range(2, len(stack) + 1):
        lifted = stack[:count]
        yield f"flip-{count}", Board([lifted[::-1] + stack[count:]]), sum(lifted) if cost == HEAVY else 1


def flips(tiles: Any, out: Any, moves: Any, chosen: Any) -> int:
    """Write the stacks after the same flips, or only after the chosen flips, and `MOVE` for each flip."""
    n: int = tiles.shape[1]
    for count in range(2, n + 1):
        if chosen is None or chosen[count - 2]:
            for place in range(n):
                out[count - 2, 0, place] = tiles[0, count - 1 - place] if place < count else tiles[0, place]
        moves[count - 2, 0] = tiles[0, 0]
        moves[count - 2, 1] = tiles[0, count - 1]
        moves[count - 2, 2] = tiles[0, count] if count < n else n + 1
    return n - 1


def heavy_flips(tiles: Any, out: Any, moves: Any, costs: Any, chosen: Any) -> int:
    """Write the stacks as `flips` does, and the cost of each flip."""
    count = flips(tiles, out, moves, chosen)
    lifted = tiles[0, 0]
    for k in range(count):
        lifted += tiles[0, k + 1]
        costs[k] = lifted
    return count


def packed(board: Board, cost: str) -> PackedForm:
    """Return the compiled rules."""
    n = board.shape[1]
    return form(n, cost)


@lru_cache(maxsize=64)
def form(n: int, cost: str) -> PackedForm:
    """Return the compiled rules for n pancakes, the same object each time."""
    rules = heavy_flips if cost == HEAVY else flips
    return PackedForm(values=n + 1, max_successors=max(1, n - 1), successors=rules, move=MOVE)


def weights(board: Board, cost: str) -> NDArray[np.int64]:
    """Return the least cost of a flip that lifts a pancake, by its size, shape (n + 2,); the plate counts as n + 1."""
    sizes = np.arange(board.shape[1] + 2)
    return sizes if cost == HEAVY else np.ones_like(sizes)


def is_heavy(board: Board, cost: str) -> bool:
    """Return whether a flip costs the sum of the sizes of the lifted pancakes."""
    return cost == HEAVY


def has_unit_cost(cost: str) -> bool:
    """Return whether every flip costs 1."""
    return cost == UNIT


def lower_bound(board: Board, listed_goals: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    """Return the cost of the gaps, all of which a solution must close."""
    return int(gap_between(board.tiles, listed_goals[0], weights, 0))


def why_invalid(board: Board) -> str:
    """Return an error message for a board that is not a stack, or `""`."""
    rows, n = board.shape
    if rows != 1 or n > MOST_PANCAKES:
        return f"a stack is one row of up to {MOST_PANCAKES} pancakes"
    return "" if sorted(board.tiles[0].tolist()) == list(range(1, n + 1)) else f"a stack has each of 1 … {n} once"


def smaller(board: Board) -> Iterator[Board]:
    """Yield the stacks without a single pancake; larger pancakes become one size smaller."""
    stack = board.tiles[0].tolist()
    for taken in sorted(stack, reverse=True) if len(stack) > 1 else ():
        yield Board([[size - (size > taken) for size in stack if size != taken]])


def samples() -> Iterator[Board]:
    """Yield the sorted stacks of 6 and of 7 pancakes."""
    for n in (6, 7):
        yield Board([range(1, n + 1)])


def any_stack(random: Random, n: int) -> Board:
    """Return a stack in random order; all orders are equally likely (Fisher and Yates)."""
    stack = list(range(1, n + 1))
    for last in range(n - 1, 0, -1):
        other = int(random.random() * (last + 1))
        stack[last], stack[other] = stack[other], stack[last]
    return Board([stack])


def check_pancakes(n: int) -> str:
    """Return an error message for an invalid number of pancakes, or `""`."""
    return "" if 1 <= n <= MOST_PANCAKES else f"a stack has 1 to {MOST_PANCAKES} pancakes"


DOMAIN = Domain(
    "pancake",
    successors,
    summary="sort a stack of pancakes by flipping its top",
    parameters=(
        Parameter("n", 16, "pancakes of the start board, and of generated ones", check=check_pancakes),
        Parameter("seed", 1, "which stack the start board is"),
        Parameter("cost", UNIT, "what a flip costs: 1, or the sum of the sizes that it lifts", (UNIT, HEAVY)),
    ),
    start=start,
    goals=goals,
    packed=packed,
    values={"weights": weights, "is_heavy": is_heavy},
    why_invalid=why_invalid,
    lower_bound=lower_bound,
    smaller=smaller,
    samples=samples,
    unit_cost=has_unit_cost,
    inverse="same",
    views=Views(picture=picture, svg=svg, layer_columns={"dead ends": "", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/gap"),
)

GENERATOR = Generator("any-stack", any_stack, domains=frozenset({"pancake"}), summary="a stack in random order")
