"""Plain Python that numba does not compile, written in another way with the same values."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from searchlab.compiler.intrinsics import given
from searchlab.compiler.lookups import Lookups, constants_of
from searchlab.compiler.reductions import PREFIX, REDUCTIONS, LoopsForReductions, builtins_in
from searchlab.compiler.source import compiled_like, copied, definition, with_code

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

COMPREHENSIONS = ("<genexpr>", "<listcomp>")
"""The names of the code of comprehensions; since Python 3.12 lists have none."""


def rewritten(function: FunctionType) -> FunctionType:
    """Return a function with loops for reductions, and calls for lookups in constant dicts and sets.

    A function that has neither, or whose source is not at hand, is returned as it is.

    Raises:
        NotCompilable: it uses a dict or a set in a way that does not compile.
    """
    code, scope = function.__code__, function.__globals__
    reduces, constants = _may_reduce(code), constants_of(function, _names(code))
    if not (reduces or constants):
        return function
    shadowed = tuple(name for name in REDUCTIONS if name in scope)
    key = code, code.co_filename, shadowed, constants
    if key not in _known:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = _rewritten(function, has_constants=bool(constants))
    made = _known[key]
    return with_code(function, *made) if made else function


MOST_KNOWN = 256
"""The functions whose other form is kept; when there are more, all are forgotten."""
_known: dict[tuple[object, ...], tuple[CodeType, dict[str, Any]] | None] = {}


def _rewritten(function: FunctionType, *, has_constants: bool) -> tuple[CodeType, dict[str, Any]] | None:
    """Return the code of a function in its other form and the names that it uses, None if it is as it should be."""
    code = function.__code__
    node = definition(code)
    if node is None:
        return None
    changed = copied(node)
    names: dict[str, Any] = {}
    is_builtin = builtins_in(node, code.co_freevars, function.__globals__)
    if has_constants:
        lookups = Lookups(function, changed, is_builtin)
        changed.body = [lookups.visit(statement) for statement in changed.body]
        names.update(lookups.names)
    if make_loops(changed, is_builtin):
        names[f"{PREFIX}given"] = given
    return (compiled_like(changed, code), names) if names or has_constants else None


def make_loops(definition: ast.FunctionDef, is_builtin: Callable[[str], bool]) -> bool:
    """Make loops of the reductions in a definition, which is changed; return whether there are any.

    Args:
        is_builtin: returns whether a name stands for Python's own function.
    """
    loops = LoopsForReductions(is_builtin)
    definition.body = [statement for one in definition.body for statement in loops.visit(one)]
    return loops.count > 0


@lru_cache(maxsize=4096)
def _may_reduce(code: CodeType) -> bool:
    """Return whether code, or code inside it, calls a reduction and has a comprehension."""
    everything = [*_codes(code)]
    calls = any(name in REDUCTIONS for one in everything for name in one.co_names)
    return calls and any(
        one.co_name in COMPREHENSIONS or dis.opmap["LIST_APPEND"] in one.co_code[::2] for one in everything
    )


@lru_cache(maxsize=4096)
def _names(code: CodeType) -> frozenset[str]:
    return frozenset(name for one in _codes(code) for name in one.co_names)


def _codes(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(one for part in inner for one in _codes(part))]
