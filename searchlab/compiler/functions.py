"""Compile a plugin's plain Python functions behind uniform signatures, or explain why that fails.

Bounds are always checked in plugin functions; kernels are our own and are not checked.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from searchlab.compiler import signatures
from searchlab.compiler.adapters import PLUGIN_OPTIONS, Adapter, parsed
from searchlab.compiler.cache import is_cached, machine_code
from searchlab.compiler.compile_errors import CannotCompile, obstacle, obstacle_in
from searchlab.compiler.dependencies import Dependencies, FunctionToCompile
from searchlab.compiler.intrinsics import pointer_to, record_at
from searchlab.compiler.machine_code import CompiledKernel
from searchlab.errors import PluginCode
from searchlab.errors.interrupts import OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.compiler.arrays import Arrays
    from searchlab.compiler.machine_code import MachineCode
    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm
    from searchlab.model.strategies import Heuristic

    KnownCode = dict[Any, tuple[MachineCode, list[Any]]]

__all__ = [
    "CannotCompile",
    "cached_kernel",
    "compile_chances",
    "compile_estimate",
    "compile_goal",
    "compile_kernel",
    "compile_key",
    "compile_priority",
    "compile_select",
    "compile_step",
    "compile_successors",
    "kernel_is_cached",
]

MOST_FIXED_WIDTH = 2
MOST_KNOWN = 256
"""The functions that a searcher keeps for the next instance; when there are more, all are forgotten."""
NO_NUMBER = "what it returns is not always a number"
KERNEL_OPTIONS = {"boundscheck": False, "nogil": True, "forceinline": True, "_nrt": False}
"""The options of numba for our own code, which allocates nothing and so has no references to count."""


def compile_estimate(
    function: Callable[..., Any],
    values: Mapping[str, Any],
    packing: Packing,
    packed: Callable[..., Any] | None = None,
    known: KnownCode | None = None,
) -> MachineCode:
    """Compile a heuristic `(tiles, …)`, or its packed form `(words, …)`, for packed states."""
    adapter = Adapter(packing)
    body = adapter.estimate(function, values, packed)
    return _compiled(adapter, body, signatures.ESTIMATE, packed or function, known)


def compile_goal(
    form: PackedForm, values: Mapping[str, Any], packing: Packing, known: KnownCode | None = None
) -> MachineCode:
    """Compile a domain's goal test."""
    adapter = Adapter(packing)
    function = form.rule("is_goal")
    assert function is not None
    return _compiled(adapter, adapter.is_goal(form, values), signatures.IS_GOAL, function, known)


def compile_successors(
    form: PackedForm, values: Mapping[str, Any], packing: Packing, known: KnownCode | None = None
) -> MachineCode:
    """Compile a domain's successor function."""
    adapter = Adapter(packing)
    body = adapter.successors(form, values) + "    return count\n"
    return _compiled(adapter, body, signatures.SUCCESSORS, form.rule("successors"), known)


def compile_chances(form: PackedForm, values: Mapping[str, Any], packing: Packing) -> MachineCode:
    """Compile a domain's chance function."""
    adapter = Adapter(packing)
    body = adapter.chances(form, values) + "    return count\n"
    function = form.rule("chances")
    assert function is not None
    return _compiled(adapter, body, signatures.CHANCES, function)


def compile_step(
    form: PackedForm,
    values: Mapping[str, Any],
    packing: Packing,
    heuristic: Heuristic | None,
    heuristic_values: Mapping[str, Any],
    known: KnownCode | None = None,
) -> MachineCode:
    """Compile goal test, successors and their heuristic values into one function."""
    adapter = Adapter(packing)
    body = adapter.step(form, values, heuristic, heuristic_values)
    function = heuristic.function if heuristic else None
    return _compiled(adapter, body, signatures.STEP, function or form.rule("successors"), known)


