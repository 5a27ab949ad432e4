"""The dependencies of a plain Python function: its helpers and all values it uses, hashed by content.

Compiled code is cached under the hash of its dependencies: the function's code, its helpers, and the constants and
arrays that it reads, wherever they are defined. Of a large array only the layout counts, because its content is read at
run time. A copy of the function is compiled, whose globals hold only hashed values (see `dispatchers`). So outdated
code cannot run, and helpers need no decorator.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import inspect
import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler import intrinsics
from searchlab.compiler.compile_errors import CannotCompile, refusal
from searchlab.compiler.global_arrays import LARGE, slot_of
from searchlab.compiler.intrinsics import Intrinsic, definitions_digest
from searchlab.compiler.lookups import NotCompilable
from searchlab.compiler.rewriting import rewritten
from searchlab.model.packed import one_bits, trailing_zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

COMPILED_ELSEWHERE = ("builtins", "cmath", "llvmlite", "math", "numba", "numpy", "operator")
"""Modules numba supports itself: the hash names them but does not look into them; it holds their versions."""
KERNELS = re.compile(r"searchlab\.(.*\.)?kernels\.")
"""The beginning of the names of modules with kernels."""
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.generic)
LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD")
"""Instructions that load a value by name."""
OTHER = ("", "")
"""Stands for instructions that load nothing by a name."""
TRANSPARENT = ("PRECALL", "PUSH_NULL", "CACHE", "EXTENDED_ARG", "COPY_FREE_VARS")
"""Instructions that may occur between loading a module and loading one of its attributes."""


ITEMS_OPTION = "items"
"""The name of the option for the treatment of unsigned items of arrays."""


class UnsignedItems(enum.StrEnum):
    """The treatment of unsigned items of arrays in a function.

    Attributes:
        SIGNED: they are converted to signed integers when they are read.
        OF_WORDS: they stay unsigned, like the words of packed states; `int()` converts small types to signed.
    """

    SIGNED = "signed"
    OF_WORDS = "of words"


@dataclass
class FunctionToCompile:
    """A plain Python function that is compiled, and, once it is captured, the values of its names at that time.

    Attributes:
        function: the function.
        options: its own options for numba, if any; its helpers share them.
        is_inlined: whether every call of it is inlined, None for what the options say; its helpers may be.
        names: the values of the globals it uses.
        cells: the values of its free variables.
        dispatcher: numba's dispatcher, once created.
    """

    function: Callable[..., Any]
    options: dict[str, Any] | None = None
    is_inlined: bool | None = None
    names: dict[str, Any] = field(default_factory=dict)
    cells: list[Any] = field(default_factory=list)
    dispatcher: Any = None


@dataclass
class CapturedModule:
    """A module of the user's, reduced to the attributes that are used."""

    name: str
    attributes: dict[str, Any] = field(default_factory=dict)


def _bytes(parts: tuple[object, ...]) -> bytes:
    return repr(parts).encode() + b"\0"


