"""The registry: good plugins are loaded, broken ones are reported in one line, and the rest works."""

import re
import shutil
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.binding.names import parse_name
from searchlab.errors import UsageError, source_excerpt
from searchlab.plugins.found import source_of
from searchlab.plugins.registry import PluginProblem

FOLDER = Path(__file__).parents[1] / "plugin_files"
BROKEN = [
    ("needs_a_missing_module", r"ModuleNotFoundError: No module named 'no_such_module_anywhere' \(line 3\)"),
    ("fails_on_import", r"JSONDecodeError: Expecting property name .* \(line 5\)"),
    ("leaves_on_import", r"SystemExit: not on this machine \(line 5\)"),
    ("misspells_a_hook", "searchlab_heuristic is not a hook of searchlab: did you mean 'searchlab_heuristics'"),
    ("forgets_the_mark", "searchlab_heuristics is not marked with @hookimpl"),
    ("wants_an_argument", r"PluginValidationError: .*'domain'.* declared in the hookimpl but can not be found"),
    ("not_there", "no such file"),
]


def file(stem):
    return FOLDER / f"{stem}.py"


def host(*stems):
    """A host with the installed plugins and these files."""
    return sl.Plugins([file(stem) for stem in stems])


def names(plugins, kind):
    return [item.component.name for item in plugins.all(kind)]


def found(plugins, kind, name):
    return plugins.get(kind, parse_name(name))


def test_shipped_plugins_come_from_entry_points():
    """They bring the documented components."""
    plugins = sl.Plugins()
    assert plugins.problems == []
    assert {plugin.name for plugin in plugins.loaded} >= {"searchlab"}
    assert {"2048", "sliding-tile"} <= set(names(plugins, "domain"))
    assert {"distance-weighted", "left-weighted", "snake", "taxicab"} <= set(names(plugins, "heuristic"))
    assert {"greedy", "astar", "weighted-astar", "uniform-cost"} <= set(names(plugins, "frontier"))


def test_the_smallest_plugin_brings_its_heuristic():
    """The file of the documents: found by name, and it searches."""
    plugins = host("left_heavy")
    assert plugins.problems == []
    item = found(plugins, "heuristic", "left-heavy")
    assert (item.plugin.name, item.plugin.version, item.plugin.file) == ("left_heavy", "", str(file("left_heavy")))
    result = sl.solve(domain="2048:goal=32", heuristic="left-heavy", plugins=plugins, engine="readable")
    assert (result.status, result.heuristic) == ("solved", "left-heavy")


def test_a_plugin_brings_something_of_every_kind():
    """Domain, heuristic, frontier and command, with their parameters and aliases."""
    plugins = host("everything")
    assert plugins.problems == []
    assert found(plugins, "domain", "crepe").component.name == "crepe"
    assert found(plugins, "heuristic", "creases").component.name == "crease"
    assert sorted(plugins.commands()) == ["flip"]
    result = sl.solve(
        sl.Board([[3, 1, 4, 2]]),
        domain="crepe",
        heuristic="crease:below=no",
        frontier="sideways:share=0.25",
        plugins=plugins,
        engine="readable",
    )
    assert (result.status, result.frontier, result.heuristic) == ("solved", "sideways:share=0.25", "crease:below=no")


def test_plugins_are_listed_in_loading_order():
    """The installed ones come first, then the files as they are named."""
    plugins = host("everything", "left_heavy")
    assert names(plugins, "heuristic")[-2:] == ["crease", "left-heavy"]
    assert [plugin.name for plugin in plugins.loaded][-2:] == ["everything", "left_heavy"]


def test_files_and_folders_may_be_iterators(tmp_path):
    """They are loaded, and what was asked for is remembered."""
    (tmp_path / "mine.py").write_text(file("left_heavy").read_text())
    plugins = sl.Plugins(iter([file("everything")]), folders=iter([tmp_path]), entry_points=())
    assert [plugin.name for plugin in plugins.loaded] == ["mine", "everything"]
    assert plugins.settings["files"] == (str(file("everything")),)
    assert plugins.settings["folders"] == (str(tmp_path),)


def test_a_file_loaded_later_is_found():
    """Earlier look-ups do not hide it, and loading it again changes nothing."""
    plugins = sl.Plugins()
    before = names(plugins, "heuristic")
    plugin = plugins.load_file(file("left_heavy"))
    assert names(plugins, "heuristic") == [*before, "left-heavy"]
    assert plugins.load_file(file("left_heavy")) is plugin


def test_odd_objects_in_a_plugin_are_ignored():
    """Objects that answer to every attribute or to none are no hooks; `specname` names one."""
    plugins = host("imports_odd_things")
    assert plugins.problems == []
    assert "odd" in names(plugins, "heuristic")


def test_the_source_of_a_component_is_the_file_of_its_code():
    """For every kind; empty where there is no Python file."""
    plugins = host("everything")
    for kind, name in (
        *(("domain", "crepe"), ("heuristic", "crease"), ("frontier", "sideways")),
        *(("generator", "stacked"), ("metric", "effort"), ("renderer", "pile")),
    ):
        assert source_of(found(plugins, kind, name).component) == str(file("everything"))
    assert source_of(sl.Heuristic("len", len)) == ""
    assert source_of(found(plugins, "frontier", "breadth-first").component) == ""


