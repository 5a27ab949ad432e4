"""Compiling a captured function with numba, and what of the result is kept.

It uses functions of numba that are not public: the version is pinned in pyproject.toml, and the tests of the compiler
test that they do what is needed here.
"""

from __future__ import annotations

import gc
import re
import signal
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numba import types
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning
from numba.core.types.functions import BaseFunction

from searchlab.compiler.constant_arrays import slots_compiled
from searchlab.compiler.dispatchers import looks_up_addresses, make_dispatcher
from searchlab.compiler.machine_code import Environment, MachineCode, ObjectCode, start_numba

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.compiler.dependencies import CapturedFunction

PLAIN_TYPES = (types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.CPointer)
"""Types for which an operator has one meaning."""
KEPT = (str, int, float, bool, type(None))
"""The types of Python objects that can be kept beside code that uses them."""


def compile_function(
    captured: CapturedFunction, options: Mapping[str, Any], signature: str, mark: str
) -> tuple[MachineCode, Callable[[], ObjectCode | None]]:
    """Compile a function for a signature.

    Args:
        mark: put before the names of all functions in the machine code: if two pieces of machine code define the same
            name, numba's engine uses the first for both, and numba's own numbering is unique in one process only.

    Returns:
        The function in memory, and a function that returns what is to be kept of it: None if nothing can be.
    """
    start_numba()
    dispatcher = make_dispatcher(captured, options, mark)
    with (
        warnings.catch_warnings(),
        _interrupts_deferred(),
        _no_garbage_collection(),
        _operators_cached(),
        slots_compiled(),
    ):
        warnings.simplefilter("ignore", NumbaWarning)
        dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    environments = _set_environments(result)
    name = result.fndesc.llvm_func_name
    code = MachineCode(result.library.get_pointer_to_function(name), (result.library, environments))
    return code, lambda: _object_code(result, environments)


def _set_environments(result: Any) -> tuple[Any, ...]:
    """Set the addresses of Python objects in the code of all helpers, as numba does when it loads code; return them."""
    environments = tuple(result._find_referenced_environments())
    for environment in environments:
        result.library.codegen.set_env(environment.env_name, environment)
    return environments


def _object_code(result: Any, environments: tuple[Any, ...]) -> ObjectCode | None:
    """Return what can be kept of a compiled function."""
    # Code that contains addresses of this process would crash in another one.
    if result.library.has_dynamic_globals or looks_up_addresses(result.library) or result.lifted:
        return None
    module = result.library._final_module
    text = str(module)
    used = [one for one in environments if _is_used(one.env_name, text)]
    if not all(isinstance(constant, KEPT) for one in used for constant in one.consts):
        return None
    external = [
        *(one.name for one in module.functions if one.is_declaration and not one.name.startswith("llvm.")),
        *(one.name for one in module.global_variables if one.is_declaration),
    ]
    objects = [Environment(one.env_name, one.globals["__name__"], list(one.consts)) for one in used]
    content = result.library._get_compiled_object()
    return ObjectCode(result.fndesc.llvm_func_name, content, external, objects)


def _is_used(symbol: str, text: str) -> bool:
    """Return whether a module that defines a symbol also uses it."""
    return len(re.findall(rf'@"?{re.escape(symbol)}(?![\w.$-])', text)) > 1


@contextmanager
def _operators_cached() -> Iterator[None]:
    # At each operator numba tries all its definitions, NumPy's functions among them: a sixth of the time that a kernel
    # takes to compile. Here it does so once for each operator and types of numbers.
    resolve: Any = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
        if kws or type(self) is not types.Function or not all(type(of) in PLAIN_TYPES for of in args):
            return resolve(self, context, args, kws)
        known = self.__dict__.setdefault("searchlab_known", {})
        key = len(self.templates), args
        if key not in known:
            known[key] = resolve(self, context, args, kws)
        return known[key]

    with global_compiler_lock:
        setattr(BaseFunction, "get_call_type", get_call_type)  # noqa: B010 - to mypy it is no variable
        try:
            yield
        finally:
            setattr(BaseFunction, "get_call_type", resolve)  # noqa: B010


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # With the millions of objects of the compiler, garbage collection takes 7 % of its time.
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    # Ctrl-C ends compilation between two passes. A KeyboardInterrupt inside a pass may be raised in one of the
    # compiler's destructors or callbacks, where it is lost.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending = _PendingInterrupts()
    before = signal.signal(signal.SIGINT, pending.note)
    try:
        with event.install_listener("numba:run_pass", pending):
            yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
    pending.raise_any()


class _PendingInterrupts(event.Listener):  # type: ignore[misc]  # numba has no types
    """Ctrl-C while the main thread compiles: noted when it is pressed, raised when the next pass begins."""

    def __init__(self) -> None:
        self._was_pressed = False

    def note(self, *_: object) -> None:
        self._was_pressed = True

    def raise_any(self) -> None:
        if self._was_pressed:
            raise KeyboardInterrupt

    def on_start(self, event: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            self.raise_any()

    def on_end(self, event: Any) -> None:
        pass
