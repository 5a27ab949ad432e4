"""The folder in which a user's machine code and prepared tables are kept: private, and the same for all processes."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ELSEWHERE = "SEARCHLAB_CACHE_DIR can name another folder"
"""What a user can do about a folder that is of no use."""
MACHINE_CODE = ".machine-code"
"""The end of the names of files with machine code."""
TABLES = "tables"
"""The folder of prepared tables in it."""


@dataclass(frozen=True)
class CacheFolder:
    """The folder, and what it can be used for.

    Attributes:
        path: where it is.
        is_private: whether nobody else can have written what is in it. Machine code and tables are used as they are
            found, so they must not come from anybody else.
        is_writable: whether files can be written to it.
        fault: what is wrong if it is not both, else `''`: "… cannot be written".
    """

    path: Path
    is_private: bool
    is_writable: bool
    fault: str = ""


@cache
def cache_folder() -> CacheFolder:
    """Return the folder of this process, which is created if it is missing."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return cache_folder_at(Path(os.environ.get("SEARCHLAB_CACHE_DIR") or Path(base) / "searchlab"))


def cache_folder_at(folder: Path) -> CacheFolder:
    """Return the cache folder at a path, which is created if it is missing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_private, is_writable = is_own(folder.stat()), os.access(folder, os.W_OK)
    except (OSError, RuntimeError) as error:
        return CacheFolder(folder, False, False, f"{folder} cannot be made ({error})")
    if not is_private:
        return CacheFolder(folder, False, is_writable, f"{folder} can be written by others")
    return CacheFolder(folder, True, is_writable, "" if is_writable else f"{folder} cannot be written")


def is_own(status: os.stat_result) -> bool:
    """Return whether a file or a folder is this user's, and nobody else can write it."""
    ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return ours and not (os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
