"""`searchlab cache` shows, lists and clears cached files, and touches no other file of the folder."""

import fcntl
import json
import os
import re

import numpy as np
import pytest

from searchlab.binding import tables
from searchlab.binding.tables import TableBuild, prepared
from searchlab.cli import cache as command
from searchlab.cli.program import main
from searchlab.files.cache import MACHINE_CODE, cache_folder_at
from searchlab.model.formatting import memory

pytestmark = pytest.mark.shortcuts


def numbers(progress):
    return np.zeros(1000, np.uint8)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a cache folder with two functions, a table, an unfinished one, and a file that is not ours."""
    place = tmp_path / "cache"
    monkeypatch.setattr(tables, "_opened", {})
    for module in (tables, command):
        monkeypatch.setattr(module, "cache_folder", lambda: cache_folder_at(place))
    prepared(TableBuild("table \x1b[31mred of heuristic h", numbers, {}))
    for key in ("abcdef012345", "fedcba543210"):
        (place / f"total-{key}{MACHINE_CODE}").write_bytes(bytes(2048))
    (place / "tables" / ("0" * 32 + ".npy")).write_bytes(b"half")
    (place / "tables" / ("0" * 32 + ".lock")).touch()
    (place / "notes.txt").write_text("mine")
    return place


def run(capsys, *arguments):
    code = main(["cache", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_cache_shows_sizes(folder, capsys):
    code, out, _ = run(capsys)
    assert code == 0
    assert out.splitlines()[0] == str(folder)
    code, table, unfinished = out.splitlines()[3:]
    assert code.split()[:5] == ["machine", "code", "2", "4", "KiB"]
    assert unfinished.split()[:5] == ["unfinished", "table", "1", "4", "bytes"]
    assert re.fullmatch(r"table +1 +1\.\d+ KiB .* ago", table)
    shown = json.loads(run(capsys, "--json")[1])
    assert (shown["folder"], [each["count"] for each in shown["holds"]]) == (str(folder), [2, 1, 1])


def test_cache_list_shows_purpose_size_and_key(folder, capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert "\x1b" not in out
    (table,) = [path.stem for path in folder.glob("tables/*.json")]
    assert [table[:6] in line for line in out.splitlines()] == [False, False, True, False]
    listed = json.loads(run(capsys, "list", "--json")[1])
    assert [(entry["kind"], entry["bytes"] > 0) for entry in listed] == [
        *[("machine code", True)] * 2,
        ("table", True),
        ("unfinished table", True),
    ]


@pytest.mark.parametrize(
    ("what", "left", "said"),
    [
        ("tables", ["machine code", "machine code"], "cleared 1 table, {size}\ncleared 1 unfinished table, 4 bytes\n"),
        ("machine-code", ["table", "unfinished table"], "cleared 2 functions, 4 KiB\n"),
        ("000000", ["machine code", "machine code", "table"], "cleared 1 unfinished table, 4 bytes\n"),
        ("all", [], "cleared 2 functions, 4 KiB\ncleared 1 table, {size}\ncleared 1 unfinished table, 4 bytes\n"),
    ],
)
def test_cache_clear_removes_named_entries(folder, capsys, what, left, said):
    table = prepared(TableBuild("table t", numbers, {}))
    size = memory(sum(path.stat().st_size for path in folder.glob("tables/*") if not path.name.startswith("0")))
    assert run(capsys, "clear", what) == (0, said.format(size=size), "")
    assert [entry["kind"] for entry in json.loads(run(capsys, "list", "--json")[1])] == left
    assert (folder / "notes.txt").read_text() == "mine"
    assert table.sum() == 0


def test_a_table_that_is_being_built_stays(folder, capsys):
    with (folder / "tables" / ("0" * 32 + ".lock")).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(capsys, "clear", "000000")[:2] == (0, "nothing to clear\n1 table being built stays\n")
    assert (folder / "tables" / ("0" * 32 + ".npy")).exists()


@pytest.mark.parametrize("name", ["", "0", "nonsense", "all-of-it"])
def test_an_unknown_entry_is_refused(folder, capsys, name):
    code, out, err = run(capsys, "clear", name)
    assert (code, out) == (2, "")
    said = "is neither all, machine-code nor tables, and no key that searchlab cache list shows"
    assert err == f"searchlab: error: {name!r} {said}\n"
    assert len(os.listdir(folder)) == 4
