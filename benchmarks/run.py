"""Measure searchlab against its yardsticks and print one table: `python benchmarks/run.py`.

Every workload and its yardstick run interleaved (A B A B …), each in a fresh process, after one uncounted run
of searchlab that fills the compile cache. A wrong result is reported and ends the command with exit code 1;
a target that is missed does not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import Failure, Figures, Program, build, measure
from table import Style, cells, legend, machine
from workloads import workloads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from workloads import Workload


def main() -> int:
    """Run the workloads that the command line asks for; return the exit code."""
    asked = arguments()
    chosen = select("quick" if asked.quick else "full", asked.only)
    style = Style(asked.markdown)
    bullet = "- " if asked.markdown else ""
    for line in machine():
        print(bullet + line)
    print()
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder)
        chosen = buildable(chosen, built)
        for line in style.head():
            print(line, flush=True)
        failures = [show(workload, asked.runs, built, style) for workload in chosen]
    print()
    for line in legend(asked.runs):
        print(bullet + line)
    return 1 if any(failures) else 0


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=positive, help="runs of each (default 5, with --quick 1)")
    parser.add_argument("--quick", action="store_true", help="the smaller workloads only, about a minute")
    parser.add_argument("--only", default="", metavar="NAME", help="only workloads whose name contains this")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    asked = parser.parse_args()
    asked.runs = asked.runs or (1 if asked.quick else 5)
    return asked


def positive(text: str) -> int:
    """Return a number of runs; argparse reports the ValueError."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def select(chosen_set: str, part: str) -> list[Workload]:
    """Return the workloads of a set whose name contains a text; exit with their names if there is none."""
    everything = workloads(chosen_set)
    chosen = [workload for workload in everything if part in workload.name]
    if not chosen:
        names = ", ".join(workload.name for workload in everything)
        sys.exit(f"no workload's name contains {part!r}; there are {names}")
    return chosen


def buildable(chosen: list[Workload], folder: Path) -> list[Workload]:
    """Build the C++ programs that workloads need; return the workloads that can be run."""
    needed = {workload.name: workload.yardstick for workload in chosen}
    cpp = {name: program for name, program in needed.items() if program is not None and program.is_cpp}
    missing = build({program.name for program in cpp.values()}, folder)
    if not missing:
        return chosen
    print(f"{missing}: skipped are {', '.join(cpp)}\n")
    return [workload for workload in chosen if workload.name not in cpp]


def show(workload: Workload, runs: int, built: Path, style: Style) -> str:
    """Run a workload and print its rows; return what is wrong with it, an empty text if nothing is."""
    try:
        ours, yardstick = interleaved(workload, runs, built)
    except Failure as failure:
        print(style.row((workload.title, "FAILED", "", "", "", "NO")), flush=True)
        print(f"{workload.name}: {failure}", file=sys.stderr, flush=True)
        return str(failure)
    for number, goal in enumerate(workload.goals):
        title = "– bytes a stored node" if number else workload.title
        print(style.row(cells(title, goal, ours, yardstick)), flush=True)
    return ""


def interleaved(workload: Workload, runs: int, built: Path) -> tuple[list[Figures], list[Figures]]:
    """Return the figures of so many runs of ours and of the yardstick, every result checked.

    The first run is not counted: it fills the compile cache, and where there is a program that checks, it is that.

    Raises:
        Failure: a program failed, or a result is wrong.
    """
    checked(workload.check or workload.searchlab, workload.expected, built)
    ours: list[Figures] = []
    yardstick: list[Figures] = []
    for _ in range(runs):
        ours.append(checked(workload.searchlab, workload.expected, built))
        if workload.yardstick:
            known = {name: value for name, value in workload.expected.items() if name != "optimal"}
            yardstick.append(checked(workload.yardstick, known, built))
    return ours, yardstick


def checked(program: Program, expected: Mapping[str, Any], built: Path) -> Figures:
    """Measure a program and compare what it found with what it has to find."""
    figures = measure(program, built)
    for name, value in expected.items():
        found = figures.found.get(name)
        if found != value:
            raise Failure(f"{program.name} {' '.join(program.arguments)}: {name} is {found}, has to be {value}")
    return figures


if __name__ == "__main__":
    sys.exit(main())
