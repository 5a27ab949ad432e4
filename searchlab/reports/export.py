"""Tables as files: CSV, Parquet and JSON for programs, LaTeX and Markdown for papers.

CSV, Parquet and JSON hold every cell exactly. Parquet keeps the types of the columns; CSV and JSON hold texts and
numbers, and `searchlab.experiments.loading.column_types` restores their types. Infinite numbers are null in JSON. LaTeX
and Markdown round numbers for people, and escape everything that LaTeX, Markdown or a terminal would interpret.
"""

from __future__ import annotations

import io
import json
import re
from importlib.util import find_spec
from math import isfinite
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import AT_ONCE, MISSING, is_text, plain_rows
from searchlab.experiments.loading import FINISHED, ResultBlocks
from searchlab.experiments.page import Table
from searchlab.experiments.tables import load_results
from searchlab.files import check_writable, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from searchlab.experiments.page import TextColumn

ENDINGS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".json": "json",
    ".tex": "latex",
    ".md": "markdown",
    ".markdown": "markdown",
}
"""The format of a file by its suffix."""
RESOLUTIONS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
"""The names of time resolutions in pandas."""
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))
FOR_PAPERS = ("latex", "markdown")
IN_BLOCKS = ("csv", "json")
"""The formats of which a table that is read in blocks is written."""
HEADINGS = {
    "board_name": "board",
    "coverage": "coverage (%)",
    "decided": "decided (%)",
    "score_expanded": "score (expanded)",
    "score_cost": "score (cost)",
    "score_seconds": "score (seconds)",
    "expanded_median": "expanded (median)",
    "seconds_median": "seconds (median)",
    "par2": "PAR2 (s)",
}
"""The headings of columns in papers that are not their names."""
IN_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        MISSING: "--",
        "…": r"\dots{}",
    }
)
ARGUMENTS = ("[", "*")
"""LaTeX takes these at the start of a row for an argument of the row above."""
MARKS_OF_MARKDOWN = re.compile(r"[\\|\[\]!*`~]|(?<![^\W_])_|_(?![^\W_])")
"""The characters that Markdown takes for markup; `_` is not markup within a word."""
IN_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""The first characters of texts that a spreadsheet takes for formulas."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def format_of(file: Path) -> str:
    """Return the format of a file by its suffix.

    Raises:
        UsageError: no format has this suffix.
    """
    if file.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise UsageError(f"{file}: unknown file extension; use one of {known}, or name a --format")
    return ENDINGS[file.suffix.lower()]


def export(
    results: pd.DataFrame | str | Path,
    output: str | Path,
    *,
    format: str | None = None,  # noqa: A002  as the command line calls it
    safe: bool = False,
) -> Path:
    """Write a table to a file, as `searchlab results export` does.

    CSV, Parquet and JSON hold every cell exactly. LaTeX (for the package booktabs) and Markdown show numbers as papers
    do. A summary (`sl.group`, `sl.pivot`, `sl.standings`) is written with its shown columns and notes.

    Args:
        results: a table, or the folder of an experiment.
        output: the file. It is written completely or not at all.
        format: csv, parquet, json, latex or markdown; by default the format of the file's suffix.
        safe: whether to prefix texts in CSV with an apostrophe if a spreadsheet would take them for formulas.

    Returns:
        the path of the file.

    Raises:
        UsageError: the format is unknown or needs a missing package, or the file cannot be written.
    """
    import pandas as pd

    path = Path(output)
    check_writable(path)
    wanted = format or format_of(path)
    if safe and wanted != "csv":
        raise UsageError(f"safe is for CSV only, not for {wanted}")
    if isinstance(results, pd.DataFrame):
        content = _exported_summary(results, wanted, safe=safe)
    else:
        table = ResultBlocks.of(results) if wanted in IN_BLOCKS else load_results(results)
        content = exported(table, wanted, safe=safe)
    write(path, content)
    return path


