"""The cache of machine code on disk, with hashes of all dependencies of a function as keys.

numba's own cache misses if functions are passed as arguments, and is stale if a helper in another file has changed;
this one has neither problem. Its files are loaded without numba, see `machine_code`.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.machine_code import MachineCode, ObjectCode, load, processor
from searchlab.compiler.numba_private import uses_shortcuts
from searchlab.errors import Cancelled, SearchlabWarning
from searchlab.errors.interrupts import raising_swallowed
from searchlab.errors.suspension import suspended
from searchlab.files import exclusive
from searchlab.files.cache import ELSEWHERE, MACHINE_CODE, cache_folder, is_own
from searchlab.files.distributions import installed_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.compiler.dependencies import Dependencies, FunctionToCompile

FORMAT = 7
"""Increase this when the meaning of cached files changes."""
MAGIC = b"searchlab machine code\n"
"""The first bytes of every file; then follow a digest of the key and the payload, and the payload."""
DIGEST_SIZE = 32
HEADER_SIZE = len(MAGIC) + DIGEST_SIZE
MARK = 16
"""The number of digits of a digest that are put before the names of functions."""
LARGEST_CACHE = 256 * 2**20
"""Bytes the folder may hold, at 10 to 100 KiB a function. When it holds more, the least recently used files go."""
LONGEST_WAIT = 60.0
"""Seconds to wait for another process that compiles the same function."""
DRAFT = "tmp"
"""The first characters of the name of a file that is being written."""
LONGEST_SAVE = 3600.0
"""The age in seconds from which such a file counts as left behind by a killed process."""
SHARE_KEPT = 0.75
"""The share of LARGEST_CACHE to keep then, so that the next function need not make room again."""

_in_memory: dict[str, MachineCode] = {}
"""The functions this process has loaded or compiled, by the digest of their dependencies."""
_compiles_nothing = ContextVar("_compiles_nothing", default=False)


class NotCompiledYet(Cancelled):
    """A function would have to be compiled, and `compiling_nothing` forbids it."""


@contextmanager
def compiling_nothing() -> Iterator[None]:
    """Raise NotCompiledYet in the context instead of compiling a function that is in no cache."""
    token = _compiles_nothing.set(True)
    try:
        yield
    finally:
        _compiles_nothing.reset(token)


def machine_code(
    dependencies: Dependencies, captured: FunctionToCompile, options: Mapping[str, Any], name: str, signature: str
) -> MachineCode:
    """Return the machine code of a function, from the cache if possible.

    Args:
        dependencies: of the function; options, signature and versions are added here.
        captured: the function.
        options: numba's.
        name: used in the name of the file.
        signature: numba's.
    """
    digest = _digest(dependencies, options, signature)
    known = _in_memory.get(digest)
    if known is None:
        with suspended():
            folder = _folder()
            file = folder / f"{name}-{digest}{MACHINE_CODE}" if folder else None
            known = _load(file, digest) if file else None
            if known is None:
                known = _compile(captured, options, signature, name, digest, file)
            _in_memory[digest] = known
    return known._replace(arrays=tuple(dependencies.arrays))


def is_cached(dependencies: Dependencies, options: Mapping[str, Any], name: str, signature: str) -> bool:
    """Return whether a function is in the cache on disk."""
    folder, digest = _folder(), _digest(dependencies, options, signature)
    return folder is not None and _payload(folder / f"{name}-{digest}{MACHINE_CODE}", digest) is not None


def _digest(dependencies: Dependencies, options: Mapping[str, Any], signature: str) -> str:
    return dependencies.digest_with(FORMAT, options, signature, *_environment())


def _compile(
    captured: FunctionToCompile, options: Mapping[str, Any], signature: str, name: str, digest: str, file: Path | None
) -> MachineCode:
    """Compile a function, and keep it in a file if possible.

    If another process compiles the same function, wait for it and take its file: workers of an experiment begin with
    the same functions.
    """
    if _compiles_nothing.get():
        raise NotCompiledYet
    from searchlab.compiler.notice import announced

    # LLVM calls functions in Python, one of them with the machine code that it has made.
    with announced(name), raising_swallowed(), _alone(file) as has_waited:
        code = _load(file, digest) if file and has_waited() else None
        if code is None:
            from searchlab.compiler.compilation import compile_function  # numba, which nothing else needs

            code, to_keep = compile_function(captured, options, signature, digest[:MARK])
            if file and (kept := to_keep()) is not None:
                _save(file, digest, kept)
        return code


@contextmanager
def _alone(file: Path | None) -> Iterator[Callable[[], bool]]:
    """Hold the exclusive right to compile the function of a file; yields whether another process compiled it."""
    began = time.monotonic()
    waited = False

    def wait() -> None:
        nonlocal waited
        waited = True
        if time.monotonic() - began > LONGEST_WAIT:
            raise TimeoutError

    with ExitStack() as stack:
        if file is not None and cache_folder().is_writable:
            with suppress(OSError):  # no lock, or it takes too long: at worst a function is compiled twice
                stack.enter_context(exclusive(file.with_suffix(".lock"), wait))
        yield lambda: waited


def _folder() -> Path | None:
    """Return the folder of the cache; None with plain numba or, with a warning, if others can write all folders.

    Nothing checks machine code before it runs, so it must not come from anybody else.
    """
    if not uses_shortcuts():
        return None
    found = cache_folder()
    if found.is_private:
        return found.path
    _warn_that_nothing_is_kept(found.fault)
    return None


@cache
def _warn_that_nothing_is_kept(fault: str) -> None:
    warnings.warn(f"compiled code is not kept: {fault}; {ELSEWHERE}", SearchlabWarning, 3)


@cache
def _environment() -> tuple[object, ...]:
    """Return the dependencies of machine code besides the source: versions, processor and settings of numba."""
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    return (installed_version("numba"), np.__version__, sys.version_info[:3], settings, processor())


def _load(file: Path, key: str) -> MachineCode | None:
    """Return the compiled function of a file, or None if the file is missing or unusable."""
    payload = _payload(file, key)
    if payload is None:
        return None
    try:
        code = load(ObjectCode.from_bytes(payload))
    except Exception:  # noqa: BLE001 - whatever is wrong, the function is compiled again and the file replaced
        return None
    with suppress(OSError):
        os.utime(file)
    return code


def _payload(file: Path, key: str) -> bytes | None:
    """Return the machine code of a file; None unless it is this user's and unchanged since it was written."""
    # Damaged machine code crashes, or computes wrong results, and no loader notices.
    try:
        with file.open("rb") as stream:
            content = stream.read() if is_own(os.fstat(stream.fileno())) else b""
    except OSError:
        return None
    payload = content[HEADER_SIZE:]
    return payload if content[:HEADER_SIZE] == _header(key, payload) else None


