"""The table of a benchmark: a row a figure, and above it where and when it was measured."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from measuring import COMPILER

if TYPE_CHECKING:
    from measuring import Figures
    from workloads import Goal

COLUMNS = ("workload", "searchlab", "yardstick", "ratio", "quartiles", "target", "met")
WIDTHS = (41, 13, 13, 5, 9, 10, 3)
SUBTITLES = {
    "bytes_a_node": "– bytes a stored node",
    "user": "– time for the same answers",
    "process": "– whole process",
}
"""The titles of a workload's second row and those below, by quantity."""
SECONDS = frozenset({"cpu", "process", "wall", "call"})
"""Quantities that are a time of one figure."""
BUSY = 0.5
"""The load, processes that run on average, from which on a machine is too busy to be measured on."""


@dataclass(frozen=True)
class Style:
    """How a row of the table is written: for people, or as Markdown."""

    markdown: bool = False

    def head(self) -> list[str]:
        """Return the lines above the first row."""
        rule = "| --- | ---: | ---: | ---: | ---: | --- | --- |" if self.markdown else "-" * len(self.row(COLUMNS))
        return [self.row(COLUMNS), rule]

    def row(self, cells: tuple[str, ...]) -> str:
        """Return one row; the figures stand to the right."""
        if self.markdown:
            return f"| {' | '.join(cell.strip() for cell in cells)} |"
        aligned = [
            cell.rjust(width) if 1 <= column <= 4 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
        ]
        return " ".join(aligned).rstrip()


def cells(title: str, goal: Goal, ours: list[Figures], yardstick: list[Figures]) -> tuple[str, ...]:
    """Return the cells of a row: medians of both, the ratios of the pairs, the target and whether it is met."""
    own = _median(ours, goal.quantity)
    reference = _median(yardstick, goal.quantity) if yardstick else None
    ratios = ratios_of(goal.quantity, ours, yardstick)
    ratio = median(ratios) if ratios else None
    judged = ratio if goal.by_ratio else own
    met = goal.met(judged) if judged is not None else None
    return (
        title,
        _shown(goal.quantity, own, _median(ours, "system")),
        "" if reference is None else _shown(goal.quantity, reference, _median(yardstick, "system")),
        "" if ratio is None else f"{ratio:.2f}",
        "" if len(ratios) < 2 else "{0:.2f}–{2:.2f}".format(*quantiles(ratios, method="inclusive")),
        _target(goal),
        {True: "yes", False: "NO", None: ""}[met],
    )


def ratios_of(quantity: str, ours: list[Figures], yardstick: list[Figures]) -> list[float]:
    """Return the ratio of each pair; none where there is no yardstick or it took no time that can be told."""
    pairs = [(getattr(one, quantity), getattr(other, quantity)) for one, other in zip(ours, yardstick, strict=False)]
    return [float(own / reference) for own, reference in pairs if reference]


def load() -> float:
    """Return how many processes ran on average in the last minute, 0 where the system does not say."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0


def told_load(before: float, after: float) -> list[str]:
    """Return the lines that say how busy the machine was, with a warning where it had other things to do."""
    lines = [f"load {before:.2f} at the start, {after:.2f} at the end"]
    if before > BUSY or after > (os.cpu_count() or 1) + BUSY:
        lines.append("WARNING: the machine had other work to do; do not compare these figures with others")
    return lines


def machine() -> list[str]:
    """Return the lines that say where, with what and when it was measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("searchlab", "numba", "numpy"))
    return [
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"{_caches()}; {_memory()}",
        f"Python {platform.python_version()}, {versions}, {_compiler()}",
        date.today().isoformat(),
    ]


def legend(runs: int) -> list[str]:
    """Return the lines below the table."""
    times = "a single pair" if runs == 1 else f"medians of at most {runs} pairs in alternating order"
    return [
        f"{times}; ratio = searchlab / yardstick, pair by pair, with its quartiles",
        "times are CPU of the search alone: user +system, or one figure for both; M/s: nodes a CPU second;",
        "ns: CPU time a node expanded; cold: an empty cache, against g++ compiling one file;",
        "on two cores, in two threads, by two workers, runs: wall time, the yardstick being one core, search, worker",
    ]


def _median(runs: list[Figures], quantity: str) -> float:
    return float(median(getattr(figures, quantity) for figures in runs))


def _shown(quantity: str, value: float, system: float) -> str:
    if quantity == "user":
        return f"{value:.2f} +{system:.2f} s"
    if quantity in SECONDS:
        return _duration(value)
    if quantity == "bytes_a_node":
        return f"{value:.1f} B"
    if quantity == "ns_a_node":
        return f"{value:.0f} ns"
    if quantity == "run_rate":
        return f"{value:,.0f} /s"
    return f"{value:.3g} M/s" if value >= 1 else f"{1000 * value:.3g} k/s"


def _target(goal: Goal) -> str:
    sign, bound = ("<=", goal.at_most) if goal.at_most is not None else (">=", goal.at_least)
    if bound is None:
        return ""
    if goal.by_ratio:
        return f"{sign} {bound:.2f}"
    if goal.quantity in SECONDS:
        return f"{sign} {_duration(bound)}"
    unit = {"bytes_a_node": "B", "ns_a_node": "ns", "run_rate": "/s"}.get(goal.quantity, "M/s")
    return f"{sign} {bound:g} {unit}"


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


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
