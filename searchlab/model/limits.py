"""Limits of a search, the texts in which users write them, and the Progress of a search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from operator import index

from searchlab.errors import UsageError, shown

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}
BYTES = {
    **{"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40},
    **{"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12},
}
LONGEST_YEARS = 100
"""The longest time that can be written, in years: timers of the system end at 292."""
LARGEST = 2**63 - 1
"""The largest limit that kernels and files of results can hold."""


@dataclass(frozen=True)
class Limits:
    """Limits of a search.

    Attributes:
        seconds: wall time; by default unlimited.
        memory: the number of bytes that the search may hold; by default half of the available memory.
        expansions: the number of nodes that the search may expand; by default unlimited.
    """

    seconds: float = inf
    memory: int | None = None
    expansions: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.seconds, int | float):
            raise UsageError(f"a time limit is a number of seconds, not {self.seconds!r}")
        if not self.seconds >= 0:
            raise UsageError(f"a time limit is 0 or more seconds, not {self.seconds}")
        for field, name in (("memory", "memory limit"), ("expansions", "limit of expansions")):
            given = getattr(self, field)
            if given is None:
                continue
            try:
                value = index(given)  # a whole number of NumPy, too
            except TypeError:
                raise UsageError(f"a {name} is a whole number, not {given!r}") from None
            if value < 0:
                raise UsageError(f"a {name} is 0 or more, not {value}")
            if value > LARGEST:
                raise UsageError(f"a {name} is at most 2^63 - 1, not {shown(value)}")
            object.__setattr__(self, field, value)


@dataclass(frozen=True)
class Progress:
    """The progress of a search.

    Attributes:
        phase: "compiling" (the first time on a machine) or "searching".
        seconds: the seconds since the search began.
        expanded: the number of nodes expanded.
        open: the number of nodes on the open list.
        best: the best heuristic value so far, as the heuristic returns it; None before the first.
        bytes: the memory that the search holds.
        states: the number of states to expand, if known (`sl.distances`); some may not be reached.
    """

    phase: str
    seconds: float = 0.0
    expanded: int = 0
    open: int = 0
    best: float | None = None
    bytes: int = 0
    states: int | None = None


def parse_seconds(text: str) -> float:
    """Return the seconds of `500ms`, `10s`, `2m`, `1h`; a bare number is seconds."""
    seconds = _measured(text, SECONDS, "a time", "500ms, 10s or 2m")
    if seconds > LONGEST_YEARS * 365 * 24 * 3600:
        raise UsageError(f"{text!r} is too long: a time is at most {LONGEST_YEARS} years")
    return seconds


def parse_bytes(text: str) -> int:
    """Return the bytes of `200MiB`, `2GiB`, `500MB`; a bare number is bytes."""
    return int(_measured(text, BYTES, "an amount of memory", "200MiB or 2GiB"))


def _measured(text: str, units: dict[str, float] | dict[str, int], what: str, examples: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*", text)
    unit = match.group(2).lower() if match else ""
    amount = float(match.group(1)) * units[unit] if match and unit in units else inf
    if amount == inf:
        raise UsageError(f"{text!r} is not {what}; write for example {examples}")
    return amount
