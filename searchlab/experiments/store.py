"""The store: all that became of an experiment's runs, in one SQLite file that one process writes and many may read.

Rows are only ever added. A run that is tried again gets another row with the next `attempt`, and the last one
counts. What was committed is whole whatever happens to the process; what was not is as if it had not been done.

A file holds searches or games, and the version of its schema says which: `searchlab.experiments.kinds`.

A file may have been damaged, or come from anybody. It is checked as a whole when it is opened, and every cell when it
is read: what leaves a store has the types that its columns promise.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from searchlab.errors import MachineError, SearchlabError, UsageError, shown
from searchlab.experiments.kinds import KINDS, SEARCHES
from searchlab.experiments.reading import log_of, opened_to_read
from searchlab.experiments.schema import (
    columns_of,
    conditions_of,
    metrics_of,
    of_result,
    of_run,
    provenance_of,
    time_of,
)
from searchlab.files import FolderLock, file_error, gone, is_file_at, remove_drafts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from searchlab.experiments.kinds import Kind
    from searchlab.experiments.runs import Record

FILE = "results.sqlite"
TABLES = ("specifications", "provenance", "runs")
APPLICATION = 0x5EA6C41A
"""Marks a SQLite file as ours."""
OF_THE_MACHINE = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_NOMEM")
OF_OTHERS = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
OF_RIGHTS = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
"""How SQLite's names of errors begin that are no damage: the machine fails, the file is in use, or may not be used."""


