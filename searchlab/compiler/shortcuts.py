"""Skip work of numba that the functions compiled here never need: a third of the time of compiling.

The machine code is the same. All shortcuts work on private parts of numba, so they are used with the versions that they
were tested with: see `numba_private`.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from numba import types
from numba.core import errors, event, ir, typed_passes, untyped_passes
from numba.core.compiler_machinery import PassManager
from numba.extending import overload

from searchlab.compiler.constant_arrays import make_constant_array
from searchlab.compiler.numba_private import (
    BaseFunction,
    PostProcessor,
    TargetContext,
    Type,
    TypingContext,
    VariableLifetime,
    arrayobj,
    global_compiler_lock,
    linalg,
    lowering,
    transforms,
    typeinfer,
    utils,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN_TYPES = (types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.CPointer)
"""Types for which an operator has a single meaning."""
KERNEL_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)
"""numba's steps without those for closures, generators, comprehensions, array expressions and `with`.

The step that marks the end of variables' lives is omitted, too; it serves reference counting.
"""
LOCKS = ("numba:compiler_lock", "numba:llvm_lock")
"""The events that time how long numba's locks are held."""


@contextmanager
def shortcuts() -> Iterator[None]:
    """Let numba take the shortcuts of this module, for a block of code in which nobody else compiles."""
    shorter: tuple[tuple[Any, str, Any], ...] = (
        (BaseFunction, "get_call_type", _get_call_type),
        (PostProcessor, "run", _run),
        (ir.Inst, "_rec_list_vars", _variables),
        (event, "start_event", _start_event),
        (event, "end_event", _end_event),
        (utils, "pysignature", _signature),
        (TargetContext, "refresh", _refresh),
        (TypingContext, "refresh", _refresh_typing),
        (TargetContext, "get_abi_sizeof", _size_of),
        (Type, "__hash__", _hash),
        (typeinfer, "new_error_context", _ErrorContext),
        (lowering, "new_error_context", _ErrorContext),
        (arrayobj, "raise_with_shape_context", has_wrong_shape),
        (TargetContext, "make_constant_array", make_constant_array),
    )
    with global_compiler_lock:
        before = [(owner, name, getattr(owner, name)) for owner, name, _ in shorter]
        _put(shorter)
        try:
            yield
        finally:
            _put(before)
            _hashes.clear()
            _signature.cache_clear()


def _put(attributes: Any) -> None:
    for owner, name, value in attributes:
        setattr(owner, name, value)


def kernel_steps() -> Any:
    """Return the steps of numba for kernels."""
    steps = PassManager("kernel")
    for step in KERNEL_PASSES:
        steps.add_pass(step, step.__name__)
    steps.finalize()
    return steps


def has_wrong_shape(src_shapes: Any, index_shape: Any) -> None:
    """Raise the error of assigning an array of the wrong shape to a part of an array; compiled functions call this.

    numba's own message names both shapes, for which it compiles text formatting into every such function: 4 seconds the
    first time, half a second each other time. Ours is never seen: the function that failed is called again in Python.
    """
    raise NotImplementedError


@overload(has_wrong_shape)  # type: ignore[untyped-decorator]
def _has_wrong_shape(src_shapes: Any, index_shape: Any) -> Any:
    def compiled(src_shapes: Any, index_shape: Any) -> None:
        raise ValueError("cannot assign to a part of an array of another shape")

    return compiled


def without_blas() -> None:
    """Import numba's functions of arrays without the linear algebra of scipy, which takes as long as half of numba.

    numba asks whether there is any. There is: the installation requires scipy. It is imported when a function is
    compiled that multiplies matrices.
    """
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        from searchlab.compiler.numba_private import arraymath
    finally:
        linalg.ensure_blas = ensure_blas
    arraymath.ensure_blas = ensure_blas


_numbas_get_call_type: Any = BaseFunction.get_call_type
_numbas_run: Any = PostProcessor.run
_numbas_refresh, _numbas_refresh_typing = TargetContext.refresh, TypingContext.refresh
_numbas_size_of: Any = TargetContext.get_abi_sizeof
_numbas_start_event, _numbas_end_event = event.start_event, event.end_event


