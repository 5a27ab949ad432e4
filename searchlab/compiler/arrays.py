"""The arrays a kernel works on, declared once: memory, addresses and the kernel's arguments follow from it.

`array` gives each field of a declaration a dtype and a shape in names, `record` a block of named numbers:

    class Control(Record):
        last: int

    class Stack(Arrays):
        words: Pointer = array(np.uint64, "entries", "width")
        control: Control = record(Control)

    stack = allocate(Stack, {"entries": 100, "width": 2})
    kernel = compile_kernel(push, Stack)               # def push(s: Stack, budget: int) -> int
    kernel(*addresses(stack), 10)

Python and the kernel use the same names. In Python `stack.words` is a NumPy array of shape (100, 2); in the kernel
`s.words` is a pointer to its first item, because arrays would be reference-counted there, at half the kernel's time.
A subclass has the arrays of its base, and declares more, or some of them anew. Its own come first: a kernel is given
the first few addresses in registers, which matters (3 % of the instructions of `early_buckets`). An inherited one that
is annotated again, without a value, takes its place among them.

Their memory is reserved once and touched only as it is used: growth is free, and only touched bytes count.
"""

from __future__ import annotations

import mmap
from collections import namedtuple
from contextlib import suppress
from dataclasses import dataclass, replace
from inspect import get_annotations
from itertools import accumulate, repeat
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from numpy.typing import NDArray

Pointer = Any
"""A NumPy array in Python, a pointer in a kernel."""
ITEM_TYPES = {int: np.int64, float: np.float64}
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
HUGE_PAGE = 2**21
SMALL_PAGES = 2**22
"""So much of each array stays on small pages: a short search would pay for a huge page it hardly uses."""


