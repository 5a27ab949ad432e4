"""Entry points that name components: a plugin is imported when one of its components is used."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.binding.names import Spelled
from searchlab.model.component_types import COMPONENT_TYPES

ROOT = Path(__file__).parents[2]
MODULES = {
    "plain": 'hooks = plugin(Heuristic("plain", len, aliases=("simple", "Taxicab")))',
    "rival": 'hooks = plugin(Heuristic("rival", len, aliases=("plain", "pdb")))',
    "fails": '@hookimpl\ndef searchlab_heuristics():\n    yield Heuristic("lost", len)\n    1 / 0',
    "other": 'hooks = plugin(Heuristic("OTHER", len))',
    "broken": "1 / 0",
}
NAMES = {
    "plain": ("plain", "simple", "Taxicab"),
    "rival": ("rival", "plain", "pdb"),
    "fails": ("lost",),
    "other": ("OTHER",),
    "broken": ("shattered",),
}


def install(site, name, code, names=()):
    """Install a distribution of one module, whose entry points name some heuristics."""
    (site / f"acme_{name}.py").write_text(f"from searchlab import Heuristic, hookimpl, plugin\n\n{code}\n")
    info = site / f"acme_{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: acme-{name}\nVersion: 1.0\n")
    lines = [
        f"[searchlab]\n{name} = acme_{name}\n[searchlab.heuristics]\n",
        *(f"{one} = acme_{name}\n" for one in names),
    ]
    (info / "entry_points.txt").write_text("".join(lines))


def forget():
    """Let the modules of the distributions be imported again."""
    for name in [name for name in sys.modules if name.startswith("acme_")]:
        del sys.modules[name]


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed distributions, before the others on the path."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    forget()


@pytest.fixture
def distributions(site):
    """Distributions that name their heuristics; two share a name, one hook fails, and one cannot be imported."""
    for name, code in MODULES.items():
        install(site, name, code, NAMES[name])
    return site


def imported():
    """The distributions whose modules have been imported."""
    return {name.removeprefix("acme_") for name in sys.modules if name.startswith("acme_")}


@dataclass(frozen=True)
class Answer:
    """The result of a look-up: a component with its plugin, or an error."""

    found: tuple[str, str] | str


def answer(plugins, kind, spelled, domain=None):
    """Look a name up."""
    try:
        item = plugins.get(kind, spelled, domain)
    except sl.UsageError as error:
        return Answer(str(error))
    assert plugins.is_installed(item.component) == bool(item.plugin.version)
    return Answer((item.component.name, str(item.plugin)))


def spellings(items):
    """Every name and alias, with its plugin and with another, in other cases, misspelt, and none at all."""
    for item in items:
        for name in item.names:
            for written in (name, name.upper(), f"{name}x"):
                yield from (Spelled(written, plugin) for plugin in ("", item.plugin.name, "acme-plain"))
    yield from (Spelled(""), Spelled("nothing"))


def test_names_find_the_same_components_as_if_all_plugins_were_imported(distributions):
    """For every kind and spelling, one after another in a registry, and each in one of its own."""
    for kind in COMPONENT_TYPES:
        at_once = sl.Plugins()
        wanted = {str(spelled): spelled for spelled in spellings(at_once.all(kind))}.values()
        assert at_once.loaded
        one_by_one = sl.Plugins()
        for number, spelled in enumerate(wanted):
            for domain in (None, sl.domain("sliding-tile")):
                expected = answer(at_once, kind, spelled, domain)
                assert answer(one_by_one, kind, spelled, domain) == expected, spelled
            if number % 10 == 0:
                forget()
                assert answer(sl.Plugins(), kind, spelled) == answer(at_once, kind, spelled), spelled


@pytest.mark.parametrize(("name", "expected"), [("simple", {"plain"}), ("misplaced", set()), ("pdb", {"rival"})])
def test_only_plugins_that_name_a_component_are_imported(name, expected, distributions):
    """The others are not even when the registry is made."""
    plugins = sl.Plugins()
    assert imported() == set()
    answer(plugins, "heuristic", Spelled(name))
    assert imported() == expected


def test_a_name_that_two_plugins_claim_is_refused_with_both_sources(distributions):
    """Both are imported for it; a spelling with the plugin chooses one."""
    plugins = sl.Plugins()
    with pytest.raises(sl.UsageError, match="claimed twice") as raised:
        plugins.get("heuristic", Spelled("plain"))
    for name in ("plain", "rival"):
        assert f"acme-{name}/plain ({distributions / f'acme_{name}.py'})" in str(raised.value)
        assert plugins.get("heuristic", Spelled("plain", f"acme-{name}")).component.name == name


def test_a_plugin_that_cannot_be_imported_is_reported_when_needed(distributions):
    """Everything else works."""
    plugins = sl.Plugins()
    assert sl.heuristic("simple", plugins=plugins).name == "plain"
    assert plugins.problems == []
    with pytest.raises(
        sl.UsageError, match=r"heuristic 'shattered' cannot be loaded: .*acme-broken.*ZeroDivisionError"
    ):
        plugins.get("heuristic", Spelled("shattered"))
    assert [problem.source.split()[0] for problem in plugins.problems if "division" in problem.what] == [
        "acme-broken",
        "acme-fails",
    ]


def test_a_component_without_an_entry_point_is_found(site):
    """All plugins are imported to find it."""
    install(site, "half", 'hooks = plugin(Heuristic("one", len), Heuristic("two", len))', ["one"])
    assert sl.Plugins().get("heuristic", Spelled("two")).plugin.name == "acme-half"


def test_plugins_are_listed_in_the_order_of_entry_points(distributions):
    """The order of imports does not matter."""
    for name in ("simple", "rival"):
        forget()
        plugins = sl.Plugins()
        plugins.get("heuristic", Spelled(name))
        ours = [item.component.name for item in plugins.all("heuristic") if item.plugin.name.startswith("acme")]
        assert ours == ["OTHER", "plain", "rival"]


def test_names_in_data_are_found_in_the_same_plugins(distributions):
    """The registry for data shares what has been imported, before and after it was made."""
    plugins = sl.Plugins()
    of_data = plugins.for_data("a test")
    assert of_data.get("heuristic", Spelled("simple")) is plugins.get("heuristic", Spelled("simple"))
    assert plugins.get("heuristic", Spelled("rival")) is of_data.get("heuristic", Spelled("rival"))
    assert plugins.problems == []


def test_a_hook_that_may_not_be_called_is_reported(site):
    """Entry points name components only; a plugin with other hooks names none."""
    code = "hooks = plugin(Heuristic('mine', len))\n\n@hookimpl\ndef searchlab_run_started(run):\n    pass"
    install(site, "listens", code, ["mine"])
    plugins = sl.Plugins()
    plugins.get("heuristic", Spelled("mine"))
    (problem,) = plugins.problems
    assert "searchlab_run_started may not be called" in problem.what


def test_names_are_compared_with_what_a_plugin_brings(site):
    """One is missing in the entry points, and one in the plugin."""
    install(site, "half", 'hooks = plugin(Heuristic("one", len), Heuristic("two", len))', ["one", "three"])
    plugins = sl.Plugins()
    plugins.check_names()
    assert sorted(problem.what.partition("; ")[0] for problem in plugins.problems) == [
        "heuristic 'three': its entry points name it, and the plugin does not bring it",
        "heuristic 'two': its entry points do not name it",
    ]


def test_shipped_entry_points_name_all_components():
    """The entry points in pyproject.toml are the components of the plugins, aliases included."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    named = {
        (kind, name, groups[f"searchlab.{kind}s"][name])
        for kind in COMPONENT_TYPES
        if f"searchlab.{kind}s" in groups
        for name in groups[f"searchlab.{kind}s"]
    }
    brought = {
        (kind, name, module)
        for module in groups["searchlab"].values()
        for kind in COMPONENT_TYPES
        for component in getattr(import_module(module).hooks, f"searchlab_{kind}s", list)()
        for name in (component.name, *component.aliases)
    }
    assert brought == named


IMPORTED = """
print(*sorted(name.split(".")[1] for name in sys.modules if name.count(".") == 1 and "searchlab_plugins." in name))
"""
SOLVE = """
import sys, searchlab as sl
sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile", heuristic="taxicab", engine="readable")
"""
HELP = """
import sys
from searchlab.cli import main
main(["--help"])
"""


@pytest.mark.parametrize(
    ("code", "expected"), [(SOLVE, ["frontiers", "sliding_tile"]), (HELP, [])], ids=["solve", "help"]
)
def test_a_process_imports_only_the_plugins_that_it_uses(code, expected):
    """A search imports those of its components, and `--help` imports none."""
    command = [sys.executable, "-W", "error", "-c", f"{code}\n{IMPORTED}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].split() == expected
