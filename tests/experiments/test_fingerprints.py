"""A fingerprint changes with a plugin's code, and with nothing else."""

from pathlib import Path
from uuid import uuid4

import pytest

import searchlab as sl
from searchlab.experiments.fingerprints import files_named, fingerprint, fingerprints, plugin_name
from searchlab.files.distributions import Distribution
from searchlab.plugins.found import Found
from searchlab.plugins.loading import EntryPoint, load_entry_point, load_file
from searchlab.plugins.registry import Plugins

CODE = "def one(tiles): return 1.0\n"
EXPLAINED = """
'A module.'

LIMIT = 10
'No more than this.'


class Thing:
    'A thing.'

    def value(self, tiles):
        'Return its value.'
        return u"%d" % (tiles[0, 0] + LIMIT)  # of the first tile
"""
BARE = """
LIMIT=10
class Thing:
        def value(self,  tiles) :
            return '%d' % (
                tiles[0,0]  +  LIMIT
            )
"""
FORMS = """
import re as r
from math import *

async def f(a, /, b: int = 1, *c, d=-0.5, **e) -> 'text':
    global g
    g = lambda x: f"{x!r:>{a}.{b}}" "" f"" f"{x=}{{" + f"{x:}"
    with open(a) as one, open(b): del c[1:2, ...]
    try: yield [i async for i in a if i if not i]
    except* (OSError, ValueError) as error: raise error from None
    match a:
        case {'x': 1, **rest}: pass
        case [2, *_] | str(x=3): pass
        case _ if (y := b) <= 2 < 3: g = {*c}, {**e, 1: 2}
    while a: a @= b if c else d
    else: assert a, 'no'
"""


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


def test_the_folder_does_not_change_the_fingerprint(loaded):
    """Other code, or under another name, is not."""
    plugin = loaded(mine=CODE)
    assert fingerprint(plugin) == fingerprint(loaded(mine=CODE))
    others = {fingerprint(loaded(mine=CODE + "x = 1\n")), fingerprint(loaded(yours=CODE)), fingerprint(plugin)}
    assert len(others) == 3
    assert all(len(each) == 16 for each in others)


def test_docstrings_comments_and_layout_do_not_change_the_fingerprint(loaded):
    assert fingerprint(loaded(mine=EXPLAINED)) == fingerprint(loaded(mine=BARE))


@pytest.mark.parametrize(
    ("before", "after"),
    [("10", "11"), ("10", "10.0"), ("10", "True"), ("+", "-"), ("LIMIT", "MOST"), ("'%d'", "b'%d'"), ("0,0", "0,1")],
)
def test_any_other_edit_changes_the_fingerprint(loaded, before, after):
    assert before in BARE
    assert fingerprint(loaded(mine=BARE)) != fingerprint(loaded(mine=BARE.replace(before, after)))


@pytest.mark.parametrize(
    "odd",
    [
        f"x = 0x{'f' * 5000}\n",
        "x = '\\ud800'\n",
        f"x = {'1+' * 500}1\n",
        "x = None, ..., 1e999, -0.0, 2j, b'', f'{1}{2!r:>3}'\n",
    ],
    ids=["a large number", "half of a character", "a deep tree", "constants"],
)
def test_odd_code_has_a_fingerprint(loaded, odd):
    assert fingerprint(loaded(mine=odd)) == fingerprint(loaded(mine=f"# the same\n{odd}"))
    assert fingerprint(loaded(mine=odd)) != fingerprint(loaded(mine=odd + odd))


def test_a_fingerprint_is_the_same_in_every_version_of_python(loaded):
    """The syntax tree is not: of a format in braces, Python 3.12 makes another."""
    assert fingerprint(loaded(mine=FORMS)) == "d96f48f8067e4969"


@pytest.mark.parametrize(
    "importing", ["from . import helper", "from .helper import two", "def f(tiles):\n    from .helper import two"]
)
def test_modules_imported_from_the_folder_change_the_fingerprint(loaded, importing):
    """Indirectly imported ones, too; a file that is not imported does not."""

    def of(helper, other, stranger=""):
        helper = f"from . import other\ntwo = {helper}\n"
        other = f"import math\nfrom .mine import __name__ as name\nthree = {other}\n"
        return fingerprint(loaded(mine=f"import numpy\n{importing}\n", helper=helper, other=other, stranger=stranger))

    assert of(2, 3) == of(2, 3) == of(2, 3, "x = 1")
    assert len({of(2, 3), of(1, 3), of(2, 4)}) == 3