class Record:
    """A block of named numbers that Python and a kernel both read and write; subclasses annotate `int` and `float`.

    Attributes:
        dtype: NumPy's for the block.
        block: the numbers, shape (1,).
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype([])

    def __init_subclass__(cls) -> None:
        inherited = [(name, cls.dtype[name]) for name in cls.dtype.names or ()]
        own = [(name, np.dtype(ITEM_TYPES[kind])) for name, kind in get_annotations(cls, eval_str=True).items()]
        cls.dtype = np.dtype([*inherited, *own])
        for at, (name, dtype) in enumerate([*inherited, *own]):
            setattr(cls, name, _Number(at, dtype == np.float64))

    def __init__(self, **values: float) -> None:
        self.block = np.zeros(1, self.dtype)
        self._whole = sum(self.dtype[name] == np.int64 for name in self.dtype.names or ())
        self._views = self.block.view(np.int64), self.block.view(np.float64)
        self.update(**values)

    @property
    def whole_numbers(self) -> NDArray[np.int64]:
        """The int64 fields as an array; they have to be declared before all others."""
        return self._views[0][: self._whole]

    @property
    def floats(self) -> NDArray[np.float64]:
        """The float64 fields as an array; they have to be declared behind all others."""
        return self._views[1][self._whole :]

    def update(self, **values: float) -> None:
        """Set the fields named."""
        for name, value in values.items():
            if name not in (self.dtype.names or ()):
                msg = f"{type(self).__name__} has no field {name}"
                raise AttributeError(msg)
            setattr(self, name, value)


class _Number:
    """A field of a record as an attribute: of all records alike, by its place among the fields."""

    def __init__(self, at: int, is_float: bool) -> None:
        self._at, self._view = at, int(is_float)

    def __get__(self, record: Record, _: type[Record]) -> float:
        number: float = record._views[self._view].item(self._at)
        return number

    def __set__(self, record: Record, value: float) -> None:
        record._views[self._view][self._at] = value


@dataclass(frozen=True)
class Array:
    """How a field is declared.

    Attributes:
        dtype: of the items, or of a record's block.
        shape: names of sizes, and numbers.
        fill: what the items are at first.
        record: the class of a record.
    """

    dtype: np.dtype[Any]
    shape: tuple[str | int, ...]
    fill: float = 0
    record: type[Record] | None = None

    def sizes(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape in numbers."""
        return tuple(sizes[size] if isinstance(size, str) else size for size in self.shape)

    def filled(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return a new array; one of zeros takes memory, and time, only where it is written."""
        return np.full(shape, self.fill, self.dtype) if self.fill else np.zeros(shape, self.dtype)


class Arrays:
    """Arrays and records by name; a subclass declares them.

    Attributes:
        declared: how, in the order in which a kernel takes their addresses.
        pointers: the named tuple of pointers and records that they are in a kernel.
    """

    declared: ClassVar[dict[str, Array]] = {}
    pointers: ClassVar[type[tuple[Any, ...]]]

    def __init_subclass__(cls) -> None:
        own = {name: getattr(cls, name) for name in get_annotations(cls)}
        cls.declared = {**own, **{name: array for name, array in cls.declared.items() if name not in own}}
        cls.pointers = namedtuple(cls.__name__, cls.declared)  # type: ignore[misc]

    def __init__(self, **arrays: Any) -> None:
        assert set(arrays) == set(self.declared), f"{type(self).__name__} is made of {', '.join(self.declared)}"
        vars(self).update(arrays)


A = TypeVar("A", bound=Arrays)


def array(dtype: Any, *shape: str | int, fill: float = 0) -> Any:
    """Declare an array of a shape, given by names of sizes and numbers, the longest dimension first."""
    return Array(np.dtype(dtype), shape, fill)


def record(kind: type[Record]) -> Any:
    """Declare a record."""
    return Array(kind.dtype, (), record=kind)


def allocate(
    kind: type[A],
    sizes: Mapping[str, int],
    *,
    reserved: Collection[str] = (),
    small_pages: bool = False,
    **given: Any,
) -> A:
    """Return the arrays of a declaration.

    Args:
        kind: the declaration.
        sizes: the sizes by name.
        reserved: names of sizes: arrays whose first dimension is one of these take memory only where they are written.
        small_pages: the reserved ones are mostly written and read in order: a huge page takes longer to get than what
            it saves. Where items are touched at random it is the other way round.
        given: arrays and records that are there already.

    Raises:
        MemoryError: there are not even the addresses for the reserved ones.
    """
    wanted = {name: field for name, field in kind.declared.items() if name not in given}
    later = {name: field for name, field in wanted.items() if field.shape and field.shape[0] in reserved}
    wanted_later = ((prod(field.sizes(sizes)), field.dtype) for field in later.values())
    blocks = reserve_together(*wanted_later, sparse=small_pages) if later else ()
    for (name, field), block in zip(later.items(), blocks, strict=True):
        given[name] = block[: prod(field.sizes(sizes))].reshape(field.sizes(sizes))
    for name, field in wanted.items():
        if field.record:
            given[name] = field.record()
        elif name not in later:
            given[name] = field.filled(field.sizes(sizes))
    return kind(**given)


def replaced(arrays: A, **others: Any) -> A:
    """Return the same arrays but for some."""
    return type(arrays)(**{**vars(arrays), **others})


def resized(arrays: A, size: str, count: int) -> A:
    """Return arrays of which those whose first dimension is this size are copied to longer ones."""
    longer: dict[str, Any] = {}
    for name in _of_sizes(type(arrays), (size,)):
        old, field = getattr(arrays, name), arrays.declared[name]
        longer[name] = field.filled((count, *old.shape[1:]))
        longer[name][: len(old)] = old
    return replaced(arrays, **longer)


def with_dtypes(kind: type[A], **dtypes: Any) -> type[A]:
    """Return a declaration that differs in the dtypes of some arrays."""
    changed = {name: replace(kind.declared[name], dtype=np.dtype(dtype)) for name, dtype in dtypes.items()}
    return type(kind.__name__, (kind,), {"__annotations__": dict.fromkeys(kind.declared, Pointer), **changed})


def addresses(arrays: Arrays) -> tuple[int, ...]:
    """Return where the arrays begin, as a kernel takes them; they must be kept while it runs."""
    items = (getattr(arrays, name) for name in arrays.declared)
    return tuple((item.block if isinstance(item, Record) else item).ctypes.data for item in items)


def bytes_per(kind: type[Arrays], size: str, sizes: Mapping[str, int], *, unused: Collection[str] = ()) -> int:
    """Return the bytes that one more of a size takes in all arrays of that length, but for those not used."""
    return sum(
        field.dtype.itemsize * prod(field.sizes({**sizes, size: 1}))
        for name, field in kind.declared.items()
        if field.shape and field.shape[0] == size and name not in unused
    )


def nbytes(arrays: Arrays, *sizes: str) -> int:
    """Return the bytes of all arrays whose first dimension is one of these."""
    total: int = sum(getattr(arrays, name).nbytes for name in _of_sizes(type(arrays), sizes))
    return total


def _of_sizes(kind: type[Arrays], sizes: Collection[str]) -> Iterator[str]:
    return (name for name, field in kind.declared.items() if field.shape and field.shape[0] in sizes)


def reserve(count: int, dtype: Any, *, sparse: bool = False) -> Any:
    """Return an array of `count` zeros that takes memory only where it is written.

    Args:
        sparse: it will be written here and there, not from the front on: huge pages would be wasted on it.

    Raises:
        MemoryError: not even the addresses are to be had.
    """
    (array,) = reserve_together((count, dtype), sparse=sparse)
    return array


def reserve_together(*wanted: tuple[int, Any], sparse: bool = False) -> tuple[Any, ...]:
    """Return arrays as `reserve` does, a count and a dtype each, in one block: a short search waits for each block.

    The memory is given back when none of them is left.
    """
    counts = [max(1, count) for count, _ in wanted]
    dtypes = [np.dtype(dtype) for _, dtype in wanted]
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows: NumPy's zeros commit the memory, there is no other way
        return tuple(map(np.zeros, counts, dtypes))
    sizes = [count * dtype.itemsize for count, dtype in zip(counts, dtypes, strict=True)]
    firsts = list(accumulate((-(-size // HUGE_PAGE) * HUGE_PAGE for size in sizes), initial=0))
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (NO_RESERVE if hasattr(mmap, "MADV_HUGEPAGE") else 0)
    try:
        block = mmap.mmap(-1, firsts[-1], flags=flags)
    except (OSError, OverflowError, ValueError):
        msg = f"cannot reserve {sum(sizes)} bytes"
        raise MemoryError(msg) from None
    for first, size in zip(firsts, sizes, strict=False):
        if hasattr(mmap, "MADV_HUGEPAGE") and not sparse and size > SMALL_PAGES + HUGE_PAGE:
            with suppress(OSError):  # it is advice; where the system has no room for it the array works all the same
                block.madvise(mmap.MADV_HUGEPAGE, first + SMALL_PAGES, size - SMALL_PAGES)
    return tuple(map(np.frombuffer, repeat(block), dtypes, counts, firsts))
