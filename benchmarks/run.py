"""Measure searchlab against its yardsticks and print one table: `python benchmarks/run.py`.

Every workload and its yardstick run in pairs, whose order alternates (A B, B A, A B, …), each in a fresh process, after
one uncounted run of searchlab that fills the compile cache. A wrong result and a row that is skipped are reported and
end the command with exit code 1; a target that is missed does not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import Failure, Figures, Program, build, measure
from results import FOLDER, file_name, load, machine, record, row, write
from table import Style, legend, rows_of, told_load, told_machine
from workloads import Between, workloads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from workloads import Workload


def main() -> int:
    """Run the workloads that the command line asks for; return the exit code."""
    asked = arguments()
    chosen = select("quick" if asked.quick else "large" if asked.large else "full", asked.only)
    style = Style(asked.markdown)
    bullet = "- " if asked.markdown else ""
    where, before = machine(), load()
    for line in told_machine(where):
        print(bullet + line)
    print()
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder)
        can_run = buildable(chosen, built)
        for line in style.head():
            print(line, flush=True)
        seconds = 60 * asked.budget / max(1, len(can_run))
        rows = [show(workload, asked.pairs, seconds, built, style) for workload in can_run]
    print()
    after = load()
    for line in (*legend(asked.pairs), *told_load(before, after)):
        print(bullet + line)
    measured = record(rows, where, (before, after), asked.pairs)
    for file in [asked.json] * bool(asked.json) + [FOLDER / file_name(measured)] * asked.keep:
        write(measured, file)
    return 1 if len(can_run) < len(chosen) or any("failure" in row for row in rows) else 0


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", "--runs", type=positive, help="runs of each side (default 5, with --quick 1)")
    parser.add_argument("--budget", type=float, default=inf, metavar="MINUTES", help="fewer pairs, to keep to it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every figure of every run")
    parser.add_argument("--keep", action="store_true", help="the same in a file of benchmarks/results/")
    parser.add_argument("--quick", action="store_true", help="the smaller workloads only, about a minute")
    parser.add_argument("--large", action="store_true", help="only the rows of 10^8 nodes, which take 4 GiB")
    parser.add_argument(
        "--only", default="", metavar="NAMES", help="only workloads whose name contains one of these texts, by commas"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    asked = parser.parse_args()
    asked.pairs = asked.pairs or (1 if asked.quick else 5)
    return asked


def positive(text: str) -> int:
    """Return a number of runs; argparse reports the ValueError."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def select(chosen_set: str, part: str) -> list[Workload]:
    """Return the workloads of a set whose name contains one of the texts between commas; exit where none does."""
    everything = workloads(chosen_set)
    chosen = [workload for workload in everything if any(text in workload.name for text in part.split(","))]
    if not chosen:
        names = ", ".join(workload.name for workload in everything)
        sys.exit(f"no workload's name contains {part!r}; there are {names}")
    return chosen


def buildable(chosen: list[Workload], folder: Path) -> list[Workload]:
    """Build the C++ programs that workloads need; return the workloads that can be run."""
    programs = {workload.yardstick for workload in chosen if workload.yardstick}
    compiled = {program for program in programs if program.needs_compiler}
    no_compiler = build({program.name for program in compiled if program.is_cpp}, folder) if compiled else ""
    lacking = {program: no_compiler for program in compiled if no_compiler}
    for program in programs:
        if program.needs and find_spec(program.needs) is None:
            lacking[program] = f"{program.needs} is not installed (pip install -e '.[benchmarks]')"
    for reason in dict.fromkeys(lacking.values()):
        skipped = [work.name for work in chosen if work.yardstick and lacking.get(work.yardstick) == reason]
        print(f"{reason}: skipped are {', '.join(skipped)}, and the command fails\n")
    return [workload for workload in chosen if workload.yardstick not in lacking]


def show(workload: Workload, pairs: int, seconds: float, built: Path, style: Style) -> dict[str, Any]:
    """Run a workload and print its rows; return its figures for a file, or what is wrong with it."""
    try:
        ours, yardstick = interleaved(workload, pairs, seconds, built)
    except Failure as failure:
        print(style.row((workload.title, "FAILED", "", "", "", "", "NO")), flush=True)
        print(f"{workload.name}: {failure}", file=sys.stderr, flush=True)
        return {"name": workload.name, "failure": str(failure)}
    for cells in rows_of(workload.title, workload.goals, ours, yardstick):
        print(style.row(cells), flush=True)
    return row(workload.name, workload.title, workload.goals, ours, yardstick)


def interleaved(workload: Workload, pairs: int, seconds: float, built: Path) -> tuple[list[Figures], list[Figures]]:
    """Run this many pairs, or as many as there is time for, at least one; return the figures, each result checked.

    The first run is not counted: it fills the compile cache, and where there is a program that checks, it is that.

    Raises:
        Failure: a program failed, or a result is wrong.
    """
    if workload.prepare:
        measure(workload.prepare, built)
    of_ours = {**workload.expected, **workload.expected_of_ours}
    checked(workload.check or workload.searchlab, workload.expected, built)
    ours: list[Figures] = []
    yardstick: list[Figures] = []
    sides = [(workload.searchlab, of_ours, ours)]
    if workload.yardstick:
        sides.append((workload.yardstick, {**workload.expected, **workload.expected_of_yardstick}, yardstick))
    began = time.monotonic()
    for pair in range(pairs):
        if pair and (time.monotonic() - began) * (pair + 1) / pair > seconds:
            break
        for program, expected, figures in sides[:: -1 if pair % 2 else 1]:
            figures.append(checked(program, expected, built))
    return ours, yardstick


def checked(program: Program, expected: Mapping[str, Any], built: Path) -> Figures:
    """Measure a program and compare what it found with what it has to find."""
    figures = measure(program, built)
    for name, value in expected.items():
        found = figures.found.get(name)
        if found != value and not (isinstance(value, Between) and found is not None and found in value):
            raise Failure(f"{program.name} {' '.join(program.arguments)}: {name} is {found}, has to be {value}")
    return figures


if __name__ == "__main__":
    sys.exit(main())
