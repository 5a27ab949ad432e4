"""Results are read as a tidy table: documented columns, whatever is missing missing, whoever else uses the file."""

import os
import re
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments import aggregates, game_aggregates, game_results, results
from searchlab.experiments import game_columns as games
from searchlab.experiments.columns import row
from searchlab.experiments.runs import Record, Run, Start
from searchlab.experiments.store import FILE, Store
from searchlab.model.results import STATUSES

ROOT = Path(__file__).parents[2]
BOARD = ((1, 2, 3), (0, 4, 6), (7, 5, 8))
NOBODY = 65534


def documented(text):
    """The columns of a table in a text, by name, with what stands in the second column."""
    rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", text, re.MULTILINE)
    return {name: said for names, said in rows for name in re.findall(r"`(\w+)`", names)}


def test_large_numbers_are_exact_beside_missing_ones(make_record, make_results):
    """A seed beyond 2^53 is the same seed."""
    results = sl.load_results(make_results([make_record(seed=2**63 - 1), make_record(2)]))
    assert results["seed"].tolist() == [2**63 - 1, pd.NA]


def test_a_row_holds_what_a_search_came_to(make_results):
    """The figures of a search as it returned them, and what it was done with."""
    result = sl.solve(sl.Board(BOARD), domain="sliding-tile", engine="readable")
    limits = sl.Limits(10, expansions=50)
    run = Run(Start("a board", BOARD, optimal=3.0), "sliding-tile", "taxicab", "astar", limits=limits, seed=4)
    machine = {"host": "here", "system": "Linux 6", "processor": "x86_64", "cores": 2}
    provenance = {"versions": {"b": "2", "a": "1"}, "machine": machine, "plugins": {"mine": "ff"}}
    record = Record(run, row(result), {}, "here 7", "2026-11-21T12:00:00.250+01:00", provenance)
    (found,) = sl.load_results(make_results([record])).to_dict("records")
    for name, value in row(result).items():
        if name not in ("reason", "versions"):
            assert found[name] == value, name
    assert (found["board_name"], found["optimal_cost"], found["seed"], found["repetition"]) == ("a board", 3.0, 4, 1)
    assert (found["limit_seconds"], found["limit_expansions"]) == (10, 50)
    assert found["identity"] == run.identity
    assert found["finished"] == pd.Timestamp("2026-11-21T11:00:00.250", tz="UTC")
    assert (found["worker"], found["host"], found["machine"]) == ("here 7", "here", "Linux 6, x86_64, 2 cores")
    assert (found["versions"], found["plugins"]) == ("a=1 b=2", "mine=ff")
    assert pd.isna([found["reason"], found["limit_memory"]]).all()


def test_what_is_missing_is_missing(make_record, make_results):
    """No solution, no seed, no limit, no plugins: no value, in columns that keep their types."""
    table = sl.load_results(make_results([make_record(status="time-limit", limit=None)]))
    absent = ["moves", "cost", "actions", "seed", "limit_seconds", "limit_memory", "optimal_cost", "plugins", "reason"]
    assert table.loc[0, absent].isna().all()
    assert table.dtypes.astype(str).to_dict() == {**results.COLUMNS}
    assert list(table["status"].cat.categories) == list(STATUSES)


def test_no_runs_are_a_table_too(make_results, make_record):
    """With the same columns and types."""
    empty = sl.load_results(make_results([]))
    assert len(empty) == 0
    assert empty.dtypes.astype(str).to_dict() == results.COLUMNS


def test_the_columns_are_those_that_are_documented():
    """In the module and in docs/experiments.md, in the same order and with the same types."""
    said = documented(results.__doc__)
    assert list(said.items()) == list(results.COLUMNS.items())
    section = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert results.__doc__.split("\n\n")[1] in section
    assert aggregates.__doc__.split("\n\n")[2] in section
    assert list(documented(aggregates.__doc__)) == list(aggregates.COLUMNS)


def test_of_games_there_are_other_columns(make_game, make_results):
    """Documented in the module and in docs/experiments.md, in the same order and with the same types."""
    table = sl.load_results(make_results([make_game(), make_game(seed=2, score=None, status="error", limit=None)]))
    assert table.dtypes.astype(str).to_dict() == game_results.COLUMNS
    assert list(table["status"].cat.categories) == list(games.STATUSES)
    first = table.to_dict("records")[0]
    assert (first["player"], first["seed"], first["score"], first["largest_tile"]) == ("greedy", 1, 100.0, 64)
    assert (first["limit_seconds"], first["status"]) == (10.0, "dead")
    assert table.loc[1, ["score", "largest_tile", "moves", "actions", "limit_seconds", "limit_moves"]].isna().all()
    assert table[["board_name", "board"]].isna().all(axis=None)
    said = documented(game_results.__doc__)
    assert list(said.items()) == list(game_results.COLUMNS.items())
    section = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert game_results.__doc__.split("\n\n")[1].strip() in section
    assert game_aggregates.__doc__.split("\n\n")[1].strip() in section