@pytest.mark.parametrize(("stem", "what"), BROKEN)
def test_a_broken_file_that_is_named_is_an_error(stem, what):
    """One line that begins with its name; another file can still be loaded."""
    with pytest.raises(UsageError) as raised:
        sl.Plugins([file("left_heavy"), file(stem)])
    assert re.match(f"{re.escape(str(file(stem)))}: {what}", str(raised.value))
    assert "\n" not in str(raised.value)
    plugins = sl.Plugins()
    with pytest.raises(UsageError, match=what):
        plugins.load_file(file(stem))
    assert plugins.problems == []
    assert plugins.load_file(file("left_heavy")).name == "left_heavy"


@pytest.mark.parametrize(("stem", "what"), BROKEN[:-1])
def test_a_broken_file_in_a_folder_is_reported_in_one_line(stem, what, tmp_path):
    """The report names the file and what happened; every other plugin works."""
    told = []
    for copied in (stem, "left_heavy"):
        shutil.copy(file(copied), tmp_path)
    plugins = sl.Plugins(report=told.append, folders=[tmp_path])
    assert "left-heavy" in names(plugins, "heuristic")
    assert "never-seen" not in names(plugins, "heuristic")
    assert "greedy" in names(plugins, "frontier")
    (problem,) = plugins.problems
    assert told == [problem]
    assert problem.source == str(tmp_path / f"{stem}.py")
    assert re.match(what, problem.what)
    assert "\n" not in str(problem)


def test_a_file_with_a_mistake_in_its_syntax_is_reported(tmp_path):
    """With the line."""
    broken = tmp_path / "broken.py"
    broken.write_text("from searchlab import hookimpl\n\ndef searchlab_heuristics(:\n    pass\n")
    (problem,) = sl.Plugins(folders=[tmp_path]).problems
    assert str(problem) == f"plugin {broken}: SyntaxError: invalid syntax (line 3)"
    with pytest.raises(UsageError) as raised:
        sl.Plugins([broken])
    assert source_excerpt(raised.value) == ["def searchlab_heuristics(:", "                         ^"]


def test_only_python_files_are_plugins(tmp_path):
    """A text file is refused, and so is a folder."""
    (tmp_path / "notes.txt").write_text("x = 1")
    for path in (tmp_path / "notes.txt", tmp_path):
        with pytest.raises(UsageError, match=r"a plugin file ends in \.py"):
            sl.Plugins([path])


def test_an_exception_in_a_hook_leaves_out_what_that_hook_brings():
    """The report names plugin, file, hook, exception and line; the plugin's other hooks work."""
    plugins = host("fails_in_a_hook")
    assert plugins.problems == []
    assert "still-there" in names(plugins, "frontier")
    assert "never-seen" not in names(plugins, "heuristic")
    path = file("fails_in_a_hook")
    what = "searchlab_heuristics failed: LookupError: its table is missing (line 9)"
    assert plugins.problems == [PluginProblem(f"fails_in_a_hook ({path})", what)]


def test_a_problem_is_reported_once():
    """However often the hook is called."""
    plugins = host("fails_in_a_hook")
    for stem in ("left_heavy", "everything"):
        plugins.all("heuristic")
        plugins.load_file(file(stem))
    plugins.all("heuristic")
    assert len(plugins.problems) == 1


def test_components_of_a_wrong_type_are_left_out():
    """Each is reported with its type; valid ones remain."""
    plugins = host("brings_wrong_types")
    assert "right" in names(plugins, "heuristic")
    assert "sliding-tile" in names(plugins, "domain")
    assert plugins.commands() == {}
    assert [problem.what.split(" 0x")[0] for problem in plugins.problems] == [
        "searchlab_heuristics returned str 'text', not a Heuristic",
        "searchlab_heuristics returned None, not a Heuristic",
        "searchlab_heuristics returned Frontier Frontier(name='a-frontier', priority=<f…, not a Heuristic",
        "searchlab_heuristics returned type <class 'searchlab.model.strategies.Heur…, not a Heuristic",
        "searchlab_domains returned None; a hook returns a list, or yields",
        "searchlab_commands returned <built-in function print>, not a Click command with a name",
        "searchlab_commands returned 'help', not a Click command with a name",
    ]


def test_a_plugin_that_repeats_a_name_keeps_the_first():
    """Nothing could tell the two apart, so the second is left out and reported."""
    plugins = host("repeats_itself")
    assert found(plugins, "heuristic", "first").component.name == "one"
    assert [problem.what for problem in plugins.problems] == [
        "searchlab_heuristics returned 'first' twice; the second was left out"
    ]


def test_a_command_that_exists_is_left_out():
    """The first to claim its name keeps it, and names of the program cannot be claimed."""
    plugins = host("everything")
    assert plugins.commands(taken={"flip"}) == {}
    assert plugins.problems[0].what == "its command 'flip' exists already and was left out"
