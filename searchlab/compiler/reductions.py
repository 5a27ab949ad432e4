"""Reductions of a comprehension as loops: `all`, `any`, `sum`, `len`, `min` and `max`.

numba has no generators, and makes a list of a list comprehension. Each reduction becomes a function in front of the
statement that contains it, and numba puts that function in the place of its call. So everything is evaluated in
Python's order, and only what Python evaluates:

    return any(tile > n for tile in row)

    def _searchlab_any_1(items):
        for tile in items:
            if tile > n:
                return True
        return False
    return _searchlab_any_1(row)
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Comprehension = ast.GeneratorExp | ast.ListComp
REDUCTIONS: dict[str, tuple[type[ast.expr], ...]] = {
    "all": (ast.GeneratorExp, ast.ListComp),
    "any": (ast.GeneratorExp, ast.ListComp),
    "len": (ast.ListComp,),
    "max": (ast.GeneratorExp, ast.ListComp),
    "min": (ast.GeneratorExp, ast.ListComp),
    "sum": (ast.GeneratorExp, ast.ListComp),
}
"""The functions that become loops, and the comprehensions that they may be given; a generator has no length."""
WITHOUT_STATEMENTS = (ast.Lambda, ast.GeneratorExp, ast.SetComp, ast.DictComp)
"""Expressions that are left as they are: a loop inside them would have to be an expression."""
PREFIX = "_searchlab_"
OWN = ("element", "given", "result", "second")
"""The names in the source of loops that get the prefix."""
SECOND = {"sum": "start", "min": "default", "max": "default"}
"""The name of the second argument of a function."""


def reduction(node: ast.AST, is_builtin: Callable[[str], bool]) -> tuple[str, Comprehension, ast.expr | None] | None:
    """Return a function's name, the comprehension and the second argument of a call that becomes a loop, or None."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
        return None
    name, given = node.func.id, node.args[0]
    further: tuple[ast.expr | ast.keyword, ...] = (*node.args[1:], *node.keywords)
    if not isinstance(given, ast.GeneratorExp | ast.ListComp) or type(given) not in REDUCTIONS.get(name, ()):
        return None
    if not is_builtin(name) or len(further) > 1:
        return None
    if any(loop.is_async for loop in given.generators) or _assigns(given):
        return None
    if not further:
        return name, given, None
    second = further[0]
    value = second.value if isinstance(second, ast.keyword) else second
    named = second.arg if isinstance(second, ast.keyword) else "start" if name == "sum" else ""
    # It is evaluated before the elements of a generator, and after those of a list, where a loop needs it first.
    is_early = isinstance(given, ast.GeneratorExp) or isinstance(value, ast.Constant)
    has_second = named and named == SECOND.get(name) and not isinstance(value, ast.Starred)
    return (name, given, value) if has_second and is_early else None


def _assigns(value: Any) -> bool:
    """Return whether an expression, or one of a list, contains `:=`: a variable outside its comprehension."""
    if isinstance(value, list):
        return any(map(_assigns, value))
    return isinstance(value, ast.AST) and any(isinstance(part, ast.NamedExpr) for part in ast.walk(value))


