"""Constant dicts and sets in a form that compiles.

`D[key]`, `D.get(key, default)` and `key in D` become calls of functions that look a key up in arrays. Loops over `D`,
`D.keys()`, `D.values()` and `D.items()` go through arrays, and `len(D)` and `D["name"]` become constants.
"""

from __future__ import annotations

import ast
from os.path import basename
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from searchlab.compiler.constant_dicts import change
from searchlab.compiler.lookup_tables import LookupTable, NoTable, lookup_table
from searchlab.compiler.reductions import PREFIX, bound_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONSTANTS = (dict, set, frozenset)
"""The types that become tables; types derived from them may do anything."""


PLAIN = (bool, int, float, str)
"""The types of values that are constants of the code where the key is one."""


class NotCompilable(Exception):
    """A function uses a dict or set in a way that does not compile.

    Attributes:
        file, line: the place in the function.
        what, instead: the reason, and the alternative.
    """

    def __init__(self, file: str, line: int, what: str, instead: str) -> None:
        super().__init__(what)
        self.file, self.line, self.what, self.instead = file, line, what, instead


def constants_of(function: FunctionType, names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Return the dicts and sets that a function may use, each with a text that tells its content.

    Args:
        names: those that the function's code mentions.
    """
    scope = function.__globals__
    found = {name: scope[name] for name in names if name in scope}
    for module in [value for value in found.values() if isinstance(value, ModuleType)]:
        found.update((f"{module.__name__}.{name}", vars(module)[name]) for name in names if name in vars(module))
    found.update(_cells(function))
    return tuple((name, repr(value)) for name, value in sorted(found.items()) if type(value) in CONSTANTS)


def _cells(function: FunctionType) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    return cells


class Lookups(ast.NodeTransformer):
    """Changes a definition: uses of constant dicts and sets become calls of functions.

    Args:
        function: the function that is defined.
        definition: its definition.
        is_builtin: returns whether a name stands for Python's own function.

    Attributes:
        names: the functions that are called and the arrays that are gone through, by their names.

    Raises:
        NotCompilable: one is changed, is no table, or is used in another way.
    """

    def __init__(self, function: FunctionType, definition: ast.FunctionDef, is_builtin: Callable[[str], bool]) -> None:
        self.names: dict[str, Any] = {}
        self._function, self._is_builtin = function, is_builtin
        bound = {*bound_names(definition)} - {*function.__code__.co_freevars}
        known: Mapping[str, Any] = {**function.__globals__, **_cells(function)}
        self._known = {name: value for name, value in known.items() if name not in bound}
        self._tables: dict[str, LookupTable] = {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Change `D[key]`."""
        if not isinstance(node.ctx, ast.Load) or type(content := self._value(node.value)) is not dict:
            return self.generic_visit(node)
        key = node.slice
        if isinstance(key, ast.Constant) and type(content.get(key.value)) in PLAIN:
            self._check_constant(node.value, content)
            return ast.copy_location(ast.Constant(content[key.value]), node)
        return self._call("item", node.value, content, [key], node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Change `key in D` and `key not in D`."""
        asked = isinstance(node.ops[0], ast.In | ast.NotIn) and len(node.ops) == 1
        if not asked or type(content := self._value(node.comparators[0])) not in CONSTANTS:
            return self.generic_visit(node)
        found = self._call("has", node.comparators[0], content, [node.left], node)
        return found if isinstance(node.ops[0], ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Change `D.get(key, default)` and `len(D)`."""
        called, given = node.func, node.args
        if node.keywords or any(isinstance(one, ast.Starred) for one in given):
            return self.generic_visit(node)
        of = called.value if isinstance(called, ast.Attribute) and called.attr == "get" else None
        if of is not None and given and type(content := self._value(of)) is dict:
            if len(given) == 1:
                what = f"it uses {ast.unparse(of)}, a dict, with get and no default, which may be None"
                raise self._refused(node, what, f"write `{ast.unparse(of)}.get({ast.unparse(given[0])}, 0)`")
            return self._call("get", of, content, given, node)
        is_len = isinstance(called, ast.Name) and called.id == "len" and self._is_builtin("len")
        if is_len and len(given) == 1 and type(content := self._value(given[0])) in CONSTANTS:
            self._table(given[0], content)
            return ast.copy_location(ast.Constant(len(content)), node)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """Change `for key in D`."""
        node.iter = self._gone_through(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Change `for key in D` in a comprehension."""
        node.iter = self._gone_through(node.iter)
        return self.generic_visit(node)

    def _gone_through(self, node: ast.expr) -> ast.expr:
        """Return arrays in place of a dict, its keys, values or items, and anything else as it is."""
        of, kind = node, "keys"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not (node.args or node.keywords):
            of, kind = node.func.value, node.func.attr
        content = self._value(of)
        is_dict = type(content) is dict and kind in ("keys", "values", "items")
        if not is_dict and (of is not node or type(content) not in CONSTANTS):
            return node
        if not self._is_builtin("zip"):
            return node
        source, arrays = self._table(of, content).items(kind)
        name = f"{PREFIX}{_flat(of)}"
        self.names.update((one.format(name=name), array) for one, array in arrays.items())
        parsed = ast.parse(source.format(name=name), mode="eval").body
        for part in ast.walk(parsed):
            ast.copy_location(part, node)
        return parsed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Refuse any other use."""
        return self._other(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Refuse any other use of a dict in a module."""
        return self._other(node)

    def _other(self, node: ast.Name | ast.Attribute) -> ast.AST:
        content = self._value(node)
        if type(content) not in CONSTANTS:
            return self.generic_visit(node)
        self._table(node, content)
        name = ast.unparse(node)
        looks = f"{name}[key], {name}.get(key, default), " if isinstance(content, dict) else ""
        what = f"it uses {name}, a {_kind(content)}, for more than {looks}key in {name}, len({name}) and a loop over it"
        raise self._refused(node, what, "write it with these alone")

    def _value(self, node: ast.expr) -> Any:
        """Return the value of a global, a free variable or an attribute of a module, None for anything else."""
        if isinstance(node, ast.Name):
            return self._known.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(module := self._value(node.value), ModuleType):
            return vars(module).get(node.attr)
        return None

    def _call(self, kind: str, of: ast.expr, content: Any, arguments: list[ast.expr], at: ast.expr) -> ast.expr:
        """Return a call of the function that looks a key up."""
        table = self._table(of, content)
        name = f"{PREFIX}{kind}_{_flat(of)}"
        if name not in self.names:
            self.names[name] = table.function(kind)
        called = ast.copy_location(ast.Name(name, ast.Load()), at)
        return ast.copy_location(ast.Call(called, [self.visit(one) for one in arguments], []), at)

    def _table(self, of: ast.expr, content: Any) -> LookupTable:
        name = ast.unparse(of)
        if name not in self._tables:
            try:
                self._tables[name] = lookup_table(content)
            except NoTable as no:
                raise self._refused(of, f"it uses {name}, a {_kind(content)} {no.what}", no.instead) from None
            self._check_constant(of, content)
        return self._tables[name]

    def _check_constant(self, of: ast.expr, content: Any) -> None:
        """Raise an error unless a dict or set stays as it is."""
        name, kind = ast.unparse(of), _kind(content)
        changed = change(name, content, self._function)
        if changed is None:
            return
        place = f"line {changed.line}"
        if changed.file != self._function.__code__.co_filename:
            place += f" of {basename(changed.file)}"
        if changed.is_written:
            what = f"it uses {name}, a {kind} that {place} changes"
            raise self._refused(of, what, "fill it when the file is read, and leave it as it is")
        what = f"it uses {name}, a {kind} that {place} hands to other code, which may change it"
        raise self._refused(of, what, f"hand on a copy there: {kind}({name})")

    def _refused(self, node: ast.expr, what: str, instead: str) -> NotCompilable:
        return NotCompilable(self._function.__code__.co_filename, node.lineno, what, instead)


def _kind(content: Any) -> str:
    return "dict" if isinstance(content, dict) else "set"


def _flat(expression: ast.expr) -> str:
    """Return the name of a dict as a part of another name."""
    return ast.unparse(expression).replace(".", "_")
