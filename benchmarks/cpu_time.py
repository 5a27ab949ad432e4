"""The CPU seconds that a part of a program takes."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def cpu_seconds() -> Iterator[dict[str, float]]:
    """Yield where the `user` and `system` CPU seconds of this process stand once the block is left."""
    took: dict[str, float] = {}
    before = resource.getrusage(resource.RUSAGE_SELF)
    yield took
    after = resource.getrusage(resource.RUSAGE_SELF)
    took.update(user=after.ru_utime - before.ru_utime, system=after.ru_stime - before.ru_stime)
