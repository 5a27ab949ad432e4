"""Which plugins a run loads: options, `searchlab.toml`, the environment; nothing that was not asked for."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import click
import pytest

from searchlab.cli.program import BUILT_IN, searchlab
from searchlab.cli.session import FOLDERS_VARIABLE

HEURISTIC = """\
from searchlab import Heuristic, hookimpl


def value(tiles):
    return tiles[0, 0]


@hookimpl
def searchlab_heuristics():
    yield Heuristic("NAME", value, domains={"2048"}, prefer="high")
"""
COMMAND = """\
import click

from searchlab import hookimpl


@click.command()
def wave():
    "Wave a hand."
    click.echo("\\\\o")


@hookimpl
def searchlab_commands():
    yield wave
"""


@pytest.fixture
def folders(write, monkeypatch):
    """Folders `plugins` and `more` with a plugin each, and no setting that mentions them."""
    monkeypatch.delenv(FOLDERS_VARIABLE, raising=False)
    write("plugins/one.py", HEURISTIC.replace("NAME", "one"))
    write("more/two.py", HEURISTIC.replace("NAME", "two"))


@pytest.fixture
def loaded(run):
    """Return the names of the plugins that are loaded besides searchlab's own."""

    def loaded(*arguments: object) -> list[str]:
        listed = run("plugins", "list", "--json", *arguments).json
        assert listed["problems"] == []
        return [plugin["name"] for plugin in listed["plugins"] if plugin["name"] != "searchlab"]

    return loaded


def test_plugins_of_the_current_folder_are_not_loaded_by_default(folders, loaded):
    """Whatever its name is."""
    assert loaded() == []


def test_folders_can_be_named_on_the_command_line(folders, loaded, run):
    """One or several, before the command or after it."""
    assert loaded("--plugins-dir", "plugins", "--plugins-dir", "more") == ["one", "two"]
    ran = run("--plugins-dir", "more", "solve", "--goal", 16, "--heuristic", "two", "--engine", "readable", "--json")
    assert (ran.code, ran.err, ran.json["heuristic"]) == (0, "", "two")


def test_the_environment_names_folders(folders, loaded, monkeypatch):
    """Separated as in PATH."""
    monkeypatch.setenv(FOLDERS_VARIABLE, os.pathsep.join(["plugins", "", "more"]))
    assert loaded() == ["one", "two"]


def test_the_settings_file_names_folders(folders, loaded, write, monkeypatch):
    """That of the current folder, and those of the environment come in as well."""
    write("searchlab.toml", 'plugins_dirs = ["plugins"]\n')
    assert loaded() == ["one"]
    monkeypatch.setenv(FOLDERS_VARIABLE, "more")
    assert loaded() == ["one", "two"]
    monkeypatch.chdir("more")
    monkeypatch.delenv(FOLDERS_VARIABLE)
    assert loaded() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("plugin_dirs = []", "unknown key 'plugin_dirs': did you mean 'plugins_dirs'? There is only plugins_dirs"),
        ('plugins_dirs = "more"', "plugins_dirs is a list of folders, like [\"plugins\"], not 'more'"),
        ("plugins_dirs = [1]", 'plugins_dirs is a list of folders, like ["plugins"], not [1]'),
        ("plugins_dirs", "Expected '=' after a key in a key/value pair (at end of document)"),
    ],
)
def test_a_settings_file_is_read_strictly(run, write, content, message):
    """Invalid settings are an error of one line, unless the file is not read."""
    write("searchlab.toml", content)
    assert run("plugins").error == f"searchlab.toml: {message}"
    assert run("plugins", "--no-plugins").code == 0


def test_a_missing_folder_in_the_settings_is_reported(folders, run, write):
    """The other folders are loaded."""
    write("searchlab.toml", 'plugins_dirs = ["gone", "plugins"]\n')
    ran = run("solve", "--goal", 16, "--heuristic", "one", "--engine", "readable", "--moves-only")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "searchlab: searchlab.toml in this folder loads the plugins in gone, plugins (--no-plugins loads none)",
        "searchlab: warning: plugin folder gone: no such folder",
    ]


def test_only_shipped_plugins_can_be_selected(folders, loaded, write):
    """Of all else only the files that are named one by one."""
    write("searchlab.toml", 'plugins_dirs = ["plugins"]\n')
    assert loaded("--no-plugins") == []
    assert loaded("--no-plugins", "--plugins-dir", "plugins", "--plugin", "more/two.py") == ["two"]


def test_single_plugins_are_switched_off(folders, loaded, run):
    """Those of folders, and parts of what ships."""
    both = ("--plugins-dir", "plugins", "--plugins-dir", "more")
    assert loaded(*both, "-p", "no:one") == ["two"]
    assert loaded("-p", "no:one", *both, "-p", "no:two") == []
    assert "no frontier is called 'astar'" in run("-p", "no:frontiers", "solve", "--frontier", "astar").error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "no:frontier"), "no plugin is called 'frontier': did you mean 'frontiers'"),
        (("-p", "one"), "invalid value for '-p': one: no:NAME switches a plugin off"),
        (("-p", "no:"), "invalid value for '-p': no:: no:NAME switches a plugin off"),
        (("--plugins-dir", "gone"), "invalid value for '--plugins-dir': gone: no such folder"),
        (
            ("--plugins-dir", "more/two.py"),
            "invalid value for '--plugins-dir': more/two.py: a file; --plugin loads one",
        ),
    ],
)
def test_invalid_arguments_are_refused(folders, run, arguments, message):
    """In one line, before and after the command."""
    assert run(*arguments, "plugins").error.startswith(message)
    assert run("plugins", *arguments).error.startswith(message)


