"""`noxfile.py`, which runs the tests with other dependencies and other Pythons."""

import contextlib
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def noxfile():
    """The module; nox refuses to register its sessions twice."""
    pytest.importorskip("nox")
    spec = importlib.util.spec_from_file_location("noxfile", ROOT / "noxfile.py")
    module = importlib.util.module_from_spec(spec)
    with contextlib.chdir(ROOT):
        spec.loader.exec_module(module)
    return module


def test_sessions_are_listed(noxfile):
    listed = subprocess.run([sys.executable, "-m", "nox", "-l"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {*re.findall(r"^\* (\S+)", listed.stdout, re.MULTILINE)} == {
        *(f"tests-{python}" for python in noxfile.PYTHONS),
        "oldest",
        "lint",
    }


def test_extras_of_the_project_are_not_installed_from_pypi(noxfile):
    found = noxfile.requirements("test", "plots")
    assert {re.match(r"[\w-]+", line)[0] for line in found} >= {"numba", "pytest", "matplotlib"}
    assert not any(line.startswith("searchlab") for line in found)


def test_oldest_dependencies_are_the_lower_bounds(noxfile):
    pins = noxfile.lowest()
    for requirement in PROJECT["dependencies"]:
        name, bound = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()
        assert f"{name}=={bound}" in pins
    assert any(pin.startswith("matplotlib==") for pin in pins)


def test_oldest_python_has_no_upper_bound():
    """numba says which Pythons it has packages for."""
    versions = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if " :: 3." in line]
    assert PROJECT["requires-python"] == f">={versions[0]}"
