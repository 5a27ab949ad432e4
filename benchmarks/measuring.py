"""Measuring: a program in a fresh process, what it took and what it found; and building the yardstick."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
MOST_SECONDS = 600
COMPILER = ("g++", "-O3", "-march=native")
FOLDER, EMPTY_FOLDER = "{folder}", "{empty folder}"
# What `searchlab` prints for people.
PRINTED = {
    "moves": r"(?:solved in|game over after) ([\d,]+) moves",
    "score": r"moves, score ([\d,]+)",
    "solved": r"all done: solved ([\d,]+)",
    "runs": r"\n([\d,]+) runs: ",
    "usage": r"Usage: (\w+)",
    "move": r"\A(up|down|left|right)\n",
    "value": r"left-weighted +([\d,]+)",
}


class Failure(Exception):
    """A program did not end well, or what it found is wrong."""


@dataclass(frozen=True)
class Program:
    """A program to be measured.

    Attributes:
        name: `searchlab` (its command line), `python`, a Python file of this folder, `g++` (with the flags that the
            yardsticks are compiled with), or a C++ program in `yardstick/`.
        arguments: its command line, in which FOLDER stands for the folder with what was prepared, and EMPTY_FOLDER for
            one that is made for each run.
        cold: whether searchlab's cache of machine code is empty.
        exit_code: with which it ends.
        needs: a module that has to be installed.
    """

    name: str
    arguments: tuple[str, ...] = ()
    cold: bool = False
    exit_code: int = 0
    needs: str = ""

    @property
    def is_cpp(self) -> bool:
        """Whether it has to be built first."""
        return self.name not in ("searchlab", "python", COMPILER[0]) and not self.name.endswith(".py")

    @property
    def needs_compiler(self) -> bool:
        """Whether it cannot be run without a C++ compiler."""
        return self.is_cpp or self.name == COMPILER[0]

    def command(self, built: Path) -> list[str]:
        """Return how it is started, the C++ programs being built in a folder."""
        arguments = [argument.replace(FOLDER, str(built)) for argument in self.arguments]
        if self.is_cpp:
            return [str(built / self.name), *arguments]
        if self.name == COMPILER[0]:
            return [*COMPILER, *arguments]
        program = {"searchlab": ["-m", "searchlab"], "python": []}.get(self.name, [str(HERE / self.name)])
        return [sys.executable, *program, *arguments]


@dataclass(frozen=True)
class Figures:
    """What one run of a program took and found.

    Attributes:
        user, system: CPU seconds; of the search alone where the program says so itself, else of its process.
        process: CPU seconds, user and system, of its whole process.
        found: the other figures it printed: `moves`, `states`, `generated`, …
    """

    user: float
    system: float
    process: float
    found: Mapping[str, Any]

    @property
    def cpu(self) -> float:
        """CPU seconds, user and system."""
        return self.user + self.system

    @property
    def whole(self) -> float:
        """CPU seconds of whole calls: what is around the search included. Of a plain program it is the search."""
        return float(self.found.get("whole", self.cpu))

    @property
    def wall(self) -> float:
        """Wall time of the search, or of all searches at once."""
        return float(self.found["wall"])

    @property
    def expanded_rate(self) -> float:
        """Nodes expanded a CPU second, in millions."""
        return self._rate("expanded", self.cpu)

    @property
    def generated_rate(self) -> float:
        """Nodes generated a CPU second, in millions."""
        return self._rate("generated", self.cpu)

    @property
    def tried_rate(self) -> float:
        """Moves tried a CPU second while looking ahead, in millions."""
        return self._rate("tried", self.cpu)

    @property
    def learned_rate(self) -> float:
        """Moves learned from a second of user time, in millions: the first touch of memory is not counted."""
        return self._rate("learned", self.user)

    @property
    def played_rate(self) -> float:
        """Moves played a CPU second, in millions."""
        return self._rate("played", self.cpu)

    @property
    def run_rate(self) -> float:
        """Runs of an experiment a second of wall time."""
        return float(self.found["runs"]) / self.wall

    @property
    def call(self) -> float:
        """CPU seconds of one call of many."""
        return self.cpu / float(self.found["calls"])

    @property
    def ns_a_node(self) -> float:
        """Nanoseconds of CPU time, user and system, for each node expanded."""
        return 1e9 * self.cpu / float(self.found["expanded"])

    @property
    def bytes_a_node(self) -> float:
        """Bytes at most held, for each node stored at the end."""
        printed = self.found.get("bytes_a_node")
        return float(self.found["peak_bytes"]) / self.found["stored"] if printed is None else float(printed)

    def _rate(self, counted: str, seconds: float) -> float:
        """Return how many millions a second; a time below what the system can tell counts as a microsecond."""
        return float(self.found[counted]) / max(seconds, 1e-6) / 1e6


def measure(program: Program, built: Path) -> Figures:
    """Run a program once, in a process of its own.

    Raises:
        Failure: it did not end well.
    """
    # All runs that count read their modules from `__pycache__`, as those of users do.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        if program.cold:
            environment["SEARCHLAB_CACHE_DIR"] = str(Path(folder, "cache"))
        command = [argument.replace(EMPTY_FOLDER, folder) for argument in program.command(built)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=environment, cwd=HERE, timeout=MOST_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"{program.name} was stopped after {MOST_SECONDS} s") from None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != program.exit_code:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise Failure(f"{program.name} ended with exit code {done.returncode}: {said[-1]}")
    found = printed(done.stdout)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return Figures(found.pop("user", user), found.pop("system", system), user + system, found)


def printed(output: str) -> dict[str, Any]:
    """Return the figures in what a program printed: JSON, or text in which PRINTED finds them."""
    if output.startswith("{"):
        figures: dict[str, Any] = json.loads(output)
        return figures
    found: dict[str, Any] = {}
    for name, pattern in PRINTED.items():
        match = re.search(pattern, output)
        if match:
            text = match[1].replace(",", "")
            found[name] = text if text.isalpha() else int(text)
    return found


def build(names: set[str], folder: Path) -> str:
    """Build C++ programs in a folder; return why that was not possible, an empty text if it was."""
    if shutil.which(COMPILER[0]) is None:
        return f"{COMPILER[0]} is not installed"
    for name in sorted(names):
        command = [*COMPILER, str(HERE / "yardstick" / f"{name}.cpp"), "-o", str(folder / name)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{name}.cpp does not compile: {(done.stderr.splitlines() or ['no reason given'])[0]}"
    return ""
