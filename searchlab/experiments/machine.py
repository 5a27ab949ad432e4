"""The machine that does the runs: its properties, its load, and a separate processor for each worker."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.files import file_error
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    import pandas as pd

CPUINFO = Path("/proc/cpuinfo")
MODEL = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
PROCESSOR = re.compile(r"^processor\s*:\s*(\d+)$.*?^cpu MHz\s*:\s*([\d.]+)$", re.MULTILINE | re.DOTALL)
SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
MEASURED_EVERY = 1.0
"""Seconds between two measurements of load and clock: on a machine with many processors one takes milliseconds."""
MOST_NAMED = 4
"""The most machines that a remark names."""
CANNOT_PIN = "--pin: this system cannot bind a process to a processor; leave it out"


def processor() -> str:
    """Return the model of the processor, if the system names it."""
    if sys.platform == "linux":
        with suppress(OSError):
            if found := MODEL.search(CPUINFO.read_text(encoding="utf-8", errors="replace")):
                return " ".join(found[1].split())
    elif sys.platform == "darwin":
        with suppress(OSError, subprocess.SubprocessError):
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            return subprocess.run(command, capture_output=True, text=True, check=True, timeout=5).stdout.strip()
    return platform.processor() or platform.machine()


class Gauge:
    """The load and the clock of the machine, measured at most once a second."""

    def __init__(self) -> None:
        self._measured: tuple[float | None, float | None] = (None, None)
        self._at = float("-inf")

    def read(self) -> tuple[float | None, float | None]:
        """Return the load of the last minute and the clock in MHz, each None if the system does not tell it.

        The load is the mean number of processes that run or wait for a processor. The clock is that of the fastest of
        the processors that this process may use.
        """
        now = time.monotonic()
        if now - self._at >= MEASURED_EVERY:
            self._measured, self._at = (_load(), _clock()), now
        return self._measured


def _load() -> float | None:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):
        return None


def _clock() -> float | None:
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        usable = os.sched_getaffinity(0)
        content = CPUINFO.read_text(encoding="utf-8", errors="replace")
        return max(
            (float(clock) for number, clock in PROCESSOR.findall(content) if int(number) in usable), default=None
        )
    return None


def can_pin() -> bool:
    """Return whether the system can bind a process to a processor."""
    return hasattr(os, "sched_setaffinity")


def pin() -> IO[bytes]:
    """Bind this process, and those that it starts, to a processor that no other worker is bound to.

    Processors that share a core with one that is in use are taken last.

    Returns:
        a file whose lock keeps the processor until the file is closed or the process ends, however it ends.

    Raises:
        UsageError: the system cannot, or each processor that the process may use is taken.
    """
    if not can_pin():
        raise UsageError(CANNOT_PIN)
    import fcntl

    folder = Path(tempfile.gettempdir()) / f"searchlab-processors-{os.getuid()}"
    usable = sorted(os.sched_getaffinity(0), key=lambda number: (_place_in_core(number), number))
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        for number in usable:
            file = (folder / str(number)).open("ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                continue
            os.sched_setaffinity(0, {number})
            return file
    except OSError as error:
        raise file_error(folder, error) from None
    raise UsageError(
        f"--pin: each worker needs its own processor, and all {len(usable)} usable processors are taken: "
        "use fewer --workers, or wait for the other experiment"
    )


def _place_in_core(number: int) -> int:
    """Return the place of a processor in its core, 0 for the first."""
    try:
        listed = Path(SIBLINGS.format(number)).read_text(encoding="ascii")
        numbers = sorted(int(found) for found in re.findall(r"\d+", listed))
        return numbers.index(number) if "-" not in listed else number - numbers[0]
    except (OSError, ValueError):
        return 0


def different_machines(results: pd.DataFrame) -> list[str]:
    """Return a line if the times of runs come from different machines, else nothing.

    Args:
        results: runs, with the columns `host` and `machine`; without these nothing is known.
    """
    if not {"host", "machine"} <= {*results.columns}:
        return []
    counts = results["host"].value_counts()
    counts = counts[counts > 0]  # a category may have none
    if len(counts) < 2:
        return []
    firsts = results.drop_duplicates("host")
    described = dict(zip(firsts["host"], firsts["machine"].astype("string").fillna(""), strict=True))
    named = [
        f"{host} ({', '.join([counted(int(count), 'run'), *filter(None, [described[host]])])})"
        for host, count in counts.head(MOST_NAMED).items()
    ]
    listed = "; ".join([*named, "…"] if len(counts) > len(named) else named)
    return [f"times come from {len(counts)} machines and cannot be compared between them: {listed}"]
