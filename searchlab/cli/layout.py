"""Text on a page of limited width: pieces in a line, blocks side by side, tables."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, TextIO
from unicodedata import category, combining, east_asian_width

import click

from searchlab.cli.styling import Styled, safe
from searchlab.errors.control_characters import escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLAIN_WIDTH = 80
GAP = "   "


def page_width() -> int:
    """Return the width of the terminal, 80 characters where there is none."""
    return max(20, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns)


def shows_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that is to show colours (see no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()


def writes_to_terminal() -> bool:
    """Return whether somebody watches standard output."""
    return sys.stdout is not None and sys.stdout.isatty()


def folded(pieces: Iterable[str], width: int, separator: str = " ") -> list[str]:
    """Return pieces of text in as few lines as they need."""
    lines: list[str] = []
    for piece in map(escaped, pieces):
        if lines and len(lines[-1]) + len(separator) + len(piece) <= width:
            lines[-1] += separator + piece
        else:
            lines.append(piece)
    return lines


def shown_width(text: str) -> int:
    r"""Return how many columns a text takes in a terminal: escape sequences none, wide characters two.

    >>> shown_width("256"), shown_width("\x1b[1m256\x1b[0m"), shown_width("🟥🟦")
    (3, 3, 4)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_columns(character) for character in click.unstyle(text))


def _columns(character: str) -> int:
    if combining(character) or category(character) in ("Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def cut(line: str, width: int) -> str:
    """Return a line, what does not fit into the width replaced by a "…".

    >>> cut("a long line", 6)
    'a lon…'
    """
    line = safe(line)
    if shown_width(line) <= width:
        return line
    line = click.unstyle(line)
    while shown_width(line) >= width:
        line = line[:-1]
    return f"{line}…"


def side_by_side(blocks: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return blocks of lines next to each other, as many as fit, the others below them."""
    lines: list[str] = []
    blocks = [list(map(safe, block)) for block in blocks]
    widths = [max(map(shown_width, block), default=0) for block in blocks]
    first = 0
    while first < len(blocks):
        last = first + 1
        while last < len(blocks) and sum(widths[first : last + 1]) + len(GAP) * (last - first) <= width:
            last += 1
        rows = max(len(block) for block in blocks[first:last])
        if lines:
            lines.append("")
        for row in range(rows):
            texts = [block[row] if row < len(block) else "" for block in blocks[first:last]]
            cells = [text + " " * (w - shown_width(text)) for text, w in zip(texts, widths[first:last], strict=True)]
            lines.append(Styled(GAP.join(cells).rstrip()))
        first = last
    return lines


def table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a table, its first column to the left and the others to the right.

    Where it is too wide, the columns that do not fit follow in further tables below.
    """
    header, *rows = [[cell if cell.isprintable() else one_line(cell) for cell in row] for row in (header, *rows)]
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines: list[str] = []
    first = 1
    while first < len(columns) or not lines:
        last = first + 1
        while last < len(columns) and _joined_width([widths[0], *widths[first : last + 1]]) <= width:
            last += 1
        if lines:
            lines.append("")
        shown = [0, *range(first, min(last, len(columns)))]
        for row in (header, *rows):
            cells = [row[c].rjust(widths[c]) if c else row[c].ljust(widths[c]) for c in shown]
            lines.append("  ".join(cells).rstrip())
        first = last
    return lines


def natural_width(rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table of these rows is, all columns beside one another."""
    return _joined_width([max(map(len, column)) for column in zip(*rows, strict=True)])


def _joined_width(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)
