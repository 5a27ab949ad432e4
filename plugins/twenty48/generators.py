"""Random boards of 2048: scattered tiles, or the board after some moves of random play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Generator, Parameter, UsageError
from searchlab_plugins.twenty48.domain import LARGEST_TILE, start, successors

if TYPE_CHECKING:
    from random import Random


def scattered(random: Random, n: int, tiles: int = 6, most: int = 64) -> Board:
    """Return a board with some tiles in random cells, each a power of two from 2 to `most`, all equally likely.

    Play from the start board may never lead to such a board.
    """
    if tiles > n * n:
        raise UsageError(f"{tiles} tiles do not fit on {n} × {n}")
    cells = list(range(n * n))
    board = np.zeros(n * n, np.int64)
    for _ in range(tiles):
        cell = cells.pop(int(random.random() * len(cells)))
        board[cell] = 2 << int(random.random() * (most.bit_length() - 1))
    return Board(board.reshape(n, n))


def played(random: Random, n: int, spawn: str, moves: int = 20) -> Board:
    """Return the board after random moves from the start board; moves that end the game are never chosen.

    If all moves end the game, the board has fewer moves behind it.
    """
    board = start(n)
    for _ in range(moves):
        ways = [after for _, after, _, terminal in successors(board, spawn) if not terminal]
        if not ways:
            break
        board = ways[int(random.random() * len(ways))]
    return board


def check_count(count: int) -> str:
    """Return an error message for an invalid number of tiles or moves, or `""`."""
    return "" if count >= 0 else "there are 0 or more"


def check_most(most: int) -> str:
    """Return an error message for an invalid largest tile, or `""`."""
    is_tile = 2 <= most <= LARGEST_TILE and most & (most - 1) == 0
    return "" if is_tile else "a tile is a power of two from 2 to 2^62"


GENERATORS = (
    Generator(
        "scattered",
        scattered,
        domains={"2048"},
        summary="tiles in random cells, perhaps unreachable in play",
        parameters=(
            Parameter("tiles", 6, "how many", check=check_count),
            Parameter("most", 64, "the largest there may be, a power of two", check=check_most),
        ),
    ),
    Generator(
        "played",
        played,
        domains={"2048"},
        summary="random play from the start board",
        parameters=(Parameter("moves", 20, "how many, if there are so many", check=check_count),),
    ),
)
