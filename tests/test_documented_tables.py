"""The commands that docs/results.md and docs/publishing.md show work on results like those of an experiment."""

import re
import shlex
from pathlib import Path

import pytest

from searchlab.cli import main

DOCS = Path(__file__).parents[1] / "docs"
TEXT = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("results.md", "publishing.md"))
SHOWN = [
    line.removeprefix("$ searchlab ")
    for block in re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if re.match(r"\$ searchlab (results|compare) ", line)
]


@pytest.fixture
def experiments(make_record, make_game, make_results, tmp_path, monkeypatch):
    """The folders that the commands name."""
    records = [
        make_record(board, heuristic, frontier, expanded=expanded * 100 * board)
        for board in range(1, 25)
        for heuristic, expanded in (("taxicab", 1), ("misplaced", 7))
        for frontier in ("astar", "weighted-astar:weight=3")
    ]
    make_results(records, "results/puzzles")
    make_results([make_record(board, "taxicab", "ida-star") for board in (12, 42, 55)], "results/korf-3")
    make_results(records[:60], "laptop")
    make_results(records[40:], "server")
    players = (("greedy", 128), ("random", 64))
    make_results([make_game(name, seed, tile=tile) for name, tile in players for seed in range(1, 25)], "games")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("experiments")
@pytest.mark.parametrize("command", SHOWN)
def test_the_commands_work(command, capsys):
    """They say something, and complain of nothing."""
    assert main(shlex.split(command)) == 0
    said = capsys.readouterr()
    assert said.out
    assert said.err == ""


def test_commands_are_shown():
    """Of each kind one at least."""
    assert {" ".join(command.split()[:2]) for command in SHOWN} >= {
        *(
            "results results/puzzles",
            "results export",
            "results merge",
            "compare results/puzzles",
            "results results/korf-3",
        ),
    }
