"""Wherever it is started, the program gives the same results, or says in one line why it cannot.

The commands of an environment share a process, as far as that is honest; `--apart` gives each one of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from searchlab.files.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

CHILD = Path(__file__).with_name("environments_child.py")
NOBODY = 65534
PATIENCE = 300
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
IN_READABLE = ("--engine", "readable")
COMMANDS = {
    "help": ("--help",),
    "solve": ("solve", "2048/board10", *IN_READABLE, "--moves-only"),
    "compiled": ("solve", "sliding-tile/example", "--frontier", "ida-star", "--moves-only"),
    "evaluate": ("evaluate", "2048/board10", "--heuristic", "snake"),
    "play": ("play", "--player", "random", "--seed", "3", "--max-moves", "5", "--log"),
    "plugins": ("plugins", "list"),
    "enumerate": ("enumerate", "--domain", "2048:n=2,goal=8", *IN_READABLE),
    "answers": ("advise", "--player", "greedy:heuristic=empty"),
    "script": ("play", "--testing", "--preset", "cs61b"),
    "wrong": ("solve", "nowhere.txt"),
    "run": (
        "run",
        "sliding-tile/example",
        "--heuristic",
        "taxicab",
        "--frontier",
        "astar",
        *IN_READABLE,
        "--workers",
        "1",
    ),
    "results": ("results", "results/example", "--columns", "status,cost,moves,reason"),
}
INPUT = "2 0 0 2\nT 2 0 0\nT 2 0 1\nKLeft\n"
"""What commands read that read standard input: the first line is for `advise`, and a wrong one for scripts."""
CODES = dict.fromkeys(COMMANDS, 0) | {"play": 3, "wrong": 2, "script": 2}
CHEAP = tuple(name for name in COMMANDS if name not in ("run", "results"))
WORKING = ("solve", "run", "results", "wrong")


class Ran(NamedTuple):
    """What a command did.

    Attributes:
        code: its exit code.
        out, err: what it printed, None where that stream was closed.
    """

    code: int
    out: str | None
    err: str | None


class Environment(NamedTuple):
    """Where commands are started.

    Attributes:
        commands: those worth their time there.
        variables: of the environment, None for one that is not there.
        shell: how a shell starts the program.
        umask: -1 for the usual one.
        plugin: what a file of plugins does to every process.
    """

    commands: tuple[str, ...] = CHEAP
    variables: Mapping[str, str | None] = {}
    shell: str = 'exec "$@"'
    umask: int = -1
    plugin: str = ""


BACKWARDS = """\
import datetime, itertools, time

from searchlab.experiments import scheduler, worker, worker_pool

steps = itertools.count()
shift = lambda: 3600.0 * next(steps)
real = time.time
time.time = lambda: real() - shift()
time.time_ns = lambda: int(1e9 * time.time())


class Backwards(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) - datetime.timedelta(seconds=shift())


