"""Reading a SQLite file that another process may be writing, or that lies where nothing can be written."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

CANNOT_WRITE = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
"""What SQLite says where it cannot make an index of the log."""


def opened_to_read(file: Path) -> sqlite3.Connection:
    """Return a connection that sees all that was committed, and never changes it.

    What is committed stands in the file and in a log beside it, and whoever reads the log makes an index of it. Where
    nothing can be made, a file without a log is read as one that does not change, and one with a log, left by a
    process that was killed, is read from a copy.

    Raises:
        sqlite3.DatabaseError: it cannot be read, or is no such file.
        OSError: it cannot be copied.
    """
    try:
        return _connected(file, "mode=ro")
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(CANNOT_WRITE):
            raise
        log = log_of(file)
        if log.exists() and log.stat().st_size:
            return _copied(file)
        return _connected(file, "immutable=1")


def _copied(file: Path) -> sqlite3.Connection:
    """Return a connection to a copy in memory of a file and its log."""
    in_memory = sqlite3.connect(":memory:", isolation_level=None)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        shutil.copyfile(file, copy)
        shutil.copyfile(log_of(file), log_of(copy))
        source = _connected(copy, "mode=rw")
        source.backup(in_memory)
        source.close()
    return in_memory


def _connected(file: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{file.resolve().as_uri()}?{how}", uri=True, isolation_level=None)
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_master")  # only now is anything read
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def log_of(file: Path) -> Path:
    """Return the path of the log in which stands what was committed and is not yet in the file."""
    return file.with_name(f"{file.name}-wal")
