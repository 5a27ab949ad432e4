"""The store keeps committed records, even if the process is killed, and reports unreadable files in one line."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab.experiments.identities import packed
from searchlab.experiments.runs import GAMES, RUN_KINDS, SEARCHES, Run, RunInstance, RunRecord
from searchlab.experiments.store import FILE, Store
from searchlab.experiments.tables import row
from searchlab.model.limits import Limits

PARTS = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}
BOARD = ((1, 2, 3), (0, 4, 6), (7, 5, 8))


@pytest.fixture(scope="module")
def cells():
    """Return the outcome of a search of the board, by column."""
    return row(sl.solve(sl.Board(BOARD), domain="sliding-tile", engine="readable"))


@pytest.fixture
def record(cells):
    """Make the record of a run."""

    def record(repetition=1, status="solved", **metrics):
        run = Run(RunInstance("a board", BOARD, optimal=3.0), PARTS, repetition=repetition)
        found = {**cells, "status": status}
        return RunRecord(run, found, metrics, "here 1", "2026-11-21T12:00:00Z", {"versions": {"searchlab": "1"}})

    return record


def rows_of(store, **options):
    """Return the cells of each run by column."""
    names = [*store.kind.stored, "run"]
    return [
        dict(zip(names, row, strict=True))
        for columns in store.columns(names, **options)
        for row in zip(*columns, strict=True)
    ]


def test_records_are_read_back(tmp_path, record):
    """By column, the figures as they were, metrics and provenance as plain values."""
    with Store(tmp_path / "new", writes=True) as store:
        store.add([record(effort=1.5)])
    with Store(tmp_path / "new") as store:
        (kept,) = rows_of(store)
        assert store.provenance(kept["provenance"]) == {"versions": {"searchlab": "1"}}
    assert (kept["board_name"], kept["optimal_cost"], kept["attempt"], kept["moves"]) == ("a board", 3.0, 1, 3)
    assert kept["metrics"] == {"effort": 1.5}
    assert kept["identity"] == record().run.identity


def test_a_run_tried_again_gets_another_row_and_the_last_counts(tmp_path, record):
    """Nothing is ever changed or taken away."""
    with Store(tmp_path, writes=True) as store:
        store.add([record(status="time-limit"), record(2)])
        store.add([record(status="solved")])
        assert [(kept["repetition"], kept["attempt"], kept["status"]) for kept in rows_of(store)] == [
            (2, 1, "solved"),
            (1, 2, "solved"),
        ]
        assert len(list(rows_of(store, all_attempts=True))) == 3
        assert set(store.statuses().values()) == {"solved"}


def test_the_number_of_an_attempt_follows_the_last_one_kept(tmp_path, record):
    """Deleted rows leave gaps."""
    with Store(tmp_path, writes=True) as store:
        store.add([record(status="error"), record(status="error")])
    with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
        connection.execute("DELETE FROM runs WHERE attempt = 1")
    with Store(tmp_path, writes=True) as store:
        store.add([record()])
        assert [row["attempt"] for row in rows_of(store)] == [3]


def test_records_are_added_together_or_not_at_all(tmp_path, record):
    broken = RunRecord(record().run, {}, {}, "", "", {})
    with Store(tmp_path, writes=True) as store:
        with pytest.raises(KeyError):
            store.add([record(), broken])
        assert list(rows_of(store)) == []
        store.add([record()])
        assert len(list(rows_of(store))) == 1


@pytest.mark.parametrize(
    ("seed", "message"),
    [(-1, "a record cannot be added: its seed is -1$"), (1.5, "its seed is 1.5$"), (2**63, "a record cannot be added")],
)
def test_a_record_that_could_not_be_read_again_is_not_added(tmp_path, record, make_game, seed, message):
    """The records of before can still be read, and tiles below 0 as well."""
    with Store(tmp_path, writes=True, kind=GAMES) as store:
        store.add([make_game(tile=-6)])
        with pytest.raises(UsageError, match=message):
            store.add([make_game(seed=2), make_game(seed=seed)])
        assert [(row["seed"], row["largest_tile"]) for row in rows_of(store)] == [(1, -6)]


def test_committed_records_survive_a_kill(tmp_path):
    """The process is killed in the middle of a transaction: what came before it is there, of it nothing."""
    program = f"""
import os, signal
from searchlab.experiments.store import Store
from searchlab.experiments.runs import RunRecord, RunInstance, Run
from searchlab.experiments.tables import COLUMNS
cells = {{name: "x" if kind == "string" else 1 for name, kind in COLUMNS.items()}} | {{"status": "solved"}}
def record(repetition):
    parts = {{"domain": "d", "heuristic": "h", "frontier": "f"}}
    return RunRecord(Run(RunInstance("b", ((1,),)), parts, repetition=repetition), cells, {{}}, "w", "now", {{}})
store = Store({str(tmp_path)!r}, writes=True)
store.add(record(k) for k in range(50))
def forever():
    for k in range(50, 1000):
        if k == 700:
            os.kill(os.getpid(), signal.SIGKILL)
        yield record(k)