class Dependencies:
    """Captures functions with everything they use, and hashes it.

    Args:
        constants: values that replace globals of these names in kernels, to compile a special case. A plugin's own
            global of such a name is not replaced.
        kernel: the kernel, wherever it is defined.

    Attributes:
        arrays: the large arrays among the values, which machine code reads at run time: see `global_arrays`.
    """

    def __init__(self, constants: Mapping[str, Any] | None = None, kernel: Callable[..., Any] | None = None) -> None:
        self._hash = hashlib.sha256()
        self._constants = dict(constants or {})
        self._scope_of_kernel = getattr(kernel, "__globals__", None)
        self._functions: dict[FunctionType, FunctionToCompile] = {}
        self._items: UnsignedItems | None = None
        self.arrays: list[NDArray[Any]] = []

    def digest_with(self, *parts: object) -> str:
        """Return the hash of everything captured so far and of further values, 32 hexadecimal digits."""
        complete = self._hash.copy()
        complete.update(_bytes(parts))
        return complete.hexdigest()[:32]

    def feed(self, *parts: object) -> None:
        """Add to the hash other values that the compiled code depends on."""
        self._hash.update(_bytes(parts))

    def capture(self, function: Callable[..., Any]) -> FunctionToCompile:
        """Capture a function and all it uses.

        Raises:
            CannotCompile: it uses a value that compiled code cannot, or is a generator.
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
        as_given, function = function, _rewritten(function)
        captured = self._functions[as_given] = FunctionToCompile(function)
        if getattr(function, intrinsics.IS_CALLED, False):
            captured.is_inlined = False
            self.feed("called")
        self._capture_code(function.__code__, function.__globals__, captured.names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.feed("cell", name)
            captured.cells.append(self._capture_value(cell.cell_contents, name))
        for default in function.__defaults__ or ():
            # Other defaults cannot be hashed: a function that uses one does not compile.
            if isinstance(default, (*PLAIN, tuple, list, np.ndarray)):
                self._capture_value(default, "a default")
        return captured

    def _capture_code(self, code: CodeType, scope: dict[str, Any], names: dict[str, Any]) -> None:
        """Capture the globals that a code object uses, nested code included."""
        self.feed(code.co_code, code.co_flags, code.co_argcount, code.co_varnames, code.co_names, code.co_freevars)
        # Errors name the file and line, so code that moved is compiled anew.
        self.feed(code.co_filename, code.co_linetable)
        constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
        self.feed([sorted(map(repr, c)) if isinstance(c, frozenset) else c for c in constants])
        special = self._constants if scope is self._scope_of_kernel or _is_of_kernels(scope) else {}
        module: CapturedModule | None = None
        source: ModuleType | None = None
        for operation, name in _names_used(code):
            if operation in ("LOAD_GLOBAL", "LOAD_NAME"):
                module = source = None
                if name not in scope:
                    continue
                if _is_users_module(scope[name]):
                    module, source = names.setdefault(name, CapturedModule(name)), scope[name]
                elif name not in names:
                    self.feed("global", name)
                    names[name] = self._capture_value(special.get(name, scope[name]), name)
            elif operation in ("LOAD_ATTR", "LOAD_METHOD") and module is not None:
                module, source = self._capture_attribute(module, source, name)
            else:
                module = source = None
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._capture_code(constant, scope, names)

    def _capture_attribute(
        self, module: CapturedModule, source: Any, name: str
    ) -> tuple[CapturedModule | None, ModuleType | None]:
        """Capture an attribute of a user's module; if it is such a module itself, return it, captured and as it is."""
        self.feed("attribute", name)
        if not hasattr(source, name):
            msg = f"module {source.__name__} has no attribute {name}"
            raise CannotCompile(msg)
        value = getattr(source, name)
        if _is_users_module(value):
            return module.attributes.setdefault(name, CapturedModule(name)), value
        module.attributes[name] = self._capture_value(value, f"{module.name}.{name}")
        return None, None

    def _capture_value(self, value: Any, name: str) -> Any:
        """Capture a value that a function uses under this name; return the value for the copy of the function."""
        if isinstance(value, PLAIN):
            self.feed(type(value).__name__, value)
            return value
        if isinstance(value, tuple | list):
            self.feed("sequence", len(value))
            return tuple(self._capture_value(item, name) for item in value)
        if isinstance(value, np.ndarray) and self._items is UnsignedItems.SIGNED:
            value = without_sign_bit(value)
        if isinstance(value, np.ndarray) and (slot := slot_of(value)):
            self.feed("slot", slot.name)
            self.arrays.append(value)
            return slot
        if isinstance(value, np.ndarray):
            content = np.ascontiguousarray(value)
            self.feed("array", value.dtype.str, value.shape, hashlib.sha256(content.tobytes()).hexdigest())
            return value
        if isinstance(value, FunctionToCompile):
            self.feed(value.options, value.is_inlined)
            around, self._items = self._items, (value.options or {}).get(ITEMS_OPTION)
            captured = self.capture(value.function)
            self._items = around
            captured.options, captured.is_inlined = value.options, value.is_inlined
            return captured
        if value is trailing_zeros:
            value = intrinsics.trailing_zeros
        if value is one_bits:
            value = intrinsics.one_bits
        if isinstance(value, Intrinsic):
            self.feed("intrinsic", value.name, value.parameters, definitions_digest())
            return value
        if type(value).__name__ == "_Intrinsic":
            self._capture_numba_intrinsic(value)
            return value
        if isinstance(value, np.dtype):
            self.feed("dtype", repr(value))
            return value
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            self.feed("named tuple", value.__name__, value._fields)
            return value
        if isinstance(value, enum.EnumMeta):
            self.feed("enum", value.__name__, list(value.__members__.items()))
            return value
        if _is_compiled_elsewhere(value):
            self.feed("known", getattr(value, "__module__", ""), getattr(value, "__name__", repr(value)))
            return value
        if isinstance(value, FunctionType) or hasattr(value, "py_func"):
            return self.capture(value)
        msg = (
            f"it uses {name}, a {type(value).__name__}; compiled code can use numbers, texts, tuples, lists, "
            "NumPy arrays and functions"
        )
        raise CannotCompile(msg)

    def _capture_numba_intrinsic(self, value: Any) -> None:
        """Hash an intrinsic that a plugin defines with numba: its code and its free variables' representations."""
        definition = value._defn
        cells = [repr(cell.cell_contents) for cell in definition.__closure__ or ()]
        self.feed("numba intrinsic", definition.__qualname__, cells)
        self._capture_code(definition.__code__, {}, {})


