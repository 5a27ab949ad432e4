"""Results as a scenario of ASlib, read by the library that its own tools use."""

import json
from collections import Counter

import arff
import pandas as pd
import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.errors import UsageError
from searchlab.reports.aslib import write_scenario

EXPERIMENT = """
boards = ["sliding-tile/puzzle8-2*", "pancake/stack-05-1"]
heuristics = ["taxicab", "gap"]
frontiers = ["astar", "beam:width=3"]
repetitions = 2

[limits]
time = "30s"
expansions = 700
"""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    """The runs of an experiment, and the files of the scenario made of them."""
    folder = tmp_path_factory.mktemp("aslib")
    (folder / "mixed.toml").write_text(EXPERIMENT)
    results = sl.run(folder / "mixed.toml", folder=folder / "results")
    assert (
        main(["results", "export", str(folder / "results"), "--format", "aslib", "--output", str(folder / "mixed")])
        == 0
    )
    return results, folder / "mixed"


def rows(folder, name):
    """The rows of a file as dicts, read by liac-arff."""
    content = arff.loads((folder / f"{name}.arff").read_text(encoding="utf-8"))
    names = [attribute for attribute, _ in content["attributes"]]
    return [dict(zip(names, row, strict=True)) for row in content["data"]]


def described(folder):
    """The description; each line is a key and JSON."""
    lines = (folder / "description.txt").read_text(encoding="utf-8").splitlines()
    return {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}


def test_each_run_is_a_row_of_its_algorithm(scenario):
    results, folder = scenario
    found = rows(folder, "algorithm_runs")
    assert len(found) == len(results) > 20
    assert {row["algorithm"] for row in found} == set(described(folder)["metainfo_algorithms"])
    measured = zip(results["expanded"], results["seconds"], strict=True)
    assert sorted((row["expanded"], row["runtime"]) for row in found) == sorted(measured)
    assert {row["repetition"] for row in found} == {1, 2}
    assert len({(row["instance_id"], row["repetition"], row["algorithm"]) for row in found}) == len(found)


def test_statuses_are_those_of_aslib(scenario):
    """A search that met its limit has timed out; one that ran out of nodes is `other`."""
    results, folder = scenario
    expected = {"solved": "ok", "expansion-limit": "timeout", "exhausted": "other"}
    statuses = Counter(row["runstatus"] for row in rows(folder, "algorithm_runs"))
    assert statuses == Counter(expected[status] for status in results["status"].astype(str))
    assert {"ok", "timeout"} <= {*statuses}


def test_features_are_what_is_known_without_a_search(scenario):
    _, folder = scenario
    found = {row["instance_id"]: row for row in rows(folder, "feature_values")}
    board = found["sliding-tile/puzzle8-20"]
    start = sl.read_board("sliding-tile/puzzle8-20")
    assert (board["rows"], board["columns"], board["moves"]) == (3, 3, len(sl.domain("sliding-tile").edges(start)))
    assert board["h_taxicab"] == sl.heuristic("taxicab", domain="sliding-tile")(start)
    assert board["h_gap"] is None
    assert found["pancake/stack-05-1"]["h_gap"] is not None
    assert {row["start"] for row in rows(folder, "feature_runstatus")} == {"ok"}


def test_the_files_fit_together(scenario):
    """The same instances and features in all of them, and each instance in one fold."""
    _, folder = scenario
    description = described(folder)
    values, folds = rows(folder, "feature_values"), rows(folder, "cv")
    names = {row["instance_id"] for row in rows(folder, "algorithm_runs")}
    assert [row["instance_id"] for row in values] == [row["instance_id"] for row in folds]
    assert {row["instance_id"] for row in values} == names
    assert description["features_deterministic"] == [*values[0]][2:]
    assert description["algorithm_cutoff_time"] == 30.0
    assert description["performance_measures"] == ["runtime", "expanded"]


def test_a_board_of_two_domains_is_two_instances(tmp_path):
    results = sl.table(
        [
            sl.solve("sliding-tile/example", domain=f"sliding-tile{cost}", frontier="astar")
            for cost in ("", ":cost=heavy")
        ]
    )
    results["board_name"] = pd.array(["example", "example"], dtype="string")
    assert write_scenario(results, tmp_path, "two", sl.Plugins())["instance"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "name it with --output"),
        (("--output", "."), "there is something in it already"),
        (("--output", "new", "--pivot", "heuristic"), "--pivot is for a table"),
        (("--output", "new", "--safe"), "--safe is for a table"),
    ],
)
def test_misuse_of_the_export_is_told(scenario, options, message, monkeypatch, capsys):
    _, folder = scenario
    monkeypatch.chdir(folder)
    assert main(["results", "export", str(folder.parent / "results"), "--format", "aslib", *options]) == 2
    assert message in capsys.readouterr().err


def test_games_are_no_scenario(tmp_path):
    games = pd.DataFrame({"player": ["random"], "score": [4.0]})
    with pytest.raises(UsageError, match="games are no scenario"):
        write_scenario(games, tmp_path, "games", sl.Plugins())
