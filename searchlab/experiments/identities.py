"""The identities of runs as arrays: comparing a million texts one by one would take too long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Packed = bytes | bytearray

DIGITS = 32
"""The length of an identity in hexadecimal digits."""
SIZE = DIGITS // 2
"""The length of an identity in bytes."""


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


def unpacked(identities: Packed) -> list[str]:
    """Return identities, given as `packed` returns them, as texts.

    >>> unpacked(packed(["ab" * 16]))
    ['abababababababababababababababab']
    """
    digits = identities.hex()
    return [digits[begin : begin + DIGITS] for begin in range(0, len(digits), DIGITS)]


def as_array(identities: Packed) -> NDArray[np.bytes_]:
    """Return identities, given as `packed` returns them, as an array with an item for each: it can be sorted."""
    import numpy as np

    return np.frombuffer(identities, f"S{SIZE}")


def numbered(identities: Packed) -> NDArray[np.int64]:
    """Return a number from 0 for each identity, equal for equal ones, in the order of first appearance.

    Args:
        identities: as `packed` returns them.

    >>> numbered(packed(["b" * 32, "a" * 32, "b" * 32, "c" * 32])).tolist()
    [0, 1, 0, 2]
    """
    import numpy as np

    each = as_array(identities)
    order = np.argsort(each, kind="stable")  # equal ones stay in their order
    begins = _begins(each[order])
    number = np.empty(int(begins.sum()), np.int64)
    number[np.argsort(order[begins])] = np.arange(len(number))
    found = np.empty(len(order), np.int64)
    found[order] = number[np.cumsum(begins) - 1]
    return found


def _begins(in_order: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Return the positions at which another identity begins."""
    import numpy as np

    begins = np.ones(len(in_order), dtype=bool)
    np.not_equal(in_order[1:], in_order[:-1], out=begins[1:])
    return begins


def are_among(wanted: NDArray[np.bytes_], known: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Return which identities are among others; NumPy's `isin` takes several times as long for texts.

    >>> are_among(as_array(packed(["a" * 32, "c" * 32])), as_array(packed(["b" * 32, "a" * 32]))).tolist()
    [True, False]
    """
    import numpy as np

    return _places(wanted, np.sort(known)) >= 0


def _places(wanted: NDArray[np.bytes_], in_order: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """Return the place of each identity among others in ascending order, -1 if it is missing there."""
    import numpy as np

    found = np.full(len(wanted), -1)
    if len(in_order):
        order = np.argsort(wanted)  # a million searches in order take a fifth of the time
        wanted = wanted[order]
        places = np.minimum(np.searchsorted(in_order, wanted), len(in_order) - 1)
        found[order] = np.where(in_order[places] == wanted, places, -1)
    return found


class RunStatuses(Mapping[str, str]):
    """The status of the last attempt of each recorded run, by identity.

    Args:
        identities: of the records, as `packed` returns them; a run has one for each attempt.
        codes: the number of each record's status among the statuses.
        statuses: the possible statuses.
    """

    def __init__(self, identities: Packed, codes: NDArray[np.int8], statuses: Sequence[str]) -> None:
        import numpy as np

        each = as_array(identities)
        order = np.argsort(each, kind="stable")
        begins = _begins(each[order])
        last = order[np.append(begins[1:], True)[: len(order)]]
        self._identities, self._codes, self._statuses = each[last], codes[last], statuses

    def __len__(self) -> int:
        return len(self._identities)

    def __iter__(self) -> Iterator[str]:
        return iter(unpacked(self._identities.tobytes()))

    def __getitem__(self, identity: str) -> str:
        try:
            code = int(self.codes(packed([identity]))[0])
        except ValueError:
            raise KeyError(identity) from None
        if code < 0:
            raise KeyError(identity)
        return self._statuses[code]

    def codes(self, identities: Packed) -> NDArray[np.int8]:
        """Return the number of each run's status among the statuses, -1 of a run that is not recorded."""
        import numpy as np

        return np.append(self._codes, np.int8(-1))[_places(as_array(identities), self._identities)]

    def left(self, codes: NDArray[np.int8], retry: Collection[str]) -> NDArray[np.bool_]:
        """Return which runs are to be done: those that are not recorded, and those that are done again.

        Args:
            codes: of the runs, as `codes` returns them.
            retry: the statuses of runs that are done again.
        """
        import numpy as np

        return np.isin(codes, [-1, *map(self._statuses.index, retry)])

    def counts(self, codes: NDArray[np.int8]) -> Counter[str]:
        """Return the number of recorded runs with each status that occurs."""
        import numpy as np

        of_each = np.bincount(codes, minlength=len(self._statuses)).tolist()
        return Counter({status: number for status, number in zip(self._statuses, of_each, strict=True) if number})

    def missing(self, others: RunStatuses) -> int:
        """Return the number of other runs that are not among these."""
        return int((self.codes(others._identities.tobytes()) < 0).sum())
