"""Measurements kept as files: a JSON object with the time, the version, the machine, its load, and every figure.

Such a file has `format`, `time`, `version`, `commit` (with a + where files had been changed since), `machine`, `load`
before and after, `is_busy`, `pairs`, and `rows`. A row has `name`, `title`, its `goals`, and of each run of `searchlab`
and of the `yardstick` what `measuring.Figures` holds; or `failure`.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import COMPILER, HERE, Figures
from workloads import Goal

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 1
FOLDER = HERE / "results"
BUSY = 0.5
"""The load, processes that run on average, from which on a machine is too busy to be measured on."""


def machine() -> dict[str, str]:
    """Return where and with what is measured."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "caches": _caches(),
        "memory": _memory(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numba", "numpy")},
        "compiler": _compiler(),
    }


def load() -> float:
    """Return how many processes ran on average in the last minute, 0 where the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0


def is_busy(before: float, after: float) -> bool:
    """Return whether a machine with these loads had other things to do than to be measured on."""
    return before > BUSY or after > (os.cpu_count() or 1) + BUSY


def row(name: str, title: str, goals: Iterable[Goal], ours: list[Figures], yardstick: list[Figures]) -> dict[str, Any]:
    """Return a row as files hold it."""
    figures = {"searchlab": [*map(asdict, ours)], "yardstick": [*map(asdict, yardstick)]}
    return {"name": name, "title": title, "goals": [*map(asdict, goals)], **figures}


def record(rows: list[dict[str, Any]], where: dict[str, str], loads: tuple[float, float], pairs: int) -> dict[str, Any]:
    """Return a measurement as files hold it."""
    return {
        "format": FORMAT,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version("searchlab"),
        "commit": _commit(),
        "machine": where,
        "load": list(loads),
        "is_busy": is_busy(*loads),
        "pairs": pairs,
        "rows": rows,
    }


def write(measured: dict[str, Any], file: Path) -> None:
    """Write a measurement to a file, which is replaced."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def file_name(measured: dict[str, Any]) -> str:
    """Return the name that the file of a measurement has in FOLDER: its time and commit."""
    return f"{measured['time'][:19].replace(':', '')}-{measured['commit'].rstrip('+')}.json"


def read(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the measurements in files, in the order of their times.

    Raises:
        ValueError: a file is none of a measurement.
    """
    found = []
    for file in files:
        measured = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(measured, dict) or measured.get("format") != FORMAT:
            msg = f"{file} is no measurement of format {FORMAT}"
            raise ValueError(msg)
        found.append(measured)
    return sorted(found, key=lambda measured: str(measured["time"]))


def figures_of(kept: dict[str, Any]) -> tuple[list[Goal], list[Figures], list[Figures]]:
    """Return the goals of a row in a file, and the figures of the runs of both sides."""
    ours, yardstick = ([Figures(**run) for run in kept[side]] for side in ("searchlab", "yardstick"))
    return [Goal(**goal) for goal in kept["goals"]], ours, yardstick


def _commit() -> str:
    """Return the commit that is measured, with a + if code of it was changed since; `unknown` without git."""
    git = ["git", "-C", str(HERE.parent)]
    measured = ("searchlab", "plugins", "benchmarks", ":!benchmarks/README.md", ":!benchmarks/results")
    try:
        said = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", *measured], capture_output=True).returncode
    except OSError:
        return "unknown"
    return f"{said}{'+' * bool(changed)}" if said else "unknown"


def _processor() -> str:
    """Return what the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def _caches() -> str:
    """Return the sizes of the caches of the first processor."""
    found = []
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((index / name).read_text(encoding="utf-8").strip() for name in ("level", "type", "size"))
        found.append(f"L{level}{'' if kind == 'Unified' else kind[0].lower()} {size}")
    return f"caches {', '.join(found)}" if found else "caches unknown"


def _memory() -> str:
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return "memory unknown"
    return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GiB of memory"


def _compiler() -> str:
    try:
        said = subprocess.run([COMPILER[0], "-dumpfullversion"], capture_output=True, text=True).stdout
    except OSError:
        return f"no {COMPILER[0]}"
    return " ".join((COMPILER[0], said.strip(), *COMPILER[1:]))
