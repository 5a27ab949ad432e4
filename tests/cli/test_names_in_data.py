"""A name that stands in data runs a Python file only if somebody has named the file: data is passed on."""

import json
from dataclasses import replace

import pytest

import searchlab as sl

EVIL = """\
from pathlib import Path

from searchlab import Board, Domain

Path("ran.txt").write_text("x")


def successors(board):
    if board.tile_at(0, 0) > 1:
        yield "less", Board([[board.tile_at(0, 0) - 1]])


def left(tiles):
    return tiles[0, 0] - 1


evil = Domain("evil", successors, lambda board: board.tile_at(0, 0) == 1, start=lambda: Board([[3]]))
"""
GAME = {
    **{"status": "goal", "seconds": 1.0, "player": "greedy", "domain": "evil.py:evil", "seed": 1, "actions": ["less"]},
    **{"events": [[]], "start": [[3]], "final": [[2]], "score": 0.0},
}


@pytest.fixture
def ran(folder):
    """A folder as it comes in an archive: a plugin, and boards whose `set.toml` names it; returns whether it ran."""
    (folder / "evil.py").write_text(EVIL)
    (folder / "set").mkdir()
    (folder / "set/a.txt").write_text("1\n3\n")
    (folder / "set/set.toml").write_text('domain = "evil.py:evil"\n')
    (folder / "game.json").write_text(json.dumps(GAME))
    (folder / "game.script").write_text("# game: evil.py:evil\n# board: 3 /\nKless\n")
    (folder / "of_set.toml").write_text('boards = ["set/a.txt"]\n')
    return (folder / "ran.txt").exists


COMMANDS = [
    "solve set/a.txt",
    "solve set/a.txt --no-plugins",
    "evaluate set/a.txt --heuristic max:of=[taxicab]",
    "boards show set/a.txt",
    "neighbors set/a.txt",
    "run of_set.toml --dry-run",
    "view game.json",
    "view game.script",
    "play --browser --record game.script",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_only_data_names_is_not_run(run, ran, command):
    assert "add --plugin evil.py" in run(*command.split()).error
    assert not ran()


def test_the_refusal_names_the_data_file_and_the_remedy(run, ran):
    assert run("solve", "set/a.txt").error == (
        "set/set.toml: evil.py is not run, because only this file names it; if you trust its code, "
        "add --plugin evil.py (in Python: plugins=searchlab.Plugins(['evil.py']))"
    )


@pytest.mark.parametrize(
    "named",
    [
        "--plugin evil.py",
        "--plugins-dir .",
        "--heuristic evil.py:left",
        "--heuristic=max:of=[evil.py:left,./evil.py:left]",
        "--domain evil.py:evil",
    ],
)
def test_a_file_that_the_command_names_is_run(run, ran, named):
    found = run("solve", "set/a.txt", *named.split(), "--json")
    assert (found.code, found.json["actions"]) == (0, ["less", "less"])


def test_a_file_that_the_experiment_names_is_run(run, ran, folder):
    (folder / "of_set.toml").write_text('boards = ["set/a.txt"]\nheuristics = ["evil.py:left"]\n')
    assert run("run", "of_set.toml", "--workers", "1").code == 0
    assert list(sl.load_results("results/of_set")["status"]) == ["solved"]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("domain", "evil.py:evil"),
        ("heuristic", "evil.py:left"),
        ("heuristic", "max:of=[taxicab,[max:of=[evil.py:left,misplaced]]]"),
        ("frontier", "evil.py:left"),
    ],
)
def test_a_cell_of_a_table_runs_no_file(run, ran, make_record, make_results, cell, name):
    """Neither of a store that was sent, nor of one that it was merged into."""
    record = make_record(1)
    run_of_file = replace(record.run, parts={**record.run.parts, cell: name})
    cells = {**record.cells, "board": "1 2 / 3 0"}
    make_results([replace(record, run=run_of_file, cells=cells)], "sent")
    assert run("results", "merge", "sent", "--into", "merged").code == 0
    for command in ("report merged", "results merged --run 1", "compare merged", "view merged --run 1"):
        run(*command.split())
        assert not ran(), command
    assert "because only the recorded run names it" in run("replay", "merged", "--run", "1").error
    with pytest.raises(sl.UsageError, match="only the recorded run names it"):
        sl.view(sl.load_results("merged").iloc[0])
    assert not ran()


def test_a_run_of_a_file_is_shown_with_plugin(run, ran):
    """The printed command shows the run."""
    command = "run set/a.txt --domain evil.py:evil --heuristic evil.py:left --frontier astar --output own"
    assert run(*command.split()).code == 0
    assert "add --plugin evil.py" in run("view", "own", "--run", "1").error
    look = run("results", "own", "--run", "1").out.splitlines()[-1]
    assert look == "look   searchlab view own --run 1 --plugin evil.py"
    assert run(*look.split()[2:]).code == 0


def test_python_refuses_files_named_in_data(ran):
    with pytest.raises(sl.UsageError, match=r"plugins=searchlab\.Plugins\(\['evil\.py'\]\)"):
        sl.solve("set/a.txt")
    assert not ran()
    assert sl.solve("set/a.txt", plugins=sl.Plugins(["evil.py"]), engine="readable").moves == 2
    assert sl.solve("set/a.txt", heuristic="evil.py:left", plugins=sl.Plugins(), engine="readable").moves == 2
