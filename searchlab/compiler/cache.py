"""The cache of machine code on disk, whose keys are hashes of all that a function depends on.

numba's own cache misses if functions are passed as arguments, and is stale if a helper in another file has changed;
this one has neither problem. It uses functions of numba that are not public: the version is pinned in pyproject.toml,
and `tests/compiler/test_cache.py` tests that they do what is needed here.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types
from numba.core import config, event
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.types.functions import BaseFunction

from searchlab.compiler.dispatchers import looks_up_addresses
from searchlab.compiler.global_arrays import slots_compiled
from searchlab.errors import SearchlabWarning
from searchlab.errors.suspension import suspended
from searchlab.files.cache import ELSEWHERE, MACHINE_CODE, cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.compiler.dependencies import Dependencies

FORMAT = 5
"""Increase this when the meaning of cached files changes."""
MAGIC = b"searchlab machine code\n"
"""The first bytes of every file; then follow a digest of the key and the payload, and the payload."""
DIGEST_SIZE = 32
HEADER_SIZE = len(MAGIC) + DIGEST_SIZE
MARK = 16
"""The number of digits of a digest that are put before the names of functions."""
LARGEST_CACHE = 256 * 2**20
"""Bytes the folder may hold, at 10 to 100 KiB a function. When it holds more, the least recently used files go."""
SHARE_KEPT = 0.75
"""The part of LARGEST_CACHE that is kept then, so that the next function need not make room again."""
PLAIN_TYPES = (types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.CPointer)
"""Types for which an operator has one meaning."""


@dataclass(frozen=True)
class MachineCode:
    """A compiled function.

    Attributes:
        address: of the function in numba's own calling convention, which passes on exceptions.
        call: calls it from Python with exactly the types it was compiled for, if it was compiled to be called.
        kept: objects that keep the code alive.
        arrays: large arrays that it reads; whoever calls it keeps them.
    """

    address: int
    call: Callable[..., Any]
    kept: tuple[Any, ...]
    arrays: tuple[Any, ...] = ()


_in_memory: dict[str, MachineCode] = {}
"""The functions this process has loaded or compiled, by the digest of their dependencies."""


def machine_code(dependencies: Dependencies, name: str, signature: Any, build: Callable[[str], Any]) -> MachineCode:
    """Return the machine code of a function, from the cache if possible.

    Args:
        dependencies: of the function; the signature and the versions are added here.
        name: used in the name of the file.
        signature: numba's.
        build: returns the numba dispatcher to compile if the function is not in the cache. Its argument is put before
            the names of all functions in the machine code: if two pieces of machine code define the same name, the
            process uses the first for both, and numba's own numbering is unique in one process only.
    """
    dependencies.feed(FORMAT, str(signature), *_environment())
    digest = dependencies.digest
    known = _in_memory.get(digest)
    if known is not None:
        return replace(known, arrays=tuple(dependencies.arrays))
    with suspended():
        folder = _folder()
        file = folder / f"{name}-{digest}{MACHINE_CODE}" if folder else None
        _initialise()
        loaded = _load(file, digest) if file else None
        if loaded is None:
            result = _compile(build(digest[:MARK]), signature)
            environments = _set_environments(result)
            if file:
                _save(file, digest, result)
        else:
            result, environments = loaded
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        code = _in_memory[digest] = MachineCode(address, result.entry_point, (result.library, environments))
    return replace(code, arrays=tuple(dependencies.arrays))


def is_cached(dependencies: Dependencies, name: str, signature: Any) -> bool:
    """Return whether a function is in the cache on disk; the dependencies cannot be used afterwards."""
    dependencies.feed(FORMAT, str(signature), *_environment())
    folder, digest = _folder(), dependencies.digest
    return folder is not None and _payload(folder / f"{name}-{digest}{MACHINE_CODE}", digest) is not None


def _folder() -> Path | None:
    """Return the folder of the cache; None, with a warning, if there is none that only this user can write.

    Nothing checks machine code before it runs, so it must not come from anybody else.
    """
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
    """Return what machine code depends on besides its source: versions, optimisation and processor."""
    processor = cpu_target.target_context.codegen().magic_tuple()
    return (numba.__version__, np.__version__, sys.version_info[:3], config.OPT, processor)


@cache
def _initialise() -> None:
    # Compiled code is linked against numba's runtime, which starts far faster than its compiler loads.
    rtsys.initialize(cpu_target.target_context)


def _compile(dispatcher: Any, signature: Any) -> Any:
    with (
        warnings.catch_warnings(),
        _interrupts_deferred(),
        _no_garbage_collection(),
        _operators_cached(),
        slots_compiled(),
    ):
        warnings.simplefilter("ignore", NumbaWarning)
        dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    return result


def _set_environments(result: Any) -> tuple[Any, ...]:
    """Set the addresses of Python objects in the code of all helpers, as numba does when it loads code; return them."""
    environments = tuple(result._find_referenced_environments())
    for environment in environments:
        result.library.codegen.set_env(environment.env_name, environment)
    return environments


@contextmanager
def _operators_cached() -> Iterator[None]:
    # At each operator numba tries all its definitions, NumPy's functions among them: a sixth of the time that a kernel
    # takes to compile. Here it does so once for each operator and types of numbers.
    resolve: Any = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
        if kws or type(self) is not types.Function or not all(type(of) in PLAIN_TYPES for of in args):
            return resolve(self, context, args, kws)
        known = self.__dict__.setdefault("searchlab_known", {})
        key = len(self.templates), args
        if key not in known:
            known[key] = resolve(self, context, args, kws)
        return known[key]

    with global_compiler_lock:
        setattr(BaseFunction, "get_call_type", get_call_type)  # noqa: B010 - to mypy it is no variable
        try:
            yield
        finally:
            setattr(BaseFunction, "get_call_type", resolve)  # noqa: B010


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # With the millions of objects of the compiler, garbage collection takes 7 % of its time.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    # Ctrl-C ends compilation between two passes. A KeyboardInterrupt inside a pass may be raised in one of the
    # compiler's destructors or callbacks, where it is lost.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending = _PendingInterrupts()
    before = signal.signal(signal.SIGINT, pending.note)
    try:
        with event.install_listener("numba:run_pass", pending):
            yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
    pending.raise_any()


class _PendingInterrupts(event.Listener):  # type: ignore[misc]  # numba has no types
    """Ctrl-C while the main thread compiles: noted when it is pressed, raised when the next pass begins."""

    def __init__(self) -> None:
        self._was_pressed = False

    def note(self, *_: object) -> None:
        self._was_pressed = True

    def raise_any(self) -> None:
        if self._was_pressed:
            raise KeyboardInterrupt

    def on_start(self, event: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            self.raise_any()

    def on_end(self, event: Any) -> None:
        pass


def _load(file: Path, key: str) -> tuple[Any, tuple[Any, ...]] | None:
    """Return the compiled function of a file and its Python objects; None if the file is missing or unusable."""
    payload = _payload(file, key)
    if payload is None:
        return None
    try:
        *reduced, environments = pickle.loads(payload)
        result = CompileResult._rebuild(cpu_target.target_context, *reduced, environments)
    except Exception:  # noqa: BLE001 - whatever is wrong, the function is compiled again and the file replaced
        return None
    with suppress(OSError):
        os.utime(file)
    return result, environments


def _payload(file: Path, key: str) -> bytes | None:
    """Return the pickled machine code of a file; None unless its bytes are exactly those written for this key."""
    # Damaged machine code crashes, or computes wrong results, and no loader notices.
    try:
        content = file.read_bytes()
    except OSError:
        return None
    payload = content[HEADER_SIZE:]
    return payload if content[:HEADER_SIZE] == _header(key, payload) else None


def _header(key: str, payload: bytes) -> bytes:
    # The digest contains the key, so no file can take the place of another.
    return MAGIC + blake2b(payload, digest_size=DIGEST_SIZE, key=key.encode()).digest()


def _save(file: Path, key: str, result: Any) -> None:
    """Write machine code in one step; a full disk is no error."""
    # Code that contains addresses of this process would crash in another one.
    if result.library.has_dynamic_globals or looks_up_addresses(result.library) or result.lifted:
        return
    folder = cache_folder()
    if not folder.is_writable:
        _warn_that_nothing_is_kept(folder.fault)
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
    """Remove the least recently used files if the folder holds too much."""
    entries = []
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith(MACHINE_CODE):
                with suppress(FileNotFoundError):  # another process may make room at the same time
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
