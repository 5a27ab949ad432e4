"""Loading plugins: entry points, folders and files, each in nobody's way; and leaving plugins out by name."""

import sys
from importlib import metadata

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.files.distributions import Distribution
from searchlab.plugins.loading import EntryPoint, files_in, installed_entry_points, load_file


def test_a_file_imports_its_neighbours(tmp_path):
    """Relatively; neither `sys.path` nor the names of other modules change."""
    (tmp_path / "json.py").write_text("COUNT = 3\n")
    (tmp_path / "mine.py").write_text("import json\n\nfrom .json import COUNT\n")
    path, ours = [*sys.path], sys.modules["json"]
    module = load_file(tmp_path / "mine.py").module
    assert (module.COUNT, module.json) == (3, ours)
    assert (sys.path, sys.modules["json"]) == (path, ours)
    assert "mine" not in sys.modules


def test_neighbours_with_equal_names_are_distinguished(tmp_path):
    """Each file imports that of its folder."""
    values = []
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "_tables.py").write_text(f"NAME = {name!r}\n")
        (tmp_path / name / "mine.py").write_text("from ._tables import NAME\n")
        values.append(load_file(tmp_path / name / "mine.py").module.NAME)
    assert values == ["a", "b"]


def test_loading_a_file_again_reads_it_again(tmp_path):
    file = tmp_path / "mine.py"
    for value in ("1", "'two'"):
        file.write_text(f"VALUE = {value}\n")
        assert repr(load_file(file).module.VALUE) == value


def test_an_absolute_import_of_a_neighbour_is_explained(tmp_path):
    """The message says what to write; for a module that is nowhere it does not."""
    (tmp_path / "_tables.py").write_text("")
    (tmp_path / "mine.py").write_text("import _tables\n")
    (tmp_path / "other.py").write_text("import _tabels\n")
    with pytest.raises(UsageError, match=r"_tables.py lies beside it: write from \. import _tables$"):
        load_file(tmp_path / "mine.py")
    with pytest.raises(UsageError, match=r"No module named '_tabels' \(line 1\)$"):
        load_file(tmp_path / "other.py")


@pytest.mark.parametrize("group", ["searchlab", "console_scripts", "pytest11", "no_such_group"])
def test_the_same_are_found(group):
    """Of every group, here and now, the same names, values, distributions and versions."""
    theirs = {(e.name, e.value, e.dist.name, e.dist.version) for e in metadata.entry_points(group=group)}
    assert {(e.name, e.value, e.dist.name, e.dist.version) for e in installed_entry_points(group)} == theirs


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """A distribution with entry points, before all others on the path."""
    info = tmp_path / "some_thing-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-thing\nVersion: 1.2\n\nName: no\n")
    (info / "entry_points.txt").write_text(
        "[other]\nx = y\n\n[searchlab.test]\n# a comment\nplain = json\n"
        "attribute = json.decoder : JSONDecoder.decode [extra]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_module_and_an_attribute_are_loaded(distribution):
    """`module` and `module:attribute` both work, extras and comments are ignored."""
    import json

    plain, attribute = installed_entry_points("searchlab.test")
    assert (plain.name, plain.module, plain.dist) == ("plain", "json", ("some-thing", "1.2"))
    assert plain.load() is json
    assert attribute.load() is json.JSONDecoder.decode


def test_the_first_of_two_distributions_counts(distribution, tmp_path_factory, monkeypatch):
    """A distribution further back on the path is hidden by its namesake, as its modules are."""
    later = tmp_path_factory.mktemp("later") / "Some.Thing-0.9.dist-info"
    later.mkdir()
    (later / "METADATA").write_text("Name: some-thing\nVersion: 0.9\n")
    (later / "entry_points.txt").write_text("[searchlab.test]\nold = json\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(later.parent)])
    assert [e.name for e in installed_entry_points("searchlab.test")] == ["plain", "attribute"]


def test_archives_are_left_to_importlib(distribution, monkeypatch):
    """Where the path has an archive, the standard library looks into it."""
    import zipfile

    archive = distribution / "archive.zip"
    with zipfile.ZipFile(archive, "w") as content:
        content.writestr("zipped-3.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 3\n")
        content.writestr("zipped-3.dist-info/entry_points.txt", "[searchlab.test]\nzipped = json\n")
    monkeypatch.setattr(sys, "path", [str(archive), *sys.path])
    assert {e.name for e in installed_entry_points("searchlab.test")} == {"zipped", "plain", "attribute"}


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
    """Private and hidden files, tests, and files that are not Python are ignored."""
    for name in ("_tables.py", ".hidden.py", "test_first.py", "conftest.py", "notes.txt", "first.pyc"):
        (folder / name).write_text("1 / 0")
    (folder / "below.py").mkdir()
    assert files_in(folder) == [folder / "first.py", folder / "second.py"]
    plugins = sl.Plugins(entry_points=(), folders=[folder])
    assert (names(plugins), plugins.problems) == (["first", "second"], [])


@pytest.mark.parametrize("name", ["nowhere", "first.py"])
def test_a_missing_folder_is_one_problem(folder, name):
    """The plugins of other folders are loaded."""
    plugins = sl.Plugins(entry_points=(), folders=[folder / name, folder])
    assert names(plugins) == ["first", "second"]
    assert [str(problem) for problem in plugins.problems] == [f"plugin folder {folder / name}: no such folder"]


@pytest.mark.parametrize(("name", "what"), [("nul\0", "null"), ("~nobody-of-this-name", "home directory")])
def test_an_impossible_folder_is_a_problem(name, what):
    """Not an error of searchlab's."""
    (problem,) = sl.Plugins(entry_points=(), folders=[name]).problems
    assert what in problem.what


def test_a_broken_file_does_not_prevent_loading_others(folder):
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


def test_each_source_of_plugins_can_be_disabled(folder):
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


def test_a_disabled_plugin_is_not_imported(folder):
    """So a broken one is no problem."""
    (folder / "broken.py").write_text("1 / 0")
    assert sl.Plugins(entry_points=(), folders=[folder], without=["broken"]).problems == []


def test_a_missing_plugin_cannot_be_disabled(folder):
    """The name that may have been meant is said."""
    with pytest.raises(sl.UsageError, match="no plugin is called 'frist': did you mean 'first'"):
        sl.Plugins(folders=[folder], without=["frist"])


def test_third_party_distributions_can_be_left_out(folder):
    """Files and folders that are named are loaded."""
    plugins = sl.Plugins(entry_points=[THEIRS, OURS], folders=[folder], third_party=False)
    assert [plugin.name for plugin in plugins.loaded] == ["searchlab", "first", "second"]