worker_pool.datetime = scheduler.datetime = worker.datetime = Backwards
"""
ENVIRONMENTS = {
    "no home": Environment(variables={"HOME": None}),
    "a home that is no folder": Environment(variables={"HOME": "/dev/null"}, commands=("solve", "compiled", "plugins")),
    "a simple terminal": Environment(variables={"TERM": "dumb"}),
    "no terminal at all": Environment(
        variables={"TERM": None, "COLUMNS": None}, commands=("help", "solve", "plugins", "play")
    ),
    "no colours": Environment(variables={"NO_COLOR": "1"}),
    "the C locale": Environment(variables={"LANG": "C", "LC_ALL": "C"}),
    "an encoding of 7 bits": Environment(variables={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "columns that are no number": Environment(
        variables={"COLUMNS": "wide"}, commands=("help", "solve", "plugins", "evaluate")
    ),
    "standard output closed": Environment(shell='exec "$@" >&-', commands=(*CHEAP, "run", "results")),
    "standard error closed": Environment(shell='exec "$@" 2>&-', commands=(*CHEAP, "run", "results")),
    "all streams closed": Environment(
        shell='exec "$@" <&- >&- 2>&-', commands=("solve", "play", "wrong", "run", "results")
    ),
    "standard input closed": Environment(shell='exec "$@" <&-', commands=tuple(set(CHEAP) - {"answers", "script"})),
    "files for nobody else": Environment(umask=0o077, commands=WORKING),
    "files for everybody": Environment(umask=0o000, commands=WORKING),
    "a clock that goes backwards": Environment(plugin=BACKWARDS, commands=(*WORKING, "play", "compiled")),
    "the current folder deleted": Environment(shell='rmdir "$PWD"; exec "$@"', commands=CHEAP),
}
"""Where everything is as anywhere else."""


@pytest.fixture
def start(tmp_path, request):
    """Run commands in an environment; return the outcomes by name."""

    def start(environment: Environment, commands: Mapping[str, tuple[str, ...]]) -> dict[str, Ran]:
        reports, here, plugins = tmp_path / "reports", tmp_path / "here", tmp_path / "plugins"
        for folder in (reports, here, plugins):
            folder.mkdir(exist_ok=True)
        (reports / "input").write_text(INPUT)
        (plugins / "odd.py").write_text(environment.plugin)
        # What is compiled is kept in one place, wherever HOME leads.
        variables = {
            **os.environ,
            "COLUMNS": "80",
            "SEARCHLAB_CACHE_DIR": str(cache_folder().path),
            **environment.variables,
        }
        if environment.plugin:
            variables["SEARCHLAB_PLUGINS_DIR"] = str(plugins)
        given = {name: value for name, value in variables.items() if value is not None}
        apart = [{name: command} for name, command in commands.items()]
        for part in apart if request.config.getoption("--apart") else [commands]:
            child = [sys.executable, str(CHILD), str(reports), json.dumps(part)]
            options = {} if environment.umask < 0 else {"umask": environment.umask}
            here.mkdir(exist_ok=True)
            ended = subprocess.run(
                ["sh", "-c", environment.shell, "sh", *child],
                cwd=here,
                env=given,
                timeout=PATIENCE,
                capture_output=True,
                check=False,
                text=True,
                **options,
            )
            assert ended.returncode == 0, ended.stderr
            assert ended.stderr == ""
        return {name: _report(reports, name) for name in commands}

    return start


def _report(folder: Path, name: str) -> Ran:
    """Return the outcome of a command."""
    said = [file.read_text("utf-8") if file.exists() else None for file in (folder / f"{name}.{k}" for k in (1, 2))]
    return Ran(int((folder / f"{name}.code").read_text()), said[0], said[1])


def plain(text: str | None) -> str:
    """Return a text in ASCII, in the letters the program takes where there are no others, and without times."""
    from searchlab.cli.program import ASCII

    return re.sub(r"(?m)^.* states/s$", "", (text or "").translate(ASCII))


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """The outcomes of the commands in a usual environment."""
    folder = tmp_path_factory.mktemp("usual")
    (folder / "input").write_text(INPUT)
    command = [sys.executable, str(CHILD), str(folder), json.dumps(COMMANDS)]
    environment = {**os.environ, "COLUMNS": "80"}
    subprocess.run(command, cwd=folder, env=environment, timeout=PATIENCE, check=True)
    ran = {name: _report(folder, name) for name in COMMANDS}
    assert {name: each.code for name, each in ran.items()} == CODES
    assert ran["solve"].out == "down down down\n"
    assert ran["compiled"].out == "right down right\n"
    assert ran["wrong"].err == "searchlab: error: nowhere.txt: no such file\n"
    assert ran["run"].out is not None
    assert "1 run, all done: solved 1" in ran["run"].out
    return ran


@pytest.mark.slow
@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_commands_work_in_unusual_environments(start, usual, environment):
    """Exit codes, output and errors are the same as far as they can be written."""
    ran = start(environment, {name: COMMANDS[name] for name in environment.commands})
    for name, each in ran.items():
        assert each.code == CODES[name], (name, each)
        assert each.out is None or plain(each.out) == plain(usual[name].out), name
        assert each.err is None or plain(each.err) == plain(usual[name].err), name
    if environment.shell.endswith(">&-"):
        assert any(None in (each.out, each.err) for each in ran.values())


def test_without_standard_input(start):
    """There is nothing to read, and no terminal to play on."""
    commands = {"answers": ("advise",), "board": ("solve", "-"), "game": ("play",), "script": ("play", "--testing")}
    ran = start(Environment(shell='exec "$@" <&-'), commands)
    assert (ran["answers"].code, ran["answers"].out, ran["answers"].err) == (0, "", "")
    assert (ran["script"].code, ran["script"].out) == (0, "C\nC\n")
    for name, said in {"board": "standard input: empty", "game": "there is no terminal to play on"}.items():
        assert ran[name].code == 2
        assert ran[name].err.startswith(f"searchlab: error: {said}")
        assert ran[name].err.count("\n") == 1


def test_a_deleted_current_folder_is_an_error_of_one_line(start):
    """For commands that read or write there."""
    commands = {
        "run": COMMANDS["run"],
        "train": ("train", "ntuple", "--games", "1"),
        "output": ("solve", "2048/board10", "--engine", "readable", "--output", "x.txt"),
        "record": ("solve", "2048/board10", "--engine", "readable", "--record", "x.csv"),
        "new": ("plugins", "new", "left-tall", "--output", "x.py"),
        "boards": ("boards", "generate", "shuffled:n=3", "--output", "x"),
    }
    for name, ran in start(Environment(shell='rmdir "$PWD"; exec "$@"'), commands).items():
        assert ran.code in (2, 5), (name, ran)
        assert ran.out == "" or name == "record", name  # what was found is shown, and that it was not recorded is told
        assert ran.err.startswith("searchlab: error: "), (name, ran.err)
        assert ran.err.count("\n") == 1, (name, ran.err)


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may read everything")
def test_what_must_not_be_read_is_named(start, tmp_path):
    """Folders of boards and of students, and results; of a class only the student whose folder it is."""
    commands = {
        "boards": ("boards", "show", "locked"),
        "run": ("run", "locked", "--domain", "2048", "--frontier", "greedy"),
        "results": ("replay", "results"),
        "class": ("grade", "locked", "--rubric", "../rubric.toml"),
        "student": ("grade", "class", "--rubric", "../rubric.toml", "--format", "csv"),
    }
    rubric = tmp_path / "rubric.toml"
    test = '[[tests]]\ntest = "same values as taxicab on sliding-tile/example"\nheuristic = "h"\npoints = 1\n'
    rubric.write_text(f'title = "one"\nfile = "puzzle.py"\ndomain = "sliding-tile"\n{test}')
    root = "setpriv --bounding-set=-dac_override,-dac_read_search" if os.geteuid() == 0 else ""
    lock = "mkdir -p locked class/anna results; touch results/results.sqlite; chmod 0 locked class/anna results/*"
    ended = start(Environment(shell=f'{lock}; exec {root} "$@"'), commands)
    for path in tmp_path.rglob("*"):
        path.chmod(0o755)
    for name in ("boards", "run", "results", "class"):
        place = {"run": "boards: locked", "results": "results/results.sqlite"}.get(name, "locked")
        assert (ended[name].code, ended[name].err) == (2, f"searchlab: error: {place}: Permission denied\n"), name
    assert ended["student"].code == 1
    assert "class/anna: Permission denied" in ended["student"].out


@pytest.mark.parametrize("command", ["plugins list", "enumerate --domain 2048:n=2 --engine readable", "solve --help"])
def test_a_reader_that_takes_the_first_line_only(folder, command):
    """`searchlab … | head -1` ends quietly."""
    line = f"{sys.executable} -m searchlab {command} | head -1"
    ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert ran.stdout.count("\n") == 1
    assert ran.stderr == ""


@pytest.fixture
def without_rights():
    """Run commands as somebody who can write in the current folder only; return what each did and where that was."""
    top = Path(tempfile.mkdtemp())  # pytest's own folders are nobody else's to enter
    top.chmod(0o755)
    for name in ("cache", "home", "results", "reports", "here"):
        (top / name).mkdir()
        (top / name).chmod(0o777 if name in ("reports", "here") else 0o555)
    (top / "reports" / "input").write_text(INPUT)

    def without_rights(commands: Mapping[str, tuple[str, ...]], **variables: str) -> dict[str, Ran]:
        given = {
            name: value for name, value in os.environ.items() if name not in ("XDG_CACHE_HOME", "SEARCHLAB_CACHE_DIR")
        }
        given |= {"COLUMNS": "80", "HOME": str(top / "home"), **variables}
        child = [sys.executable, str(CHILD), str(top / "reports"), json.dumps(commands)]
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            ended = subprocess.run(
                child,
                cwd=top / "here",
                env=given,
                timeout=PATIENCE,
                capture_output=True,
                check=False,
                text=True,
                **user,
            )
        except PermissionError:
            pytest.skip("Python lies where nobody but root can run it")
        assert (ended.returncode, ended.stderr) == (0, "")
        return {name: _report(top / "reports", name) for name in commands}

    without_rights.folder = top
    yield without_rights
    for path in top.iterdir():
        path.chmod(0o755)
    shutil.rmtree(top)


def test_a_user_without_rights(without_rights, usual):
    """Compiled code is not kept and results are not written, which is one line; nothing else is lost."""
    folder = without_rights.folder
    here = str(folder / "results")
    commands = {
        **{name: COMMANDS[name] for name in (*CHEAP, "run", "results")},
        "elsewhere": (*COMMANDS["run"], "--output", f"{here}/made"),
        "train": ("train", "ntuple", "--games", "1", "--output", f"{here}/made"),
        "record": (*COMMANDS["solve"], "--record", f"{here}/runs.csv"),
        "output": (*COMMANDS["solve"], "--output", f"{here}/out.txt"),
    }
    ran = without_rights(commands, SEARCHLAB_CACHE_DIR=str(folder / "cache"))
    for name in (*CHEAP, "run", "results"):
        assert ran[name].code == CODES[name]
        assert plain(ran[name].out) == plain(usual[name].out)
    assert ran["compiled"].err.startswith("searchlab: warning: compiled code is not kept: ")
    assert ran["compiled"].err.count("\n") == 1
    for name in ("elsewhere", "train", "record", "output"):
        assert ran[name].code in (2, 5), (name, ran[name])
        assert ran[name].out == "", name
        assert ran[name].err.startswith(f"searchlab: error: {here}"), (name, ran[name])
        assert ran[name].err.count("\n") == 1, (name, ran[name])
    assert not list((folder / "results").iterdir())


def test_commands_work_with_a_read_only_home(without_rights, usual):
    """A line says that compiled code is not kept."""
    ran = without_rights({name: COMMANDS[name] for name in ("compiled", "solve")})
    assert ran["solve"] == usual["solve"]
    assert ran["compiled"].out == usual["compiled"].out
    assert "compiled code is not kept: " in ran["compiled"].err
    assert ran["compiled"].err.count("\n") == 1
    assert not list((without_rights.folder / "home").iterdir())


def test_damaged_machine_code(start, usual, tmp_path, request):
    """Whichever bits of an entry of the cache are turned, the result is the same, and nothing is said."""
    if not request.config.getoption("--apart"):
        pytest.skip("compiles everything again; with --apart")
    cache = tmp_path / "cache"
    environment = Environment(variables={"SEARCHLAB_CACHE_DIR": str(cache)})
    start(environment, {"compiled": COMMANDS["compiled"]})
    for number, entry in enumerate(sorted(cache.iterdir())):
        content = bytearray(entry.read_bytes())
        for k in range(8):
            content[(number * 7919 + k * len(content) // 8) % len(content)] ^= 1 << k
        entry.write_bytes(content)
    assert start(environment, {"compiled": COMMANDS["compiled"]})["compiled"] == usual["compiled"]
