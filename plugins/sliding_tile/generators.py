"""Random boards of the sliding-tile puzzle: any solvable board, or a board some moves from the goal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from searchlab import Board, Generator, Parameter, UsageError
from searchlab_plugins.sliding_tile.domain import solvable, successors
from searchlab_plugins.sliding_tile.goals import SMALLEST_SIDE, goal_tiles, own_shape, why_unfit

if TYPE_CHECKING:
    from random import Random

LARGEST_SIDE = 1000


def shuffled(random: Random, goal: str, n: int = 4, columns: int = 0) -> Board:
    """Return a solvable board, chosen uniformly.

    The tiles are shuffled (Fisher and Yates 1938). Half of all boards are unsolvable. If the result is unsolvable, two
    tiles are exchanged, which maps unsolvable boards one-to-one to solvable boards.
    """
    shape = shape_of(goal, n, columns)
    tiles = list(range(shape[0] * shape[1]))
    for last in range(len(tiles) - 1, 0, -1):
        other = int(random.random() * (last + 1))
        tiles[last], tiles[other] = tiles[other], tiles[last]
    if not solvable(_board(tiles, shape), goal_tiles(shape, goal)):
        first, second = [cell for cell in range(3) if tiles[cell]][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return _board(tiles, shape)


def walk(random: Random, goal: str, n: int = 4, columns: int = 0, moves: int = 50) -> Board:
    """Return the end of a random walk from the goal that never undoes a move; all other moves are equally likely."""
    shape = shape_of(goal, n, columns)
    before = board = _board(goal_tiles(shape, goal).tolist(), shape)
    for _ in range(moves):
        ways = [after for _, after, _ in successors(board) if after != before]
        before, board = board, ways[int(random.random() * len(ways))]
    return board


def shape_of(goal: str, n: int, columns: int) -> tuple[int, int]:
    """Return the rows and columns of boards; by default the shape of a goal that is a list of tiles.

    Raises:
        UsageError: the goal does not fit boards of this shape.
    """
    own = own_shape(goal)
    if own and (n, columns) == (SIDE.default, COLUMNS.default):
        return own
    shape = n, columns or n
    unfit = why_unfit(goal, shape)
    if unfit:
        raise UsageError(unfit)
    return shape


def _board(tiles: list[int], shape: tuple[int, int]) -> Board:
    rows, columns = shape
    return Board([tiles[start:end] for start, end in pairwise(range(0, rows * columns + 1, columns))])


def check_side(n: int) -> str:
    """Return an error message for an invalid side of a board, or `""`."""
    is_side = SMALLEST_SIDE <= n <= LARGEST_SIDE
    return "" if is_side else f"the side of a board is between {SMALLEST_SIDE} and {LARGEST_SIDE}"


def check_columns(columns: int) -> str:
    """Return an error message for an invalid number of columns, or `""`."""
    return check_side(columns) if columns else ""


def check_moves(moves: int) -> str:
    """Return an error message for an invalid length of a walk, or `""`."""
    return "" if moves >= 0 else "a walk has 0 moves or more"


SIDE = Parameter("n", 4, "the side of the board, or its rows", check=check_side)
COLUMNS = Parameter("columns", 0, "its columns; by default as many as rows", check=check_columns)
GENERATORS = (
    Generator(
        "shuffled",
        shuffled,
        domains={"sliding-tile"},
        summary="a random solvable board",
        parameters=(SIDE, COLUMNS),
    ),
    Generator(
        "walk",
        walk,
        domains={"sliding-tile"},
        summary="a random walk from the goal that never undoes a move",
        parameters=(
            SIDE,
            COLUMNS,
            Parameter("moves", 50, "how many, which bounds the cost of a solution", check=check_moves),
        ),
    ),
)
