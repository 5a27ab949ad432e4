"""numba dispatchers of captured functions and of their helpers, and how numba compiles these."""

from __future__ import annotations

import hashlib
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numba.core import ir, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass

from searchlab.compiler.code_generation import larger, signed, signed_if_small, smaller
from searchlab.compiler.dependencies import ITEMS_OPTION, PLAIN, CapturedModule, FunctionToCompile, UnsignedItems
from searchlab.compiler.global_arrays import Slot, slot_of
from searchlab.compiler.intrinsics import Intrinsic
from searchlab.compiler.numba_private import definitions, uses_shortcuts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_HELPERS = 2000
"""The number of helpers' dispatchers that are kept: a notebook keeps defining new functions."""
KERNEL_BUILTINS = {"max": larger, "min": smaller}
"""The replacements of Python's functions in kernels, which call them with two numbers."""
NO_WRAPPERS = {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}


def dispatchers_of(value: Any, met: set[int] | None = None) -> Iterator[Any]:
    """Yield the dispatchers of a captured function and of all that it uses."""
    met = set() if met is None else met
    if id(value) in met:
        return
    met.add(id(value))
    parts: Iterable[Any] = ()
    if isinstance(value, FunctionToCompile):
        if value.dispatcher is not None:
            yield value.dispatcher
        parts = [*value.names.values(), *value.cells]
    elif isinstance(value, CapturedModule):
        parts = value.attributes.values()
    elif isinstance(value, tuple):
        parts = value
    for part in parts:
        yield from dispatchers_of(part, met)


ITEM_READS = ("getitem", "static_getitem", "typed_getitem", "pair_first")
"""numba's expressions that read an item; the last represents the next item in a loop."""
WHOLE_BUILTINS = (int, max, min, sum)
REDUCTIONS = ("amax", "amin", "item", "max", "min", "prod", "ptp", "sum", "take", "trace")
"""Functions and methods of arrays that return an item, or a number made of items."""


@register_pass(mutates_CFG=True, analysis_only=False)
class SignedItems(FunctionPass):  # type: ignore[misc]
    """A step of numba's compiler that makes items of unsigned arrays signed when they are read.

    To numba they are unsigned, even after `int()`, so that a difference of two would never be negative.
    """

    _name = "searchlab_signed_items"
    in_words = False

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Wrap reads of items in calls of intrinsics."""
        for block in state.func_ir.blocks.values():
            statements = block.body
            block.body = []
            for statement in statements:
                convert = _conversion(statement, state.func_ir, in_words=self.in_words)
                if convert is None:
                    block.append(statement)
                else:
                    _append_converted(statement, convert, block, state.func_ir)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class SignedInts(SignedItems):
    """The same for functions of words, which stay unsigned: only results of `int()` are converted."""

    _name = "searchlab_signed_ints"
    in_words = True


STEPS_FOR_ITEMS = {UnsignedItems.SIGNED: SignedItems, UnsignedItems.OF_WORDS: SignedInts}


def _conversion(statement: Any, function: Any, *, in_words: bool) -> Any:
    """Return the intrinsic that the assigned value of a statement is passed through, or None."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    if not isinstance(value, ir.Expr):
        return None
    if value.op in ITEM_READS:
        return None if in_words else signed_if_small
    if value.op != "call":
        return None
    called = function.get_definition(value.func) if len(definitions(function)[value.func.name]) == 1 else None
    if isinstance(called, ir.Global) and called.value in WHOLE_BUILTINS:
        return signed_if_small if in_words else signed
    is_reduction = isinstance(called, ir.Expr) and called.op == "getattr" and called.attr in REDUCTIONS
    return signed if is_reduction and not in_words else None


def _append_converted(statement: Any, convert: Any, block: Any, function: Any) -> None:
    """Append a statement to a block with the assigned value passed through an intrinsic."""
    at, scope = statement.loc, block.scope
    given, called = scope.redefine("$given", at), scope.redefine("$convert", at)
    steps = (
        (statement.value, given),
        (ir.Global(convert.__name__, convert, at), called),
        (ir.Expr.call(called, (given,), (), at), statement.target),
    )
    for value, target in steps:
        block.append(ir.Assign(value, target, at))
        definitions(function)[target.name] = [value]


class FunctionCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler for functions with their own machine code.

    Attributes:
        items: the treatment of unsigned items of arrays; None for numba's.
    """

    items: UnsignedItems | None = None

    def define_pipelines(self) -> list[Any]:
        """Return numba's steps."""
        if uses_shortcuts() and not self.state.flags.boundscheck:  # what is not checked is ours
            from searchlab.compiler.shortcuts import kernel_steps

            return [kernel_steps()]
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if self.items:
            steps.add_pass_after(STEPS_FOR_ITEMS[self.items], untyped_passes.LiteralPropagationSubPipelinePass)
            steps.finalize()
        return [steps]


class HelperCompiler(FunctionCompiler):
    """The same for helpers, which are linked into their callers."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's steps."""
        if uses_shortcuts():
            from searchlab.compiler.helper_libraries import HelperLibrary

            state = self.state
            codegen, is_inlined = state.targetctx.codegen(), state.flags.forceinline
            state.library = HelperLibrary(codegen, state.func_id.func_qualname, is_inlined=is_inlined)
        return super().define_pipelines()


class SignedItemsCompiler(HelperCompiler):
    """The same for functions of tiles."""

    items = UnsignedItems.SIGNED


class WordsCompiler(HelperCompiler):
    """The same for functions of words."""

    items = UnsignedItems.OF_WORDS


COMPILERS = {None: HelperCompiler, UnsignedItems.SIGNED: SignedItemsCompiler, UnsignedItems.OF_WORDS: WordsCompiler}
"""The compilers of helpers, by the value of ITEMS_OPTION."""


