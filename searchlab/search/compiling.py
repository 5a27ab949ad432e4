"""A plugin's plain-Python functions become machine code behind uniform signatures, or it is said why not.

Around each function an adapter is generated that rebuilds what its author was promised: arrays of a *literal*
shape, which lets LLVM unroll loops and drop bounds checks. Numbers travel in a block of float64 `params` and
arrays in a block of bytes `tables`, so that other values need no other code. Bounds are always checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba import types

from searchlab.components import extra_parameters
from searchlab.search.kernels.intrinsics import pointer_to, table_at, trailing_zeros
from searchlab.search.kernels.signatures import ESTIMATE, IS_GOAL, PRIORITY, SUCCESSORS
from searchlab.search.machine_code import MachineCode, is_cached, machine_code
from searchlab.search.reach import CannotCompile, Reach, ReachedFunction, rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.search.packing import Packing

__all__ = ["Callee", "CannotCompile", "compile_kernel", "kernel_is_cached"]

PLUGIN_OPTIONS = {"boundscheck": True, "nogil": True}
KERNEL_OPTIONS = {"boundscheck": False, "nogil": True, "forceinline": True}
ALIGNMENT = 64
EXACT_IN_FLOAT = 2**53

SCOPE: dict[str, Any] = {
    "I": np.int64,
    "U": np.uint64,
    "carray": numba.carray,
    "table_at": table_at,
    "trailing_zeros": trailing_zeros,
}


@dataclass(frozen=True)
class Callee:
    """A compiled plugin function as a kernel calls it.

    Attributes:
        code: its machine code.
        params: the values of its number parameters.
        tables: the values of its array parameters, as bytes.
    """

    code: MachineCode
    params: NDArray[np.float64]
    tables: NDArray[np.uint8]

    def row(self) -> tuple[int, int, int]:
        """Return what a kernel needs: the addresses of code, params and tables."""
        return self.code.address, self.params.ctypes.data, self.tables.ctypes.data

    @classmethod
    def estimate(cls, function: Callable[..., Any], values: Mapping[str, Any], packing: Packing) -> Callee:
        """Compile a heuristic `(tiles, …)` for packed states."""
        arguments = _Arguments(function, values)
        board = f"carray(tiles, ({packing.rows}, {packing.columns}))"
        body = f"{packing.unpacking_source()}    return 1.0 * user({arguments.after(board)})\n"
        return cls._compiled(function, arguments, "params, tables, words, tiles", body, ESTIMATE)

    @classmethod
    def is_goal(
        cls, function: Callable[..., Any], values: Mapping[str, Any], packing: Packing, *, packed: bool
    ) -> Callee:
        """Compile a goal test `(tiles, …)`, or `(words, …)` if it is `packed`."""
        arguments = _Arguments(function, values)
        unpacking = "" if packed else packing.unpacking_source()
        state = (
            f"carray(words, ({packing.words},))" if packed else f"carray(tiles, ({packing.rows}, {packing.columns}))"
        )
        body = f"{unpacking}    return bool(user({arguments.after(state)}))\n"
        return cls._compiled(function, arguments, "params, tables, words, tiles", body, IS_GOAL)

    @classmethod
    def successors(
        cls,
        function: Callable[..., Any],
        values: Mapping[str, Any],
        packing: Packing,
        most: int,
        *,
        packed: bool,
    ) -> Callee:
        """Compile a successor function `(tiles, out, …)`, or `(words, out, …)` if it is `packed`."""
        arrays = {"terminal": f"carray(terminal, ({most},))", "costs": f"carray(costs, ({most},))"}
        arguments = _Arguments(function, values, subjects=2, arrays=arrays)
        if packed:
            state, out = f"carray(words, ({packing.words},))", f"carray(out, ({most}, {packing.words}))"
            body = f"\n    return I(user({arguments.after(f'{state}, {out}')}))\n"
        else:
            shape = f"{packing.rows}, {packing.columns}"
            state, out = f"carray(tiles, ({shape}))", f"carray(out_tiles, ({most}, {shape}))"
            body = (
                f"{packing.unpacking_source()}    count = I(user({arguments.after(f'{state}, {out}')}))\n"
                f"{packing.packing_source()}    return count\n"
            )
        header = "params, tables, words, out, tiles, out_tiles, terminal, costs"
        return cls._compiled(function, arguments, header, body, SUCCESSORS)

    @classmethod
    def priority(cls, function: Callable[..., Any], values: Mapping[str, Any]) -> Callee:
        """Compile a priority function `(g, h, …)`."""
        arguments = _Arguments(function, values, subjects=2)
        body = f"\n    return 1.0 * user({arguments.after('g, h')})\n"
        return cls._compiled(function, arguments, "params, tables, g, h", body, PRIORITY)

    @classmethod
    def _compiled(
        cls, function: Callable[..., Any], arguments: _Arguments, header: str, body: str, signature: Any
    ) -> Callee:
        """Compile the adapter with this header and body around a plugin's function."""
        function = getattr(function, "py_func", function)
        scope = {**SCOPE, **arguments.dtypes, "user": function}
        exec(f"def adapter({header}):{body}", scope)
        reach = Reach()
        name = re.sub(r"\W", "", getattr(function, "__name__", "")) or "function"
        try:
            adapter = reach.function(scope["adapter"])
            reach.feed(PLUGIN_OPTIONS)
            code = machine_code(reach, name, signature, lambda: rebuild(adapter, PLUGIN_OPTIONS))
        except Exception as error:  # numba raises whatever it stumbles over
            raise CannotCompile(f"{name} cannot be compiled: {_reason(error)}") from error
        return cls(code, arguments.params, arguments.tables)