@pytest.mark.parametrize(
    "importing",
    [
        "from . import sub",
        "from .sub import inner",
        "from .sub.inner import two",
        "from .sub.inner import two as other",
    ],
)
@pytest.mark.parametrize("has_init", [True, False])
def test_packages_imported_from_the_folder_change_the_fingerprint(tmp_path, importing, has_init):
    """All of the subfolder, and what that imports from the folder; another subfolder does not."""

    def of(inner, beside, stranger=""):
        folder = tmp_path / uuid4().hex
        for name, text in {
            "mine": f"{importing}\n",
            "sub/inner": f"from ..beside import three\ntwo = {inner}\n",
            "beside": f"three = {beside}\n",
            "strange/inner": stranger,
            **({"sub/__init__": ""} if has_init else {}),
        }.items():
            file = folder / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return fingerprint(load_file(folder / "mine.py"))

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
        return load_entry_point(EntryPoint("plugin", name + module, Distribution("dist", version)))

    return package


@pytest.mark.parametrize("module", ["", ".hooks"])
def test_an_installed_plugin_is_its_version_and_its_whole_package(package, module):
    """Whichever of its modules the entry point names."""
    found = [
        fingerprint(package(module=module, **files))
        for files in ({}, {}, {"version": "2.0"}, {"deep": "x = 1"}, {"hooks": "x = 1"}, {"__init__": "x = 1"})
    ]
    assert found[0] == found[1]
    assert len({*found}) == 5
    assert found[0].startswith("1.0 ")


def test_the_version_of_an_editable_installation_does_not_count(tmp_path, monkeypatch):
    """It is the one of the day on which it was installed; the code says what it is."""

    def installed(version, direct_url, *, in_source=False):
        name = f"pack_{uuid4().hex}"
        (tmp_path / f"{name}.py").write_text(CODE)
        metadata = tmp_path / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        (metadata / "direct_url.json").write_text(direct_url)
        monkeypatch.syspath_prepend(tmp_path)
        if in_source:  # as `python -m` finds it in the current folder
            described = tmp_path / "source" / f"{name}.egg-info"
            described.mkdir(parents=True)
            (described / "PKG-INFO").write_text(f"Name: {name}\nVersion: {version}\n")
            monkeypatch.syspath_prepend(tmp_path / "source")
        return fingerprint(load_entry_point(EntryPoint("plugin", name, Distribution(name, version))))

    editable = '{"url": "file:///x", "dir_info": {"editable": true}}'
    assert len(installed("1.0", editable)) == 16
    assert len(installed("1.0", editable, in_source=True)) == 16
    for other in ('{"url": "file:///x", "dir_info": {}}', "[]", "{", "null"):
        assert installed("1.0", other).startswith("1.0 ")


def test_a_plugin_is_read_once_a_process(loaded):
    """A later change of the file has no effect."""
    plugin = loaded(mine=CODE)
    before = fingerprint(plugin)
    Path(plugin.file).write_text("changed = True\n")
    assert fingerprint(plugin) == before


def test_a_plugin_whose_file_was_deleted_has_a_fingerprint(loaded):
    plugin = loaded(mine=CODE)
    Path(plugin.file).unlink()
    assert len(fingerprint(plugin)) == 16


def test_plugin_names_are_unique(loaded, package):
    """A distribution may bring several; two files of one name are reported together, in whatever order."""
    ours = [plugin_name(plugin) for plugin in Plugins(third_party=False).loaded]
    assert len(set(ours)) == len(ours) > 1
    assert {"searchlab/frontiers", "searchlab/twenty48"} <= set(ours)
    assert plugin_name(package(module=".hooks")) == "dist/hooks"
    one, two = loaded(mine=CODE), loaded(mine=CODE + "x = 1\n")
    of_one, of_two = (Found(sl.Heuristic("zero", lambda tiles: 0), plugin) for plugin in (one, two))
    assert fingerprints([of_one]) == {"mine": fingerprint(one)}
    assert fingerprints([of_one, of_two]) == fingerprints([of_two, of_one, of_one])
    assert fingerprints([of_one, of_two])["mine"].count(" and ") == 1


def test_dots_in_a_file_name_are_part_of_the_plugin_name(tmp_path):
    (tmp_path / "my.best.py").write_text(CODE)
    plugin = load_file(tmp_path / "my.best.py")
    assert plugin_name(plugin) == plugin.name == "my.best"
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
