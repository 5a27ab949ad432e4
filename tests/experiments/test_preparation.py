"""The tables that runs need are there before any of them starts, and changed ones are made anew."""

import pytest

import searchlab as sl
from searchlab.binding import tables
from searchlab.errors import MachineError, PluginError
from searchlab.experiments.matrix import matrix
from searchlab.experiments.preparation import prepare_tables
from searchlab.experiments.progress import ExperimentState, RunDisplay, RunLines
from searchlab.files.cache import cache_folder_at
from searchlab.model.preparation import TableProgress

PLUGIN = """
from searchlab import Heuristic, UsageError, hookimpl

def build(progress, rows, goal):
    with open({log!r}, "a") as file:
        file.write(f"{{rows}} {{goal}}\\n")
    {first}
    return [1, 2, 3]

def h(tiles, t):
    return t[0] * 0

@hookimpl
def searchlab_heuristics():
    yield Heuristic("tabled", h, domains={{"sliding-tile"}}, tables={{"t": build}})
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_opened", {})
    monkeypatch.setattr(tables, "cache_folder", lambda: cache_folder_at(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, tiles in (("a", "1 2 3\n4 5 6\n7 0 8\n"), ("b", "1 2 3\n4 0 6\n7 5 8\n")):
        (tmp_path / f"{name}.txt").write_text(f"3\n{tiles}")
    (tmp_path / "c.txt").write_text("2\n1 2\n0 3\n")
    return tmp_path


def runs_of(place, first="pass"):
    """Return the runs of an experiment whose plugin begins to build a table like this, and its plugins."""
    (place / "mine.py").write_text(PLUGIN.format(log=str(place / "log"), first=first))
    plugins = sl.Plugins((place / "mine.py",), third_party=False)
    experiment = sl.Experiment(
        name="e", boards=("a.txt", "b.txt", "c.txt"), heuristics=("tabled", "taxicab"), domains=("sliding-tile",)
    )
    return matrix(experiment, plugins).runs, plugins


def log(place):
    path = place / "log"
    return path.read_text().splitlines() if path.exists() else []


def test_each_table_is_built_once_after_planning(place):
    runs, plugins = runs_of(place)
    assert log(place) == []
    for _ in range(2):
        prepare_tables(runs, plugins)
        tables._opened.clear()
    assert sorted(log(place)) == ["2 blank-last", "3 blank-last"]


def test_a_changed_build_function_makes_different_runs_and_tables(place):
    before, plugins = runs_of(place)
    prepare_tables(before, plugins)
    after, plugins = runs_of(place, "progress(1, 2)")
    prepare_tables(after, plugins)
    assert len(log(place)) == 4
    changed = [run.parts["heuristic"] for run in after if run.identity not in {run.identity for run in before}]
    assert changed == ["tabled"] * 3


def test_a_table_that_refuses_a_board_is_an_error_of_its_run(place):
    runs, plugins = runs_of(place, "if rows == 2: raise UsageError('too small')")
    prepare_tables(runs, plugins)
    assert sum("cannot" not in line for line in log(place)) == 2


def test_a_failing_table_is_an_error_before_the_runs(place):
    runs, plugins = runs_of(place, "1 / 0")
    with pytest.raises(PluginError, match="table t of heuristic tabled cannot be built: ZeroDivisionError"):
        prepare_tables(runs, plugins)
    runs, plugins = runs_of(place)
    (place / "cache").chmod(0o777)
    with pytest.raises(MachineError, match="table t of heuristic tabled cannot be kept for the workers"):
        prepare_tables(runs, plugins)


def test_the_progress_of_an_experiment_shows_the_table(monkeypatch):
    state = ExperimentState(10, table=TableProgress("table t", "building", 3.0, 1, 4))
    display, lines = RunDisplay(), []
    display(state)
    assert "━" in display.text()
    assert display.text().endswith("building table t, 25%, 3 s")
    monkeypatch.setattr("searchlab.experiments.progress.EVERY", 0.0)
    RunLines(lines.append)(state)
    assert lines == ["building table t, 25%"]


BELOW_ZERO = """
import numpy as np
from searchlab import Domain, Heuristic, PackedForm, hookimpl

def step(tiles, out):
    out[0, 0, 0] = tiles[0, 0] + 1
    return 1

def build(progress, rows):
    return np.zeros(1)

def low(tiles, table):
    return table[0] + 3 - tiles[0, 0]

@hookimpl
def searchlab_domains():
    form = PackedForm(cells=[(-9, 3)], max_successors=1, successors=step, is_goal=lambda tiles: tiles[0, 0] == 3)
    yield Domain("depth", packed=lambda board: form)

@hookimpl
def searchlab_heuristics():
    yield Heuristic("low", low, domains={"depth"}, tables={"table": build})
"""


@pytest.mark.slow
def test_boards_with_tiles_below_zero_are_searched_and_played(place):
    """Also where a table is built for them first."""
    (place / "below.py").write_text(BELOW_ZERO)
    (place / "minus.txt").write_text("1\n-6\n")
    plugins = sl.Plugins(["below.py"])

    def results(name, **parts):
        experiment = sl.Experiment(name=name, boards=["minus.txt"], domains=["depth"], **parts)
        return sl.run(experiment, plugins=plugins, workers=1).iloc[0]

    assert results("searches", heuristics=["low"], frontiers=["greedy"])["moves"] == 9
    game = results("games", players=["random"], most_moves=4)
    assert (game["status"], game["moves"], game["largest_tile"], game["final"]) == ("move-limit", 4, -2, "-2")
