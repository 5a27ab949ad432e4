"""Everything a plain Python function reaches: hashed by content, and rebuilt as functions numba compiles.

Compiled code is cached under the hash of what it was made from: the function's code, its helpers, the
constants and arrays it reads, wherever they are defined. The function that is compiled is *rebuilt* with
globals that hold only what was hashed; so code that is out of date cannot run, and helpers need no decorator.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import inspect
from dataclasses import dataclass, field
from functools import lru_cache
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler import intrinsics
from searchlab.compiler.parts import PartCompiler
from searchlab.model.packed import trailing_zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COMPILED_ELSEWHERE = ("builtins", "cmath", "llvmlite", "math", "numba", "numpy", "operator")
"""Modules numba knows by itself: named in the hash, not looked into. Their versions are hashed apart."""
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic)
MOST_HELPERS = 2000
"""Dispatchers of helpers that are kept: in a process in which functions are written anew, as in a notebook."""
TRANSPARENT = ("PRECALL", "PUSH_NULL", "CACHE", "EXTENDED_ARG", "COPY_FREE_VARS")
"""Instructions that may stand between loading a module and one of its attributes."""


class CannotCompile(Exception):
    """Why a function cannot be compiled, in a line for its author."""


@dataclass
class ReachedFunction:
    """A function with the values its names had when it was reached."""

    function: FunctionType
    names: dict[str, Any] = field(default_factory=dict)
    cells: list[Any] = field(default_factory=list)
    options: dict[str, Any] | None = None
    rebuilt: Any = None


@dataclass(frozen=True)
class WithOptions:
    """A function to be compiled with options of its own, like all it reaches."""

    function: Callable[..., Any]
    options: dict[str, Any]


@dataclass
class ReachedModule:
    """A module of the user's, reduced to the attributes that are used."""

    name: str
    attributes: dict[str, Any] = field(default_factory=dict)


