"""Machine code in memory: linked by LLVM without numba, called by numba's convention.

Loading numba takes longer than a small search. A function from the cache does not need it: its object code is linked
here, and called with its arguments behind two pointers, to the return value and to the exception. Code that allocates
memory, or calls other functions of numba's runtime, needs two modules of numba, which are loaded alone; only code that
uses Python objects (it prints, or raises an exception with run-time values) needs all of numba.
"""

from __future__ import annotations

import ctypes
import json
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import llvmlite.binding as llvm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FREES_ARRAYS = "NRT_MemInfo_call_dtor"
"""The function called for the last reference to a numba array, which code without numba's runtime cannot create."""
SUCCESS = 0
PYTHON_ERROR = -1


class Environment(NamedTuple):
    """The Python objects that some code uses.

    Attributes:
        symbol: the symbol of the pointer to them.
        module: the module of their globals.
        constants: the objects.
    """

    symbol: str
    module: str
    constants: list[str | int | float | bool | None]


class ObjectCode(NamedTuple):
    """A compiled function in the form in which it is kept.

    Attributes:
        name: the symbol.
        content: an object file.
        external: the external symbols it needs.
        environments: the Python objects it uses.
    """

    name: str
    content: bytes
    external: list[str]
    environments: list[Environment]

    def to_bytes(self) -> bytes:
        """Return it as it is written to a file: a line of JSON, and the object file."""
        objects = [environment._asdict() for environment in self.environments]
        return json.dumps([self.name, self.external, objects]).encode() + b"\n" + self.content

    @classmethod
    def from_bytes(cls, written: bytes) -> ObjectCode:
        """Return the object code from bytes made by `to_bytes`."""
        described, _, content = written.partition(b"\n")
        name, external, objects = json.loads(described)
        return cls(name, content, external, [Environment(**each) for each in objects])


class MachineCode(NamedTuple):
    """A compiled function in memory.

    Attributes:
        address: of the function, in numba's own calling convention, which passes on exceptions.
        kept: objects that keep the code alive.
        arrays: large arrays that it reads; whoever calls it keeps them.
        params: the values of a plugin function's number parameters.
        tables: the values of its array parameters, as bytes.
    """

    address: int
    kept: tuple[Any, ...]
    arrays: tuple[NDArray[Any], ...] = ()
    params: NDArray[np.float64] | None = None
    tables: NDArray[np.uint8] | None = None

    def row(self) -> tuple[int, int, int]:
        """Return the row with which kernels call a plugin's function: the addresses of code, params and tables."""
        assert self.params is not None
        assert self.tables is not None
        return self.address, self.params.ctypes.data, self.tables.ctypes.data

    def key(self) -> tuple[int, bytes, bytes]:
        """Return a key that no other function in this process has: the address and the values of the parameters."""
        assert self.params is not None
        assert self.tables is not None
        return self.address, self.params.tobytes(), self.tables.tobytes()


class CompiledKernel:
    """A function in memory that takes integers, including addresses, and returns one.

    Args:
        code: the function.
        arguments: the number of its arguments.
    """

    def __init__(self, code: MachineCode, arguments: int) -> None:
        self._code = code  # with the arrays it reads
        self._function = _type_of_function(arguments)(code.address)

    def __call__(self, *arguments: int) -> int:
        """Call the function without Python's lock; its exceptions are raised."""
        returned, raised = ctypes.c_int64(), ctypes.c_void_p()
        status = self._function(ctypes.byref(returned), ctypes.byref(raised), *arguments)
        if status != SUCCESS:
            raise _exception(status, raised.value)
        return returned.value


@cache
def _type_of_function(arguments: int) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *arguments * [ctypes.c_int64])


class _Raised(ctypes.Structure):
    """The exception of numba's code; see `CPUCallConv` in numba's `callconv`."""

    _fields_ = (
        ("pickled", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("hashed_or_values", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("values", ctypes.c_int32),
    )


def _exception(status: int, address: int | None) -> BaseException:
    """Return the exception that stopped a function."""
    if status <= PYTHON_ERROR or not address:
        return SystemError(f"compiled code ended with status {status}")
    from searchlab.compiler import numba_private

    raised = _Raised.from_address(address)
    content = ctypes.string_at(raised.pickled, raised.size)
    try:
        if raised.values > 0:
            unwrap = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(raised.unwrap)
            found = numba_private.runtime_build_excinfo_struct(content, unwrap(raised.hashed_or_values))
        else:
            found = numba_private.loads(content)
    except ImportError as error:
        return SystemError(f"compiled code raised an exception, and {error} to read it")
    kind, values, _ = found
    exception: BaseException = kind(*(values or ()))
    return exception


def load(code: ObjectCode) -> MachineCode | None:
    """Link a compiled function into this process; None if it needs what this process does not have."""
    _initialise()
    if not code.environments and not _are_known(code.external):
        _start_runtime()
    if code.environments or not _are_known(code.external):
        start_numba()
        if not _are_known(code.external):
            return None
    # An engine of its own: two functions that define the same name do not get into each other's way.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    environments = tuple(_set_environment(engine, environment) for environment in code.environments)
    return MachineCode(engine.get_function_address(code.name), (engine, environments))


def _are_known(symbols: list[str]) -> bool:
    return all(llvm.address_of_symbol(symbol) is not None for symbol in symbols)


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    if llvm.address_of_symbol(FREES_ARRAYS) is None:
        # Named in the code of functions that are given arrays, which are never the last reference.
        abort = ctypes.cast(ctypes.pythonapi.Py_FatalError, ctypes.c_void_p).value
        llvm.add_symbol(FREES_ARRAYS, abort)


def _target() -> Any:
    return llvm.Target.from_default_triple().create_target_machine(jit=True)


@cache
def _start_runtime() -> None:
    """Make the functions of numba's runtime known, if this version of numba has their modules."""
    from searchlab.compiler.numba_private import runtime_functions

    with suppress(ImportError, AttributeError):
        for name, address in runtime_functions().items():
            llvm.add_symbol(name, address)


@cache
def start_numba() -> None:
    """Import numba, and make its runtime known; its compiler takes far longer to load."""
    from searchlab.compiler.numba_private import cpu_target, rtsys

    rtsys.initialize(cpu_target.target_context)


def _set_environment(engine: Any, environment: Environment) -> Any:
    """Set the address of the Python objects that code uses; return what keeps them alive."""
    from searchlab.compiler.numba_private import _rebuild_env

    objects = _rebuild_env(environment.module, environment.constants, environment.symbol)
    pointer = ctypes.c_void_p.from_address(engine.get_global_value_address(environment.symbol))
    pointer.value = id(objects)
    return objects


@cache
def processor() -> tuple[str, str, str]:
    """Return the system, and the name and features of the processor, on which machine code depends."""
    _initialise()
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return llvm.get_default_triple(), llvm.get_host_cpu_name(), features