def builtins_in(definition: ast.AST, free: tuple[str, ...], scope: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return the function that says whether a name stands for Python's own function all over a definition."""
    bound = {*free, *bound_names(definition)}

    def is_builtin(name: str) -> bool:
        own = getattr(builtins, name)
        return name not in bound and scope.get(name, own) is own

    return is_builtin


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that anything in a definition binds, in whatever scope."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.arg):
            yield part.arg
        elif isinstance(part, ast.FunctionDef | ast.ClassDef) and part is not node:
            yield part.name
        elif isinstance(part, ast.alias):
            yield part.asname or part.name.partition(".")[0]
        elif isinstance(part, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and part.name:
            yield part.name
        elif isinstance(part, ast.MatchMapping) and part.rest:
            yield part.rest


class Loop(NamedTuple):
    """The source of the loop for a function, around the comprehension's.

    Attributes:
        before, each, after: the statements before it, for each element, and after it.
    """

    before: str
    each: str
    after: str


def _loop_for(kind: str, is_lazy: bool, has_second: bool) -> Loop:
    """Return the loop for a function.

    Args:
        kind: the function's name, or `list` for a list comprehension.
        is_lazy: whether the comprehension is a generator, of which `all` and `any` take what they need.
        has_second: whether the function has a second argument.
    """
    if kind == "all":
        each = "if not ELEMENT: return False" if is_lazy else "if not ELEMENT: result = False"
        return Loop("result = True", each, "return result")
    if kind == "any":
        each = "if ELEMENT: return True" if is_lazy else "if ELEMENT: result = True"
        return Loop("result = False", each, "return result")
    if kind == "sum":
        return Loop(f"result = {'second' if has_second else 0}", "result = result + ELEMENT", "return result")
    if kind == "len":
        return Loop("result = 0", "element = ELEMENT\nresult += 1", "return result")
    if kind == "list":
        return Loop("result = []", "result.append(ELEMENT)", "return result")
    compared = ">" if kind == "max" else "<"
    # A variable of an inlined function needs a value from the start.
    each = f"element = ELEMENT\nif result is None or element {compared} given(result): result = element"
    empty = "return second" if has_second else f"raise ValueError('{kind}() of nothing')"
    return Loop("result = None", each, f"if result is None: {empty}\nreturn given(result)")


class LoopsForReductions(ast.NodeTransformer):
    """Changes a definition: its reductions become loops, but for those in lambdas and generators.

    Args:
        is_builtin: returns whether a name stands for Python's own function.

    Attributes:
        count: the functions that were put in.
    """

    def __init__(self, is_builtin: Callable[[str], bool]) -> None:
        self.count = 0
        self._is_builtin = is_builtin
        self._pending: list[ast.stmt] = []

    def visit(self, node: ast.AST) -> Any:
        """Change a node; a statement becomes a list, in front of it the functions that its expressions call."""
        if isinstance(node, WITHOUT_STATEMENTS):
            return node
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        around, self._pending = self._pending, []
        expressions = [value for _, value in ast.iter_fields(node) if not _is_block(value)]
        # What `:=` assigns may be read by a loop, and a loop cannot be put in front of that.
        is_left = any(map(_assigns, expressions)) or (isinstance(node, ast.While) and bool(node.orelse))
        for name, value in ast.iter_fields(node):
            if _is_block(value):
                setattr(node, name, [changed for part in value for changed in self._statements(part)])
            elif not is_left:
                setattr(node, name, [*map(self._part, value)] if isinstance(value, list) else self._part(value))
        pending, self._pending = self._pending, around
        if pending and isinstance(node, ast.While):
            # The test is evaluated each time, with the values that variables have by then.
            ends = ast.copy_location(ast.If(node.test, [ast.Pass()], [ast.Break()]), node)
            node.test, node.body = ast.copy_location(ast.Constant(True), node.test), [*pending, ends, *node.body]
            return [ast.fix_missing_locations(node)]
        return [*pending, node]

    def _statements(self, part: Any) -> list[Any]:
        """Return the changed parts of a block: statements, or the cases of `match` and `except`."""
        if isinstance(part, ast.stmt):
            return list(self.visit(part))
        part.body = [changed for statement in part.body for changed in self.visit(statement)]
        return [part]

    def _part(self, part: Any) -> Any:
        return self.visit(part) if isinstance(part, ast.AST) else part

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """Make a loop of a list comprehension that contains reductions, which belong into the loop."""
        is_left = _assigns(node) or any(loop.is_async for loop in node.generators)
        if is_left or not any(reduction(part, self._is_builtin) for part in ast.walk(node)):
            return node
        return self._loop("list", node, None, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Make a loop of a reduction."""
        found = reduction(node, self._is_builtin)
        return self._loop(*found, node) if found else self.generic_visit(node)

    def _loop(self, kind: str, given: Comprehension, second: ast.expr | None, at: ast.expr) -> ast.AST:
        """Return a call of a new function, which is put in front of the statement."""
        self.count += 1
        name, items = f"{PREFIX}{kind}_{self.count}", f"{PREFIX}items"
        arguments = [self.visit(one) for one in (given.generators[0].iter, second) if one is not None]
        loop = _loop_for(kind, isinstance(given, ast.GeneratorExp), second is not None)
        body = _statements(loop.each, at, given.elt)
        for number, part in reversed([*enumerate(given.generators)]):
            for condition in reversed(part.ifs):
                body = [ast.copy_location(ast.If(condition, body, []), condition)]
            iterated = part.iter if number else ast.copy_location(ast.Name(items, ast.Load()), at)
            body = [ast.copy_location(ast.For(part.target, iterated, body, []), part.target)]
        body = [*_statements(loop.before, at), *body, *_statements(loop.after, at)]
        (made,) = _statements(f"def {name}({', '.join([items, PREFIX + 'second'][: len(arguments)])}): pass", at)
        assert isinstance(made, ast.FunctionDef)
        made.body = [changed for statement in body for changed in self.visit(statement)]
        self._pending.append(made)
        called = ast.copy_location(ast.Name(name, ast.Load()), at)
        return ast.copy_location(ast.Call(called, arguments, []), at)


def _is_block(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt | ast.match_case | ast.ExceptHandler)
    )


def _statements(source: str, at: ast.expr, element: ast.expr | None = None) -> list[ast.stmt]:
    """Return statements of a loop, placed in the file at an expression, with the comprehension's element in them."""
    module: ast.Module = _Template(at, element).visit(ast.parse(source))
    return module.body


class _Template(ast.NodeTransformer):
    def __init__(self, at: ast.expr, element: ast.expr | None) -> None:
        self._at, self._element = at, element

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if "lineno" in node._attributes:
            ast.copy_location(node, self._at)
        return super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "ELEMENT" and self._element is not None:
            return self._element
        if node.id in OWN:
            node.id = PREFIX + node.id
        return self.generic_visit(node)
