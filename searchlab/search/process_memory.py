"""The memory of processes: what one occupies, and what it may still take."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path


def available_memory() -> int:
    """Return the bytes of memory this process may still take; a container's limit counts."""
    amounts = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                amounts.append(int(line.split()[1]) * 1024)
    except (OSError, ValueError):
        pass
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            amounts.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    if not amounts and hasattr(os, "sysconf"):
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return max(0, min(amounts, default=4 * 2**30))


def resident_bytes(process: int = 0) -> int:
    """Return the bytes of memory a process occupies, by default this one; 0 where that is not known."""
    try:
        if process and process != os.getpid():
            content = Path(f"/proc/{process}/statm").read_bytes()
        else:
            content = os.pread(_own_statm(os.getpid()), 128, 0)
        return int(content.split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


@lru_cache(maxsize=1)
def _own_statm(process: int) -> int:
    """Return the open file that says what this process occupies; opening it costs a short search more than reading."""
    return os.open(f"/proc/{process}/statm", os.O_RDONLY)
