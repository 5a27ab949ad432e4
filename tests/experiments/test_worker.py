"""A worker keeps components and searchers from run to run."""

import pytest

import searchlab as sl
from searchlab.board.board import FEW_TILES
from searchlab.experiments.worker import start_board


def test_small_start_boards_are_kept_with_their_values():
    rows = (tuple(range(FEW_TILES)),)
    assert start_board(rows) is start_board(rows)
    assert start_board(rows).keeps


def test_large_start_boards_are_not_kept():
    """Some hundred of them would take a gigabyte."""
    rows = tuple(tuple(range(row, row + 20)) for row in range(20))
    assert start_board(rows) == start_board(rows)
    assert start_board(rows) is not start_board(rows)


def test_a_heuristic_that_writes_into_its_board_does_not_affect_other_runs(tmp_path, monkeypatch):
    """It uses C, because NumPy refuses."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "writes.py").write_text(
        "import ctypes\n\n\ndef writes(tiles):\n"
        "    ctypes.memset(ctypes.c_void_p(tiles.ctypes.data), 0, 8)\n    return 0\n"
    )
    experiment = sl.Experiment(
        name="e",
        boards=("sliding-tile/puzzle8-20",),
        heuristics=("writes.py:writes", "taxicab", "misplaced"),
        frontiers=("astar",),
        repetitions=2,
    )
    with pytest.warns(sl.SearchlabWarning, match="writes cannot be compiled"):
        table = sl.run(experiment, workers=1, progress=False)
    outcomes = set(table[["heuristic", "status"]].itertuples(index=False, name=None))
    assert outcomes == {("writes.py:writes", "error"), ("taxicab", "solved"), ("misplaced", "solved")}
    assert "writes into the tiles of a board" in table["reason"][table["status"] == "error"].iloc[0]