def _rewritten(function: FunctionType) -> FunctionType:
    try:
        return rewritten(function)
    except NotCompilable as refused:
        raise refusal(refused.file, refused.line, refused.what, refused.instead) from None


def without_sign_bit(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of uint64 as int64, sharing memory, if none of its numbers needs the highest bit.

    A large array stays as it is: its code reads it at run time, and is kept while this array lives.
    """
    if array.dtype != np.uint64 or array.nbytes > LARGE or (array.view(np.int64) < 0).any():
        return array
    return array.view(np.int64)


def _is_of_kernels(scope: Mapping[str, Any]) -> bool:
    """Return whether these are the globals of a module with kernels, or of generated code, which has no module."""
    return "__name__" not in scope or KERNELS.match(scope["__name__"]) is not None


@lru_cache(maxsize=4096)
def _names_used(code: CodeType) -> tuple[tuple[str, str], ...]:
    """Return the instructions of a code object that load names, with the names, and `OTHER` for others in between.

    `dis.get_instructions` gives the same and far more, but it took a thirtieth of a warm `solve`.
    """
    shifts, names, transparent = _name_shifts(), code.co_names, _transparent()
    used: list[tuple[str, str]] = []
    extended = 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if operation == dis.EXTENDED_ARG:
            extended = (extended | argument) << 8
            continue
        if operation in shifts:
            name, shift = shifts[operation]
            used.append((name, names[(extended | argument) >> shift]))
        elif operation not in transparent and used and used[-1] is not OTHER:
            used.append(OTHER)
        extended = 0
    return tuple(used)


@cache
def _transparent() -> frozenset[int]:
    return frozenset(dis.opmap[name] for name in TRANSPARENT if name in dis.opmap)


@cache
def _name_shifts() -> dict[int, tuple[str, int]]:
    """Return the instructions that load names, by number: their own name, and the shift of the name in the argument.

    Python versions differ in the meaning of the lowest bits. `dis` knows it for some instructions.
    """
    sample = compile("lambda: (a, b.c, b.d())", "", "eval").co_consts[0], compile("a, b", "", "eval")
    found: dict[int, tuple[str, int]] = {}
    for code in sample:
        loading = [one for one in dis.get_instructions(code) if one.opname in LOADS]
        for name in {one.opname for one in loading}:
            given = [(one.arg or 0, code.co_names.index(one.argval)) for one in loading if one.opname == name]
            shift = next(bits for bits in range(8) if all(argument >> bits == k for argument, k in given))
            found[dis.opmap[name]] = name, shift
    return found


def _is_users_module(value: object) -> bool:
    return isinstance(value, ModuleType) and not _is_compiled_elsewhere(value)


def _is_compiled_elsewhere(value: object) -> bool:
    if isinstance(value, BuiltinFunctionType | np.ufunc):
        return True
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(module or "").split(".")[0] in COMPILED_ELSEWHERE and not hasattr(value, "py_func")