store.add(forever())
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -signal.SIGKILL
    with Store(tmp_path, writes=True) as store:
        assert len(store.statuses()) == 50


def test_one_process_writes_and_many_read(tmp_path, record):
    """A second writer is refused in one line; readers see committed records."""
    with Store(tmp_path, writes=True) as store:
        store.add([record()])
        with pytest.raises(UsageError, match="another process is running this experiment"):
            Store(tmp_path, writes=True)
        with Store(tmp_path) as reader:
            assert len(list(rows_of(reader))) == 1
    Store(tmp_path, writes=True).close()


@pytest.mark.parametrize("taken", [".", FILE, f"{FILE}-wal", "lock"])
def test_deleting_or_replacing_the_file_while_writing_is_noticed(tmp_path, record, taken):
    """The folder, the file, its log or the lock, at the next commit."""
    with Store(tmp_path / "it", writes=True) as store:
        store.add([record()])
        (tmp_path / "it" / taken).rename(tmp_path / "elsewhere")
        with pytest.raises(MachineError, match="deleted or replaced while being written"):
            store.add([record(2)])
    with Store(tmp_path / "it", writes=True) as store:
        store.add([record(2)])


def test_a_folder_without_results_is_an_error(tmp_path):
    """A reader creates no file."""
    with pytest.raises(UsageError, match="no results here"):
        Store(tmp_path)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("content", [b"not a database, and long enough to be none" * 30, b"\0" * 4096])
