"""Plain Python that numba does not compile, written in another way with the same values."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from searchlab.compiler.intrinsics import given
from searchlab.compiler.reductions import PREFIX, REDUCTIONS, LoopsForReductions, builtins_in
from searchlab.compiler.source import copied, definition, with_definition

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

COMPREHENSIONS = ("<genexpr>", "<listcomp>")
"""The names of the code of comprehensions; since Python 3.12 lists have none."""


def rewritten(function: FunctionType) -> FunctionType:
    """Return a function with reductions of comprehensions as loops, or the same function if it has none."""
    if not _may_reduce(function.__code__):
        return function
    node = definition(function.__code__)
    if node is None:
        return function
    changed, count = with_loops(node, function.__code__.co_freevars, function.__globals__)
    return with_definition(function, changed, {f"{PREFIX}given": given}) if count else function


def with_loops(
    node: ast.FunctionDef | ast.Lambda, free: tuple[str, ...], scope: Mapping[str, Any]
) -> tuple[ast.FunctionDef, int]:
    """Return a copy of a definition with loops for reductions, and the number of loops.

    Args:
        node: the definition.
        free: its free variables.
        scope: its globals.
    """
    changed = copied(node)
    loops = LoopsForReductions(builtins_in(node, free, scope))
    changed.body = [statement for one in changed.body for statement in loops.visit(one)]
    return changed, loops.count


@lru_cache(maxsize=4096)
def _may_reduce(code: CodeType) -> bool:
    """Return whether code, or code inside it, calls a reduction and has a comprehension."""
    everything = [*_codes(code)]
    calls = any(name in REDUCTIONS for one in everything for name in one.co_names)
    return calls and any(
        one.co_name in COMPREHENSIONS or dis.opmap["LIST_APPEND"] in one.co_code[::2] for one in everything
    )


def _codes(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(one for part in inner for one in _codes(part))]
