"""From a reached function to machine code, through a cache on disk that is keyed on content.

numba's own cache misses where functions are passed as arguments and goes stale where a helper in another file
changes; this one has neither problem. It uses entry points of numba that are not public: the version is
pinned in pyproject.toml, and `tests/compiler/test_cache.py` holds them to what is needed here.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import stat
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core import config
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from searchlab.compiler.parts import looks_up_addresses, remembering_operators
from searchlab.compiler.suspension import suspended
from searchlab.errors import SearchlabWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.compiler.dependencies import Reach

FORMAT = 4
"""To be raised when the meaning of what is cached changes."""
MAGIC = b"searchlab machine code\n"
"""How every file begins; a digest of the key and the payload follows, then the payload."""
DIGEST_SIZE = 32
HEADER_SIZE = len(MAGIC) + DIGEST_SIZE
MARK = 16
"""Digits of a digest that mark the names of functions."""
LARGEST_CACHE = 256 * 2**20
"""Bytes the folder may hold, at 10 to 100 KiB a function; then what was not used for the longest time goes."""
SHARE_KEPT = 0.75
"""What is left of it then, so that not every new function makes room for itself."""
SUFFIX = ".machine-code"


@dataclass(frozen=True)
class MachineCode:
    """A compiled function.

    Attributes:
        address: of the function in numba's own calling convention, which passes on exceptions.
        call: calls it from Python with exactly the types it was compiled for, if it was compiled to be called.
        kept: what keeps the code alive.
    """

    address: int
    call: Callable[..., Any]
    kept: tuple[Any, ...]


_in_memory: dict[str, MachineCode] = {}
"""What this process has loaded or compiled, by the digest of what it was made from."""


def machine_code(reach: Reach, name: str, signature: Any, build: Callable[[str], Any]) -> MachineCode:
    """Return the machine code of a function, from the cache if its content is known.

    Args:
        reach: what the function was made from; the types and versions are added here.
        name: for the file's name.
        signature: numba's.
        build: returns the numba dispatcher to compile if the cache has nothing, given a mark for the names of all its
            functions: where two pieces of machine code have a function of one name, the process uses the first for
            both, and numba's numbers tell apart only what one process compiled.
    """
    reach.feed(FORMAT, str(signature), *_environment())
    known = _in_memory.get(reach.digest)
    if known is None:
        with suspended():
            known = _in_memory[reach.digest] = _from_disk_or_compiled(reach, name, signature, build)
    return known


def _from_disk_or_compiled(reach: Reach, name: str, signature: Any, build: Callable[[str], Any]) -> MachineCode:
    folder = cache_folder()
    file = folder / f"{name}-{reach.digest}{SUFFIX}" if folder else None
    _initialise()
    loaded = _load(file, reach.digest) if file else None
    if loaded is None:
        result = _compile(build(reach.digest[:MARK]), signature)
        environments = _set_environments(result)
        if file:
            _save(file, reach.digest, result)
    else:
        result, environments = loaded
    address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return MachineCode(address, result.entry_point, (result.library, environments))


def is_cached(reach: Reach, name: str, signature: Any) -> bool:
    """Return whether nothing needs to be compiled; uses up the reach."""
    reach.feed(FORMAT, str(signature), *_environment())
    folder = cache_folder()
    return folder is not None and _payload(folder / f"{name}-{reach.digest}{SUFFIX}", reach.digest) is not None


@cache
def cache_folder() -> Path | None:
    """Return the folder of the cache; None, with a warning, where there is none that only this user can write.

    Machine code is run as it is found, so it must not come from anybody else.
    """
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("SEARCHLAB_CACHE_DIR") or Path(base) / "searchlab")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        private = ours and not (os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
        if private and os.access(folder, os.W_OK):
            return folder
        why = "can be written by others" if not private else "cannot be written"
    except (OSError, RuntimeError) as error:
        why = f"cannot be made ({error})"
    message = f"compiled code is not kept: {folder} {why}; SEARCHLAB_CACHE_DIR can name another folder"
    warnings.warn(message, SearchlabWarning, 2)
    return None


@cache
def _environment() -> tuple[object, ...]:
    """Return what machine code depends on besides its source."""
    processor = cpu_target.target_context.codegen().magic_tuple()
    return (numba.__version__, np.__version__, sys.version_info[:3], config.OPT, processor)


@cache
def _initialise() -> None:
    """Start numba's runtime, which compiled code is linked against; far cheaper than loading its compiler."""
    rtsys.initialize(cpu_target.target_context)


def _compile(dispatcher: Any, signature: Any) -> Any:
    with warnings.catch_warnings(), _uninterrupted(), _uncollected(), remembering_operators():
        warnings.simplefilter("ignore", NumbaWarning)
        dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    return result


def _set_environments(result: Any) -> tuple[Any, ...]:
    """Tell the code of all parts where its Python objects are, as numba does where it loads code; return them."""
    environments = tuple(result._find_referenced_environments())
    for environment in environments:
        result.library.codegen.set_env(environment.env_name, environment)
    return environments


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let nobody look for cycles: among the millions of objects of the compiler that takes 7 % of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C until the compiler is done: raised inside it, the interrupt would be swallowed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
    if interrupts:
        raise KeyboardInterrupt


def _load(file: Path, key: str) -> tuple[Any, tuple[Any, ...]] | None:
    """Return the compiled function of a file and its Python objects; None if there is none, or none to be used."""
    payload = _payload(file, key)
    if payload is None:
        return None
    try:
        *reduced, environments = pickle.loads(payload)
        result = CompileResult._rebuild(cpu_target.target_context, *reduced, environments)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it is compiled again and replaced
        return None
    with suppress(OSError):
        os.utime(file)
    return result, environments


def _payload(file: Path, key: str) -> bytes | None:
    """Return the pickled machine code of a file; None unless every byte of it is as it was written for this key.

    Damaged machine code crashes or computes something else, and no loader notices.
    """
    try:
        content = file.read_bytes()
    except OSError:
        return None
    payload = content[HEADER_SIZE:]
    return payload if content[:HEADER_SIZE] == _header(key, payload) else None


def _header(key: str, payload: bytes) -> bytes:
    """Return how the file of a payload begins; with the key in the digest, no file can take the place of another."""
    return MAGIC + blake2b(payload, digest_size=DIGEST_SIZE, key=key.encode()).digest()


def _save(file: Path, key: str, result: Any) -> None:
    """Write machine code in one step; a full disk is no error.

    What depends on addresses of this process is not written: loaded in another, it would crash.
    """
    if result.library.has_dynamic_globals or looks_up_addresses(result.library) or result.lifted:
        return
    temporary = ""
    try:
        payload = dumps(result._reduce())
        handle, temporary = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(_header(key, payload) + payload)
        os.replace(temporary, file)
        _make_room(file.parent)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    """Remove what was not used for the longest time if the folder holds too much."""
    entries = []
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith(SUFFIX):
                with suppress(FileNotFoundError):  # another process makes room, too
                    status = entry.stat()
                    entries.append((status.st_mtime, status.st_size, entry.path))
    held = sum(size for _, size, _ in entries)
    if held <= LARGEST_CACHE:
        return
    for _, size, path in sorted(entries):
        Path(path).unlink(missing_ok=True)
        held -= size
        if held <= SHARE_KEPT * LARGEST_CACHE:
            return
