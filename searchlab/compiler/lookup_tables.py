"""Dicts and sets of whole numbers as read-only hash tables, in arrays that compiled code reads.

A table has 2^b places. The hash of a key is linear, `sum(key * multiplier) >> shift`, so that keys that follow each
other, or the places of a grid, have places of their own; other keys get random multipliers, which are tried until the
longest way from a key's place to where it lies is short. What would be empty holds a copy of the first entry: compiled
code only compares keys, along the longest way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Constant = dict[Any, Any] | set[Any] | frozenset[Any]

LARGEST = 2**20
"""The entries that a table may have."""
MOST_TRIES = 40
"""The hashes that are tried for a small table."""
ROOM = 8
"""The places that a table may have for each entry."""
LOOKS_UP = "searchlab_looks_up_"
"""The names of functions that look a key up, before the kind; messages of numba contain them."""
MOST_KEPT = 64
"""The tables that are kept for the next time; when there are more, all are forgotten."""


class NoTable(Exception):
    """A dict or set cannot be a table.

    Attributes:
        what, instead: the rest of the sentence "it uses D, a dict …", and the alternative.
    """

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(what)
        self.what, self.instead = what, instead


@dataclass(frozen=True)
class LookupTable:
    """A dict or set as arrays.

    Attributes:
        keys: the whole numbers of the keys: an array of int64 for each number of a key.
        values: the numbers of the values: an array of int64 or float64 for each; none for a set.
        in_order: those of keys and values in the order of the dict, without copies.
        has_tuples, has_tuple_values: whether keys and values are tuples.
        multipliers: those of the hash, for each number of a key.
        shift: the bits that it is shifted by.
        longest: the places from a key's hash on among which it lies.
    """

    keys: tuple[NDArray[np.int64], ...]
    values: tuple[NDArray[Any], ...]
    in_order: tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]
    has_tuples: bool
    has_tuple_values: bool
    multipliers: tuple[int, ...]
    shift: int
    longest: int

    def function(self, kind: str) -> Callable[..., Any]:
        """Return the function that looks a key up: "item" `(key)`, "has" `(key)`, or "get" `(key, default)`."""
        scope: dict[str, Any] = {"I": np.int64}
        scope.update((f"keys{k}", array) for k, array in enumerate(self.keys))
        scope.update((f"values{k}", array) for k, array in enumerate(self.values))
        exec(self._source(kind), scope)
        made: Callable[..., Any] = scope[f"{LOOKS_UP}{kind}"]
        return made

    def items(self, of: str) -> tuple[str, dict[str, NDArray[Any]]]:
        """Return the source of what goes through "keys", "values" or "items" in order, and the arrays that it names."""
        arrays: dict[str, NDArray[Any]] = {}

        def source(kind: str, columns: tuple[NDArray[Any], ...], is_tuple: bool) -> str:
            named = {f"{{name}}_{kind}{k}": column for k, column in enumerate(columns)}
            arrays.update(named)
            return f"zip({', '.join(named)})" if is_tuple else next(iter(named))

        parts = [
            source(kind, columns, is_tuple)
            for kind, columns, is_tuple in zip(
                ("keys", "values"), self.in_order, (self.has_tuples, self.has_tuple_values), strict=True
            )
            if of in (kind, "items")
        ]
        return (f"zip({', '.join(parts)})" if of == "items" else parts[0]), arrays

    def _source(self, kind: str) -> str:
        numbers, mask = range(len(self.keys)), len(self.keys[0]) - 1
        value = ", ".join(f"values{k}[at]" for k in range(len(self.values)))
        found = "True" if kind == "has" else f"({value},)" if self.has_tuple_values else value
        missing = {"item": "raise KeyError('no such key')", "has": "return False", "get": "return default"}[kind]
        hashed = " + ".join(f"n{k} * {m}" for k, m in enumerate(self.multipliers))
        is_it = " and ".join(f"keys{k}[at] == n{k} and n{k} == k{k}" for k in numbers)
        looks = [f"if {is_it}:", f"    return {found}"]
        if self.longest > 1:
            steps = [*looks, f"at = (at + 1) & {mask}"]
            looks = [f"for _ in range({self.longest}):", *("    " + line for line in steps)]
        lines = [
            f"{''.join(f'k{k}, ' for k in numbers)} = key" if self.has_tuples else "k0 = key",
            *(f"n{k} = I(k{k} & I(-1))" for k in numbers),  # compiles for whole numbers only
            f"at = (({hashed}) >> {self.shift}) & {mask}",
            *looks,
            missing,
        ]
        arguments = "key, default" if kind == "get" else "key"
        return f"def {LOOKS_UP}{kind}({arguments}):\n" + "".join(f"    {line}\n" for line in lines)


_kept: dict[str, LookupTable] = {}


def lookup_table(content: Constant) -> LookupTable:
    """Return a dict or set as a table.

    Raises:
        NoTable: its keys are not whole numbers or tuples of as many, or its values not numbers or tuples of as many.
    """
    if not content:
        raise NoTable("that is empty", "keep nothing between calls: the same board must have the same value each time")
    if len(content) > LARGEST:
        raise NoTable(f"of more than {LARGEST:,} entries", "make it a NumPy array with the key as index")
    written = repr(content)
    known = _kept.get(written)
    if known is None:
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        known = _kept[written] = _made(content)
    return known


def _made(content: Constant) -> LookupTable:
    keys = _columns([*content], "keys", _whole)
    values = _columns([*content.values()], "values", _numbers) if isinstance(content, dict) else []
    multipliers, bits, shift = _hash(np.stack(keys))
    homes = _places(np.stack(keys), multipliers, bits, shift)
    entries, longest = _entries(homes, 2**bits)
    return LookupTable(
        tuple(column[entries] for column in keys),
        tuple(column[entries] for column in values),
        (tuple(keys), tuple(values)),
        isinstance(next(iter(content)), tuple),
        isinstance(content, dict) and isinstance(next(iter(content.values())), tuple),
        multipliers,
        shift,
        longest,
    )


def _columns(items: list[Any], of: str, column: Callable[[Sequence[Any]], NDArray[Any] | None]) -> list[NDArray[Any]]:
    """Return the numbers of keys or values, an array for each of a tuple's numbers."""
    widths = {len(item) if type(item) is tuple else 0 for item in items}
    columns: list[NDArray[Any] | None] = [None]
    if widths == {0}:
        columns = [column(items)]
    elif len(widths) == 1:
        columns = [column(numbers) for numbers in zip(*items, strict=True)]
    found = [one for one in columns if one is not None]
    if len(found) == len(columns) and found:
        return found
    raise NoTable(*_refusal(items, of))