def test_a_command_of_a_plugin_folder_is_available(folders, run, write):
    write("more/hand.py", COMMAND)
    assert "Commands of plugins:\n  wave  Wave a hand.\n" in run("--plugins-dir", "more", "--help").out
    assert run("--plugins-dir", "more", "wave").out == "\\o\n"
    assert "no command is called 'wave'" in run("wave").error


@pytest.fixture
def noting(write, folder):
    """A plugin that notes when it is imported, in a folder that `searchlab.toml` names; return whether it was."""
    write("plugins/notes.py", f"{COMMAND}\nopen('IMPORTED', 'a').close()\n")
    write("searchlab.toml", 'plugins_dirs = ["plugins"]\n')
    return (folder / "IMPORTED").exists


def test_plugins_from_the_settings_file_are_announced(run, noting, folder, monkeypatch):
    """Once a command, on standard error; a folder that the environment names needs no line."""
    line = "searchlab: searchlab.toml in this folder loads the plugins in plugins (--no-plugins loads none)\n"
    ran = run("plugins", "list", "--json")
    assert (ran.err, noting()) == (line, True)
    assert run("evaluate", "2048/board10", "--heuristic", "empty").err == line
    assert run("wave").err == line
    assert run("plugins", "list", "--json", "--no-plugins").err == ""
    (folder / "searchlab.toml").write_text("plugins_dirs = []\n")
    monkeypatch.setenv(FOLDERS_VARIABLE, "plugins")
    assert run("plugins", "list", "--json").err == ""


def every_command(group=searchlab, path=()):
    """Yield the words of every command of ours."""
    yield path
    for name in BUILT_IN if group is searchlab else getattr(group, "commands", ()):
        context = click.Context(group)
        command = group.get_command(context, name)
        yield from every_command(command, (*path, name))


def test_help_and_version_load_no_plugins_of_the_settings_file(run, noting):
    """Help must be safe in a folder from somebody else."""
    for path in every_command():
        ran = run(*path, "--help")
        assert (ran.code, ran.err) == (0, ""), path
    assert run("-h").err == run().err == run("--version").err == ""
    assert "wave" not in run("--help").out
    assert not noting()


@pytest.mark.slow
def test_workers_do_not_announce_plugins_again(process, noting):
    ran = process("run", "2048/board10", "--frontier", "greedy", "--output", "out")
    assert (ran.returncode, ran.stderr.count("searchlab.toml")) == (0, 1), ran


HOLDS_A_FILE = """\
class Log:
    def __init__(self, path):
        self.file, self.itself = open(path, "w"), self
        self.file.write("flushed")


LOG = Log(PATH)
"""
COUNTED = """\
import gc, sys
from searchlab.cli import main
sys.argv = ["searchlab", *sys.argv[1:]]
usual = gc.get_threshold()
main()
assert gc.get_threshold() == usual and gc.isenabled()
print(gc.get_freeze_count(), len(gc.get_objects()))
"""


def kept_and_others(*arguments: str) -> list[int]:
    """How many objects a process does not look at when it exits, and how many it does."""
    command = [sys.executable, "-c", COUNTED, *arguments, "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(number) for number in ran.stdout.splitlines()[-1].split()]


def test_imported_objects_are_excluded_from_garbage_collection(tmp_path):
    kept, others = kept_and_others()
    assert kept > 100 * others
    (tmp_path / "mine.py").write_text("")
    kept, others = kept_and_others("--plugin", str(tmp_path / "mine.py"))
    assert kept > others > 100


def test_plugin_output_is_flushed_at_exit(tmp_path):
    """Even to a file that only an unreachable cycle of objects holds."""
    (tmp_path / "mine.py").write_text(HOLDS_A_FILE.replace("PATH", repr(str(tmp_path / "log"))))
    command = [sys.executable, "-m", "searchlab", "--plugin", str(tmp_path / "mine.py"), "--help"]
    subprocess.run(command, capture_output=True, check=True)
    assert (tmp_path / "log").read_text() == "flushed"


def test_main_with_arguments_leaves_garbage_collection_alone(run):
    frozen, threshold = gc.get_freeze_count(), gc.get_threshold()
    assert run("plugins", "list", "frontier").code == 0
    assert gc.get_freeze_count() <= frozen  # of those frozen before some may be gone
    assert gc.get_threshold() == threshold


def test_a_file_that_registers_nothing_is_warned_of(run, write):
    """Not one with functions, which FILE.py:function names."""
    solve = "solve", "sliding-tile/puzzle8-20", "--moves-only"
    ran = run("--plugin", write("empty.py", "import searchlab\n"), *solve)
    assert ran.code == 0
    assert ran.err.startswith("searchlab: warning: plugin empty (")
    assert ran.err.endswith("): it registers nothing; write hooks = plugin(…) with its components\n")
    assert ran.err.count("\n") == 1
    for text in ("def zero(state):\n    return 0\n", HEURISTIC, COMMAND):
        assert run("--plugin", write("full.py", text), *solve).err == ""
