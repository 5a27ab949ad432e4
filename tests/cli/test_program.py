"""`main`: help, commands of plugins, exit codes, streams and signals."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import warnings

import pytest

from searchlab import __version__
from searchlab.cli.names import NAMED
from searchlab.cli.program import BUILT_IN, built_in
from searchlab.cli.session import Session
from searchlab.plugins import lookup

COMMAND = [sys.executable, "-m", "searchlab"]


def test_help_lists_the_commands(run):
    """-h and --help say the same."""
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    for name, summary in BUILT_IN.items():
        assert name in ran.out
        assert summary in ran.out
    assert run("-h").out == ran.out


def test_without_a_command_five_examples_are_printed(run):
    """They run as they are written."""
    lines = run().out.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("searchlab ") and len(line) <= 80 for line in lines)
    assert f"Usage: searchlab {lines[0].split()[1]}" in run(lines[0].split()[1], "-h").out


def all_commands():
    """The words of each command, those of groups included, and the command."""
    waiting = [((name,), built_in(name)) for name in BUILT_IN]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        waiting += [((*words, name), sub) for name, sub in getattr(command, "commands", {}).items()]


COMMANDS = dict(sorted(all_commands(), key=lambda found: found[0]))
DEFAULTS = {("results",): ("results", "show"), ("plot",): ("plot", "results")}
"""Groups one command of which may be left out."""


def parsed(example):
    """Return the context of the command that an example calls."""
    program, *arguments = shlex.split(example)
    assert program == "searchlab"
    called = max((known for known in COMMANDS if known == tuple(arguments[: len(known)])), key=len)
    rest = arguments[len(called) :]
    if rest and called in DEFAULTS:
        called = DEFAULTS[called]
    return COMMANDS[called].make_context(called[-1], rest, obj=Session(), help_option_names=["-h", "--help"])


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_examples_of_a_command_can_be_parsed(words, run):
    """They stand before the options, those that load plugins last; those of a group are of its commands."""
    command = COMMANDS[words]
    told = run(*words, "-h").out
    assert told.index("\nExamples:\n") < told.rindex("\nOptions:\n") < told.index("\nPlugins:\n")
    assert command.examples
    for example in command.examples:
        assert f"\n  {example}\n" in told
        assert tuple(shlex.split(example)[1 : 1 + len(words)]) == words
        parsed(example)


EXAMPLES = sorted({example for command in COMMANDS.values() for example in command.examples})


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_names_in_an_example_are_of_something_that_ships(example):
    """With their parameters, but for what is in files that readers write."""
    context = parsed(example)
    for parameter in context.command.params:
        look_up = getattr(lookup, NAMED.get((parameter.param_type_name, parameter.name), ""), None)
        value = context.params.get(parameter.name)
        for name in value if isinstance(value, tuple) else [value]:
            if look_up and name and ".py" not in name:
                look_up(name)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_options_mean_the_same_everywhere(words):
    """Seeds of boards and games are 1 by default, moves are shown at one pace; each option says what it is for."""
    options = {option: param for param in COMMANDS[words].params for option in param.opts if option.startswith("--")}
    for name, option in options.items():
        assert option.help, name
        assert option.help.endswith((".", "…")), name
        assert "by default" not in option.help.lower(), name
    if "--seed" in options and words not in {("run",), ("replay",), ("solve",)}:
        assert "(default 1" in options["--seed"].help
        assert options["--seed"].default != 0
    if "--delay" in options:
        assert options["--delay"].help == "Time between two moves that are shown (default 0.2s)."
    if "--json" in options:
        assert options["--json"].help.startswith("Print ")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_of_domain_states_its_default(words):
    """It differs for commands without a board."""
    options = {option: param for param in COMMANDS[words].params for option in param.opts}
    if "(default: " in getattr(options.get("--domain"), "help", ""):
        takes_board = not {"board", "boards", "what"}.isdisjoint(options)
        assert ("set.toml beside the board" in options["--domain"].help) == takes_board


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_command_has_the_help_the_list_promises(run, name):
    """The first line of a command's help is known without importing it."""
    command = built_in(name)
    assert command.help.partition("\n")[0] == BUILT_IN[name]
    ran = run(name, "-h")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: searchlab {name} ")
    assert "--debug" in ran.out


