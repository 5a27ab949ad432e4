"""The arrays of a kernel, declared once: memory, addresses and the kernel's arguments follow from the declaration.

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
`s.words` is a pointer to its first item, because arrays would be reference-counted there, which takes half of the
kernel's time. A subclass has the arrays of its bases, and may declare more, or redeclare some. Its own come first: a
kernel receives the first few addresses in registers, which matters (3 % of the instructions of `early_buckets`). An
inherited field that is annotated again, without a value, takes its place among them.

Memory is reserved once and touched only as it is used: growth is free, and only touched bytes count. Short searches
use the same memory one after the other (`SpareArrays`), because getting memory from the system takes longer than such a
search.
"""

from __future__ import annotations

import mmap
from collections import namedtuple
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import get_annotations
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

Pointer = Any
"""A NumPy array in Python, a pointer in a kernel."""
ITEM_TYPES = {int: np.int64, float: np.float64}
LINE = 64
"""The bytes of a cache line of the processor: no two arrays share one."""
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
HUGE_PAGE = 2**21
SMALL_PAGES = 2**22
"""The bytes of each array that stay on small pages: a short search would pay for a huge page it hardly uses."""
MOST_WRITTEN = 2**22
"""Bytes that may have been written in a block that is kept: beyond, the work took far longer than getting another.

To clear this much takes a fraction of the page faults of another block.
"""


class Record:
    """A block of named numbers that Python and a kernel both read and write; subclasses annotate `int` and `float`.

    Attributes:
        dtype: NumPy's for the block.
        block: the numbers, shape (1,).
        words: the same as int64, a word each.
        floating: the same as float64.
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype([])
    _names: ClassVar[frozenset[str]] = frozenset()
    _whole: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        bases = [base.dtype for base in cls.__bases__ if issubclass(base, Record)]
        inherited = list({name: (name, dtype[name]) for dtype in bases for name in dtype.names or ()}.values())
        own = [(name, np.dtype(ITEM_TYPES[kind])) for name, kind in get_annotations(cls, eval_str=True).items()]
        cls.dtype = np.dtype([*inherited, *own])
        for at, (name, dtype) in enumerate([*inherited, *own]):
            setattr(cls, name, _number(at, is_float=dtype == np.float64))

        cls._names = frozenset(cls.dtype.names or ())
        cls._whole = sum(dtype == np.int64 for _, dtype in (*inherited, *own))

    def __init__(self, **values: float) -> None:
        # Twice as fast as an array of the dtype; each field takes a word.
        words = np.zeros(self.dtype.itemsize // 8, np.int64)
        self.block = np.ndarray((1,), self.dtype, words)
        self.words, self.floating = words, words.view(np.float64)
        # A number is read from a view of memory in half the time it takes from an array.
        self._whole_view, self._float_view = words.data, self.floating.data
        self.update(**values)

    def content(self) -> NDArray[np.int64]:
        """Return a copy of the numbers, for `write`."""
        return self.words.copy()

    def write(self, content: NDArray[np.int64]) -> None:
        """Set all fields to those of another record of the same class."""
        self.words[:] = content

    @property
    def whole_numbers(self) -> NDArray[np.int64]:
        """The int64 fields as an array; they have to be declared before all others."""
        return self.words[: self._whole]

    @property
    def floats(self) -> NDArray[np.float64]:
        """The float64 fields as an array; they have to be declared behind all others."""
        return self.floating[self._whole :]

    def update(self, **values: float) -> None:
        """Set the fields named."""
        for name, value in values.items():
            if name not in self._names:
                msg = f"{type(self).__name__} has no field {name}"
                raise AttributeError(msg)
            setattr(self, name, value)


def _number(at: int, *, is_float: bool) -> property:
    """Return a field of records as a property, by its position among the fields."""
    if is_float:

        def get_float(record: Record) -> float:
            number: float = record._float_view[at]
            return number

        def set_float(record: Record, value: float) -> None:
            record.floating[at] = value

        return property(get_float, set_float)

    def get(record: Record) -> int:
        number: int = record._whole_view[at]
        return number

    def set_(record: Record, value: int) -> None:
        record.words[at] = value

    return property(get, set_)


@dataclass(frozen=True)
class Array:
    """The declaration of a field.

    Attributes:
        dtype: the type of the items, or of a record's block.
        shape: names of sizes, and numbers.
        fill: the initial value of the items.
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
        """Return a new array; zeros take memory and time only where they are written."""
        return np.full(shape, self.fill, self.dtype) if self.fill else np.zeros(shape, self.dtype)


