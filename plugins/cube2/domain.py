"""The rules of the 2 × 2 × 2 cube: turn the faces until each has one colour.

The corner at the back on the lower left stays fixed, so only the faces U (up), R (right) and F (front) are turned. A
turn of any other face equals one of these turns, with the whole cube held differently. A board has two rows of seven
cells: the corner at each place (1 … 7), and the number of clockwise twists of this corner (0, 1 or 2). The places are
named after the faces that they touch: URF, UFL, ULB, UBR, DFR, DLF and DRB. A corner has the number of its goal place.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, Generator, PackedForm, Parameter, Views
from searchlab_plugins.cube2.picture import picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

CORNERS = 7
TURNS = ("U", "U2", "U'", "R", "R2", "R'", "F", "F2", "F'")
"""Turns of faces: a quarter turn clockwise, as seen from outside; a half turn (2); and a counterclockwise turn (')."""
QUARTERS = {
    "U": ((3, 0, 1, 2, 4, 5, 6), (0, 0, 0, 0, 0, 0, 0)),
    "R": ((4, 1, 2, 0, 6, 5, 3), (2, 0, 0, 1, 1, 0, 2)),
    "F": ((1, 5, 2, 3, 0, 4, 6), (1, 2, 0, 0, 2, 1, 0)),
}
"""Each quarter turn: the place from which each place gets a corner, and the twist that it adds to the corner."""


@lru_cache(maxsize=1)
def turns() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sources and the added twists of the corners at all places for each turn, both of shape (9, 7)."""
    sources, twists = [], []
    for source, twist in QUARTERS.values():
        once = np.array(source), np.array(twist)
        now = once
        for _ in range(3):
            sources.append(now[0])
            twists.append(now[1])
            now = now[0][once[0]], (now[1][once[0]] + once[1]) % 3
    return np.array(sources), np.array(twists)


def solved() -> Board:
    """Return the solved cube."""
    return Board([range(1, CORNERS + 1), [0] * CORNERS])


def goals(board: Board) -> Iterator[Board]:
    """Yield the solved cube."""
    yield solved()


def successors(board: Board) -> Iterator[tuple[str, Board]]:
    """Yield (action, board) for the nine turns."""
    corners, twisted = board.tiles
    for name, source, twist in zip(TURNS, *turns(), strict=True):
        yield name, Board([corners[source], (twisted[source] + twist) % 3])


def write_successors(tiles: Any, out: Any, moves: Any, sources: Any, twists: Any) -> int:
    """Write the boards after the nine turns, and the numbers of the turns."""
    for turn in range(len(sources)):
        for place in range(tiles.shape[1]):
            source = sources[turn, place]
            out[turn, 0, place] = tiles[0, source]
            out[turn, 1, place] = (tiles[1, source] + twists[turn, place]) % 3
        moves[turn, 0] = turn
    return len(sources)


@lru_cache(maxsize=1)
def form() -> PackedForm:
    """Return the compiled rules."""
    sources, twists = turns()
    return PackedForm(
        cells=[(1, CORNERS)] * CORNERS + [(0, 2)] * CORNERS,
        max_successors=len(TURNS),
        successors=write_successors,
        move=("turn",),
        tables={"sources": sources, "twists": twists},
    )


def packed(board: Board) -> PackedForm:
    """Return the compiled rules, the same object each time."""
    return form()


def why_invalid(board: Board) -> str:
    """Return an error message for a board that is not a cube, or `""`: no corner can be twisted alone."""
    if board.shape != (2, CORNERS):
        return f"a cube is two rows of {CORNERS}: the corner at each place, and how often it is twisted"
    corners, twisted = board.tiles.tolist()
    if sorted(corners) != list(range(1, CORNERS + 1)):
        return f"the first row has each of the corners 1 … {CORNERS} once"
    return "" if sum(twisted) % 3 == 0 else "the twists of a cube add up to 0, 3, 6 …: a corner was twisted by force"


def scrambled(random: Random, moves: int = 20) -> Board:
    """Return the cube after some random turns, never of the same face twice in a row."""
    board, face = solved(), -1
    for _ in range(moves):
        number = int(random.random() * (len(TURNS) if face < 0 else len(TURNS) - 3))
        turn = number if face < 0 or number < 3 * face else number + 3
        face = turn // 3
        board = list(successors(board))[turn][1]
    return board


def start(seed: int) -> Board:
    """Return a scrambled cube."""
    return scrambled(Random(seed))


def samples() -> Iterator[Board]:
    """Yield the solved cube, from which every other cube is reached."""
    yield solved()


def check_moves(moves: int) -> str:
    """Return an error message for an invalid number of turns, or `""`."""
    return "" if moves >= 0 else "it is a number of turns, 0 or more"


DOMAIN = Domain(
    "cube2",
    successors,
    summary="the 2 × 2 × 2 cube: turn faces until each shows one colour",
    parameters=(Parameter("seed", 1, "which scrambled cube the start board is"),),
    start=start,
    goals=goals,
    packed=packed,
    why_invalid=why_invalid,
    samples=samples,
    inverse="same",
    views=Views(picture=picture, svg=svg, layer_columns={"dead ends": "", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/cube2-coordinates"),
)

GENERATOR = Generator(
    "scrambled",
    scrambled,
    domains=frozenset({"cube2"}),
    parameters=(Parameter("moves", 20, "turns", check=check_moves),),
    summary="random turns from the solved cube",
)
