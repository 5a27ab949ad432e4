"""Where plugins come from: folders beside distributions and files; and switching plugins off."""

import pytest

import searchlab as sl
from searchlab.plugins.loading import Distribution, EntryPoint, files_in

PLUGIN = """\
from searchlab import Heuristic, hookimpl


def value(tiles):
    return tiles[0, 0]


@hookimpl
def searchlab_heuristics():
    yield Heuristic("NAME", value)
"""
OURS = EntryPoint("frontiers", "searchlab_plugins.frontiers", Distribution("searchlab", "0"))
THEIRS = EntryPoint("their-puzzle", "searchlab_plugins.sliding_tile", Distribution("their-search", "2.0"))


@pytest.fixture
def folder(tmp_path):
    """A folder with two plugins that each bring a heuristic of the file's name."""
    for name in ("second", "first"):
        (tmp_path / f"{name}.py").write_text(PLUGIN.replace("NAME", name))
    return tmp_path


def names(plugins):
    return [item.component.name for item in plugins.all("heuristic")]


def test_the_plugins_of_a_folder_are_its_python_files_in_order(folder):
    """What is private, hidden or a test is none, nor is anything that is no Python file."""
    for name in ("_tables.py", ".hidden.py", "test_first.py", "conftest.py", "notes.txt", "first.pyc"):
        (folder / name).write_text("1 / 0")
    (folder / "below.py").mkdir()
    assert files_in(folder) == [folder / "first.py", folder / "second.py"]
    plugins = sl.Plugins(entry_points=(), folders=[folder])
    assert (names(plugins), plugins.problems) == (["first", "second"], [])


@pytest.mark.parametrize("name", ["nowhere", "first.py"])
def test_a_folder_that_is_none_is_one_problem(folder, name):
    """The plugins of other folders are there."""
    plugins = sl.Plugins(entry_points=(), folders=[folder / name, folder])
    assert names(plugins) == ["first", "second"]
    assert [str(problem) for problem in plugins.problems] == [f"plugin folder {folder / name}: no such folder"]


@pytest.mark.parametrize(("name", "what"), [("nul\0", "null"), ("~nobody-of-this-name", "home directory")])
def test_a_folder_that_cannot_be_is_a_problem(name, what):
    """Not an error of searchlab's."""
    (problem,) = sl.Plugins(entry_points=(), folders=[name]).problems
    assert what in problem.what


def test_a_broken_file_keeps_no_other_out(folder):
    """It is reported with its path and line."""
    (folder / "between.py").write_text("x = 1\nx / 0\n")
    plugins = sl.Plugins(entry_points=(), folders=[folder])
    assert names(plugins) == ["first", "second"]
    assert [str(problem) for problem in plugins.problems] == [
        f"plugin {folder / 'between.py'}: ZeroDivisionError: division by zero (line 2)"
    ]


def test_a_file_that_is_named_twice_is_loaded_once(folder):
    """By its folder and by itself; folders come before files."""
    plugins = sl.Plugins([folder / "second.py", folder / "first.py"], entry_points=(), folders=[folder, folder])
    assert (names(plugins), plugins.problems) == (["first", "second"], [])


def test_every_way_in_can_be_switched_off(folder):
    """A distribution by its name or that of its entry point, a file by its stem; the rest is there."""
    brought = {
        "frontiers": ["their-search", "first", "second"],
        "searchlab": ["their-search", "first", "second"],
        "their-puzzle": ["searchlab", "first", "second"],
        "their-search": ["searchlab", "first", "second"],
        "first": ["searchlab", "their-search", "second"],
        "second": ["searchlab", "their-search", "first"],
    }
    for name, left in brought.items():
        plugins = sl.Plugins([folder / "second.py"], entry_points=[OURS, THEIRS], folders=[folder], without=[name])
        assert [plugin.name for plugin in plugins.loaded] == left
        assert plugins.problems == []


def test_a_plugin_that_is_switched_off_is_not_even_imported(folder):
    """So one that is broken is no problem any more."""
    (folder / "broken.py").write_text("1 / 0")
    assert sl.Plugins(entry_points=(), folders=[folder], without=["broken"]).problems == []


def test_what_is_not_there_cannot_be_switched_off(folder):
    """The name that may have been meant is said."""
    with pytest.raises(sl.UsageError, match="no plugin is called 'frist': did you mean 'first'"):
        sl.Plugins(folders=[folder], without=["frist"])


def test_distributions_of_others_can_be_left_out(folder):
    """All at once; files and folders that are named come in."""
    plugins = sl.Plugins(entry_points=[THEIRS, OURS], folders=[folder], third_party=False)
    assert [plugin.name for plugin in plugins.loaded] == ["searchlab", "first", "second"]