class Arrays:
    """Arrays and records by name; a subclass declares them.

    Attributes:
        declared: the declarations, in the order of their addresses in a kernel's arguments.
        pointers: the named tuple of pointers and records in a kernel.
        _memory: the memory of arrays that `allocate` made.
        _places: the addresses in the order of the declaration, computed on demand.
        views: other views of this memory, by name; still valid when the arrays are reused.
    """

    declared: ClassVar[dict[str, Array]] = {}
    pointers: ClassVar[type[tuple[Any, ...]]]
    _memory: Memory | None = None
    _places: tuple[int, ...] = ()

    def __init_subclass__(cls) -> None:
        own = {name: getattr(cls, name) for name in get_annotations(cls)}
        cls.declared = own
        for base in cls.__bases__:
            inherited: dict[str, Array] = getattr(base, "declared", {})
            cls.declared = {
                **cls.declared,
                **{name: array for name, array in inherited.items() if name not in cls.declared},
            }
        cls.pointers = namedtuple(cls.__name__, cls.declared)  # type: ignore[misc]

    def __init__(self, **arrays: Any) -> None:
        assert set(arrays) == set(self.declared), f"{type(self).__name__} is made of {', '.join(self.declared)}"
        vars(self).update(arrays)
        self.views: dict[Any, Arrays] = {}

    def _begin_with(self, given: Mapping[str, Any]) -> None:
        """Use arrays that were kept for other work, with the arrays and records that are given; see `allocate`."""
        mine = vars(self)
        assert self._memory is not None
        for name, item in given.items():
            if isinstance(mine[name], Record):
                mine[name].write(item.words if isinstance(item, Record) else item)
            elif mine[name] is not item:
                mine[name], self._places = item, ()
        for name, _ in self._memory.layout.records:
            mine[name].words.fill(0)
        self._memory.fill()


A = TypeVar("A", bound=Arrays)


def array(dtype: Any, *shape: str | int, fill: float = 0) -> Any:
    """Declare an array of a shape, given by names of sizes and numbers, the longest dimension first."""
    return Array(np.dtype(dtype), shape, fill)


def record(kind: type[Record]) -> Any:
    """Declare a record."""
    return Array(kind.dtype, (), record=kind)


@dataclass(frozen=True, eq=False)
class Layout:
    """The positions of the arrays of a declaration in one block of memory.

    Attributes:
        kind: the declaration.
        arrays: name, shape, dtype, first byte and first value of each array.
        records: names and classes of the records.
        size: the bytes of the block.
        in_use: the bytes at the beginning that arrays of a fixed size take.
        reserved: the names of the other arrays by the name of their first dimension.
        advised: first byte and number of bytes of parts to put on huge pages.
    """

    kind: type[Arrays]
    arrays: tuple[tuple[str, tuple[int, ...], np.dtype[Any], int, float], ...]
    records: tuple[tuple[str, type[Record]], ...]
    size: int
    in_use: int
    reserved: Mapping[str, tuple[str, ...]]
    advised: tuple[tuple[int, int], ...]


class GridRange(NamedTuple):
    """The written part of a grid of a given width: the first rows, from column `first` to before column `last`."""

    rows: int
    width: int
    first: int
    last: int


