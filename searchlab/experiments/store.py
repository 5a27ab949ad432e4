"""The store: all that became of an experiment's runs, in one SQLite file that one process writes and many may read.

Rows are only ever added. A run that is tried again gets another row with the next `attempt`, and the last one
counts. What was committed is whole whatever happens to the process; what was not is as if it had not been done.

A file holds searches or games, and the version of its schema says which: `searchlab.experiments.kinds`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from searchlab.errors import UsageError
from searchlab.experiments.kinds import KINDS, SEARCHES
from searchlab.experiments.reading import opened_to_read
from searchlab.experiments.schema import columns_of, of_result, of_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from searchlab.experiments.kinds import Kind
    from searchlab.experiments.runs import Record

FILE = "results.sqlite"
LOCK = "lock"
APPLICATION = 0x5EA6C41A
"""Marks a SQLite file as ours."""


class Store:
    """The results of an experiment in a folder.

    Args:
        folder: of the experiment; it is made where it is not there. A reader may name the file itself.
        writes: whether rows are to be added, which one process at a time may do.
        kind: of the runs that are to be added, or that a file holds which has just been made.

    Attributes:
        kind: of the runs it holds.

    Raises:
        UsageError: there are no results, they cannot be read, another process writes them, or they are of the other
            kind.
    """

    def __init__(self, folder: str | Path, *, writes: bool = False, kind: Kind = SEARCHES) -> None:
        self.folder, self.kind = Path(folder), kind
        self.file = self.folder if not writes and os.path.isfile(self.folder) else self.folder / FILE
        self._lock: Any = None
        if writes:
            self._prepare()
        elif not os.path.isfile(self.file):
            raise UsageError(f"{self.folder}: no results here; `searchlab run` makes a folder with a {FILE}")
        try:
            self._connection = self._writing() if writes else opened_to_read(self.file)
            is_new = self._is_new()
            if is_new and not writes:  # to be read as one without runs
                self._connection.close()
                self._connection = sqlite3.connect(":memory:", isolation_level=None)
            if writes and self.kind is not kind:
                raise UsageError(f"{self.folder}: holds {self.kind.name}; let {kind.name} have a folder of their own")
            if is_new or writes:
                self._make_tables()
        except (sqlite3.OperationalError, OSError) as error:
            self.close()
            raise UsageError(f"{self.file}: cannot be read: {error}") from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise UsageError(f"{self.file}: not a file of results: {error}") from None
        except UsageError:
            self.close()
            raise
        self._provenances: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes write."""
        with contextlib.suppress(AttributeError):
            self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def statuses(self) -> dict[str, str]:
        """Return how each run ended, the last time it was tried, by identity."""
        rows = self._connection.execute("SELECT identity, status FROM runs ORDER BY number")
        return dict(rows)

    def add(self, records: Iterable[Record]) -> None:
        """Add what became of runs, all of it or nothing.

        Raises:
            UsageError: it cannot be written; a full disk for example.
        """
        try:
            with self._connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                for record in records:
                    self._add(record)
        except BaseException as error:
            self._provenances.clear()  # of what was not committed nothing is there
            if isinstance(error, sqlite3.Error):
                raise UsageError(f"{self.file}: {error}") from None
            raise

    def _add(self, record: Record) -> None:
        cells = {**of_result(record, self.kind), **of_run(record, self.kind), **self._of_record(record)}
        names, marks = ", ".join(cells), ", ".join("?" * len(cells))
        attempt = "(SELECT COUNT(*) + 1 FROM runs WHERE identity = ?)"
        self._connection.execute(
            f"INSERT INTO runs ({names}, attempt) VALUES ({marks}, {attempt})",
            (*cells.values(), record.run.identity),
        )

    def specify(self, content: str, now: str) -> None:
        """Keep what the experiment is, if that is not the last thing that is kept; a specification may grow."""
        with self._connection as connection:
            last = connection.execute("SELECT content FROM specifications ORDER BY id DESC LIMIT 1").fetchone()
            if last is None or last[0] != content:
                connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, now))

    def rows(self, *, all_attempts: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the runs in the order they were recorded, by column; of each the last attempt, or all.

        `metrics` and `provenance` are plain values.
        """
        last = "" if all_attempts else "WHERE number IN (SELECT MAX(number) FROM runs GROUP BY identity)"
        cursor = self._connection.execute(f"SELECT * FROM runs {last} ORDER BY number")
        names = [column[0] for column in cursor.description]
        provenances = {
            key: json.loads(content) for key, content in self._connection.execute("SELECT id, content FROM provenance")
        }
        for values in cursor:
            row = dict(zip(names, values, strict=True))
            row["metrics"], row["provenance"] = json.loads(row["metrics"]), provenances[row["provenance"]]
            yield row

    def merge(self, other: Store) -> tuple[int, int]:
        """Take over the runs of another store that this one has not, and its specifications, all or nothing.

        A run that both have is the same run: what this one says of it stays.

        Returns:
            how many rows were taken, and how many were here already.

        Raises:
            UsageError: it cannot be written, or the other not be read, or its runs are of the other kind.
        """
        if other.kind is not self.kind:
            raise UsageError(f"{self.folder} holds {self.kind.name}, {other.folder} {other.kind.name}")
        try:
            return self._merge(other)
        except sqlite3.Error as error:
            self._provenances.clear()
            raise UsageError(f"{self.file}: cannot take over {other.file}: {error}") from None

    def _merge(self, other: Store) -> tuple[int, int]:
        known = set(self._connection.execute("SELECT identity, attempt FROM runs"))
        taken = passed = 0
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            for row in other.rows(all_attempts=True):
                if (row["identity"], row["attempt"]) in known:
                    passed += 1
                    continue
                del row["number"]
                row["metrics"] = json.dumps(row["metrics"])
                row["provenance"] = self._provenance(row["provenance"])
                names, marks = ", ".join(row), ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", tuple(row.values()))
                taken += 1
            self._merge_specifications(other)
        return taken, passed

    def _merge_specifications(self, other: Store) -> None:
        known = set(self._connection.execute("SELECT content FROM specifications"))
        for content, added in other._connection.execute("SELECT content, added FROM specifications ORDER BY id"):
            if (content,) not in known:
                self._connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, added))

    def _prepare(self) -> None:
        """Make the folder, and lock it for this process."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / LOCK).open("w")
        except OSError as error:
            raise UsageError(f"{self.folder}: {error.strerror or error}") from None
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise UsageError(f"{self.folder}: another process is running this experiment") from None

    def _writing(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, isolation_level=None)
        # Readers are not kept waiting, and a commit costs no wait for the disk: a process that is killed loses
        # nothing of it, only a computer that loses power may lose the last moments.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    def _is_new(self) -> bool:
        """Return whether the file has no tables yet; of one that has them the kind of runs is noted.

        Raises:
            UsageError: it is not one of ours, or of a version to come.
        """
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        tables = self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        if not tables and not application:
            return True
        if application != APPLICATION:
            raise UsageError(f"{self.file}: not a file of results of searchlab")
        newest = max(kind.schema for kind in KINDS)
        if version > newest:
            raise UsageError(f"{self.file}: written by a newer searchlab (schema {version}, here {newest}); update it")
        self.kind = next((kind for kind in KINDS if kind.schema == version), SEARCHES)
        return False

    def _make_tables(self) -> None:
        columns = ", ".join(f"{name} {type_}" for name, type_ in columns_of(self.kind).items())
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in (
                f"PRAGMA application_id = {APPLICATION}",
                f"PRAGMA user_version = {self.kind.schema}",
                "CREATE TABLE IF NOT EXISTS specifications (id INTEGER PRIMARY KEY, content TEXT, added TEXT)",
                "CREATE TABLE IF NOT EXISTS provenance (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE)",
                f"CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY, {columns}, UNIQUE (identity, attempt))",
            ):
                connection.execute(statement)

    def _of_record(self, record: Record) -> dict[str, Any]:
        return {
            "metrics": json.dumps(record.metrics),
            "worker": record.worker,
            "finished": record.finished,
            "provenance": self._provenance(record.provenance),
        }

    def _provenance(self, provenance: Mapping[str, Any]) -> int:
        """Return the number of a provenance, which is kept once however many runs have it."""
        content = json.dumps(provenance, sort_keys=True)
        if content not in self._provenances:
            self._connection.execute("INSERT OR IGNORE INTO provenance (content) VALUES (?)", (content,))
            found = self._connection.execute("SELECT id FROM provenance WHERE content = ?", (content,))
            self._provenances[content] = int(found.fetchone()[0])
        return self._provenances[content]
