"""`ContentDigest`: a digest of functions with everything they use, and of values.

It identifies the computation of a function: the code of the function and of its helpers, the values they read, and its
arguments. Comments, docstrings and line numbers do not count. The standard library and installed packages are assumed
not to change; searchlab counts by its version.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache, partial
from pathlib import PurePath
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from searchlab.board.board import Board

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range, slice, np.generic, np.dtype, PurePath)
INSTALLED = ("site-packages", "dist-packages")
"""The folders of installed packages."""


class ContentDigest:
    """A digest that is the same for the same content, in every process.

    >>> digest = ContentDigest()
    >>> digest.feed({"keep": (1, 4, 5)})
    >>> len(digest.hexdigest())
    32
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._met: dict[int, tuple[int, object]] = {}

    def hexdigest(self) -> str:
        """Return the digest, 32 hexadecimal digits."""
        return self._hash.hexdigest()[:32]

    def feed(self, value: Any) -> None:
        """Add a value, or a function with all it reaches."""
        if isinstance(value, PLAIN):
            self._add(type(value).__name__, repr(value))
            return
        if id(value) in self._met:
            self._add("again", self._met[id(value)][0])
            return
        self._met[id(value)] = len(self._met), value  # kept, so that nothing else gets its address
        value = getattr(value, "py_func", value)  # a user's own numba decorator makes no difference
        if isinstance(value, FunctionType):
            self._feed_function(value)
        elif isinstance(value, np.ndarray):
            self._feed_array(value)
        elif isinstance(value, Board):
            self._feed_array(value.tiles)
        elif isinstance(value, ModuleType):
            self._add("module", value.__name__)
        elif isinstance(value, type):
            self._feed_class(value)
        else:
            self._feed_parts(value)

    def _add(self, *parts: object) -> None:
        self._hash.update(repr(parts).encode("utf-8", "surrogatepass") + b"\0")

    def _feed_array(self, array: np.ndarray[Any, Any]) -> None:
        if array.dtype.hasobject:
            self._add("objects", array.shape)
            self.feed(array.tolist())
            return
        self._add("array", array.dtype.str, array.shape)
        self._hash.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def _feed_parts(self, value: Any) -> None:
        """Add a value by the values it consists of."""
        if isinstance(value, Mapping):
            self._add("mapping", len(value))
            for key, item in value.items():
                self.feed(key)
                self.feed(item)
        elif isinstance(value, Set):
            self._add("set", sorted(_digest_of(item) for item in value))
        elif isinstance(value, list | tuple):
            self._add(type(value).__name__, len(value))
            for item in value:
                self.feed(item)
        elif isinstance(value, partial):
            self._add("partial")
            self.feed([value.func, value.args, value.keywords])
        elif isinstance(value, MethodType):
            self._add("method")
            self.feed([value.__func__, value.__self__])
        elif isinstance(value, Enum):
            self.feed([type(value), value.name])
        elif hasattr(type(value), "digested"):
            self.feed([type(value).__qualname__, value.digested()])
        elif callable(value) and isinstance(getattr(value, "__name__", None), str):
            self._add("callable", getattr(value, "__module__", None), value.__name__)
        elif is_dataclass(value):
            self.feed([type(value), [getattr(value, field.name) for field in fields(value)]])
        else:
            self.feed([type(value), getattr(value, "__dict__", None)])

    def _feed_function(self, function: FunctionType) -> None:
        if _is_installed(function.__module__):
            self._add("installed", function.__module__, function.__qualname__)
            return
        self._add("function", function.__name__)
        self._feed_code(function.__code__, function.__globals__)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._add("cell", name)
            self.feed(cell.cell_contents)
        self.feed([function.__defaults__, function.__kwdefaults__])

    def _feed_code(self, code: CodeType, scope: Mapping[str, Any]) -> None:
        """Add a code object, nested ones, and the globals they use, without docstrings."""
        self._add(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_varnames)
        for instruction in _instructions(code):
            if instruction.opcode not in dis.hasconst:
                self._add(instruction.opname, instruction.argval)
            elif isinstance(instruction.argval, CodeType):
                self._feed_code(instruction.argval, scope)
            else:
                self.feed(instruction.argval)
        for name in _globals_used(code):
            if name not in scope:
                continue
            self._add("global", name)
            value = scope[name]
            if isinstance(value, ModuleType) and not _is_installed(value.__name__):
                self._feed_attributes(value, code.co_names)
            else:
                self.feed(value)

    def _feed_attributes(self, module: ModuleType, names: tuple[str, ...]) -> None:
        """Add the attributes of a user's module that some code may use, by the names in it."""
        for name in names:
            if name in vars(module):
                self._add("attribute", name)
                self.feed(vars(module)[name])

    def _feed_class(self, kind: type) -> None:
        self._add("class", kind.__module__, kind.__qualname__)
        if _is_installed(kind.__module__):
            return
        for name, value in sorted(vars(kind).items()):
            if not name.startswith("__") or isinstance(value, FunctionType):
                self._add(name)
                self.feed(getattr(value, "__func__", getattr(value, "fget", value)))
        self.feed(list(kind.__bases__))


def _digest_of(value: Any) -> str:
    digest = ContentDigest()
    digest.feed(value)
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def _instructions(code: CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(dis.get_instructions(code))


def _globals_used(code: CodeType) -> tuple[str, ...]:
    """Return the names of the globals that a code object uses, in order."""
    used = (one.argval for one in _instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    return tuple(dict.fromkeys(used))


@lru_cache(maxsize=4096)
def _is_installed(module: str | None) -> bool:
    """Return whether a module belongs to Python, an installed package or searchlab, and not to the user."""
    top = (module or "").partition(".")[0]
    if top in ("searchlab", "numpy", "numba", "builtins") or top in sys.stdlib_module_names - {"__main__"}:
        return True
    file = getattr(sys.modules.get(module or ""), "__file__", None) or ""
    return any(folder in PurePath(file).parts for folder in INSTALLED)
