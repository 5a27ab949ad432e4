"""Lay text out on a page of limited width: lines, blocks side by side, and tables in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.output import Styled, safe
from searchlab.errors.control_characters import one_line
from searchlab.model.formatting import ELLIPSIS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.experiments.page import TextColumn

BLOCK_GAP = "   "
SHORTEST_LABEL = 5
"""The smallest width of the first column of a table in parts, if its cells stay different."""


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
    """Return a line cut to a width, ending in "…" if it is wider.

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


def table_in_parts(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return a table with every column; columns that do not fit the page follow in further parts below.

    Each part begins with the first column, which is left-aligned. If a part of two columns is wider than the page, the
    first column is shortened as far as its cells stay different, then the second heading. The other columns are
    right-aligned, and their cells are never shortened.

    Args:
        rows: the cells, the headings first.
        width: the width of the page.
    """
    from searchlab.experiments.page import COLUMN_GAP, joined_columns, total_width  # late: few commands show tables

    labels, *others = _columns(rows)
    lines: list[str] = []
    while others or not lines:
        count = min(1, len(others))
        while count < len(others) and total_width([labels.width, *(c.width for c in others[: count + 1])]) <= width:
            count += 1
        part, others = [labels, *others[:count]], others[count:]
        widths = [column.width for column in part]
        if total_width(widths) > width and count:  # then there is one column beside the labels
            least = labels.distinct(SHORTEST_LABEL, labels.width)
            widths[1] = max(*map(len, part[1].cells), min(widths[1], width - len(COLUMN_GAP) - least), 0)
            widths[0] = max(least, min(widths[0], width - len(COLUMN_GAP) - widths[1]))
        lines += ["", *joined_columns(part, widths)] if lines else joined_columns(part, widths)
    return lines


def table_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the width of a table with all columns side by side."""
    from searchlab.experiments.page import total_width

    return total_width([column.width for column in _columns(rows)])


def _columns(rows: Sequence[Sequence[str]]) -> list[TextColumn]:
    from searchlab.experiments.page import TextColumn

    texts = [[cell if cell.isprintable() else one_line(cell) for cell in row] for row in rows]
    columns = zip(*texts, strict=True)
    return [TextColumn(name, cells, is_text=number == 0) for number, (name, *cells) in enumerate(columns)]
