"""The wheel and the source distribution: their files, their entry points, and a search in an empty environment."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
INSTALLED_AS = {"searchlab": "searchlab", "plugins": "searchlab_plugins", "boards": "searchlab_boards"}
DATA = ("*.py", "py.typed", "*.txt", "set.toml", "*.template", "*.html", "*.css", "*.js", "*.npz")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the sources, so that no file of an earlier build gets into a distribution."""
    source = tmp_path_factory.mktemp("source")
    for name in INSTALLED_AS:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    return source


@pytest.fixture(scope="module")
def wheel(source):
    """The wheel, open for reading."""
    with ZipFile(built_wheel(source, source.parent / "wheel")) as archive:
        yield archive


def built_wheel(source, folder):
    """Build the wheel of a source tree or a source distribution, and return its path."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index"]
    call(*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


def call(*command, **options):
    return subprocess.run([*map(str, command)], check=True, timeout=500, stdin=subprocess.DEVNULL, text=True, **options)


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


def test_the_wheel_has_no_other_packages(wheel):
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


def test_the_wheel_has_its_license(wheel):
    """As a file and in the metadata."""
    (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
    assert "License-Expression: MIT" in wheel.read(metadata).decode()
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


@pytest.mark.slow
def test_source_distribution_solves_a_board_in_an_empty_environment(source, tmp_path):
    """Dependencies come from PyPI, boards and plugins from the wheel that is built from the source distribution."""
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    call(sys.executable, "-c", build, tmp_path, cwd=source, stdout=subprocess.PIPE)
    (archive,) = tmp_path.glob("searchlab-*.tar.gz")
    with tarfile.open(archive) as files:
        assert any(name.endswith("/boards/2048/board10.txt") for name in files.getnames())
    wheel = built_wheel(archive, tmp_path / "wheel")
    call(sys.executable, "-m", "venv", tmp_path / "empty")
    programs = tmp_path / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
    call(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    solved = call(
        programs / "searchlab", "solve", "sliding-tile/puzzle8-20", "--moves-only", cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert len(solved.stdout.split()) == 20