def _exported_summary(table: pd.DataFrame, format_: str, *, safe: bool) -> Iterable[str | bytes]:
    """Return a table in a format; an unchanged summary has its shown columns and notes."""
    from searchlab.experiments.summary import SummaryTable

    if isinstance(table, SummaryTable) and table.shown.labels and table.is_unchanged:
        return exported(table.shown, format_, safe=safe)
    notes: Sequence[str] = ()
    if isinstance(table, SummaryTable) and format_ in FOR_PAPERS:
        table, notes = table.for_papers()
    if table.columns.nlevels > 1:
        table = table.set_axis(["/".join(map(str, key)) for key in table.columns], axis="columns")
    if any(name is not None for name in table.index.names):
        table = table.reset_index()
    return exported(table, format_, notes, safe=safe)


def exported(
    table: pd.DataFrame | ResultBlocks | Table, format_: str, notes: Sequence[str] = (), *, safe: bool = False
) -> Iterable[str | bytes]:
    """Return a table in a format, in parts: a file of a million runs is never in memory as a whole.

    Formats for programs hold exact cells. Formats for papers hold texts, with bold cells and rows that summarize.

    Args:
        table: the table. A table as it is shown has exact cells in `frame`, and its own notes. A table that is read in
            blocks is for CSV and JSON only.
        notes: remarks on the table, which are part of the formats for papers.
        safe: whether to prefix texts in CSV with an apostrophe if a spreadsheet would take them for formulas.

    Raises:
        UsageError: the format is unknown or needs a missing package.
    """
    if isinstance(table, Table):
        if format_ in FOR_PAPERS:
            return [(_latex if format_ == "latex" else _markdown)(table)]
        assert table.frame is not None
        table = table.frame
    if format_ == "csv":
        return _csv(table, safe=safe)
    if format_ == "json":
        return _json(table)
    assert not isinstance(table, ResultBlocks)
    if format_ == "parquet":
        return [_parquet(table)]
    if format_ in FOR_PAPERS:
        return exported(Table.of(table, notes), format_)
    raise UsageError(f"there is no format {format_!r}: {did_you_mean(format_, FORMATS)}")


