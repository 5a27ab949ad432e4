"""Prepared tables: built once, kept in files that all processes map, and built again if a file is damaged."""

import json
import mmap
import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding import tables
from searchlab.binding.tables import TableBuild, kept_for_others, prepared
from searchlab.errors import MachineError, PluginError, SearchlabWarning, UsageError
from searchlab.errors.suspension import awaited_now
from searchlab.files.cache import cache_folder_at
from searchlab.model.limits import Progress
from searchlab.model.preparation import listening
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch
from searchlab.testing.contract import Contract
from searchlab.testing.finder import Finder

BOARD = sl.Board([[1, 2, 0], [4, 5, 3], [7, 8, 6]])


def resident(file):
    """Return how much of a mapped file is in this process's memory, and how long it is, in KiB."""
    entry = Path("/proc/self/smaps").read_text(encoding="utf-8").partition(str(file))[2]
    fields = dict(line.split(":", 1) for line in entry.splitlines()[1:20] if ":" in line)
    return tuple(int(fields[name].split()[0]) for name in ("Rss", "Size"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of tables in a cache folder of this test's own."""
    place = tmp_path / "cache"
    monkeypatch.setattr(tables, "_opened", {})
    monkeypatch.setattr(tables, "cache_folder", lambda: cache_folder_at(place))
    return place / "tables"


def in_another_process(build):
    """Return a table as a process gets that has not opened it yet."""
    tables._opened.clear()
    return prepared(build)


class Counted:
    """A build function that notes how often it is called, a digest's business not being how it does that."""

    def __init__(self, array=None):
        self.array = np.arange(1000, dtype=np.uint16) if array is None else array
        self.calls = 0

    def __call__(self, progress, **arguments):
        self.calls += 1
        return self.array

    def digested(self):
        return "counted"


def test_a_table_is_built_once_and_shared_by_processes(folder):
    count = Counted()
    build = TableBuild("table t", count, {"n": 3})
    first, second = prepared(build), in_another_process(build)
    assert count.calls == 1
    assert np.array_equal(first, count.array)
    assert np.array_equal(second, count.array)
    assert not first.flags.writeable
    assert isinstance(second.base, np.memmap)
    assert not np.array_equal(in_another_process(TableBuild("table t", Counted(count.array + 1), {"n": 4})), first)
    files = sorted(path.suffix for path in folder.iterdir())
    assert files == [".json", ".json", ".npy", ".npy"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def populates():
    """Return whether the system brings mapped memory in when it is asked to."""
    try:
        mmap.mmap(-1, 4096).madvise(tables.POPULATE_READ)
    except (OSError, AttributeError):
        return False
    return Path("/proc/self/smaps").exists()


@pytest.mark.skipif(not populates(), reason="a system without it")
def test_a_prepared_table_is_read_into_memory(folder):
    build = TableBuild("table t", Counted(np.zeros(2**22, np.uint8)), {})
    for kept in (prepared(build), in_another_process(build)):
        within, length = resident(next(folder.glob("*.npy")))
        assert within == length > kept.nbytes // 1024


@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 3)), np.array([True, False]), np.asfortranarray(np.arange(6.0).reshape(2, 3)), [[1, 2], [3, 4]]],
)
def test_arrays_of_any_shape_and_order_are_kept(folder, array):
    build = TableBuild("table t", Counted(array), {})
    for table in (prepared(build), in_another_process(build)):
        assert np.array_equal(table, array)
        assert table.flags.c_contiguous


