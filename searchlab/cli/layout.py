"""Lay text out on a page of limited width: lines, blocks side by side, and tables.

Tables are not `rich.table.Table`: importing it takes 20 ms, and it can neither shorten a cell in the middle nor leave
out a column, which is how a table of results keeps its names apart on a narrow page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import click

from searchlab.cli.output import Styled, safe
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

BLOCK_GAP = "   "
COLUMN_GAP = "  "
ELLIPSIS = "…"
SHORTEST, LONGEST = 16, 32
"""Texts of a column may be shortened to 16 characters; to fewer than 32 only while different texts stay different."""
SHORTEST_LABEL = 5
"""Characters to which the first column of a table in parts may be shortened, while its cells stay different."""


def shown_width(text: str) -> int:
    r"""Return the number of columns a text takes in a terminal: no escape sequences, two for wide characters.

    >>> shown_width("256"), shown_width("\x1b[1m256\x1b[0m"), shown_width("🟥🟦")
    (3, 3, 4)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(click.unstyle(text))


def cut(line: str, width: int) -> str:
    """Return a line whose end is replaced by "…" if it is wider than `width`.

    >>> cut("a long line", 6)
    'a lon…'
    """
    line = safe(line)
    if shown_width(line) <= width:
        return line
    line = click.unstyle(line)
    while shown_width(line) >= width:
        line = line[:-1]
    return f"{line}{ELLIPSIS}"


def shortened(text: str, width: int) -> str:
    """Return a text whose middle is replaced by "…" if it is longer than `width`; the ends tell names apart.

    >>> shortened("weighted-astar:weight=3", 12)
    'weight…ght=3'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[len(text) - tail :]}"


def side_by_side(blocks: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return blocks of lines next to each other, as many as fit, the others below them."""
    lines: list[str] = []
    blocks = [list(map(safe, block)) for block in blocks]
    widths = [max(map(shown_width, block), default=0) for block in blocks]
    first = 0
    while first < len(blocks):
        last = first + 1
        while last < len(blocks) and sum(widths[first : last + 1]) + len(BLOCK_GAP) * (last - first) <= width:
            last += 1
        rows = max(len(block) for block in blocks[first:last])
        if lines:
            lines.append("")
        for row in range(rows):
            texts = [block[row] if row < len(block) else "" for block in blocks[first:last]]
            cells = [text + " " * (w - shown_width(text)) for text, w in zip(texts, widths[first:last], strict=True)]
            lines.append(Styled(BLOCK_GAP.join(cells).rstrip()))
        first = last
    return lines


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: its heading.
        cells: its cells, one a row.
        is_text: whether it is aligned to the left and may be shortened.
    """

    name: str
    cells: Sequence[str]
    is_text: bool

    @cached_property
    def width(self) -> int:
        """The width at which nothing is shortened."""
        return max(map(len, (self.name, *self.cells)))

    @cached_property
    def least(self) -> int:
        """The smallest width before another column is left out instead."""
        if not self.is_text:
            return self.width
        return min(self.width, max(len(self.name), self.distinct(SHORTEST, LONGEST)))

    def distinct(self, least: int, most: int) -> int:
        """Return the smallest width from `least` to `most` at which different cells stay different, else `most`."""
        texts = set(self.cells)
        widths = (w for w in range(least, most) if len({shortened(text, w) for text in texts}) == len(texts))
        return next(widths, most)

    def lines(self, width: int) -> list[str]:
        """Return its heading and cells, padded or shortened to a width."""
        texts = [shortened(text, width) for text in (self.name, *self.cells)]
        return [text.ljust(width) if self.is_text else text.rjust(width) for text in texts]


def columns_of(table: pd.DataFrame) -> list[Column]:
    """Return the columns of a DataFrame, numbers formatted for people."""
    from searchlab.reports.cells import is_text, shown

    return [Column(one_line(str(name)), shown(table[name]), is_text(table[name])) for name in table.columns]


def fitted_table(columns: Sequence[Column], width: int, importance: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return a table that fits a page: texts are shortened, then the least important columns left out.

    Args:
        columns: the columns from left to right.
        width: the width of the page.
        importance: names of columns, the most important first; the columns not named follow in their order.

    Returns:
        the lines, the heading first, and the names of the columns left out.
    """
    names = [column.name for column in columns]
    ranked = sorted(names, key=lambda name: importance.index(name) if name in importance else len(importance))
    kept = list(columns)
    while len(kept) > 1 and not fits(kept, width):
        kept.remove(max(kept, key=lambda column: ranked.index(column.name)))
    widths = _shared([column.width for column in kept], [column.least for column in kept], width)
    return _joined(kept, widths), [name for name in names if all(column.name != name for column in kept)]


def fits(columns: Sequence[Column], width: int) -> bool:
    """Return whether columns fit a page beside one another, each at its smallest width."""
    return _total([column.least for column in columns]) <= width


def table_in_parts(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a table with every column; those that do not fit the page follow in further parts below.

    Each part begins with the first column, which is aligned to the left. Where a part of two columns is wider than the
    page, the first column is shortened as long as its cells stay different, and then the second heading. The other
    columns are aligned to the right, and their cells are always whole.

    Args:
        rows: the cells, the headings first.
        width: the width of the page.
    """
    labels, *others = _columns(rows)
    lines: list[str] = []
    while others or not lines:
        count = min(1, len(others))
        while count < len(others) and _total([labels.width, *(c.width for c in others[: count + 1])]) <= width:
            count += 1
        part, others = [labels, *others[:count]], others[count:]
        widths = [column.width for column in part]
        if _total(widths) > width and count:  # then there is one column beside the labels
            least = labels.distinct(SHORTEST_LABEL, labels.width)
            widths[1] = max(*map(len, part[1].cells), min(widths[1], width - len(COLUMN_GAP) - least), 0)
            widths[0] = max(least, min(widths[0], width - len(COLUMN_GAP) - widths[1]))
        lines += ["", *_joined(part, widths)] if lines else _joined(part, widths)
    return lines


def table_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the width of a table with all columns beside one another."""
    return _total([column.width for column in _columns(rows)])


def _columns(rows: Sequence[Sequence[str]]) -> list[Column]:
    texts = [[cell if cell.isprintable() else one_line(cell) for cell in row] for row in rows]
    columns = zip(*texts, strict=True)
    return [Column(name, cells, is_text=number == 0) for number, (name, *cells) in enumerate(columns)]


def _joined(columns: Sequence[Column], widths: Sequence[int]) -> list[str]:
    cells = [column.lines(width) for column, width in zip(columns, widths, strict=True)]
    return [COLUMN_GAP.join(row).rstrip() for row in zip(*cells, strict=True)]


def _shared(widths: list[int], least: list[int], width: int) -> list[int]:
    """Return widths that fit the page; the widest column gives room first."""
    if len(widths) == 1:
        return [min(widths[0], width)]
    while _total(widths) > width:
        widest = max((w, place) for place, w in enumerate(widths) if w > least[place])[1]
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(COLUMN_GAP) * (len(widths) - 1)
