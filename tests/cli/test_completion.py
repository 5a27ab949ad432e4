"""A shell completes commands, options and names."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PLUGIN = """
from searchlab import Heuristic, hookimpl

@hookimpl
def searchlab_heuristics():
    yield Heuristic("lopsided", lambda tiles: 0)
"""


def completed(*words, cwd=None, code="from searchlab.cli import main; main()"):
    """Return the completions of the last of these words."""
    environment = {
        **os.environ,
        "_SEARCHLAB_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("searchlab", *words)),
        "COMP_CWORD": str(len(words)),
    }
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=cwd, check=True
    )
    assert ran.stderr == ""
    return [line.partition(",")[2] for line in ran.stdout.splitlines() if not line.startswith("file,")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["wa"], ["warm-up"]),
        (["results", "exp"], ["export"]),
        (["solve", "--fron"], ["--frontier"]),
        (["solve", "--heuristic", "left"], ["left-weighted"]),
        (["solve", "--domain", "2048", "--heuristic", "taxi"], []),
        (["solve", "--domain", "sliding-tile", "--heuristic", "taxi"], ["taxicab"]),
        (["run", "--frontier", "beam", "--frontier", "ida"], ["ida-star"]),
        (["tournament", "gree"], ["greedy"]),
        (["train", "nt"], ["ntuple"]),
        (["play", "--renderer", "b"], ["box"]),
        (["advise", "2048/board1"], ["2048/board10"]),
        (["boards", "generate", "shuf"], ["shuffled"]),
        (["plugins", "list", "heur"], ["heuristic"]),
        (["plugins", "show", "taxi"], ["taxicab"]),
        (["plugins", "new", "taxi"], []),
    ],
)
def test_names_are_completed(words, expected):
    """Those that fit the domain, where one is named."""
    assert completed(*words) == expected


def test_names_of_plugins_and_recorded_results_are_completed(tmp_path):
    """Of the folder in which the shell is."""
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "results" / "puzzle8-2").mkdir(parents=True)
    assert completed("solve", "--plugin", "mine.py", "--heuristic", "lop", cwd=tmp_path) == ["lopsided"]
    assert completed("compare", "results/p", cwd=tmp_path) == ["results/puzzle8-2"]


def test_completion_loads_no_slow_modules():
    code = """
import sys
from searchlab.cli import main
main()
print(*("plain,heavy" for name in ("numba", "llvmlite", "pandas", "rich") if name in sys.modules), sep="\\n")
"""
    assert "heavy" not in completed("solve", "--heuristic", "", code=code)
    assert "left-weighted" in completed("solve", "--heuristic", "", code=code)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_the_shell_is_printed(run, shell):
    ran = run("completion", shell)
    assert ran.code == 0
    assert f"_SEARCHLAB_COMPLETE={shell}_complete" in ran.out
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=ran.out, text=True, check=True)


def test_bash_takes_the_script():
    """As its start-up file would."""
    line = f'eval "$({sys.executable} -m searchlab completion bash)" && complete -p searchlab'
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert "_searchlab_completion" in ran.stdout
