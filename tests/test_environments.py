"""`.ci/environments`, which runs the tests with other dependencies and other Pythons."""

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "environments"


def test_this_python_is_at_hand():
    """It is listed with its path, as every one that is on the path."""
    listed = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=True).stdout
    names = dict(line.split("\t") for line in listed.splitlines())
    assert all(Path(python).is_file() for python in names.values())
    assert {*names} <= {"oldest", *(f"newest-{version}" for version in runpy.run_path(str(SCRIPT))["PYTHONS"])}


def test_an_environment_that_cannot_be_made_is_refused_in_one_line():
    ran = subprocess.run([sys.executable, SCRIPT, "newest-2.7"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert re.fullmatch(r"no environment newest-2\.7 here, only .+\n", ran.stderr)


def test_what_is_installed_beside_other_work_is_all_but_the_project():
    """An extra may name others of the project's."""
    found = runpy.run_path(str(SCRIPT))["requirements"](("test", "plots"))
    assert {re.match(r"[\w-]+", line)[0] for line in found} >= {"numba", "pytest", "matplotlib"}
    assert not any(line.startswith("searchlab") for line in found)


def test_the_oldest_are_the_lower_bounds():
    """Each dependency of users is pinned to the lowest version that pyproject.toml allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = runpy.run_path(str(SCRIPT))["lowest"]()
    for requirement in project["dependencies"]:
        name, bound = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()
        assert f"{name}=={bound}" in pins
    assert any(pin.startswith("matplotlib==") for pin in pins)


def test_the_oldest_python_is_the_one_that_pip_lets_in():
    """There is no upper bound: numba says which it has packages for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = runpy.run_path(str(SCRIPT))["PYTHONS"]
    assert project["requires-python"] == f">={pythons[0]}"
