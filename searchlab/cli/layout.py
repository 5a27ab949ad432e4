"""Lay text out on a page of limited width: lines, blocks side by side, and tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from unicodedata import category, combining, east_asian_width

import click

from searchlab.cli.output import Styled, safe
from searchlab.errors.control_characters import escaped, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

GAP = "   "

COLUMN_GAP = "  "
DOTS = "…"
SHORTEST, LONGEST = 16, 32
"""A text is shortened to so much at most, to less than LONGEST only where different texts stay different."""


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


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its heading.
        cells: one a row.
        is_text: whether it stands to the left, and may be shortened.
    """

    name: str
    cells: Sequence[str]
    is_text: bool

    @cached_property
    def width(self) -> int:
        """How wide it is in full."""
        return max(map(len, (self.name, *self.cells)))

    @cached_property
    def least(self) -> int:
        """How narrow it may be before another column is left out for it."""
        if not self.is_text:
            return self.width
        texts = set(self.cells)
        telling = (w for w in range(SHORTEST, LONGEST) if len({shortened(text, w) for text in texts}) == len(texts))
        return min(self.width, max(len(self.name), next(telling, LONGEST)))

    def lines(self, width: int) -> list[str]:
        """Return its heading and cells, all of a width."""
        texts = [shortened(text, width) for text in (self.name, *self.cells)]
        return [text.ljust(width) if self.is_text else text.rjust(width) for text in texts]


def columns_of(table: pd.DataFrame) -> list[Column]:
    """Return the columns of a table as people read them."""
    from searchlab.reports.cells import is_text, shown

    return [Column(one_line(str(name)), shown(table[name]), is_text(table[name])) for name in table.columns]


def fitted(columns: Sequence[Column], width: int, importance: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return a table no wider than a page.

    Args:
        columns: from left to right.
        importance: names of columns, the most important first; behind them come the others as they stand.

    Returns:
        its lines, the heading first, and the names of the columns that were left out.
    """
    names = [column.name for column in columns]
    ranked = sorted(names, key=lambda name: importance.index(name) if name in importance else len(importance))
    kept = list(columns)
    while len(kept) > 1 and not fits(kept, width):
        least_important = max(kept, key=lambda column: ranked.index(column.name))
        kept.remove(least_important)
    widths = _shared([column.width for column in kept], [column.least for column in kept], width)
    cells = [column.lines(w) for column, w in zip(kept, widths, strict=True)]
    lines = [COLUMN_GAP.join(row).rstrip() for row in zip(*cells, strict=True)]
    return lines, [name for name in names if all(column.name != name for column in kept)]


def fits(columns: Sequence[Column], width: int) -> bool:
    """Return whether columns fit a page beside one another, shortened as far as they may be."""
    return _joined([column.least for column in columns]) <= width


def shortened(text: str, width: int) -> str:
    """Return a text without its middle where it is too long; its ends tell most.

    >>> shortened("weighted-astar:weight=3", 12)
    'weight…ght=3'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}{DOTS}{text[len(text) - tail :]}"


def _shared(widths: list[int], least: list[int], width: int) -> list[int]:
    """Return widths that fit the page: the widest columns give room first."""
    if len(widths) == 1:
        return [min(widths[0], width)]
    while _joined(widths) > width:
        giving = max((w, place) for place, w in enumerate(widths) if w > least[place])[1]
        widths[giving] -= 1
    return widths


def _joined(widths: list[int]) -> int:
    return sum(widths) + len(COLUMN_GAP) * (len(widths) - 1)
