"""Runs are read from a store column by column: some columns are read like all, in parts, with numbers and metrics."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments import store as store_module
from searchlab.experiments.identities import packed
from searchlab.experiments.loading import read_results
from searchlab.experiments.store import FILE, Store, merge_into


@pytest.fixture
def folder(tmp_path, make_record):
    """A store of runs on four boards; one was tried twice; with metrics."""
    metrics = [{"depth": 3}, {}, {"depth": 4.5, "name": "x"}, {"depth": None}, {"depth": 2}]
    records = [
        make_record(board, "taxicab", expanded=board, plugins={"mine": "1"}, metrics=recorded)
        for board, recorded in zip((1, 2, 3, 2, 4), metrics, strict=True)
    ]
    with Store(tmp_path / "results", writes=True) as store:
        store.number(packed([records[4].run.identity, records[0].run.identity]))
        store.add(records)
    return tmp_path / "results"


@pytest.mark.parametrize("at_once", [1, 2, 10_000])
def test_some_columns_are_read_as_with_all(folder, monkeypatch, at_once):
    monkeypatch.setattr(store_module, "AT_ONCE", at_once)
    of_all = sl.load_results(folder)
    assert of_all["run"].tolist() == [2, 4, 3, 1]  # board 2 was tried again after board 3; unnumbered runs follow
    for names in (
        ["run"],
        ["plugins", "board_name"],
        ["status", "finished", "identity"],
        ["depth", "seconds"],
        list(of_all.columns),
    ):
        some = sl.load_results(folder, columns=names)
        assert sorted(some.columns) == sorted(names)
        assert some.equals(of_all[[name for name in of_all.columns if name in names]])
        assert some.dtypes.equals(of_all[list(some.columns)].dtypes)


def test_columns_that_are_read_together_are_read_exactly(tmp_path, make_record, monkeypatch):
    strange = [
        {"expanded": 2**53 + 1, "moves": 2**63 - 1, "cost": 0.1, "reason": 'a "quoted" \x00 \x1b[31m line\u2028 ü 🂡'},
        {"expanded": 0, "moves": None, "cost": float("inf"), "reason": None},
        {"expanded": 1, "moves": 0, "cost": None, "reason": "null"},
    ]
    records = [make_record(number, "taxicab") for number in range(4)]
    changed = [
        replace(record, cells={**record.cells, **cells}) for record, cells in zip(records[1:], strange, strict=True)
    ]
    with Store(tmp_path, writes=True) as store:
        store.add([records[0], *changed])
        found = store.alike(store.kind.stored)
    assert {"heuristic", "status", "reason", "expanded", "moves", "optimal"} <= {*found}
    assert not {"cost", "seconds", "finished", "metrics"} & {*found}
    together = sl.load_results(tmp_path)
    assert together["expanded"].tolist()[1:] == [2**53 + 1, 0, 1]
    assert together["moves"].tolist()[1:] == [2**63 - 1, pd.NA, 0]
    assert together["reason"].fillna("none").tolist()[1:] == [strange[0]["reason"], "none", "null"]
    monkeypatch.setattr(store_module, "MOST_ALIKE", 0)
    alone = sl.load_results(tmp_path)
    assert together.equals(alone)
    assert together.dtypes.equals(alone.dtypes)


def change(folder, statement):
    """Change a store as no program of ours would."""
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute(statement)


def test_an_unknown_column_is_an_error(folder):
    with pytest.raises(UsageError, match="there is no column 'expandet': did you mean 'expanded'"):
        sl.load_results(folder, columns=["run", "expandet"])


def test_only_columns_that_are_read_are_checked(folder):
    """A table of some columns can be made of a file in which another is damaged."""
    change(folder, "UPDATE runs SET seconds = 'long'")
    assert len(sl.load_results(folder, columns=["expanded"])) == 4
    with pytest.raises(UsageError, match="damaged: run 1: its seconds is 'long'"):
        sl.load_results(folder, columns=["seconds"])


def test_numbers_that_are_mixed_up_are_damage(folder):
    change(folder, "UPDATE places SET number = -1 WHERE number = 1")
    with pytest.raises(UsageError, match="the numbers of its runs are mixed up"):
        sl.load_results(folder, columns=["run"])


def test_many_stores_are_merged_without_opening_all_at_once(tmp_path, make_record, monkeypatch):
    """In the order of the runs of each."""
    folders = [tmp_path / str(number) for number in range(30)]
    for number, folder in enumerate(folders):
        with Store(folder, writes=True) as store:
            store.add([make_record(number, "taxicab"), make_record(number + 1, "taxicab")])
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/dev/fd")) + 12, hard))
    try:
        taken = list(merge_into(tmp_path / "all", folders))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert taken == [(2, 0), *[(1, 1)] * 29]
    table = sl.load_results(tmp_path / "all", columns=["run", "board_name"])
    assert table["run"].tolist() == list(range(1, 32))


def test_an_identity_that_is_none_is_damage(folder):
    change(folder, "UPDATE runs SET identity = 'abc' WHERE number = 1")
    with pytest.raises(UsageError, match="damaged: an identity has 32 hexadecimal digits"):
        sl.load_results(folder, columns=["run"])


def test_categories_hold_the_same_texts(folder):
    texts = sl.load_results(folder)
    coded = read_results(folder, None, texts="category")
    assert coded["heuristic"].dtype == "category"
    for name in texts.columns:
        assert coded[name].astype(texts[name].dtype).equals(texts[name])
