"""Operations of compiled code that Python lacks: addresses, and calls of a function by address.

Kernels and adapters use these names. Their definitions for the compiler are in `code_generation`, which needs numba and
is imported only for compiling: a search with cached machine code runs without it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IS_CALLED = "is_called"
"""The attribute of functions that are called, see `called`."""

DEFINITIONS = "searchlab.compiler.code_generation"
F = TypeVar("F", bound="Callable[..., Any]")


def called(function: F) -> F:
    """Let a large function of a kernel be called: its code is not repeated at each of several places.

    Other functions of kernels are inlined wherever they are called, which is fast and takes long to compile.
    """
    setattr(function, IS_CALLED, True)
    return function


@dataclass(frozen=True)
class Intrinsic:
    """An operation that only compiled code can do.

    Attributes:
        name: the name of its definition.
        parameters: the arguments of the definition, if it is a family of intrinsics.
    """

    name: str
    parameters: tuple[str, ...] = ()

    def __call__(self, *arguments: Any) -> Any:
        """Raise: this is for compiled code.

        Raises:
            NotImplementedError: always.
        """
        msg = f"{self.name} works in compiled code only"
        raise NotImplementedError(msg)

    def definition(self) -> Any:
        """Return the definition that numba compiles in its place."""
        found = getattr(import_module(DEFINITIONS), self.name)
        return found(*self.parameters) if self.parameters else found


@cache
def definitions_digest() -> str:
    """Return a hash of all definitions: when one changes, older machine code is not used."""
    name = DEFINITIONS.rpartition(".")[2]
    return hashlib.sha256(Path(__file__).with_name(f"{name}.py").read_bytes()).hexdigest()


address_of: Any = Intrinsic("address_of")
"""`address_of(items, index)`: the address of an item behind a pointer, as an integer."""
pointer_to: Any = Intrinsic("pointer_to")
"""`pointer_to(address, dtype)`: the pointer to items of a dtype at an address."""
record_at: Any = Intrinsic("record_at")
"""`record_at(address, dtype)`: the record of a structured dtype at an address."""
address_of_field: Any = Intrinsic("address_of_field")
"""`address_of_field(record, name)`: the address of a record's field, as an integer."""
table_at: Any = Intrinsic("table_at")
"""`table_at(tables, offset, dtype)`: a pointer to items of a dtype, `offset` bytes into a block of bytes."""
carray: Any = Intrinsic("carray")
"""`carray(pointer, shape)`: an array at a pointer."""
read_only: Any = Intrinsic("read_only")
"""`read_only(array)`: a read-only view of an array; code that writes to it does not compile."""
local_words: Any = Intrinsic("local_words")
"""`local_words(count)`: a pointer to this many int64 on the stack of the function; a fixed number."""
one_bits: Any = Intrinsic("one_bits")
"""`one_bits(value)`: the number of bits of a uint64 that are 1, as an int64."""
trailing_zeros: Any = Intrinsic("trailing_zeros")
"""`trailing_zeros(value)`: the number of trailing zero bits of an int64, 64 for 0."""
leading_zeros: Any = Intrinsic("leading_zeros")
"""`leading_zeros(value)`: the number of leading zero bits of an int64, 64 for 0."""
compare_and_swap: Any = Intrinsic("compare_and_swap")
"""`compare_and_swap(items, index, expected, new)`: write `new` to an item behind a pointer if it is `expected`,
atomically; returns the former item.
"""
let_others_run: Any = Intrinsic("let_others_run")
"""`let_others_run()`: yield the core to a waiting thread, if there is one; for threads that spin."""
given: Any = Intrinsic("given")
"""`given(value)`: the value of an optional type, without a check that it is not None."""
prefetch: Any = Intrinsic("prefetch")
"""`prefetch(items, index)`: tell the processor to fetch an item behind a pointer into its cache."""


DIGITS = 8
"""The most digits of an index of `store_indices`."""


def store_indices(cells: Sequence[Sequence[int]], bits: int, base: int, factor: int = 1, offset: int = 0) -> Any:
    """Return an intrinsic `store(items, index, word)` that writes numbers made of a word's fields, all at once.

    Each number is `factor` × (the sum of its digits, the first times 1, the second times `base`, …) + `offset`. The
    compiler does not detect by itself that several can be computed in one instruction.

    Args:
        cells: for each number the fields that are its digits, at most `DIGITS`, as many for each.
        bits: the bits of a field, 1 to 8.
        base: digits are less.
    """
    described = "/".join(" ".join(map(str, fields)) for fields in cells)
    return Intrinsic("store_indices", (described, str(bits), str(base), str(factor), str(offset)))


def caller(signature: str) -> Any:
    """Return an intrinsic `call(callees, row, arguments)` for functions with a signature.

    `callees` points to a row for each function that a kernel calls: address, params and tables. `arguments` is the
    tuple of arguments after params and tables, with pointers passed as integers. The call uses numba's own convention,
    so that an exception raised in the function ends the kernel and reaches Python.
    """
    return Intrinsic("caller", (signature,))
