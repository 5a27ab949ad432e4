"""The store: the records of an experiment's runs in one SQLite file, which one process writes and many may read.

Rows are only ever added. A run that is tried again gets another row with the next `attempt`, and the last attempt
counts. A run keeps its number, which is its position in the experiment. A transaction is committed whole or not at all,
even if the process is killed.

A file holds searches or games; the version of the schema says which: `searchlab.experiments.runs.RunKind`.

A file may be damaged or come from an untrusted source. It is checked as a whole when it is opened, and every cell when
it is read: the cells that a store returns have the types of their columns.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from array import array
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from errno import EACCES
from itertools import compress
from math import isfinite
from pathlib import Path
from sys import float_info
from typing import TYPE_CHECKING, Any, Self

from searchlab.errors import MachineError, SearchlabError, UsageError, shown, with_type
from searchlab.experiments.columns import SINCE_0_3
from searchlab.experiments.identities import RunStatuses, as_array, numbered, packed, unpacked
from searchlab.experiments.requests import Request, ranges
from searchlab.experiments.runs import RUN_KINDS, SEARCHES
from searchlab.files import FolderLock, file_error, gone, is_file_at, remove_drafts, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.experiments.columns import Column
    from searchlab.experiments.identities import Packed
    from searchlab.experiments.runs import RunKind, RunRecord

FILE = "results.sqlite"
TABLES = ("specifications", "provenance", "runs")
RUN = "run"
"""The column of a table with the number of the run, which is stored in another table."""
RECORD = "number of the record"
"""The column of a table with the number of the record, by which `Store.cells` finds the record."""
AT_ONCE = 500
"""The number of runs that are read at once: few enough that the processor's cache holds their cells."""
SAMPLED, MOST_ALIKE = 1000, 100
"""Columns are read together if their cells make up at most 100 different rows in a sample of 1,000."""
PLACES = "places"
"""The table with the number of each run; files written by searchlab 0.1 and earlier have none."""
REQUESTS = "requests"
"""The table with the requests of each `searchlab run`; files without a request since 0.1 have none."""
CERTIFICATES = "certificates"
"""The folder beside the results with the certificates of runs, each named by its run's identity."""
APPLICATION = 0x5EA6C41A
"""Marks a SQLite file as ours."""
OF_THE_MACHINE = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_NOMEM")
OF_OTHERS = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
OF_RIGHTS = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")
"""How SQLite's names of errors begin that are no damage: the machine fails, the file is in use, or may not be used."""
CANNOT_WRITE = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
"""The beginnings of SQLite's error names for failing to create the index of the log."""
MIXED_UP = "the numbers of its runs are mixed up"
TIME = re.compile(r"(1[789]|2[01])\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
"""The form of the time at which a run ended; pandas does not read all other years."""
NOTHING = "{}"
"""An object in JSON that is empty, as the metrics of most runs are."""
OF_PROVENANCE = ("versions", "machine", "plugins", "metrics")
"""The keys of a provenance, each of an object."""


class Store:
    """The results of an experiment in a folder.

    Args:
        folder: the folder of the experiment, which a writer creates; a reader may pass the file in it instead.
        writes: whether to add rows, which one process at a time may do.
        kind: the kind of the runs to be added; a reader need not know it.

    Attributes:
        kind: the kind of the stored runs.

    Raises:
        UsageError: there are no results, they cannot be read or are damaged, another process writes them, or they are
            of the other kind.
        MachineError: the disk is full or fails.
    """

    def __init__(self, folder: str | Path, *, writes: bool = False, kind: RunKind = SEARCHES) -> None:
        self.folder, self.kind = Path(folder), kind
        self.file = self.folder if not writes and os.path.isfile(self.folder) else self.folder / FILE
        self._lock: FolderLock | None = None
        self._connection: sqlite3.Connection | None = None
        self._written: dict[Path, os.stat_result] = {}
        self._provenances: dict[str, int] = {}
        self._latest_provenance: tuple[Mapping[str, Any] | None, int] = (None, 0)
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
            self._connection = self._connect_to_write() if writes else _open_to_read(self.file)
            is_new = self._is_new()
            if is_new and not writes:  # to be read as one without runs
                self._connection.close()
                self._connection = sqlite3.connect(":memory:", isolation_level=None)
            if writes:
                self.check_takes(kind)
            self._right_indexes = {*TABLES, PLACES} if is_new else set()
            if is_new:
                self._make_tables()
            else:
                self._check_whole()
                self._add_new_columns(in_file=writes)
        if writes:
            self._note_written()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release the folder for other processes."""
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
        """Raise one-line errors for everything that goes wrong with the file in the context.

        Raises:
            UsageError: the file is damaged, in use by another program, or must not be read or written.
            MachineError: the disk is full or fails.
        """
        try:
            yield
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.IntegrityError):
            raise  # an error of this program, not of the file
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
            is_secret = self.file.exists() and not os.access(self.file, os.R_OK)
            return UsageError(f"{self.file}: {os.strerror(EACCES) if is_secret else error}")
        if name.startswith("SQLITE_NOTADB"):
            return UsageError(f"{self.file}: not a file of results: {error}")
        return self._damaged(str(error))

    def _damaged(self, what: str) -> UsageError:
        what = " ".join(what.split())
        return UsageError(f"{self.file}: damaged: {what}; restore it from a copy, or start again in another folder")

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Read the same content in the whole context, even if another process adds records."""
        with self._access():
            self._open_connection.execute("BEGIN")
        try:
            yield
        finally:
            with contextlib.suppress(sqlite3.Error):  # nothing was written
                self._open_connection.execute("ROLLBACK")

    @contextmanager
    def _transaction(self, *tables: str) -> Iterator[sqlite3.Connection]:
        """Commit everything that is written in the context, or nothing.

        Args:
            tables: the tables to which rows are added by their indexes.

        Raises:
            UsageError: the file cannot be written, or an index of these tables is damaged.
            MachineError: the disk is full or fails, or another file has taken its place.
        """
        self._check_written()
        for table in tables:
            self._check_indexes(table)
        connection = self._open_connection
        try:
            with self._access(), connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
        except BaseException:
            self._provenances.clear()  # their numbers were rolled back
            self._latest_provenance = None, 0
            raise
        self._note_written()
        self._check_written()

    def _note_written(self) -> None:
        """Remember the written files, to notice if others take their place."""
        for path in (self.file, _log_of(self.file)):
            if path not in self._written:
                with contextlib.suppress(OSError):
                    self._written[path] = os.stat(path)

    def _check_written(self) -> None:
        """Raise a MachineError if the folder or the file was deleted or replaced while it was written."""
        if self._lock is not None:
            self._lock.check()
        for path, status in self._written.items():
            if not is_file_at(path, status):
                raise gone(path)

    def check_takes(self, kind: RunKind) -> None:
        """Raise a UsageError if it holds runs of the other kind."""
        if self.kind is not kind:
            raise UsageError(f"{self.folder}: holds {self.kind.name}; let {kind.name} have a folder of their own")

    def statuses(self) -> RunStatuses:
        """Return the status of the last attempt of each run, by identity."""
        import numpy as np

        names = self.kind.statuses
        code = {name: number for number, name in enumerate(names)}
        identities, codes = bytearray(), array("b")
        for named, found in self.columns(["identity", "status"], all_attempts=True):
            identities += self._packed(named)
            codes.extend(map(code.__getitem__, found))
        return RunStatuses(identities, np.array(codes), names)

    def _packed(self, identities: Iterable[str]) -> bytes:
        """Return identities that were read as `packed` does."""
        try:
            return packed(identities)
        except ValueError as error:
            raise self._damaged(str(error)) from None

    def add(self, records: Iterable[RunRecord]) -> None:
        """Add the records of runs, all of them or none.

        Raises:
            UsageError: the file cannot be written, or a record has a cell that its column cannot hold.
            MachineError: the disk is full or fails, or the file is gone.
        """
        columns = tuple(name for name in self.kind.stored if name != "attempt")
        attempt = "(SELECT COALESCE(MAX(attempt), 0) + 1 FROM runs WHERE identity = ?)"
        insertion = (
            f"INSERT INTO runs ({', '.join(columns)}, attempt) VALUES ({', '.join('?' * len(columns))}, {attempt})"
        )
        with self._transaction(*TABLES) as connection:
            rows = [self._row(record, columns) for record in records]
            last = connection.execute("SELECT COALESCE(MAX(number), 0) FROM runs").fetchone()[0]
            try:
                connection.executemany(insertion, rows)
            except OverflowError as error:
                raise UsageError(f"{self.file}: a record cannot be added: {error}") from None
            if wrong := self._wrong_cell(columns, f"number > {last}"):
                raise UsageError(f"{self.file}: a record cannot be added: its {wrong[1]}")

    def _row(self, record: RunRecord, columns: Sequence[str]) -> list[Any]:
        """Return the cells of a record in these columns, then its identity."""
        cells = {**record.cells, **_cells_of_run(record), **self._cells_of_record(record)}
        return [*(cells[column] for column in columns), record.run.identity]

    def number(self, identities: bytes) -> NDArray[np.int64]:
        """Number the runs of an experiment in order, and return the number of each; runs that have a number keep it.

        Args:
            identities: of the runs, as `packed` returns them.

        Raises:
            UsageError, MachineError: as for `add`.
        """
        import numpy as np

        run, numbers, placed = self._numbered(identities)
        if len(numbers) > placed:
            found, first = np.unique(run, return_index=True)
            new = first[found >= placed]
            with self._transaction(PLACES):
                self._add_places(unpacked(as_array(identities)[new].tobytes()))
        return numbers[run]

    def _add_places(self, identities: Iterable[str]) -> None:
        """Number the runs in order that have no number."""
        self._open_connection.execute(
            f"CREATE TABLE IF NOT EXISTS {PLACES} (number INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE)"
        )
        following = f"(SELECT COALESCE(MAX(number), 0) + 1 FROM {PLACES})"
        self._open_connection.executemany(
            f"INSERT INTO {PLACES} (number, identity) SELECT {following}, ?1 "
            f"WHERE NOT EXISTS (SELECT 1 FROM {PLACES} WHERE identity = ?1)",
            ((identity,) for identity in identities),
        )

    def _has(self, table: str) -> bool:
        """Return whether the file has a table."""
        named = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
        return self._open_connection.execute(named, (table,)).fetchone() is not None

    def _places(self) -> tuple[bytearray, NDArray[np.int64]]:
        """Return the identities of the runs that have a number, as `packed` does, and the numbers in order."""
        import numpy as np

        identities, numbers = bytearray(), array("q")
        with self._access():
            if self._has(PLACES):
                wrong = "typeof(identity) <> 'text' OR typeof(number) <> 'integer' OR number < 1"
                search = f"SELECT EXISTS (SELECT 1 FROM {PLACES} NOT INDEXED WHERE {wrong})"
                if self._open_connection.execute(search).fetchone()[0]:
                    raise self._damaged(MIXED_UP)
                search = f"SELECT identity, number FROM {PLACES} NOT INDEXED ORDER BY number"
                found = self._open_connection.execute(search)
                while rows := found.fetchmany(AT_ONCE):
                    named, places = zip(*rows, strict=True)
                    identities += self._packed(named)
                    numbers.extend(places)
        return identities, np.array(numbers, np.int64)

    def _numbered(self, identities: Packed) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return the place of each run among all runs, the numbers of these, and how many of these have a place here.

        Runs without a place follow those that have one.

        Raises:
            UsageError: the file is damaged.
        """
        import numpy as np

        known, numbers = self._places()
        run = numbered(known + identities)
        placed = len(numbers)
        if not np.array_equal(run[:placed], np.arange(placed)) or not (np.diff(numbers) > 0).all():
            raise self._damaged(MIXED_UP)
        run = run[placed:]
        following = np.arange(run.max(initial=-1) + 1 - placed) + numbers.max(initial=0) + 1
        return run, np.concatenate([numbers, following]), placed

    def _numbers(self) -> dict[str, int]:
        """Return the numbers of runs, by identity: of those that have a place, and of those that are recorded."""
        identities, places = self._places()
        numbers = dict(zip(unpacked(identities), places.tolist(), strict=True))
        for named, of_records in self.columns(["identity", RUN], all_attempts=True):
            numbers.update(zip(named, of_records, strict=True))
        return numbers

    def request(self, wanted: Request, numbers: Iterable[int]) -> None:
        """Add the request of an experiment unless it equals the latest request.

        Args:
            wanted: the request without its runs.
            numbers: the numbers of the runs, including those done before: see `number`.

        Raises:
            UsageError, MachineError: as for `add`.
        """
        wanted = replace(wanted, runs=ranges(numbers))
        known = self.requests()
        if not known or replace(known[-1], begun=wanted.begun) != wanted:
            with self._transaction():
                self._add_request(wanted)

    def _add_request(self, wanted: Request) -> None:
        """Add a request, unless there is one with the same time and content."""
        connection = self._open_connection
        connection.execute(f"CREATE TABLE IF NOT EXISTS {REQUESTS} (id INTEGER PRIMARY KEY, begun TEXT, content TEXT)")
        connection.execute(
            f"INSERT INTO {REQUESTS} (begun, content) SELECT ?1, ?2 "
            f"WHERE NOT EXISTS (SELECT 1 FROM {REQUESTS} WHERE begun = ?1 AND content = ?2)",
            (wanted.begun, wanted.as_json()),
        )

    def requests(self) -> list[Request]:
        """Return the requests, the latest last.

        Raises:
            UsageError: the file is damaged.
        """
        with self._access():
            if not self._has(REQUESTS):
                return []
            search = f"SELECT begun, content FROM {REQUESTS} ORDER BY begun, id"
            found = self._open_connection.execute(search).fetchall()
            numbered = f"SELECT COALESCE(MAX(number), 0) FROM {PLACES}" if self._has(PLACES) else "SELECT 0"
            (last,) = self._open_connection.execute(numbered).fetchone()
        if not isinstance(last, int):
            raise self._damaged(MIXED_UP)
        try:
            return [Request.from_json(begun, content, last) for begun, content in found]
        except ValueError as error:
            raise self._damaged(str(error)) from None

    def specify(self, content: str, now: str) -> None:
        """Add a specification of the experiment, unless it is the last one that was added.

        Args:
            content: the specification as JSON.
            now: the time in UTC, ISO 8601.

        Raises:
            UsageError, MachineError: as for `add`.
        """
        if self.specification() != content:
            with self._transaction() as connection:
                connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, now))

    def columns(
        self, names: Sequence[str], *, all_attempts: bool = False, together: Sequence[str] = ()
    ) -> Iterator[list[Sequence[Any]]]:
        """Yield the cells of some columns, each checked, in the order of the records and `AT_ONCE` runs at a time.

        Args:
            names: columns of the store, in which `provenance` is a number (see `provenance`); `RUN`, the number of the
                run; or `RECORD`.
            all_attempts: whether to include all attempts of a run instead of the last.
            together: further columns of the store, of integers and texts, whose cells are read as one: see `alike`.

        Yields:
            for each name the cells of the next runs; those of `metrics` are objects. If there are any, the cells of the
            columns `together` follow, those of a run as a list in JSON.

        Raises:
            UsageError: the file is damaged.
        """
        stored = [name for name in names if name in self.kind.stored]
        self.check_cells([*stored, *together])
        selects = not all_attempts and self._has_further_attempts()
        of_records = self._numbers_of_records() if selects or RUN in names else None
        cells = [name if name in stored else "number" if name == RECORD else "NULL" for name in names]
        if together:
            names = [*names, "together"]
            cells.append(f"json_array({', '.join(together)}) AS together")
        most = -1 if of_records is None else len(of_records[0])  # others may have been added since
        begin = 0
        with self._access():
            found = self._open_connection.execute(
                f"SELECT {', '.join(cells)} FROM runs NOT INDEXED ORDER BY number LIMIT {most}"
            )
            while rows := found.fetchmany(AT_ONCE):
                if of_records is not None:
                    numbers, is_last = (of_record[begin : begin + len(rows)] for of_record in of_records)
                    begin += len(rows)
                    if selects:
                        rows, numbers = list(compress(rows, is_last.tolist())), numbers[is_last]
                columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(names)
                if RUN in names:
                    columns[names.index(RUN)] = numbers.tolist()
                yield self._meanings(names, columns)

    def ended(self, status: str) -> list[tuple[int, str, int, str | None]]:
        """Return the number, identity, repetition and reason of each run whose last attempt ended with a status.

        Only of runs that were numbered. Of few runs among many this takes a small part of the time of `columns`.

        Raises:
            UsageError: the file is damaged.
        """
        ended = f"status = {status!r}"
        self.check_cells(["identity", "repetition", "reason"], ended)
        tried = f"identity IN (SELECT identity FROM runs NOT INDEXED WHERE {ended})"
        last = f"SELECT MAX(number) FROM runs NOT INDEXED WHERE {tried} GROUP BY identity"
        search = f"SELECT identity, repetition, reason FROM runs NOT INDEXED WHERE {ended} AND number IN ({last})"
        with self._access():
            connection = self._open_connection
            number_of = dict(connection.execute(f"SELECT identity, number FROM {PLACES} NOT INDEXED WHERE {tried}"))
            found = connection.execute(f"{search} ORDER BY number").fetchall()
        return [(number_of[identity], identity, *rest) for identity, *rest in found if identity in number_of]

    def records_with(self, column: str) -> NDArray[np.int64]:
        """Return the numbers of the records in which a column is not empty."""
        import numpy as np

        with self._access():
            found = self._open_connection.execute(f"SELECT number FROM runs NOT INDEXED WHERE {column} IS NOT NULL")
            return np.fromiter((number for (number,) in found), np.int64)

    def cells(self, names: Sequence[str], records: NDArray[np.int64]) -> list[Sequence[Any]]:
        """Return the cells of some columns of the store for records with some numbers, as `columns` does.

        The columns are not checked: see `check_cells`.
        """
        listed = ", ".join(map(str, records.tolist()))
        with self._access():
            search = f"SELECT number, {', '.join(names)} FROM runs WHERE number IN ({listed})"
            found = {number: cells for number, *cells in self._open_connection.execute(search)}
        try:
            rows = [found[number] for number in records.tolist()]
        except KeyError as error:
            raise self._damaged(f"it no longer has record {error}") from None
        return self._meanings(names, list(zip(*rows, strict=True)) or [()] * len(names))

    def _meanings(self, names: Sequence[str], columns: list[Sequence[Any]]) -> list[Sequence[Any]]:
        """Return the cells of columns, with some texts replaced by their meanings."""
        return [
            self._read(name, cells, READ[name]) if name in READ else cells
            for name, cells in zip(names, columns, strict=True)
        ]

    def alike(self, names: Iterable[str]) -> list[str]:
        """Return those of some columns whose cells make up few different rows: reading them as one takes less time.

        Not those of fractions, which JSON does not hold exactly, nor those whose texts have a meaning.
        """
        of_store = [self.kind.stored[name] for name in names if name in self.kind.stored]
        listed = [column.name for column in of_store if column.in_sqlite != "REAL" and column.name not in READ]
        with self._access():
            connection = self._open_connection
            last = connection.execute("SELECT COALESCE(MAX(number), 0) FROM runs").fetchone()[0]
            search = f"SELECT {', '.join(listed) or 'NULL'} FROM runs WHERE number = ?"
            some = range(1, last + 1, max(1, last // SAMPLED))
            rows = [row for number in some for row in connection.execute(search, (number,))]
        chosen: list[str] = []
        together: Sequence[int] = [0] * len(rows)
        cells_of = {name: [row[place] for row in rows] for place, name in enumerate(listed)}
        for name in sorted(listed, key=lambda name: len(set(cells_of[name]))):
            different: dict[tuple[int, Any], int] = {}
            further = [different.setdefault(row, len(different)) for row in zip(together, cells_of[name], strict=True)]
            if len(different) <= MOST_ALIKE:
                chosen.append(name)
                together = further
        return chosen

    def _numbers_of_records(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the number of the run of each record, and whether the record is the last attempt at it.

        Runs without a place follow those that have one, as they were recorded first.

        Raises:
            UsageError: the file is damaged.
        """
        import numpy as np

        self.check_cells(["identity"])
        identities = bytearray()
        for of_records in self._identities():
            identities += of_records
        run, number_of, _ = self._numbered(identities)
        record = np.arange(len(run))
        last = np.zeros(len(number_of), np.int64)
        last[run] = record
        return number_of[run], last[run] == record

    def _identities(self) -> Iterator[bytes]:
        """Yield the identities in the order of the records."""
        with self._access():
            found = self._open_connection.execute("SELECT identity FROM runs NOT INDEXED ORDER BY number")
            while rows := found.fetchmany(AT_ONCE):
                yield self._packed(identity for (identity,) in rows)

    def _has_further_attempts(self) -> bool:
        """Return whether a run was tried more than once."""
        search = "SELECT EXISTS (SELECT 1 FROM runs NOT INDEXED WHERE attempt <> 1)"
        return bool(self._open_connection.execute(search).fetchone()[0])

    def _read(self, column: str, texts: Sequence[str], read: Callable[[str], Any]) -> list[Any]:
        """Return the values that a function reads from the texts of a column; a ValueError becomes a UsageError."""
        try:
            known = {text: read(text) for text in set(texts)}
        except ValueError:
            for text in texts:
                try:
                    read(text)
                except ValueError as error:
                    search = f"SELECT MIN(number) FROM runs WHERE {column} = ?"
                    (number,) = self._open_connection.execute(search, (text,)).fetchone()
                    raise self._damaged(f"run {number}: {error}") from None
        return [known[text] for text in texts]

    def provenance(self, number: int) -> dict[str, Any]:
        """Return a provenance, given its number in the column `provenance`.

        Raises:
            UsageError: the file is damaged.
        """
        try:
            return _parse_provenance(self._content_of_provenance(number))
        except ValueError as error:
            with self._access():
                search = "SELECT MIN(number) FROM runs WHERE provenance = ?"
                (run,) = self._open_connection.execute(search, (number,)).fetchone()
            raise self._damaged(f"run {run}: {error}") from None

    def check_cells(self, columns: Sequence[str], which: str = "TRUE") -> None:
        """Raise a UsageError if a cell of these columns is invalid, in the rows that meet a condition in SQL."""
        if not columns:
            return
        with self._access():
            if wrong := self._wrong_cell(columns, which):
                number, what = wrong
                raise self._damaged(f"run {number}: its {what}")

    def _wrong_cell(self, columns: Sequence[str], which: str = "TRUE") -> tuple[int, str] | None:
        """Return a run's number and an invalid cell, if there is any."""
        holds = [f"({_condition(self.kind.stored[name], self.kind)})" for name in columns]
        is_wrong = f"{which} AND NOT ({' AND '.join(holds)})"
        search = f"SELECT number, {', '.join(holds)} FROM runs NOT INDEXED WHERE {is_wrong} LIMIT 1"
        found = self._open_connection.execute(search).fetchone()
        if found is None:
            return None
        number, *is_right = found
        name = columns[is_right.index(0)]
        (value,) = self._open_connection.execute(f"SELECT {name} FROM runs WHERE number = ?", (number,)).fetchone()
        return number, f"{name} is {'missing' if value is None else shown(value)}"

    def _content_of_provenance(self, number: int) -> str:
        with self._access():
            found = self._open_connection.execute("SELECT content FROM provenance WHERE id = ?", (number,)).fetchone()
        if found is None or not isinstance(found[0], str):
            msg = f"there is no provenance {number}"
            raise ValueError(msg)
        return str(found[0])

    def merge(self, other: Store) -> tuple[int, int]:
        """Add the missing runs of another store, and its specifications: all or nothing.

        For a run that both stores have, the record here stays.

        Returns:
            the number of rows that were added, and the number of rows that were already here.

        Raises:
            UsageError: this store cannot be written, the other cannot be read, or its runs are of the other kind.
        """
        if other.kind is not self.kind:
            raise _of_other_kind(self, other.folder, other.kind)
        with self._transaction(*TABLES, PLACES) as connection:
            added = total = 0
            names = list(self.kind.stored)
            marks = ", ".join("?" * len(names))
            new = "NOT EXISTS (SELECT 1 FROM runs WHERE identity = ? AND attempt = ?)"
            insertion = f"INSERT INTO runs ({', '.join(names)}) SELECT {marks} WHERE {new}"
            numbers: dict[int, int] = {}
            for columns in other.columns(names, all_attempts=True):
                cells = dict(zip(names, columns, strict=True))
                for number in {*cells["provenance"]} - {*numbers}:
                    numbers[number] = self._provenance(other.provenance(number))
                cells["provenance"] = [numbers[number] for number in cells["provenance"]]
                cells["metrics"] = [json.dumps(metrics) for metrics in cells["metrics"]]
                rows = zip(*cells.values(), cells["identity"], cells["attempt"], strict=True)
                added += connection.executemany(insertion, rows).rowcount
                total += len(cells["identity"])
            self._merge_specifications(other)
            places = other._numbers()
            self._add_places(sorted(places, key=places.__getitem__))
            self._merge_requests(other, places)
        return added, total - added

    def _merge_requests(self, other: Store, places: Mapping[str, int]) -> None:
        """Add the requests of another store, given the numbers of its runs."""
        connection = self._open_connection
        requests = other.requests()
        if not requests:
            return
        search = f"SELECT number FROM {PLACES} WHERE identity = ?"
        number_of = {
            number: connection.execute(search, (identity,)).fetchone()[0] for identity, number in places.items()
        }
        for wanted in requests:
            runs = ranges(number_of[number] for number in wanted.numbers() if number in number_of)
            self._add_request(replace(wanted, runs=runs))

    def _merge_specifications(self, other: Store) -> None:
        connection = self._open_connection
        known = {content for content, _ in self._specifications()}
        for content, added in other._specifications():
            if content not in known:
                connection.execute("INSERT INTO specifications (content, added) VALUES (?, ?)", (content, added))

    def copy_to(self, other: sqlite3.Connection) -> None:
        """Copy the file, with what is in its log, into an empty database.

        Raises:
            UsageError: the file is damaged.
        """
        with self._access():
            self._open_connection.backup(other)

    def specification(self) -> str:
        """Return the latest specification of the experiment as JSON, `""` if unknown.

        Raises:
            UsageError: the file is damaged.
        """
        return next((content for content, _ in reversed(list(self._specifications()))), "")

    def _specifications(self) -> Iterator[tuple[str, str]]:
        """Yield each specification of the experiment, and when it was added."""
        with self._access():
            for row in self._open_connection.execute("SELECT content, added FROM specifications ORDER BY id"):
                if not all(isinstance(text, str) for text in row):
                    raise self._damaged("a specification is not text")
                yield row

    def _connect_to_write(self) -> sqlite3.Connection:
        # With a write-ahead log readers need not wait, and a commit does not wait for the disk: a process that is
        # killed loses nothing of it, only a computer that loses power may lose the last moments.
        with _new_connection(self.file) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            return connection

    def _is_new(self) -> bool:
        """Return whether the file has no tables yet; otherwise set the kind of its runs.

        Raises:
            UsageError: it belongs to another program, or to a newer version.
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
        newest = max(kind.schema for kind in RUN_KINDS)
        if version > newest:
            raise UsageError(f"{self.file}: written by a newer searchlab (schema {version}, here {newest}); update it")
        kinds = {kind.schema: kind for kind in RUN_KINDS}
        if version not in kinds:
            raise self._damaged(f"there is no schema {version}")
        self.kind = kinds[version]
        return False

    def _check_whole(self) -> None:
        """Raise a UsageError if the file's pages or tables are damaged; this takes little of the time of reading."""
        connection = self._open_connection
        said = connection.execute("PRAGMA quick_check(1)").fetchone()
        if said != ("ok",):
            raise self._damaged(str(said[0]))
        # A view or a virtual table in their place could do anything.
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        missing = sorted(set(TABLES) - {name for (name,) in tables})
        if missing:
            raise self._damaged(f"it has no table {missing[0]}")

    def check_can_add(self) -> None:
        """Raise an error if runs cannot be added, as `add` does, before they are done."""
        with self._transaction(*TABLES):
            pass

    def _check_indexes(self, table: str) -> None:
        """Raise a UsageError if an index of a table lacks rows.

        Rows are added by indexes, and never read by them. For both tables with a row per run this takes seven times as
        long as `_check_whole`, so it is done before the first row is added, not when the file is opened.
        """
        if table in self._right_indexes or not self._has(table):
            return
        with self._access():
            said = self._open_connection.execute(f"PRAGMA integrity_check({table})").fetchone()
        if said != ("ok",):
            raise self._damaged(str(said[0]))
        self._right_indexes.add(table)

    def _add_new_columns(self, *, in_file: bool) -> None:
        """Add the columns that version 0.2 did not have: to the file, or to what is read of it, without values.

        Raises:
            UsageError: the file lacks another column.
        """
        connection = self._open_connection
        known = {name for _, name, *_ in connection.execute("PRAGMA table_info(runs)")}
        missing = [column for name, column in self.kind.stored.items() if name not in known]
        if lost := [column.name for column in missing if column.name not in SINCE_0_3]:
            raise self._damaged(f"its runs have no column {lost[0]}")
        if in_file:
            for column in missing:
                connection.execute(f"ALTER TABLE runs ADD COLUMN {column.name} {column.declaration}")
        elif missing:
            added = ", ".join(f"NULL AS {column.name}" for column in missing)
            connection.execute(f"CREATE TEMP VIEW runs AS SELECT *, {added} FROM main.runs")

    def _make_tables(self) -> None:
        columns = ", ".join(f"{name} {column.declaration}" for name, column in self.kind.stored.items())
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

    def _cells_of_record(self, record: RunRecord) -> dict[str, Any]:
        return {
            "metrics": json.dumps(record.metrics) if record.metrics else NOTHING,
            "worker": record.worker,
            "load": record.load,
            "clock": record.clock,
            "finished": record.finished,
            "provenance": self._provenance(record.provenance),
        }

    def _provenance(self, provenance: Mapping[str, Any]) -> int:
        """Return the number of a provenance, which is stored once for all runs that have it."""
        if provenance is self._latest_provenance[0]:
            return self._latest_provenance[1]
        content = json.dumps(provenance, sort_keys=True)
        if content not in self._provenances:
            connection = self._open_connection
            connection.execute("INSERT OR IGNORE INTO provenance (content) VALUES (?)", (content,))
            found = connection.execute("SELECT id FROM provenance WHERE content = ?", (content,))
            self._provenances[content] = int(found.fetchone()[0])
        self._latest_provenance = provenance, self._provenances[content]
        return self._provenances[content]


def _cells_of_run(record: RunRecord) -> dict[str, Any]:
    """Return the cells that identify a run, without its attempt."""
    run = record.run
    limits, kind = run.limits, run.kind
    return {
        "identity": run.identity,
        "board_name": run.instance.name,
        "optimal_cost": run.instance.optimal,
        "seed": run.seed,
        "repetition": run.repetition,
        "limit_seconds": limits.seconds if isfinite(limits.seconds) else None,
        "limit_memory": limits.memory,
        kind.limit: limits.expansions if kind is SEARCHES else run.most_moves,
        **run.parts,  # as the experiment names them, so that equal configurations have equal names
    }


def _condition(column: Column, kind: RunKind) -> str:
    """Return the condition in SQL that each cell of a column fulfils in a table that is not damaged."""
    name = column.name
    holds = f"typeof({name}) = '{column.in_sqlite.lower()}'"
    if column.in_sqlite == "INTEGER":
        if column.dtype == "bool":
            holds += f" AND {name} IN (0, 1)"
        elif name != "largest_tile":  # tiles of a domain may be below 0
            holds += f" AND {name} >= 0"
    if name == "score":
        holds += f" AND {name} BETWEEN {-float_info.max!r} AND {float_info.max!r}"
    if column.dtype == "category":
        holds += f" AND {name} IN ({', '.join(map(repr, kind.statuses))})"
    return holds if column.is_needed else f"({name} IS NULL OR {holds})"


def _read_time(text: str) -> str:
    """Return the text of a time; raise a ValueError if it is damaged."""
    if not TIME.fullmatch(text):
        msg = f"it finished at {shown(text)}, which is not a time"
        raise ValueError(msg)
    datetime.fromisoformat(text)
    return text


def _read_metrics(text: str) -> dict[str, Any]:
    return _parse_object(text, "metrics")


READ: dict[str, Callable[[str], Any]] = {"finished": _read_time, "metrics": _read_metrics}
"""What the texts of some columns mean."""


def _parse_provenance(text: str) -> dict[str, Any]:
    provenance = _parse_object(text, "provenance")
    for name in OF_PROVENANCE:
        if not isinstance(provenance.get(name, {}), dict):
            msg = f"its provenance has {name} {shown(provenance[name])}"
            raise ValueError(msg)
    return provenance


def _parse_object(text: str, what: str) -> dict[str, Any]:
    """Return the object that a text in JSON describes; raise a ValueError if it is damaged or cannot be encoded."""
    if text == NOTHING:
        return {}
    try:
        content = json.loads(text)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()  # raises an error for half of a surrogate pair
    except (ValueError, RecursionError) as error:
        msg = f"its {what} cannot be read: {with_type(error)}"
        raise ValueError(msg) from None
    if not isinstance(content, dict):
        msg = f"its {what} is {shown(content)}"
        raise ValueError(msg)
    return content


def merge_into(folder: str | Path, others: Sequence[str | Path]) -> Iterator[tuple[int, int]]:
    """Add the missing runs of other folders, and their certificates; yield the return value of `Store.merge` for each.

    Raises:
        UsageError, MachineError: as for `Store.merge`; or a certificate cannot be copied.
    """
    kinds = []
    for other in others:  # before anything is added; a thousand files are too many to be open at once
        with Store(other) as source:
            kinds.append(source.kind)
    with Store(folder, writes=True, kind=kinds[0]) as target:
        for other, kind in zip(others, kinds, strict=True):
            if kind is not target.kind:
                raise _of_other_kind(target, other, kind)
        for other in others:
            with Store(other) as source:
                merged = target.merge(source)
                _copy_certificates(source, target)
            yield merged


def _of_other_kind(store: Store, other: str | Path, kind: RunKind) -> UsageError:
    return UsageError(f"{store.folder} holds {store.kind.name}, {other} {kind.name}")


def _copy_certificates(source: Store, target: Store) -> None:
    """Copy the certificates of a store's runs that another store has not."""
    found = source.file.parent / CERTIFICATES
    if not found.is_dir():
        return
    into = target.folder / CERTIFICATES
    known = source.statuses()
    try:
        into.mkdir(exist_ok=True)
        for file in sorted(found.glob("*.zip")):
            if file.stem in known and not (into / file.name).exists():
                with file.open("rb") as content, replacing(into / file.name) as copy:
                    shutil.copyfileobj(content, copy)
    except OSError as error:
        raise file_error(into, error) from None


def _open_to_read(file: Path) -> sqlite3.Connection:
    """Return a connection that sees everything committed and never changes the file.

    Committed rows are in the file and in a log beside it, and a reader of the log creates an index of it. In a
    read-only folder, a file without a log is opened as immutable; a file with a log, left by a process that was killed,
    is copied.

    Raises:
        sqlite3.DatabaseError: the file cannot be read, or is not a database.
        OSError: the file cannot be copied.
    """
    try:
        return _connect(file, "mode=ro")
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(CANNOT_WRITE):
            raise
        log = _log_of(file)
        if log.exists() and log.stat().st_size:
            return _copy(file)
        return _connect(file, "immutable=1")


def _copy(file: Path) -> sqlite3.Connection:
    """Return a connection to a copy of a file and its log in memory."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        shutil.copyfile(file, copy)
        shutil.copyfile(_log_of(file), _log_of(copy))
        with contextlib.closing(_connect(copy, "mode=rw")) as source, _new_connection(":memory:") as in_memory:
            source.backup(in_memory)
            return in_memory


def _connect(file: Path, how: str) -> sqlite3.Connection:
    with _new_connection(f"{file.resolve().as_uri()}?{how}") as connection:
        connection.execute("SELECT COUNT(*) FROM sqlite_master")  # connecting alone reads nothing
        return connection


@contextmanager
def _new_connection(database: str | Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection, and close it if the context raises an error: nothing else closes it then."""
    connection = sqlite3.connect(database, uri=isinstance(database, str), isolation_level=None)
    try:
        yield connection
    except BaseException:
        connection.close()
        raise


def _log_of(file: Path) -> Path:
    """Return the path of the log, which holds rows that are committed but not yet in the file."""
    return file.with_name(f"{file.name}-wal")
