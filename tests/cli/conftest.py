from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from searchlab.cli import main

BOARD10 = """\
4
  256    8    0    2
  256    8   16    2
  512    4    0    0
 1024    0    0    0
"""
SLIDING = "3\n1 2 3\n0 4 6\n7 5 8\n"
UNSOLVABLE = "3\n1 2 3\n4 5 6\n8 7 0\n"


@dataclass(frozen=True)
class Ran:
    """The outcome of a command line."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line on standard error, of a command that was refused."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert self.err.startswith("searchlab: error: ")
        assert self.err.endswith("\n")
        assert "Traceback" not in self.err
        return self.err.removeprefix("searchlab: error: ").rstrip("\n")

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(scope="session")
def read_to_end():
    """Return all output written to a pseudo-terminal whose other end is closed, and close it."""

    def read_to_end(terminal):
        pieces = []
        with contextlib.suppress(OSError):  # so Linux says that it is over; until then each piece may be a part
            while piece := os.read(terminal, 1 << 16):
                pieces.append(piece)
        os.close(terminal)
        return b"".join(pieces).decode()

    return read_to_end


@pytest.fixture(autouse=True)
def compiles_at_once(monkeypatch):
    """Let commands compile at once, so that their output does not depend on earlier tests."""
    monkeypatch.setattr("searchlab.cli.solve.INTERPRETED_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that is the current one, with a page of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def run(folder, capsys, monkeypatch):
    """Run the command line in this process."""

    def run(*arguments: object, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return Ran(code, written.out, written.err)

    return run


@pytest.fixture
def solve(run):
    """Run `searchlab solve` in the readable engine."""

    def solve(*arguments: object, stdin: bytes | None = None) -> Ran:
        return run("solve", *arguments, "--engine", "readable", stdin=stdin)

    return solve


@pytest.fixture
def write(folder):
    """Write a file into the current folder."""

    def write(name: str, content: str | bytes) -> str:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.fixture
def board10_file(write):
    return write("board10.txt", BOARD10)


@pytest.fixture
def sliding(write):
    return write("sliding.txt", SLIDING)


@pytest.fixture
def unsolvable(write):
    return write("unsolvable.txt", UNSOLVABLE)


def searchlab(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "searchlab", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


@pytest.fixture
def process(folder):
    """Run the command line in a process of its own."""
    return searchlab


@pytest.fixture
def plugin(write) -> str:
    """A plugin file with commands, a heuristic that works and some that do not."""
    return write("mine.py", (Path(__file__).parent / "plugin_of_mine.py").read_text())