def damaged_in_turn(npy, description):
    """Damage the files of a table in every way there is, one after the other; they are whole each time before."""
    content, said = npy.read_bytes(), description.read_bytes()
    for place in (0, 8, 20, 128, len(content) // 2, len(content) - 1):
        npy.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        yield f"byte {place}"
    for changed in (b"", content[:100], content[:-1], content + b"\0", pickle.dumps([1])):
        npy.write_bytes(changed)
        yield f"{len(changed)} bytes"
    np.save(npy, np.array([{"a": 1}]), allow_pickle=True)
    yield "objects"
    npy.unlink()
    yield "nothing"
    npy.unlink()
    os.mkfifo(npy)
    yield "a pipe"
    for changed in (b"", b"{", b"[]", b"{}", said.replace(b"<u2", b"|O8"), said.replace(b"[1000]", b"[2000]")):
        description.write_bytes(changed)
        yield changed
    other = json.loads(said) | {"key": "0" * 32}
    description.write_text(json.dumps(other))
    yield "another table"


def test_a_damaged_table_is_built_again(folder):
    count = Counted()
    build = TableBuild("table t", count, {})
    prepared(build)
    npy, description = folder / f"{build.key()}.npy", folder / f"{build.key()}.json"
    for times, damage in enumerate(damaged_in_turn(npy, description), 2):
        assert np.array_equal(in_another_process(build), count.array), damage
        assert count.calls == times, damage
        assert np.array_equal(in_another_process(build), count.array), damage
        assert count.calls == times, damage


def test_files_writable_by_others_are_not_used(folder):
    count = Counted()
    build = TableBuild("table t", count, {})
    prepared(build)
    (folder / f"{build.key()}.npy").chmod(0o666)
    in_another_process(build)
    assert count.calls == 2
    assert (folder / f"{build.key()}.npy").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("fault", ["open to all", "cannot be made"])
def test_without_a_cache_folder_each_process_builds_the_table(folder, fault):
    if fault == "open to all":
        folder.parent.mkdir()
        folder.parent.chmod(0o777)
    else:
        folder.parent.write_text("a file")
    build = TableBuild("table t", Counted(), {})
    with pytest.warns(SearchlabWarning, match="table t is not kept, so each process builds it: .*SEARCHLAB_CACHE_DIR"):
        assert np.array_equal(prepared(build), build.function.array)
    with kept_for_others(), pytest.raises(MachineError, match=r"cannot be kept for the workers: .*SEARCHLAB_CACHE_DIR"):
        in_another_process(build)


def test_an_obstacle_in_the_cache_folder_is_named(folder):
    build = TableBuild("table t", Counted(), {})
    (folder / f"{build.key()}.npy").mkdir(parents=True)
    with pytest.warns(
        SearchlabWarning, match=r"each process builds it: .*[0-9a-f]{32}\.npy: Is a directory; SEARCHLAB"
    ):
        assert np.array_equal(prepared(build), build.function.array)


def test_a_table_in_a_folder_that_cannot_be_written_is_used(folder, monkeypatch):
    build = TableBuild("table t", Counted(), {})
    prepared(build)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with kept_for_others():
        assert np.array_equal(in_another_process(build), build.function.array)
    assert build.function.calls == 1


def test_a_full_disk_is_a_warning_of_one_line(folder):
    build = TableBuild("table t", Counted(np.zeros(2**16)), {})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**14, limits[1]))
    try:
        with pytest.warns(SearchlabWarning, match="table t is not kept, so each process builds it: .*File too large"):
            assert np.array_equal(prepared(build), build.function.array)
        with kept_for_others(), pytest.raises(MachineError, match="File too large; SEARCHLAB_CACHE_DIR can name"):
            in_another_process(build)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(folder.iterdir())


def returning(value):
    return lambda progress: value


def failing(progress):
    raise SystemExit("no\nmore")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (returning(None), "table t: its build function returned None, not an array of numbers"),
        (returning("abc"), "table t: its build function returned 'abc', not an array of numbers"),
        (returning(3), "table t: its build function returned 3, not an array of numbers"),
        (returning([[1], [2, 3]]), "table t cannot be built: ValueError"),
        (failing, "table t cannot be built: SystemExit: no more"),
    ],
)
def test_an_invalid_build_function_is_an_error_of_one_line(folder, function, said):
    with pytest.raises(PluginError) as told:
        prepared(TableBuild("table t", function, {}))
    assert str(told.value).startswith(said)
    assert "\n" not in str(told.value)
    assert not list(folder.iterdir())


