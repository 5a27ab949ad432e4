"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def check_writable(path: Path) -> None:
    """Raise a UsageError if no file can be written here."""
    if os.path.isdir(path):
        raise UsageError(f"{path}: a directory; name a file in it")
    if not os.path.isdir(path.parent):
        raise UsageError(f"{path}: there is no folder {path.parent}")
    if not os.access(path if os.path.exists(path) else path.parent, os.W_OK):
        raise UsageError(f"{path}: not writable")


def write(path: Path, parts: Iterable[str | bytes]) -> None:
    """Write texts, or bytes, one after another to a file.

    Raises:
        UsageError: the file cannot be written; what was there before is still there.
    """
    try:
        if path.exists() and not path.is_file():
            _write_to(path, parts)  # a device or a pipe
        else:
            _replace(path.resolve(), parts)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _replace(path: Path, parts: Iterable[str | bytes]) -> None:
    with replacing(path) as file:
        _write_parts(file, parts)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file beside the path, which takes its place once the context has ended without an exception.

    Whatever happens to the machine, the path holds what was there before, or all that was written.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            draft.chmod(path.stat().st_mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _write_to(path: Path, parts: Iterable[str | bytes]) -> None:
    with path.open("wb") as file:
        _write_parts(file, parts)


def _write_parts(file: BinaryIO, parts: Iterable[str | bytes]) -> None:
    file.writelines(part if isinstance(part, bytes) else part.encode() for part in parts)
