"""Experiments without boards: searches from the start of each domain, which need not be a board."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main

COUNT = """
import searchlab as sl

COUNT = sl.Domain(
    "count",
    lambda state, last: [("add", state + 1), ("double", 2 * state)] if state < last else [],
    lambda state, last: state == last,
    start=lambda first: first,
    parameters=(sl.Parameter("first", 1), sl.Parameter("last", 10)),
    views=sl.Views(label=lambda state: f"at {state}"),
)


def left(state, last):
    return 0 if state == last else 1


hooks = sl.plugin(COUNT, sl.Heuristic("left", left, domains={"count"}, admissible=True))
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("count.py").write_text(COUNT)
    return sl.Plugins(["count.py"])


def runs(plugins, *domains, **fields):
    return sl.run(sl.Experiment(domains=domains, **fields), folder="out", plugins=plugins, workers=1)


def test_searches_begin_at_the_start_of_each_domain(plugins):
    found = runs(plugins, "count", "count:first=3", heuristics=["left"], frontiers=["astar"]).sort_values("domain")
    assert found["board_name"].tolist() == ["at 1", "at 3"]
    assert found["status"].tolist() == ["solved", "solved"]
    assert found["cost"].tolist() == [4.0, 3.0]
    assert found["board"].isna().all()


def test_a_start_that_is_a_board_is_stored_as_a_board(plugins):
    (row,) = runs(plugins, "hanoi", frontiers=["breadth-first"]).to_dict("records")
    assert row["status"] == "solved"
    tiles = [[int(tile) for tile in line.split()] for line in row["board"].split(" / ")]
    assert sl.Board(tiles) == sl.domain("hanoi").start()
    assert row["board_name"] == row["board"]


def test_a_domain_without_a_start_is_skipped(plugins, capsys):
    assert main(["run", "--domain", "sliding-tile", "--dry-run"]) == 0
    assert "sliding-tile has no start board" in capsys.readouterr().out


def test_a_run_of_other_states_is_shown_and_replayed(plugins, capsys):
    """The printed command repeats it, and a second run of the experiment does nothing."""
    command = ["--plugin", "count.py", "run", "--domain", "count", "--heuristic", "left", "--frontier", "astar"]
    assert main([*command, "--output", "out"]) == 0
    assert main([*command, "--output", "out"]) == 0
    assert "1 done before" in capsys.readouterr().out
    assert main(["--plugin", "count.py", "results", "out", "--run", "1"]) == 0
    shown = capsys.readouterr().out
    (again,) = (line.removeprefix("again  searchlab ") for line in shown.splitlines() if line.startswith("again"))
    assert main(again.split()) == 0
    assert "solved in 4 moves, optimal" in capsys.readouterr().out
    assert main(["--plugin", "count.py", "replay", "out", "--run", "1"]) == 0
    assert "as recorded" in capsys.readouterr().out
