"""An exception of any kind in a plugin: one line that names the plugin, exit code 4, and nothing else is lost."""

import re
from pathlib import Path

import pytest

import searchlab as sl

FILE = str(Path(__file__).parents[1] / "plugin_files" / "raises_everywhere.py")
SOLVE = ("solve", "2048/board10")
READABLE = ("--engine", "readable")
FAILED = {
    "heuristic in batches": ((*SOLVE, "--heuristic", f"{FILE}:h"), "heuristic h: Bad"),
    "heuristic, readable": ((*SOLVE, *READABLE, "--heuristic", f"{FILE}:leaves"), "heuristic leaves: SystemExit: 0"),
    "heuristic as JSON": ((*SOLVE, *READABLE, "--heuristic", f"{FILE}:h", "--json"), "heuristic h: Bad"),
    "heuristic, compiled": ((*SOLVE, "--heuristic", f"{FILE}:compiled"), "heuristic compiled: SystemExit"),
    "successors": (("solve", "--domain", "half-way"), "half-way: half_way failed: SystemExit: 0"),
    "cost": (("solve", "--domain", "huge"), "which is not a number (too large to compute with)"),
    "endless": (("solve", "--domain", "endless"), "yields more than 131,072 moves from one board: does it ever end?"),
    "goal test": (("solve", "--domain", "no-goals"), "no-goals: <lambda> failed: Bad"),
    "enumerate": (("enumerate", "one.txt", "--domain", "half-way"), "half_way failed: SystemExit: 0"),
    "neighbors": (("neighbors", "five.txt", "--domain", "half-way"), "half_way failed: SystemExit: 0"),
    "play": (("play", "--player", "leaves", "--fast"), "player leaves: SystemExit: 0"),
    "play and log": (("play", "--player", f"{FILE}:player", "--log"), "player player: Bad"),
    "play a domain": (("play", "--domain", "half-way", "--player", "random", "--fast"), "failed: SystemExit: 0"),
    "play an endless one": (("play", "--domain", "endless", "--player", "random", "--fast"), "does it ever end?"),
    "advise": (("advise", "2048/board10", "--player", f"{FILE}:player"), "player player: Bad"),
    "generate": (("boards", "generate", "bad", "--count", 2, "--output", "new"), "bad: <lambda> failed: Bad"),
    "train": (("train", "learns", "--games", 5, "--output", "course"), "learner learns: SystemExit: 0"),
    "learner": (("train", "bad", "--games", 5, "--output", "course"), "bad: <lambda> failed: Bad"),
    "executor": (("run", "2048/board10", "--executor", "bad", "--output", "r"), "bad: <lambda> failed: Bad"),
    "pool": (("run", "2048/board10", "--executor", "pool", "--output", "r"), "the executor failed: SystemExit: 0"),
}


@pytest.fixture
def boards(folder):
    """Boards of the plugin's games."""
    for name, tile in (("one.txt", 1), ("five.txt", 5)):
        (folder / name).write_text(str(sl.Board([[tile]])))


@pytest.mark.slow
@pytest.mark.usefixtures("boards")
@pytest.mark.parametrize("case", FAILED)
def test_the_command_ends_with_a_line_and_exit_code_4(run, case):
    """With the plugin's name and place; no traceback, and no exit code of the plugin's choice."""
    arguments, said = FAILED[case]
    ran = run(*arguments, "--plugin", FILE)
    assert ran.code == 4, ran
    (error,) = (line for line in ran.err.splitlines() if line.startswith("searchlab: error: "))
    assert said in error
    assert "Traceback" not in ran.err
    assert "internal error" not in ran.err
    if not re.search("not a number|ever end", said):
        assert "raises_everywhere.py, line " in error


def test_evaluate_shows_the_values_of_other_heuristics(run):
    """The failing one is reported in a line, and its cell is empty."""
    ran = run("evaluate", "2048/board10", "--heuristic", f"{FILE}:h", "--heuristic", "left-weighted", "--json")
    assert ran.code == 4
    assert "heuristic h failed: Bad" in ran.err
    (row,) = ran.json
    assert row["values"]["left-weighted"] > 0


def test_failing_metrics_hooks_and_renderers_are_warnings(run):
    """The solution is shown all the same."""
    ran = run(*SOLVE, *READABLE, "--plugin", FILE, "--json")
    assert (ran.code, ran.json["status"], ran.json["metrics"]) == (0, "solved", {"bad": None})
    assert "metric 'bad' failed: Bad" in ran.err
    assert "searchlab_run_finished failed: Bad" in ran.err
    ran = run("boards", "show", "2048/board10", "--plugin", FILE, "--renderer", "bad")
    assert (ran.code, "1024" in ran.out) == (0, True)
    assert "boards are drawn without it" in ran.err


def test_a_file_that_cannot_be_imported_stops_no_command(run, folder):
    """Whatever it raises, in a folder of plugins."""
    (folder / "mine").mkdir()
    (folder / "mine" / "broken.py").write_text("class B(BaseException):\n    def __str__(self): raise B\nraise B\n")
    assert run("--plugins-dir", "mine", "plugins", "list").code == 0
    assert "broken.py: B (line 3)" in run("--plugins-dir", "mine", *SOLVE, *READABLE, "--moves-only").err


def test_a_run_that_raises_is_a_row_and_other_runs_continue(run):
    """No exception ends a worker process."""
    heuristics = [f"{FILE}:{name}" for name in ("h", "leaves")]
    named = [part for name in (*heuristics, "left-weighted") for part in ("--heuristic", name)]
    ran = run("run", "2048/board10", *named, *READABLE, "--output", "r", "--workers", 1, "--plugin", FILE)
    assert ran.code == 0
    assert "3 runs, all done: error 2 · solved 1" in ran.out.replace("\n", " ")
    assert "died" not in run("results", "r", "--json").out