class Memory:
    """A block of memory with arrays in it.

    Args:
        layout: of the arrays.

    Attributes:
        items: the arrays by name.
        places: their addresses.

    Raises:
        MemoryError: there are not even the addresses for the reserved arrays.
    """

    def __init__(self, layout: Layout) -> None:
        # What is reserved takes a mapping of its own, which is slower to get than a little memory.
        block = _block(layout.size, layout.advised) if layout.reserved else np.zeros(layout.size + LINE, np.uint8)
        first = _address(block)
        shift = -first % LINE
        self.layout = layout
        self.items = {name: np.ndarray(shape, dtype, block, at + shift) for name, shape, dtype, at, _ in layout.arrays}
        self.places = {name: first + at + shift for name, _, _, at, _ in layout.arrays}
        self._in_use = np.ndarray((layout.in_use,), np.uint8, block, shift)
        self._filled = [(self.items[name], fill) for name, _, _, _, fill in layout.arrays if fill]
        self._reserved = {size: [self.items[name] for name in names] for size, names in layout.reserved.items()}
        self._known_grids: dict[str, list[NDArray[Any]]] = {}
        self._item_bytes = {
            size: sum(items.strides[0] for items in of_size) for size, of_size in self._reserved.items()
        }

    def fill(self) -> None:
        """Write the first values that are not 0."""
        for items, fill in self._filled:
            items.fill(fill)

    def clear(self, written: Written, overwritten: Collection[str] = ()) -> None:
        """Make the arrays 0 again: arrays of a fixed size entirely, others as far as they may have been written.

        Args:
            written: as for `SpareArrays.put`, like the next one.
            overwritten: sizes of arrays that stay as they are.
        """
        self._in_use.fill(0)
        for size, arrays in self._reserved.items():
            part = 0 if size in overwritten else written[size]
            if isinstance(part, GridRange):
                for grid in self._grids(size, part.width):
                    grid[: part.rows, part.first : part.last] = 0
            elif part:
                for items in arrays:
                    items[:part] = 0

    def _grids(self, size: str, width: int) -> list[NDArray[Any]]:
        """Return the reserved arrays of a size as grids, always of the same width."""
        if size not in self._known_grids:
            arrays = self._reserved[size]
            self._known_grids[size] = [items.reshape(-1, width, *items.shape[1:]) for items in arrays]
        return self._known_grids[size]

    def written_bytes(self, written: Written) -> int:
        """Return how many bytes `clear` writes."""
        total = self.layout.in_use
        for size, part in written.items():
            items = part.rows * (part.last - part.first) if isinstance(part, GridRange) else part
            total += self._item_bytes[size] * items
        return total


Written = Mapping[str, int | GridRange]


def allocate(
    kind: type[A],
    sizes: Mapping[str, int],
    *,
    reserved: Collection[str] = (),
    small_pages: Collection[str] = (),
    spare: SpareArrays | None = None,
    **given: Any,
) -> A:
    """Return the arrays of a declaration.

    Args:
        kind: the declaration.
        sizes: the sizes by name.
        reserved: names of sizes: arrays with such a first dimension take memory only for written items.
        small_pages: names among these, for arrays that are mostly written and read in order, or hardly used: getting a
            huge page takes longer than it saves. With random access it is the other way round.
        spare: where arrays of this layout may be kept.
        given: existing arrays, and records or their content. The returned records start with these numbers, and are the
            ones that count from then on.

    Raises:
        MemoryError: there is not enough address space for the reserved arrays.
    """
    layout = layout_of(kind, sizes, reserved=reserved, small_pages=small_pages, given=given)
    arrays: A = spare.take(layout, **given) if spare else allocate_as(layout, **given)
    return arrays


def allocate_as(layout: Layout, **given: Any) -> Any:
    """Return arrays of a layout, as `allocate` does for whoever does not keep the layout."""
    memory = Memory(layout)
    memory.fill()
    records = {name: record() for name, record in layout.records}
    for name, item in given.items():
        kind = layout.kind.declared[name].record
        if kind is not None and not isinstance(item, Record):
            records[name] = kind()
            records[name].write(item)
    arrays = layout.kind(**{**given, **records, **memory.items})
    arrays._memory = memory
    return arrays