def test_ctrl_c_ends_a_build_and_leaves_no_files(folder):
    def interrupted(progress):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        prepared(TableBuild("table t", interrupted, {}))
    assert not list(folder.iterdir())


def test_watchers_see_the_progress_of_a_table(folder):
    def steps(progress):
        progress(1, 4)
        progress(Progress("searching", expanded=70_000))
        progress(Progress("searching", expanded=70_000, states=80_000))
        return [1]

    seen = []
    with listening(seen.append):
        prepared(TableBuild("table t", steps, {}))
    assert [told.summary for told in seen] == [
        "building table t",
        "building table t, 25%",
        "building table t, 70 k done",
        "building table t, 88%",
        "table t built",
    ]


PROCESS = """
import os, sys, time
import numpy as np
from searchlab.binding.tables import TableBuild, prepared

def build(progress, log, hangs):
    with open(log, "a") as file:
        file.write("began\\n")
    time.sleep(60 if os.path.exists(hangs) else 0.3)
    return np.arange(1000)

print(prepared(TableBuild("table t", build, {"log": sys.argv[1], "hangs": sys.argv[2]})).sum())
"""


def test_a_process_takes_over_the_build_of_a_killed_one(folder, tmp_path):
    log, hangs, program = (tmp_path / name for name in ("log", "hangs", "program.py"))
    program.write_text(textwrap.dedent(PROCESS))
    hangs.touch()

    environment = {**os.environ, "SEARCHLAB_CACHE_DIR": str(folder.parent)}

    def started():
        command = [sys.executable, str(program), str(log), str(hangs)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    killed = started()
    while not log.exists():
        time.sleep(0.01)
    waiting = [started(), started()]
    time.sleep(0.2)
    hangs.unlink()
    killed.kill()
    killed.communicate()
    assert [process.communicate()[0] for process in waiting] == ["499500\n", "499500\n"]
    assert log.read_text() == "began\n" * 2
    assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".npy"]


def off_by_row(tiles, rows_off):
    total = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            total += rows_off[tiles[row, column], row]
    return total


def rows_off(progress, rows, columns, goal_row, domain):
    assert domain.name == "sliding-tile"
    time.sleep(0.2)
    table = np.abs(np.arange(rows) - np.asarray(goal_row).reshape(-1, 1))
    table[0] = 0
    return table.astype(np.uint8)


OFF = sl.Heuristic("rows-off", off_by_row, domains={"sliding-tile"}, admissible=True, tables={"rows_off": rows_off})


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_a_search_prepares_its_tables_before_its_time_begins(folder, engine):
    heuristic = sl.heuristic(OFF, domain="sliding-tile")
    result = sl.solve(BOARD, domain="sliding-tile", heuristic=heuristic, engine=engine, limits=sl.Limits(seconds=0.15))
    assert (result.status, result.moves, result.engine) == ("solved", 2, engine)
    assert heuristic(BOARD) == 2
    assert len(list(folder.glob("*.npy"))) == 1


def test_deadlines_are_suspended_while_a_table_is_built(folder):
    seen = []

    def build(progress):
        seen.append(awaited_now())
        return [1]

    prepared(TableBuild("table t", build, {}))
    assert (seen, awaited_now()) == (["table t"], "")


def noted(events, seconds=0.0):
    """Return a build function that takes some seconds and notes that it was called; its table is a 1."""

    def build(progress):
        time.sleep(seconds)
        events.append("built")
        return np.ones(1)

    return build


def test_an_enumeration_prepares_its_tables_before_its_time_begins(folder):
    def turned(board, t):
        yield "left", sl.Board(np.roll(board.tiles, -1))

    domain = sl.Domain("ring", successors=turned, is_goal=lambda board: False, tables={"t": noted([], 0.3)})
    watch = Watch(sl.Limits(seconds=0.2))
    layers = enumerate_states(sl.Board([[1, 2, 3]]), sl.domain(domain), watch, engine="readable")
    assert sum(layer.states for layer in layers) == 3


