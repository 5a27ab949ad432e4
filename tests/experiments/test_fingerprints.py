"""A fingerprint changes with a plugin's code, and with nothing else."""

from pathlib import Path
from uuid import uuid4

import pytest

import searchlab as sl
from searchlab.experiments.fingerprints import called, files_named, fingerprint, fingerprints
from searchlab.plugins.entry_points import Distribution, FoundEntryPoint
from searchlab.plugins.loading import load_entry_point, load_file
from searchlab.plugins.registry import Plugins

CODE = "def one(tiles): return 1.0\n"


@pytest.fixture
def loaded(tmp_path):
    """A function that writes files into a folder of their own and loads the first as a plugin."""
    numbers = iter(range(100))

    def loaded(**files):
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        for name, code in files.items():
            (folder / f"{name}.py").write_text(code)
        return load_file(folder / f"{next(iter(files))}.py")

    return loaded


def test_the_same_code_in_another_folder_is_the_same(loaded):
    """Another version of it, or under another name, is not."""
    plugin = loaded(mine=CODE)
    assert fingerprint(plugin) == fingerprint(loaded(mine=CODE))
    others = {fingerprint(loaded(mine=CODE + "\n")), fingerprint(loaded(yours=CODE)), fingerprint(plugin)}
    assert len(others) == 3
    assert all(len(each) == 16 for each in others)


@pytest.mark.parametrize(
    "importing", ["from . import helper", "from .helper import two", "def f(tiles):\n    from .helper import two"]
)
def test_what_a_file_imports_from_its_folder_belongs_to_it(loaded, importing):
    """Also what that imports, in a circle or not; a file that is only there does not."""

    def of(helper, other, stranger=""):
        helper = f"from . import other\ntwo = {helper}\n"
        other = f"import math\nfrom .mine import __name__ as name\nthree = {other}\n"
        return fingerprint(loaded(mine=f"import numpy\n{importing}\n", helper=helper, other=other, stranger=stranger))

    assert of(2, 3) == of(2, 3) == of(2, 3, "x = 1")
    assert len({of(2, 3), of(1, 3), of(2, 4)}) == 3


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A function that makes an installed package of a version, and returns the plugin that its module is."""

    def package(version="1.0", module="", **files):
        name = f"pack_{uuid4().hex}"
        folder = tmp_path / name
        (folder / "sub").mkdir(parents=True)
        for file in ("__init__", "hooks", "sub/deep"):
            (folder / f"{file}.py").write_text(files.get(Path(file).name, ""))
        monkeypatch.syspath_prepend(tmp_path)
        return load_entry_point(FoundEntryPoint("plugin", name + module, Distribution("dist", version)))

    return package


@pytest.mark.parametrize("module", ["", ".hooks"])
def test_an_installed_plugin_is_its_version_and_its_whole_package(package, module):
    """Whichever of its modules the entry point names."""
    found = [
        fingerprint(package(module=module, **files))
        for files in ({}, {}, {"version": "2.0"}, {"deep": "x = 1"}, {"hooks": "x = 1"}, {"__init__": "x = 1"})
    ]
    assert found[0] == found[1]
    assert len(set(found)) == 5
    assert found[0].startswith("1.0 ")


def test_a_plugin_is_read_once_a_process(loaded):
    """What was loaded stays what it was."""
    plugin = loaded(mine=CODE)
    before = fingerprint(plugin)
    Path(plugin.file).write_text("changed = True\n")
    assert fingerprint(plugin) == before


def test_a_plugin_without_a_file_has_one_too(loaded):
    """It was there when it was loaded."""
    plugin = loaded(mine=CODE)
    Path(plugin.file).unlink()
    assert len(fingerprint(plugin)) == 16


def test_plugins_are_called_so_that_they_can_be_told_apart(loaded, package):
    """A distribution may bring several; two files of one name are told together, in whatever order."""
    ours = [called(plugin) for plugin in Plugins(third_party=False).loaded]
    assert len(set(ours)) == len(ours) > 1
    assert {"searchlab/frontiers", "searchlab/twenty48"} <= set(ours)
    assert called(package(module=".hooks")) == "dist/hooks"
    one, two = loaded(mine=CODE), loaded(mine=CODE + "x = 1\n")
    assert fingerprints([one]) == {"mine": fingerprint(one)}
    assert fingerprints([one, two]) == fingerprints([two, one, one])
    assert fingerprints([one, two])["mine"].count(" and ") == 1


def test_a_file_whose_name_has_dots_is_called_as_it_is(tmp_path):
    """As the plugin is."""
    (tmp_path / "my.best.py").write_text(CODE)
    plugin = load_file(tmp_path / "my.best.py")
    assert called(plugin) == plugin.name == "my.best"
    assert sl.Plugins(files=[tmp_path / "my.best.py"]).loaded[-1].name == "my.best"


def test_a_file_that_is_a_default_counts(tmp_path):
    """It is read whether it was named or not; a text that is not declared to be a file is none."""
    file = tmp_path / "maze.py"
    maps = "(Parameter('map', 'here.txt', kind='file'), Parameter('mood', 'here.txt'))"
    game = f"Domain('maze', lambda board: (), lambda board: True, parameters={maps})"
    imported = "from searchlab import Domain, Parameter, hookimpl"
    file.write_text(f"{imported}\n\n\n@hookimpl\ndef searchlab_domains():\n    yield {game}\n")
    plugins = Plugins(entry_points=(), files=[str(file)])
    assert list(files_named("domain", "maze", plugins)) == ["here.txt"]
    assert list(files_named("domain", "maze:map=there.txt", plugins)) == ["there.txt"]
