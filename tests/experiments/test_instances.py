"""Runs over a file of instances: static data is part of a run's identity, and a changed map is run anew."""

from pathlib import Path
from shutil import copy

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.instances import KnownInstances
from searchlab.experiments.matrix import matrix
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.specification import Experiment, Generation

FILES = Path(__file__).parents[2] / "docs" / "examples"
GENERATES = """
import numpy as np
from searchlab import Board, Generator, Instance, hookimpl


def open_room(random, side=4):
    goal = [int(random.random() * side), int(random.random() * side)]
    return Instance("", Board([[0, 0]]), {"grid": np.ones((side, side), np.uint8), "goal": goal})


@hookimpl
def searchlab_generators():
    yield Generator("open-room", open_room, domains={"grid"})
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder: a map with its scenarios, and a generator."""
    for name in ("rooms.map", "rooms.scen"):
        copy(FILES / name, tmp_path)
    (tmp_path / "rooms_generator.py").write_text(GENERATES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def plugins(folder):
    """Return the plugins with the domain grid and the generator."""
    return sl.Plugins(files=[str(FILES / "grid.py"), "rooms_generator.py"])


def runs(plugins, **parts):
    """Return the runs of an experiment over the scenarios."""
    return matrix(Experiment(name="rooms", **{"boards": ("rooms.scen",), **parts}), plugins).runs


def test_a_file_is_a_set_of_boards_with_their_optimal_costs(plugins):
    """Each instance is a run, the domain's own heuristic and frontier if none is named."""
    made = runs(plugins)
    assert [run.instance.name for run in made] == [f"rooms.scen#{number}" for number in range(1, 6)]
    assert made[3].instance.optimal == pytest.approx(13.41421356)
    assert {run.parts["domain"] for run in made} == {"grid"}
    assert [run.instance.name for run in runs(plugins, boards=("rooms.scen#4",))] == ["rooms.scen#4"]
    assert len(runs(plugins, boards=(".",))) == 5


def test_instances_with_equal_starts_are_different_runs(plugins):
    """Static data are part of the identity."""
    made = runs(plugins)
    assert made[1].instance.rows == made[4].instance.rows
    assert len({run.identity for run in made}) == 5
    assert [run.identity for run in runs(plugins, domains=("grid",))] == [run.identity for run in made]


def test_a_changed_map_makes_different_runs(plugins, folder):
    """The name of the folder does not matter."""
    before = [run.identity for run in runs(plugins)]
    text = (folder / "rooms.map").read_text()
    (folder / "rooms.map").write_text(text.replace(".@.@..@@@@@.", ".@.@..@@@.@."))
    assert not {run.identity for run in runs(plugins)} & {*before}
    (folder / "rooms.map").write_text(text)
    (folder / "moved").mkdir()
    for name in ("rooms.map", "rooms.scen"):
        (folder / name).rename(folder / "moved" / name)
    assert [run.identity for run in runs(plugins, boards=("moved",))] == before


def test_a_board_without_static_data_keeps_its_identity():
    """Stores of before are read on: these are the digits that were computed when there were no instances."""
    parts = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}
    run = Run(RunInstance("b", ((1, 2), (3, 0))), parts)
    assert run.identity == "9e56789a7e7e606be44c262b89235b0d"


def test_a_worker_reads_the_instance_again_and_refuses_another(plugins, folder):
    """A run is of the data it was planned with."""
    run = runs(plugins)[0]
    known, domain = KnownInstances(), sl.domain("grid", plugins=plugins)
    assert known.find(run.instance, domain, plugins).digest == run.instance.static
    (folder / "rooms.map").write_text((folder / "rooms.map").read_text().replace("@", "."))
    assert known.find(run.instance, domain, plugins).digest == run.instance.static  # it was read already
    with pytest.raises(UsageError, match=r"^rooms.scen#1: its static data is not what it was when the run was planned"):
        KnownInstances().find(run.instance, domain, plugins)


def test_a_generator_makes_instances(plugins):
    """A worker makes them again from their seed."""
    made = runs(plugins, boards=(), generate=(Generation("open-room:side=5", count=3),))
    assert len({run.instance.static for run in made}) == 3
    found = KnownInstances().find(made[2].instance, sl.domain("grid", plugins=plugins), plugins)
    assert found.digest == made[2].instance.static
    assert found.static["grid"].shape == (5, 5)


def test_an_unreadable_file_is_a_run_with_a_fault(plugins, folder):
    (folder / "rooms.map").unlink()
    (fault,) = runs(plugins)
    assert fault.instance.fault == "rooms.scen: rooms.map: no such file"


@pytest.mark.slow
def test_an_experiment_repeats_runs_on_a_changed_map(plugins, folder):
    """Workers find maps and goals themselves."""
    experiment = Experiment(name="rooms", boards=("rooms.scen",), generate=(Generation("open-room"),))
    table = sl.run(experiment, plugins=plugins, workers=1)
    assert [*table["status"]] == ["solved"] * 6
    known = table[table["optimal_cost"].notna()]
    assert known["cost"].tolist() == pytest.approx(known["optimal_cost"].tolist(), abs=1e-6)
    assert len(known) == 5
    assert table["optimal"].all()
    assert table["board"].nunique() == 6
    assert len(sl.run(experiment, plugins=plugins, workers=1)) == 6
    (folder / "rooms.map").write_text((folder / "rooms.map").read_text().replace("@", "."))
    again = sl.run(experiment, plugins=plugins, workers=1)
    assert len({*again["identity"]} - {*table["identity"]}) == 5