class Reach:
    """Walks from functions to all they use.

    Args:
        constants: values that stand in for globals of these names, to compile a special case of a function.

    Attributes:
        digest: the hash of everything fed and reached so far, as text.
    """

    def __init__(self, constants: Mapping[str, Any] | None = None) -> None:
        self._hash = hashlib.sha256()
        self._constants = dict(constants or {})
        self._functions: dict[FunctionType, ReachedFunction] = {}

    @property
    def digest(self) -> str:
        """The hash of all that was fed and reached, 32 hexadecimal digits."""
        return self._hash.hexdigest()[:32]

    def feed(self, *parts: object) -> None:
        """Add to the hash what else the compiled code depends on."""
        self._hash.update(repr(parts).encode() + b"\0")

    def function(self, function: Callable[..., Any]) -> ReachedFunction:
        """Reach a function and all it uses.

        Raises:
            CannotCompile: it uses something compiled code cannot, or is a generator.
        """
        function = getattr(function, "py_func", function)  # a user's own numba decorator makes no difference
        if not isinstance(function, FunctionType):
            msg = f"{getattr(function, '__name__', function)!r} is a {type(function).__name__}, not a plain function"
            raise CannotCompile(msg)
        if function in self._functions:
            self.feed("again", list(self._functions).index(function))
            return self._functions[function]
        if inspect.isgeneratorfunction(function) or function.__code__.co_flags & inspect.CO_COROUTINE:
            msg = f"{function.__name__} is a generator (it uses yield)"
            raise CannotCompile(msg)
        reached = self._functions[function] = ReachedFunction(function)
        self._code(function.__code__, function.__globals__, reached.names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.feed("cell", name)
            reached.cells.append(self._value(cell.cell_contents, name))
        for default in function.__defaults__ or ():
            self._default(default)
        return reached

    def _default(self, value: Any) -> None:
        """Hash a default if it can be hashed; whether it is used shows when the function is compiled."""
        if isinstance(value, (*PLAIN, tuple, list, np.ndarray)):
            self._value(value, "a default")

    def _code(self, code: CodeType, scope: dict[str, Any], names: dict[str, Any]) -> None:
        """Reach what a code object uses from its module, nested code included."""
        self.feed(code.co_code, code.co_flags, code.co_argcount, code.co_varnames, code.co_names, code.co_freevars)
        # Errors name the file and line, so code that moved is compiled anew.
        self.feed(code.co_filename, code.co_linetable)
        constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
        self.feed([sorted(map(repr, c)) if isinstance(c, frozenset) else c for c in constants])
        module: ReachedModule | None = None
        source: ModuleType | None = None
        for operation, name in _names_used(code):
            if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
                module = source = None
                if name not in scope:
                    continue
                if _is_users_module(scope[name]):
                    module, source = names.setdefault(name, ReachedModule(name)), scope[name]
                elif name not in names:
                    self.feed("global", name)
                    names[name] = self._value(self._constants.get(name, scope[name]), name)
            elif operation in ("LOAD_ATTR", "LOAD_METHOD") and module is not None:
                module, source = self._attribute(module, source, name)
            else:
                module = source = None
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, scope, names)

    def _attribute(
        self, module: ReachedModule, source: Any, name: str
    ) -> tuple[ReachedModule | None, ModuleType | None]:
        """Reach an attribute of a user's module; returns the module it is, if it is one."""
        self.feed("attribute", name)
        if not hasattr(source, name):
            msg = f"module {source.__name__} has no attribute {name}"
            raise CannotCompile(msg)
        value = getattr(source, name)
        if _is_users_module(value):
            return module.attributes.setdefault(name, ReachedModule(name)), value
        module.attributes[name] = self._value(value, f"{module.name}.{name}")
        return None, None

    def _value(self, value: Any, name: str) -> Any:
        """Reach a value a function uses under this name."""
        if isinstance(value, PLAIN):
            self.feed(type(value).__name__, value)
            return value
        if isinstance(value, tuple | list):
            self.feed("sequence", len(value))
            return tuple(self._value(item, name) for item in value)
        if isinstance(value, np.ndarray):
            content = np.ascontiguousarray(value)
            self.feed("array", value.dtype.str, value.shape, hashlib.sha256(content.tobytes()).hexdigest())
            return value
        if isinstance(value, WithOptions):
            self.feed(value.options)
            reached = self.function(value.function)
            reached.options = value.options
            return reached
        if value is trailing_zeros:
            value = intrinsics.trailing_zeros
        if type(value).__name__ == "_Intrinsic":
            self._intrinsic(value)
            return value
        if isinstance(value, enum.EnumMeta):
            self.feed("enum", value.__name__, list(value.__members__.items()))
            return value
        if _is_compiled_elsewhere(value):
            self.feed("known", getattr(value, "__module__", ""), getattr(value, "__name__", repr(value)))
            return value
        if isinstance(value, FunctionType) or hasattr(value, "py_func"):
            return self.function(value)
        msg = (
            f"it uses {name}, a {type(value).__name__}; compiled code can use numbers, texts, tuples, lists, "
            "NumPy arrays and functions"
        )
        raise CannotCompile(msg)

    def _intrinsic(self, value: Any) -> None:
        """Hash one of our own numba intrinsics: its code and the texts of what its closure holds."""
        definition = value._defn
        cells = [repr(cell.cell_contents) for cell in definition.__closure__ or ()]
        self.feed("intrinsic", definition.__qualname__, cells)
        self._code(definition.__code__, {}, {})


@lru_cache(maxsize=4096)
def _names_used(code: CodeType) -> tuple[tuple[str, Any], ...]:
    """Return the instructions of a code object that can tell what it uses, with what they name."""
    instructions = dis.get_instructions(code)
    return tuple((one.opname, one.argval) for one in instructions if one.opname not in TRANSPARENT)


def rebuild(reached: ReachedFunction, options: dict[str, Any], mark: str = "", *, called: bool = True) -> Any:
    """Return a numba dispatcher of a reached function; its helpers become parts of it.

    Args:
        reached: the function.
        options: numba's, for it and for the helpers that have none of their own.
        mark: what the names of all of them in machine code are to begin with.
        called: whether it is called from Python; otherwise it has an address only.
    """
    return _dispatcher(reached, options, mark, {"no_cfunc_wrapper": True, "no_cpython_wrapper": not called})


