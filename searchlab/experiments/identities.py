"""The identities of runs as arrays: a million texts are too large to be compared one by one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

DIGITS = 32
"""The length of an identity in hexadecimal digits."""


def packed(identities: Iterable[str]) -> bytes:
    """Return identities as bytes, 16 each.

    Raises:
        ValueError: one of them is no identity.
    """
    texts = list(identities)
    with suppress(ValueError):
        found = bytes.fromhex("".join(texts))
        if {*map(len, texts)} <= {DIGITS} and 2 * len(found) == DIGITS * len(texts):
            return found
    msg = f"an identity has {DIGITS} hexadecimal digits"
    raise ValueError(msg)


def numbered(identities: bytes | bytearray) -> NDArray[np.int64]:
    """Return a number from 0 for each identity, equal for equal ones, in the order of first appearance.

    Args:
        identities: as `packed` returns them.

    >>> numbered(packed(["b" * 32, "a" * 32, "b" * 32, "c" * 32])).tolist()
    [0, 1, 0, 2]
    """
    import numpy as np

    halves = np.frombuffer(identities, np.uint64).reshape(-1, 2).T
    order = np.lexsort(halves)  # stable: equal ones stay in their order
    begins = np.zeros(len(order), dtype=bool)
    begins[:1] = True
    for half in halves:
        half = half[order]
        begins[1:] |= half[1:] != half[:-1]
    number = np.empty(int(begins.sum()), np.int64)
    number[np.argsort(order[begins])] = np.arange(len(number))
    found = np.empty(len(order), np.int64)
    found[order] = number[np.cumsum(begins) - 1]
    return found
