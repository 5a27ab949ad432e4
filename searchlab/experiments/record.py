"""Records: a CSV file to which each search appends its row of the table.

Several processes may append to one file, and any of them may be killed: a row is one line, written by one call under a
lock, and an incomplete line is removed before the next is written.

The metrics of the first search are the last columns of the file. Metrics that a later search lacks are empty; new ones
are dropped with a warning.
"""

from __future__ import annotations

import csv
import io
import os
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.errors import MachineError, SearchlabWarning, UsageError, shown
from searchlab.experiments.tables import COLUMNS, outcome_types, row
from searchlab.files import LONGEST_TEXT, check_writable, file_error, open_to_read, reason_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pandas as pd

    from searchlab.model.results import Result

BLOCK = 2**16
"""Bytes read at once in search of the beginning of the last line."""
LONGEST_HEADER = 2**16


def append(path: str | Path, result: Result) -> None:
    """Append a result as a row; a new file gets a header first.

    Raises:
        UsageError: the file cannot be written, or has other columns.
        MachineError: there is no room for it.
    """
    path = Path(path)
    cells = row(result)
    try:
        with _locked(path) as file:
            columns = _columns(_header(file), path, result.metrics)
            size = _mend_last_line(file, len(columns), path)
            line = csv_line(cells.get(column) for column in columns)
            content = (line if size else csv_line(columns) + line).encode()
            if os.write(file, content) < len(content):
                os.ftruncate(file, size)
                raise MachineError(f"{path}: no space left for another row")
    except OSError as error:
        raise file_error(path, error) from None


def check(path: str | Path, metrics: Collection[str] = ()) -> None:
    """Check that rows can be appended to a file, without changing anything; warn of metrics that it has no columns for.

    Args:
        metrics: their names.

    Raises:
        UsageError: rows cannot be appended; with the reason.
    """
    path = Path(path)
    check_writable(path)
    if os.path.exists(path):
        try:
            with open_to_read(path) as file:
                _columns(_header(file.fileno()), path, metrics)
        except OSError as error:
            raise UsageError(f"{path}: {reason_of(error)}") from None


def read(path: str | Path) -> pd.DataFrame:
    """Return the rows of a record as `searchlab.table` returns them; the types of metrics follow from their values."""
    import pandas as pd

    types = outcome_types()
    with open_to_read(Path(path)) as file:
        return pd.read_csv(file, dtype=types, dtype_backend="numpy_nullable").astype(types)


def csv_line(cells: Iterable[object]) -> str:
    """Return one line of CSV, an empty cell for None."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a file for reading and appending, exclusively if the system has locks."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
    try:
        try:
            import fcntl
        except ImportError:
            pass
        else:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)  # which unlocks it


def _header(file: int) -> str:
    """Return the first line of an open file."""
    os.lseek(file, 0, os.SEEK_SET)
    first = os.read(file, LONGEST_HEADER).split(b"\n")[0]
    return first.decode("utf-8-sig", "replace").strip()


def _columns(header: str, path: Path, metrics: Collection[str]) -> list[str]:
    """Return the columns of a file: ours, then metrics, for a new file without a header the given ones.

    Raises:
        UsageError: the file has other columns than a record.
    """
    if not header:
        return [*COLUMNS, *metrics]
    try:
        found = next(csv.reader([header]))
    except csv.Error:  # a file of another kind
        found = []
    if found[: len(COLUMNS)] != list(COLUMNS):
        raise UsageError(
            f"{path}: not a record of this version of searchlab, its columns are others ({_difference(found)}); "
            "name a new file"
        )
    without_room = [name for name in metrics if name not in found]
    if without_room:
        names = ", ".join(map(repr, without_room))
        what = f"{path} has no column for {names}, which its rows will lack; name a new file to have it"
        warnings.warn(what, SearchlabWarning, stacklevel=3)
    return found


def _difference(found: Sequence[str]) -> str:
    """Describe how columns differ from those of a record."""
    absent = [name for name in COLUMNS if name not in found]
    if not absent:
        return "their order differs"
    other = [name for name in found if name not in COLUMNS]
    return f"it has {shown(other[0], 40)}" if other else f"it lacks {absent[0]!r}"


def _mend_last_line(file: int, columns: int, path: Path) -> int:
    """Make a file end with a whole line, and return its size.

    A process that was killed while writing leaves part of a line, which is removed. A whole line without a line break
    was edited by hand; the line break is added.
    """
    size = os.lseek(file, 0, os.SEEK_END)
    last = b""
    start = size
    while start and b"\n" not in last:
        if len(last) > LONGEST_TEXT:
            raise UsageError(f"{path}: no record: its last line is over {LONGEST_TEXT >> 20} MiB long; name a new file")
        block = min(BLOCK, start)
        start -= block
        os.lseek(file, start, os.SEEK_SET)
        last = os.read(file, block) + last
    last = last.rpartition(b"\n")[2]
    if not last:
        return size
    try:
        cells = next(csv.reader([last.decode()], strict=True))
    except (csv.Error, UnicodeDecodeError):
        cells = []
    if len(cells) == columns:
        return size + os.write(file, b"\n")
    os.ftruncate(file, size - len(last))
    return size - len(last)