def make_dispatcher(
    captured: FunctionToCompile, options: Mapping[str, Any], mark: str = "", *, called: bool = False
) -> Any:
    """Return a numba dispatcher of a captured function, with dispatchers of its helpers.

    Args:
        captured: the function.
        options: options for numba, for the function and for helpers without their own.
        mark: a prefix for the names of all these functions in machine code.
        called: whether the dispatcher itself is called; otherwise only machine code is needed.
    """
    own_options = {**NO_WRAPPERS, "no_cpython_wrapper": not called, "pipeline_class": FunctionCompiler}
    return _dispatcher(captured, options, mark, own_options)


def _dispatcher(
    captured: FunctionToCompile, options: Mapping[str, Any], mark: str, own_options: Mapping[str, Any]
) -> Any:
    options = captured.options or options
    if captured.dispatcher is None:
        function = captured.function
        scope: dict[str, Any] = {"__name__": __name__, "__builtins__": function.__globals__["__builtins__"]}
        if uses_shortcuts() and not options.get("boundscheck", True):  # one of ours
            scope.update((name, builtin) for name, builtin in KERNEL_BUILTINS.items() if name not in captured.names)
        cells = tuple(CellType() for _ in captured.cells)
        defaults = tuple(_in_copy(default) for default in function.__defaults__ or ())
        copy = FunctionType(function.__code__, scope, function.__name__, defaults, cells)
        copy.__qualname__, copy.__module__ = f"{mark}{function.__qualname__}", __name__
        # Set before the helpers are made: functions may call each other.
        inlined = {} if captured.is_inlined is None else {"forceinline": captured.is_inlined}
        numbas = {name: value for name, value in options.items() if name != ITEMS_OPTION}
        captured.dispatcher = njit(**{**numbas, **inlined}, **own_options)(copy)
        scope.update((name, _rebuilt(value, options, mark)) for name, value in captured.names.items())
        for cell, value in zip(cells, captured.cells, strict=True):
            cell.cell_contents = _rebuilt(value, options, mark)
    return captured.dispatcher


def _in_copy(default: Any) -> Any:
    """Return the default for a copy of a function: numba would copy a large array."""
    return slot_of(default) or default if isinstance(default, np.ndarray) else default


def _rebuilt(value: Any, options: Mapping[str, Any], mark: str) -> Any:
    """Return the value that a name has in the copy of a function."""
    if isinstance(value, FunctionToCompile):
        return _helper(value, options, mark)
    if isinstance(value, tuple):
        return tuple(_rebuilt(item, options, mark) for item in value)
    if isinstance(value, CapturedModule):
        module = ModuleType(value.name)
        for name, attribute in value.attributes.items():
            setattr(module, name, _rebuilt(attribute, options, mark))
        return module
    return value.definition() if isinstance(value, Intrinsic) else value


_helpers: dict[str, Any] = {}
"""The dispatchers of helpers that this process has made, by the digest of their content."""


def _helper(captured: FunctionToCompile, options: Mapping[str, Any], mark: str) -> Any:
    """Return the dispatcher of a helper, an existing one if another function uses the same helper.

    Many functions share helpers: all kernels share those for hash tables, and a heuristic's adapters for boards of
    different shapes share the heuristic.
    """
    items = (captured.options or options).get(ITEMS_OPTION)
    own_options = {**NO_WRAPPERS, "pipeline_class": COMPILERS[items]}
    content = _content(captured, options, ())
    if content is None or captured.dispatcher is not None:
        return _dispatcher(captured, options, mark, own_options)
    known = _helpers.get(content)
    if known is None:
        if len(_helpers) >= MOST_HELPERS:
            _helpers.clear()
        known = _helpers[content] = _dispatcher(captured, options, content[: len(mark)], own_options)
    captured.dispatcher = known
    return known


def _content(value: Any, options: Mapping[str, Any], callers: tuple[FunctionToCompile, ...]) -> str | None:
    """Return a digest of everything that a value's machine code depends on.

    None stands for functions that call each other and for defaults that cannot be hashed: these are not shared.
    """
    if isinstance(value, FunctionToCompile):
        function, options = value.function, value.options or options
        if any(value is caller for caller in callers) or not _is_plain(function.__defaults__ or ()):
            return None
        parts = [*value.names.values(), *value.cells]
        described = repr((function.__qualname__, function.__defaults__, [*value.names], sorted(options.items())))
        described += repr(value.is_inlined)
        described += repr(_code_content(function.__code__))
        content = described.encode()
        callers = (*callers, value)
    elif isinstance(value, CapturedModule):
        parts, content = [*value.attributes.values()], repr((value.name, [*value.attributes])).encode()
    elif isinstance(value, tuple):
        parts, content = [*value], b"tuple"
    elif isinstance(value, Slot):
        parts, content = [], value.name.encode()
    elif isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value)
        parts, content = [], repr((value.dtype.str, value.shape)).encode() + array.tobytes()
    elif isinstance(value, (*PLAIN, Intrinsic)):
        parts, content = [], repr((type(value).__name__, value)).encode()
    else:  # numba's own, NumPy's, an enumeration
        parts, content = [], repr((type(value).__name__, id(value))).encode()
        _identified[id(value)] = value
    digests = [_content(part, options, callers) for part in parts]
    if None in digests:
        return None
    return hashlib.sha256(repr((content, digests)).encode()).hexdigest()


_identified: dict[int, Any] = {}
"""Values that digests identify by address; kept alive, so that nothing else gets that address."""


def _code_content(code: CodeType) -> tuple[Any, ...]:
    constants = [_code_content(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return (code.co_code, constants, names, code.co_flags, code.co_argcount, code.co_filename, code.co_linetable)


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))