def test_tables_of_a_player_are_built_before_it_advises(folder):
    events = []

    def choose(board, moves, judge):
        events.append("asked")
        judge(moves[0].board)
        return moves[0].action

    judge = sl.Heuristic("judge", lambda tiles, t: float(t[0]), domains={"sliding-tile"}, tables={"t": noted(events)})
    parameters = (sl.Parameter("judge", judge, kind="heuristic"),)
    player = sl.Player("chooser", choose, domains={"sliding-tile"}, parameters=parameters)
    sl.advise(BOARD, domain="sliding-tile", player=player)
    assert events == ["built", "asked"]


@pytest.mark.slow
def test_a_check_gives_a_table_more_time_than_a_call(folder):
    slow = sl.Heuristic("slow", lambda tiles, t: t[0], domains={"sliding-tile"}, tables={"t": noted([], 0.6)})
    contract = Contract(
        *Finder(sl.Plugins(), "sliding-tile").find(slow),
        board=sl.Board([[1, 2], [3, 0]]),
        seconds=0.1,
        longest_call=0.5,
    )
    assert contract.ask(contract.properties[0]).status == "passed"


def test_heuristics_with_the_same_function_have_separate_tables(folder):
    def first(tiles, t):
        return t[0]

    made = [sl.Heuristic("h", first, tables={"t": returning([value])}) for value in (5, 6)]
    assert [sl.heuristic(component, domain="sliding-tile")(BOARD) for component in made] == [5, 6]


def test_a_table_is_no_parameter(folder):
    assert "rows_off" not in [parameter.name for parameter in OFF.own_parameters()]
    with pytest.raises(UsageError, match="has no parameter 'rows_off'"):
        sl.heuristic(OFF, domain="sliding-tile", rows_off=3)


def lines_of(progress, path):
    with open(path) as file:
        return [len(line) for line in file]


def test_an_edited_file_parameter_rebuilds_the_table(folder, tmp_path):
    file = tmp_path / "map.txt"
    path = sl.Parameter("path", "", kind="file")
    component = sl.Heuristic("h", lambda tiles, t: t[0], parameters=(path,), tables={"t": lines_of})
    values = []
    for content in ("abc", "abcd", "abc"):
        file.write_text(content)
        values.append(sl.heuristic(component, domain="sliding-tile", path=str(file))(BOARD))
    assert values == [3, 4, 3]
    assert len(list(folder.glob("*.npy"))) == 2


def test_a_table_that_needs_itself_is_an_error(folder):
    tables = {"a": lambda progress, b: b, "b": lambda progress, a: a}
    heuristic = sl.Heuristic("circle", lambda tiles, a: a[0], tables=tables)
    with pytest.raises(PluginError, match="table a of heuristic circle: to build it takes the table itself"):
        sl.heuristic(heuristic, domain="sliding-tile")(BOARD)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: sl.Heuristic("h", off_by_row, tables={"a b": rows_off}), "no argument can be called that"),
        (lambda: sl.Heuristic("h", off_by_row, tables=[rows_off]), "tables is a dict of functions by name, not"),
        (lambda: sl.Heuristic("h", off_by_row, tables={"t": 3}), r"tables\['t'\] is 3, not a function \(progress\)"),
        (
            lambda: sl.Heuristic("h", off_by_row, parameters=(sl.Parameter("t", 1),), tables={"t": rows_off}),
            "'t' is both a parameter and a prepared table",
        ),
    ],
)
def test_an_invalid_declaration_is_refused(made, said):
    with pytest.raises((TypeError, ValueError), match=said):
        made()


def test_a_table_named_like_a_value_of_the_domain_is_refused(folder):
    heuristic = sl.Heuristic("h", lambda tiles, goal_row: 0, tables={"goal_row": rows_off})
    with pytest.raises(PluginError, match="'goal_row' is both a name of its domain's and a prepared table"):
        sl.solve(BOARD, domain="sliding-tile", heuristic=sl.heuristic(heuristic, domain="sliding-tile"))