class SpareArrays:
    """The arrays of work that is over, for the next work with arrays of the same layout.

    There is one set of them. Of two threads that work at once, one gets it and the other gets new arrays.
    """

    def __init__(self) -> None:
        self._spare: list[Arrays] = []

    def put(self, arrays: Arrays, written: Written, overwritten: Collection[str] = ()) -> None:
        """Keep arrays, which must not be used any more, in place of those that were kept.

        They are released instead if much of them was written, or if the addresses of this process are limited.

        Args:
            written: which items of reserved arrays may not be 0, by the name of their first dimension: a number of
                items from the start, or part of a grid.
            overwritten: the first dimensions of arrays that need not be 0: each item is written before it is read.
        """
        memory = arrays._memory
        if memory is None or memory.written_bytes(written) > MOST_WRITTEN or _addresses_are_limited():
            return
        memory.clear(written, overwritten)
        self._spare[:] = [arrays]

    def take(self, layout: Layout, **given: Any) -> Any:
        """Return arrays as `allocate_as` does: those that are kept if they have this layout, else new ones."""
        try:
            kept = self._spare.pop()
        except IndexError:
            return allocate_as(layout, **given)
        assert kept._memory is not None
        if kept._memory.layout is not layout:
            del kept  # before the new ones take more memory
            return allocate_as(layout, **given)
        kept._begin_with(given)
        return kept


def _addresses_are_limited() -> bool:
    if resource is None:
        return False
    soft: int = resource.getrlimit(resource.RLIMIT_AS)[0]
    return soft != resource.RLIM_INFINITY


def layout_of(
    kind: type[Arrays],
    sizes: Mapping[str, int],
    *,
    reserved: Collection[str] = (),
    small_pages: Collection[str] = (),
    given: Collection[str] = (),
) -> Layout:
    """Return the layout for the arrays of a declaration; for the arguments see `allocate`.

    Args:
        given: the names of the arrays and records that are given.
    """
    return _layout(
        kind,  # type: ignore[arg-type]  # mypy takes a class for unhashable
        tuple(sizes.items()),
        tuple(reserved),
        tuple(small_pages),
        tuple(given),
    )


