"""Memory that is reserved once and touched only as it is used: growth is free, and only touched bytes count."""

from __future__ import annotations

import mmap
from contextlib import suppress
from itertools import accumulate, repeat
from typing import Any

import numpy as np

NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
HUGE_PAGE = 2**21
SMALL_PAGES = 2**22
"""So much of each array stays on small pages: a short search would pay for a huge page it hardly uses."""


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
