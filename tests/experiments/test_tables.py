"""Results are read as a tidy table with documented columns, also while the file is in use."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.aggregates import GAME_COLUMNS, SEARCH_COLUMNS
from searchlab.experiments.columns import dtypes
from searchlab.experiments.runs import GAMES, SEARCHES, Run, RunInstance, RunRecord
from searchlab.experiments.store import FILE, Store
from searchlab.experiments.tables import COLUMNS, board_text, row
from searchlab.model.results import STATUSES
from tests.exports import markdown

PARTS = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}
ROOT = Path(__file__).parents[2]
BOARD = ((1, 2, 3), (0, 4, 6), (7, 5, 8))
EXAMPLE = sl.Board(BOARD)
NOBODY = 65534


def test_large_numbers_are_exact_beside_missing_ones(make_record, make_results):
    """Such as a seed beyond 2^53."""
    results = sl.load_results(make_results([make_record(seed=2**63 - 1), make_record(2)]))
    assert results["seed"].tolist() == [2**63 - 1, pd.NA]


def test_a_row_holds_the_outcome_of_a_search(make_results):
    """The figures are those that the search returned; the other cells are its arguments."""
    result = sl.solve(sl.Board(BOARD), domain="sliding-tile", engine="readable")
    limits = sl.Limits(10, expansions=50)
    run = Run(
        RunInstance("a board", BOARD, optimal=3.0),
        PARTS,
        limits=limits,
        seed=4,
    )
    machine = {"host": "here", "system": "Linux 6", "processor": "x86_64", "cores": 2}
    provenance = {"versions": {"b": "2", "a": "1"}, "machine": machine, "plugins": {"mine": "ff"}}
    record = RunRecord(run, row(result), {}, "here 7", "2026-11-21T12:00:00.250+01:00", provenance)
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


def test_missing_values_are_missing_cells(make_record, make_results):
    """No solution, no seed, no limit, no plugins: no value, in columns that keep their types."""
    table = sl.load_results(make_results([make_record(status="time-limit", limit=None)]))
    absent = ["moves", "cost", "actions", "seed", "limit_seconds", "limit_memory", "optimal_cost", "plugins", "reason"]
    assert table.loc[0, absent].isna().all()
    assert table.dtypes.astype(str).to_dict() == dtypes(SEARCHES.columns)
    assert list(table["status"].cat.categories) == list(STATUSES)


def test_a_table_without_runs_has_the_same_columns_and_types(make_results, make_record):
    empty = sl.load_results(make_results([]))
    assert len(empty) == 0
    assert empty.dtypes.astype(str).to_dict() == dtypes(SEARCHES.columns)


@pytest.mark.parametrize(
    ("columns", "types"),
    [(SEARCHES.columns, True), (GAMES.columns, True), (SEARCH_COLUMNS, False), (GAME_COLUMNS, False)],
    ids=["searches", "games", "aggregates of searches", "aggregates of games"],
)
def test_columns_are_the_documented_ones(columns, types):
    """In docs/columns.md or, of groups, docs/results.md: in the same order, with the same types and descriptions."""
    page = "columns.md" if types else "results.md"
    assert f"\n\n{markdown(columns, types=types)}\n" in (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert all(column.doc for column in columns)


@pytest.mark.parametrize("kind", [SEARCHES, GAMES])
def test_each_column_is_defined_once(kind):
    defined = [column.name for column in (*kind.of_run, *kind.of_outcome, *kind.of_record)]
    assert len(set(defined)) == len(defined)
    assert set(defined) - {"metrics", "provenance"} == {column.name for column in kind.columns} | (
        {"optimal_cost"} if kind is GAMES else set()
    )


def test_tables_of_games_have_other_columns(make_game, make_results):
    table = sl.load_results(make_results([make_game(), make_game(seed=2, score=None, status="error", limit=None)]))
    assert table.dtypes.astype(str).to_dict() == dtypes(GAMES.columns)
    assert list(table["status"].cat.categories) == list(GAMES.statuses)
    first = table.to_dict("records")[0]
    assert (first["player"], first["seed"], first["score"], first["largest_tile"]) == ("greedy", 1, 100.0, 64)
    assert (first["limit_seconds"], first["status"]) == (10.0, "dead")
    assert table.loc[1, ["score", "largest_tile", "moves", "actions", "limit_seconds", "limit_moves"]].isna().all()
    assert table[["board_name", "board"]].isna().all(axis=None)


def test_metrics_are_columns_of_the_narrowest_type(make_record, make_results):
    """Runs without one have a missing cell; one that is called like a column of ours gets another name."""
    values = [
        {"flag": True, "count": 3, "share": 0.5, "mixed": 1, "words": "x", "thing": [1], "huge": 2**70, "cost": 9},
        {"flag": False, "count": -4, "share": 2, "mixed": "y", "huge": 1},
    ]
    table = sl.load_results(
        make_results([make_record(n, metrics=metrics) for n, metrics in enumerate([*values, None])])
    )
    metrics = table[table.columns[len(SEARCHES.columns) :]]
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


def test_uncommitted_records_are_not_seen_and_do_not_block(make_record, tmp_path):
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
def test_a_read_only_folder_is_read(make_record, make_results):
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
def test_a_leftover_log_is_read_in_a_read_only_folder(make_record, tmp_path, left):
    """A killed process leaves committed records in the log."""
    with Store(tmp_path / "live", writes=True) as store:
        store.add([make_record(n) for n in range(1, 6)])
        ignored = shutil.ignore_patterns("*-shm") if left == "the log" else None
        shutil.copytree(tmp_path / "live", tmp_path / "left", ignore=ignored)
    assert (tmp_path / "left" / f"{FILE}-wal").stat().st_size
    with nothing_can_be_written(tmp_path / "left") as there:
        assert len(sl.load_results(there)) == 5


@pytest.fixture(scope="module")
def results():
    """A solved board and one that was given up."""
    return [
        sl.solve(EXAMPLE, domain="sliding-tile", engine="readable"),
        sl.solve(domain="2048", engine="readable", limits=sl.Limits(expansions=5)),
    ]


def test_each_result_is_a_row(results):
    """The columns are those that are documented, and missing values are missing."""
    table = sl.table(results)
    assert list(table.columns) == list(COLUMNS)
    assert table["status"].tolist() == ["solved", "expansion-limit"]
    assert table["actions"][0] == "right down right"
    assert table["moves"][0] == 3
    assert table.loc[1, ["moves", "cost", "actions"]].isna().all()


def test_the_types_are_tidy(results):
    """Statuses are categories with all there are, counts whole numbers even where some are missing."""
    table = sl.table(results)
    assert isinstance(table["status"].dtype, pd.CategoricalDtype)
    assert "memory-limit" in table["status"].cat.categories
    types = table.dtypes.astype(str)
    assert types[["moves", "cost", "optimal", "expanded", "seconds"]].tolist() == [
        "Int64",
        "Float64",
        "bool",
        "int64",
        "float64",
    ]


def test_one_result_or_none_make_a_table(results):
    assert len(sl.table(results[0])) == 1
    empty = sl.table([])
    assert list(empty.dtypes) == list(sl.table(results).dtypes)


def test_boards_are_named_in_a_line():
    """Small boards are written out, large ones named by shape and hash."""
    assert board_text(EXAMPLE) == "1 2 3 / 0 4 6 / 7 5 8"
    assert board_text(sl.domain("2048", n=9).start()).startswith("9 x 9, hash ")


def test_merged_results_of_two_machines_make_one_table(make_record, make_results):
    folders = [make_results([make_record(n) for n in boards], name) for name, boards in (("a", (1, 2)), ("b", (2, 3)))]
    into = folders[0].with_name("all")
    merged = sl.merge(*folders, into=into)
    assert merged["board_name"].tolist() == [f"boards/{n}.txt" for n in (1, 2, 3)]
    assert len(sl.merge(into, folders[1], into=into)) == 3
    with pytest.raises(sl.UsageError, match="the folder of an experiment"):
        sl.merge(into=into)
