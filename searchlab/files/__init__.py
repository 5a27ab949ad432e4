"""Files that are read up to a size, or written whole or not at all; and folders that one process at a time writes."""

from __future__ import annotations

import errno
import os
import platform
import re
import stat
import zlib
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, BinaryIO, Self

from searchlab.errors import MachineError, SearchlabError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from io import BufferedReader
    from pathlib import Path

OF_THE_MACHINE = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE),
}
"""What goes wrong with a file whatever its name is: no room, no memory, a disk that fails."""
LONGEST_TEXT = 64 * 2**20
"""Bytes of a file of text, whatever it is for; what has more is another kind of file, or never ends."""
PIECE = 2**20
"""Bytes that are read at once."""
LOCK = "lock"
DRAFT = re.compile(r"\.(?P<name>.+)\.(?P<host>[0-9a-f]{8})\.(?P<process>[0-9]+)\.part", re.DOTALL)
"""What a file is called until it is whole: who writes it is part of the name."""


def file_error(path: Path, error: OSError) -> SearchlabError:
    """Return the error that is told of a file: of the machine where no other name would help, else of its user."""
    kind = MachineError if error.errno in OF_THE_MACHINE else UsageError
    return kind(f"{path}: {error.strerror or error}")


def open_to_read(path: Path) -> BufferedReader:
    """Return an open file or pipe.

    Raises:
        UsageError: it cannot be opened, or is a folder or a device, which may have no end.
    """
    try:
        other = kind_of_no_file(os.stat(path))
        file = None if other else path.open("rb")
    except OSError as error:
        raise file_error(path, error) from None
    except ValueError:  # a null character in the name
        raise UsageError(f"{path}: no such file") from None
    if file is not None:
        other = kind_of_no_file(os.fstat(file.fileno()))
        if not other:
            return file
        file.close()
    raise UsageError(f"{path}: {other}, not a file")


def kind_of_no_file(status: os.stat_result) -> str:
    """Return what something is that cannot be read as a file, an empty string for a file and for a pipe."""
    if stat.S_ISDIR(status.st_mode):
        return "a directory"
    return "" if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode) else "a device"


def read_text(path: Path) -> str:
    """Return what a file of text in UTF-8 holds.

    Raises:
        UsageError: it cannot be read, has more than LONGEST_TEXT bytes, or is a folder or a device.
        UnicodeDecodeError: it is no UTF-8.
    """
    try:
        with open_to_read(path) as file:
            content = read_at_most(file, LONGEST_TEXT)
    except OSError as error:
        raise file_error(path, error) from None
    if content is None:
        raise UsageError(f"{path}: larger than {LONGEST_TEXT >> 20} MiB, the limit for text files")
    return content.decode("utf-8-sig")


def read_at_most(stream: IO[bytes], most: int, head: bytes = b"") -> bytes | None:
    """Return all that a stream holds, None where that is more than so many bytes; no more are read.

    Args:
        head: what was read of it before, which counts.
    """
    pieces, size = [head], len(head)
    while size <= most and (piece := stream.read(min(PIECE, most + 1 - size))):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces) if size <= most else None


def check_writable(path: Path) -> None:
    """Raise a UsageError if no file can be written here."""
    _check_name(path)
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
        MachineError: there is no room for it, likewise.
    """
    _check_name(path)
    try:
        if path.exists() and not path.is_file():
            _write_to(path, parts)  # a device or a pipe
        else:
            _replace(path.resolve(), parts)
    except OSError as error:
        raise file_error(path, error) from None


def _check_name(path: Path) -> None:
    """Raise a UsageError if nothing can be at a path: links go round in circles, or its name is too long, or none."""
    try:
        os.stat(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise file_error(path, error) from None
    except ValueError:
        raise UsageError(f"{path}: a file name cannot contain a null character") from None


def _replace(path: Path, parts: Iterable[str | bytes]) -> None:
    with replacing(path) as file:
        _write_parts(file, parts)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file beside the path, which takes its place once the context has ended without an exception.

    Whatever happens to the machine, the path holds what was there before, or all that was written. A draft that a
    killed process left of the same file is removed.

    Raises:
        OSError: it cannot be written.
    """
    remove_drafts(path.parent, path.name)
    draft = path.with_name(f".{path.name}.{_host()}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            draft.chmod(path.stat().st_mode)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def remove_drafts(folder: Path, name: str | None = None) -> None:
    """Remove the drafts in a folder that processes of this machine left which are no more.

    Args:
        name: of the file whose drafts are meant; without it all are.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            draft = DRAFT.fullmatch(entry.name)
            if draft and draft["host"] == _host() and name in (None, draft["name"]) and _is_gone(int(draft["process"])):
                with suppress(OSError):
                    os.unlink(entry.path)


def _host() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_gone(process: int) -> bool:
    """Return whether there is no such process; where that cannot be known, it may be there."""
    if os.name == "nt":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


class FolderLock:
    """The right to write a folder, which one process has at a time, until it ends.

    Args:
        folder: it is made where it is not there.
        taken: what is told where another process has the right.

    Raises:
        UsageError: another process has it, or the folder cannot be written.
        MachineError: there is no room.
    """

    def __init__(self, folder: Path, taken: str) -> None:
        self._folder, self._path = folder, folder / LOCK
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = self._path.open("ab")
        except FileExistsError:
            raise UsageError(f"{folder}: a file, not a folder") from None
        except OSError as error:
            raise file_error(folder, error) from None
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise UsageError(f"{folder}: {taken}") from None
        except OSError as error:
            self.release()
            raise file_error(self._path, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def check(self) -> None:
        """Raise a MachineError if the folder, or the lock in it, was meanwhile deleted or replaced."""
        if not is_file_at(self._path, os.fstat(self._file.fileno())):
            raise gone(self._folder)

    def release(self) -> None:
        """Let other processes write."""
        self._file.close()


def is_file_at(path: Path, status: os.stat_result) -> bool:
    """Return whether the file of this status is what stands at a path."""
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:
        return False


def gone(path: Path) -> MachineError:
    """Return the error of a folder, or a file in it, that was taken away from who writes it."""
    return MachineError(f"{path}: deleted or replaced while being written; the same command redoes what was lost")


def _write_to(path: Path, parts: Iterable[str | bytes]) -> None:
    with path.open("wb") as file:
        _write_parts(file, parts)


def _write_parts(file: BinaryIO, parts: Iterable[str | bytes]) -> None:
    file.writelines(part if isinstance(part, bytes) else part.encode() for part in parts)
