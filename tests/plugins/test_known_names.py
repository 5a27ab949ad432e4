"""Names that are remembered: every look-up, with its errors and problems, is as if all plugins had been asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

import searchlab as sl
from searchlab.binding.names import Spelled
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins import known_names
from searchlab.plugins.known_names import KnownNames, file_states

HOOK = """
from searchlab import Frontier, Heuristic, hookimpl


@hookimpl
def searchlab_heuristics():
    ASKED.append("heuristic")
    {body}


ASKED = []
"""
BODIES = {
    "plain": 'yield Heuristic("plain", len, aliases=("simple", "Taxicab"))',
    "rival": 'yield Heuristic("rival", len, aliases=("plain", "pdb"))',
    "fails": 'yield Heuristic("lost", len)\n    1 / 0',
    "twice": 'yield Heuristic("double", len)\n    yield Heuristic("double", len)',
    "other": 'yield Heuristic("OTHER", len)\n    yield 7',
    "empty": "return []",
}


@pytest.fixture
def distributions(tmp_path, monkeypatch):
    """Some distributions beside the installed ones; their modules are imported anew."""
    for name, body in BODIES.items():
        package = tmp_path / "site" / f"acme_{name}"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(HOOK.format(body=body))
        info = tmp_path / "site" / f"acme_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: acme-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[searchlab]\n{name} = acme_{name}\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield tmp_path / "site"
    forget()


def forget():
    """Let the modules of the distributions be imported anew."""
    for name in [name for name in sys.modules if name.startswith("acme_")]:
        del sys.modules[name]


@pytest.fixture
def remembering(tmp_path, monkeypatch):
    """Make registries that remember names in a file, each as a process of its own would."""

    def make(*, remembers=True):
        path = tmp_path / "names.json" if remembers else None
        monkeypatch.setattr(known_names, "known_names", lambda: KnownNames(path))
        forget()
        return sl.Plugins()

    return make


@dataclass(frozen=True)
class Answer:
    """What a look-up comes to: a component with its plugin, or an error, and the problems that were reported."""

    found: tuple[str, str] | str
    problems: frozenset[str]


def answer(plugins, kind, spelled, suits=None):
    """Look a name up."""
    try:
        item = plugins.get(kind, spelled, suits)
        found = item.component.name, str(item.plugin)
        assert plugins.is_installed(kind, item.component) == bool(item.plugin.version)
    except sl.UsageError as error:
        found = str(error)
    return Answer(found, frozenset(map(str, plugins.problems)))


def spellings(items):
    """Every name and alias, with its plugin and with another, in other cases, misspelt, and none at all."""
    for item in items:
        for name in item.names:
            for written in (name, name.upper(), f"{name}x"):
                yield from (Spelled(written, plugin) for plugin in ("", item.plugin.name, "acme-plain"))
    yield from (Spelled(""), Spelled("nothing"), Spelled("lost"))


def first(component):
    """Suits a part of the components."""
    return component.name < "p"


def test_every_look_up_is_as_if_all_plugins_were_asked(distributions, remembering):
    """Of every name, kind and spelling; also with what suits, and with several look-ups one after another."""
    remembering().all("heuristic")
    for kind in COMPONENT_TYPES:
        wanted = {str(spelled): spelled for spelled in spellings(remembering().all(kind))}.values()
        one_by_one, at_once = remembering(), remembering(remembers=False)
        for number, spelled in enumerate(wanted):
            for suits in (None, first):
                expected = answer(at_once, kind, spelled, suits)
                assert answer(one_by_one, kind, spelled, suits) == expected, spelled
            if number % 40 == 0:  # each in a process of its own would take long
                another = remembering()
                assert answer(another, kind, spelled) == answer(at_once, kind, spelled), spelled
                assert all(item in another.all(kind) for item in another._exactly(kind, spelled))


def asked(plugins):
    """The distributions whose hooks were called."""
    return {p.name.removeprefix("acme-") for p in plugins.loaded if getattr(p.module, "ASKED", ())}


def test_only_plugins_that_may_bring_a_name_are_asked(distributions, remembering):
    """Those that bring it, and those of which something was left out, so that it is reported each time."""
    faulty = {"fails", "twice", "other"}
    plugins = remembering()
    plugins.get("heuristic", Spelled("simple"))
    assert asked(plugins) == {*BODIES}
    problems = {*plugins.problems}
    assert {problem.source.split()[0].removeprefix("acme-") for problem in problems} == faulty
    for name, bringing in (("simple", {"plain"}), ("misplaced", set()), ("pdb", {"rival"})):
        plugins = remembering()
        answer_of = plugins._exactly("heuristic", Spelled(name))
        assert len(answer_of) == 1 + (name == "pdb")
        assert asked(plugins) == faulty | bringing
        assert {*plugins.problems} == problems
    remembering().get("frontier", Spelled("greedy"))  # of another kind


def test_what_has_changed_is_asked_again(distributions, remembering):
    """A file of the package, its removal, another version, and another distribution that is installed."""
    remembering().all("heuristic")
    assert asked_for_misplaced(remembering) == set()
    module = distributions / "acme_empty" / "__init__.py"
    module.write_text(HOOK.format(body='yield Heuristic("misplaced", len)'))
    assert "empty" in asked_for_misplaced(remembering)
    assert "claimed twice" in answer(remembering(), "heuristic", Spelled("misplaced")).found
    (distributions / "acme_plain" / "data.txt").write_text("data")
    assert "plain" in asked_for_misplaced(remembering)
    assert "plain" not in asked_for_misplaced(remembering)
    (distributions / "acme_plain" / "data.txt").unlink()
    assert "plain" in asked_for_misplaced(remembering)
    info = distributions / "acme_rival-1.0.dist-info"
    (info / "METADATA").write_text("Name: acme-rival\nVersion: 1.1\n")
    assert {"rival", "plain"} & asked_for_misplaced(remembering) == {"rival"}


def asked_for_misplaced(remembering):
    """Who is asked for a name that a plugin of ours brings, without those that are asked each time."""
    plugins = remembering()
    plugins._exactly("heuristic", Spelled("misplaced"))
    return asked(plugins) - {"fails", "twice", "other"}


HELPED = """
from acme_helper import HEURISTICS
from searchlab import hookimpl


