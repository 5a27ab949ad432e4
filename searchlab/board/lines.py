"""Boards in one line: the form in which a program asks for move after move."""

from __future__ import annotations

import re
from math import isqrt

from searchlab.board.board import Board
from searchlab.errors import BoardError, shown

ROW_ENDS = "/;"
_NUMBERS = re.compile(r"[0-9 \t\r\n\f\v,/;]*")
_BETWEEN_ROWS = re.compile(f"[{ROW_ENDS}]")
WANTED = "n × n tiles row by row, n before them if you like"


def parse_board_line(line: str) -> Board:
    """Return the board of a line: its tiles row by row, between them blanks, tabs or commas.

    `n` may stand before the n × n tiles. A `/` or a `;` may end each row, and does where a board is not square.

    Raises:
        BoardError: there is none.

    >>> parse_board_line("2 0 4 8") == parse_board_line("2  2,0, 4,8") == parse_board_line("2 0/4 8")
    True
    >>> parse_board_line("3 1 2 /").shape
    (1, 3)
    """
    if not _NUMBERS.fullmatch(line):
        raise BoardError(_what_is_no_tile(line))
    try:
        rows = [list(map(int, row.split())) for row in _BETWEEN_ROWS.split(line.replace(",", " "))]
    except ValueError:  # Python refuses numbers of thousands of digits
        raise BoardError("a tile is between 0 and 2^63 - 1") from None
    if len(rows) > 1:
        return Board(_without_size(rows if rows[-1] else rows[:-1]))
    tiles = _without_count(rows[0])
    n = isqrt(len(tiles))
    return Board([tiles[k : k + n] for k in range(0, len(tiles), n)])


def _without_count(numbers: list[int]) -> list[int]:
    """Return the tiles of a square board, the n that may stand before them left out."""
    count = len(numbers)
    if not numbers:
        raise BoardError(f"there is no board: {WANTED}")
    if isqrt(count) ** 2 == count:
        return numbers
    if numbers[0] ** 2 == count - 1:
        return numbers[1:]
    raise BoardError(f"{count} numbers are no board: {WANTED}")


def _without_size(rows: list[list[int]]) -> list[list[int]]:
    """Return rows without the n that may stand before them, as a row of its own or in the first."""
    first, others = rows[0], rows[1:]
    n = len(others[-1]) if others else 0
    if n > 0 and first[:1] == [n]:
        if len(first) == n + 1:
            return [first[1:], *others]
        if len(first) == 1 < n:
            return others
    return rows


def _what_is_no_tile(line: str) -> str:
    words = re.split(f"[{ROW_ENDS},\\s]+", line)
    wrong = next((word for word in words if not (word.isascii() and word.isdigit()) and word), line)
    return f"{shown(wrong, 40)} is no tile: a tile is a whole number, 0 for blank"
