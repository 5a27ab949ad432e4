"""Find values that a plugin's modules computed on import and that a component's functions use.

The code does not determine these values: they may come from the environment, from a file or from the date. So they are
part of a run's identity, besides the code. The search starts at the functions of a component and follows globals, free
variables, defaults, and attributes of modules and objects; it looks into functions, modules and classes of the plugin
only.

Literal values (`LIMIT = 10`) are omitted: the code determines them. So are values that functions of the plugin change,
such as a dictionary that caches results: they no longer are what they were after the import.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import sys
from collections import Counter, deque
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePath
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from searchlab.model.component import all_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from searchlab.model.component import Component

DIGITS = 16
PLAIN = (bool, int, str, bytes, complex, type(None), type(...), range, slice, PurePath)
PLAIN_NUMBERS = (decimal.Decimal, fractions.Fraction, datetime.date, datetime.time, datetime.timedelta, enum.Enum)
CHANGING = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "fill", "insert", "pop", "popitem", "popleft"),
    *("put", "remove", "resize", "reverse", "setdefault", "sort", "update"),
}
"""Methods that change an object."""
SIGNIFICANT_BITS = 32
"""Bits of the fractions of floats that count: the last ones differ from processor to processor."""


class _NotPlain(Exception):
    """A value has no content that can be compared."""


def values_digest(component: Component, files: Mapping[str, Path]) -> str:
    """Return a digest of the values that a component's functions use, or `""` if there are none.

    Args:
        component: the registered component.
        files: the files of the plugin's code, by names that are the same on every machine.
    """
    found = _ValueFinder(files).values_of(component)
    return hashlib.sha256("\0".join(sorted(found)).encode()).hexdigest()[:DIGITS] if found else ""


@dataclasses.dataclass(frozen=True)
class _NamesOfFile:
    """The names in the code of a file.

    Attributes:
        name: the name of the file, the same on every machine.
        literal: the globals with a single, literal value, and those imported from the standard library.
        computed: names with other values.
        changed: names and attributes that functions assign or change.
        defaults: the lines of functions, with the names of the arguments that have literal defaults.
    """

    name: str
    literal: frozenset[str]
    computed: frozenset[str]
    changed: frozenset[str]
    defaults: Mapping[int, frozenset[str]]


class _ValueFinder:
    """Finds the values that functions of some files reach."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._sources = {str(path): _source(name, path, _changed_at(path)) for name, path in files.items()}
        sources = self._sources.values()
        computed = frozenset[str]().union(*(source.computed for source in sources))
        self._literal = frozenset[str]().union(*(source.literal for source in sources)) - computed
        self._folders = sorted({str(path.parent) for path in files.values()}, key=len)
        self._found: set[str] = set()
        self._waiting: deque[tuple[str, Any]] = deque()
        self._seen: dict[int, Any] = {}

    def values_of(self, component: Component) -> set[str]:
        """Return the values as texts, each with its location."""
        for field, value in all_fields(component):
            self._look(f"component {field}", value, tells_plain=False)
        while self._waiting:
            with suppress(Exception):  # an object of a plugin may do anything where it is looked at
                self._visit(*self._waiting.popleft())
        return self._found

    def _look(self, place: str, value: Any, *, tells_plain: bool = True) -> None:
        """Add a plain value to the result, or queue another value to look into."""
        if tells_plain or type(value).__name__ == "ndarray":
            try:
                self._found.add(f"{place}={_token(value, self._folders)}")
            except (_NotPlain, RecursionError):
                pass
            else:
                return
        if isinstance(value, PLAIN) or id(value) in self._seen:
            return
        self._seen[id(value)] = value  # kept, as another object might get its id
        if isinstance(value, list | tuple | set | frozenset | deque):
            for number, item in enumerate(value):
                self._look(f"{place}[{number}]", item, tells_plain=tells_plain)
        elif isinstance(value, dict):
            for key, item in value.items():
                self._look(f"{place}[{key!r}]", item, tells_plain=tells_plain)
        else:
            self._waiting.append((place, value))

    def _visit(self, place: str, value: Any) -> None:
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            self._visit_function(place, value)
        elif isinstance(value, MethodType):
            self._look(place, value.__func__)
            self._look(place, value.__self__)
        elif isinstance(value, functools.partial):
            self._look(place, value.func)
            self._look(f"{place} arguments", value.args)
            self._look(f"{place} arguments", value.keywords)
        elif hasattr(value, "__wrapped__"):
            self._look(place, value.__wrapped__)
        elif isinstance(value, type):
            self._visit_attributes(value, vars(value), of_class=True)
        elif dataclasses.is_dataclass(value) and type(value).__module__.startswith("searchlab."):
            for field in dataclasses.fields(value):
                self._look(f"{place}.{field.name}", getattr(value, field.name), tells_plain=False)
        elif hasattr(value, "__dict__") and not isinstance(value, ModuleType):
            self._visit_attributes(type(value), vars(value))
            self._look(place, type(value))

    def _visit_attributes(self, owner: type, attributes: Mapping[str, Any], *, of_class: bool = False) -> None:
        """Visit the attributes of an object or a class, if the class is the plugin's own."""
        source = self._sources.get(getattr(sys.modules.get(owner.__module__), "__file__", None) or "")
        if source is None:
            return
        for name, item in attributes.items():
            is_function = isinstance(item, FunctionType | classmethod | staticmethod | property)
            if name in source.changed or (of_class and name.startswith("__") and not is_function):
                continue
            if not of_class and isinstance(getattr(owner, name, None), functools.cached_property):
                continue  # computed when it was asked for
            items = (item.fget, item.fset) if isinstance(item, property) else (getattr(item, "__func__", item),)
            for each in items:
                self._look(f"{source.name}:{owner.__qualname__}.{name}", each)

    def _visit_function(self, place: str, function: FunctionType) -> None:
        source = self._sources.get(function.__globals__.get("__file__") or "")
        if source is None:
            wrapped = getattr(function, "__wrapped__", None)
            if wrapped is not None:
                self._look(place, wrapped)
            for cell in function.__closure__ or ():  # a decorator of another package calls the plugin's function
                with_content = _content(cell)
                if callable(with_content):
                    self._look(place, with_content)
            return
        code, own = function.__code__, f"{source.name}:{function.__qualname__}"
        names = set(_names(code))
        for name in names & function.__globals__.keys():
            self._look_at_name(source, name, function.__globals__[name], names)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name not in source.changed:
                self._look(f"{own} {name}", _content(cell))
        literal = source.defaults.get(code.co_firstlineno, frozenset())
        positional = code.co_varnames[: code.co_argcount][-len(function.__defaults__ or ()) or code.co_argcount :]
        defaults = {
            **dict(zip(positional, function.__defaults__ or (), strict=True)),
            **(function.__kwdefaults__ or {}),
        }
        for name, default in defaults.items():
            if name not in literal:
                self._look(f"{own} {name}=", default)

    def _look_at_name(self, source: _NamesOfFile, name: str, value: Any, names: set[str]) -> None:
        """Look at a global of a file that a function of this file uses."""
        if name in source.changed or name in self._literal or name.startswith("__"):
            return
        if not isinstance(value, ModuleType):
            self._look(f"{source.name}:{name}", value)
            return
        of_module = self._sources.get(getattr(value, "__file__", None) or "")
        if of_module and id(value) not in self._seen:
            for attribute in names & vars(value).keys():
                self._look_at_name(of_module, attribute, vars(value)[attribute], names)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a code object uses, nested code included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1024)
