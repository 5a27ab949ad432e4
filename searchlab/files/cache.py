"""The folder in which a user's machine code and prepared tables are kept: private, and the same for all processes."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from searchlab.files import DRAFT, file_error, is_locked

ELSEWHERE = "SEARCHLAB_CACHE_DIR can name another folder"
"""Advice for an unusable folder."""
MACHINE_CODE = ".machine-code"
"""The end of the names of files with machine code."""
TABLES = "tables"
"""The folder of prepared tables in it."""
UNFINISHED = "unfinished table"
"""The kind of an entry left by an interrupted build of a table."""
LONGEST_DESCRIPTION = 2**16
"""The largest number of bytes to read from the description beside a table."""


class CacheFolder(NamedTuple):
    """The cache folder, and its possible uses.

    Attributes:
        path: the path.
        is_private: whether nobody else can have written its content. Machine code and tables are used without further
            checks, so they must not come from anybody else.
        is_writable: whether files can be written to it.
        fault: the fault if it is not both, else `""`: "… cannot be written".
    """

    path: Path
    is_private: bool
    is_writable: bool
    fault: str = ""


@cache
def cache_folder() -> CacheFolder:
    """Return the folder of this process, which is created if it is missing."""
    named = os.environ.get("SEARCHLAB_CACHE_DIR")
    if named:
        return cache_folder_at(Path(named))
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        # The XDG specification says to ignore a relative one: it would be a folder for each current folder.
        return cache_folder_at(Path(base if os.path.isabs(base) else Path.home() / ".cache", "searchlab"))
    except RuntimeError as error:  # a user whom the system does not know, as in a container
        return CacheFolder(Path("~", ".cache", "searchlab"), False, False, f"there is no home folder ({error})")


def cache_folder_at(folder: Path) -> CacheFolder:
    """Return the cache folder at a path, which is created if it is missing."""
    try:
        for above in reversed(folder.parents):  # `mkdir(parents=True)` would make these as the umask says
            if not above.exists():
                above.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        is_private, is_writable = is_own(folder.stat()), os.access(folder, os.W_OK)
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or error
        return CacheFolder(folder, False, False, f"{folder} cannot be made ({why})")
    if not is_private:
        return CacheFolder(folder, False, is_writable, f"{folder} can be written by others")
    return CacheFolder(folder, True, is_writable, "" if is_writable else f"{folder} cannot be written")


def is_own(status: os.stat_result) -> bool:
    """Return whether a file or a folder is this user's, and nobody else can write it."""
    ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return ours and not (os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


class CacheEntry(NamedTuple):
    """An entry of the cache folder.

    Attributes:
        kind: "machine code", "table", or UNFINISHED: a partial table left by a process that was killed.
        name: the name: the function, "table corners of heuristic pdb".
        key: distinguishes entries of the same name.
        bytes: the size.
        used: the time of the last use, in seconds since 1970.
        files: the files of the entry.
    """

    kind: str
    name: str
    key: str
    bytes: int
    used: float
    files: tuple[Path, ...]


def cache_entries(folder: Path) -> list[CacheEntry]:
    """Return the entries of a cache folder: machine code by name, then tables; unknown files are ignored.

    Raises:
        UsageError, MachineError: the folder cannot be read.
    """
    try:
        code = [path for path in _files_in(folder) if path.name.endswith(MACHINE_CODE)]
        of_tables: dict[str, list[Path]] = {}
        for path in _files_in(folder / TABLES):
            draft = DRAFT.fullmatch(path.name)
            of_tables.setdefault((draft["name"] if draft else path.name).partition(".")[0], []).append(path)
    except OSError as error:
        raise file_error(folder, error) from None
    entries = [_code_entry(path) for path in code]
    entries += [_table_entry(key, tuple(sorted(paths))) for key, paths in of_tables.items()]
    return sorted(entries, key=lambda entry: (entry.kind, entry.name, entry.key))


def _files_in(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []


def _code_entry(path: Path) -> CacheEntry:
    name, _, key = path.name.removesuffix(MACHINE_CODE).rpartition("-")
    return CacheEntry("machine code", name or key, key, *_size_and_use((path,)), (path,))


def _table_entry(key: str, files: tuple[Path, ...]) -> CacheEntry:
    """Return the table of a key, or an unfinished one if its description or its data is missing."""
    described = next((path for path in files if path.suffix == ".json" and not path.name.startswith(".")), None)
    name = ""
    if described is not None and any(path.suffix == ".npy" for path in files):
        with suppress(OSError, ValueError, LookupError, TypeError), described.open("rb") as file:
            name = str(json.loads(file.read(LONGEST_DESCRIPTION))["table"])
    kind, called = ("table", name) if name else (UNFINISHED, "its building was interrupted")
    return CacheEntry(kind, called, key, *_size_and_use(files), files)


def _size_and_use(files: tuple[Path, ...]) -> tuple[int, float]:
    size, used = 0, 0.0
    for path in files:
        with suppress(OSError):  # another process may remove it at the same time
            status = path.stat()
            size, used = size + status.st_size, max(used, status.st_mtime)
    return size, used


def remove_entry(entry: CacheEntry) -> bool:
    """Remove an entry of the cache folder; return False for a table that a process is building.

    Running processes are not disturbed.

    Raises:
        UsageError, MachineError: the entry cannot be removed.
    """
    try:
        for path in entry.files:
            if path.suffix == ".lock" and is_locked(path):
                return False
        for path in entry.files:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise file_error(entry.files[0], error) from None
    return True