def _blocks(table: pd.DataFrame | ResultBlocks, names: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
    """Yield a table in blocks of rows, at least one block, with some columns, by default all.

    Columns with categories become columns of texts.
    """
    if isinstance(table, ResultBlocks):
        blocks = table.blocks(names)
    else:
        table = table if names is None else table[names]
        blocks = (table.iloc[first : first + AT_ONCE] for first in range(0, len(table) or 1, AT_ONCE))
    for block in blocks:
        coded = [name for name, type_ in block.dtypes.items() if type_ == "category"]
        yield block.astype(dict.fromkeys(coded, "string"))  # pandas would go through all categories for each block


def _csv(table: pd.DataFrame | ResultBlocks, *, safe: bool) -> Iterator[str]:
    resolutions = _resolutions(table)
    for number, read in enumerate(_blocks(table)):
        block = _with_written_times(read, resolutions)
        yield (_without_formulas(block) if safe else block).to_csv(index=False, header=number == 0, lineterminator="\n")


def _json(table: pd.DataFrame | ResultBlocks) -> Iterator[str]:
    # The bracket waits for the first block: a file that cannot be read prints nothing.
    for number, block in enumerate(_blocks(table)):
        lines = ",\n".join(json.dumps(_in_json(row), allow_nan=False) for row in plain_rows(block))
        yield f"{',' if number else '['}\n{lines}"
    yield "\n]\n"


def _resolutions(table: pd.DataFrame | ResultBlocks) -> dict[str, str]:
    """Return the coarsest resolution that is exact for each column of times.

    pandas chooses other resolutions in different versions, and in different blocks.
    """
    from pandas.api.types import is_datetime64_any_dtype

    if isinstance(table, ResultBlocks):
        names = [name for name in table.names if name == FINISHED]
    else:
        names = [str(name) for name, type_ in table.dtypes.items() if is_datetime64_any_dtype(type_)]
    finest = dict.fromkeys(names, 0)
    for block in _blocks(table, names) if names else ():
        for name in names:
            times = block[name].dropna()
            exact = (place for place, short in enumerate(RESOLUTIONS) if (times.dt.floor(short) == times).all())
            finest[name] = max(finest[name], next(exact))
    return {name: [*RESOLUTIONS.values()][place] for name, place in finest.items()}


def _with_written_times(block: pd.DataFrame, resolutions: Mapping[str, str]) -> pd.DataFrame:
    """Return a block with times as texts in these resolutions."""
    written = block.copy(deep=False)
    for name, resolution in resolutions.items():
        to_text = methodcaller("isoformat", sep=" ", timespec=resolution)
        written[name] = written[name].astype(object).map(to_text, na_action="ignore")
    return written


def _without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without texts and column names that are formulas; numbers stay."""
    from pandas.api.types import is_datetime64_any_dtype

    guarded = table.rename(columns=_no_formula)
    for name in guarded.columns:
        if is_text(guarded[name]) and not is_datetime64_any_dtype(guarded[name].dtype):
            guarded[name] = guarded[name].astype(object).map(_no_formula, na_action="ignore")
    return guarded


def _no_formula(value: object) -> object:
    is_formula = isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value)
    return f"'{value}" if is_formula else value


def _parquet(table: pd.DataFrame) -> bytes:
    if find_spec("pyarrow") is None:
        raise UsageError("Parquet needs pyarrow; install it with: pip install pyarrow")
    content = io.BytesIO()
    table.to_parquet(content, engine="pyarrow", index=False)
    return content.getvalue()


def _latex(table: Table) -> str:
    """Return a table for the package booktabs."""
    columns = table.columns
    spans = "".join("l" if column.is_text else "r" for column in columns)
    header = [_in_latex(_heading(column.name)) for column in columns]
    typeset = [" & ".join(row) + r" \\" for row in _rows(table, _latex_cell, r"\textbf{{{}}}")]
    number = len(typeset) - table.summary
    below = [r"\midrule", *typeset[number:]] if table.summary else []
    lines = [
        *(f"% {note}" for note in table.notes_on_bold),
        rf"\begin{{tabular}}{{{spans}}}",
        r"\toprule",
        " & ".join(header) + r" \\",
        r"\midrule",
        *typeset[:number],
        *below,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _latex_cell(text: str, column: TextColumn) -> str:
    escaped = _in_latex(text)
    return escaped if column.is_text else escaped.replace(",", "{,}")


def _rows(table: Table, escape: Callable[[str, TextColumn], str], bold: str) -> list[list[str]]:
    """Return the rows of a table, escaped and with the best cells in bold."""
    return [
        [
            bold.format(escape(text, column)) if is_bold else escape(text, column)
            for (text, is_bold), column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]


def _in_latex(text: str) -> str:
    """Return a text escaped for LaTeX, also at the start of a row."""
    typeset = text.translate(IN_LATEX)
    return f"{{{typeset[0]}}}{typeset[1:]}" if typeset.startswith(ARGUMENTS) else typeset


def _heading(name: object) -> str:
    return one_line(HEADINGS.get(str(name), str(name)))


def _markdown(table: Table) -> str:
    """Return a table in GitHub's Markdown, with aligned columns."""
    columns = table.columns
    rows = _rows(table, lambda text, _: in_markdown(text), "**{}**")
    headings = [in_markdown(_heading(column.name)) for column in columns]
    lines = []
    widths = [max(3, *(len(row[place]) for row in (headings, *rows))) for place in range(len(columns))]
    rule = ["-" * w if c.is_text else "-" * (w - 1) + ":" for w, c in zip(widths, columns, strict=True)]
    for row in (headings, rule, *rows):
        texts = [
            text.ljust(width) if column.is_text else text.rjust(width)
            for text, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append(f"| {' | '.join(texts)} |")
    said = list(map(in_markdown, table.notes_on_bold))
    return "".join(f"{line}\n" for line in [*lines, *([""] if said else []), *said])


def in_markdown(text: str) -> str:
    r"""Return a text escaped so that Markdown shows it as it is.

    >>> print(in_markdown("max_moves of [a](b), *c*, _d_"))
    max_moves of \[a\](b), \*c\*, \_d\_
    """
    return MARKS_OF_MARKDOWN.sub(r"\\\g<0>", text).translate(IN_HTML)


def _in_json(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}