def test_metrics_are_columns_of_the_narrowest_type(make_record, make_results):
    """Runs without one have a missing cell; one that is called like a column of ours gets another name."""
    values = [
        {"flag": True, "count": 3, "share": 0.5, "mixed": 1, "words": "x", "thing": [1], "huge": 2**70, "cost": 9},
        {"flag": False, "count": -4, "share": 2, "mixed": "y", "huge": 1},
    ]
    table = sl.load_results(
        make_results([make_record(n, metrics=metrics) for n, metrics in enumerate([*values, None])])
    )
    metrics = table[table.columns[len(results.COLUMNS) :]]
    assert metrics.dtypes.astype(str).to_dict() == {
        "flag": "boolean",
        "count": "Int64",
        "share": "Float64",
        "mixed": "string",
        "words": "string",
        "thing": "string",
        "huge": "Float64",
        "metric_cost": "Int64",
    }
    assert metrics["count"].tolist()[:2] == [3, -4]
    assert metrics.loc[0, "thing"] == "[1]"
    assert metrics.iloc[2].isna().all()


def test_the_last_attempt_counts(make_record, tmp_path):
    """Unless all are asked for."""
    with Store(tmp_path, writes=True) as store:
        store.add([make_record(status="error")])
        store.add([make_record()])
    assert sl.load_results(tmp_path)[["status", "attempt"]].values.tolist() == [["solved", 2]]
    assert sl.load_results(tmp_path, all_attempts=True)["status"].tolist() == ["error", "solved"]


def test_the_file_itself_may_be_named(make_record, make_results, tmp_path):
    """Also when it is called otherwise."""
    folder = make_results([make_record()])
    assert len(sl.load_results(folder / FILE)) == 1
    shutil.copy(folder / FILE, tmp_path / "copy.db")
    assert len(sl.load_results(str(tmp_path / "copy.db"))) == 1
    with pytest.raises(UsageError, match="no results here"):
        sl.load_results(tmp_path / "nowhere")


def test_what_another_process_is_writing_is_not_seen_and_does_not_wait(make_record, tmp_path):
    """A table read in the middle of a transaction holds what was committed before."""
    seen = []

    def while_reading():
        yield make_record(2)
        seen.append(len(sl.load_results(tmp_path)))
        yield make_record(3)

    with Store(tmp_path, writes=True) as store:
        store.add([make_record(1)])
        store.add(while_reading())
        seen.append(len(sl.load_results(tmp_path)))
    assert seen == [1, 3]


def test_a_file_that_has_just_been_made_has_no_runs(tmp_path):
    """The moment between its making and its first table is none to fail in."""
    sqlite3.connect(tmp_path / FILE).close()
    (tmp_path / FILE).touch()
    assert len(sl.load_results(tmp_path)) == 0


@pytest.fixture
def reading(make_results):
    """Import what reading imports, which may lie where only its owner reads."""
    sl.load_results(make_results([], "warm"))


@contextmanager
def nothing_can_be_written(folder):
    """Let this process be one that may read a folder only; root gives up its rights for the time."""
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as outside:
        there = Path(outside) / "results"
        shutil.copytree(folder, there)
        os.chmod(outside, 0o755)
        os.chmod(there, 0o555)
        try:
            if is_root:
                os.seteuid(NOBODY)
            assert not os.access(there, os.W_OK, effective_ids=True)
            yield there
        finally:
            if is_root:
                os.seteuid(0)
            os.chmod(there, 0o755)


@pytest.mark.usefixtures("reading")
@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="rights are another thing here")
def test_a_folder_nobody_can_write_to_is_read(make_record, make_results):
    """An experiment that is over may lie on a medium or in an archive."""
    folder = make_results([make_record(1), make_record(2)])
    assert sorted(os.listdir(folder)) == ["lock", FILE]
    with nothing_can_be_written(folder) as there:
        assert len(sl.load_results(there)) == 2
    sl.load_results(folder)  # which leaves an empty log
    with nothing_can_be_written(folder) as there:
        assert len(sl.load_results(there)) == 2


@pytest.mark.usefixtures("reading")
@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="rights are another thing here")
@pytest.mark.parametrize("left", ["the log", "the log and its index"])
def test_a_log_that_was_left_is_read_where_nothing_can_be_written(make_record, tmp_path, left):
    """A process that was killed leaves what it committed in the log; nothing of it is lost."""
    with Store(tmp_path / "live", writes=True) as store:
        store.add([make_record(n) for n in range(1, 6)])
        ignored = shutil.ignore_patterns("*-shm") if left == "the log" else None
        shutil.copytree(tmp_path / "live", tmp_path / "left", ignore=ignored)
    assert (tmp_path / "left" / f"{FILE}-wal").stat().st_size
    with nothing_can_be_written(tmp_path / "left") as there:
        assert len(sl.load_results(there)) == 5
