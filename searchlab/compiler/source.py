"""The source of a function as a syntax tree, and a function made of such a tree that was changed."""

from __future__ import annotations

import ast
import inspect
import linecache
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

AROUND = "_searchlab_around"
"""The name of the function that has the free variables of a recompiled one."""
INNER_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp),
)
"""What has variables of its own."""


@lru_cache(maxsize=32)
def _parsed(lines: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return None


def file_tree(file: str) -> ast.Module | None:
    """Return the tree of a file, or of a cell of a notebook, None if it cannot be read; it is shared, not to change."""
    linecache.checkcache(file)
    return _parsed(tuple(linecache.getlines(file)))


@lru_cache(maxsize=1024)
def definition(code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """Return the definition of a function in its file; None if the file is gone, or has changed since.

    Whatever is returned compiles to this very code. It is shared, not to change.
    """
    tree = file_tree(code.co_filename)
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        first = min([node, *getattr(node, "decorator_list", ())], key=lambda part: part.lineno)
        if first.lineno == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
            compiled = _compiled(node, code)
            if compiled is not None and _is_same(compiled, code):
                return node
    return None


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of the functions, classes and comprehensions inside it."""
    waiting = [*ast.iter_child_nodes(scope)]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, INNER_SCOPES):
            waiting += ast.iter_child_nodes(node)


def copied(node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef:
    """Return a copy of a definition as a `def`, to be changed."""
    if isinstance(node, ast.FunctionDef):
        return deepcopy(node)
    returned = ast.copy_location(ast.Return(deepcopy(node.body)), node.body)
    made = ast.FunctionDef("_lambda", deepcopy(node.args), [returned], [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def compiled_like(node: ast.FunctionDef, code: CodeType) -> CodeType:
    """Return the code of a changed definition in place of the code of the original, with its file and its lines."""
    made = _compiled(node, code)
    assert made is not None
    return made


def with_code(function: FunctionType, code: CodeType, names: Mapping[str, Any]) -> FunctionType:
    """Return a function with other code, and with further globals."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    scope = {**function.__globals__, **names}
    made = FunctionType(code, scope, function.__name__, function.__defaults__, closure)
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _compiled(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> CodeType | None:
    """Return the code of a definition in place of another one, with its file and its free variables."""
    plain = _without_values(node.args)
    inner: ast.stmt = (
        ast.FunctionDef(node.name, plain, node.body, [])
        if isinstance(node, ast.FunctionDef)
        else ast.Return(ast.copy_location(ast.Lambda(plain, node.body), node))
    )
    arguments = [ast.arg(name) for name in code.co_freevars]
    empty = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
    body = [ast.copy_location(inner, node)]
    if isinstance(inner, ast.FunctionDef) and inner.name not in code.co_freevars:
        body.insert(0, ast.Global([inner.name]))  # a function that calls itself finds itself there
    around = ast.FunctionDef(AROUND, empty, body, [])
    # Since 3.11.4 a call `np.sum(…)` compiles to other code if the file imports `np`.
    imports = [ast.Import([ast.alias(name)]) for name in _imported(code.co_filename)]
    module = ast.fix_missing_locations(ast.Module([*imports, ast.copy_location(around, node)], []))
    try:
        made = compile(module, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return next(iter(_codes(next(iter(_codes(made.co_consts))).co_consts)), None)


def _imported(file: str) -> list[str]:
    """Return the names that a file imports outside functions."""
    tree = file_tree(file)
    nodes = own_nodes(tree) if tree else ()
    aliases = [alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    names = (alias.asname or alias.name.partition(".")[0] for alias in aliases)
    return [name for name in names if name != "*"]


def _without_values(arguments: ast.arguments) -> ast.arguments:
    """Return the arguments of a definition without annotations and with other defaults, which its code has not."""
    parts: dict[str, Any] = dict(ast.iter_fields(arguments))
    for kind in ("posonlyargs", "args", "kwonlyargs"):
        parts[kind] = [ast.arg(one.arg) for one in parts[kind]]
    for kind in ("vararg", "kwarg"):
        parts[kind] = parts[kind] and ast.arg(parts[kind].arg)
    parts["defaults"] = [ast.Constant(None) for _ in parts["defaults"]]
    parts["kw_defaults"] = [one and ast.Constant(None) for one in parts["kw_defaults"]]
    return ast.arguments(**parts)


def _codes(constants: Iterable[object]) -> Iterable[CodeType]:
    return (constant for constant in constants if isinstance(constant, CodeType))


_FUTURE = 0x1FF0000
"""The flags of code for what it imports from `__future__`."""


def _is_same(one: CodeType, other: CodeType) -> bool:
    """Return whether two pieces of code do the same; where they are in a file does not count."""
    names = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_kwonlyargcount")
    if any(getattr(one, name) != getattr(other, name) for name in (*names, "co_exceptiontable")):
        return False
    if one.co_flags & ~inspect.CO_NESTED != other.co_flags & ~inspect.CO_NESTED or len(one.co_consts) != len(
        other.co_consts
    ):
        return False
    return all(
        _is_same(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType) else _has_same_text(a, b)
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )


def _has_same_text(one: object, other: object) -> bool:
    if isinstance(one, frozenset):
        return one == other
    return type(one) is type(other) and repr(one) == repr(other)