def _refusal(items: list[Any], of: str) -> tuple[str, str]:
    """Return why keys or values are in no table, and what to write instead."""
    if of == "keys":
        return (
            "whose keys are not whole numbers, or tuples of as many",
            "take whole numbers, or a constant for each value",
        )
    if any(isinstance(item, dict) for item in items):
        return "of dicts", "take tuples as keys, {(row, column): …}, and D[row, column] in place of D[row][column]"
    return "whose values are not numbers, or tuples of as many", "give each key a number, or a tuple of numbers"


def _whole(items: Sequence[Any]) -> NDArray[np.int64] | None:
    if not all(isinstance(item, int | np.integer) for item in items):
        return None
    try:
        return np.array([int(item) for item in items], np.int64)
    except OverflowError:
        return None


def _numbers(items: Sequence[Any]) -> NDArray[Any] | None:
    """Return numbers as int64 or, if there are fractions, as float64; None if that would change one."""
    if all(isinstance(item, int | np.int64) for item in items):
        return _whole(items)
    if not all(isinstance(item, int | float | np.int64) for item in items):
        return None
    try:
        exact = all(isinstance(item, float) or float(item) == item for item in items)
    except OverflowError:
        return None
    return np.array([float(item) for item in items]) if exact else None


def _hash(keys: NDArray[np.int64]) -> tuple[tuple[int, ...], int, int]:
    """Return the multipliers, the bits and the shift of a hash for keys, shape (numbers, entries)."""
    count = keys.shape[1]
    fewest = (count - 1).bit_length()
    spans = [int(column.max()) - int(column.min()) + 1 for column in keys]
    grid = tuple(prod(spans[k + 1 :]) for k in range(len(spans)))
    random = Random(count)
    tries = [(grid, bits, 0) for bits in range(fewest, fewest + 4)] if grid[0] < 2**62 else []
    for _ in range(MOST_TRIES if count <= 256 else 3):
        odd = tuple(random.getrandbits(62) * 2 + 1 - 2**62 for _ in spans)
        tries += [(odd, bits, 64 - bits) for bits in range(max(1, fewest), fewest + 4)]
    best, shortest = tries[-1], count + 1
    for multipliers, bits, shift in sorted(tries, key=lambda one: one[1]):
        if 2**bits > max(ROOM * count, 8):
            continue
        homes = _places(keys, multipliers, bits, shift)
        if len(np.unique(homes)) == count:
            return multipliers, bits, shift
        if count <= 256 or bits == fewest + 2:
            _, longest = _entries(homes, 2**bits)
            if longest < shortest:
                best, shortest = (multipliers, bits, shift), longest
    return best


def _places(keys: NDArray[np.int64], multipliers: Sequence[int], bits: int, shift: int) -> NDArray[np.int64]:
    factors = np.array(multipliers, np.int64)[:, None]
    with np.errstate(over="ignore"):
        hashed = (keys * factors).sum(axis=0)
    places: NDArray[np.int64] = (hashed >> shift) & (2**bits - 1)
    return places


def _entries(homes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], int]:
    """Return the number of the entry at each place, and the longest way of an entry from its hash to its place."""
    placed = [-1] * size
    longest = 1
    for entry, home in enumerate(homes.tolist()):
        way = 0
        while placed[(home + way) % size] >= 0:
            way += 1
        placed[(home + way) % size] = entry
        longest = max(longest, way + 1)
    return np.maximum(np.array(placed, np.int64), 0), longest
