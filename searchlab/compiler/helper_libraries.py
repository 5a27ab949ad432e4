"""Link helpers into their callers before machine code is made, and extract the code to keep on disk.

numba optimises each function of a call tree, makes machine code of it with two wrappers, then links and optimises it
again as a part of every caller. Here only the function at the top takes that way. Its helpers are linked into it as
they are; only helpers that call no others and need not be inlined are optimised first. So a kernel of thirty functions
compiles in 45 % less time, and the code is as fast. (Optimising no helper at all costs a heuristic that calls functions
that loop over the tiles 7 % of its speed.)
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from searchlab.compiler.machine_code import Environment, ObjectCode
from searchlab.compiler.numba_private import JITCodeLibrary, RuntimeLinker

if TYPE_CHECKING:
    from collections.abc import Iterable

SYMBOL = re.compile(r'@"?([\w.$-]+)')
"""A symbol in LLVM's assembly."""
KEPT = (str, int, float, bool, type(None))
"""The types of Python objects that can be kept beside code that uses them."""


class HelperLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a helper, which is linked into its callers and compiled with them.

    Functions that call each other are an exception: they look each other up at run time, so they need addresses.

    Args:
        codegen, name: as for numba.
        is_inlined: whether callers always inline it, so that optimising it alone would be wasted.
    """

    def __init__(self, codegen: Any, name: str, *, is_inlined: bool) -> None:
        super().__init__(codegen, name)
        self._is_inlined = is_inlined

    @property
    def codegen(self) -> Any:
        """The code generator, which sets addresses in machine code; without machine code it sets nothing."""
        return self._codegen if looks_up_addresses(self) else _NoMachineCode

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function; 0, "not here", if no machine code is made."""
        self._ensure_finalized()
        return super().get_pointer_to_function(name) if looks_up_addresses(self) else 0

    def _optimize_final_module(self) -> None:
        calls_helpers = any(isinstance(library, HelperLibrary) for library in self._linking_libraries)
        if looks_up_addresses(self) or not (self._is_inlined or calls_helpers):
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if looks_up_addresses(self):
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._finalized = True

    def make_machine_code(self) -> None:
        """Make machine code, so that numba finds the addresses of its functions."""
        super()._optimize_final_module()
        super()._finalize_final_module()


def looks_up_addresses(library: JITCodeLibrary) -> bool:
    """Return whether the code of a library looks up, at run time, functions that call each other."""
    return bool(_looked_up(library))


def _looked_up(library: JITCodeLibrary) -> set[str]:
    names = (variable.name for variable in library._final_module.global_variables)
    return {name.removeprefix(RuntimeLinker.PREFIX) for name in names if name.startswith(RuntimeLinker.PREFIX)}


class _NoMachineCode:
    """Replaces numba's code generator for a helper; `cache` sets the addresses when all helpers are linked."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Set nothing."""


def make_looked_up(library: JITCodeLibrary, dispatchers: Iterable[Any]) -> list[JITCodeLibrary]:
    """Make machine code of the helpers that a library's code looks up; returns their libraries, to be kept alive.

    A function that calls itself is compiled once for a constant among its arguments, as in `depth(row, 0)`, and once
    for any number. The former looks up the latter.
    """
    names, made = _looked_up(library), []
    for dispatcher in dispatchers if names else ():
        for compiled in dispatcher.overloads.values():
            helper = compiled.library
            if compiled.fndesc.llvm_func_name in names and isinstance(helper, HelperLibrary):
                if not looks_up_addresses(helper):
                    helper.make_machine_code()
                    helper._codegen.set_env(compiled.environment.env_name, compiled.environment)
                made.append(helper)
    return made


def set_environments(result: Any) -> tuple[Any, ...]:
    """Set the addresses of Python objects in the code of all helpers, as numba does when it loads code; return them."""
    environments = tuple(result._find_referenced_environments())
    for environment in environments:
        result.library.codegen.set_env(environment.env_name, environment)
    return environments


def object_code(result: Any, environments: tuple[Any, ...]) -> ObjectCode | None:
    """Return the object code to keep of a compiled function, or None."""
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
