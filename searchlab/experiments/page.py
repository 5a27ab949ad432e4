"""Tables and notes on a page: as text of limited width, or as HTML for a notebook.

`rich.table.Table` is not used: importing it takes 20 ms, and it can neither shorten a cell in the middle nor omit a
column, which keeps names distinguishable on a narrow page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, pairwise, repeat
from textwrap import wrap
from typing import TYPE_CHECKING

from searchlab.errors.cached import cached_property
from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import ShownCells, different, is_text
from searchlab.model.formatting import ELLIPSIS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import pandas as pd

COLUMN_GAP = "  "
CONFIGURATION = ("domain", "heuristic", "frontier", "player")
"""Columns whose values name configurations without the name of the column: `astar`, but `seed=3`."""
LONGEST_HEADING = 12
"""The longest part of a heading in characters; longer ones are broken into lines where possible."""
SHORTEST_LABEL = 8
"""Characters that are left of the names of rows on a narrow page."""
MARKED = "* marks"
"""How a note says that a `*` marks cells; where cells are bold it says so."""
SHORTEST, LONGEST = 16, 32
"""Texts of a column may be shortened to 16 characters; to fewer than 32 only while different texts stay different."""
REASON = "reason"
"""The column that is never left out or cut: why a run failed."""
NARROWEST, MOST_LINES = 24, 40
"""The smallest width of a column that wraps, and the most lines of a cell in it."""
WORD_SEPARATORS = "/:,["
MOST_KEPT = 10_000
"""The most shortened cells of a column that are kept for cells that are equal."""
MOST_COMPARED = 10_000
"""The most texts of a column of which each is compared with the most similar one."""
SEPARATORS = "/:,"
"""The characters behind which names go on with another word: of paths, of parameters."""
ENDING_SEPARATORS = "/,."
"""The characters with which the last words of names begin."""
TABLE = "border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums"
CELL = "padding:.15em .7em;border:0;background:none;white-space:nowrap;"
BOLD = ";font-weight:bold"
HEADING = "border-bottom:1px solid #80808080;"
NOTE = "margin:.2em 0;opacity:.75"


def shortened(text: str, width: int, difference: int = 0) -> str:
    """Return a text with its middle replaced by "…" if it is longer than `width`; the ends keep names distinguishable.

    Args:
        text: one line.
        width: the largest number of characters.
        difference: the position of the part to keep before all others; 0 if there is none.

    >>> shortened("weighted-astar:weight=3", 12)
    'weight…ght=3'
    >>> shortened("expectimax:heuristic=[smooth:empty=11,growth=3.5],depth=2", 20, 22)
    '…smooth:empty=11,gr…'
    """
    if len(text) <= width:
        return text
    if difference and len(text) - difference >= width:
        return f"{ELLIPSIS}{text[difference : difference + width - 2]}{ELLIPSIS}"
    if difference:
        return f"{text[: width - 1 - len(text) + difference]}{ELLIPSIS}{text[difference:]}"
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}{ELLIPSIS}{text[len(text) - tail :]}"


def common_ends(names: Sequence[str]) -> tuple[str, str]:
    """Return the common prefix and suffix of names, in whole words; empty for a single name.

    >>> common_ends(["set/board2.txt", "set/board10.txt"]), common_ends(["astar:weight=2", "astar:weight=1.5", "astar"])
    (('set/', '.txt'), ('', ''))
    >>> common_ends(["taxicab", "taxicab"])
    ('', '')
    """
    different = sorted(set(names))
    if len(different) < 2:
        return "", ""
    begin, last = _common_prefix(different), _common_prefix([name[::-1] for name in different])[::-1]
    begin = begin[: max(begin.rfind(separator) for separator in SEPARATORS) + 1]
    ends = [place for separator in ENDING_SEPARATORS if (place := last.find(separator)) >= 0]
    end = last[min(ends) :] if ends else ""
    if any(len(name) <= len(begin) + len(end) for name in different):
        end = ""
    return (begin if all(len(name) > len(begin) for name in different) else ""), end


def _common_prefix(texts: Sequence[str]) -> str:
    least, most = min(texts), max(texts)
    return least[: next((place for place, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))]


def without_ends(names: Sequence[str]) -> list[str]:
    """Return names without their common prefix and suffix; they stay different.

    >>> without_ends(["weighted-astar:weight=1.5", "weighted-astar:weight=2"])
    ['weight=1.5', 'weight=2']
    """
    begin, end = common_ends(names)
    return [name[len(begin) : len(name) - len(end)] for name in names]


@dataclass(frozen=True)
class TextColumn:
    """A column of a table, as text.

    Attributes:
        name: the heading.
        cells: the cells, one per row.
        is_text: whether the column is left-aligned and may be shortened.
        bold: the numbers of the cells that are bold, or marked.
        wraps: whether long texts are wrapped instead of shortened; such a column is never omitted.
        parts: the parts of a heading that names a configuration: its heuristic, its frontier.
    """

    name: str
    cells: Sequence[str]
    is_text: bool
    bold: Collection[int] = ()
    wraps: bool = False
    parts: tuple[str, ...] = ()

    @cached_property
    def width(self) -> int:
        """The width at which nothing is shortened."""
        longest = self.cells.longest if isinstance(self.cells, ShownCells) else max(map(len, self.cells), default=0)
        return max(longest, *map(len, self.name.split("\n")))

    @cached_property
    def least(self) -> int:
        """The smallest width before another column is left out instead."""
        if not self.is_text:
            return self.width
        if self.wraps:
            return min(self.width, max(len(self.name), NARROWEST))
        return min(self.width, max(len(self.name), self.distinct(SHORTEST, LONGEST)))

    def distinct(self, least: int, most: int) -> int:
        """Return the smallest width from `least` to `most` at which different cells stay different, else `most`."""
        texts = different(self.cells)
        widths = (w for w in range(least, most) if len({self.shortened(text, w) for text in texts}) == len(texts))
        return next(widths, most)

    def shortened(self, text: str, width: int) -> str:
        """Return a cell that fits a width and keeps the part that distinguishes it from the others."""
        return shortened(text, width, self._differences.get(text, 0))

    @cached_property
    def _differences(self) -> dict[str, int]:
        """For each cell, the position of the word that differs from the most similar cell; empty if ends suffice."""
        texts = sorted(different(self.cells))
        if len({shortened(text, LONGEST) for text in texts}) == len(texts) or len(texts) > MOST_COMPARED:
            return {}
        alike = [len(_common_prefix(pair)) for pair in pairwise(texts)]
        places = [max(sides) for sides in zip([0, *alike], [*alike, 0], strict=True)]
        return {
            text: max(text.rfind(separator, 0, place) for separator in WORD_SEPARATORS) + 1
            for text, place in zip(texts, places, strict=True)
        }

    def lines(self, width: int) -> Iterator[str]:
        """Return the heading and the cells, padded, and shortened to a width unless the column wraps."""
        texts: Iterable[str] = chain([self.name], self.cells)
        if not self.wraps and self.width > width:
            texts = map(lru_cache(MOST_KEPT)(partial(self.shortened, width=width)), texts)
        return map(str.ljust if self.is_text else str.rjust, texts, repeat(width))


def columns_of(table: pd.DataFrame) -> list[TextColumn]:
    """Return the columns of a DataFrame, numbers formatted for people."""
    return [
        TextColumn(one_line(str(name)), ShownCells(table[name]), is_text(table[name]), wraps=name == REASON)
        for name in table.columns
    ]


def fitted_table(
    columns: Sequence[TextColumn], width: int, importance: Sequence[str] = ()
) -> tuple[Iterator[str], list[str]]:
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
    while (droppable := [column for column in kept if not column.wraps]) and len(kept) > 1 and not fits(kept, width):
        kept.remove(max(droppable, key=lambda column: ranked.index(column.name)))
    widths = _shared([column.width for column in kept], [column.least for column in kept], width)
    return joined_columns(kept, widths), [name for name in names if all(column.name != name for column in kept)]


def fits(columns: Sequence[TextColumn], width: int) -> bool:
    """Return whether columns fit a page side by side, each at its smallest width."""
    return total_width([column.least for column in columns]) <= width


@dataclass(frozen=True)
class Table:
    """A table as it is shown, with notes below it; or notes alone.

    Text and HTML for notebooks are made here, other HTML by `report.html`, all files by `searchlab.reports.export`.

    Attributes:
        columns: the columns; empty without a table.
        notes: lines below the table.
        importance: names of columns, the most important first: a narrow page omits the last ones.
        further: groups of columns that a wide page shows as well, one group after the other.
        labels: the number of columns at the left that name the rows. With any, the others have headings in parts, names
            are shown as text without their common ends, and no column is omitted: those that do not fit follow below.
        levels: the names of the parts of headings.
        summary: the number of rows at the end that sum up the others.
        groups: for each row the number of its group, of which a page shows one; empty for a single group.
        frame: the exact cells, for files that programs read.
    """

    columns: Sequence[TextColumn] = ()
    notes: Sequence[str] = ()
    importance: Sequence[str] = ()
    further: Sequence[Sequence[TextColumn]] = ()
    labels: int = 0
    levels: Sequence[str] = ()
    summary: int = 0
    groups: Sequence[int] = ()
    frame: pd.DataFrame | None = None

    @classmethod
    def of(cls, frame: pd.DataFrame, notes: Iterable[str] = (), importance: Sequence[str] = ()) -> Table:
        """Return a DataFrame as a table, numbers formatted for people."""
        return cls(columns_of(frame), tuple(notes), importance, frame=frame)

    @property
    def rows(self) -> list[tuple[tuple[str, bool], ...]]:
        """The cells of each row, and whether they are bold."""
        columns = [[(cell, n in column.bold) for n, cell in enumerate(column.cells)] for column in self.columns]
        return list(zip(*columns, strict=True))

    @property
    def notes_on_bold(self) -> list[str]:
        """The notes that explain marked cells, if these are bold."""
        return [one_line(note).replace(MARKED, "bold is") for note in self.notes]

    def lines(self, width: int, *, names_left_out: bool = False, emphasize: Callable[[str], str] = str) -> list[str]:
        """Return it as lines of text that are no longer than a width.

        Args:
            width: of the page.
            names_left_out: whether a note names the columns for which there is no room.
            emphasize: applied to the text of bold cells in a table with labels; a `*` follows them.
        """
        if self.labels:
            notes = [*self.notes, *self.shortenings()]
            return [*self.in_parts(width, emphasize), "", *(line for note in notes for line in wrap(note, width))]
        columns = list(self.columns)
        for added in self.further:
            columns += added if fits([*columns, *added], width) else []
        table, left_out = fitted_table(columns, width, self.importance) if columns else (iter(()), [])
        more = [f"hidden (narrow terminal): {', '.join(left_out)}"] if left_out and names_left_out else []
        return [*table, *(part for note in (*self.notes, *more) for part in wrap(note, width))]

    def in_parts(self, width: int, emphasize: Callable[[str], str] = str) -> list[str]:
        """Return a table with labels as lines of text, without notes; for the arguments see `lines`."""
        widest = max(SHORTEST_LABEL, width - SHORTEST_LABEL - 4)
        labels = [replace(column, cells=self._short_names(column)) for column in self.columns[: self.labels]]
        figures = [
            replace(column, name="\n".join(heading), cells=[shortened(cell, widest) for cell in column.cells])
            for column, heading in zip(self.columns[self.labels :], self._short_headings(widest), strict=True)
        ]
        widths = [column.width for column in labels]
        room = width - max((column.width for column in figures), default=0) - 2
        while total_width([*widths, 0]) > room and max(widths) > SHORTEST_LABEL:
            widths[widths.index(max(widths))] -= 1
        lines: list[str] = []
        while figures or not lines:
            count = 1
            while total_width([*widths, *(c.width for c in figures[: count + 1])]) <= width and count < len(figures):
                count += 1
            lines += [*([""] if lines else []), *self._part(labels, widths, figures[:count], emphasize)]
            figures = figures[count:]
        return lines

    def _part(
        self,
        labels: Sequence[TextColumn],
        widths: Sequence[int],
        figures: Sequence[TextColumn],
        emphasize: Callable[[str], str],
    ) -> list[str]:
        """Return some of the columns beside the labels, with room for a mark behind each figure."""
        above = figures[0].name.count("\n") if figures else 0
        names = [[*[""] * above, column.name, *column.cells] for column in labels]
        cells = [[*column.name.split("\n"), *column.cells] for column in figures]
        lines = []
        for number, row in enumerate(zip(*names, strict=True), -above - 1):
            if self.summary and number == len(labels[0].cells) - self.summary:
                lines.append("")
            line = COLUMN_GAP.join(shortened(name, w).ljust(w) for name, w in zip(row, widths, strict=True))
            for column, texts in zip(figures, cells, strict=True):
                text = texts[number + above + 1]
                shown_text = f"{emphasize(text)}*" if number in column.bold else f"{text} "
                line += f" {' ' * (column.width - len(text))}{shown_text}"
            lines.append(line.rstrip())
        return lines

    def headings(self) -> list[str]:
        """Return the headings, those in parts with line breaks."""
        lines = ["\n".join(part) for part in self._broken_headings([names for _, names in self._parts()])]
        return (
            [*(column.name for column in self.columns[: self.labels]), *lines]
            if self.labels
            else [column.name for column in self.columns]
        )

    def shortenings(self) -> list[str]:
        """Return lines that give the common ends that names omit in text."""
        named = [(column.name, self._names(column)) for column in self.columns[: self.labels]]
        ends = [(level, *common_ends(names)) for level, names in (*named, *self._parts())]
        return [f"{level}: {begin}…{end}" for level, begin, end in ends if begin or end]

    def _names(self, column: TextColumn) -> Sequence[str]:
        """Return the cells of a column of labels, without those of the summary."""
        return column.cells[: len(column.cells) - self.summary]

    def _short_names(self, column: TextColumn) -> list[str]:
        names = self._names(column)
        return [*without_ends(names), *column.cells[len(names) :]]

    def _parts(self) -> list[tuple[str, list[str]]]:
        """Return the name of each part of headings, and the part of each heading."""
        figures = self.columns[self.labels :]
        return [(level, [column.parts[place] for column in figures]) for place, level in enumerate(self.levels)]

    def _short_headings(self, widest: int) -> list[list[str]]:
        """Return the lines of headings without their common ends, all of the same number."""
        headings = self._broken_headings([without_ends(names) for _, names in self._parts()])
        height = max(map(len, headings), default=0)
        return [[*[""] * (height - len(lines)), *(shortened(line, widest) for line in lines)] for lines in headings]

    def _broken_headings(self, parts: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the lines of headings, given the parts of all headings level by level."""
        named = [
            [name if level in CONFIGURATION else f"{level}={name}" for name in names]
            for level, names in zip(self.levels, parts, strict=True)
        ]
        return [[line for part in heading for line in _broken(part)] for heading in zip(*named, strict=True)]

    def html(self) -> str:
        """Return the table as HTML with inline styles, all columns side by side."""
        from html import escape  # late, as its table of entities takes a millisecond

        columns = [*self.columns, *(column for added in self.further for column in added)]
        notes = "".join(f'<div style="{NOTE}">{escape(note)}</div>' for note in self.notes_on_bold)
        return f"{_table_html(columns)}{notes}" if columns else notes


