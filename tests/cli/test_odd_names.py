"""Names that the system gives nobody, or that lead nowhere: one line, exit code 2."""

from __future__ import annotations

import os

import pytest

import searchlab as sl

BOARD = "2\n2 0\n0 2\n"


@pytest.mark.parametrize("where", [".", "./", "..", "/"])
def test_an_experiment_is_named_after_its_folder(run, folder, write, monkeypatch, where):
    """Even if the path has no name, such as `.`; the root holds no boards."""
    write("mine/b.txt", BOARD)
    (folder / "mine" / "below").mkdir()
    monkeypatch.chdir("mine/below" if where == ".." else "mine")
    ran = run("run", where, "--dry-run", "--domain", "2048:goal=4")
    if where == "/":
        assert ran.error == "boards: /: no boards here; a folder of boards holds one .txt file per board"
    else:
        assert (ran.code, ran.out.splitlines()[0]) == (0, "mine")


WITH_A_LOOP = {
    "output": ("solve", "--engine", "readable", "--goal", 8, "--output", "loop"),
    "record": ("solve", "--engine", "readable", "--goal", 8, "--record", "loop"),
    "board": ("solve", "loop"),
    "plugin": ("solve", "--plugin", "loop.py"),
    "heuristic": ("solve", "--heuristic", "loop.py:f"),
    "experiment": ("run", "loop.toml"),
    "results": ("run", "2048/board10", "--output", "loop"),
    "boards": ("boards", "generate", "2048", "--output", "loop"),
    "scaffold": ("plugins", "new", "x", "--output", "loop.py"),
    "network": ("play", "--player", "ntuple:file=loop", "--domain", "2048-random"),
    "learning": ("train", "ntuple", "--games", 1, "--output", "loop"),
}


@pytest.mark.parametrize("arguments", WITH_A_LOOP.values(), ids=WITH_A_LOOP)
def test_circular_links_are_refused(run, folder, arguments):
    """In every option that names a path, before any work."""
    for name in ("loop", "loop.py", "loop.toml"):
        (folder / name).symlink_to(name)
    assert run(*arguments).error


def test_null_characters_are_refused(run):
    """A program may pass one, although no system does."""
    assert run("solve", "--output", "a\0b").error == "an argument cannot contain a null character"
    for call in (sl.player, sl.heuristic, sl.frontier, sl.domain):
        with pytest.raises(sl.UsageError, match=r"a\\x00\.py: no such file"):
            call("a\0.py:f")
        with pytest.raises(sl.UsageError, match="no such file"):
            call("\ud800.py:f")
    for named in (lambda: sl.read_board("\0"), lambda: sl.read_experiment("\0.toml"), lambda: sl.read_network("\0")):
        with pytest.raises((sl.UsageError, sl.BoardError), match="no such file"):
            named()
    with pytest.raises(sl.UsageError, match="no such file"):
        sl.Plugins(["\0.py"])


@pytest.mark.slow
def test_surrogates_in_names_are_refused(run, folder):
    """Experiments refuse them; a board file in a folder may have such a name."""
    with pytest.raises(sl.UsageError, match="no experiment"):
        sl.Experiment.from_json("\ud800")
    for key in ("boards", "heuristics", "players"):
        with pytest.raises(sl.UsageError, match=rf"{key}: .*is not valid UTF-8"):
            sl.Experiment(**{"boards": ["2048/board10"], key: ["\ud800"]})
    with pytest.raises(sl.UsageError, match="is not valid UTF-8"):
        sl.Experiment(boards=["2048/board10"], description="\udcff")
    name = os.fsdecode(b"b\xff.txt")
    (folder / "boards").mkdir()
    (folder / "boards" / name).write_text(BOARD)
    assert "is not valid UTF-8: rename it" in run("run", f"boards/{name}").error
    ran = run("run", "boards", "--domain", "2048:goal=4", "--output", "done")
    assert ran.code == 0, ran
    assert r"boards/b\udcff.txt" in run("results", "done").out


def test_a_record_with_a_long_header(run, write):
    """The message repeats only its beginning."""
    error = run("solve", "--goal", 8, "--engine", "readable", "--record", write("r.csv", "xy" * 2500 + "\n")).error
    assert error.startswith("r.csv: not a record of this version of searchlab")
    assert len(error) < 200
