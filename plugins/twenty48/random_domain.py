"""The rules of 2048 with random tiles.

After each swipe that changes the board a tile appears in a random blank cell; all blank cells are equally likely. The
tile is a 2 with probability `p2`, else a 4. A merge earns the value of the new tile as points. The game is over when no
swipe changes the board, or when the tile `stop_at` has appeared.

An event is written `value row column`, with rows and columns counted from 0 at the upper left. One raw number r of the
`Randomness` makes a tile. Of k cells, listed row by row, it selects the cell with the number `(r >> 32) * k >> 32`. The
tile is a 2 if `(r & 0xFFFFFFFF) < p2 * 2^32`, else a 4. The cells are the blank cells. With `offers=any` they are all
cells, and a tile on an occupied cell is refused and drawn again. With `idle=yes` a swipe that changes nothing is a
move, too, and the game is over when no cell is blank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Chance, Defaults, Domain, Parameter, TileIndexError, Views
from searchlab_plugins.twenty48 import domain as deterministic
from searchlab_plugins.twenty48.boxes import BOARDS, BOXES, transcript
from searchlab_plugins.twenty48.random_packed import ANY, packed_form
from searchlab_plugins.twenty48.slides import ACTIONS, swipes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from searchlab import Randomness

BLANK = "blank"
WORTH_TELLING = 2048
"""The smallest tile that a remark announces."""


def start(n: int) -> Board:
    """Return the blank board, on which the first tiles appear."""
    return Board(np.zeros((n, n), np.int64))


def opening(tiles: int) -> int:
    """Return the number of tiles before the first move."""
    return tiles


def successors(board: Board, idle: bool) -> Iterator[tuple[str, Board]]:
    """Yield (action, board) for each swipe (up, down, left, right) that is a move, before a tile appears."""
    if idle and board.tiles.all():
        return
    for action, tiles in zip(ACTIONS, swipes(board.tiles), strict=True):
        if tiles is not None:
            yield action, Board(tiles)
        elif idle:
            yield action, board


def is_goal(board: Board, stop_at: int) -> bool:
    """Return whether the tile that ends the game is on the board."""
    return 0 < stop_at <= board.largest_tile()


def why_invalid(board: Board) -> str:
    """Return an error message for an illegal board, or for tiles that could overflow when they merge, or `""`."""
    wrong = deterministic.why_invalid(board)
    if not wrong and sum(board.tiles.ravel().tolist()) >= 2 * deterministic.LARGEST_TILE:
        return "its tiles add up to 2^63 or more, and no tile is larger than 2^62"
    return wrong


def events(board: Board, p2: float) -> Iterator[tuple[str, Board, float]]:
    """Yield (event, board, probability) for a 2 and a 4 in each blank cell, row by row."""
    cells = _blanks(board)
    for row, column in cells:
        for value, probability in ((2, p2 / len(cells)), (4, (1 - p2) / len(cells))):
            if probability > 0:
                yield f"{value} {row} {column}", _with(board, value, row, column), probability


def draw(board: Board, random: Randomness, p2: float, offers: str) -> Iterator[tuple[str, Board | None]]:
    """Yield the tiles that are drawn, until one falls on a blank cell."""
    blanks = _blanks(board)
    cells = blanks if offers == BLANK else [(row, column) for row in range(board.n) for column in range(board.n)]
    while blanks:
        drawn = random.raw()
        row, column = cells[(drawn >> 32) * len(cells) >> 32]
        value = 2 if (drawn & 0xFFFFFFFF) < p2 * 2**32 else 4
        event = f"{value} {row} {column}"
        if (row, column) in blanks:
            yield event, _with(board, value, row, column)
            return
        yield event, None


def apply(board: Board, event: str) -> Board | None:
    """Return a board with a new tile, given as `value row column`, or None if the cell is occupied.

    Raises:
        ValueError: there is no such tile or cell.
    """
    numbers = event.split()
    if len(numbers) != 3 or not all(number.isascii() and number.isdigit() for number in numbers):
        msg = "a tile is given as value, row and column"
        raise ValueError(msg)
    value, row, column = map(int, numbers)
    if not 2 <= value <= deterministic.LARGEST_TILE or value & (value - 1):
        msg = f"{value} is no power of two from 2 to 2^62"
        raise ValueError(msg)
    try:
        taken = board.tile_at(row, column)
    except TileIndexError as error:
        raise ValueError(str(error)) from None
    return None if taken else _with(board, value, row, column)


def points(board: Board, after: Board) -> int:
    """Return the points of a move: the sum of the tiles that were made by merging."""
    return worth(after) - worth(board)


def remark(board: Board, after: Board, stop_at: int) -> str:
    """Announce the first tile of its size from 2048 on, unless it ends the game."""
    largest = after.largest_tile()
    is_news = largest >= WORTH_TELLING and largest > board.largest_tile() and not stop_at
    return f"{largest} reached: the game goes on" if is_news else ""


def worth(board: Board) -> int:
    """Return the points for making the tiles of a board from 2s: the merges for a tile 2^k earn (k - 1) 2^k."""
    return sum((tile.bit_length() - 2) * tile for tile in board.tiles.ravel().tolist())


def samples() -> Iterator[tuple[Mapping[str, Any], Board]]:
    """Yield small boards, a 4 × 4 board, a board with tiles too large for four bits, and boards with other rules."""
    yield {}, Board([[0, 2], [2, 0]])
    yield {"n": 3, "stop_at": 16}, Board([[2, 0, 0], [0, 4, 0], [0, 0, 2]])
    yield {}, Board([[0, 0, 2, 0], [0, 0, 0, 0], [0, 4, 0, 0], [0, 0, 0, 0]])
    tall = [[65536, 32768, 16384, 4096], [2048, 1024, 512, 256], [2, 4, 8, 16], [2, 0, 0, 0]]
    yield {"offers": ANY, "p2": 0.75}, Board(tall)
    yield {"idle": True, "p2": 1.0}, Board([[0, 2], [0, 0]])


def _blanks(board: Board) -> list[tuple[int, int]]:
    """Return the rows and columns of the blank cells, row by row."""
    columns = board.shape[1]
    return [divmod(cell, columns) for cell, tile in enumerate(board.tiles.ravel().tolist()) if not tile]


def _with(board: Board, value: int, row: int, column: int) -> Board:
    """Return a board with one more tile."""
    tiles = board.tiles.copy()
    tiles[row, column] = value
    return Board(tiles)


def afterstate_heuristic(n: int) -> str:
    """Return the heuristic of players that look ahead: the network that ships, or a heuristic for any size."""
    return "searchlab/ntuple" if n == 4 else "searchlab/smooth"


def check_probability(p2: float) -> str:
    """Return an error message for an invalid probability, or `""`."""
    return "" if 0 <= p2 <= 1 else "a probability is between 0 and 1"


def check_count(tiles: int) -> str:
    """Return an error message for an invalid number of tiles, or `""`."""
    return "" if tiles >= 0 else "there are 0 or more"


def check_stop(stop_at: int) -> str:
    """Return an error message for an invalid tile to stop at, or `""`."""
    is_tile = stop_at == 0 or not deterministic.check_goal(stop_at)
    return "" if is_tile else "it is a power of two from 4 to 2^62, or 0 for none"


DOMAIN = Domain(
    "2048-random",
    successors,
    is_goal,
    summary="slide and merge tiles for points; tiles appear by chance",
    parameters=(
        Parameter("n", 4, "the side of the board", check=deterministic.check_side),
        Parameter("p2", 0.9, "the probability of a 2; else it is a 4", check=check_probability),
        Parameter("tiles", 2, "how many there are before the first move", check=check_count),
        Parameter("stop_at", 0, "the tile with which the game is over, 0 for none", check=check_stop),
        Parameter("offers", BLANK, "the cells that are drawn from", (BLANK, ANY)),
        Parameter("idle", False, "whether a swipe that changes nothing is a move; then a full board ends the game"),
        Parameter("printout", BOARDS, "how a transcript shows a game", (BOARDS, BOXES)),
    ),
    presets={
        "classic": {},
        "cs61b": {"p2": 0.75, "stop_at": 2048, "offers": ANY},
        "tutorial": {"idle": True, "printout": BOXES},
    },
    start=start,
    why_invalid=why_invalid,
    packed=packed_form,
    samples=samples,
    compatible_with=frozenset({"2048"}),
    ends_at_goal=True,
    chance=Chance(events, opening=opening, draw=draw, apply=apply, points=points, symmetric=True),
    views=Views(remark=remark, motions=deterministic.motions, transcript=transcript),
    defaults=Defaults(
        heuristic="searchlab/smooth", afterstate_heuristic=afterstate_heuristic, player="searchlab/expectimax"
    ),
)
