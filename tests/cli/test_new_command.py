"""`searchlab plugins new`: what it writes works as it is."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from searchlab.cli import main
from searchlab.scaffold.writing import KINDS

ROOT = Path(__file__).parents[2]


def said_commands(said):
    """The commands that were suggested."""
    return [line.removeprefix("searchlab: ").strip() for line in said.splitlines()[1:]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_plugin_is_printed(run, kind):
    """Standard output is the file and nothing else; what to try next is said on standard error."""
    ran = run("plugins", "new", "my-thing", "--kind", kind)
    assert ran.code == 0
    tree = ast.parse(ran.out)
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert f"searchlab_{kind}s" in functions
    assert functions[-1].startswith("test_")
    assert ran.err.startswith("searchlab: add --output my_thing.py to write this; then try:\n")
    assert said_commands(ran.err)[1:] == ["searchlab plugins check my_thing.py", "python -m pytest my_thing.py"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_written_that_runs_and_passes(run, kind, folder, monkeypatch):
    """It solves a board or plays a game, keeps its contract, its test passes, and it is in the style of the house."""
    ran = run("plugins", "new", "my-thing", "--kind", kind, "--output", "my_thing.py")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("wrote my_thing.py; try:\n")
    program, *solve = said_commands(ran.out)[0].split()
    assert program == "searchlab"
    solved = run(*solve)
    assert (solved.code, solved.err) == (0, "")
    assert solved.out.startswith(("goal reached after ", "game over after ") if kind == "player" else "solved in ")
    checked = run("plugins", "check", "my_thing.py", "--time-limit", "10s")
    assert (checked.code, checked.err) == (0, ""), checked.out
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my_thing.py"]
    assert subprocess.run(pytest_, cwd=folder, check=False).returncode == 0
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "my_thing.py"]
    if subprocess.run([*ruff[:3], "--version"], capture_output=True, check=False).returncode == 0:
        assert subprocess.run(ruff, cwd=folder, check=False).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_installs_and_passes_its_tests(run, kind, folder):
    """pip installs what was written, searchlab finds it by its entry point, and its own tests pass."""
    ran = run("plugins", "new", "my-thing", "--kind", kind, "--package")
    assert (ran.code, ran.err) == (0, "")
    assert said_commands(ran.out)[-1] == "python -m pytest searchlab-my-thing"
    package = folder / "searchlab-my-thing"
    written = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert written == {"pyproject.toml", "README.md", "searchlab_my_thing.py", "tests/test_my_thing.py"}
    project = tomllib.loads((package / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["searchlab"] == {"my-thing": "searchlab_my_thing"}
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    offline = ["--no-deps", "--no-build-isolation", "--target", str(site), str(package)]
    subprocess.run([*pip, *offline], check=True, timeout=120, stdin=subprocess.DEVNULL)
    # As in a fresh environment: the distribution is found in site-packages, its sources are not on the path.
    tests = f"""
import sys
sys.path.insert(0, {str(site)!r})
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", {str(package)!r}]))
"""
    ran = subprocess.run([sys.executable, "-c", tests], cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert " passed" in ran.stdout


def test_nothing_is_overwritten(run, folder, write):
    """Neither a file nor a folder that holds anything; an empty folder will do."""
    write("mine.py", "precious")
    assert "mine.py exists already" in run("plugins", "new", "mine", "--output", "mine.py").error
    assert (folder / "mine.py").read_text() == "precious"
    write("full/notes.txt", "precious")
    assert "full exists already" in run("plugins", "new", "mine", "--package", "--output", "full").error
    assert [path.name for path in (folder / "full").iterdir()] == ["notes.txt"]
    (folder / "empty").mkdir()
    assert run("plugins", "new", "mine", "--package", "--output", "empty").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["mine", "--kind", "dragon"],
            "there is no kind 'dragon' of plugin: Available: domain, frontier, heuristic, player",
        ),
        (["mine", "--kind", "heuristik"], "did you mean 'heuristic'?"),
        (["My Thing"], "'My Thing' is no name: small letters, digits and hyphens"),
        (["9lives"], "is no name"),
        (["class"], "'class' is a word of Python itself"),
        (["max"], "'max' is a word of Python itself"),
        (["random"], "'random' is a word of Python itself"),
        (["taxicab"], "heuristic 'taxicab' exists already (searchlab "),
        (["manhattan"], "heuristic 'manhattan' exists already"),
        (["mine", "--output", "mine.txt"], "mine.txt: a plugin file ends in .py"),
        (["mine", "--output", "taken/mine.py"], "taken/mine.py: "),
    ],
)
def test_bad_input_is_one_line(run, write, arguments, said):
    """A kind there is not, a name that cannot be one or is taken, a path that cannot be written."""
    write("taken", "")
    assert said in run("plugins", "new", *arguments).error


def test_names_of_other_kinds_may_be_the_same(run):
    """Names are unique within their kind."""
    assert run("plugins", "new", "greedy", "--kind", "heuristic").code == 0


def test_help_says_what_there_is(capsys):
    """The group lists its commands."""
    assert main(["plugins", "--help"]) == 0
    said = capsys.readouterr().out
    for name in ("show", "check", "new"):
        assert f"\n  {name} " in said
