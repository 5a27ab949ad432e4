"""Seeds: how they are listed, and who takes one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from searchlab.binding.names import parse_name
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab.binding.bound import Bound

PARAMETER = "seed"
"""What takes a seed has a parameter of this name."""
LARGEST = 2**63 - 1
MOST = 1_000_000
RANGE = re.compile(r"\s*(\d{1,20})\s*(?:-\s*(\d{1,20})\s*)?")


def listed_seeds(entries: int | str | Iterable[int | str]) -> tuple[int, ...]:
    """Return seeds in the order listed, each once: numbers, and ranges like `"1-20"`, whose ends belong to them.

    >>> listed_seeds([7, "1-3"])
    (7, 1, 2, 3)

    Raises:
        UsageError: something else, a seed that is too large, or more than a million seeds.
    """
    if isinstance(entries, int | str):
        entries = [entries]
    seeds: dict[int, None] = {}
    for entry in entries:
        found = RANGE.fullmatch(str(entry))
        if not found:
            raise UsageError(f"a seed is a whole number, 0 or more, or a range like 1-20, not {entry!r:.40}")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise UsageError(f"the range of seeds {entry!r:.40} ends before it begins")
        if last > LARGEST:
            raise UsageError(f"a seed is at most 2^63 - 1, not {last}")
        if last - first >= MOST - len(seeds):
            raise UsageError(f"{entry!r:.40}: there can be {MOST:,} seeds")
        seeds.update(dict.fromkeys(range(first, last + 1)))
    return tuple(seeds)


def takes_seed(bound: Bound, name: str) -> bool:
    """Return whether a component gets a run's seed: it has such a parameter, and its name does not say another."""
    return PARAMETER in bound.values and PARAMETER not in parse_name(name).parameters