def test_other_files_are_refused_and_not_changed(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    for writes in (False, True):
        with pytest.raises(UsageError, match=FILE):
            Store(tmp_path, writes=writes)
    assert (tmp_path / FILE).read_bytes() == content


def test_other_and_newer_databases_are_refused(tmp_path, record):
    """The first says what it is not, the second what to do."""
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(UsageError, match="not a file of results of searchlab"):
        Store(tmp_path, writes=True)
    newer = tmp_path / "newer"
    Store(newer, writes=True).close()
    connection = sqlite3.connect(newer / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UsageError, match="written by a newer searchlab"):
        Store(newer)


def test_searches_and_games_need_separate_folders(tmp_path, record, make_game):
    """The version of the schema says what a file holds; that of searches is what it always was."""
    for kind, made in ((SEARCHES, record()), (GAMES, make_game())):
        with Store(tmp_path / kind.name, writes=True, kind=kind) as store:
            store.add([made])
        with Store(tmp_path / kind.name) as store:
            assert store.kind is kind
            assert [row["identity"] for row in rows_of(store)] == [made.run.identity]
        connection = sqlite3.connect(tmp_path / kind.name / FILE)
        assert connection.execute("PRAGMA user_version").fetchone() == (kind.schema,)
        connection.close()
    assert [kind.schema for kind in RUN_KINDS] == [1, 2]
    with pytest.raises(UsageError, match="searches: holds searches; let games have a folder of their own"):
        Store(tmp_path / "searches", writes=True, kind=GAMES)
    refused = pytest.raises(UsageError, match=r"searches holds searches, .*games games")
    with Store(tmp_path / "searches", writes=True) as into, Store(tmp_path / "games") as other, refused:
        into.merge(other)


def test_merging_stores_keeps_common_runs_once(tmp_path, record):
    with Store(tmp_path / "a", writes=True) as one, Store(tmp_path / "b", writes=True) as other:
        one.add([record(1), record(2)])
        other.add([record(2), record(3, effort=2)])
        assert one.merge(other) == (1, 1)
        assert one.merge(other) == (0, 2)
        assert sorted(kept["repetition"] for kept in rows_of(one)) == [1, 2, 3]


def test_specifications_are_merged(tmp_path, record):
    """New ones follow those that exist."""
    with Store(tmp_path / "a", writes=True) as one, Store(tmp_path / "b", writes=True) as other:
        one.specify("first", "now")
        other.specify("first", "now")
        other.specify("second", "later")
        one.merge(other)
        one.merge(other)
    connection = sqlite3.connect(tmp_path / "a" / FILE)
    assert connection.execute("SELECT content, added FROM specifications ORDER BY id").fetchall() == [
        ("first", "now"),
        ("second", "later"),
    ]
    connection.close()


def test_a_failed_merge_changes_nothing(tmp_path, record):
    with Store(tmp_path / "a", writes=True) as one, Store(tmp_path / "b", writes=True) as other:
        one.add([record(1)])
        other.add([record(2), record(3)])
        other._connection.execute("UPDATE runs SET metrics = '{' WHERE repetition = 3")
        with pytest.raises(UsageError, match=r"b/results\.sqlite: damaged: run 2: its metrics cannot be read: JSONDec"):
            one.merge(other)
        assert len(one.statuses()) == 1


def test_runs_that_ended_with_a_status_are_those_whose_last_attempt_did(tmp_path, record):
    """With the numbers they were given, in the order of the records."""
    with Store(tmp_path, writes=True) as store:
        store.number(packed(record(n).run.identity for n in (3, 2, 1)))
        store.add([record(1, "error"), record(2, "error"), record(3), record(4, "error")])
        store.add([record(2), record(3, "error")])
        assert store.ended("error") == [(3, record(1).run.identity, 1, None), (1, record(3).run.identity, 3, None)]
        assert store.ended("exhausted") == []
        store._connection.execute("UPDATE runs SET reason = X'00'")
        with pytest.raises(UsageError, match="damaged: run 1: its reason is b'"):
            store.ended("error")


def test_an_index_that_lacks_a_row_is_damage_before_a_row_is_added(tmp_path, record):
    """What is recorded is found without indexes, and can still be read."""
    with Store(tmp_path, writes=True) as store:
        store.add([record(1), record(2)])
    spoil_index(tmp_path / FILE, record(1).run.identity)
    for add in (lambda store: store.add([record(3)]), lambda store: store.check_can_add()):
        with Store(tmp_path, writes=True) as store, pytest.raises(UsageError, match=r"damaged: .* from index"):
            add(store)
        with Store(tmp_path) as store:
            assert len(store.statuses()) == 2
    with Store(tmp_path, writes=True) as store:  # rows of other tables are added
        store.specify("{}", "now")
        store.number(packed([record(3).run.identity]))


def spoil_index(file, identity):
    """Change an identity in the index of the runs, and not in their table."""
    content = file.read_bytes()
    places = [place for place in range(len(content)) if content.startswith(identity.encode(), place)]
    for place in places:
        file.write_bytes(content[:place] + b"0" * 32 + content[place + 32 :])
        with closing(sqlite3.connect(file)) as connection:
            if connection.execute("SELECT 1 FROM runs NOT INDEXED WHERE identity = ?", (identity,)).fetchone():
                return
    raise AssertionError(places)


def test_the_identity_of_a_search_depends_on_its_problem():
    """Limits, seeds, repetitions and the code of plugins count; the name of the board does not."""
    run = Run(RunInstance("here.txt", BOARD), PARTS)
    same = Run(RunInstance("there.txt", BOARD, optimal=3), PARTS, plugins={})
    assert run.identity == same.identity
    others = [
        Run(RunInstance("here.txt", BOARD[::-1]), PARTS),
        Run(RunInstance("here.txt", BOARD), PARTS, limits=sl.Limits(seconds=1)),
        Run(RunInstance("here.txt", BOARD), PARTS, seed=1),
        Run(RunInstance("here.txt", BOARD), PARTS, repetition=2),
        Run(RunInstance("here.txt", BOARD), PARTS, plugins={"a": "1"}),
        Run(RunInstance("here.txt", None, "unreadable"), PARTS),
    ]
    assert len({run.identity, *(other.identity for other in others)}) == len(others) + 1


def test_the_identity_of_a_search_is_stable():
    """Runs recorded by earlier versions are not made again."""
    parts = {"domain": "sliding-tile", "heuristic": "a/mine.py:h:corner=-2", "frontier": "beam:width=3"}
    run = Run(RunInstance("b", ((1, 2), (3, 0))), parts, sl.Limits(10), "auto", None, 4, 2, {"x": "y"})
    assert run.identity == "b71a289d37b55552e4fb18bbd8413014"


def test_the_identity_of_a_game_depends_on_its_setup():
    """By whom, with which seed and limits, and by which code; not in which folder its file is."""
    opening = RunInstance("", None)

    def game(player="greedy:heuristic=[a/mine.py:h:k=1]", instance=opening, domain="2048-random", **others):
        return Run(instance, {"domain": domain, "player": player}, **{"seed": 1, **others})

    assert game().identity == game("greedy:heuristic=[b/c/mine.py:h:k=1]").identity
    others = [
        game("random"),
        game("greedy:heuristic=[a/mine.py:h:k=2]"),
        game(domain="2048-random:n=3"),
        game(instance=RunInstance("a", BOARD)),
        game(seed=2),
        game(repetition=2),
        game(most_moves=7),
        game(limits=sl.Limits(seconds=1)),
        game(plugins={"a": "1"}),
    ]
    assert len({game().identity, *(other.identity for other in others)}) == len(others) + 1


@pytest.mark.parametrize("limit", [1, 1.0, 10])
@pytest.mark.parametrize("rows", [((1, 0),), None])
def test_an_identity_is_the_digest_of_sorted_json(limit, rows):
    instance = RunInstance("é", rows, static="abc")
    parts = {"domain": "sliding-tile", "heuristic": "folder/mine.py:h", "frontier": "astar"}
    run = Run(instance, parts, Limits(seconds=limit, expansions=7), seed=3, repetition=2, plugins={"b": "2", "a": "1"})
    content = {
        "format": 1,
        "board": rows or ["é", ""],
        "searched": ["sliding-tile", "mine.py:h", "astar", "auto", None],
        "limits": [limit, None, 7],
        "number": [3, 2],
        "plugins": {"a": "1", "b": "2"},
        "static": "abc",
    }
    assert run.identity == hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]