class _Arguments:
    """The source of a function's arguments after its subjects, and the blocks their values travel in."""

    def __init__(
        self,
        function: Callable[..., Any],
        values: Mapping[str, Any],
        subjects: int = 1,
        arrays: Mapping[str, str] | None = None,
    ) -> None:
        self._sources: list[str] = []
        self._numbers: list[float] = []
        self._blocks: list[bytes] = []
        self.dtypes: dict[str, Any] = {}
        for parameter in extra_parameters(function, subjects):
            name = parameter.name
            if arrays and name in arrays:
                self._sources.append(arrays[name])
            else:
                self._sources.append(self._source(name, values.get(name, parameter.default)))

    @property
    def params(self) -> NDArray[np.float64]:
        """The number values."""
        return np.array([*self._numbers, 0.0])

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The array values."""
        return np.frombuffer(b"".join([*self._blocks, bytes(ALIGNMENT)]), np.uint8).copy()

    def after(self, subjects: str) -> str:
        """Return the source of all arguments, the subjects first."""
        return ", ".join([subjects, *self._sources])

    def _source(self, name: str, value: Any) -> str:
        if isinstance(value, np.ndarray):
            offset = sum(map(len, self._blocks))
            content = np.ascontiguousarray(value).tobytes()
            self._blocks.append(content + bytes(-len(content) % ALIGNMENT))
            dtype = value.dtype.name
            self.dtypes[dtype] = value.dtype.type
            return f"carray(table_at(tables, {offset}, {dtype}), {value.shape})"
        if isinstance(value, str) or (isinstance(value, int) and abs(value) > EXACT_IN_FLOAT):
            return repr(value)
        if isinstance(value, bool | int | float | np.number):
            self._numbers.append(float(value))
            at = f"params[{len(self._numbers) - 1}]"
            if isinstance(value, bool):
                return f"({at} != 0.0)"
            return f"I({at})" if isinstance(value, int | np.integer) else at
        msg = f"its parameter {name} is a {type(value).__name__}; compiled code takes numbers, texts and arrays"
        raise CannotCompile(msg)


def compile_kernel(function: Callable[..., Any], signature: Any) -> Callable[..., Any]:
    """Compile one of our own kernels, written in plain Python.

    Args:
        function: its arguments are pointers and integers.
        signature: its types; from Python, pointers are passed as the addresses of arrays.
    """
    reach, entry, types_passed = _entry(function, signature)
    return machine_code(reach, function.__name__, types_passed, lambda: rebuild(entry, KERNEL_OPTIONS)).call


def kernel_is_cached(function: Callable[..., Any], signature: Any) -> bool:
    """Return whether a kernel need not be compiled."""
    reach, _, types_passed = _entry(function, signature)
    return is_cached(reach, function.__name__, types_passed)


def _entry(function: Callable[..., Any], signature: Any) -> tuple[Reach, ReachedFunction, Any]:
    """Return the entry to a kernel that takes addresses where the kernel takes pointers, and its signature."""
    pointers = [isinstance(type_, types.CPointer) for type_ in signature.args]
    names = [f"a{k}" for k in range(len(pointers))]
    passed = [
        f"pointer_to({name}, {type_.dtype})" if pointer else name
        for name, type_, pointer in zip(names, signature.args, pointers, strict=True)
    ]
    scope: dict[str, Any] = {**SCOPE, "kernel": function, "pointer_to": pointer_to}
    scope.update((str(type_.dtype), type_.dtype) for type_ in signature.args if isinstance(type_, types.CPointer))
    exec(f"def entry({', '.join(names)}):\n    return kernel({', '.join(passed)})\n", scope)
    reach = Reach()
    entry = reach.function(scope["entry"])
    reach.feed(KERNEL_OPTIONS)
    arguments = [types.uintp if pointer else t for t, pointer in zip(signature.args, pointers, strict=True)]
    return reach, entry, signature.return_type(*arguments)


def _reason(error: Exception) -> str:
    """Return what a numba error says in one line: the first line of the reason, and where in the source."""
    if isinstance(error, CannotCompile):
        return str(error)
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File "))]
    places = [match for line in lines if (match := re.match(r'File "(.+)", line (\d+)', line))]
    what = next((line for line in said if not line.startswith(("-", "<", "^"))), type(error).__name__)
    user = [place for place in places if not place.group(1).startswith("<")]
    place = f" (line {user[-1].group(2)})" if user else ""
    if "<built-in function mul>)" in what:
        what = "what it returns is not always a number"
    return f"{what.rstrip(':')}{place}"
