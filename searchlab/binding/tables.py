"""Prepared tables: arrays that a component's functions take by name, built once and kept for all processes.

A table is a NumPy file in the cache folder, named by a digest of everything that its content depends on: the code and
the arguments of its build function. Processes map it into memory, read-only, so that it is there once however many use
it. One process builds it, under a lock; the others wait. A file is written whole or not at all, and a table with a
damaged file is built again.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.digests import ContentDigest
from searchlab.errors import MachineError, PluginCode, PluginError, SearchlabWarning, UsageError, in_one_line, shown
from searchlab.errors.suspension import suspended
from searchlab.files import MACHINE_ERRORS, exclusive, open_to_read, read_at_most, reason_of, replacing
from searchlab.files.arrays import array_header
from searchlab.files.cache import ELSEWHERE, LONGEST_DESCRIPTION, TABLES, cache_folder, is_own
from searchlab.model.limits import Progress
from searchlab.model.preparation import TableProgress, listener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from numpy.typing import NDArray

FORMAT = 1
"""To be raised when the meaning of a table's files changes."""
NUMBERS = "biuf"
"""The kinds of NumPy types of which tables can be."""
DIGEST_SIZE = 16
ALWAYS_CHECKED = 2**26
"""The largest size of tables that are checked byte by byte on opening; larger ones are checked if the file changed."""
PIECE = 2**24
"""The number of bytes that are read or written at once."""
POPULATE_READ = 22
"""Linux's MADV_POPULATE_READ: map all pages, and read those that are not in memory."""


@dataclass(frozen=True)
class TableBuild:
    """A table, and its build function.

    Attributes:
        table: the name for people, such as "table corners of heuristic pdb".
        function: `(progress, …)`: returns the array.
        arguments: the function's arguments after the first, by name.
        files: the paths among the arguments whose content counts.
    """

    table: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    files: tuple[str, ...] = ()

    def key(self) -> str:
        """Return a digest of all that the table's content depends on, 32 hexadecimal digits."""
        digest = ContentDigest()
        digest.feed([FORMAT, getattr(sys.modules.get("searchlab"), "__version__", "")])
        digest.feed(self.function)
        opened = {id(table): key for key, table in _opened.items()}  # of another table its key says what it holds
        digest.feed({name: opened.get(id(value), value) for name, value in sorted(self.arguments.items())})
        digest.feed([content_of(Path(file)) for file in self.files])
        return digest.hexdigest()


def content_of(file: Path) -> str:
    """Return a digest of a file's content."""
    try:
        with open_to_read(file) as stream:
            return file_digest(stream, "sha256").hexdigest()
    except (OSError, UsageError, MachineError):
        return "cannot be read"


_opened: dict[str, NDArray[Any]] = {}
"""The tables this process has opened or built, by their keys."""
_must_be_kept: ContextVar[bool] = ContextVar("must_be_kept", default=False)


@contextmanager
def kept_for_others() -> Iterator[None]:
    """While the context lasts, a table that cannot be kept is an error: other processes are to use it."""
    before = _must_be_kept.set(True)
    try:
        yield
    finally:
        _must_be_kept.reset(before)


def prepared(build: TableBuild) -> NDArray[Any]:
    """Return a table, read-only: from the cache folder, or built and put there.

    Raises:
        PluginError: the build function fails, or returns something else than an array of numbers.
        MachineError: it cannot be kept although it has to be, see `kept_for_others`.
    """
    key = build.key()
    if key not in _opened:
        folder = cache_folder()
        opened = _open(folder.path / TABLES / key, key) if folder.is_private else None
        _opened[key] = _built(build, key) if opened is None else opened
    return _opened[key]


def _built(build: TableBuild, key: str) -> NDArray[Any]:
    """Return a table that is in no file, or in a file that another process is about to write."""
    watch, ended = _BuildProgress(build.table), "failed"
    try:
        with suspended(build.table), _locked(build.table, key, watch) as file:
            opened = _open(file, key) if file else None
            if opened is None:
                watch("building")
                array = _array_of(build, watch)
                opened = _kept(file, key, array, build.table, watch.seconds) if file else None
                if opened is None:
                    array.setflags(write=False)
                    opened = array
            ended = "built"
            return opened
    finally:
        watch(ended)


class _BuildProgress:
    """Tells whoever watches how far a table is; a build function gets `progress`."""

    def __init__(self, table: str) -> None:
        self._table, self._began = table, time.monotonic()
        self._listener = listener()

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._began

    def __call__(self, phase: Any, **figures: Any) -> None:
        if self._listener:
            self._listener(TableProgress(self._table, phase, self.seconds, **figures))

    def progress(self, done: float | Progress | None = None, total: float | None = None) -> None:
        """Take how far a build function is: a number, of how many, or the Progress of `sl.distances` and searches."""
        if isinstance(done, Progress):
            total = done.states
            done = done.expanded
        self("building", done=done, total=total)


@contextmanager
def _locked(table: str, key: str, watch: _BuildProgress) -> Iterator[Path | None]:
    """Yield the path of a table's files, exclusively; None if nothing can be written there."""
    folder = cache_folder()
    path, fault = folder.path / TABLES / key, f"{folder.fault}; {ELSEWHERE}" if folder.fault else ""
    refusal: UsageError | MachineError | None = UsageError(fault) if fault else None
    with ExitStack() as stack:
        if refusal is None:
            try:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                stack.enter_context(exclusive(path.with_suffix(".lock"), lambda: watch("waiting")))
            except OSError as error:
                refusal = _refusal(path.parent, error)
        if refusal is not None:
            _accept_unkept(table, refusal)
        yield None if refusal else path


