"""Compile a captured function with numba, and extract the result to keep."""

from __future__ import annotations

import signal
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numba.core import event

from searchlab.compiler.dispatchers import dispatchers_of, make_dispatcher
from searchlab.compiler.machine_code import MachineCode, ObjectCode, start_numba
from searchlab.compiler.numba_private import do_without_shortcuts, function_address, uses_shortcuts
from searchlab.compiler.whole_numbers import define_whole_numbers
from searchlab.errors.garbage import no_garbage_collection
from searchlab.errors.interrupts import note_ctrl_c

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.compiler.dependencies import FunctionToCompile


def compile_function(
    captured: FunctionToCompile, options: Mapping[str, Any], signature: str, mark: str
) -> tuple[MachineCode, Callable[[], ObjectCode | None]]:
    """Compile a function for a signature.

    Args:
        mark: a prefix for the names of all functions in the machine code. If two pieces of machine code define the same
            name, numba's engine uses the first for both, and numba's own numbering is unique in one process only.

    Returns:
        the function in memory, and a function that returns the object code to keep, or None if it cannot be kept.
    """
    with warnings.catch_warnings(), _interrupts_deferred(), no_garbage_collection():  # collecting takes 7 % of the time
        warnings.simplefilter("ignore")  # a filter that raises them would change what numba says of the function
        if uses_shortcuts():
            try:
                from searchlab.compiler import helper_libraries, shortcuts  # noqa: F401 - all parts of numba they need
            except (ImportError, AttributeError) as error:
                do_without_shortcuts(str(error))
        return (_compiled_with_shortcuts if uses_shortcuts() else _compiled_plainly)(captured, options, signature, mark)


def _compiled_plainly(
    captured: FunctionToCompile, options: Mapping[str, Any], signature: str, mark: str
) -> tuple[MachineCode, Callable[[], ObjectCode | None]]:
    define_whole_numbers()
    dispatcher = make_dispatcher(captured, options, mark)
    dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    return MachineCode(function_address(result), (dispatcher, *dispatchers_of(captured))), lambda: None


def _compiled_with_shortcuts(
    captured: FunctionToCompile, options: Mapping[str, Any], signature: str, mark: str
) -> tuple[MachineCode, Callable[[], ObjectCode | None]]:
    from searchlab.compiler.helper_libraries import make_looked_up, object_code, set_environments
    from searchlab.compiler.shortcuts import shortcuts, without_blas

    without_blas()
    start_numba()
    define_whole_numbers()
    dispatcher = make_dispatcher(captured, options, mark)
    with shortcuts():
        dispatcher.compile(signature)
    (result,) = dispatcher.overloads.values()
    looked_up = make_looked_up(result.library, dispatchers_of(captured))
    environments = set_environments(result)
    kept = result.library, environments, looked_up
    return MachineCode(function_address(result), kept), lambda: object_code(result, environments)


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
        note_ctrl_c()
        self._was_pressed = True

    def raise_any(self) -> None:
        if self._was_pressed:
            raise KeyboardInterrupt

    def on_start(self, event: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            self.raise_any()

    def on_end(self, event: Any) -> None:
        pass
