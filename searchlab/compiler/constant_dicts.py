"""Whether a dict or set outside a function stays as it is, once its file is read: nothing in its files writes to it."""

from __future__ import annotations

import ast
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.compiler.source import file_tree, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

READING_METHODS = frozenset(
    {
        "copy",
        "difference",
        "get",
        "intersection",
        "isdisjoint",
        "issubset",
        "issuperset",
        "items",
        "keys",
        "union",
        "values",
    }
)
READING_FUNCTIONS = frozenset(
    {
        *("all", "any", "bool", "dict", "enumerate", "frozenset", "isinstance", "len", "list", "max", "min", "print"),
        *("repr", "set", "sorted", "str", "sum", "tuple", "type", "zip"),
    }
)
"""Methods and functions that only read what they are called on."""


class Change(NamedTuple):
    """A place where a dict or set may be changed.

    Attributes:
        file, line: the place.
        is_written: whether it is changed there; otherwise it is handed to other code.
    """

    file: str
    line: int
    is_written: bool


def change(name: str, content: Any, function: FunctionType) -> Change | None:
    """Return a place where a dict or set that a function reads may be changed while searches run, or None.

    What a file does when it is imported is over by then: only functions count, and code that is given the dict.

    Args:
        name: its name in the function: of a global, of a free variable, or `module.name`.
        content: the dict or set.
        function: the function.
    """
    file, own = function.__code__.co_filename, name.rpartition(".")[2]
    if name in function.__code__.co_freevars:
        root = _maker(function, name)
        return _change(file, root, name) if root is not None else Change(file, function.__code__.co_firstlineno, False)
    scope = function.__globals__
    others = [one for one in scope.values() if isinstance(one, FunctionType) and one.__globals__ is scope]
    places = dict.fromkeys((one.__code__.co_filename, own) for one in (function, *others))  # cells of a notebook
    if name != own or any(_imports(file, own)):
        places.update(dict.fromkeys(_holders(content)))
    for place, called in places:
        tree = file_tree(place)
        found = _change(place, tree, called) if tree is not None else None
        if found:
            return found
    return None


def _imports(file: str, name: str) -> Iterator[bool]:
    """Yield True for each import of a name."""
    tree = file_tree(file)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom):
            yield from (True for alias in node.names if (alias.asname or alias.name) in (name, "*"))


def _holders(content: Any) -> Iterator[tuple[str, str]]:
    """Yield the file of each module that has a dict or set among its globals, and its name there."""
    for module in [*sys.modules.values()]:
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            yield from ((file, name) for name, value in [*vars(module).items()] if value is content)


def _maker(function: FunctionType, name: str) -> ast.FunctionDef | None:
    """Return the function around a function that has its free variable as a variable, None if as an argument."""
    tree = file_tree(function.__code__.co_filename)
    line = function.__code__.co_firstlineno
    found = None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef) and node.lineno < line <= (node.end_lineno or 0) and _binds(node, name):
            found = node  # the innermost comes last
    return found if found is not None and name not in _arguments(found) else None


Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _arguments(scope: Scope) -> set[str]:
    return {part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)}


def _binds(scope: Scope, name: str) -> bool:
    """Return whether a name is a function's own variable."""
    nodes = [*own_nodes(scope)]
    if any(isinstance(node, ast.Global | ast.Nonlocal) and name in node.names for node in nodes):
        return False
    stored = any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load) for node in nodes
    )
    return stored or name in _arguments(scope)


def _change(file: str, root: ast.Module | ast.FunctionDef, name: str) -> Change | None:
    modules = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(root)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for statement in root.body:
        for parents, node, is_inside in _references(statement, name, modules, (), False):
            use = _use(parents, node, is_inside)
            if use is not None:
                return Change(file, node.lineno, use)
    return None


Reference = tuple[tuple[ast.AST, ...], ast.Name | ast.Attribute, bool]


def _references(
    node: ast.AST, name: str, modules: set[str], parents: tuple[ast.AST, ...], is_inside: bool
) -> Iterator[Reference]:
    """Yield each use of a name, with what it is part of, and whether it is inside a function."""
    if isinstance(node, ast.Name) and node.id == name:
        yield parents, node, is_inside
    if isinstance(node, ast.Attribute) and node.attr == name and _is_one_of(node.value, modules):
        yield parents, node, is_inside
    around = (*parents, node)
    for field, value in ast.iter_fields(node):
        runs_later = isinstance(node, Scope) and field == "body"
        if runs_later and isinstance(node, Scope) and _binds(node, name):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _references(part, name, modules, around, is_inside or runs_later)


def _is_one_of(node: ast.expr, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _use(parents: tuple[ast.AST, ...], node: ast.Name | ast.Attribute, is_inside: bool) -> bool | None:
    """Return None for a use that changes nothing while searches run, True for a change, False if it is handed on."""
    written = True if is_inside else None
    parent = parents[-1] if parents else None
    if not isinstance(node.ctx, ast.Load):
        return written
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return None if isinstance(parent.ctx, ast.Load) else written
    if isinstance(parent, ast.Attribute):
        return None if parent.attr in READING_METHODS else written
    if isinstance(parent, ast.Call) and parent.func is not node:
        return None if isinstance(parent.func, ast.Name) and parent.func.id in READING_FUNCTIONS else False
    if isinstance(parent, ast.If | ast.While | ast.IfExp | ast.Assert):
        return None if parent.test is node else False
    if isinstance(parent, ast.For | ast.comprehension):
        return None
    if isinstance(parent, ast.Dict):
        return (
            None
            if any(value is node and key is None for key, value in zip(parent.keys, parent.values, strict=True))
            else False
        )
    if isinstance(parent, ast.keyword):
        return None if parent.arg is None else False
    reads = ast.Compare | ast.BinOp | ast.UnaryOp | ast.FormattedValue | ast.Expr | ast.Starred
    return None if isinstance(parent, reads) else False
