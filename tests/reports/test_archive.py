"""Archives hold what their results need, verify on another machine, and keep no names if they are anonymous."""

import getpass
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from rocrate.rocrate import ROCrate

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments import verification
from searchlab.experiments.scheduler import run_matrix
from searchlab.plugins.registry import Plugins
from searchlab.reports import archive as archive_module
from searchlab.reports.archive import write_archive

PLUGIN = """
from .helper import weight

def plus(tiles, extra=0):
    wrong = extra
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            wrong += tiles[row, column] != 0 and tiles[row, column] != row * tiles.shape[1] + column + 1
    return weight * wrong
"""
BOARDS = ("1 2 3 / 4 5 6 / 0 7 8", "1 2 3 / 4 0 6 / 7 5 8", "1 0 3 / 4 2 6 / 7 5 8")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder and a user that should not be known."""
    home = tmp_path / "home" / "mallory"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(getpass, "getuser", lambda: "mallory")
    monkeypatch.chdir(home)
    return home


@pytest.fixture
def folder(home):
    """Results of searches by a plugin file that imports another, on boards in a folder, recorded by absolute paths."""
    (home / "code").mkdir()
    (home / "code" / "mine.py").write_text(PLUGIN)
    (home / "code" / "helper.py").write_text("weight = 1\n")
    (home / "puzzles").mkdir()
    for number, board in enumerate(BOARDS):
        (home / "puzzles" / f"{number}.txt").write_text("3\n" + board.replace(" / ", "\n"))
    (home / "puzzles" / "set.toml").write_text('domain = "sliding-tile"\n')
    experiment = sl.Experiment(
        name="mine",
        boards=[str(home / "puzzles"), "sliding-tile/puzzle8-20"],
        heuristics=[f"{home}/code/mine.py:plus:extra=1", "code/mine.py:plus"],
        engine="readable",
    )
    sl.run(experiment, folder=home / "results", workers=1)
    return home / "results"


def contents(path):
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def small(monkeypatch):
    """Archives without searchlab itself."""
    monkeypatch.setattr(archive_module, "_wheel", lambda distribution: ("searchlab.whl", b""))


@pytest.mark.usefixtures("small")
def test_an_archive_has_the_files_that_its_results_name(folder):
    report = write_archive(folder, folder / "made.zip", Plugins())
    files = contents(folder / "made.zip")
    assert {name for name in files if name.startswith("files/")} == {
        "files/code/mine.py",
        "files/code/helper.py",
        *(f"files/puzzles/{number}.txt" for number in range(3)),
        "files/puzzles/set.toml",
    }
    assert report.runs == 8
    named = json.loads(files["results/experiment.json"])
    assert named["boards"] == ["puzzles", "sliding-tile/puzzle8-20"]
    assert named["heuristics"] == ["code/mine.py:plus:extra=1", "code/mine.py:plus"]
    assert files["runs.csv"].count(b"\n") == 9
    assert b"--plugin files/code/mine.py" in files["README.md"]
    assert b"numpy==" in files["requirements.txt"]


@pytest.mark.usefixtures("small")
def test_an_archive_is_verified_in_another_folder(folder, tmp_path, monkeypatch, capsys):
    write_archive(folder, tmp_path / "made.zip", Plugins())
    shutil.rmtree(folder.parent / "code")
    shutil.rmtree(folder.parent / "puzzles")
    (there := tmp_path / "there").mkdir()
    shutil.unpack_archive(tmp_path / "made.zip", there)
    monkeypatch.chdir(there)
    assert main(["verify", "."]) == 2
    assert capsys.readouterr().err.endswith("if you trust its code, add --plugin files/code/mine.py\n")
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "there"]) == 2
    assert capsys.readouterr().err.endswith("add --plugin there/files/code/mine.py\n")
    assert main(["verify", "made.zip"]) == 2
    assert capsys.readouterr().err.endswith("unpack the archive and run the command in its README.md\n")
    monkeypatch.chdir(there)
    assert main(["verify", ".", "--plugin", "files/code/mine.py"]) == 0
    assert "8 runs of 8 repeated" in capsys.readouterr().out
    helper = there / "files" / "code" / "helper.py"
    helper.write_text("weight = 3\n")
    assert main(["verify", ".", "--plugin", "files/code/mine.py", "--json"]) == 1
    outcome = json.loads(capsys.readouterr().out)
    assert not outcome["holds"]
    differing = [run for run in outcome["repeated"] if not run["holds"]]
    assert all(run["causes"] == ["the code of mine differs"] for run in differing)
    assert any("evaluated" in run["differences"] or "lower_bound" in run["differences"] for run in differing)


@pytest.mark.usefixtures("small")
def test_verify_states_a_reason_once_for_all_runs_that_cannot_be_repeated(tmp_path, monkeypatch, capsys):
    """The plugin file that is named has another heuristic."""
    monkeypatch.chdir(tmp_path)
    code = (
        "import searchlab as sl\nhooks = sl.plugin(sl.Heuristic('none', lambda tiles: 0, domains={'sliding-tile'}))\n"
    )
    Path("none.py").write_text(code)
    boards = ["sliding-tile/puzzle8-20", "sliding-tile/puzzle8-21"]
    plugins = Plugins(files=["none.py"])
    experiment = sl.Experiment(boards=boards, heuristics=["none"], engine="readable", limits=sl.Limits(expansions=5))
    sl.run(experiment, folder="results", workers=1, plugins=plugins)
    write_archive(Path("results"), Path("made.zip"), plugins)
    Path("none.py").write_text(code.replace("'none'", "'other'"))
    assert main(["verify", "made.zip", "--plugin", "none.py"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "0 with the recorded figures, 2 not: runs 1 and 2 cannot be repeated: no heuristic is called 'none'" in out
    assert out.count("no heuristic is called 'none'") == 1


@pytest.mark.usefixtures("small")
def test_verify_says_how_to_load_a_plugin_that_registers_a_heuristic(tmp_path, monkeypatch, capsys):
    """That is a usage error with one line; following it repeats the runs."""
    monkeypatch.chdir(tmp_path)
    Path("code").mkdir()
    Path("code/zero.py").write_text(
        "import searchlab as sl\nhooks = sl.plugin(sl.Heuristic('zero', lambda tiles: 0, domains={'sliding-tile'}))\n"
    )
    plugins = Plugins(files=["code/zero.py"])
    boards = ["sliding-tile/puzzle8-20"]
    experiment = sl.Experiment(boards=boards, heuristics=["zero"], engine="readable", limits=sl.Limits(expansions=5))
    sl.run(experiment, folder="results", workers=1, plugins=plugins)
    write_archive(Path("results"), Path("made.zip"), plugins)
    shutil.unpack_archive("made.zip", "there")

    def refused(path):
        assert main(["verify", path]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        return said.err.removeprefix("searchlab: error: run 1 uses the plugin zero, which is not loaded: ").rstrip()

    assert refused("made.zip") == "unpack the archive and run the command in its README.md"
    assert refused("there") == "add --plugin there/files/code/zero.py"
    assert main(["verify", "there", "--plugin", "there/files/code/zero.py"]) == 0
    assert main(["verify", "made.zip", "--plugin", "code/zero.py"]) == 0
    capsys.readouterr()
    assert refused("results").startswith("no heuristic is called 'zero'")
    Path("there/files/zero.py").touch()
    assert refused("there") == "run the command in there/README.md"


@pytest.mark.usefixtures("small")
def test_an_anonymous_archive_has_no_name_in_any_byte(folder, home):
    report = write_archive(folder, home / "anonymous.zip", Plugins(), anonymous=True)
    for name, content in contents(home / "anonymous.zip").items():
        for text in ("mallory", socket.gethostname(), str(home), os.fspath(home.parent)):
            assert not re.search(rf"\b{re.escape(text)}\b".encode(), content), (name, text)
        assert not re.search(rb"(?<![\w.:/~<-])/(?:home|tmp|root|work)/\w", content), name
    assert report.replaced["names of machines"] >= 8
    plain = write_archive(folder, home / "plain.zip", Plugins())
    assert plain.replaced == {}
    assert socket.gethostname().encode() in contents(home / "plain.zip")["results/results.sqlite"]


@pytest.mark.usefixtures("small")
def test_an_anonymous_archive_refuses_code_with_a_name(folder, home):
    (home / "code" / "mine.py").write_text(f"# by mallory\n{PLUGIN}")
    with pytest.raises(sl.UsageError, match=r"code/mine\.py, line 1: has the user's name; remove it"):
        write_archive(folder, home / "anonymous.zip", Plugins(), anonymous=True)
    assert not (home / "anonymous.zip").exists()


@pytest.mark.usefixtures("small")
def test_an_archive_needs_the_files_that_are_named(folder, home):
    (home / "code" / "mine.py").rename(home / "code" / "other.py")
    with pytest.raises(sl.UsageError, match=r"mine\.py"):
        write_archive(folder, home / "made.zip", Plugins())


@pytest.mark.usefixtures("small")
def test_the_metadata_is_a_crate(folder, tmp_path):
    write_archive(folder, tmp_path / "made.zip", Plugins())
    shutil.unpack_archive(tmp_path / "made.zip", tmp_path / "there")
    crate = ROCrate(tmp_path / "there")
    assert crate.name == "mine"
    assert {entity.id for entity in crate.data_entities} >= {"results/results.sqlite", "runs.csv", "files/code/mine.py"}
    (action,) = [entity for entity in crate.contextual_entities if entity.type == "CreateAction"]
    assert action["instrument"].id == "#searchlab"
    assert {entity.id for entity in action["result"]} == {"results/results.sqlite", "runs.csv"}


@pytest.mark.usefixtures("small")
def test_several_machines_are_told_apart(folder, tmp_path):
    with sqlite3.connect(folder / "results.sqlite") as store:
        ((content,),) = store.execute("SELECT content FROM provenance").fetchall()
        store.execute("INSERT INTO provenance (content) VALUES (?)", (content.replace(socket.gethostname(), "node18"),))
        store.execute("UPDATE runs SET provenance = 2 WHERE number = 1")
    store.close()
    write_archive(folder, tmp_path / "made.zip", Plugins(), anonymous=True)
    shutil.unpack_archive(tmp_path / "made.zip", tmp_path / "there")
    table = sl.load_results(tmp_path / "there" / "results")
    assert sorted(table["host"].unique()) == ["machine-1", "machine-2"]


@pytest.mark.usefixtures("small")
def test_runs_of_which_only_replaced_names_differ_share_a_provenance(folder, home):
    with sqlite3.connect(folder / "results.sqlite") as store:
        ((content,),) = store.execute("SELECT content FROM provenance").fetchall()
        for number in (2, 3):
            changed = content.replace('"versions"', f'"folder": "/srv/{number}/data/place", "versions"')
            store.execute("INSERT INTO provenance (content) VALUES (?)", (changed,))
            store.execute("UPDATE runs SET provenance = ? WHERE number = ?", (number, number))
    store.close()
    write_archive(folder, home / "made.zip", Plugins(), anonymous=True)
    shutil.unpack_archive(home / "made.zip", home / "there")
    with sqlite3.connect(home / "there" / "results" / "results.sqlite") as store:
        assert store.execute("SELECT provenance, COUNT(*) FROM runs GROUP BY 1").fetchall() == [(1, 6), (2, 2)]
    store.close()


def test_a_file_that_is_no_archive_is_refused(home, capsys):
    Path("some.zip").write_bytes(b"PK nothing")
    assert main(["verify", "some.zip"]) == 2
    assert "some.zip: not an archive of searchlab archive, or a damaged one" in capsys.readouterr().err


def test_runs_that_depend_on_the_machine_are_not_drawn(home, capsys):
    limits = sl.Limits(seconds=0)
    experiment = sl.Experiment(boards=["sliding-tile/puzzle8-31"], engine="readable", limits=limits)
    sl.run(experiment, folder="late", workers=1)
    assert main(["verify", "late"]) == 2
    assert "nothing to verify: all its runs ended at a limit" in capsys.readouterr().err.replace("\n", " ")


def test_ctrl_c_ends_a_verification(home, monkeypatch, capsys):
    """Runs that were not done are no runs that differ."""
    experiment = sl.Experiment(boards=["sliding-tile/puzzle8-2*"], engine="readable")
    sl.run(experiment, folder="results", workers=1)

    def stopped(*arguments, **options):
        state = run_matrix(*arguments, **options)
        state.stopping = True
        return state

    monkeypatch.setattr(verification, "run_matrix", stopped)
    assert main(["verify", "results"]) == 130
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_an_archive_verifies_in_an_empty_environment(home, tmp_path):
    """By the two commands of its README; packages come from the present environment."""
    experiment = sl.Experiment(boards=["sliding-tile/puzzle8-20", "2048/board10"], engine="readable")
    sl.run(experiment, folder="results", workers=1)
    assert main(["archive", "results", "--output", str(tmp_path / "made.zip")]) == 0
    shutil.unpack_archive(tmp_path / "made.zip", tmp_path / "there")
    (wheel,) = (tmp_path / "there" / "wheels").iterdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, tmp_path / "site", wheel], check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, "-m", "searchlab", "verify", "."]
    ran = subprocess.run(command, cwd=tmp_path / "there", env=environment, capture_output=True, text=True)
    assert (ran.returncode, "2 runs of 2 repeated" in ran.stdout) == (0, True), ran
