"""The transcript of a game of 2048 in the form of a tutorial: boards of boxes, and a heading for each move and tile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from searchlab import Board, Turn

BOARDS, BOXES = "boards", "boxes"
WIDTH = 8
"""The number of characters inside a box, unless a number is wider."""


def transcript(start: Board, turns: tuple[Turn, ...], printout: str) -> Iterable[str] | None:
    """Return the pieces of a transcript with boxes, or None for a transcript in the usual form."""
    return _game(start, turns) if printout == BOXES else None


def _game(start: Board, turns: tuple[Turn, ...]) -> Iterator[str]:
    score: float = 0
    yield _position(start, score)
    for turn in turns:
        score += turn.points
        yield f"{_headed('Human move')}{_position(turn.after, score)}"
        if turn.events:
            yield f"{_headed('Computer move')}{_position(turn.board, score)}"
    yield f"Final Score: {score}\n"


def _headed(title: str) -> str:
    return f"{title}\n{'=' * len(title)}\n"


def _position(board: Board, score: float) -> str:
    return f"{boxes(board)}Score: {score}\n"


def boxes(board: Board) -> str:
    """Return a board as boxes with centred numbers; an odd blank goes to the right.

    >>> from searchlab import Board
    >>> print(boxes(Board([[128, 0], [0, 2]])), end="")
    +--------+--------+
    |        |        |
    |  128   |        |
    |        |        |
    +--------+--------+
    |        |        |
    |        |   2    |
    |        |        |
    +--------+--------+
    """
    width = max(WIDTH, len(str(board.largest_tile())))
    border = f"+{'+'.join(['-' * width] * board.n)}+\n"
    air = f"|{'|'.join([' ' * width] * board.n)}|\n"
    rows = ("|".join(_centred(tile, width) for tile in row) for row in board.tiles.tolist())
    return border + "".join(f"{air}|{row}|\n{air}{border}" for row in rows)


def _centred(tile: int, width: int) -> str:
    text = str(tile) if tile else ""
    before = (width - len(text)) // 2
    return f"{' ' * before}{text}".ljust(width)