@hookimpl
def searchlab_heuristics():
    ASKED.append("heuristic")
    return HEURISTICS


ASKED = []
"""
HELPER = """
from searchlab import Heuristic


def f(tiles):
    return 0


HEURISTICS = [Heuristic({name!r}, f)]
"""


@pytest.mark.parametrize(
    ("record", "is_remembered"),
    [("acme_helped.py,,\nacme_helper.py,sha256=1,9\n", True), ("acme_helped.py,,\n", False), ("", True)],
)
def test_a_change_of_a_module_beside_the_plugin_is_noticed(record, is_remembered, distributions, remembering):
    """Whether its distribution lists it, does not, or lists none, being a link to its sources."""
    (distributions / "acme_helped.py").write_text(HELPED)
    (distributions / "acme_helper.py").write_text(HELPER.format(name="helped"))
    info = distributions / "acme_helped-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: acme-helped\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[searchlab]\nhelped = acme_helped\n")
    (info / "RECORD").write_text(record)
    remembering().all("heuristic")
    assert ("helped" not in asked_for_misplaced(remembering)) == is_remembered
    (distributions / "acme_helper.py").write_text(HELPER.format(name="misplaced"))
    assert "claimed twice" in answer(remembering(), "heuristic", Spelled("misplaced")).found


def test_a_link_to_nowhere_hides_no_files(tmp_path):
    """As editors make them for locks; that its target is there is a change."""
    for name in "abc":
        (tmp_path / name).touch()
    (tmp_path / ".#a").symlink_to("user@host.1234:5678")
    (tmp_path / "loop").symlink_to("loop")
    states = set(file_states(str(tmp_path)))
    assert len(states) == 5
    (tmp_path / "user@host.1234:5678").touch()
    assert len(states - set(file_states(str(tmp_path)))) == 1


@pytest.mark.parametrize(
    "line", ["__file__ = 7", "__file__ = []", "__name__ = None", "__file__ = ''", "__file__ = '\\0'"]
)
def test_a_module_that_hides_where_it_is_is_asked_each_time(line, distributions, remembering):
    """And its components are found."""
    module = distributions / "acme_plain" / "__init__.py"
    module.write_text(f"{module.read_text()}\n{line}\n")
    for _ in range(2):
        plugins = remembering()
        assert plugins.get("heuristic", Spelled("simple")).component.name == "plain"
        assert "plain" in asked(plugins)


@pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"FILE": 7}', '{"FILE": {"stamp": "STAMP", "names": 7}}'])
def test_a_damaged_file_is_as_good_as_none(content, distributions, remembering, tmp_path):
    """Whatever is in it, names are found, and what is remembered next replaces it."""
    path = tmp_path / "names.json"
    expected = answer(remembering(), "heuristic", Spelled("simple"))
    file, kept = next(item for item in json.loads(path.read_text()).items() if "acme_plain" in item[0])
    path.write_text(content.replace("FILE", file).replace("STAMP", kept["stamp"]))
    assert answer(remembering(), "heuristic", Spelled("simple")) == expected
    assert json.loads(path.read_text())[file] == kept


def test_names_that_are_wrong_are_found_all_the_same(distributions, remembering, tmp_path):
    """If the plugin that is said to bring a name does not, all the others are asked."""
    path = tmp_path / "names.json"
    expected = answer(remembering(), "heuristic", Spelled("simple"))
    known = json.loads(path.read_text())
    for file, kept in known.items():
        kept["names"]["heuristic"] = ["simple"] if "acme_empty" in file else []
    path.write_text(json.dumps(known))
    assert answer(remembering(), "heuristic", Spelled("simple")) == expected


def test_a_plugin_that_brings_one_that_suits_is_found_though_another_has_the_name(distributions, remembering, tmp_path):
    """If it is not known to bring the name, and the one that is brings none that suits."""
    path = tmp_path / "names.json"
    remembering().all("heuristic")
    known = json.loads(path.read_text())
    for file, kept in known.items():
        if "acme_rival" in file:
            kept["names"]["heuristic"] = []
    path.write_text(json.dumps(known))
    found = remembering().get("heuristic", Spelled("plain"), lambda component: component.name == "rival")
    assert found.component.name == "rival"


def test_a_package_with_too_many_files_is_asked_each_time(distributions, remembering, monkeypatch):
    """Looking at all of them would take longer."""
    monkeypatch.setattr(known_names, "MOST_FILES", 0)
    remembering().all("heuristic")
    assert asked_for_misplaced(remembering) == {"plain", "rival", "empty"}


def test_a_search_imports_the_plugins_that_it_names(tmp_path):
    """In the second process of a user; and a folder that others can write to is of no use."""
    code = """
import sys, searchlab as sl
sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile", heuristic="taxicab", engine="readable")
print(*[name for name in ("twenty48", "sliding_tile") if f"searchlab_plugins.{name}.domain" in sys.modules])
"""

    def imported(folder):
        folder.mkdir(exist_ok=True)
        environment = {**os.environ, "SEARCHLAB_CACHE_DIR": str(folder)}
        command = [sys.executable, "-W", "error", "-c", code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert imported(tmp_path / "own") == ["twenty48", "sliding_tile"]
    assert imported(tmp_path / "own") == ["sliding_tile"]
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    assert imported(tmp_path / "shared") == ["twenty48", "sliding_tile"]
    assert not list((tmp_path / "shared").iterdir())
