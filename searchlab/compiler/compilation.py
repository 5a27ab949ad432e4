"""Compiling a captured function with numba, and what of the result is kept.

It uses functions of numba that are not public: the version is pinned in pyproject.toml, and the tests of the compiler
test that they do what is needed here.
"""

from __future__ import annotations

import re
import signal
import threading
import warnings
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numba.core import event

from searchlab.compiler.constant_arrays import slots_compiled
from searchlab.compiler.dispatchers import looks_up_addresses, make_dispatcher, make_looked_up
from searchlab.compiler.machine_code import Environment, MachineCode, ObjectCode, start_numba
from searchlab.compiler.shortcuts import shortcuts, without_blas
from searchlab.compiler.whole_numbers import define_whole_numbers
from searchlab.errors.garbage import no_garbage_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.compiler.dependencies import CapturedFunction

SYMBOL = re.compile(r'@"?([\w.$-]+)')
"""A symbol where LLVM's assembly mentions it."""
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
    without_blas()
    start_numba()
    define_whole_numbers()
    dispatcher = make_dispatcher(captured, options, mark)
    with (
        warnings.catch_warnings(),
        _interrupts_deferred(),
        no_garbage_collection(),  # with the millions of objects of the compiler it takes 7 % of its time
        shortcuts(),
        slots_compiled(),
    ):
        warnings.simplefilter("ignore")  # a filter that raises them would change what numba says of the function
        dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    looked_up = make_looked_up(result.library, captured)
    environments = _set_environments(result)
    name = result.fndesc.llvm_func_name
    code = MachineCode(result.library.get_pointer_to_function(name), (result.library, environments, looked_up))
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
    mentioned = Counter(SYMBOL.findall(str(module)))
    used = [one for one in environments if mentioned[one.env_name] != 1]  # 1: it is defined, and that is all
    if not all(isinstance(constant, KEPT) for one in used for constant in one.consts):
        return None
    external = [
        *(one.name for one in module.functions if one.is_declaration and not one.name.startswith("llvm.")),
        *(one.name for one in module.global_variables if one.is_declaration),
    ]
    objects = [Environment(one.env_name, one.globals["__name__"], list(one.consts)) for one in used]
    content = result.library._get_compiled_object()
    return ObjectCode(result.fndesc.llvm_func_name, content, external, objects)


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
