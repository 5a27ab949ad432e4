"""The private parts of numba. No other module imports any, which a test checks.

Most of them serve the *shortcuts*: compiling in half the time, and machine code that is kept on disk. The shortcuts are
used with the versions of numba that they were tested with. With any other version functions are compiled by plain
numba: the results are the same, and each process compiles the functions it needs.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

TESTED = ("0.68",)
"""The minor versions of numba that the shortcuts were tested with."""
PLAIN_VARIABLE = "SEARCHLAB_PLAIN_NUMBA"
"""The environment variable that switches the shortcuts off, unless it is empty."""
PARTS = {
    "BaseFunction": "numba.core.types.functions",
    "JITCodeLibrary": "numba.core.codegen",
    "PostProcessor": "numba.core.postproc",
    "RuntimeLinker": "numba.core.codegen",
    "TargetContext": "numba.core.base:BaseContext",
    "Type": "numba.core.types.abstract",
    "TypingContext": "numba.core.typing.context:BaseContext",
    "VariableLifetime": "numba.core.postproc",
    "_rebuild_env": "numba.core.lowering",
    "arraymath": "numba.np.arraymath:",
    "arrayobj": "numba.np.arrayobj:",
    "cpu_target": "numba.core.registry",
    "do_minmax": "numba.cpython.builtins",
    "global_compiler_lock": "numba.core.compiler_lock",
    "linalg": "numba.np.linalg:",
    "loads": "numba.core.serialize",
    "lowering": "numba.core.lowering:",
    "rtsys": "numba.core.runtime",
    "runtime_build_excinfo_struct": "numba.core.serialize",
    "transforms": "numba.core.transforms:",
    "typeinfer": "numba.core.typeinfer:",
    "utils": "numba.core.utils:",
}
"""The names that the shortcuts need, with their modules: `module:name` for another name, `module:` for a module."""
EXTENSIONS = {"NRT_": "numba.core.runtime._nrt_python", "numba_": "numba._helperlib"}
"""The extension modules with the functions that machine code calls, by the prefix of their symbols.

Those of the first allocate and free memory. Names with an underscore have no prefix.
"""


def __getattr__(name: str) -> Any:
    """Import a part when it is first used: some take longer to import than a small search."""
    if name not in PARTS:
        raise AttributeError(name)
    module, colon, other = PARTS[name].partition(":")
    try:
        found = import_module(module)
        part = globals()[name] = found if colon and not other else getattr(found, other or name)
    except (ImportError, AttributeError):
        raise ImportError(f"this version of numba has no {module}.{other or name}") from None
    return part


_missing = ""
"""The error of importing the names that the shortcuts need."""


def do_without_shortcuts(missing: str) -> None:
    """Compile by plain numba from now on, because the shortcuts cannot be imported."""
    global _missing
    _missing = missing


def uses_shortcuts() -> bool:
    """Return whether functions are compiled with the shortcuts."""
    return not why_plain()


def why_plain() -> str:
    """Return why functions are compiled by plain numba, `""` if they are compiled with the shortcuts."""
    return _missing or _not_tested()


@cache
def _not_tested() -> str:
    if os.environ.get(PLAIN_VARIABLE):
        return f"{PLAIN_VARIABLE} is set"
    from searchlab.files.distributions import installed_version

    version = installed_version("numba")
    if ".".join(version.split(".")[:2]) not in TESTED:
        return f"the shortcuts were tested with numba {' and '.join(TESTED)}, not with {version}"
    return ""


def runtime_functions() -> dict[str, int]:
    """Return the addresses of the functions of numba's runtime, by their symbols.

    Their modules need no other part of numba, and are loaded without any: importing numba takes longer than a small
    search. If numba is imported later, it finds the modules among the loaded ones.

    Raises:
        ImportError: this version of numba has no such module.
    """
    found: dict[str, int] = {}
    for prefix, name in EXTENSIONS.items():
        module: Any = sys.modules.get(name) or _extension(name)
        functions: dict[str, int] = module.c_helpers
        found |= {key if key.startswith("_") else prefix + key: address for key, address in functions.items()}
    return found


def _extension(name: str) -> Any:
    """Load an extension module without the packages that it is in."""
    package, *folders, _ = name.split(".")
    found = find_spec(package)
    places = [str(Path(place, *folders)) for place in (found and found.submodule_search_locations) or ()]
    # PathFinder looks for a file with the last part of the name; the loader needs the whole name.
    spec = PathFinder.find_spec(name, places)
    if spec is None or spec.loader is None:
        raise ImportError(f"this version of numba has no {name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return sys.modules.setdefault(name, module)


def function_address(compiled: Any) -> int:
    """Return the address of a function that numba has compiled, in numba's own calling convention."""
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


def definitions(function: Any) -> Any:
    """Return the assigned value of each variable of a function in numba's form."""
    return function._definitions