def _array_of(build: TableBuild, watch: _BuildProgress) -> NDArray[Any]:
    """Return the array of a build function, in row-major order."""
    failed = PluginCode(
        lambda error: PluginError(f"{build.table} cannot be built: {in_one_line(error)}"),
        (PluginError, UsageError, MachineError),
    )
    with failed:
        returned = build.function(watch.progress, **build.arguments)
        array = np.asarray(returned)
    if not array.ndim or array.dtype.kind not in NUMBERS or not array.dtype.isnative:
        raise PluginError(f"{build.table}: its build function returned {shown(returned)}, not an array of numbers")
    return np.ascontiguousarray(array)


def _kept(path: Path, key: str, array: NDArray[Any], table: str, seconds: float) -> NDArray[Any] | None:
    """Write a table to its files and open it there; None if it cannot be written or read back."""
    try:
        with _private(path.with_suffix(".npy")) as file:
            np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
            content = array.reshape(-1).view(np.uint8)
            for start in range(0, len(content), PIECE):
                file.write(content[start : start + PIECE].data)
        with path.with_suffix(".npy").open("rb") as written:
            description = {
                **{"format": FORMAT, "key": key, "table": table, "seconds": round(seconds, 3)},
                **{"dtype": array.dtype.str, "shape": array.shape, "digest": _digest(written, key)},
                "stamp": _stamp(os.fstat(written.fileno())),
            }
        with _private(path.with_suffix(".json")) as file:
            file.write(json.dumps(description).encode())
    except OSError as error:
        _accept_unkept(table, _refusal(path.parent, error))
        return None
    return _open(path, key)


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    """Yield a draft of a file that nobody else can write."""
    path.unlink(missing_ok=True)  # a draft takes over the permissions of the file it replaces
    with replacing(path) as file:
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o600)
        yield file


def _refusal(folder: Path, error: OSError) -> UsageError | MachineError:
    kind = MachineError if error.errno in MACHINE_ERRORS else UsageError
    return kind(f"{error.filename or folder}: {reason_of(error)}; {ELSEWHERE}")


def _accept_unkept(table: str, refusal: UsageError | MachineError) -> None:
    """Warn that a table is not kept, or raise the error if it must be kept."""
    if _must_be_kept.get():
        raise MachineError(f"{table} cannot be kept for the workers: {refusal}")
    warnings.warn(f"{table} is not kept, so each process builds it: {refusal}", SearchlabWarning, 2)


def _open(path: Path, key: str) -> NDArray[Any] | None:
    """Return the table in these files, mapped read-only; None if it is missing or damaged.

    The header is read and compared with the description of the table before anything is mapped; nothing is ever
    unpickled.
    """
    try:
        if not (path.with_suffix(".json").is_file() and path.with_suffix(".npy").is_file()):
            return None  # a pipe would be waited for
        description = _description(path, key)
        if description is None:
            return None
        with path.with_suffix(".npy").open("rb") as file:
            status = os.fstat(file.fileno())
            offset = _checked_header(file, description)
            size = int(np.prod(description["shape"], dtype=object)) * np.dtype(description["dtype"]).itemsize
            if status.st_size != offset + size or not is_own(status):
                return None
            trusted = size > ALWAYS_CHECKED and description["stamp"] == _stamp(status)
            if not trusted and _digest(file, key) != description["digest"]:
                return None
            with suppress(OSError):
                os.utime(path.with_suffix(".json"))
            dtype, shape = np.dtype(description["dtype"]), tuple(description["shape"])
            if not size:
                return np.zeros(shape, dtype)
            mapped = np.memmap(file, dtype, "r", offset, shape)
            _read_ahead(mapped)
            return np.asarray(mapped)
    except (OSError, ValueError, TypeError, LookupError):
        return None


def _read_ahead(mapped: np.memmap[Any, Any]) -> None:
    """Bring a table into memory, if the system supports it.

    Otherwise a search would read it page by page in random order, in its own time.
    """
    with suppress(OSError, ValueError, AttributeError):  # an older system, or another one
        memory = mapped._mmap  # type: ignore[attr-defined]
        for start in range(0, len(memory), PIECE):
            memory.madvise(POPULATE_READ, start, min(PIECE, len(memory) - start))


def _description(path: Path, key: str) -> Mapping[str, Any] | None:
    """Return the description beside a table; None unless it belongs to the table with this key."""
    with path.with_suffix(".json").open("rb") as file:
        content = read_at_most(file, LONGEST_DESCRIPTION) if is_own(os.fstat(file.fileno())) else None
    if content is None:
        return None
    description: Mapping[str, Any] = json.loads(content)
    is_of_key = description["key"] == key and description["format"] == FORMAT
    is_of_numbers = np.dtype(str(description["dtype"])).kind in NUMBERS
    sides = description["shape"]
    fits = isinstance(sides, list) and all(type(side) is int and side >= 0 for side in sides)
    return description if is_of_key and is_of_numbers and fits else None


def _checked_header(file: BinaryIO, description: Mapping[str, Any]) -> int:
    """Return the beginning of a file's data; raise a ValueError if its header differs from the description."""
    shape, is_fortran, dtype = array_header(file)
    if (list(shape), is_fortran, dtype.str) != (description["shape"], False, description["dtype"]):
        raise ValueError("another array")
    return file.tell()


def _digest(file: BinaryIO, key: str) -> str:
    """Return a digest of all bytes of a file and of the key, so that no file can replace another."""
    digest = blake2b(digest_size=DIGEST_SIZE, key=key.encode())
    file.seek(0)
    while piece := file.read(PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns]
