"""Random boards of the sliding-tile puzzle: any solvable one, or some moves from the goal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from searchlab import Board, Generator, Parameter
from searchlab_plugins.sliding_tile.domain import SMALLEST_SIDE, goal_tiles, solvable, successors

if TYPE_CHECKING:
    from random import Random

LARGEST_SIDE = 1000


def shuffled(random: Random, goal: str, n: int = 4) -> Board:
    """Return one of the solvable boards, each as likely as any other.

    The tiles are shuffled (Fisher and Yates 1938); where that gives one of the unsolvable half of all boards, two
    tiles change places, which pairs the unsolvable boards off with the solvable ones.
    """
    tiles = list(range(n * n))
    for last in range(n * n - 1, 0, -1):
        other = int(random.random() * (last + 1))
        tiles[last], tiles[other] = tiles[other], tiles[last]
    if not solvable(_board(tiles, n), goal):
        first, second = [cell for cell in range(3) if tiles[cell]][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return _board(tiles, n)


def walk(random: Random, goal: str, n: int = 4, moves: int = 50) -> Board:
    """Return the end of a random walk from the goal that never steps straight back, each step being equally likely."""
    before = board = _board(goal_tiles(n, goal).tolist(), n)
    for _ in range(moves):
        ways = [after for _, after, _ in successors(board) if after != before]
        before, board = board, ways[int(random.random() * len(ways))]
    return board


def _board(tiles: list[int], n: int) -> Board:
    return Board([tiles[start:end] for start, end in pairwise(range(0, n * n + 1, n))])


def check_side(n: int) -> str:
    """Return what is wrong with the side of a board."""
    is_side = SMALLEST_SIDE <= n <= LARGEST_SIDE
    return "" if is_side else f"the side of a board is between {SMALLEST_SIDE} and {LARGEST_SIDE}"


def check_moves(moves: int) -> str:
    """Return what is wrong with the length of a walk."""
    return "" if moves >= 0 else "a walk has 0 moves or more"


SIDE = Parameter("n", 4, "the side of the board", check=check_side)
GENERATORS = (
    Generator(
        "shuffled",
        shuffled,
        domains={"sliding-tile"},
        summary="any solvable board, all equally likely",
        parameters=(SIDE,),
    ),
    Generator(
        "walk",
        walk,
        domains={"sliding-tile"},
        summary="a random walk from the goal that never steps straight back",
        parameters=(SIDE, Parameter("moves", 50, "how many, which bounds the cost of a solution", check=check_moves)),
    ),
)
