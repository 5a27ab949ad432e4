"""The rules of deterministic 2048.

After each swipe that changes the board a 2 appears. With `spawn=right-column` it appears in the uppermost blank cell of
the rightmost column; a swipe that leaves this column full is not a move. With `spawn=corner` it appears in the
upper-right cell; if this cell is occupied, nothing appears and the game is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Defaults, Domain, Parameter, Views
from searchlab_plugins.twenty48.heuristics import moves_to_go
from searchlab_plugins.twenty48.packed import packed_form
from searchlab_plugins.twenty48.slides import ACTIONS, SHORT, swipes
from searchlab_plugins.twenty48.slides import motions as slides

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from numpy.typing import NDArray

RIGHT_COLUMN, CORNER = "right-column", "corner"
LARGEST_TILE = 2**62
TILES = frozenset({0, *(2**power for power in range(1, 63))})
"""The possible contents of a cell."""
SMALLEST_SIDE = 2


def start(n: int) -> Board:
    """Return the start board: a single 2 in the upper-right cell."""
    tiles = np.zeros((n, n), np.int64)
    tiles[0, n - 1] = 2
    return Board(tiles)


def successors(board: Board, spawn: str) -> Iterator[tuple[str, Board, int, bool]]:
    """Yield (action, board, cost, terminal) for each swipe (up, down, left, right) that is a move."""
    for action, tiles in zip(ACTIONS, swipes(board.tiles), strict=True):
        if tiles is None:
            continue
        spawned = _spawn(tiles, spawn)
        if spawned or spawn == CORNER:
            yield action, Board(tiles), 1, not spawned


def _spawn(tiles: NDArray[np.int64], spawn: str) -> bool:
    """Put a 2 into its cell; return False if there is no room."""
    column = tiles[:1, -1] if spawn == CORNER else tiles[:, -1]
    values = column.tolist()
    if 0 not in values:
        return False
    column[values.index(0)] = 2
    return True


def motions(board: Board, action: str, after: Board) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the motion of each tile: source and target as (row, column); a tile in any other cell has appeared."""
    return slides(board, action)


def is_goal(board: Board, goal: int) -> bool:
    """Return whether any tile has reached the goal."""
    return board.largest_tile() >= goal


def smaller(board: Board) -> Iterator[Board]:
    """Yield the boards without an outer row and column, then without a single tile, then with a single tile halved."""
    tiles = board.tiles
    if len(tiles) > SMALLEST_SIDE:
        for part in (tiles[1:, 1:], tiles[1:, :-1], tiles[:-1, 1:], tiles[:-1, :-1]):
            yield Board(part)
    cells = np.argwhere(tiles)
    for halved in (False, True):
        for row, column in cells:
            fewer = tiles.copy()
            fewer[row, column] = fewer[row, column] // 2 if halved else 0
            if not halved or fewer[row, column] > 1:
                yield Board(fewer)


def why_invalid(board: Board) -> str:
    """Return an error message for an illegal board, or `""`."""
    rows, columns = board.shape
    if rows != columns or rows < SMALLEST_SIDE:
        return f"it is {rows} × {columns}, and 2048 is played on n × n with n >= {SMALLEST_SIDE}"
    tiles = board.tiles
    if len(tiles) <= SHORT and TILES.issuperset(tiles.ravel().tolist()):
        return ""
    wrong = np.argwhere((tiles & (tiles - 1) != 0) | (tiles == 1) | (tiles > LARGEST_TILE))
    if wrong.size:
        row, column = wrong[0]
        tile = tiles[row, column]
        return f"the tile {tile} at row {row + 1}, column {column + 1} is no power of two from 2 to 2^62"
    return ""


def why_unsolvable(board: Board, goal: int) -> str:
    """Return the reason why a board has no room for a goal, or `""`: when the last 2 appears, all other sizes exist."""
    most = 2 ** (board.n**2)
    if goal > most and sum(board.tiles.ravel().tolist()) < goal:
        return f"a tile {goal} cannot be made on {board.n} × {board.n}: where only 2s appear, none above {most} can"
    return ""


def lower_bound(board: Board, goal: int) -> int:
    """Return a lower bound on the number of moves to the goal; see `moves-to-go`."""
    return int(moves_to_go(board.tiles, goal))


def samples(spawn: str) -> Iterator[tuple[Mapping[str, Any], Board]]:
    """Yield 3 × 3 start boards, with small state spaces, and a 4 × 4 start board, with a large state space."""
    yield {"goal": 32}, start(3)
    if spawn == RIGHT_COLUMN:
        yield {"goal": 512}, start(3)
    yield {"goal": 64}, start(4)


def check_goal(goal: int) -> str:
    """Return an error message for an invalid goal, or `""`."""
    if goal < 4 or goal & (goal - 1) or goal > LARGEST_TILE:
        return "a goal is a power of two from 4 to 2^62"
    return ""


def check_side(n: int) -> str:
    """Return an error message for an invalid side of the start board, or `""`."""
    return "" if SMALLEST_SIDE <= n <= 32_768 else "the side of a board is between 2 and 32768"


DOMAIN = Domain(
    "2048",
    successors,
    is_goal,
    summary="slide and merge tiles up to a goal; each 2 appears in a fixed place",
    parameters=(
        Parameter("goal", 2048, "the tile to reach, a power of two >= 4", check=check_goal),
        Parameter("spawn", RIGHT_COLUMN, "where the next 2 appears", (RIGHT_COLUMN, CORNER)),
        Parameter("n", 4, "the side of the start board", check=check_side),
    ),
    start=start,
    why_invalid=why_invalid,
    why_unsolvable=why_unsolvable,
    lower_bound=lower_bound,
    packed=packed_form,
    smaller=smaller,
    samples=samples,
    layered=True,  # the sum of the tiles grows by 2 with each move
    ends_at_goal=True,
    views=Views(motions=motions),
    defaults=Defaults(heuristic="searchlab/left-weighted", frontier="searchlab/greedy"),
)