class Store:
    """The results of an experiment in a folder.

    Args:
        folder: of the experiment; it is made where it is not there. A reader may name the file itself.
        writes: whether rows are to be added, which one process at a time may do.
        kind: of the runs that are to be added, or that a file holds which has just been made.

    Attributes:
        kind: of the runs it holds.

    Raises:
        UsageError: there are no results, they cannot be read or are damaged, another process writes them, or they are
            of the other kind.
        MachineError: the disk is full or fails.
    """

    def __init__(self, folder: str | Path, *, writes: bool = False, kind: Kind = SEARCHES) -> None:
        self.folder, self.kind = Path(folder), kind
        self.file = self.folder if not writes and os.path.isfile(self.folder) else self.folder / FILE
        self._lock: FolderLock | None = None
        self._connection: sqlite3.Connection | None = None
        self._written: dict[Path, os.stat_result] = {}
        self._provenances: dict[str, int] = {}
        try:
            self._open(writes)
        except BaseException:
            self.close()
            raise

    def _open(self, writes: bool) -> None:
        if writes:
            self._lock = FolderLock(self.folder, "another process is running this experiment")
            remove_drafts(self.folder)
        elif not os.path.isfile(self.file):
            raise UsageError(f"{self.folder}: no results here; `searchlab run` makes a folder with a {FILE}")
        kind = self.kind
        with self._access():
            self._connection = self._writing() if writes else opened_to_read(self.file)
            is_new = self._is_new()
            if is_new and not writes:  # to be read as one without runs
                self._connection.close()
                self._connection = sqlite3.connect(":memory:", isolation_level=None)
            if writes and self.kind is not kind:
                raise UsageError(f"{self.folder}: holds {self.kind.name}; let {kind.name} have a folder of their own")
            if is_new:
                self._make_tables()
            else:
                self._check_whole()
        if writes:
            self._note_written()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes write."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):  # what is committed is in the log, if not yet in the file
                self._connection.close()
        if self._lock is not None:
            self._lock.release()

    @property
    def _open_connection(self) -> sqlite3.Connection:
        assert self._connection is not None
        return self._connection

    @contextmanager
    def _access(self) -> Iterator[None]:
        """Turn whatever goes wrong in the file while the context lasts into an error of one line.

        Raises:
            UsageError: the file is damaged, or another program keeps it, or it is nobody's to read or write.
            MachineError: there is no room, or the disk fails.
        """
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.IntegrityError):
            raise  # a fault of this program, not of the file
        except UnicodeDecodeError as error:  # of a message in which SQLite quotes the file
            raise self._damaged(str(error)) from None
        except sqlite3.Error as error:
            raise self._explained(error) from None
        except OSError as error:
            raise file_error(self.file, error) from None

    def _explained(self, error: sqlite3.Error) -> SearchlabError:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(OF_THE_MACHINE):
            return MachineError(f"{self.file}: {error}; once that is fixed, the same command continues")
        if name.startswith(OF_OTHERS):
            return UsageError(f"{self.file}: in use by another program: {error}")
        if name.startswith(OF_RIGHTS):
            return UsageError(f"{self.file}: {error}")
        if name.startswith("SQLITE_NOTADB"):
            return UsageError(f"{self.file}: not a file of results: {error}")
        return self._damaged(str(error))

    def _damaged(self, what: str) -> UsageError:
        what = " ".join(what.split())
        return UsageError(f"{self.file}: damaged: {what}; restore it from a copy, or start again in another folder")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all that is done in the context, or nothing.

        Raises:
            UsageError: it cannot be written.
            MachineError: the disk is full or fails, or the file is no longer what stands at its path.
        """
        self._check_written()
        connection = self._open_connection
        try:
            with self._access(), connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
        except BaseException:
            self._provenances.clear()  # of what was not committed nothing is there
            raise
        self._note_written()
        self._check_written()

    def _note_written(self) -> None:
        """Remember which files are written, so that it is noticed when others stand in their place."""
        for path in (self.file, log_of(self.file)):
            if path not in self._written:
                with contextlib.suppress(OSError):
                    self._written[path] = os.stat(path)

    def _check_written(self) -> None:
        """Raise a MachineError where the folder or a file that is written was deleted or replaced."""
        if self._lock is not None:
            self._lock.check()
        for path, status in self._written.items():
            if not is_file_at(path, status):
                raise gone(path)

    def statuses(self) -> dict[str, str]:
        """Return how each run ended, the last time it was tried, by identity."""
        return {row["identity"]: row["status"] for row in self._cells(["identity", "status"])}

    def add(self, records: Iterable[Record]) -> None:
        """Add what became of runs, all of it or nothing.

        Raises:
            UsageError: it cannot be written.
            MachineError: the disk is full or fails, or the file is gone.
        """
        with self._transaction():
            for record in records:
                self._add(record)

    def _add(self, record: Record) -> None:
        cells = {**of_result(record, self.kind), **of_run(record, self.kind), **self._of_record(record)}
        names, marks = ", ".join(cells), ", ".join("?" * len(cells))
        attempt = "(SELECT COALESCE(MAX(attempt), 0) + 1 FROM runs WHERE identity = ?)"
        self._open_connection.execute(
            f"INSERT INTO runs ({names}, attempt) VALUES ({marks}, {attempt})",
            (*cells.values(), record.run.identity),
        )

    def specify(self, content: str, now: str) -> None:
        """Keep what the experiment is, if that is not the last thing that is kept; a specification may grow.

        Raises:
            UsageError, MachineError: as for `add`.
        """
        with self._transaction() as connection:
            last = connection.execute("SELECT content FROM specifications ORDER BY id DESC LIMIT 1").fetchone()
            if last is None or last[0] != content:
                connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, now))

    def rows(self, *, all_attempts: bool = False) -> Iterator[dict[str, Any]]:
        """Yield the runs in the order they were recorded, by column; of each the last attempt, or all.

        `metrics` and `provenance` are plain values.

        Raises:
            UsageError: what is read is damaged.
        """
        last = "" if all_attempts else "WHERE number IN (SELECT MAX(number) FROM runs GROUP BY identity)"
        provenances: dict[int, dict[str, Any]] = {}
        for row in self._cells(columns_of(self.kind), last):
            number = row["provenance"]
            try:
                if number not in provenances:
                    provenances[number] = provenance_of(self._content_of_provenance(number))
                time_of(row["finished"])
                row["provenance"], row["metrics"] = provenances[number], metrics_of(row["metrics"])
            except ValueError as error:
                raise self._damaged(f"run {row['number']}: {error}") from None
            yield row

    def _cells(self, columns: Iterable[str], which: str = "") -> Iterator[dict[str, Any]]:
        """Yield some columns of the runs, and their numbers, each cell of the type that its column promises."""
        names = ("number", *columns)
        self._check_cells(names[1:])
        with self._access():
            for values in self._open_connection.execute(f"SELECT {', '.join(names)} FROM runs {which} ORDER BY number"):
                yield dict(zip(names, values, strict=True))

    def _check_cells(self, columns: Sequence[str]) -> None:
        """Raise a UsageError where a cell of these columns is not what it can be."""
        conditions = conditions_of(self.kind)
        with self._access():
            holds = [f"({conditions[name]})" for name in columns]
            search = f"SELECT number, {', '.join(holds)} FROM runs WHERE NOT ({' AND '.join(holds)}) LIMIT 1"
            found = self._open_connection.execute(search).fetchone()
            if found is not None:
                number, *is_right = found
                name = columns[is_right.index(0)]
                (value,) = self._open_connection.execute(
                    f"SELECT {name} FROM runs WHERE number = ?", (number,)
                ).fetchone()
                raise self._damaged(f"run {number}: its {name} is {'missing' if value is None else shown(value)}")

    def _content_of_provenance(self, number: int) -> str:
        with self._access():
            found = self._open_connection.execute("SELECT content FROM provenance WHERE id = ?", (number,)).fetchone()
        if found is None or not isinstance(found[0], str):
            msg = f"there is no provenance {number}"
            raise ValueError(msg)
        return str(found[0])

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
        taken = passed = 0
        with self._transaction() as connection:
            known = set(connection.execute("SELECT identity, attempt FROM runs"))
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
        connection = self._open_connection
        known = {content for content, _ in self._specifications()}
        for content, added in other._specifications():
            if content not in known:
                connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, added))

    def _specifications(self) -> Iterator[tuple[str, str]]:
        """Yield what the experiment was, one time after another, and since when."""
        with self._access():
            for row in self._open_connection.execute("SELECT content, added FROM specifications ORDER BY id"):
                if not all(isinstance(text, str) for text in row):
                    raise self._damaged("a specification is not text")
                yield row

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
        connection = self._open_connection
        application, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        if not tables and not application:
            return True
        if application != APPLICATION:
            raise UsageError(f"{self.file}: not a file of results of searchlab")
        newest = max(kind.schema for kind in KINDS)
        if version > newest:
            raise UsageError(f"{self.file}: written by a newer searchlab (schema {version}, here {newest}); update it")
        kinds = {kind.schema: kind for kind in KINDS}
        if version not in kinds:
            raise self._damaged(f"there is no schema {version}")
        self.kind = kinds[version]
        return False

    def _check_whole(self) -> None:
        """Raise a UsageError where the file's pages or tables are damaged; it takes little of the time of reading."""
        connection = self._open_connection
        said = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if said != ("ok",):
            raise self._damaged(str(said[0]))
        # A view or a virtual table in their place could do anything.
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        missing = sorted(set(TABLES) - {name for (name,) in tables})
        if missing:
            raise self._damaged(f"it has no table {missing[0]}")

    def _make_tables(self) -> None:
        columns = ", ".join(f"{name} {type_}" for name, type_ in columns_of(self.kind).items())
        with self._open_connection as connection:
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
            connection = self._open_connection
            connection.execute("INSERT OR IGNORE INTO provenance (content) VALUES (?)", (content,))
            found = connection.execute("SELECT id FROM provenance WHERE content = ?", (content,))
            self._provenances[content] = int(found.fetchone()[0])
        return self._provenances[content]
