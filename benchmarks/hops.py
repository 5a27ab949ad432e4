"""The way of one search, one run and one game through searchlab: how many functions, files and steps between files.

`python benchmarks/hops.py` prints a line each: the distinct functions of searchlab and of its plugins that a command
calls, the files they are in, and the pairs of files of which one calls the other. Each command is run twice, each time
in a process of its own, and the second is counted: everything is compiled and cached. What runs while a module is
imported is not counted, nor are the worker processes of an experiment.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType

WAYS = {
    "solve": "solve --heuristic left-weighted --goal 256",
    "run": "run experiment.toml --workers 1 --output results",
    "play": "play --player greedy --seed 1 --max-moves 30",
}
EXPERIMENT = 'boards = ["sliding-tile/puzzle8-20"]\nheuristics = ["taxicab"]\nfrontiers = ["astar"]\n'
NOT_ENDED = 3
"""The exit code of a command that a limit ended."""


def main() -> None:
    """Print the numbers of each way, or with --list the functions of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", nargs="?", choices=WAYS, help="one of them only")
    parser.add_argument("--list", action="store_true", help="list the functions with their calls, by file")
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.in_this_process:
        calls, edges = traced(WAYS[asked.way].split())
        files = {file for file, _ in calls}
        print(f"{asked.way:8}{len(calls):>11}{len(files):>8}{len(edges):>22}")
        for (file, name), count in sorted(calls.items()) if asked.list else ():
            print(f"  {file:45} {name:60} {count:>7,}")
        return
    print(f"{'':8}{'functions':>11}{'files':>8}{'pairs of files':>22}", flush=True)
    for way in [asked.way] if asked.way else WAYS:
        command = [sys.executable, str(Path(__file__).resolve()), way, "--in-this-process", *["--list"] * asked.list]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "experiment.toml").write_text(EXPERIMENT, encoding="utf-8")
            warm = [sys.executable, "-m", "searchlab", *WAYS[way].replace("results", "earlier").split()]
            subprocess.run(warm, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            subprocess.run(command, cwd=folder, check=True)


def traced(command: list[str]) -> tuple[Counter[tuple[str, str]], set[tuple[str, str]]]:
    """Return the calls of each function by file and name, and the pairs of files, as a command runs in any thread."""
    from searchlab.cli import main as searchlab

    calls: Counter[tuple[str, str]] = Counter()
    edges: set[tuple[str, str]] = set()
    state = threading.local()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_name == "<module>":
            state.importing = getattr(state, "importing", 0) + {"call": 1, "return": -1}.get(event, 0)
        if event != "call" or getattr(state, "importing", 0) or not (file := file_of(code)):
            return
        calls[file, name_of(code)] += 1
        caller = frame.f_back
        while caller and not file_of(caller.f_code):
            caller = caller.f_back
        if caller and (other := file_of(caller.f_code)) != file:
            edges.add((other, file))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            code = searchlab(command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if code not in (0, NOT_ENDED):
        sys.exit(f"searchlab {' '.join(command)}: exit code {code}")
    return calls, edges


def file_of(code: CodeType) -> str:
    """Return the path of searchlab's file that defines some code, '' for code of others."""
    for root, name in ROOTS:
        if code.co_filename.startswith(root):
            return f"{name}/{code.co_filename.removeprefix(root)}"
    return ""


def name_of(code: CodeType) -> str:
    """Return the function's name; what is defined in a function counts as part of it."""
    return code.co_qualname.partition(".<locals>")[0]


def roots() -> list[tuple[str, str]]:
    """Return the folders of searchlab and its plugins, and what they are called."""
    import searchlab
    import searchlab_plugins

    packages = [(Path(str(searchlab.__file__)).parent, "searchlab")]
    packages += [(Path(path).resolve(), "plugins") for path in searchlab_plugins.__path__]
    return [(f"{path}{os.sep}", name) for path, name in packages]


ROOTS = roots()

if __name__ == "__main__":
    main()