def compile_select(
    form: PackedForm,
    values: Mapping[str, Any],
    packing: Packing,
    heuristic: Heuristic | None,
    heuristic_values: Mapping[str, Any],
    known: KnownCode | None = None,
) -> MachineCode:
    """Compile the values of all successors, and the successors with an f in a range, into one function."""
    adapter = Adapter(packing)
    body = adapter.select(form, values, heuristic, heuristic_values)
    function = heuristic.incremental if heuristic else None
    return _compiled(adapter, body, signatures.SELECT, function or form.rule("successors"), known)


def compile_update(
    form: PackedForm,
    heuristic: Heuristic,
    values: Mapping[str, Any],
    packing: Packing,
    known: KnownCode | None = None,
) -> MachineCode:
    """Compile the update of a heuristic's value by a move."""
    adapter = Adapter(packing)
    assert heuristic.incremental is not None
    return _compiled(adapter, adapter.update(form, heuristic, values), signatures.UPDATE, heuristic.incremental, known)


def compile_priority(
    function: Callable[..., Any], values: Mapping[str, Any], known: KnownCode | None = None
) -> MachineCode:
    """Compile a priority function `(g, h, …)`."""
    adapter = Adapter()
    return _compiled(adapter, adapter.priority(function, values), signatures.PRIORITY, function, known)


def compile_key(
    function: Callable[..., Any] | None,
    places: Mapping[str, int | tuple[int, ...]],
    values: Mapping[str, Any],
    what: str = "the priority",
) -> MachineCode:
    """Compile the priority of a queue, or another function of a node's values; see `Adapter.key`."""
    adapter = Adapter()
    return _compiled(adapter, adapter.key(function, places, values, what), signatures.KEY, function or compile_key)


def _compiled(
    adapter: Adapter, body: str, signature: str, function: Callable[..., Any], known: KnownCode | None = None
) -> MachineCode:
    """Compile an adapter with this body, with errors and file named after a plugin's function.

    Args:
        known: what was compiled before, and may be used again for other values of the parameters; it is added to.
    """
    called = [part.function for part in adapter.scope.values() if isinstance(part, FunctionToCompile)]
    key = signature, body, *map(id, called)
    if known is not None and key in known:
        return known[key][0]._replace(params=adapter.params, tables=adapter.tables)
    exec(parsed(f"def adapter({signatures.ARGUMENTS[signature]}):{body}"), adapter.scope)
    dependencies = Dependencies()
    with explaining(function) as name:
        captured = dependencies.capture(adapter.scope["adapter"])
        code = machine_code(dependencies, captured, PLUGIN_OPTIONS, name, signature)
    if known is not None:
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[key] = code, called  # whose ids nobody else gets as long as they are kept
    return code._replace(params=adapter.params, tables=adapter.tables)


def compile_kernel(
    function: Callable[..., Any], takes: type[Arrays], width: int = 0, constants: Mapping[str, Any] | None = None
) -> CompiledKernel:
    """Compile one of our own kernels, written in plain Python; it is called from Python with addresses of arrays.

    Args:
        function: takes declared arrays, followed by integers.
        takes: the declaration of its arrays, see `arrays`.
        width: words per state; for few, the kernel is compiled for exactly that many, which is faster.
        constants: the replacements of globals of its module: numbers, types, functions.
    """
    captured = _entry(function, takes, width, constants)
    return _kernel(function, captured)


def cached_kernel(
    function: Callable[..., Any], takes: type[Arrays], width: int = 0, constants: Mapping[str, Any] | None = None
) -> CompiledKernel | None:
    """Return a kernel if it need not be compiled, else None; arguments as for `compile_kernel`."""
    captured = _entry(function, takes, width, constants)
    return _kernel(function, captured) if _is_cached(function, captured) else None


def kernel_is_cached(function: Callable[..., Any], takes: type[Arrays], constants: Mapping[str, Any]) -> bool:
    """Return whether a kernel that is not of some width need not be compiled; arguments as for `compile_kernel`."""
    return _is_cached(function, _entry(function, takes, 0, constants))