@lru_cache(maxsize=256)
def _layout(
    kind: type[Arrays],
    sizes: tuple[tuple[str, int], ...],
    reserved: tuple[str, ...],
    small_pages: tuple[str, ...],
    given: tuple[str, ...],
) -> Layout:
    """Return the layout for the arrays of a declaration that are not given; the reserved ones are the last."""
    wanted = {name: field for name, field in kind.declared.items() if name not in given and not field.record}
    later = [name for name, field in wanted.items() if field.shape and field.shape[0] in reserved]
    arrays, advised = [], []
    end = in_use = 0
    for name in sorted(wanted, key=later.__contains__):
        field = wanted[name]
        shape = field.sizes(dict(sizes))
        size = max(1, prod(shape)) * field.dtype.itemsize
        alignment = HUGE_PAGE if name in later else LINE
        at = -(-end // alignment) * alignment
        arrays.append((name, shape, field.dtype, at, field.fill))
        end = at + size
        in_use = in_use if name in later else end
        if name in later and field.shape[0] not in small_pages:
            advised += _huge_part(at, size)
    records = tuple((name, field.record) for name, field in kind.declared.items() if field.record and name not in given)
    of_size = {name: wanted[name].shape[0] for name, shape, *_ in arrays if name in later and all(shape)}
    by_size = {size: tuple(name for name in of_size if of_size[name] == size) for size in reserved}
    return Layout(kind, tuple(arrays), records, end, in_use, by_size, tuple(advised))


def _huge_part(at: int, size: int) -> list[tuple[int, int]]:
    """Return the part of an array to put on huge pages, in a list that is empty for a small array."""
    return [(at + SMALL_PAGES, size - SMALL_PAGES)] if size > SMALL_PAGES + HUGE_PAGE else []


def _address(block: Any) -> int:
    return np.frombuffer(block, np.uint8, 1).ctypes.data


def replaced(arrays: A, **others: Any) -> A:
    """Return the same arrays but for some."""
    return type(arrays)(**{name: others.get(name, getattr(arrays, name)) for name in arrays.declared})


def resized(arrays: A, size: str, count: int) -> A:
    """Return arrays in which those with this first dimension are copied to longer ones."""
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
    """Return the addresses of arrays in a kernel's order; the arrays must be kept alive while it runs."""
    if not arrays._places:
        known = arrays._memory.places if arrays._memory else {}
        arrays._places = tuple([known.get(name) or _place(getattr(arrays, name)) for name in arrays.declared])
    return arrays._places


def _place(item: Any) -> int:
    place: int = (item.block if isinstance(item, Record) else item).ctypes.data
    return place


def bytes_per(kind: type[Arrays], size: str, sizes: Mapping[str, int], *, unused: Collection[str] = ()) -> int:
    """Return the bytes that one more item of a size takes in all arrays of that length, except unused ones."""
    known = tuple({**sizes, size: 1}.items()), tuple(unused)
    return _bytes_per(kind, size, *known)  # type: ignore[arg-type]  # as above


@lru_cache(maxsize=256)
def _bytes_per(kind: type[Arrays], size: str, sizes: tuple[tuple[str, int], ...], unused: tuple[str, ...]) -> int:
    return sum(
        field.dtype.itemsize * prod(field.sizes(dict(sizes)))
        for name, field in kind.declared.items()
        if field.shape and field.shape[0] == size and name not in unused
    )


def bytes_of(kind: type[Arrays], sizes: Mapping[str, int], *first: str) -> int:
    """Return the bytes of all arrays of a declaration with one of these first dimensions."""
    fields = (kind.declared[name] for name in _of_sizes(kind, first))
    return sum(field.dtype.itemsize * prod(field.sizes(sizes)) for field in fields)


def nbytes(arrays: Arrays, *sizes: str) -> int:
    """Return the bytes of all arrays with one of these first dimensions."""
    total: int = sum(getattr(arrays, name).nbytes for name in _of_sizes(type(arrays), sizes))
    return total


def _of_sizes(kind: type[Arrays], sizes: Collection[str]) -> Iterator[str]:
    return (name for name, field in kind.declared.items() if field.shape and field.shape[0] in sizes)


def reserve(count: int, dtype: Any) -> Any:
    """Return an array of `count` zeros that takes memory only for written items.

    Raises:
        MemoryError: there is not enough address space.
    """
    size = max(1, count) * np.dtype(dtype).itemsize
    block = _block(size, tuple(_huge_part(0, size)))
    return np.ndarray((max(1, count),), dtype, block)


def _block(size: int, advised: tuple[tuple[int, int], ...]) -> Any:
    """Return memory that is there once it is written to, all zeros; it is given back with the last array in it.

    Args:
        size: bytes.
        advised: first byte and number of bytes of parts that are to be on huge pages.

    Raises:
        MemoryError: not even the addresses are to be had.
    """
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows: NumPy's zeros commit the memory, there is no other way
        return np.zeros(size, np.uint8)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (NO_RESERVE if hasattr(mmap, "MADV_HUGEPAGE") else 0)
    try:
        block = mmap.mmap(-1, -(-size // HUGE_PAGE) * HUGE_PAGE, flags=flags)
    except (OSError, OverflowError, ValueError):
        msg = f"cannot reserve {size} bytes"
        raise MemoryError(msg) from None
    if hasattr(mmap, "MADV_HUGEPAGE"):
        for first, length in advised:
            with suppress(OSError):  # it is advice; where the system has no room for it the array works all the same
                block.madvise(mmap.MADV_HUGEPAGE, first, length)
    return block
