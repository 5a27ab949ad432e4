"""Models: arguments of a batch form that are not arrays are loaded once, before a search is timed."""

import time

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding import models
from searchlab.search.solve import problem as search_problem

SLOW = 0.4
"""Seconds that loading and the first call take in tests of the clock."""
START = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])
FILE = sl.Parameter("file", "", "what is loaded", kind="file")


def misplaced(boards, net):
    return (boards.reshape(len(boards), 9)[:, :8] != net).sum(axis=1)


@pytest.fixture(autouse=True)
def no_models(monkeypatch):
    """Nothing is loaded yet."""
    monkeypatch.setattr(models, "_loaded", {})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net.npy"
    np.save(path, np.arange(1, 9))
    return path


@pytest.fixture
def loads():
    """The paths of files that were loaded, one for each time."""
    return []


@pytest.fixture
def network(loads):
    """A heuristic that loads its goal from a file, and a function that binds it to one."""

    def load(file):
        loads.append(file)
        return np.load(file)

    component = sl.Heuristic("network", batch=misplaced, models={"net": load}, parameters=(FILE,))
    return lambda file: sl.heuristic(component, domain="sliding-tile", file=str(file))


def test_the_batch_form_gets_the_loaded_model(network, file, loads):
    """The model is no parameter."""
    heuristic = network(file)
    assert heuristic(START) == 3
    assert loads == [str(file)]
    assert [parameter.name for parameter in heuristic.component.own_parameters()] == ["file", "threads"]


@pytest.mark.slow
def test_a_process_loads_a_file_once(network, file, loads):
    """Searches, boards and other objects with the same heuristic share it."""
    for _ in range(2):
        heuristic = network(file)
        for frontier in ("astar", "greedy"):
            assert sl.solve(START, domain="sliding-tile", heuristic=heuristic, frontier=frontier).status == "solved"
    assert loads == [str(file)]


def test_an_edited_model_file_is_loaded_again(network, file, loads):
    """Where other weights are in it, they are loaded; so are those of another file."""
    assert network(file)(START) == 3
    np.save(file, np.zeros(8))
    assert network(file)(START) == 7
    other = file.with_name("other.npy")
    np.save(other, np.ones(8))
    assert network(other)(START) == 7
    assert loads == [str(file), str(file), str(other)]


def test_the_number_of_kept_models_is_limited(network, file, loads, monkeypatch):
    """Those that were used last: a process that looks at many files does not hold them all."""
    monkeypatch.setattr(models, "MOST_KEPT", 1)
    other = file.with_name("other.npy")
    np.save(other, np.ones(8))
    for path in (file, other, file):
        network(path)(START)
    assert loads == [str(file), str(other), str(file)]


@pytest.mark.slow
def test_loading_and_warming_up_are_outside_the_clock():
    """Neither the time of a search nor its limit includes them."""
    calls = []

    def load():
        time.sleep(SLOW)
        return np.arange(1, 9)

    def values(boards, net):
        if len(calls) < 2:
            time.sleep(SLOW)
        calls.append(len(boards))
        return misplaced(boards, net)

    heuristic = sl.heuristic(sl.Heuristic("slow", batch=values, models={"net": load}), domain="sliding-tile")
    limits = sl.Limits(seconds=SLOW)
    result = sl.solve(START, domain="sliding-tile", heuristic=heuristic, frontier="greedy", limits=limits, batch=7)
    assert (result.status, result.moves) == ("solved", 3)
    assert result.seconds < SLOW
    assert calls[:2] == [1, 7]
    assert result.evaluated == sum(calls[2:])


def test_a_combination_loads_the_models_of_its_parts(network, file, loads):
    """Before the search, and once."""
    parts = [network(file), "taxicab"]
    combined = sl.heuristic("max", domain="sliding-tile", of=parts)
    problem = search_problem(START, domain="sliding-tile", heuristic=combined, frontier="astar")
    problem.prepare()
    assert loads == [str(file)]
    assert combined(START) == 3


def test_a_player_loads_models_before_it_plays(loads):

    def load():
        loads.append("net")
        return 1

    component = sl.Heuristic("blanks", batch=lambda boards, net: (boards == 0).sum(axis=(1, 2)), models={"net": load})
    domain = sl.domain("2048:goal=16")
    player = sl.player("greedy", domain=domain, heuristic=sl.heuristic(component, domain=domain))
    player.prepare(domain.start())
    assert loads == ["net"]


def test_a_missing_model_file_is_a_usage_error(network, tmp_path):
    """It is raised before the search."""
    with pytest.raises(sl.UsageError, match=r"^model net of heuristic network cannot be loaded: .*none\.npy: no such"):
        sl.solve(START, domain="sliding-tile", heuristic=network(tmp_path / "none.npy"))


def test_a_failing_load_function_is_an_error_with_the_model():
    component = sl.Heuristic("broken", batch=misplaced, models={"net": lambda: {}["weights"]})
    with pytest.raises(sl.PluginError, match=r"model net of heuristic broken cannot be loaded: KeyError: 'weights'"):
        sl.solve(START, domain="sliding-tile", heuristic=sl.heuristic(component, domain="sliding-tile"))


@pytest.mark.slow
def test_a_failure_while_warming_up_is_reported_with_the_board():
    """By the search, as without a model."""
    component = sl.Heuristic("broken", batch=lambda boards, net: boards / net["none"], models={"net": dict})
    result = sl.solve(START, domain="sliding-tile", heuristic=sl.heuristic(component, domain="sliding-tile"))
    assert result.status == "error"
    assert "KeyError" in result.reason
    assert str(START) in result.reason


class WithArray:
    """An array of a library that speaks NumPy's protocol."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


class WithPointer:
    """An array of a library that speaks DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **asked):
        return self.values.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def library_values(boards, kind):
    return kind(misplaced(boards, np.arange(1, 9)).astype(float))


@pytest.mark.parametrize("library", [WithArray, WithPointer])
def test_arrays_of_other_libraries_are_valid_values(library):
    """Both protocols work, and searches equal those with NumPy arrays."""
    figures = []
    for kind in (np.asarray, library):
        component = sl.Heuristic("h", batch=lambda boards: library_values(boards, kind))  # noqa: B023
        heuristic = sl.heuristic(component, domain="sliding-tile")
        result = sl.solve(START, domain="sliding-tile", heuristic=heuristic, frontier="astar")
        figures.append((result.moves, result.expanded, result.generated))
    assert figures[0] == figures[1]


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"file": len}, "'file' is both a parameter and a model"),
        ({"no name": len}, "'no name' names a model, and no argument can be called that"),
        ([len], "models"),
        ({"net": 3}, r"models\['net'\]"),
    ],
)
def test_invalid_models_are_refused(models, said):
    """The declaration of the heuristic raises the error."""
    with pytest.raises((TypeError, ValueError), match=said):
        sl.Heuristic("h", batch=misplaced, models=models, parameters=(FILE,))