def test_version(run):
    """--version prints the program's name and version."""
    assert run("--version").out == f"searchlab {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (
            "--help",
            {
                "numpy",
                "numba",
                "pandas",
                "rich",
                "msgspec",
                "concurrent.futures",
                "importlib.metadata",
                "searchlab.cli.solve",
                "searchlab.model.component",
                "searchlab.model.results",
            },
        ),
        ("solve --help", {"numpy", "numba", "pandas", "rich", "pluggy"}),
        ("tournament --help", {"numpy", "numba", "pandas", "rich", "pluggy"}),
        ("replay --help", {"numpy", "numba", "pandas", "rich", "pluggy"}),
        ("view --help", {"numpy", "numba", "pandas", "rich", "pluggy", "jinja2"}),
        ("solve --engine readable --goal 16", {"numba", "pandas", "rich"}),
        ("solve --engine readable --goal 16 --record runs.csv", {"pandas"}),
    ],
)
def test_commands_import_only_necessary_modules(folder, arguments, heavy):
    code = (
        f"import sys; from searchlab.cli import main; main({arguments.split()!r}); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert heavy.isdisjoint(ran.stderr.split())


def test_a_command_of_a_plugin_runs_like_a_shipped_one(run, plugin):
    """The help lists it, and its return value is the exit code."""
    listed = run("--plugin", plugin, "--help")
    assert "Commands of plugins:\n  crash  Divide by zero.\n  greet  Say hello.\n" in listed.out
    ran = run("--plugin", plugin, "greet", "you")
    assert (ran.code, ran.out) == (7, "hello you\n")
    assert run("--plugin", plugin, "greet", "-h").out.startswith("Usage: searchlab greet ")


def test_plugins_cannot_replace_commands(run, plugin):
    """A plugin's command with the name of ours is left out, in one line."""
    ran = run("--plugin", plugin, "--help")
    assert ran.err.count("its command 'solve' exists already and was left out") == 1
    assert run("--plugin", plugin, "solve", "-h").out.startswith("Usage: searchlab solve [OPTIONS] [BOARD|-]")


def test_a_bug_is_one_line_with_its_place(run, plugin):
    """An unexpected exception names its type, file and line, and how to see more; exit code 4."""
    ran = run("--plugin", plugin, "crash")
    last = ran.err.splitlines()[-1]
    assert ran.code == 4
    assert last.startswith("searchlab: the plugin's command failed: ZeroDivisionError: ")
    assert "mine.py, line " in last
    assert last.endswith("; run with --debug for the traceback")
    assert "Traceback" not in ran.err


def test_debug_shows_the_traceback(run, plugin):
    """--debug works before the command and after it, for bugs and for errors."""
    assert "Traceback" in run("--debug", "--plugin", plugin, "crash").err
    ran = run("solve", "nowhere.txt", "--debug")
    assert ran.code == 2
    assert "Traceback" in ran.err
    assert ran.err.endswith("searchlab: error: nowhere.txt: no such file\n")


def test_a_command_of_a_plugin_may_exit(run, plugin):
    """`sys.exit` with a text is an error of one line."""
    ran = run("--plugin", plugin, "leave")
    assert ran.code == 1
    assert ran.err.endswith("searchlab: error: enough\n")


def test_each_warning_is_printed_once_in_one_line(run, write, capsys):
    noisy = write(
        "noisy.py",
        "import warnings\n\ndef noisy(tiles):\n    warnings.warn('so\\n loud')\n    return 0.0\n",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        ran = run("solve", "--goal", "16", "--engine", "readable", "--heuristic", f"{noisy}:noisy", "--moves-only")
    assert ran.code == 0
    assert ran.err.count("searchlab: warning: UserWarning: so loud (") == 1
    assert ran.err.count("\n") == 1


def test_a_broken_plugin_is_reported_and_the_others_work(run, write):
    """A broken file that is named is an error."""
    write("folder/broken.py", "1 / 0\n")
    solve = ("solve", "--goal", 16, "--engine", "readable", "--moves-only")
    ran = run(*solve, "--plugins-dir", "folder")
    assert ran.code == 0
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("searchlab: warning: plugin folder/broken.py: ZeroDivisionError")
    assert run(*solve, "--plugin", "folder/broken.py").error.startswith("folder/broken.py: ZeroDivisionError")


def test_a_reader_that_leaves_is_no_error(folder):
    """`searchlab … | head -1` ends quietly."""
    command = f"{sys.executable} -m searchlab solve --engine readable --transcript | head -1"
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("Number of moves: 1041\n", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_an_error_of_one_line(folder):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([*COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 5
    assert ran.stderr == "searchlab: error: standard output: No space left on device\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_characters_that_the_encoding_lacks_become_ascii(process, encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ran = process("solve", "2048/board10", "--engine", "readable", env=environment, encoding=encoding)
    assert (ran.returncode, ran.stderr) == (0, "")
    separator = "-" if encoding == "ascii" else "·"
    assert f"2048 {separator} left-weighted {separator} greedy" in ran.stdout
    assert ("down x3" if encoding == "ascii" else "down ×3") in ran.stdout


def started(*arguments: str, until: str = "") -> subprocess.Popen[str]:
    """Start the command line, and wait until it has said something."""
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while until and until not in process.stderr.readline():
        pass
    return process


WAITS = """\
import sys, time
print("here", file=sys.stderr, flush=True)
time.sleep(30)
"""
SAYS_WHEN_IT_SEARCHES = """\
import sys

def endless(tiles):
    if int(tiles.sum()) == 8:
        print("now", file=sys.stderr, flush=True)
    return 0.0
"""


def test_ctrl_c_before_a_search_prints_interrupted(write):
    """Interrupted anywhere else than in a search the program ends with 130, says so, and shows no traceback."""
    slow = write("slow.py", WAITS)
    with started("solve", "--plugin", slow, until="here") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (130, "", "searchlab: interrupted\n")


def test_ctrl_c_ends_a_search_with_its_figures(write):
    """The exit code is 130."""
    slow = write("slow.py", SAYS_WHEN_IT_SEARCHES)
    arguments = ("--heuristic", f"{slow}:endless", "--engine", "readable", "--json", "--goal", "65536")
    with started("solve", *arguments, until="now") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert '"status": "interrupted"' in out
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("pretence", "said"),
    [
        (
            "sys.version_info, sys.version = (3, 10, 4), '3.10.4 (main)'",
            "needs Python 3.11 or newer, and this is 3.10.4",
        ),
        ("sys.platform = 'freebsd14'", "searchlab: tested on Linux only, and this is freebsd14"),
    ],
)
def test_an_unsupported_python_or_system_is_an_error_of_one_line(pretence, said):
    start = "sys.argv = ['searchlab', '--version']; runpy.run_module('searchlab', run_name='__main__')"
    code = f"import runpy, sys; {pretence}; {start}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    (line,) = ran.stderr.splitlines()
    assert line.endswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["standings", "results/x"], "'standings' is a command of results: searchlab results standings"),
        (["tournament", "greedy", "--heuristic", "snake"], "its parameters, as in greedy:heuristic=snake"),
    ],
)
def test_common_mistakes_are_refused_with_the_correct_command(run, arguments, said):
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("searchlab: error: ")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_board_without_moves_is_reported_as_such(run, write):
    board = write("full.txt", "4\n2 4 2 4\n4 2 4 2\n2 4 2 4\n4 2 4 2\n")
    ran = run("solve", board, "--domain", "2048", "--engine", "readable")
    assert ran.code == 1
    assert "no move is possible from this board" in ran.out
