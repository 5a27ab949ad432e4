"""The rules of Lights Out: pressing a light toggles it and its neighbours; turn all lights off.

A board has a 1 for each light that is on. The order of the presses does not matter, and pressing a light twice has no
effect. So a solution is a set of lights, and the module `linear` finds all solutions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, Generator, PackedForm, Parameter, Views, Words
from searchlab_plugins.lights_out.linear import equations, is_solvable, shortest_solution, toggles
from searchlab_plugins.lights_out.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from numpy.typing import NDArray

LARGEST_SIDE = 64
WORD_BITS = 64
MOST_QUIET = 8
"""The most generating sets of presses without effect for which `lower_bound` compares all solutions."""


def start(n: int) -> Board:
    """Return the board with all lights on."""
    return Board([[1] * n] * n)


def goals(board: Board) -> Iterator[Board]:
    """Yield the board with all lights off."""
    yield Board(np.zeros(board.shape, np.int64))


def successors(board: Board) -> Iterator[tuple[str, Board]]:
    """Yield (action, board) for each light, row by row; `press-1-3` presses the third light of the first row."""
    rows, columns = board.shape
    for row in range(rows):
        for column in range(columns):
            tiles = board.tiles.copy()
            for r, c in ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if 0 <= r < rows and 0 <= c < columns:
                    tiles[r, c] = 1 - tiles[r, c]
            yield f"press-{row + 1}-{column + 1}", Board(tiles)


def write_successors(tiles: Any, out: Any) -> int:
    """Write the boards after the same presses."""
    rows, columns = tiles.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            for r in range(rows):
                for c in range(columns):
                    out[count, r, c] = tiles[r, c] ^ (abs(r - row) + abs(c - column) <= 1)
            count += 1
    return count


def expand(words: Any, out: Any, presses: Any) -> int:
    """Write the packed boards after the same presses: each light is a bit of a single word."""
    for k in range(len(presses)):
        out[k, 0] = words[0] ^ presses[k]
    return len(presses)


def packed(board: Board) -> PackedForm:
    """Return the compiled rules; a board of up to 64 lights is one word."""
    one_word = board.tiles.size <= WORD_BITS
    return PackedForm(
        values=2,
        max_successors=board.tiles.size,
        successors=write_successors,
        words=Words(successors=expand if one_word else None),
        tables={"presses": np.array(toggles(*board.shape), np.uint64)} if one_word else {},
    )


def why_invalid(board: Board) -> str:
    """Return an error message for an illegal board, or `""`."""
    if board.tiles.size == 1 or max(board.shape) > LARGEST_SIDE:
        rows, columns = board.shape
        return f"a board has 2 to {LARGEST_SIDE} × {LARGEST_SIDE} lights, and it is {rows} × {columns}"
    return "" if board.tiles.min() >= 0 and board.tiles.max() <= 1 else "a light is on, 1, or off, 0"


def smaller(board: Board) -> Iterator[Board]:
    """Yield the boards without the first or last row or column, then the boards with one light fewer."""
    lights = board.tiles
    for part in (lights[1:], lights[:-1], lights[:, 1:], lights[:, :-1]):
        if part.size > 1:
            yield Board(part)
    for row, column in np.argwhere(lights):
        fewer = lights.copy()
        fewer[row, column] = 0
        yield Board(fewer)


def lower_bound(board: Board, listed_goals: NDArray[np.int64]) -> int:
    """Return the presses of a shortest solution if few solutions need to be compared, else a fifth of the lights."""
    lights = to_turn_off(board, listed_goals)
    if len(equations(*lights.shape).quiet) <= MOST_QUIET and is_solvable(lights):
        return shortest_solution(lights)
    return (int(lights.tiles.sum()) + 4) // 5


def to_turn_off(board: Board, listed_goals: NDArray[np.int64]) -> Board:
    """Return a board with the lights that differ from the goal: it has the same solutions with all lights off."""
    return Board(board.tiles ^ listed_goals[0])


def why_unsolvable(board: Board, listed_goals: NDArray[np.int64]) -> str:
    """Return the reason why a board cannot be solved, or `""`."""
    if is_solvable(to_turn_off(board, listed_goals)):
        return ""
    if listed_goals.any():
        return "no set of presses changes these lights to the others: the equations, modulo 2, have no solution"
    return "no set of presses turns these lights off: the equations for them, modulo 2, have no solution"


def samples() -> Iterator[Board]:
    """Yield the boards of 3 × 3 and of 4 × 4 lights with all lights on."""
    yield start(3)
    yield start(4)


def pressed(random: Random, n: int, presses: int = 10) -> Board:
    """Return the board after pressing a number of different lights; all sets of this size are equally likely."""
    lights = list(range(n * n))
    tiles = np.zeros(n * n, np.int64)
    for k in range(min(presses, n * n)):
        other = k + int(random.random() * (n * n - k))
        lights[k], lights[other] = lights[other], lights[k]
        row, column = divmod(lights[k], n)
        r, c = np.divmod(np.arange(n * n), n)
        tiles ^= (abs(r - row) + abs(c - column) <= 1).astype(np.int64)
    return Board(tiles.reshape(n, n))


def check_side(n: int) -> str:
    """Return an error message for an invalid side of a board, or `""`."""
    return "" if 1 < n <= LARGEST_SIDE else f"the side of a board is between 2 and {LARGEST_SIDE}"


def check_presses(presses: int) -> str:
    """Return an error message for an invalid number of presses, or `""`."""
    return "" if presses >= 0 else "it is a number of lights, 0 or more"


DOMAIN = Domain(
    "lights-out",
    successors,
    summary="press lights until all are off; each press also toggles its neighbours",
    parameters=(Parameter("n", 5, "side of the start board, and of generated ones", check=check_side),),
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
    defaults=Defaults(heuristic="searchlab/fewest-presses"),
)

GENERATOR = Generator(
    "pressed",
    pressed,
    domains=frozenset({"lights-out"}),
    parameters=(Parameter("presses", 10, "lights that are pressed", check=check_presses),),
    summary="random presses from all lights off",
)
