"""No process of ours runs what happens to lie in the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from searchlab.experiments.processes import import_path, python_module

MODULES = ("click", "json", "msgspec", "numpy", "pandas", "random", "runpy", "socket", "sqlite3", "searchlab_plugins")
EXECUTED = "EXECUTED"
GAMES = ("tournament", "random", "greedy", "--domain", "2048-random:n=2", "--games", "2", "--output", "games")
SEARCHES = ("run", "2048/board10", "--frontier", "greedy", "--output", "searches")


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """The current folder: in it lie modules that others import, and a distribution with a plugin."""
    noted = tmp_path / EXECUTED
    source = (
        f"with open({str(noted)!r}, 'a') as file:\n    file.write(__name__ + '\\n')\nraise ImportError('planted')\n"
    )
    for module in (*MODULES, "planted"):
        (tmp_path / f"{module}.py").write_text(source)
    info = tmp_path / "planted-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[searchlab]\nplanted = planted\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [SEARCHES, GAMES], ids=["run", "tournament"])
def test_experiments_run_no_code_of_the_current_folder(planted, arguments):
    """Neither the command nor its workers import the modules there, and the distribution is no plugin."""
    ran = subprocess.run(
        [*python_module("searchlab"), *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert (ran.returncode, "all done" in ran.stdout + ran.stderr) == (0, True), ran
    assert "planted" not in ran.stdout + ran.stderr
    assert not (planted / EXECUTED).exists(), (planted / EXECUTED).read_text()


def test_python_m_searchlab_does_not_import_from_the_current_folder(planted):
    """Python puts the folder on `sys.path`; it is removed before further imports."""
    for module in ("searchlab_plugins", "runpy"):  # Python imports the latter itself
        (planted / f"{module}.py").unlink()
    command = [sys.executable, "-m", "searchlab", "solve", "2048/board10", "--engine", "readable", "--moves-only"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert (ran.returncode, ran.stdout) == (0, "down down down\n"), ran
    assert not (planted / EXECUTED).exists(), (planted / EXECUTED).read_text()


@pytest.fixture
def program(monkeypatch):
    """Pretend that this process runs a module, or a script."""

    def program(*, script: Path | None = None) -> None:
        module = SimpleNamespace(__spec__=None, __file__=str(script)) if script else SimpleNamespace(__spec__=object())
        monkeypatch.setitem(sys.modules, "__main__", module)

    return program


@pytest.mark.parametrize("entry", ["", ".", "HERE"])
def test_worker_processes_do_not_import_from_the_current_folder(tmp_path, monkeypatch, program, entry):
    """Entries of the installation remain on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    program()
    installed = [place for place in sys.path if os.path.isabs(place)]
    monkeypatch.setattr(sys, "path", [entry.replace("HERE", str(tmp_path)), *installed])
    assert import_path() == tuple(installed)


@pytest.mark.parametrize("named", ["HERE", ".", "/elsewhere:"])
def test_worker_processes_import_from_folders_in_pythonpath(tmp_path, monkeypatch, program, named):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", named.replace("HERE", str(tmp_path)))
    program()
    monkeypatch.setattr(sys, "path", [str(tmp_path), "/elsewhere"])
    assert import_path() == (str(tmp_path), "/elsewhere")


def test_worker_processes_import_from_the_folder_of_the_script(tmp_path, monkeypatch, program):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path), "/elsewhere"])
    program(script=tmp_path / "study.py")
    assert import_path() == (str(tmp_path), "/elsewhere")
    program(script=tmp_path / "elsewhere" / "study.py")
    assert import_path() == ("/elsewhere",)


def test_no_source_of_ours_starts_python_in_another_way():
    """Whoever starts a process asks `searchlab.experiments.processes` for the command, but for jobs of clusters."""
    root = Path(__file__).parents[1]
    files = [file for part in ("searchlab", "plugins") for file in (root / part).rglob("*.py")]
    assert {file.name for file in files if "sys.executable" in file.read_text()} == {"processes.py", "clusters.py"}