def _broken(name: str) -> list[str]:
    """Return a long name over several lines, broken after punctuation.

    >>> _broken("weighted-astar:weight=1.5,ties=low"), _broken("astar")
    (['weighted-astar:', 'weight=1.5,', 'ties=low'], ['astar'])
    """
    if len(name) <= LONGEST_HEADING:
        return [name]
    return re.findall(r"[^/:,\[]*[/:,\[]|[^/:,\[]+$", name)


def _table_html(columns: Sequence[TextColumn]) -> str:
    from html import escape  # late, as its table of entities takes a millisecond

    styles = [f"{CELL}text-align:{'left' if column.is_text else 'right'}" for column in columns]
    heads = (
        f'<th style="{HEADING}{style}">{escape(one_line(column.name))}</th>'
        for column, style in zip(columns, styles, strict=True)
    )
    cells = [
        [
            f'<td style="{style}{BOLD if number in column.bold else ""}">{escape(one_line(cell))}</td>'
            for number, cell in enumerate(column.cells)
        ]
        for column, style in zip(columns, styles, strict=True)
    ]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
    table = f'<table style="{TABLE}"><thead><tr>{"".join(heads)}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div style="overflow-x:auto">{table}</div>'


def joined_columns(columns: Sequence[TextColumn], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a table, given the width of each column."""
    cells = [column.lines(width) for column, width in zip(columns, widths, strict=True)]
    most = total_width(widths)
    for row in zip(*cells, strict=True):
        line = COLUMN_GAP.join(row)
        if len(line) <= most:
            yield line.rstrip()
            continue
        parts = [_wrapped(text, width) for text, width in zip(row, widths, strict=True)]  # the others fit
        for number in range(max(map(len, parts))):
            texts = [part[number] if number < len(part) else "" for part in parts]
            yield COLUMN_GAP.join(text.ljust(w) for text, w in zip(texts, widths, strict=True)).rstrip()


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines, at most `MOST_LINES`: `--run` shows a longer one."""
    if len(text) <= width:
        return [text]
    return wrap(text, width, max_lines=MOST_LINES, placeholder=f" {ELLIPSIS}", break_on_hyphens=False)


def _shared(widths: list[int], least: list[int], width: int) -> list[int]:
    """Return widths that fit the page; the widest column gives room first."""
    if len(widths) == 1:
        return [min(widths[0], width)]
    while total_width(widths) > width:
        widest = max((w, place) for place, w in enumerate(widths) if w > least[place])[1]
        widths[widest] -= 1
    return widths


def total_width(widths: Sequence[int]) -> int:
    """Return the width of a table, given the width of each column."""
    return sum(widths) + len(COLUMN_GAP) * (len(widths) - 1)
