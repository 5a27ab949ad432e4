"""`searchlab plugins new`: what it writes works as it is."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

from searchlab.cli import main
from searchlab.testing.scaffold.writing import KINDS

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
    checked = run("plugins", "check", "my_thing.py")
    assert (checked.code, checked.err) == (0, ""), checked.out
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my_thing.py"]
    assert subprocess.run(pytest_, cwd=folder, check=False).returncode == 0
    ruff = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml"), "my_thing.py"]
    if subprocess.run([*ruff[:3], "--version"], capture_output=True, check=False).returncode == 0:
        assert subprocess.run(ruff, cwd=folder, check=False).returncode == 0


def test_packages_install_and_pass_their_tests(run, folder):
    """In another environment pip installs them, searchlab finds them by entry points, they work, and tests pass."""
    packages, uses = {}, {}
    for kind in KINDS:
        ran = run("plugins", "new", f"my-{kind}", "--kind", kind, "--package")
        assert (ran.code, ran.err) == (0, "")
        _, uses[kind], tests = said_commands(ran.out)
        assert tests == f"python -m pytest searchlab-my-{kind}"
        packages[kind] = package = folder / f"searchlab-my-{kind}"
        written = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
        files = {f"searchlab_my_{kind}.py", f"tests/test_my_{kind}.py"}
        assert written == {"pyproject.toml", "README.md", *files}
        project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
        assert project["entry-points"]["searchlab"] == {f"my-{kind}": f"searchlab_my_{kind}"}
        assert project["version"] == "0.1.0"
    python = environment(folder / "environment")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", *map(str, packages.values())]
    subprocess.run([*pip, *offline], check=True, timeout=120, stdin=subprocess.DEVNULL)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()

    def ran_there(*arguments):
        command = [str(python), "-m", *map(str, arguments)]
        return subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False, timeout=300)

    listed = json.loads(ran_there("searchlab", "plugins", "list", "--json").stdout)
    for kind in KINDS:
        (mine,) = [plugin for plugin in listed["plugins"] if plugin["name"] == f"searchlab-my-{kind}"]
        assert mine["version"] == "0.1.0"
        assert Path(mine["file"]).is_relative_to(folder / "environment")
        assert f"my-{kind}" in [thing["name"] for thing in mine[f"{kind}s"]]
        program, *use = uses[kind].split()
        assert program == "searchlab"
        solved = ran_there("searchlab", *use)
        assert (solved.returncode, solved.stderr) == (0, "")
        assert solved.stdout.startswith("goal reached after " if kind == "player" else "solved in ")
    tests = ran_there("pytest", "-p", "no:cacheprovider", *packages.values())
    assert tests.returncode == 0, tests.stdout
    assert all(f"test_my_{kind}.py" in tests.stdout for kind in KINDS)


def environment(place):
    """Make an environment that sees what is installed here; what is installed into it is seen nowhere else."""
    venv.create(place, with_pip=False)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    here = sysconfig.get_path("purelib")
    (Path(site) / "here.pth").write_text(f"import site; site.addsitedir({here!r})\n")
    return python


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
