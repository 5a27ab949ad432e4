"""Tables that fit a page: long texts lose their middle, and then the least important columns are left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

GAP = "  "
DOTS = "…"
SHORTEST, LONGEST = 16, 32
"""A text is shortened to so much at most, to less than LONGEST only where different texts stay different."""


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
    lines = [GAP.join(row).rstrip() for row in zip(*cells, strict=True)]
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
    return sum(widths) + len(GAP) * (len(widths) - 1)
