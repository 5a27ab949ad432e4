"""The wheel holds every module, every board, and the entry points."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
INSTALLED_AS = {"searchlab": "searchlab", "plugins": "searchlab_plugins", "boards": "searchlab_boards"}
DATA = ("*.py", "py.typed", "*.txt", "set.toml", "*.template", "*.html", "*.css", "*.js", "*.npz")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel built from a copy of the sources, so that nothing of an earlier build is in it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in INSTALLED_AS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index"]
    subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)],
        check=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    (built,) = folder.glob("*.whl")
    with ZipFile(built) as archive:
        yield archive


@pytest.mark.slow
def test_every_module_and_every_board_is_in_the_wheel(wheel):
    """Under the names of the installed packages."""
    expected = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in INSTALLED_AS.items()
        for pattern in DATA
        for path in (ROOT / folder).rglob(pattern)
    }
    assert expected <= set(wheel.namelist())
    assert {"searchlab/cli/__init__.py", "searchlab_boards/2048/board10.txt", "searchlab_plugins/py.typed"} <= expected


def test_nothing_else_is_in_the_wheel(wheel):
    """No tests, and no packages at the top but ours."""
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(INSTALLED_AS.values())


def test_the_wheel_declares_program_and_plugins(wheel):
    """The console script, and our plugins in the group that everybody's use."""
    (points,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    text = wheel.read(points).decode()
    assert "[console_scripts]\nsearchlab = searchlab.cli:main" in text
    assert "[searchlab]\n" in text
    for plugin in ("twenty48", "sliding_tile", "frontiers", "players", "renderers"):
        assert f"= searchlab_plugins.{plugin}\n" in text


def test_the_wheel_comes_with_its_license(wheel):
    """MIT, as a file and in the metadata."""
    (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
    assert "License-Expression: MIT" in wheel.read(metadata).decode()
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())
