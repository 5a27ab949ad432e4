"""The table of a benchmark: a row a figure, and above it where and when it was measured."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from statistics import median, quantiles
from typing import TYPE_CHECKING

from results import is_busy
from workloads import Goal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from measuring import Figures

COLUMNS = ("workload", "searchlab", "yardstick", "ratio", "quartiles", "target", "met")
WIDTHS = (41, 13, 13, 5, 9, 10, 3)
SUBTITLES = {
    "bytes_a_node": "– bytes a stored node",
    "user": "– time for the same answers",
    "whole": "– whole call",
    "process": "– whole process",
}
"""The titles of a workload's second row and those below, by quantity."""
SECONDS = frozenset({"cpu", "whole", "process", "wall", "call"})
"""Quantities that are a time of one figure."""


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


def rows_of(
    title: str, goals: Sequence[Goal], ours: list[Figures], yardstick: list[Figures]
) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a workload's rows: its goals, the whole call if it was measured, and the whole process."""
    shown = {goal.quantity for goal in goals}
    added = [Goal("whole")] if "whole" in ours[0].found and "whole" not in shown else []
    if yardstick and goals[0].quantity != "process":
        added.append(Goal("process"))
    for number, goal in enumerate((*goals, *added)):
        yield cells(SUBTITLES[goal.quantity] if number else title, goal, ours, yardstick)


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
        "" if ratio is None else _ratio(ratio),
        "" if len(ratios) < 2 else "–".join(map(_ratio, quantiles(ratios, method="inclusive")[::2])),
        _target(goal),
        {True: "yes", False: "NO", None: ""}[met],
    )


def ratios_of(quantity: str, ours: list[Figures], yardstick: list[Figures]) -> list[float]:
    """Return the ratio of each pair; none where there is no yardstick or it took no time that can be told."""
    pairs = [(getattr(one, quantity), getattr(other, quantity)) for one, other in zip(ours, yardstick, strict=False)]
    return [float(own / reference) for own, reference in pairs if reference]


def told_load(before: float, after: float) -> list[str]:
    """Return the lines that say how busy the machine was, with a warning where it had other things to do."""
    lines = [f"load {before:.2f} at the start, {after:.2f} at the end"]
    if is_busy(before, after):
        lines.append("WARNING: the machine had other work to do; do not compare these figures with others")
    return lines


def told_machine(where: Mapping[str, str]) -> list[str]:
    """Return the lines that say where, with what and when it was measured."""
    versions = ", ".join(f"{name} {where[name]}" for name in ("numba", "numpy"))
    return [
        f"{where['processor']}, {where['cores']} cores, {where['system']}",
        f"{where['caches']}; {where['memory']}",
        f"Python {where['python']}, searchlab {version('searchlab')}, {versions}, {where['compiler']}",
        date.today().isoformat(),
    ]


def legend(runs: int) -> list[str]:
    """Return the lines below the table."""
    times = "a single pair" if runs == 1 else f"medians of at most {runs} pairs in alternating order"
    return [
        f"{times}; ratio = searchlab / yardstick, pair by pair, with its quartiles",
        "times are CPU of the search alone: user +system, or one figure for both; M/s: nodes a CPU second;",
        "whole call: what sl.solve does around the search included, such as the replay of the solution;",
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


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.01 else f"{ratio:.1g}"


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
