"""Read files up to a size, write them atomically, and lock folders for a single writer."""

from __future__ import annotations

import codecs
import errno
import os
import platform
import re
import stat
import time
import zlib
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, BinaryIO, Self

from searchlab.errors import MachineError, SearchlabError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import BufferedReader
    from pathlib import Path

MACHINE_ERRORS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ESTALE),
}
"""Errors that another file name would not cure: no space, no memory, a failing disk."""
BYTE_ORDER_MARKS = {
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
"""The byte order marks of other encodings. UTF-32 comes first: its mark begins with that of UTF-16."""
LONGEST_TEXT = 64 * 2**20
"""The size in bytes of the largest text file; a larger one is another kind of file, or endless."""
PIECE = 2**20
"""The number of bytes read at once."""
LOCK = "lock"
LOCK_EVERY = 0.1
"""Seconds between two attempts to get a lock that another process has."""
DRAFT = re.compile(r"\.(?P<name>.+)\.(?P<host>[0-9a-f]{8})\.(?P<process>[0-9]+)\.part", re.DOTALL)
"""The name of a file while it is written: it contains the host and the process that write it."""


def file_error(path: Path, error: OSError) -> SearchlabError:
    """Return the error to raise for an OSError of a file: a MachineError if another name would not help."""
    kind = MachineError if error.errno in MACHINE_ERRORS else UsageError
    return kind(f"{path}: {reason_of(error)}")


def reason_of(error: OSError) -> str:
    """Return why a file cannot be used; all messages have the same words for one that does not exist."""
    return "no such file" if error.errno == errno.ENOENT else error.strerror or str(error)


def python_file_instead(path: str | Path, wanted: str) -> str:
    """Return the error message for a Python file in place of another kind of file, such as `a board`."""
    return f"{path}: a Python file, not {wanted}; --plugin {path} loads it"


def open_to_read(path: Path) -> BufferedReader:
    """Return an open file or pipe.

    Raises:
        UsageError: it cannot be opened, or is a folder, or a device, which may have no end.
    """
    try:
        other = unreadable_kind(os.stat(path))
        file = None if other else path.open("rb")
    except OSError as error:
        raise file_error(path, error) from None
    except ValueError:  # a null character in the name
        raise UsageError(f"{path}: no such file") from None
    if file is not None:
        other = unreadable_kind(os.fstat(file.fileno()))
        if not other:
            return file
        file.close()
    raise UsageError(f"{path}: {other}, not a file")


def unreadable_kind(status: os.stat_result) -> str:
    """Return "a directory" or "a device" for a path that cannot be read as a file, `""` for files and pipes."""
    if stat.S_ISDIR(status.st_mode):
        return "a directory"
    return "" if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode) else "a device"


def read_text(path: Path) -> str:
    """Return the content of a UTF-8 text file, without a byte order mark.

    Raises:
        UsageError: as `read_bytes`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path).decode("utf-8-sig")


def why_not_utf8(content: bytes) -> str:
    r"""Return the reason why bytes are not UTF-8 text, with advice, or `""` if they are.

    >>> why_not_utf8("1 2".encode("utf-16"))
    'encoded in UTF-16: save it as UTF-8'
    >>> why_not_utf8(b"caf\xe9")
    'not encoded in UTF-8 (byte 0xe9 at position 3): save it as UTF-8'
    >>> why_not_utf8(b"1 2")
    ''
    """
    for name, marks in BYTE_ORDER_MARKS.items():
        if content.startswith(marks):
            return f"encoded in {name}: save it as UTF-8"
    try:
        content.decode()
    except UnicodeDecodeError as error:
        wrong = f"byte {content[error.start]:#04x} at position {error.start}"
        return f"not encoded in UTF-8 ({wrong}): save it as UTF-8"
    return ""


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file.

    Raises:
        UsageError: it cannot be read, has more than LONGEST_TEXT bytes, or is a folder or a device.
    """
    try:
        with open_to_read(path) as file:
            content = read_at_most(file, LONGEST_TEXT)
    except OSError as error:
        raise file_error(path, error) from None
    if content is None:
        raise UsageError(f"{path}: larger than {LONGEST_TEXT >> 20} MiB, the limit for text files")
    return content


def read_at_most(stream: IO[bytes], most: int, head: bytes = b"") -> bytes | None:
    """Return the whole content of a stream, or None if it exceeds `most` bytes, without reading further.

    Args:
        head: bytes already read, which count.
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
    """Write strings or bytes, one after another, to a file; if that fails, the file stays unchanged.

    Raises:
        UsageError: the file cannot be written.
        MachineError: there is not enough space.
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
    """Raise a UsageError if no file can exist at a path: a circle of links, a name that is too long or invalid."""
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
    """Yield a draft file beside the path, which replaces it when the context ends without an exception.

    Even after a crash, the path has either its former content or the complete new one. A draft left by a killed process
    is removed. A device is not replaced: root may write to /dev/null, too.

    Raises:
        OSError: the file cannot be written.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
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
    """Remove the drafts in a folder that were left by processes of this machine that have ended.

    Args:
        name: only drafts of this file are removed.
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
    """Return whether a process has certainly ended."""
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
    """A lock on a folder for a single writing process; it is released when the process ends.

    As a context manager it removes a folder that it created if nothing was written there.

    Args:
        folder: created if it is missing.
        taken: the message if another process holds the lock.

    Raises:
        UsageError: another process holds the lock, or the folder cannot be written.
        MachineError: there is not enough space.
    """

    def __init__(self, folder: Path, taken: str) -> None:
        self._folder, self._path = folder, folder / LOCK
        try:
            self._made = [made for made in (folder, *folder.parents) if not made.exists()]
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
        with suppress(OSError):  # such as that the folder is gone
            if os.listdir(self._folder) == [LOCK]:
                self._path.unlink()
                for made in self._made:
                    made.rmdir()
        self.release()

    def check(self) -> None:
        """Raise a MachineError if the folder, or the lock file in it, has been deleted or replaced."""
        if not is_file_at(self._path, os.fstat(self._file.fileno())):
            raise gone(self._folder)

    def release(self) -> None:
        """Release the lock."""
        self._file.close()


def is_file_at(path: Path, status: os.stat_result) -> bool:
    """Return whether the file at a path is still the one with this status."""
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:
        return False


def gone(path: Path) -> MachineError:
    """Return the error to raise if a folder, or a file in it, is deleted while it is written."""
    return MachineError(f"{path}: deleted or replaced while being written; the same command redoes what was lost")


def _write_to(path: Path, parts: Iterable[str | bytes]) -> None:
    with path.open("wb") as file:
        _write_parts(file, parts)


def _write_parts(file: BinaryIO, parts: Iterable[str | bytes]) -> None:
    file.writelines(part if isinstance(part, bytes) else part.encode() for part in parts)


@contextmanager
def exclusive(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold an exclusive lock through a file that exists while the lock is held or waited for.

    It is released when the process ends, however it ends. On systems without such locks, nothing is locked.

    Args:
        path: the path of the file.
        on_wait: called a few times a second while another process holds the lock.

    Raises:
        OSError: the file cannot be created.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    while True:
        with path.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                on_wait()
                time.sleep(LOCK_EVERY)
                continue
            if not is_file_at(path, os.fstat(file.fileno())):
                continue  # who had the lock has removed the file
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of `exclusive` on this file.

    Raises:
        OSError: the file cannot be opened.
    """
    try:
        import fcntl
    except ImportError:
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