def _header(key: str, payload: bytes) -> bytes:
    # The digest contains the key, so no file can take the place of another.
    return MAGIC + blake2b(payload, digest_size=DIGEST_SIZE, key=key.encode()).digest()


def _save(file: Path, key: str, code: ObjectCode) -> None:
    """Write machine code in one step; a full disk is no error."""
    folder = cache_folder()
    if not folder.is_writable:
        _warn_that_nothing_is_kept(folder.fault)
        return
    import tempfile  # late: what is in the cache is loaded without it

    temporary = ""
    try:
        payload = code.to_bytes()
        handle, temporary = tempfile.mkstemp(prefix=DRAFT, dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(_header(key, payload) + payload)
        os.replace(temporary, file)
        _make_room(file.parent)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    """Remove the least recently used files if the folder is too large, and unfinished files of killed processes."""
    entries, old = [], time.time() - LONGEST_SAVE
    with os.scandir(folder) as found:
        for entry in found:
            with suppress(FileNotFoundError):  # another process may make room at the same time
                if entry.name.endswith(MACHINE_CODE):
                    status = entry.stat()
                    entries.append((status.st_mtime, status.st_size, entry.path))
                elif entry.name.startswith(DRAFT) and entry.is_file() and entry.stat().st_mtime < old:
                    os.unlink(entry.path)
    held = sum(size for _, size, _ in entries)
    if held <= LARGEST_CACHE:
        return
    for _, size, path in sorted(entries):
        Path(path).unlink(missing_ok=True)
        held -= size
        if held <= SHARE_KEPT * LARGEST_CACHE:
            return