def _dispatcher(reached: ReachedFunction, options: dict[str, Any], mark: str, further: dict[str, Any]) -> Any:
    """Return a dispatcher; `further` options are for the function alone."""
    from numba import njit

    options = reached.options or options
    if reached.rebuilt is None:
        function = reached.function
        scope: dict[str, Any] = {"__name__": __name__, "__builtins__": function.__globals__["__builtins__"]}
        cells = tuple(CellType() for _ in reached.cells)
        copy = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
        copy.__qualname__, copy.__module__ = f"{mark}{function.__qualname__}", __name__
        reached.rebuilt = njit(**options, **further)(copy)
        scope.update((name, _rebuilt(value, options, mark)) for name, value in reached.names.items())
        for cell, value in zip(cells, reached.cells, strict=True):
            cell.cell_contents = _rebuilt(value, options, mark)
    return reached.rebuilt


def _rebuilt(value: Any, options: dict[str, Any], mark: str) -> Any:
    if isinstance(value, ReachedFunction):
        return _helper(value, options, mark)
    if isinstance(value, tuple):
        return tuple(_rebuilt(item, options, mark) for item in value)
    if isinstance(value, ReachedModule):
        module = ModuleType(value.name)
        for name, attribute in value.attributes.items():
            setattr(module, name, _rebuilt(attribute, options, mark))
        return module
    return value


_helpers: dict[str, Any] = {}
"""Dispatchers of helpers that this process has made, by what they were made of."""


def _helper(reached: ReachedFunction, options: dict[str, Any], mark: str) -> Any:
    """Return the dispatcher of a helper: the one there is, where another function has used the same helper.

    Many functions share helpers: all kernels those for hash tables, a heuristic's adapters for boards of different
    shapes the heuristic itself.
    """
    further = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True, "pipeline_class": PartCompiler}
    content = _content(reached, options, ())
    if content is None or reached.rebuilt is not None:
        return _dispatcher(reached, options, mark, further)
    known = _helpers.get(content)
    if known is None:
        if len(_helpers) >= MOST_HELPERS:
            _helpers.clear()
        known = _helpers[content] = _dispatcher(reached, options, content[: len(mark)], further)
    reached.rebuilt = known
    return known


def _content(value: Any, options: dict[str, Any], callers: tuple[ReachedFunction, ...]) -> str | None:
    """Return a digest of what compiled code is made of; None for functions that call each other, and odd defaults."""
    if isinstance(value, ReachedFunction):
        function, options = value.function, value.options or options
        if any(value is caller for caller in callers) or not _is_plain(function.__defaults__ or ()):
            return None
        parts = [*value.names.values(), *value.cells]
        said = repr((function.__qualname__, function.__defaults__, [*value.names], sorted(options.items()))).encode()
        said += repr(_code_content(function.__code__)).encode()
        callers = (*callers, value)
    elif isinstance(value, ReachedModule):
        parts, said = [*value.attributes.values()], repr((value.name, [*value.attributes])).encode()
    elif isinstance(value, tuple):
        parts, said = [*value], b"tuple"
    elif isinstance(value, np.ndarray):
        content = np.ascontiguousarray(value)
        parts, said = [], repr((value.dtype.str, value.shape)).encode() + content.tobytes()
    elif isinstance(value, PLAIN):
        parts, said = [], repr((type(value).__name__, value)).encode()
    else:  # numba's own, NumPy's, an enumeration: it stays as long as the process
        parts, said = [], repr((type(value).__name__, id(value))).encode()
        _named[id(value)] = value
    found = [_content(part, options, callers) for part in parts]
    if None in found:
        return None
    return hashlib.sha256(repr((said, found)).encode()).hexdigest()


def _code_content(code: CodeType) -> tuple[Any, ...]:
    constants = [_code_content(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return (code.co_code, constants, names, code.co_flags, code.co_argcount, code.co_filename, code.co_linetable)


_named: dict[int, Any] = {}
"""What digests name by its address; kept, so that nothing else gets that address."""


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))


def _is_users_module(value: object) -> bool:
    return isinstance(value, ModuleType) and not _is_compiled_elsewhere(value)


def _is_compiled_elsewhere(value: object) -> bool:
    """Return whether numba knows a value by itself."""
    if isinstance(value, BuiltinFunctionType | np.ufunc):
        return True
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(module or "").split(".")[0] in COMPILED_ELSEWHERE and not hasattr(value, "py_func")