def _is_cached(function: Callable[..., Any], captured: tuple[Dependencies, FunctionToCompile, list[str]]) -> bool:
    """Return whether the result of `_entry` need not be compiled."""
    dependencies, _, passed = captured
    return is_cached(dependencies, KERNEL_OPTIONS, function.__name__, signatures.signature("int64", *passed))


def _kernel(
    function: Callable[..., Any], captured: tuple[Dependencies, FunctionToCompile, list[str]]
) -> CompiledKernel:
    """Return a kernel from the result of `_entry`."""
    dependencies, entry, passed = captured
    signature = signatures.signature("int64", *passed)
    code = machine_code(dependencies, entry, KERNEL_OPTIONS, function.__name__, signature)
    return CompiledKernel(code, len(passed))


@contextmanager
def explaining(function: Callable[..., Any]) -> Iterator[str]:
    """Turn errors of the compiler into a CannotCompile about a plugin's function; yields its name."""
    name = re.sub(r"\W", "", getattr(function, "__name__", "")) or "function"
    with PluginCode(lambda error: _explained(error, name, function), ()):
        yield name


def _explained(error: BaseException, name: str, function: Callable[..., Any]) -> CannotCompile:
    """Return the error that explains why a function cannot be compiled, with an alternative."""
    if isinstance(error, CannotCompile):
        found = obstacle(error, function)
    else:
        found = obstacle_in(_about_adapter(str(error)) or str(error) or type(error).__name__, function)
    explained = CannotCompile(f"{name} cannot be compiled: {found.in_short()}")
    explained.obstacle = found
    return explained


def _entry(
    function: Callable[..., Any], takes: type[Arrays], width: int, constants: Mapping[str, Any] | None = None
) -> tuple[Dependencies, FunctionToCompile, list[str]]:
    """Return the entry to a kernel, which converts addresses to pointers and records, and its arguments."""
    fields = takes.declared
    numbers = function.__code__.co_argcount - 1
    makers = ["record_at" if field.record else "pointer_to" for field in fields.values()]
    made = [f"{maker}(a{k}, d{k})" for k, maker in enumerate(makers)]
    scope: dict[str, Any] = {"kernel": function, "pointer_to": pointer_to, "record_at": record_at}
    scope.update({f"d{k}": field.dtype for k, field in enumerate(fields.values())}, Arrays=takes.pointers)
    given = [f"Arrays({', '.join(made)})", *(f"a{len(fields) + k}" for k in range(numbers))]
    passed = [*len(fields) * ["uintp"], *numbers * ["int64"]]
    names = [f"a{k}" for k in range(len(passed))]
    exec(parsed(f"def entry({', '.join(names)}):\n    return kernel({', '.join(given)})\n"), scope)
    constants = {"FIXED_WIDTH": width if width <= MOST_FIXED_WIDTH else 0, **(constants or {})}
    dependencies = Dependencies(constants, function)
    entry = dependencies.capture(scope["entry"])
    return dependencies, entry, passed


def _about_adapter(said: str) -> str:
    """Return the meaning of a numba error about an adapter's use of a function, or `""`."""
    said = re.sub(r"\x1b\[\d*m", "", said)
    places = re.findall(r'File "([^"]+)", line \d+', said)
    is_generated = all(
        place.startswith("<") or "site-packages" in place or os.path.abspath(place).startswith(OURS) for place in places
    )
    if re.search(rf"Cannot unify .* defined at {re.escape(OURS)}", said):  # in our kernel, not in its source
        return NO_NUMBER
    if "<built-in function mul>)" in said and is_generated:
        return NO_NUMBER
    if re.search(r"No conversion from .* for '\$\d+return_value", said):
        return NO_NUMBER
    if "<built-in function or_>)" in said and is_generated:
        return "what it carries is not always whole numbers"
    if "<built-in function and_>)" in said and is_generated:
        return "it is annotated `-> int` and returns something else"
    return ""