def _source(name: str, path: Path, _changed: int) -> _NamesOfFile:
    """Return the names in the code of a file; none if it cannot be read."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Module([], [])
    literal: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_literal(node.value):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            literal |= {target.id} if isinstance(target, ast.Name) else set()
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "") in sys.stdlib_module_names:
            literal |= {one.asname or one.name for one in node.names}
    functions: dict[int, frozenset[str]] = {}
    changed: set[str] = set()
    assigned = Counter[str]()
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            assigned[each.id] += 1
        elif isinstance(each, ast.FunctionDef | ast.Lambda):
            changed |= set(_changed_in(each))
            functions[_line(each)] = _literal_defaults(each)
    literal = {one for one in literal if assigned[one] <= 1}
    return _NamesOfFile(name, frozenset(literal), frozenset(assigned) - literal, frozenset(changed), functions)


def _is_literal(node: ast.AST | None) -> bool:
    try:
        ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _line(function: ast.FunctionDef | ast.Lambda) -> int:
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
    return min([function.lineno, *(one.lineno for one in decorators)])


def _literal_defaults(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    given = [*zip(positional[::-1], arguments.defaults[::-1], strict=False)]
    given += [
        (one, default) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default
    ]
    return frozenset(argument.arg for argument, default in given if _is_literal(default))


def _changed_in(function: ast.FunctionDef | ast.Lambda) -> Iterator[str]:
    """Yield the names and attributes that a function may change beyond its own local variables."""
    initializes = getattr(function, "name", "") in ("__init__", "__post_init__", "__new__")
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            yield from node.names
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _base(node.value)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and not initializes:
            yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield from _base(node.func.value)


def _base(node: ast.AST) -> Iterator[str]:
    """Yield the name or attribute that an expression is part of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _token(value: Any, folders: list[str]) -> str:
    """Return a text for the content of a value.

    Args:
        folders: of the plugin's files, which are elsewhere on other machines.

    Raises:
        _NotPlain: it is no number, text, date or array, nor made of such.
    """
    kind = type(value).__name__
    if isinstance(value, float):
        return f"float:{value:.9g}"
    if isinstance(value, PLAIN_NUMBERS):
        return f"{kind}:{value}"
    if isinstance(value, PurePath):
        kind, value = "path", value.as_posix()
    if isinstance(value, PLAIN):
        text = hex(value) if type(value) is int else ascii(value)
        for folder in folders:
            text = text.replace(ascii(folder)[1:-1], "")
        return f"{kind}:{text}"
    if isinstance(value, list | tuple | deque):
        return f"{kind}({','.join(_token(item, folders) for item in value)})"
    if isinstance(value, set | frozenset):
        return f"{kind}({','.join(sorted(_token(item, folders) for item in value))})"
    if isinstance(value, dict):
        items = sorted(f"{_token(key, folders)}:{_token(item, folders)}" for key, item in value.items())
        return f"{kind}({','.join(items)})"
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return _token_of_array(value, folders)
    raise _NotPlain


def _token_of_array(value: Any, folders: list[str]) -> str:
    """Return a text for the content of an array or a number of NumPy."""
    import numpy as np

    array = np.ascontiguousarray(value)
    if array.dtype.hasobject:
        return f"array{array.shape}({_token(array.tolist(), folders)})"
    if array.dtype.kind == "f":
        fractions_, exponents = np.frexp(array.astype(np.float64))
        rounded = np.ldexp(np.round(np.ldexp(fractions_, SIGNIFICANT_BITS)), exponents - SIGNIFICANT_BITS)
        content = (rounded + 0.0).tobytes()  # -0.0 is 0.0
    else:
        content = array.tobytes()
    return f"array{array.dtype.str}{np.shape(value)}{hashlib.sha256(content).hexdigest()}"