def _get_call_type(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
    # At each operator numba tries all its definitions, NumPy's functions among them: a sixth of the time that a kernel
    # takes to compile. Here it does so once for each operator and types of numbers.
    if kws or type(self) is not types.Function or not all(type(of) in PLAIN_TYPES for of in args):
        return _numbas_get_call_type(self, context, args, kws)
    known = self.__dict__.setdefault("searchlab_known", {})
    key = len(self.templates), args
    if key not in known:
        known[key] = _numbas_get_call_type(self, context, args, kws)
    return known[key]


def _run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    # After each of ten passes numba finds out which variables live where. Only generators ask for it, and what marks
    # where they die.
    if emit_dels or self.func_ir.is_generator:
        _numbas_run(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)  # found out when it is asked for
    self.func_ir.generator_info = None


def _variables(self: Any, value: Any) -> list[Any]:
    # The same as numba's, without a list for each item.
    found: list[Any] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is ir.Var:
            found.append(item)
        elif kind is tuple or kind is list:
            waiting.extend(reversed(item))
        elif kind is dict:
            waiting.extend(reversed(item.values()))
        elif isinstance(item, ir.Inst):
            found.extend(item.list_vars())
    return found


def _start_event(kind: str, data: Any = None) -> None:
    # The lock is taken for each call of LLVM, and each function that is being compiled times it: 80,000 calls.
    if kind not in LOCKS:
        _numbas_start_event(kind, data)


def _end_event(kind: str, data: Any = None, exc_details: Any = None) -> None:
    if kind not in LOCKS:
        _numbas_end_event(kind, data, exc_details)


@cache
def _signature(function: Any) -> Any:
    # Asked for five times a function.
    return inspect.signature(function)


def _refresh(self: Any) -> None:
    # numba looks through all its registries for what was registered since at each call of a library function.
    _once_registered(self, _numbas_refresh)


def _refresh_typing(self: Any) -> None:
    _once_registered(self, _numbas_refresh_typing)


def _once_registered(context: Any, refresh: Any) -> None:
    """Refresh a context if anything was registered since the last time."""
    registries = context._registries  # one for all copies of a context, of which each function gets its own
    if _refreshed.get(id(registries)) != _registered(registries):
        refresh(context)
        _refreshed[id(registries)] = _registered(registries)


_refreshed: dict[int, list[int]] = {}
"""The number of registrations when the registries at an address were last refreshed; numba's registries live on."""


def _registered(registries: Any) -> list[int]:
    return [len(getattr(registry, kind)) for registry, loader in registries.items() for kind in loader.registry_items]


def _size_of(self: Any, of: Any) -> int:
    # numba has LLVM parse a module to learn the size of a type, at each variable and only for a debugger.
    written = str(of)
    known = _sizes.get(written)
    if known is None:
        known = _numbas_size_of(self, of)
        if "%" not in written:  # no name stands for a type
            _sizes[written] = known
    return known


_sizes: dict[str, int] = {}
"""The bytes of LLVM's types, which depend on the processor alone."""


def _hash(self: Any) -> int:
    # A type is immutable; numba asks for hashes 100,000 times, and each is made of those of the type's parts.
    known = _hashes.get(id(self))
    if known is None:
        known = _hashes[id(self)] = hash(self.key), self
    return known[0]


_hashes: dict[int, tuple[int, Any]] = {}
"""Hashes of types by address during compiling; the types are kept alive, so that none gets another's address."""


class _ErrorContext:
    """numba's `new_error_context` without a generator, because it is entered for every statement.

    It adds the code that numba was compiling to an error.
    """

    def __init__(self, text: str, *values: Any, **named: Any) -> None:
        self._said = text, values, named

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if isinstance(error, errors.NumbaError):
            error.add_context(errors._format_msg(*self._said))  # type: ignore[attr-defined]
